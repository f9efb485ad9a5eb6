/* SPDX-License-Identifier: Apache-2.0 */
/* Which records of the cycle are sent on: those with step % divisor == 0.
 *
 * The reader of the records may miss some. The next record replaces a missed one that was due, as
 * its step shows. A cycle that does not step (PAUSED, FAULT) publishes records, too: the first one
 * in such a state is due at once, then every divisor-th cycle. */
#ifndef LKD_IO_PACE_H
#define LKD_IO_PACE_H

#include "cycle_types.h"

#define LKD_DIVISOR_MAX 1000000

/** struct lkd_pace - @due: step that is sent next;  @cycle: number of cycles at the last one sent
 * @state: of the last record;  @begun: there was one */
struct lkd_pace {
    uint64_t divisor;
    uint64_t due;
    uint64_t cycle;
    enum lkd_cycle_state state;
    bool begun;
};

/** lkd_pace_begin() - a run begins. @divisor: at least 1 */
void lkd_pace_begin(struct lkd_pace *pace, uint64_t divisor);

/** lkd_pace_due() - whether to send the record with @figures.
 * Thread: whoever owns @pace.  RT: yes. */
LK_RT bool lkd_pace_due(struct lkd_pace *pace, const struct lkd_figures *figures);

/** lkd_pace_ahead() - how many grid points after that of the record with @figures, which was asked
 * for, there can be one to send: at least 1, as long as the state is the same.
 * Thread: whoever owns @pace.  RT: yes. */
LK_RT uint64_t lkd_pace_ahead(const struct lkd_pace *pace, const struct lkd_figures *figures);

#endif

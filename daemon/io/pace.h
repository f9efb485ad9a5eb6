/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the records to send: those with step % divisor == 0.
 *
 * The reader may miss some records. If it misses a record that was due, the next record is sent
 * instead, with its own step number. A cycle that does not step (PAUSED, FAULT) publishes records,
 * too: the first one in such a state is due at once, then every divisor-th cycle. */
#ifndef LKD_IO_PACE_H
#define LKD_IO_PACE_H

#include "cycle_types.h"

#define LKD_DIVISOR_MAX 1000000

/** struct lkd_pace - schedule of the records to send.
 * @due:   next step to send
 * @cycle: number of cycles at the last record sent
 * @state: state of the last record
 * @begun: there was a record */
struct lkd_pace {
    uint64_t divisor;
    uint64_t due;
    uint64_t cycle;
    enum lkd_cycle_state state;
    bool begun;
};

/** lkd_pace_begin() - Reset @pace when a run begins.
 * @divisor: at least 1 */
void lkd_pace_begin(struct lkd_pace *pace, uint64_t divisor);

/** lkd_pace_due() - Return true if the record with @figures must be sent.
 * Thread: owner of @pace.  RT: yes. */
LK_RT bool lkd_pace_due(struct lkd_pace *pace, const struct lkd_figures *figures);

/** lkd_pace_ahead() - Return the number of grid points from the record with @figures to the next
 * one that can be due: at least 1, valid while the state is the same. Call after lkd_pace_due() for
 * that record.
 * Thread: owner of @pace.  RT: yes. */
LK_RT uint64_t lkd_pace_ahead(const struct lkd_pace *pace, const struct lkd_figures *figures);

#endif

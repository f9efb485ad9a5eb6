/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of a record of the cycle to an OutputSample. */
#ifndef LKD_IO_OUTGOING_H
#define LKD_IO_OUTGOING_H

#include "clock.h"
#include "cycle_types.h"
#include "linkage.pb-c.h"

/** struct lkd_run_facts - properties of a run that its records lack.
 * @degraded: the run was permitted on a machine that is not fit for real time */
struct lkd_run_facts {
    uint64_t model_id;
    enum lkd_mode mode;
    bool degraded;
};

/** struct lkd_outgoing - a sample and the memory that it points to. Do not move it after
 * filling. */
struct lkd_outgoing {
    Linkage__V1__OutputSample sample;
    Linkage__V1__Clock clock;
    Linkage__V1__Echo echo[LKD_STAMPS];
    Linkage__V1__Echo *echoes[LKD_STAMPS];
};

/** lkd_outgoing_fill() - Fill everything except sequence number and time of publication.
 * @output: @n_values values; the sample points into it
 * @state:  state that replaces the one in the record, or STATE_UNSPECIFIED */
void lkd_outgoing_fill(struct lkd_outgoing *outgoing, const struct lkd_output *output, int n_values,
                       const struct lkd_run_facts *facts, Linkage__V1__State state,
                       const struct lkd_wall_clock *clock);

/** lkd_outgoing_stamp() - Set the sequence number and the present time as time of publication. */
void lkd_outgoing_stamp(struct lkd_outgoing *outgoing, uint64_t sequence);

/** lkd_outgoing_state(), lkd_outgoing_mode(), lkd_outgoing_action() - Convert to the enumerations
 * of linkage.proto. */
Linkage__V1__State lkd_outgoing_state(enum lkd_cycle_state state);
Linkage__V1__Mode lkd_outgoing_mode(enum lkd_mode mode);
Linkage__V1__Action lkd_outgoing_action(enum lkd_action action);

#endif

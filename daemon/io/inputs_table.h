/* SPDX-License-Identifier: Apache-2.0 */
/* Private functions of the input table: inputs.c owns the table, inputs_offer.c accepts samples,
 * inputs_claim.c grants and ends claims. Call all of them with the lock held. */
#ifndef LKD_IO_INPUTS_TABLE_H
#define LKD_IO_INPUTS_TABLE_H

#include "inputs.h"

/** lkd_table_forward() - Publish values, news, stamps and flags to the cycle. Requires an attached
 * model. */
void lkd_table_forward(struct lkd_inputs *inputs);

/** lkd_table_initial() - Restore the initial values of a channel. */
void lkd_table_initial(struct lkd_inputs *inputs, int channel);

/** lkd_table_forget() - Clear the stamp at @place, whose claim has ended. */
void lkd_table_forget(struct lkd_inputs *inputs, int place);

/** lkd_table_follow() - Advance the injections and pass on samples whose delay has expired. Publish
 * the table to the cycle if the flags of its records change. */
void lkd_table_follow(struct lkd_inputs *inputs, int64_t now_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the input table share: inputs.c keeps it, inputs_offer.c takes samples,
 * inputs_claim.c gives and ends claims. Lock held in all of them. */
#ifndef LKD_IO_INPUTS_TABLE_H
#define LKD_IO_INPUTS_TABLE_H

#include "inputs.h"

/** lkd_table_forward() - hand values, news, stamps and flags to the cycle. A model is attached. */
void lkd_table_forward(struct lkd_inputs *inputs);

/** lkd_table_initial() - a channel's values are those of the model again. */
void lkd_table_initial(struct lkd_inputs *inputs, int channel);

/** lkd_table_forget() - the sample at @place of the stamps is nobody's any more. */
void lkd_table_forget(struct lkd_inputs *inputs, int place);

/** lkd_table_follow() - carry on with the injections, and let samples through that were kept back.
 * Forwards when a record has to say something else than before. */
void lkd_table_follow(struct lkd_inputs *inputs, int64_t now_ns);

#endif

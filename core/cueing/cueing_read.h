/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the section `cueing` of a configuration: what the washout and its platform need. Not
 * for real-time threads: a library of its own. */
#ifndef LK_CUEING_READ_H
#define LK_CUEING_READ_H

#include "cueing/ride.h"
#include "linkage/document.h"
#include "linkage/linkage.h"

/** struct lk_cueing_names - outputs of the model that a ride uses.
 * @sensor: the inertial sensor
 * @gain:   outputs that set the gains, in the order of struct lk_washout_set; "": the configured
 *          gain */
struct lk_cueing_names {
    char sensor[LK_NAME_SIZE];
    char gain[LK_WASHOUT_VALUES][LK_NAME_SIZE];
};

/** lk_cueing_read() - Read the section @node, a map. Its keys are checked, and doc/reference
 * documents them; `report` and `silent` are not read.
 * Return: 0, LK_E_TEXT with "file:line:column: ..." in @error. */
int lk_cueing_read(struct lk_node node, struct lk_cueing_names *ret_names,
                   struct lk_ride_config *ret_ride, struct lk_error *error);

#endif

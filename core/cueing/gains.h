/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the gains of a washout while it runs. An operator sets target values, and the gains
 * approach them through the filter 1/(s/4 + 1)^2: nine tenths of the change in a second, without
 * overshoot and without a jump of their rates. With the filters of section.h the pose remains
 * smooth during such a change.
 *
 * Thread: one at a time. RT: yes. */
#ifndef LK_CUEING_GAINS_H
#define LK_CUEING_GAINS_H

#include "cueing/section.h"
#include "cueing/washout.h"
#include <stdbool.h>

#define LK_GAIN_FIELDS 16

/** struct lk_gain_field - a member of struct lk_washout_set, which consists of doubles only.
 * @key:   name of the member;  @first: index of the first of its @size values in the set
 * @low, @high: bounds for a configuration
 * @least: lower bound for an operator, who must not switch off a leak or a limit of the tilt rate,
 *         because an offset that has accumulated would remain */
struct lk_gain_field {
    const char *key;
    int first;
    int size;
    double low;
    double high;
    double least;
};

extern const struct lk_gain_field lk_gain_fields[LK_GAIN_FIELDS];

/** struct lk_gains - target and present values of the gains.
 * @wanted: target values, in the order of struct lk_washout_set
 * @glide:  filters that hold the present values
 * @moved:  a target has changed since the last step, and the next step will use it
 * @taken:  a target changed between the last two steps, so the last step was the first to use
 *          it */
struct lk_gains {
    double wanted[LK_WASHOUT_VALUES];
    struct lk_section glide[LK_WASHOUT_VALUES];
    bool moved;
    bool taken;
};

/** lk_gains_init() - set gains and targets to @set, at rest. */
void lk_gains_init(struct lk_gains *gains, const struct lk_washout_set *set);

/** lk_gains_want() - set the target of value @index to @value, limited to its range. A value that
 * is not finite is ignored. */
void lk_gains_want(struct lk_gains *gains, int index, double value);

/** lk_gains_step() - make one step of @h [s] towards the targets. @ret_set: the gains after it */
void lk_gains_step(struct lk_gains *gains, double h, struct lk_washout_set *ret_set);

#endif

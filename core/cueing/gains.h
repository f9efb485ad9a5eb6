/* SPDX-License-Identifier: Apache-2.0 */
/* The gains of a washout while it runs: an operator says what they are to be, and they go there
 * smoothly, by 1/(s/4 + 1)^2: nine tenths of the way in a second, without overshoot and without a
 * jump of their rates. With the filters of section.h the pose stays smooth with them.
 *
 * Thread: one at a time. RT: yes. */
#ifndef LK_CUEING_GAINS_H
#define LK_CUEING_GAINS_H

#include "cueing/section.h"
#include "cueing/washout.h"
#include <stdbool.h>

#define LK_GAIN_FIELDS 16

/** struct lk_gain_field - a member of struct lk_washout_set, which is nothing but doubles.
 * @key:   its name;  @first: of its @size values among all
 * @low, @high: what a configuration may say;  @least: what an operator may, who cannot take a leak
 *         or a limit of the tilt rate away: what has gathered behind it would stay */
struct lk_gain_field {
    const char *key;
    int first;
    int size;
    double low;
    double high;
    double least;
};

extern const struct lk_gain_field lk_gain_fields[LK_GAIN_FIELDS];

/** struct lk_gains - @wanted: in the order of struct lk_washout_set;  @glide: where they are
 * @moved: others are wanted since the last step;  @taken: were, before it */
struct lk_gains {
    double wanted[LK_WASHOUT_VALUES];
    struct lk_section glide[LK_WASHOUT_VALUES];
    bool moved;
    bool taken;
};

/** lk_gains_init() - at rest at @set. */
void lk_gains_init(struct lk_gains *gains, const struct lk_washout_set *set);

/** lk_gains_want() - value @index is to become @value; cut at its range, ignored where it is none.
 */
void lk_gains_want(struct lk_gains *gains, int index, double value);

/** lk_gains_step() - one step of @h [s] towards what is wanted. @ret_set: the gains then */
void lk_gains_step(struct lk_gains *gains, double h, struct lk_washout_set *ret_set);

#endif

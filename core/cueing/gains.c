/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/gains.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#define GLIDE 4.0 /* corner frequency of the filters of the gains [rad/s] */

#define FIELD(name, size, low, high, least)                                                        \
    {                                                                                              \
#name, (int)(offsetof(struct lk_washout_set, name) / sizeof(double)), size, low, high,     \
            least                                                                                  \
    }

const struct lk_gain_field lk_gain_fields[LK_GAIN_FIELDS] = {
    FIELD(force_scale, 3, 0, 10, 0),
    FIELD(rate_scale, 3, 0, 10, 0),
    FIELD(force_limit, 1, 0.01, 100, 0.01),
    FIELD(rate_limit, 1, 0.01, 20, 0.01),
    FIELD(frequency, 3, 0.01, 50, 0.01),
    FIELD(damping, 3, 0.1, 10, 0.1),
    FIELD(leak, 3, 0, 50, 0.01),
    FIELD(tilt_frequency, 1, 0.01, 50, 0.01),
    FIELD(tilt_damping, 1, 0.1, 10, 0.1),
    FIELD(tilt_rate, 1, 0, 3, 0.001),
    FIELD(tilt_limit, 1, 0, 0.8, 0),
    FIELD(turn_frequency, 3, 0.01, 50, 0.01),
    FIELD(turn_damping, 3, 0.1, 10, 0.1),
    FIELD(head, 3, -10, 10, -10),
    FIELD(coupled, 1, 0, 1, 0),
    FIELD(tilt_acceleration, 1, 0, 100, 0.01),
};

_Static_assert(sizeof(struct lk_washout_set) == LK_WASHOUT_VALUES * sizeof(double),
               "a set is its values");

void lk_gains_init(struct lk_gains *gains, const struct lk_washout_set *set)
{
    *gains = (struct lk_gains){0};
    memcpy(gains->wanted, set, sizeof(*set));
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        gains->glide[i].y = gains->wanted[i];
}

static const struct lk_gain_field *field_of(int index)
{
    const struct lk_gain_field *field = lk_gain_fields;

    while (index >= field->first + field->size)
        field++;
    return field;
}

void lk_gains_want(struct lk_gains *gains, int index, double value)
{
    const struct lk_gain_field *field = field_of(index);
    double wanted = fmin(fmax(value, field->least), field->high);

    if (!isfinite(value) || wanted == gains->wanted[index])
        return;
    gains->wanted[index] = wanted;
    gains->moved = true;
}

void lk_gains_step(struct lk_gains *gains, double h, struct lk_washout_set *ret_set)
{
    double value[LK_WASHOUT_VALUES];

    gains->taken = gains->moved;
    gains->moved = false;
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        value[i] = lk_section_follow(&gains->glide[i], GLIDE, 1, h, gains->wanted[i]);
    memcpy(ret_set, value, sizeof(value));
}

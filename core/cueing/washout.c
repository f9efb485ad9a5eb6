/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/washout.h"
#include "cueing/attitude.h"
#include <stddef.h>
#include <string.h>

const char *const lk_washout_names[] = {"delft", "reid-nahon", "tripod", NULL};

/* Parameter sets, in the order of lk_washout_names. The rotation of `reid-nahon` has the
 * denominator s^2 + 1.14 s + 0.1224 = (s + 1.02)(s + 0.12). */
static const struct lk_washout_set sets[] = {
    {
        .force_scale = {0.6, 0.6, 0.5},
        .rate_scale = {0.6, 0.6, 0.6},
        .frequency = {0.8, 1, 1},
        .damping = {1, 1, 1},
        .leak = {0, 0, 0.2},
        .tilt_frequency = 2,
        .tilt_damping = 1,
        .tilt_rate = 0.05235987755982988, /* 3 deg/s */
        .turn_frequency = {1, 0.8, 1},
        .turn_damping = {1, 1, 1},
    },
    {
        .force_scale = {1, 1, 1},
        .rate_scale = {1, 1, 1},
        .frequency = {3.1, 3.1, 3.1},
        .damping = {1.4, 1.4, 1.4},
        .leak = {0.2, 0.2, 0.2},
        .tilt_frequency = 3.1,
        .tilt_damping = 1.4,
        .turn_frequency = {0.3498571136907180, 0.3498571136907180, 0.3498571136907180},
        .turn_damping = {1.629236676, 1.629236676, 1.629236676},
    },
    {
        .force_scale = {1, 1, 1},
        .rate_scale = {1, 1, 1},
        .frequency = {2.5, 2.5, 2.5},
        .damping = {1, 1, 1},
        .tilt_frequency = 5,
        .tilt_damping = 1,
        .turn_frequency = {2.5, 2.5, 2.5},
        .turn_damping = {1, 1, 1},
    },
};

struct lk_washout_set lk_washout_named(int index)
{
    struct lk_washout_set set = sets[index];

    set.force_limit = 10;
    set.rate_limit = 2;
    set.tilt_limit = 0.35;
    set.coupled = 1;
    return set;
}

void lk_washout_init(struct lk_washout *washout, const struct lk_washout_set *set, double h)
{
    *washout = (struct lk_washout){.set = *set, .h = h};
}

static double clip(double x, double limit)
{
    return fmin(fmax(x, -limit), limit);
}

static void scale_sensor(const struct lk_washout_set *set, const double sensor[6],
                         struct lk_washout_state *state)
{
    for (int i = 0; i < 6; i++)
        if (!isfinite(sensor[i]))
            return;
    for (int i = 0; i < 3; i++) {
        double gravity = i == 2 ? LK_CUEING_GRAVITY : 0;

        state->force[i] = clip(set->force_scale[i] * (sensor[i] - gravity), set->force_limit);
        state->rate[i] = clip(set->rate_scale[i] * sensor[3 + i], set->rate_limit);
    }
}

/* Return the angle whose sine is @x, which is well below 1. */
static double arc_sine(double x)
{
    return lk_atan(x / lk_root(1 - x * x));
}

/* Return the change of an angle in a step of @h. The acceleration relative to the previous rate
 * @rate is at most @limit [rad/s^2], and the motion can be braked within the remaining angle @left,
 * according to the law of leg_guard.h. */
static double braked(double left, double rate, double limit, double h)
{
    double ah = limit * h, most = lk_root(ah * ah + 2 * limit * fabs(left)) - ah;
    double wanted = left < 0 ? -most : most;

    return fmin(fmax(wanted, rate - ah), rate + ah) * h;
}

/* Compute the roll (axis 0) or pitch (axis 1) angle at which gravity imitates a sustained lateral
 * or longitudinal force. */
static void step_tilt(const struct lk_washout *washout, struct lk_washout_state *state, int axis)
{
    const struct lk_washout_set *set = &washout->set;
    double f = axis == 0 ? state->force[1] : -state->force[0], sine, cosine, aim, move;

    lk_sin_cos(set->tilt_limit, &sine, &cosine);
    f = lk_section_follow(&state->low[axis], set->tilt_frequency, set->tilt_damping, washout->h, f);
    aim = arc_sine(clip(f / LK_CUEING_GRAVITY, sine));
    move = aim - state->tilt[axis];
    if (set->tilt_rate > 0)
        move = clip(move, set->tilt_rate * washout->h);
    if (set->tilt_acceleration > 0) {
        double left = aim - state->tilt[axis], h = washout->h, a = set->tilt_acceleration;

        move = braked(left, state->tilting[axis], a, h);
        if (set->tilt_rate > 0) /* an operator may have lowered tilt_rate */
            move = clip(move, fmax(set->tilt_rate, fabs(state->tilting[axis]) - a * h) * h);
    }
    state->tilt[axis] += move;
    state->tilting[axis] = move / washout->h;
}

static void step_attitude(const struct lk_washout *washout, struct lk_washout_state *state)
{
    const struct lk_washout_set *set = &washout->set;
    double rate[3];

    lk_attitude_rates(state->angle, state->rate, rate);
    for (int i = 0; i < 3; i++) {
        lk_section_step(&state->turn[i], set->turn_frequency[i], set->turn_damping[i], washout->h,
                        rate[i]);
        state->turned[i] = state->turn[i].rate;
    }
    step_tilt(washout, state, 0);
    step_tilt(washout, state, 1);
    for (int i = 0; i < 3; i++)
        state->angle[i] = state->turned[i] + (i < 2 ? state->tilt[i] : 0);
}

static void step_travel(const struct lk_washout *washout, struct lk_washout_state *state,
                        const double R[9])
{
    const struct lk_washout_set *set = &washout->set;
    double f[3] = {state->force[0], state->force[1], state->force[2] + LK_CUEING_GRAVITY}, a[3];

    lk_rotate(R, f, a);
    for (int i = 0; i < 3; i++)
        a[i] = f[i] + set->coupled * (a[i] - f[i]);
    a[2] -= LK_CUEING_GRAVITY;
    for (int i = 0; i < 3; i++) {
        a[i] = lk_leak_step(&state->leak[i], set->leak[i], washout->h, a[i]);
        lk_section_step(&state->travel[i], set->frequency[i], set->damping[i], washout->h, a[i]);
        state->travel_by[i] = state->travel[i].y;
    }
}

void lk_washout_step(const struct lk_washout *washout, struct lk_washout_state *state,
                     const double sensor[6], double ret_pose[6])
{
    const double *head = washout->set.head;
    double R[9], turned_head[3];

    scale_sensor(&washout->set, sensor, state);
    step_attitude(washout, state);
    lk_attitude_matrix(state->angle, R);
    step_travel(washout, state, R);
    lk_rotate(R, head, turned_head);
    for (int i = 0; i < 3; i++) {
        ret_pose[i] = state->travel_by[i] + head[i] - turned_head[i];
        ret_pose[3 + i] = state->angle[i];
    }
}

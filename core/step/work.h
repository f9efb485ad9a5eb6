/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch of a step: groups of four bodies, and the cost of phases that workers share. */
#ifndef LK_STEP_WORK_H
#define LK_STEP_WORK_H

#include "maths/hot.h"

/** struct lk_quad - four bodies in one vector; lanes beyond the last body repeat the last body.
 * @mass, @inertia:   constants, see struct lk_body
 * @start_a:  weight of the last acceleration in the predictor: 0 for light bodies, else 1
 * @massless: 1 if there is no inertia at all, else 0; both for translation and rotation
 * @thin:     unit vector of the axis without inertia of a thin body, else 0
 * @x_old .. @a_old:  the state at the start of the step, a_old with the input jump
 * @u, @turn, @theta: motion within the step: x - x_old [m] world, q_old^-1 q, log(R_old^T R)
 *                    [rad] */
struct lk_quad {
    lk_four mass;
    lk_four inertia[6];
    lk_four start_a[2];
    lk_four massless[2];
    lk_four thin[3];
    lk_four x_old[3];
    lk_four q_old[4];
    lk_four v_old[6];
    lk_four a_old[6];
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
};

#define LK_PHASES_MAX 64

/** struct lk_phase_cost - a phase that workers share. @work_ns: time with one worker;  @largest_ns:
 * largest indivisible piece */
struct lk_phase_cost {
    double work_ns;
    double largest_ns;
};

/** struct lk_step_cost - cost of a step on a pool. @serial_ns: time of the serial part;  @n_phases:
 * 0 for a serial step */
struct lk_step_cost {
    double serial_ns;
    int n_phases;
    struct lk_phase_cost phase[LK_PHASES_MAX];
};

#endif

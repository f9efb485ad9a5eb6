/* SPDX-License-Identifier: Apache-2.0 */
/* Small motions of a compiled model about its start: x' = A x + B u, y = C x + D u, and its
 * modes.
 *
 * The state x contains two numbers for each of the f degrees of freedom: the deviation of a free
 * coordinate (see struct lk_mobility) from its value at the start, and its rate. Let N be the
 * motion of all bodies for a unit of each coordinate, and M the mass matrix. Then
 *
 *     x = (z, z'),   dq = N z,   z'' = (N^T M N)^-1 N^T M a(q + dq, v + dv, u + du)
 *
 * Nonholonomic rows (skates, rolling wheels) leave more poses within reach than velocities: m > f
 * coordinates z, of which the first f have rates r of their own. With N_q and N_v, the motions
 * between poses and those that velocities can have,
 *
 *     x = (z, r),   dq = N_q z,   dv = S z + N_v r,   z' = A_11 z + A_12 r
 *
 * where S are the velocities that the rows impose beside the start; for a wheel that rolls, a turn
 * about the vertical changes the direction of its velocity. So a bicycle is linearised about steady
 * rolling straight ahead (J. P. Meijaard and others, Linearized dynamics equations for the balance
 * and steer of a bicycle, 2007, eq. (5.3)).
 *
 * where a are the accelerations that the engine computes for bodies moved by dq, with all forces
 * (A. A. Shabana, Dynamics of Multibody Systems, 2020, chapter 5, for the projection): A, B, C and
 * D are central differences of these and of the output channels. Rotations are in world axes, not
 * in axes of the spinning bodies, so the matrices are constant in time if spinning bodies are
 * symmetric about their axes.
 *
 * In x, the states of blocks come after the states of coordinates. Friction with a bristle state
 * and carcasses of tyres at standstill are linearised as springs. Drives do not move. Transmission
 * lines and delays transmit no deviation.
 *
 * Allocates, uses LAPACK: part of liblinkage-analysis, not of liblinkage.
 * Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_MODES_H
#define LINKAGE_MODES_H

#include "linkage/analysis.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_linear - small motions about the start of a system; matrices row by row, SI
 * units.
 * @n_motions:  m, free coordinates, without rotations of bodies without inertia (point masses)
 *              that affect no rate, even if they affect outputs
 * @n_rates:    f, degrees of freedom: the first f coordinates have rates of their own. f = m
 * without nonholonomic rows
 * @n_states:   m coordinates, f rates, then the states of blocks
 * @block:      for each state of a block, the name of its block in the system
 * @coordinate: the free coordinates
 * @A: n_states x n_states;  @B: n_states x n_inputs;  @C: n_outputs x n_states;  @D: n_outputs x
 *              n_inputs
 * @motion:     m x 6 n_bodies, N_q: shift of each centre of mass [m] and turn of each body [rad],
 *              world axes, for a unit of a coordinate;  @momentum: M N_q;  @mass: m x m,
 *              N_q^T M N_q
 * @n_bends:    modal coordinates of all bodies with modes;  @bend_body: the body of each
 * @bend:       m x n_bends, as @motion;  @bend_momentum: as @momentum
 * @unrest:     largest rate of change of a coordinate's rate at the start [1/s^2, SI]; 0 in
 *              equilibrium, otherwise the matrices are valid only at that instant */
struct lk_linear {
    int n_motions;
    int n_rates;
    int n_states;
    int n_inputs;
    int n_outputs;
    int n_bodies;
    const char **block;
    struct lk_free_coordinate *coordinate;
    double *A;
    double *B;
    double *C;
    double *D;
    double *motion;
    double *momentum;
    double *mass;
    int n_bends;
    int *bend_body;
    double *bend;
    double *bend_momentum;
    double unrest;
};

/** lk_linear_init() - linearise @system about its present state, which must be its start.
 * Afterwards the system is in the state of lk_system_reset().
 * @at_rest: linearise with zero velocities instead of those of the model
 * Return: 0; LK_E_MODEL (@ret_error gives the reason: too many degrees of freedom, a motion without
 *         mass, rolling tyres), -ENOMEM, -EINVAL (not finite, or planar reduction removed rows, see
 *         struct lk_options.all_rows). Release with lk_linear_fini(). */
int lk_linear_init(struct lk_system *system, bool at_rest, struct lk_linear *ret_linear,
                   struct lk_error *ret_error);

/** struct lk_linear_options - how to linearise; all 0 or NULL: as lk_linear_init().
 * @at_rest: see lk_linear_init()
 * @nudge:   the distance to the states of the central differences is this times the default, unless
 *           0. What depends on it is an error of the differences
 * @turning: name of a body: linearise about the steady rotation of the whole mechanism with the
 *           angular velocity w that this body has at the start, about its axis. Motions, momenta,
 *           A, B and C are in axes that turn with it, in which A is constant: with the deviation d
 *           of a place, d' = v - w x d. A place where all rest in these axes is sought from the
 *           start by Newton's method */
struct lk_linear_options {
    bool at_rest;
    double nudge;
    const char *turning;
};

/** lk_linear_init_with() - lk_linear_init() with options.
 * Return: as lk_linear_init(); LK_E_MODEL also if there is no such body, it does not turn, another
 *         body cannot turn with it, or a load or joint does not. */
int lk_linear_init_with(struct lk_system *system, const struct lk_linear_options *options,
                        struct lk_linear *ret_linear, struct lk_error *ret_error);
void lk_linear_fini(struct lk_linear *linear);

/** struct lk_mode - an eigenvalue of A, re + i im [1/s], with its motion. Of a conjugate
 * pair, the eigenvalue with im > 0.
 * @frequency: of the undamped motion, |re + i im| / 2 pi [Hz]
 * @damping:   damping ratio, -re / |re + i im|; from 1 on the mode does not oscillate
 * @shape:     2 n_motions numbers: real and imaginary part of each coordinate, scaled so that
 *             the largest motion of a body is real and 1 [m or rad] */
struct lk_mode {
    double re;
    double im;
    double frequency;
    double damping;
    double *shape;
};

/** lk_modes_find() - compute all modes, in the order of increasing frequency (LAPACK dgeevx, with
 * balancing unless an eigenpair fails its check). A coordinate without stiffness and damping has
 * two eigenvalues at zero, up to the square root of round-off. For every eigenpair, |A v - w v|
 * must be at most 1e-10 of (|A| + |w|) |v|.
 * @ret_modes: one array of at most n_states; release it and its shapes with lk_modes_free()
 * Return: number of modes, -ENOMEM, -EINVAL (did not converge), -EDOM (a pair fails its check). */
int lk_modes_find(const struct lk_linear *linear, struct lk_mode **ret_modes);
void lk_modes_free(struct lk_mode *modes, int n_modes);

#ifdef __cplusplus
}
#endif
#endif

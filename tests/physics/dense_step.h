/* SPDX-License-Identifier: Apache-2.0 */
/* One step of the formulations ali3 and rattle with full matrices, directly from the formulas at
 * the top of core/step/scripts/ali3.c and core/step/scripts/rattle.c: an independent reference for
 * the elimination tree, the packed Jacobians and the code in four lanes.
 *
 * Constants and the state at the start of the step are read from a compiled system. Phi, Phi_q,
 * gamma and coordinates are those of the joint types, and forces of compliant rows those of their
 * laws; both have tests of their own. All other parts, from rotations to drives and loads, are
 * implemented again. */
#ifndef TESTS_PHYSICS_DENSE_STEP_H
#define TESTS_PHYSICS_DENSE_STEP_H

#include "step/system.h"

/** struct dense - the matrices of a system, and the state after the last dense_step().
 * @n, @m:  number of columns, six for each body; number of rows
 * @wide:   number of columns including those of the ground and of moving frames, whose motion is
 *          known
 * @J:      Phi_q, m x wide, row-major
 * @E:      diagonal; for rows with a nonlinear law it changes from step to step
 * @A:      E + s Phi_q W Phi_q^T, m x m, or its Cholesky factor
 * @frozen: Phi_q at the last factorisation
 * @M, @W:  mass matrix and its inverse: n x n, block diagonal; the 6 x 6 blocks
 * @x, @q, @v, @a, @lambda: the state; v and a have six numbers for each body (or frame), three in
 *          world axes, then three in body axes
 * @noise:  random perturbation of the initial poses and of violations in dense_step(), to measure
 *          the effect of round-off [m, rad]; normally 0 */
struct dense {
    const struct lk_system *sys;
    int n;
    int m;
    int wide;
    double *J;
    double *E;
    double *A;
    double *frozen;
    double (*M)[36];
    double (*W)[36];
    double *x;
    double *q;
    double *v;
    double *a;
    double *lambda;
    double noise;
    uint64_t dice;

    /* used within a step */
    double *u;
    double (*turn)[4];
    double *theta;
    double *x_old;
    double *q_old;
    double *v_old;
    double *a_old;
    double *g;
    double *dq;
    double *phi;
    double *rhs;
    int *stops_act;
    struct lk_stop *stop; /* one stop for each law */
    double (*drive)[3];   /* value and two derivatives */
    struct lk_pose *pose;
    struct lk_twist *twist;
};

/** dense_new() - Allocate matrices for @sys. Abort if memory is exhausted. */
struct dense *dense_new(const struct lk_system *sys);
void dense_free(struct dense *d);

/** dense_step(), dense_rattle_step() - Make the step that lk_system_step() would make from the
 * present state; @sys is only read. dense_rattle_step() does not support hard stops.
 * Return: 0; LK_E_TURN like lk_system_step(); or DENSE_INDEFINITE, which must not happen. */
#define DENSE_INDEFINITE (-1)
int dense_step(struct dense *d, const double *inputs);
int dense_rattle_step(struct dense *d, const double *inputs);

/** dense_transpose() - Compute Phi_q^T @lambda at the pose of the last evaluation.
 * @ret: n numbers */
void dense_transpose(const struct dense *d, const double *lambda, double *ret);

#endif

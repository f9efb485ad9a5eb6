/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the steps with full matrices: rotations with textbook formulas, matrices, and the
 * mechanism at a pose. Vectors of bodies have six numbers each, three in world axes, then three in
 * body axes. */
#ifndef TESTS_PHYSICS_DENSE_PARTS_H
#define TESTS_PHYSICS_DENSE_PARTS_H

#include "dense_step.h"

/** dense_zeros() - Allocate @n values of @size, all 0. Abort if memory is exhausted. */
void *dense_zeros(int n, size_t size);
/** dense_jitter() - Return a random number, uniform on +- dense.noise. */
double dense_jitter(struct dense *d);

void dense_cross(const double a[3], const double b[3], double r[3]);
void dense_quat_product(const double a[4], const double b[4], double r[4]);
void dense_quat_exp(const double theta[3], double q[4]);
void dense_quat_log(const double q[4], double theta[3]);

/** dense_block_product() - Compute y = B x with a block diagonal matrix B: dense.M or dense.W. */
void dense_block_product(const struct dense *d, double (*B)[36], const double *x, double *y);
/** dense_product() - Compute y = J x.
 * @columns: dense.n, or dense.wide to include the motion of frames */
void dense_product(const struct dense *d, const double *J, int columns, const double *x, double *y);
/** dense_transpose_product() - Compute y = J^T x for the bodies. */
void dense_transpose_product(const struct dense *d, const double *J, const double *x, double *y);
/** dense_factor() - Factorise the matrix at the present Jacobian, and copy this Jacobian to
 * dense.frozen.
 * Return: 0, DENSE_INDEFINITE */
int dense_factor(struct dense *d);

/** dense_set_drives() - Evaluate all drives. @steps: 1: at the end of the step, 0: at its start */
void dense_set_drives(struct dense *d, const double *inputs, int steps);
/** dense_set_frames() - Compute the poses of moving frames, and their columns of @v and @a. */
void dense_set_frames(struct dense *d, double *v, double *a);
void dense_set_poses(struct dense *d, const double *x, const double *q);
void dense_set_twists(struct dense *d, const double *v);
void dense_set_jacobian(struct dense *d);

/** dense_violation() - Compute Phi of the rows of @j at the present poses. The values of angles are
 * those nearest to the trapezoidal rule. */
void dense_violation(const struct dense *d, const struct lk_joint *j, double phi[LK_ROWS_MAX]);
/** dense_velocity_violation() - Compute dPhi/dt of rigid rows at dense.v into dense.rhs; compliant
 * rows: 0. */
void dense_velocity_violation(struct dense *d);
/** dense_acceleration_violation() - Compute Phi_q a + d2Phi/dt2 of rigid rows into dense.rhs;
 * compliant rows: 0.
 * @a: dense.wide numbers */
void dense_acceleration_violation(struct dense *d, const double *a);
/** dense_loads() - Compute the load vector Q of gravity, of loads at time @t [s] and of @inputs, at
 * the present poses. */
void dense_loads(const struct dense *d, double t, const double *inputs, double *Q);
/** dense_add_gyroscopic() - Add w x J w to @g at the velocities dense.v. */
void dense_add_gyroscopic(const struct dense *d, double *g);

#endif

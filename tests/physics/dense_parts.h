/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that both steps with full matrices are made of: rotations by the textbook, matrices, and
 * the mechanism at a pose. Vectors of bodies have six numbers each, world then body axes. */
#ifndef TESTS_PHYSICS_DENSE_PARTS_H
#define TESTS_PHYSICS_DENSE_PARTS_H

#include "dense_step.h"

/** dense_zeros() - @n values of @size. Aborts if memory is exhausted. */
void *dense_zeros(int n, size_t size);
/** dense_jitter() - uniform on +- dense.noise, another value at each call. */
double dense_jitter(struct dense *d);

void dense_cross(const double a[3], const double b[3], double r[3]);
void dense_quat_product(const double a[4], const double b[4], double r[4]);
void dense_quat_exp(const double theta[3], double q[4]);
void dense_quat_log(const double q[4], double theta[3]);

/** dense_block_product() - y = B x, B block diagonal: dense.M or dense.W. */
void dense_block_product(const struct dense *d, double (*B)[36], const double *x, double *y);
/** dense_product() - y = J x. @columns: n, or wide with the motion of frames */
void dense_product(const struct dense *d, const double *J, int columns, const double *x, double *y);
/** dense_transpose_product() - y = J^T x, of the bodies. */
void dense_transpose_product(const struct dense *d, const double *J, const double *x, double *y);
/** dense_factor() - at the present Jacobian, of which dense.frozen becomes a copy. Return: 0,
 * DENSE_INDEFINITE. */
int dense_factor(struct dense *d);

/** dense_set_drives() - @steps: 1: at the end of the step, 0: at its start */
void dense_set_drives(struct dense *d, const double *inputs, int steps);
/** dense_set_frames() - poses of moving frames, and their columns of @v and @a. */
void dense_set_frames(struct dense *d, double *v, double *a);
void dense_set_poses(struct dense *d, const double *x, const double *q);
void dense_set_twists(struct dense *d, const double *v);
void dense_set_jacobian(struct dense *d);

/** dense_violation() - Phi of the rows of @j at the present poses; angles near the trapezoidal
 * rule's. */
void dense_violation(const struct dense *d, const struct lk_joint *j, double phi[LK_ROWS_MAX]);
/** dense_velocity_violation() - dPhi/dt of rigid rows at dense.v into dense.rhs; compliant ones: 0
 */
void dense_velocity_violation(struct dense *d);
/** dense_acceleration_violation() - Phi_q a + d2Phi/dt2 likewise. @a: wide */
void dense_acceleration_violation(struct dense *d, const double *a);
/** dense_loads() - Q of gravity, loads at time @t [s] and @inputs at the present poses. */
void dense_loads(const struct dense *d, double t, const double *inputs, double *Q);
/** dense_add_gyroscopic() - @g += w x J w, at dense.v. */
void dense_add_gyroscopic(const struct dense *d, double *g);

#endif

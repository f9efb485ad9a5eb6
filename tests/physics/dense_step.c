/* SPDX-License-Identifier: Apache-2.0 */
/* The step with full matrices. Numbers in brackets are sections of the design that
 * core/step/scripts/ali3.c summarises: predictor and trapezoidal rule (2.1), Newton iterations
 * (2.2), leak (2.4), projections (2.5). */
#include "dense_step.h"
#include "dense_parts.h"
#include "step/elements/loads.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *dense_zeros(int n, size_t size)
{
    void *ret = calloc((size_t)n + 1, size);

    if (!ret)
        abort();
    return ret;
}

/* Compute the mass matrix diag(m I, J) of a body and its inverse. For a body without mass, the
 * inverse is that of the system [2.9]. */
static void mass_matrix(const struct lk_system *sys, int b, double M[36], double W[36])
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const struct lk_body *body = &sys->body[b];

    for (int i = 0; i < 3; i++) {
        M[7 * i] = body->mass;
        for (int k = 0; k < 3; k++)
            M[6 * (3 + i) + 3 + k] = body->inertia[at[3 * i + k]];
    }
    memcpy(W, M, 36 * sizeof(double));
    if (body->mass == 0) {
        for (int i = 0; i < 3; i++) {
            W[7 * i] = sys->W[b].mass;
            for (int k = 0; k < 3; k++)
                W[6 * (3 + i) + 3 + k] = sys->W[b].inertia[at[3 * i + k]];
        }
        return;
    }
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', 6, W, 6) != 0 ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', 6, W, 6) != 0)
        abort();
    for (int i = 0; i < 6; i++)
        for (int k = i + 1; k < 6; k++)
            W[6 * i + k] = W[6 * k + i];
}

/* Return a random number, uniform on +- noise (Knuth's generator). */
double dense_jitter(struct dense *d)
{
    d->dice = d->dice * 6364136223846793005u + 1442695040888963407u;
    return d->noise * ((double)(d->dice >> 11) * 0x1p-52 - 1);
}

struct dense *dense_new(const struct lk_system *sys)
{
    struct dense *d = dense_zeros(1, sizeof(*d));
    int bodies = sys->n_bodies, all = bodies + 1 + sys->n_frames, m = sys->n_rows;

    *d = (struct dense){.sys = sys, .n = 6 * bodies, .m = m, .wide = 6 * all};
    d->J = dense_zeros(m * d->wide, sizeof(double));
    d->E = dense_zeros(m, sizeof(double));
    d->frozen = dense_zeros(m * d->wide, sizeof(double));
    d->A = dense_zeros(m * m, sizeof(double));
    d->M = dense_zeros(bodies, sizeof(*d->M));
    d->W = dense_zeros(bodies, sizeof(*d->W));
    d->x = dense_zeros(3 * bodies, sizeof(double));
    d->q = dense_zeros(4 * bodies, sizeof(double));
    d->v = dense_zeros(d->wide, sizeof(double));
    d->a = dense_zeros(d->wide, sizeof(double));
    d->lambda = dense_zeros(m, sizeof(double));
    d->u = dense_zeros(3 * bodies, sizeof(double));
    d->turn = dense_zeros(bodies, sizeof(*d->turn));
    d->theta = dense_zeros(3 * bodies, sizeof(double));
    d->x_old = dense_zeros(3 * bodies, sizeof(double));
    d->q_old = dense_zeros(4 * bodies, sizeof(double));
    d->v_old = dense_zeros(d->wide, sizeof(double));
    d->a_old = dense_zeros(d->wide, sizeof(double));
    d->g = dense_zeros(d->n, sizeof(double));
    d->dq = dense_zeros(d->n, sizeof(double));
    d->phi = dense_zeros(m, sizeof(double));
    d->rhs = dense_zeros(m, sizeof(double));
    d->stops_act = dense_zeros(sys->n_laws, sizeof(int));
    d->stop = dense_zeros(sys->n_laws, sizeof(*d->stop));
    d->drive = dense_zeros(sys->n_drives, sizeof(*d->drive));
    d->pose = dense_zeros(all, sizeof(*d->pose));
    d->twist = dense_zeros(all, sizeof(*d->twist));
    d->pose[bodies] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int b = 0; b < bodies; b++)
        mass_matrix(sys, b, d->M[b], d->W[b]);
    return d;
}

void dense_free(struct dense *d)
{
    void *all[] = {d->J,     d->E,         d->frozen, d->A,      d->M,    d->W,    d->x,
                   d->q,     d->v,         d->a,      d->lambda, d->u,    d->turn, d->theta,
                   d->x_old, d->q_old,     d->v_old,  d->a_old,  d->g,    d->dq,   d->phi,
                   d->rhs,   d->stops_act, d->stop,   d->drive,  d->pose, d->twist};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
    free(d);
}

/* ---- rotations with textbook formulas ---- */

void dense_quat_product(const double a[4], const double b[4], double r[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    for (int i = 1, j = 2, k = 3; i <= 3; i++, j = j % 3 + 1, k = k % 3 + 1)
        r[i] = a[0] * b[i] + b[0] * a[i] + a[j] * b[k] - a[k] * b[j];
}

void dense_quat_exp(const double theta[3], double q[4])
{
    double angle = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    double scale = angle > 0 ? sin(0.5 * angle) / angle : 0.5;

    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        q[i + 1] = scale * theta[i];
}

void dense_quat_log(const double q[4], double theta[3])
{
    double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = sine > 0 ? 2 * atan2(sine, q[0]) / sine : 2;

    for (int i = 0; i < 3; i++)
        theta[i] = scale * q[i + 1];
}

/* column k of R is q e_k q* */
static void quat_to_matrix(const double q[4], double R[9])
{
    double back[4] = {q[0], -q[1], -q[2], -q[3]};

    for (int k = 0; k < 3; k++) {
        double e[4] = {0}, half[4], turned[4];

        e[k + 1] = 1;
        dense_quat_product(q, e, half);
        dense_quat_product(half, back, turned);
        for (int i = 0; i < 3; i++)
            R[3 * i + k] = turned[i + 1];
    }
}

/* ---- matrices ---- */

/* y = B x with a block diagonal matrix B */
void dense_block_product(const struct dense *d, double (*B)[36], const double *x, double *y)
{
    for (int i = 0; i < d->n; i++) {
        const double *row = B[i / 6] + 6 * (i % 6);

        y[i] = 0;
        for (int k = 0; k < 6; k++)
            y[i] += row[k] * x[i / 6 * 6 + k];
    }
}

/* y = J x
 * @columns: n, or wide to include the motion of frames */
void dense_product(const struct dense *d, const double *J, int columns, const double *x, double *y)
{
    for (int r = 0; r < d->m; r++) {
        y[r] = 0;
        for (int i = 0; i < columns; i++)
            y[r] += J[r * d->wide + i] * x[i];
    }
}

/* y = J^T x for the bodies only; the force on the ground is not needed */
void dense_transpose_product(const struct dense *d, const double *J, const double *x, double *y)
{
    memset(y, 0, (size_t)d->n * sizeof(double));
    for (int r = 0; r < d->m; r++)
        for (int i = 0; i < d->n; i++)
            y[i] += J[r * d->wide + i] * x[r];
}

void dense_transpose(const struct dense *d, const double *lambda, double *ret)
{
    dense_transpose_product(d, d->J, lambda, ret);
}

/* Compute the lower half of A = E + s Phi_q W Phi_q^T. Zeros of a row are skipped: otherwise two
 * hundred bodies would need a minute. */
static void form_matrix(struct dense *d)
{
    const struct lk_system *sys = d->sys;
    double *JW = dense_zeros(d->n, sizeof(double));
    int *at = dense_zeros(d->n, sizeof(int));

    for (int r = 0; r < d->m; r++) {
        int n_at = 0;

        dense_block_product(d, d->W, d->J + r * d->wide, JW);
        for (int i = 0; i < d->n; i++)
            if (JW[i] != 0)
                at[n_at++] = i;
        for (int c = 0; c <= r; c++) {
            double sum = 0;

            for (int k = 0; k < n_at; k++)
                sum += JW[at[k]] * d->J[c * d->wide + at[k]];
            d->A[r * d->m + c] = sys->s * sum + (r == c ? d->E[r] : 0);
        }
    }
    free(JW);
    free(at);
}

/* Factorise at the present Jacobian, and store this Jacobian. */
int dense_factor(struct dense *d)
{
    if (d->m == 0)
        return 0;
    form_matrix(d);
    memcpy(d->frozen, d->J, (size_t)(d->m * d->wide) * sizeof(double));
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', d->m, d->A, d->m) == 0 ? 0 : DENSE_INDEFINITE;
}

/* rhs := A^-1 rhs;  dq := s W Phi_q^T rhs */
static void solve(struct dense *d)
{
    if (d->m > 0)
        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', d->m, 1, d->A, d->m, d->rhs, 1);
    dense_transpose_product(d, d->frozen, d->rhs, d->g);
    dense_block_product(d, d->W, d->g, d->dq);
    for (int i = 0; i < d->n; i++)
        d->dq[i] *= d->sys->s;
}

void dense_cross(const double a[3], const double b[3], double r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* ---- drives [drives.h] ---- */

/* Evaluate the uniform cubic B-spline with four control points at @u between the two inner ones,
 * with de Boor's algorithm. Its derivatives are splines of the differences. */
static void follow(const double p[4], double u, double period, double ret[3])
{
    double a = ((1 - u) * p[0] + (2 + u) * p[1]) / 3, b = ((2 - u) * p[1] + (1 + u) * p[2]) / 3,
           c = ((3 - u) * p[2] + u * p[3]) / 3;
    double d0 = p[1] - p[0], d1 = p[2] - p[1], d2 = p[3] - p[2];

    ret[0] = ((1 - u) * ((1 - u) * a + (1 + u) * b) + u * ((2 - u) * b + u * c)) / 2;
    ret[1] = ((1 - u) * ((1 - u) * d0 + (1 + u) * d1) + u * ((2 - u) * d1 + u * d2)) / (2 * period);
    ret[2] = ((1 - u) * (d1 - d0) + u * (d2 - d1)) / (period * period);
}

/* Evaluate the cubic with given values and curvatures at both ends of an interval. The table is
 * constant beyond its ends. */
static void look_up(const struct lk_drive *drive, double t, double ret[3])
{
    const double *x = drive->x, *y = drive->y, *c = drive->curvature;
    int last = drive->n_points - 1, i = 0;
    double w, z;

    ret[0] = t < x[0] ? y[0] : y[last];
    ret[1] = ret[2] = 0;
    if (t < x[0] || t > x[last])
        return;
    while (i < last - 1 && t >= x[i + 1])
        i++;
    w = x[i + 1] - x[i];
    z = t - x[i];
    ret[1] = (y[i + 1] - y[i]) / w - w * (2 * c[i] + c[i + 1]) / 6;
    ret[2] = c[i] + (c[i + 1] - c[i]) * z / w;
    ret[0] = y[i] + ret[1] * z + c[i] * z * z / 2 + (c[i + 1] - c[i]) * z * z * z / (6 * w);
    ret[1] += c[i] * z + (c[i + 1] - c[i]) * z * z / (2 * w);
}

/* Evaluate all drives. @steps: 1: at the end of the step, 0: at its start */
void dense_set_drives(struct dense *d, const double *inputs, int steps)
{
    const struct lk_system *sys = d->sys;
    double t = (sys->now.balance->steps + steps) * sys->h;

    for (int i = 0; i < sys->n_drives; i++) {
        const struct lk_drive *drive = &sys->drive[i];
        struct lk_drive_samples s = sys->now.samples[i];
        double *ret = d->drive[i], angle = drive->omega * t + drive->phase;

        if (steps > 0 && drive->type == LK_DRIVE_INPUT && s.done >= drive->n) {
            memmove(s.point, s.point + 1, 3 * sizeof(double));
            s.point[3] = inputs[drive->offset];
            s.done = 0;
        }
        if (drive->type == LK_DRIVE_INPUT) {
            follow(s.point, (s.done + steps) / drive->n, drive->n * sys->h, ret);
        } else if (drive->type == LK_DRIVE_TABLE) {
            look_up(drive, t, ret);
        } else if (drive->type == LK_DRIVE_RAMP) {
            ret[0] = drive->shift + drive->slope * t;
            ret[1] = drive->slope;
            ret[2] = 0;
        } else {
            ret[0] = drive->shift + drive->amplitude * sin(angle);
            ret[1] = drive->amplitude * drive->omega * cos(angle);
            ret[2] = -drive->amplitude * drive->omega * drive->omega * sin(angle);
        }
    }
}

/* R = Rz(yaw) Ry(pitch) Rx(roll). Compute w = yaw' ez + pitch' Rz ey + roll' Rz Ry ex and its
 * derivative in world axes, then convert them to the frame.
 * @angle: roll, pitch and yaw with their derivatives */
static void turn_frame(double angle[3][3], double R[9], double w[3], double al[3])
{
    double sp = sin(angle[1][0]), cp = cos(angle[1][0]), sy = sin(angle[2][0]),
           cy = cos(angle[2][0]);
    double axis[3][3] = {{cy * cp, sy * cp, -sp}, {-sy, cy, 0}, {0, 0, 1}};
    double world[2][3] = {{0}}, q[4] = {1, 0, 0, 0}, once[4], turned[3];

    for (int k = 2; k >= 0; k--) {
        double half[4] = {cos(angle[k][0] / 2), 0, 0, 0};

        half[k + 1] = sin(angle[k][0] / 2);
        dense_quat_product(q, half, once);
        memcpy(q, once, sizeof(q));
        dense_cross(world[0], axis[k], turned);
        for (int i = 0; i < 3; i++) {
            world[1][i] += axis[k][i] * angle[k][2] + turned[i] * angle[k][1];
            world[0][i] += axis[k][i] * angle[k][1];
        }
    }
    quat_to_matrix(q, R);
    for (int i = 0; i < 3; i++) {
        w[i] = al[i] = 0;
        for (int k = 0; k < 3; k++) {
            w[i] += R[3 * k + i] * world[0][k];
            al[i] += R[3 * k + i] * world[1][k];
        }
    }
}

/* Compute poses, velocities and accelerations of frames.
 * @v, @a: numbers of all columns */
void dense_set_frames(struct dense *d, double *v, double *a)
{
    for (int k = 0; k < d->sys->n_frames; k++) {
        const struct lk_moving_frame *f = &d->sys->frame[k];
        int at = d->sys->n_bodies + 1 + k;
        double motion[6][3] = {{0}};

        for (int i = 0; i < 6; i++)
            if (f->drive[i] >= 0)
                memcpy(motion[i], d->drive[f->drive[i]], sizeof(motion[i]));
        for (int i = 0; i < 3; i++) {
            d->pose[at].x[i] = f->origin[i] + motion[i][0];
            v[6 * at + i] = motion[i][1];
            a[6 * at + i] = motion[i][2];
        }
        turn_frame(motion + 3, d->pose[at].R, v + 6 * at + 3, a + 6 * at + 3);
    }
}

/* ---- the mechanism at a pose ---- */

void dense_set_poses(struct dense *d, const double *x, const double *q)
{
    for (int b = 0; b < d->sys->n_bodies; b++) {
        memcpy(d->pose[b].x, x + 3 * b, 3 * sizeof(double));
        quat_to_matrix(q + 4 * b, d->pose[b].R);
    }
}

void dense_set_twists(struct dense *d, const double *v)
{
    memcpy(d->twist, v, (size_t)d->wide * sizeof(double));
}

/* J := Phi_q of all rows, including columns of the ground and of frames */
void dense_set_jacobian(struct dense *d)
{
    memset(d->J, 0, (size_t)(d->m * d->wide) * sizeof(double));
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];
        const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);
        double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
        struct lk_jacobian packed = {values, lk_jacobian_pad(j->n_rows),
                                     lk_joint_is_point(j->type, j->kind)};

        lk_joint_jacobian(j, pose, packed);
        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < j->n_rows; r++)
                lk_jacobian_row(packed, s, r, d->J + (j->row + r) * d->wide + 6 * j->body[s]);
    }
}

/* Return the rate of coordinate @which at the present poses and velocities, and compute its
 * Jacobian @J. */
static double coordinate_rate(const struct dense *d, const struct lk_joint *j, int which,
                              double J[2][6])
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);
    double rate = 0;

    lk_joint_ops(j->type)->coordinate_jacobian(j, pose, which, J);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++)
            rate += J[s][k] * d->twist[j->body[s]].v[k] + J[s][3 + k] * d->twist[j->body[s]].w[k];
    return rate;
}

/* Return coordinate @which; of an angle the value nearest to that of the trapezoidal rule. */
static double coordinate(const struct dense *d, const struct lk_joint *j, int which)
{
    const struct lk_state *old = &d->sys->now;
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);
    int at = j->first_coordinate + which;
    double J[2][6], rate = coordinate_rate(d, j, which, J);
    double expected = old->coordinate[at] + 0.5 * d->sys->h * (old->rate[at] + rate);
    double value = lk_joint_ops(j->type)->coordinate(j, pose, which);

    if (lk_joint_coordinate_is_angle(j->type, which))
        value -= 2 * M_PI * round((value - expected) / (2 * M_PI));
    return value;
}

void dense_violation(const struct dense *d, const struct lk_joint *j, double phi[LK_ROWS_MAX])
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);

    if (!j->of[0])
        lk_joint_violation(j, pose, phi);
    else if (j->of[1])
        phi[0] = coordinate(d, j->of[1], j->which[1]) -
                 j->ratio * coordinate(d, j->of[0], j->which[0]) - j->offset +
                 (j->of[2] ? coordinate(d, j->of[2], j->which[2]) : 0);
    else
        phi[0] = coordinate(d, j->of[0], j->which[0]) -
                 (j->kind == LK_ROWS_DRIVEN ? d->drive[j->drive][0] : j->offset);
}

/* Return (f - lambda) E of a compliant row with the law f(Phi, dPhi/dt) [2.2].
 * @tangent: for laws with a variable tangent, update E and note whether a stop is within reach */
static double law_residual(struct dense *d, int law_at, int row, double phi, int tangent)
{
    const struct lk_law *law = &d->sys->law[law_at];
    struct lk_law_value f;
    double rate = 0;

    for (int i = 0; i < d->wide; i++)
        rate += d->J[row * d->wide + i] * ((const double *)d->twist)[i];
    if (law->is_nonlinear && tangent) {
        struct lk_law here = *law;
        struct lk_law_now now = {.carry = law->now->carry, .stop = d->stop[law_at]};

        now.stop.counts = d->stops_act[law_at];
        here.now = &now;
        lk_law_tangent(&here, d->sys->term, phi, rate, &f);
        d->E[row] = 1 / (f.stiffness + 2 * f.damping / d->sys->h);
        d->E[row] = fmin(d->E[row], LK_DECOUPLED);
    }
    lk_law_evaluate(law, d->sys->term, phi, rate, d->stops_act[law_at], &f);
    return (f.elastic + f.dissipative - d->lambda[row]) * d->E[row];
}

/* Compute the right-hand side that replaces Phi for compliant rows [2.2]. The first iteration
 * evaluates the tangents of laws, and the multipliers of rigid rows leak [2.4]. */
static void set_violation(struct dense *d, int iteration)
{
    const struct lk_system *sys = d->sys;
    int leaking = iteration == 0 || sys->leak_always;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX];

        dense_violation(d, j, phi);
        for (int r = 0; r < j->n_rows; r++) {
            int at = j->row + r;

            if (!lk_is_compliant(j))
                d->phi[at] = phi[r] - (leaking ? d->E[at] * d->lambda[at] : 0);
            else
                d->phi[at] = law_residual(d, j->law + r, at, phi[r], iteration == 0);
        }
    }
    for (int r = 0; r < d->m; r++)
        d->phi[r] += dense_jitter(d);
}

/* Add a force at a point, or a torque, in world or body axes, to Q. */
static void add_load(const struct dense *d, const struct lk_load *l, const double vector[3],
                     double *Q)
{
    const double *R = d->pose[l->body].R;
    double world[3] = {0}, body[3] = {0}, moment[3];

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            world[i] += (l->in_body_frame ? R[3 * i + k] : i == k) * vector[k];
            body[i] += (l->in_body_frame ? i == k : R[3 * k + i]) * vector[k];
        }
    dense_cross(l->point, body, moment);
    for (int i = 0; i < 3; i++) {
        Q[6 * l->body + i] += l->is_torque ? 0 : world[i];
        Q[6 * l->body + 3 + i] += l->is_torque ? body[i] : moment[i];
    }
}

static void add_inputs(const struct dense *d, const double *inputs, double *Q)
{
    for (int i = 0; i < d->sys->n_inputs; i++) {
        const struct lk_input *in = &d->sys->input[i];
        const struct lk_joint *j = &d->sys->joint[in->joint];
        double J[2][6];

        if (in->type == LK_INPUT_DRIVE)
            continue;
        if (in->type == LK_INPUT_BODY_FORCE || in->type == LK_INPUT_BODY_TORQUE) {
            add_load(d, &in->load, inputs + in->offset, Q);
            continue;
        }
        coordinate_rate(d, j, in->which, J);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6 && j->body[s] < d->sys->n_bodies; k++)
                Q[6 * j->body[s] + k] += J[s][k] * inputs[in->offset];
    }
}

/* Return true if direction @i has no inertia, or so little that its acceleration does not predict
 * the next step [2.1, 2.9]. */
static int is_massless(const struct dense *d, int i)
{
    return d->sys->quad[i / 24].massless[i / 3 % 2][i / 6 % 4] != 0;
}

static int is_light(const struct dense *d, int i)
{
    return d->sys->quad[i / 24].start_a[i / 3 % 2][i / 6 % 4] == 0;
}

/* Compute v and a from u and theta with the trapezoidal rule [2.1]. */
static void trapezoidal(struct dense *d)
{
    double h = d->sys->h;

    for (int i = 0; i < d->n; i++) {
        double moved = i % 6 < 3 ? d->u[i / 6 * 3 + i % 6] : d->theta[i / 6 * 3 + i % 6 - 3];

        d->v[i] = 2 / h * moved - d->v_old[i];
        d->a[i] = is_massless(d, i) ? (d->v[i] - d->v_old[i]) / h
                                    : 4 / (h * h) * moved - 4 / h * d->v_old[i] - d->a_old[i];
    }
}

void dense_loads(const struct dense *d, double t, const double *inputs, double *Q)
{
    const struct lk_system *sys = d->sys;

    for (int i = 0; i < d->n; i++)
        Q[i] = i % 6 < 3 ? sys->body[i / 6].mass * sys->gravity[i % 6] : 0;
    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        double vector[3];

        for (int k = 0; k < 3; k++)
            vector[k] = l->vector[k] * (l->is_harmonic ? sin(l->omega * t + l->phase) : 1);
        add_load(d, l, vector, Q);
    }
    add_inputs(d, inputs, Q);
}

void dense_add_gyroscopic(const struct dense *d, double *g)
{
    double *Mv = dense_zeros(d->n, sizeof(double));

    dense_block_product(d, d->M, d->v, Mv);
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double gyroscopic[3];

        dense_cross(d->v + 6 * b + 3, Mv + 6 * b + 3, gyroscopic);
        for (int i = 0; i < 3; i++)
            g[6 * b + 3 + i] += gyroscopic[i];
    }
    free(Mv);
}

/* Compute the dynamic residual g = M a + gyroscopic + Phi_q^T lambda - Q at the present poses
 * [2.2]. */
static void set_dynamic_residual(struct dense *d, const double *inputs)
{
    const struct lk_system *sys = d->sys;
    double *Q = dense_zeros(d->n, sizeof(double)), *Ma = dense_zeros(d->n, sizeof(double));

    dense_loads(d, (sys->now.balance->steps + 1) * sys->h, inputs, Q);
    dense_transpose_product(d, d->J, d->lambda, d->g);
    dense_block_product(d, d->M, d->a, Ma);
    for (int i = 0; i < d->n; i++)
        d->g[i] += Ma[i] - Q[i];
    dense_add_gyroscopic(d, d->g);
    free(Q);
    free(Ma);
}

/* ---- the step ---- */

/* Set x = x_old + u, R = R_old turn, theta = log(turn), and all quantities that depend on them. */
static void place(struct dense *d)
{
    for (int b = 0; b < d->sys->n_bodies; b++) {
        for (int i = 0; i < 3; i++)
            d->x[3 * b + i] = d->x_old[3 * b + i] + d->u[3 * b + i];
        dense_quat_product(d->q_old + 4 * b, d->turn[b], d->q + 4 * b);
        dense_quat_log(d->turn[b], d->theta + 3 * b);
    }
    trapezoidal(d);
    dense_set_poses(d, d->x, d->q);
    dense_set_twists(d, d->v);
    dense_set_jacobian(d);
}

void dense_acceleration_violation(struct dense *d, const double *a)
{
    dense_product(d, d->J, d->wide, a, d->rhs);
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];
        const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);
        const struct lk_twist *const twist[LK_SIDES_MAX] = LK_SIDES(d->twist, j);
        double gamma[LK_ROWS_MAX];

        lk_joint_ops(j->type)->gamma(j, pose, twist, gamma);
        if (j->kind == LK_ROWS_DRIVEN)
            gamma[0] -= d->drive[j->drive][2];
        for (int r = 0; r < j->n_rows; r++)
            if (!lk_is_compliant(j))
                d->rhs[j->row + r] += gamma[r];
            else
                d->rhs[j->row + r] = 0;
    }
}

void dense_velocity_violation(struct dense *d)
{
    dense_product(d, d->J, d->wide, d->v, d->rhs);
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];

        if (j->kind == LK_ROWS_DRIVEN)
            d->rhs[j->row] -= d->drive[j->drive][1];
        for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
            d->rhs[j->row + r] = 0;
    }
}

/* Project accelerations [2.5]: the right-hand side is Phi_q a + d2Phi/dt2 for rigid rows, and Phi_q
 * jump or 0 for compliant rows. Then a -= s W Phi_q^T kappa, lambda += s kappa. */
static void project_accelerations(struct dense *d, double *a, const double *jump)
{
    double *jumps = dense_zeros(d->m, sizeof(double));

    dense_acceleration_violation(d, a);
    if (jump)
        dense_product(d, d->J, d->wide, jump, jumps);
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];

        for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
            d->rhs[j->row + r] = jumps[j->row + r];
    }
    solve(d);
    for (int i = 0; i < d->n; i++)
        a[i] -= d->dq[i];
    for (int r = 0; r < d->m; r++)
        d->lambda[r] += d->sys->s * d->rhs[r];
    free(jumps);
}

/* Project velocities: the right-hand side of rigid rows is dPhi/dt with explicit time. */
static void project_velocities(struct dense *d)
{
    dense_velocity_violation(d);
    solve(d);
    for (int i = 0; i < d->n; i++)
        d->v[i] -= d->dq[i];
    dense_set_twists(d, d->v);
}

/* Read the state at the start of the step. */
static void read_state(struct dense *d)
{
    const struct lk_system *sys = d->sys;

    for (int b = 0; b < sys->n_bodies; b++) {
        for (int i = 0; i < 3; i++)
            d->x_old[3 * b + i] = sys->now.motion[b].x[i] + dense_jitter(d);
        for (int i = 0; i < 4; i++)
            d->q_old[4 * b + i] = sys->now.motion[b].q[i] + dense_jitter(d);
        memcpy(d->v_old + 6 * b, &sys->now.motion[b].v, 6 * sizeof(double));
        memcpy(d->a_old + 6 * b, &sys->now.motion[b].a, 6 * sizeof(double));
    }
    memcpy(d->lambda, sys->now.lambda, (size_t)d->m * sizeof(double));
    memcpy(d->E, sys->regular, (size_t)d->m * sizeof(double));
}

/* Return the second derivative of a law's row, J a + gamma, for the accelerations @a. */
static double row_acceleration(const struct dense *d, const struct lk_law *law, const double *a)
{
    const struct lk_joint *j = &d->sys->joint[law->joint];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(d->pose, j);
    const struct lk_twist *const twist[LK_SIDES_MAX] = LK_SIDES(d->twist, j);
    double sum;

    lk_joint_ops(j->type)->gamma(j, pose, twist, &sum);
    for (int i = 0; i < d->n; i++)
        sum += d->J[j->row * d->wide + i] * a[i];
    return sum;
}

/* Set E of a law's row for the present states of the stops, at the present poses and velocities. */
static void set_stop_tangent(struct dense *d, int i)
{
    struct lk_law law = d->sys->law[i];
    struct lk_law_now now = {.carry = law.now->carry, .stop = d->stop[i]};
    struct lk_law_value f;
    double phi[LK_ROWS_MAX], rate = 0;

    dense_violation(d, &d->sys->joint[law.joint], phi);
    for (int k = 0; k < d->wide; k++)
        rate += d->J[d->sys->joint[law.joint].row * d->wide + k] * ((const double *)d->twist)[k];
    now.stop.counts = d->stops_act[i];
    law.now = &now;
    lk_law_tangent(&law, d->sys->term, phi[0], rate, &f);
    d->E[d->sys->joint[law.joint].row + law.row] = lk_law_regular(&f, d->sys->h);
}

/* Set the tangent of friction at the end of the step for the projections [2.5]. */
static void let_friction_slide(struct dense *d)
{
    for (int i = 0; i < d->sys->n_laws; i++) {
        const struct lk_law *law = &d->sys->law[i];
        int row = d->sys->joint[law->joint].row + law->row;
        struct lk_law_value f;
        double phi[LK_ROWS_MAX], rate = 0;
        int creeps = 0;

        for (int k = 0; k < law->n_terms; k++)
            creeps |= lk_term_creeps(&d->sys->term[law->first_term + k]);
        if (!creeps)
            continue;
        dense_violation(d, &d->sys->joint[law->joint], phi);
        for (int k = 0; k < d->wide; k++)
            rate += d->J[row * d->wide + k] * ((const double *)d->twist)[k];
        lk_law_slope(law, d->sys->term, phi[0], rate, &f);
        d->E[row] = lk_law_regular(&f, d->sys->h);
    }
}

static int is_unilateral(const struct lk_system *sys, const struct lk_law *law)
{
    return sys->joint[law->joint].kind == LK_ROWS_UNILATERAL;
}

/* Compute a := a_old plus the projected effect of changed inputs and stops in Q.
 * @leaving: only stops whose contact ends */
static int jump_accelerations(struct dense *d, const double *inputs, int leaving)
{
    const struct lk_system *sys = d->sys;
    double *jump = dense_zeros(sys->input_size, sizeof(double));
    double *jumped = dense_zeros(d->wide, sizeof(double));
    int r;

    for (int i = 0; i < sys->input_size; i++)
        jump[i] = inputs[i] - sys->now.inputs[i];
    memset(d->g, 0, (size_t)d->n * sizeof(double));
    add_inputs(d, jump, d->g);
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        int row = sys->joint[law->joint].row + law->row;
        double force = is_unilateral(sys, law) ? lk_loads_stop_force(sys, law) : 0;

        if (leaving && d->stop[i].keep == 1)
            continue;
        d->lambda[row] -= force;
        for (int k = 0; k < d->n; k++)
            d->g[k] += (leaving ? 1 - d->stop[i].keep : 1) * d->J[row * d->wide + k] * force;
    }
    r = dense_factor(d);
    dense_block_product(d, d->W, d->g, d->dq);
    for (int i = 0; i < d->n; i++) {
        jumped[i] = d->dq[i];
        d->a_old[i] += jumped[i];
    }
    project_accelerations(d, d->a_old, jumped);
    free(jumped);
    free(jump);
    return r;
}

/* Compute the forces of the stops, starting from the accelerations without them. */
static int decide_stops(struct dense *d, const double *inputs)
{
    const struct lk_system *sys = d->sys;
    double *a = dense_zeros(d->wide, sizeof(double)), *lambda = dense_zeros(d->m, sizeof(double));
    int r;

    memcpy(a, d->a_old, (size_t)d->wide * sizeof(double));
    memcpy(lambda, d->lambda, (size_t)d->m * sizeof(double));
    for (int i = 0; i < sys->n_laws; i++) {
        d->stops_act[i] = !is_unilateral(sys, &sys->law[i]);
        if (is_unilateral(sys, &sys->law[i]))
            set_stop_tangent(d, i);
    }
    r = jump_accelerations(d, inputs, 0);
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        double rate, x;

        if (!is_unilateral(sys, law))
            continue;
        x = lk_loads_law_place(sys, &sys->now, law, &rate);
        d->stop[i] = lk_law_stop(law, sys->term, sys->h, x, rate, row_acceleration(d, law, a),
                                 row_acceleration(d, law, d->a_old), lk_loads_stop_force(sys, law),
                                 sys->scale[sys->joint[law->joint].row + law->row]);
        d->stops_act[i] = d->stop[i].acts && d->stop[i].keep == 1;
        set_stop_tangent(d, i);
        d->stops_act[i] = d->stop[i].acts;
    }
    memcpy(d->a_old, a, (size_t)d->wide * sizeof(double));
    memcpy(d->lambda, lambda, (size_t)d->m * sizeof(double));
    free(a);
    free(lambda);
    return r;
}

/* Adapt accelerations and multipliers to a jump of the inputs: a + W dQ, projected at the old
 * pose. */
static int absorb_jump(struct dense *d, const double *inputs)
{
    int r = 0;

    dense_set_poses(d, d->x_old, d->q_old);
    dense_set_drives(d, inputs, 0);
    dense_set_frames(d, d->v_old, d->a_old);
    dense_set_twists(d, d->v_old);
    dense_set_jacobian(d);
    for (int i = 0; i < d->sys->n_laws; i++) {
        d->stops_act[i] = 1;
        d->stop[i] = (struct lk_stop){.acts = 1, .keep = 1};
    }
    if (d->sys->n_stops > 0)
        r = decide_stops(d, inputs);
    return r != 0 ? r : jump_accelerations(d, inputs, 1);
}

/* Predict the pose.
 * Return: 0, or LK_E_TURN if a body would rotate by half a turn or more: log(exp(theta)) is then
 * another rotation */
static int predict(struct dense *d)
{
    double h = d->sys->h;
    int r = 0;

    for (int b = 0; b < d->sys->n_bodies; b++) {
        double *theta = d->theta + 3 * b;

        for (int i = 0; i < 6; i++) {
            int at = 6 * b + i;
            double moved = h * d->v_old[at] + (is_light(d, at) ? 0 : 0.5 * h * h * d->a_old[at]);

            *(i < 3 ? &d->u[3 * b + i] : &theta[i - 3]) = moved;
        }
        if (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2] >= M_PI * M_PI)
            r = LK_E_TURN;
        dense_quat_exp(theta, d->turn[b]);
    }
    place(d);
    return r;
}

static void move(struct dense *d)
{
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double old[4], dq[4];

        for (int i = 0; i < 3; i++)
            d->u[3 * b + i] += d->dq[6 * b + i];
        dense_quat_exp(d->dq + 6 * b + 3, dq);
        memcpy(old, d->turn[b], sizeof(old));
        dense_quat_product(old, dq, d->turn[b]);
    }
    place(d);
}

/* One Newton iteration: (E + s Phi_q W Phi_q^T) dlambda = Phi - s Phi_q W g, dq = -s W (Phi_q^T
 * dlambda + g). The matrix and the outer Jacobians are those of the predicted pose, Phi and g those
 * of the present pose. */
static int iterate(struct dense *d, const double *inputs, int iteration)
{
    double *sWg = dense_zeros(d->n, sizeof(double)), *change = dense_zeros(d->m, sizeof(double));
    int r = 0;

    set_violation(d, iteration);
    if (iteration == 0)
        r = dense_factor(d);
    set_dynamic_residual(d, inputs);
    dense_block_product(d, d->W, d->g, sWg);
    for (int i = 0; i < d->n; i++)
        sWg[i] *= d->sys->s;
    dense_product(d, d->frozen, d->n, sWg, change);
    for (int i = 0; i < d->m; i++)
        d->rhs[i] = d->phi[i] - change[i];
    solve(d);
    for (int i = 0; i < d->m; i++)
        d->lambda[i] += d->rhs[i];
    for (int i = 0; i < d->n; i++)
        d->dq[i] = -(d->dq[i] + sWg[i]);
    move(d);
    free(sWg);
    free(change);
    return r;
}

int dense_step(struct dense *d, const double *inputs)
{
    const struct lk_system *sys = d->sys;
    int r = 0;

    read_state(d);
    if (sys->n_jumps > 0)
        r = absorb_jump(d, inputs);
    dense_set_drives(d, inputs, 1);
    dense_set_frames(d, d->v, d->a);
    r = r != 0 ? r : predict(d);
    for (int i = 0; i < sys->iterations && r == 0; i++)
        r = iterate(d, inputs, i);
    for (int b = 0; b < sys->n_bodies; b++) {
        double *q = d->q + 4 * b;
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

        for (int i = 0; i < 4; i++)
            q[i] /= length;
    }
    dense_set_poses(d, d->x, d->q);
    dense_set_jacobian(d);
    let_friction_slide(d);
    for (int i = 0; i < sys->n_laws; i++) {
        if (!is_unilateral(sys, &sys->law[i]))
            continue;
        d->stops_act[i] = 0;
        set_stop_tangent(d, i);
    }
    if (r == 0)
        r = dense_factor(d);
    if (r != 0)
        return r;
    project_velocities(d);
    project_accelerations(d, d->a, NULL);
    return 0;
}

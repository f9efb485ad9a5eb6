/* SPDX-License-Identifier: Apache-2.0 */
/* Residual, matrix and Newton step of the search for a static equilibrium (equilibrium.c), and
 * the test of its curvature. */
#include "compile/dense.h"
#include "compile/effort.h"
#include "compile/equilibrium_work.h"
#include "maths/vec.h"
#include "step/elements/air.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <errno.h>
#include <string.h>

#define YIELD 1e-11 /* E, relative to t^2 Phi_q W Phi_q^T */
/* change of a pose for central differences [rad, or sizes of the mechanism] */
#define DIFFERENCE 1e-5
/* largest rotation of a body in an iteration [rad], and displacement [reaches of the mechanism] */
#define TURN_MAX 0.2
/* stiffness that replaces a row in the test of curvature, relative to the stiffness of the bodies
 */
#define HOLDS    1e6
#define STALLED  3  /* iterations without halving of the residual, until it counts as round-off */
#define PATIENCE 20 /* iterations without halving, until a small residual is accepted */
#define SHED     1e-10 /* regularisation of Phi_q Phi_q^T, relative to its diagonal */

/* ---- directions ---- */

/* return the body with modes to which modal coordinate @mode belongs */
static const struct lk_modal *modal_of(const struct lk_system *sys, int mode)
{
    int i = 0;

    while (i < sys->n_modals - 1 && mode >= sys->modal[i + 1].at)
        i++;
    return &sys->modal[i];
}

int lk_equilibrium_owner(const struct lk_equilibrium_work *w, int c)
{
    int bodies = 6 * w->sys->n_bodies;

    return c < bodies ? c / 6 : modal_of(w->sys, c - bodies)->body;
}

double lk_equilibrium_unit(const struct lk_equilibrium_work *w, int c, double length)
{
    if (c >= 6 * w->sys->n_bodies)
        return length * sqrt(w->sys->body[lk_equilibrium_owner(w, c)].mass);
    return c % 6 < 3 ? length : 1;
}

/* ---- the residual ---- */

void lk_equilibrium_set_poses(struct lk_equilibrium_work *w)
{
    lk_evaluate_poses(w->sys, &w->sys->now);
    w->coordinates(w->sys);
}

/* Return a secant stiffness of sliding friction. The tangent of sliding friction is zero, and a
 * step without stiffness would overshoot to the other side. The secant to the point of zero force
 * avoids the overshoot. */
static double sliding_secant(const struct lk_system *sys, const struct lk_law *law, double x)
{
    double secant = 0;

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        const struct lk_term *t = &sys->term[k];
        double z = fabs(t->now->wound + x - t->now->from);

        if (t->wind >= 0 && t->now->stiffness * z > lk_friction_level(t, 0))
            secant += lk_friction_level(t, 0) / z;
    }
    return secant;
}

/* Compute force and potential of law @i at the value @x, at rest. Return: tangent of the law */
double lk_equilibrium_force_at(const struct lk_equilibrium_work *w, int i, double x,
                               double *ret_force, double *ret_potential)
{
    const struct lk_law *law = &w->sys->law[i];
    struct lk_law_value f;

    if (w->sys->joint[law->joint].type == LK_JOINT_CONTACT)
        return lk_equilibrium_contact_force(w, i, x, ret_force, ret_potential);
    lk_law_evaluate(law, w->sys->term, x, 0, 1, &f);
    *ret_force = f.elastic + f.dissipative;
    *ret_potential = f.potential;
    return f.stiffness + sliding_secant(w->sys, law, x);
}

/* Compute forces and tangents of all laws at the present pose, at rest. */
void lk_equilibrium_set_laws(struct lk_equilibrium_work *w)
{
    static const double at_rest[3];
    struct lk_system *sys = w->sys;

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        double phi[LK_ROWS_MAX], potential;

        /* a tyre: the residual contains its force, and central differences give its tangent */
        if (sys->joint[law->joint].type == LK_JOINT_TYRE)
            continue;
        lk_equilibrium_law_values(w, law->joint, phi);
        lk_air_follow_pose(sys, &sys->joint[law->joint], at_rest);
        for (int r = law->row; r < sys->joint[law->joint].n_rows; r++)
            w->place[i + r - law->row] = phi[r]; /* friction of a contact asks for its gap */
        w->tangent[i] = lk_equilibrium_force_at(w, i, w->place[i], &w->pull[i], &potential);
        sys->now.lambda[sys->joint[law->joint].row + law->row] = w->pull[i];
    }
}

static int first_block(const struct lk_equilibrium_work *w)
{
    return w->n_moves + w->n_rows;
}

/* Move the forces on nodes to their bodies and modes, and add the elastic forces. */
static void balance_modes(struct lk_system *sys, double *ret)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        lk_modal_collect(m, sys->residual);
        memcpy(ret + 6 * m->body, m->force->v, 3 * sizeof(double));
        memcpy(ret + 6 * m->body + 3, m->force->w, 3 * sizeof(double));
        for (int a = 0; a < m->n_nodes; a++)
            memset(ret + 6 * m->node[a].body, 0, 6 * sizeof(double));
        for (int k = 0; k < m->n; k++)
            ret[6 * sys->n_bodies + m->at + k] = m->force->q[k] + m->stiffness[k] * m->q[k];
    }
}

/* Compute the residual with the present multipliers: forces on the bodies, torques in body axes;
 * then violations of rigid rows and residuals of the unknowns of blocks; then values of laws and
 * outputs of blocks. */
void lk_equilibrium_find_residual(struct lk_equilibrium_work *w, double *ret)
{
    struct lk_system *sys = w->sys;
    int n = w->n_moves;

    lk_evaluate_jacobians(sys);
    lk_tyres_rest(sys);
    lk_evaluate_transpose(sys, sys->now.lambda, sys->residual);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_loads_subtract(sys, 0, sys->now.inputs, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        memcpy(ret + 6 * b, sys->residual[b].v, 3 * sizeof(double));
        memcpy(ret + 6 * b + 3, sys->residual[b].w, 3 * sizeof(double));
    }
    balance_modes(sys, ret);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX];

        lk_equilibrium_law_values(w, i, phi);
        for (int r = 0; r < lk_rigid_rows(j); r++)
            ret[n++] = phi[r];
        for (int r = 0; r < j->n_rows && lk_is_compliant(j); r++)
            ret[w->n + j->law + r] = phi[r];
    }
    if (sys->net.n_blocks > 0)
        lk_rest_look(&w->blocks, ret + w->n + sys->n_laws, ret + first_block(w));
}

/* ---- poses ---- */

/* compute the residual moved by @amount in direction @c, then restore the pose */
static void look_beside(struct lk_equilibrium_work *w, int c, double amount, double *ret)
{
    struct lk_system *sys = w->sys;
    int mode = c - 6 * sys->n_bodies;
    struct lk_motion *m = &sys->now.motion[lk_equilibrium_owner(w, c)], kept = *m;
    double by[6] = {0}, q = mode >= 0 ? sys->now.mode[mode].q : 0;

    if (mode >= 0) {
        sys->now.mode[mode].q += amount;
    } else {
        by[c % 6] = amount;
        lk_retraction_move_body(sys, c / 6, by);
    }
    lk_equilibrium_set_poses(w);
    lk_equilibrium_find_residual(w, ret);
    *m = kept;
    if (mode >= 0)
        sys->now.mode[mode].q = q;
}

/* ---- a step of Newton's method ---- */

/* Fill a column of K, without the tangents of laws, a column of Phi_q, and the same values as a row
 * of Phi_q^T. */
static void fill_column(struct lk_equilibrium_work *w, int column)
{
    double amount = DIFFERENCE * lk_equilibrium_unit(w, column, w->size);

    look_beside(w, column, amount, w->side[0]);
    look_beside(w, column, -amount, w->side[1]);
    for (int i = 0; i < w->n; i++) {
        double slope = (w->side[0][i] - w->side[1][i]) / (2 * amount);

        w->A[(size_t)i * (size_t)w->n + (size_t)column] = slope;
        if (i >= w->n_moves && i < first_block(w))
            w->A[(size_t)column * (size_t)w->n + (size_t)i] = slope;
    }
    for (int i = 0; i < w->sys->n_laws; i++)
        w->slope[(size_t)i * (size_t)w->n_moves + (size_t)column] =
            (w->side[0][w->n + i] - w->side[1][w->n + i]) / (2 * amount);
    for (int i = 0; i < w->sys->net.n_blocks; i++) {
        int at = w->n + w->sys->n_laws + i;

        w->blocks.y_by_pose[i * w->n_moves + column] =
            (w->side[0][at] - w->side[1][at]) / (2 * amount);
    }
}

/* compute the derivative of the forces on bodies with respect to the output of block @i, in the
 * present pose */
static void fill_pull(struct lk_equilibrium_work *w, int i)
{
    double amount = DIFFERENCE * lk_max(1, fabs(w->blocks.y[i]));
    double *pull = w->blocks.pull + (size_t)i * (size_t)w->n_moves;

    for (int side = 0; side < 2; side++) {
        lk_rest_push(&w->blocks, i, side == 0 ? amount : -amount);
        lk_equilibrium_set_laws(w);
        lk_equilibrium_find_residual(w, w->side[side]);
    }
    for (int c = 0; c < w->n_moves; c++)
        pull[c] = (w->side[0][c] - w->side[1][c]) / (2 * amount);
}

/* Fill the rows and columns of the unknowns of blocks. */
static int fill_blocks(struct lk_equilibrium_work *w)
{
    double grown = w->time2 / LK_EQUILIBRIUM_FIRST_TIME2;

    if (w->sys->net.n_blocks == 0)
        return 0;
    lk_equilibrium_set_poses(w);
    for (int i = 0; i < w->sys->net.n_blocks; i++) {
        if (lk_effort_spend((uint64_t)w->sys->n_joints))
            return -ECANCELED;
        fill_pull(w, i);
    }
    lk_rest_set(&w->blocks);
    lk_equilibrium_set_laws(w);
    lk_rest_fill(&w->blocks, w->A, w->n, first_block(w), grown * grown, w->size);
    return 0;
}

/* Add J^T @k J of law @i to the matrix. Only a few columns of J are nonzero. */
void lk_equilibrium_add_tangent(struct lk_equilibrium_work *w, int i, double k)
{
    const double *slope = w->slope + (size_t)i * (size_t)w->n_moves;

    for (int r = 0; r < w->n_moves && k != 0; r++)
        for (int c = 0; c < w->n_moves && slope[r] != 0; c++)
            w->A[(size_t)r * (size_t)w->n + (size_t)c] += slope[r] * k * slope[c];
}

/* Add W^-1 @part of body @b to the matrix; @part: [1/s^2]. W is block diagonal: for each body a
 * number and a symmetric 3 x 3 matrix. */
static void add_mass(struct lk_equilibrium_work *w, int b, double part)
{
    const struct lk_inverse_mass *inverse = &w->sys->W[b];
    double inertia[9], unit[3], column[3];

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            unit[k] = k == i;
        lk_sym_mul(inverse->inertia, unit, column);
        for (int k = 0; k < 3; k++)
            inertia[3 * k + i] = column[k];
    }
    for (int i = 0; i < 3; i++) {
        int at = 6 * b + i;

        w->A[(size_t)at * (size_t)w->n + (size_t)at] += part / inverse->mass;
        for (int k = 0; k < 3; k++)
            column[k] = k == i;
        lk_dense_solve(3, memcpy(w->side[0], inertia, sizeof(inertia)), column);
        for (int k = 0; k < 3; k++)
            w->A[(size_t)(6 * b + 3 + k) * (size_t)w->n + (size_t)(at + 3)] += part * column[k];
    }
}

/* The directions of nodes are no unknowns: ones on the diagonal, whatever the time, keep their
 * steps 0. Modes have unit mass. */
void lk_equilibrium_add_masses(struct lk_equilibrium_work *w, double part)
{
    const struct lk_system *sys = w->sys;

    for (int b = 0; b < sys->n_bodies; b++)
        if (!sys->body[b].is_node)
            add_mass(w, b, part);
    for (int c = 6 * sys->n_bodies; c < w->n_moves; c++)
        w->A[(size_t)c * ((size_t)w->n + 1)] += part;
}

int lk_equilibrium_fill(struct lk_equilibrium_work *w)
{
    struct lk_system *sys = w->sys;
    size_t n = (size_t)w->n;

    memset(w->A, 0, n * n * sizeof(double));
    for (int c = 0; c < w->n_moves; c++) {
        if (lk_effort_spend((uint64_t)sys->n_joints))
            return -ECANCELED;
        fill_column(w, c);
    }
    lk_equilibrium_add_masses(w, 1 / w->time2);
    for (int c = 0; c < 6 * sys->n_bodies; c++)
        if (sys->body[c / 6].is_node)
            w->A[(size_t)c * (n + 1)] = 1;
    for (int i = 0; i < sys->n_laws; i++)
        lk_equilibrium_add_tangent(w, i, lk_max(0, w->tangent[i]));
    for (int r = 0; r < w->n_rows && !sys->rows_are_independent; r++)
        if (w->yields[r])
            w->A[((size_t)w->n_moves + (size_t)r) * (n + 1)] =
                -YIELD * w->time2 * sys->scale[w->row[r]] / sys->s;
    return fill_blocks(w);
}

/* ---- curvature ---- */

static const double *row_of(const struct lk_equilibrium_work *w, int i)
{
    return w->A + ((size_t)w->n_moves + (size_t)i) * (size_t)w->n;
}

/* Compute Phi_q Phi_q^T. The sum skips zeros, because few directions move a row. */
static void multiply_rows(struct lk_equilibrium_work *w)
{
    size_t m = (size_t)w->n_rows;

    for (size_t i = 0; i < m; i++) {
        const double *row = row_of(w, (int)i);
        int *at = w->columns, n = 0;

        for (int c = 0; c < w->n_moves; c++)
            if (row[c] != 0)
                at[n++] = c;
        for (size_t k = 0; k < m; k++) {
            double sum = 0;

            for (int c = 0; c < n; c++)
                sum += row[at[c]] * row_of(w, (int)k)[at[c]];
            w->gram[i * m + k] = sum;
        }
    }
}

/* Compute x := x - (Phi_q Phi_q^T + eps)^-1 Phi_q Phi_q^T x. The part of x that loads no body
 * remains, all other parts shrink to order eps. */
static int shrink_loads(struct lk_equilibrium_work *w, double *x)
{
    size_t m = (size_t)w->n_rows;
    double *solution = w->side[0];
    int r;

    multiply_rows(w);
    for (size_t i = 0; i < m; i++) {
        solution[i] = 0;
        for (size_t k = 0; k < m; k++)
            solution[i] += w->gram[i * m + k] * x[k];
    }
    for (size_t i = 0; i < m; i++)
        w->gram[i * m + i] *= 1 + SHED;
    r = lk_dense_solve(w->n_rows, w->gram, solution);
    for (size_t i = 0; i < m; i++)
        x[i] -= solution[i];
    return r;
}

/* Remove the self-stress from the multipliers of redundant rows. Self-stress loads no body, but its
 * geometric stiffness would dominate the curvature. Call after filling the matrix. */
static int shed_self_stress(struct lk_equilibrium_work *w)
{
    double *lambda = w->sys->now.lambda, *rest = w->side[1];
    int r = 0;

    for (int i = 0; i < w->n_rows; i++)
        rest[i] = lambda[w->row[i]];
    for (int twice = 0; twice < 2 && r == 0; twice++)
        r = shrink_loads(w, rest);
    for (int i = 0; i < w->n_rows && r == 0; i++)
        lambda[w->row[i]] -= rest[i];
    return r;
}

/* return a stiffness for row @i: HOLDS times the stiffness of the directions that move the row */
static double stiffness_of(const struct lk_equilibrium_work *w, int i)
{
    const double *row = row_of(w, i);
    size_t m = (size_t)w->n_moves;
    double length = 0, stiffness = 0;

    for (size_t c = 0; c < m; c++) {
        double largest = 0;

        for (size_t k = 0; k < m && row[c] != 0; k++)
            largest = lk_max(largest, fabs(w->A[c * (size_t)w->n + k]));
        stiffness += largest * row[c] * row[c];
        length += row[c] * row[c];
    }
    return length > 0 ? HOLDS * stiffness / (length * length) : 0;
}

/* Test whether K + W^-1 / t^2 is positive definite on the motions that the rows allow. The
 * forbidden motions get a large stiffness instead of the rows. If the test fails, t is so long that
 * the Newton step leads up to a saddle. Return: 0, -ECANCELED. */
int lk_equilibrium_ask_curvature(struct lk_equilibrium_work *w, bool *ret_is_valley)
{
    size_t n = (size_t)w->n, m = (size_t)w->n_moves;
    int result = 0;

    if (!w->sys->rows_are_independent && w->n_rows > 0) {
        result = shed_self_stress(w);
        lk_equilibrium_set_poses(w);
        result = result != 0 ? result : lk_equilibrium_fill(w);
    }
    if (result != 0)
        return result;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c <= r; c++)
            w->hessian[r * m + c] = 0.5 * (w->A[r * n + c] + w->A[c * n + r]);
    for (int i = 0; i < w->n_rows; i++) {
        const double *row = row_of(w, i);
        double stiffness = stiffness_of(w, i);

        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r && row[r] != 0; c++)
                w->hessian[r * m + c] += stiffness * row[r] * row[c];
    }
    return lk_dense_is_positive(w->n_moves, w->hessian, ret_is_valley);
}

int lk_equilibrium_solve(struct lk_equilibrium_work *w)
{
    int r = lk_equilibrium_fill(w);

    if (r != 0)
        return r;
    for (int i = 0; i < w->n; i++)
        w->x[i] = -w->g[i];
    for (int k = 0; k < w->blocks.n; k++) /* f is 0 for a state at its limit */
        w->x[first_block(w) + k] = -w->blocks.f[k];
    return lk_dense_solve(w->n, w->A, w->x);
}

/* Move along the Newton step, shortened if rotations are too large. Rows are nonlinear in
 * rotations, so a long chain of small links might otherwise diverge in an iteration. */
void lk_equilibrium_follow(struct lk_equilibrium_work *w)
{
    double largest = 0, part;

    for (int c = 0; c < w->n_moves; c++)
        largest = lk_max(largest, fabs(w->x[c]) / lk_equilibrium_unit(w, c, w->reach));
    w->way = largest;
    w->way_time2 = w->time2;
    part = largest > TURN_MAX ? TURN_MAX / largest : 1;
    for (int c = 0; c < w->n_moves; c++)
        w->x[c] *= part;
    lk_rest_follow(&w->blocks, w->x + first_block(w));
    lk_retraction_move(&w->moves, w->x);
    for (int r = 0; r < w->n_rows; r++)
        w->sys->now.lambda[w->row[r]] += part * w->x[w->n_moves + r];
}

/* ---- convergence ---- */

/* return the largest residual force, moments divided by the size of the mechanism; @ret_at:
 * direction of that force */
static double left_over(const struct lk_equilibrium_work *w, int *ret_at)
{
    double largest = 0;

    *ret_at = 0;
    for (int c = 0; c < w->n_moves; c++) {
        double force = fabs(w->g[c]) * lk_equilibrium_unit(w, c, w->size) / w->size;

        if (!(force <= largest)) {
            largest = force;
            *ret_at = c;
        }
    }
    return largest;
}

static double largest_gap(const struct lk_equilibrium_work *w)
{
    double largest = 0;

    for (int r = 0; r < w->n_rows; r++)
        largest = lk_max(largest, fabs(w->g[w->n_moves + r]));
    return largest;
}

/* Return the largest force in the mechanism: weights and the forces of joints and springs. */
static double largest_force(const struct lk_equilibrium_work *w)
{
    const struct lk_system *sys = w->sys;
    double largest = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        largest = lk_max(largest, sys->body[b].mass * lk_norm(sys->gravity));
    for (int r = 0; r < sys->n_rows; r++)
        largest = lk_max(largest, fabs(sys->now.lambda[r]));
    return largest;
}

/* Evaluate the balance of the present pose. */
void lk_equilibrium_look(struct lk_equilibrium_work *w, struct lk_equilibrium_left *left)
{
    struct lk_equilibrium *e = &w->sys->equilibrium;

    lk_equilibrium_set_poses(w);
    if (w->sys->net.n_blocks > 0)
        lk_rest_set(&w->blocks);
    lk_equilibrium_set_laws(w);
    lk_equilibrium_find_residual(w, w->g);
    left->force = left_over(w, &left->at);
    left->unrest = lk_rest_left(&w->blocks, &left->block);
    left->stalled = left->force < 0.5 * left->best ? 0 : left->stalled + 1;
    left->best = fmin(left->best, left->force);
    w->force = largest_force(w);
    e->residual = left->force;
    e->force = w->force;
}

/* Return true in three cases: the pose is balanced to double precision; the iterations have
 * stalled and the last step moved nothing, because in a stiff law the round-off of a pose makes
 * a force; or, after more iterations, the residual is a small fraction of the largest force,
 * which may still be large for a light body. Tyres never come to rest exactly. */
bool lk_equilibrium_is_balanced(const struct lk_equilibrium_work *w,
                                const struct lk_equilibrium_left *left)
{
    int patience = w->sys->n_tyres > 0 ? STALLED : PATIENCE;

    if (!(largest_gap(w) < 1e-12 * w->size && left->unrest <= LK_EQUILIBRIUM_ENOUGH))
        return false;
    if (left->stalled > patience && left->force <= LK_EQUILIBRIUM_ENOUGH * w->force)
        return true;
    if (left->stalled > STALLED && w->way <= LK_EQUILIBRIUM_UNMOVED &&
        w->way_time2 >= LK_EQUILIBRIUM_FALLS)
        return true;
    return left->unrest <= LK_EQUILIBRIUM_ROUNDOFF &&
           left->force <= LK_EQUILIBRIUM_ROUNDOFF * w->force;
}

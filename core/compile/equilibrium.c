/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method on the static balance with the rows of the joints,
 *
 *     g = Phi_q^T lambda - Q = 0,   Phi = 0;      compliant rows: lambda = f(x, 0)
 *
 *     | K + W^-1 / t^2   Phi_q^T | | dq      |     | g   |
 *     | Phi_q            -E      | | dlambda | = - | Phi |
 *
 * with K = dg/dq: the tangents of the laws, and by central differences what the forces of joints,
 * springs and loads do when they turn. The mass keeps it from saddles, as t is short enough for
 * that, and lets free directions be: for a small t it is a step of implicit Euler, downhill, in
 * which all velocities are forgotten; t grows as the balance gets better (T. Coffey, C. T. Kelley,
 * D. E. Keyes, Pseudotransient continuation and differential-algebraic equations, 2003). E lets
 * redundant rows share without any effect on the result. The states of blocks are unknowns as well,
 * see rest.h. */
#include "compile/equilibrium.h"
#include "compile/dense.h"
#include "compile/effort.h"
#include "compile/rest.h"
#include "maths/vec.h"
#include "step/air.h"
#include "step/tyres.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS  1000
#define FIRST_TIME2 1e-2 /* t^2 [s^2] at first, and its bounds */
#define LEAST_TIME2 1e-7
#define MOST_TIME2  1e2
#define YIELD       1e-11 /* E, of t^2 Phi_q W Phi_q^T */
#define DIFFERENCE  1e-5  /* of a pose: radians, and sizes of the mechanism */
#define TURN_MAX    0.2   /* of a body in an iteration [rad], and way in reaches of the mechanism */
#define ROUNDOFF    1e-13 /* of the largest force: balanced to double precision */
#define ENOUGH      1e-9  /* balanced, where no iteration makes it better */
#define ROLLING     1e-2  /* of the largest force: what tyres under stress drive a car by */
#define RESOLVED    1e-15 /* of the size of the mechanism: a way that a stiff law resolves */
#define HOLDS       1e6 /* stiffness of rows where the curvature is asked for, by that of the bodies */
#define SHED        1e-10 /* regularises Phi_q Phi_q^T of rows of unit length */
#define DESCENT     0.1  /* of forces before and after an iteration that leads down from a saddle */
#define FALLS       1    /* [s^2]: within a second */
#define UNMOVED     1e-9 /* in sizes of the mechanism and radians: as drawn */

/** struct work - @n_moves: directions of the bodies, six each;  @n_rows: rigid rows, which are
 * @row of the system;  @n: both and the unknowns of blocks
 * @A, @x: of the Newton step;  @g: residual, and @side: those beside the pose, n each, and then the
 * values of all laws and the outputs of blocks;  @tangent: of the laws [N/m, N m/rad], @slope:
 * n_moves for each: d value/dq
 * @size: length of the mechanism [m];  @reach: from its first body to the farthest, at least
 * @size;  @force: largest force in it [N or N m];  @hessian: n_moves
 * squared, and @gram: n_rows squared, for ask_curvature();  @is_careful: t is so short that no step
 * leads up, see ask_curvature() */
struct work {
    struct lk_system *sys;
    void (*coordinates)(struct lk_system *);
    struct lk_rest blocks;
    int n_moves;
    int n_rows;
    int n;
    int *row;
    double *A;
    double *x;
    double *g;
    double *side[2];
    double *tangent;
    double *slope;
    double *hessian;
    double *gram;
    double size;
    double reach;
    double force;
    double time2;
    bool is_careful;
};

/* ---- the residual ---- */

static void set_poses(struct work *w)
{
    lk_evaluate_poses(w->sys, &w->sys->now);
    w->coordinates(w->sys);
}

/* Friction that slides has no tangent, and a step without one would carry it as far to the other
 * side: the secant to where it holds nothing leads back. */
static double sliding_secant(const struct lk_system *sys, const struct lk_law *law, double x)
{
    double secant = 0;

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        const struct lk_term *t = &sys->term[k];
        double z = fabs(t->wound + x - t->from);

        if (t->wind >= 0 && t->stiffness * z > lk_friction_level(t, 0))
            secant += lk_friction_level(t, 0) / z;
    }
    return secant;
}

/* forces and tangents of the laws at the present pose, at rest */
static void set_laws(struct work *w)
{
    static const double at_rest[3];
    struct lk_system *sys = w->sys;

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f;
        double phi[LK_ROWS_MAX];

        if (law->n_terms == 0) /* of a tyre: with the residual, its tangent by differences */
            continue;
        lk_evaluate_violation(sys, law->joint, phi);
        lk_air_follow_pose(sys, &sys->joint[law->joint], at_rest);
        lk_law_evaluate(law, sys->term, phi[law->row], 0, 1, &f);
        sys->now.lambda[sys->joint[law->joint].row + law->row] = f.elastic + f.dissipative;
        w->tangent[i] = f.stiffness + sliding_secant(sys, law, phi[law->row]);
    }
}

static int first_block(const struct work *w)
{
    return w->n_moves + w->n_rows;
}

/* forces on the bodies, torques in body axes, by the present multipliers; then the violations of
 * rigid rows and what is left of the unknowns of blocks; then the values of laws and of blocks */
static void find_residual(struct work *w, double *ret)
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
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX];

        lk_evaluate_violation(sys, i, phi);
        for (int r = 0; r < lk_rigid_rows(j); r++)
            ret[n++] = phi[r];
        for (int r = 0; r < j->n_rows && lk_is_compliant(j); r++)
            ret[w->n + j->law + r] = phi[r];
    }
    if (sys->net.n_blocks > 0)
        lk_rest_look(&w->blocks, ret + w->n + sys->n_laws, ret + first_block(w));
}

/* ---- poses ---- */

static void move_body(struct lk_system *sys, int b, const double by[6])
{
    struct lk_motion *m = &sys->now.motion[b];
    double dq[4], q[4];

    lk_rotation_exp(by + 3, dq);
    lk_quat_mul(m->q, dq, q);
    lk_quat_normalise(q);
    memcpy(m->q, q, sizeof(q));
    for (int i = 0; i < 3; i++)
        m->x[i] += by[i];
}

/* the residual beside the present pose: body @b moved by @amount in direction @k */
static void look_beside(struct work *w, int b, int k, double amount, double *ret)
{
    struct lk_motion *m = &w->sys->now.motion[b], kept = *m;
    double by[6] = {0};

    by[k] = amount;
    move_body(w->sys, b, by);
    set_poses(w);
    find_residual(w, ret);
    *m = kept;
}

/* ---- a step of Newton's method ---- */

/* a column of K without the tangents of laws, and of Phi_q with its transpose */
static void fill_column(struct work *w, int column)
{
    int k = column % 6;
    double amount = DIFFERENCE * (k < 3 ? w->size : 1);

    look_beside(w, column / 6, k, amount, w->side[0]);
    look_beside(w, column / 6, k, -amount, w->side[1]);
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

/* what the output of block @i pulls at the bodies, in the present pose */
static void fill_pull(struct work *w, int i)
{
    double amount = DIFFERENCE * lk_max(1, fabs(w->blocks.y[i]));
    double *pull = w->blocks.pull + (size_t)i * (size_t)w->n_moves;

    for (int side = 0; side < 2; side++) {
        lk_rest_push(&w->blocks, i, side == 0 ? amount : -amount);
        set_laws(w);
        find_residual(w, w->side[side]);
    }
    for (int c = 0; c < w->n_moves; c++)
        pull[c] = (w->side[0][c] - w->side[1][c]) / (2 * amount);
}

/* rows and columns of the unknowns of blocks */
static int fill_blocks(struct work *w)
{
    double grown = w->time2 / FIRST_TIME2;

    if (w->sys->net.n_blocks == 0)
        return 0;
    set_poses(w);
    for (int i = 0; i < w->sys->net.n_blocks; i++) {
        if (lk_effort_spend((uint64_t)w->sys->n_joints))
            return -ECANCELED;
        fill_pull(w, i);
    }
    lk_rest_set(&w->blocks);
    set_laws(w);
    lk_rest_fill(&w->blocks, w->A, w->n, first_block(w), grown * grown, w->size);
    return 0;
}

/* + J^T k J of law @i, which few bodies have a part in */
static void add_tangent(struct work *w, int i)
{
    const double *slope = w->slope + (size_t)i * (size_t)w->n_moves;

    for (int r = 0; r < w->n_moves && w->tangent[i] > 0; r++)
        for (int c = 0; c < w->n_moves && slope[r] != 0; c++)
            w->A[(size_t)r * (size_t)w->n + (size_t)c] += slope[r] * w->tangent[i] * slope[c];
}

/* + W^-1 / t^2: W is block diagonal, a number and a symmetric 3 x 3 matrix */
static void add_mass(struct work *w, int b)
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

        w->A[(size_t)at * (size_t)w->n + (size_t)at] += 1 / (w->time2 * inverse->mass);
        for (int k = 0; k < 3; k++)
            column[k] = k == i;
        lk_dense_solve(3, memcpy(w->side[0], inertia, sizeof(inertia)), column);
        for (int k = 0; k < 3; k++)
            w->A[(size_t)(6 * b + 3 + k) * (size_t)w->n + (size_t)(at + 3)] += column[k] / w->time2;
    }
}

static int fill(struct work *w)
{
    struct lk_system *sys = w->sys;
    size_t n = (size_t)w->n;

    memset(w->A, 0, n * n * sizeof(double));
    for (int c = 0; c < w->n_moves; c++) {
        if (lk_effort_spend((uint64_t)sys->n_joints))
            return -ECANCELED;
        fill_column(w, c);
    }
    for (int b = 0; b < sys->n_bodies; b++)
        add_mass(w, b);
    for (int i = 0; i < sys->n_laws; i++)
        add_tangent(w, i);
    for (int r = 0; r < w->n_rows; r++)
        w->A[((size_t)w->n_moves + (size_t)r) * (n + 1)] =
            -YIELD * w->time2 * sys->scale[w->row[r]] / sys->s;
    return fill_blocks(w);
}

/* ---- curvature ---- */

static const double *row_of(const struct work *w, int i)
{
    return w->A + ((size_t)w->n_moves + (size_t)i) * (size_t)w->n;
}

/* Phi_q Phi_q^T; few directions move a row */
static void multiply_rows(struct work *w)
{
    size_t m = (size_t)w->n_rows;

    for (size_t i = 0; i < m; i++) {
        const double *row = row_of(w, (int)i);
        int at[6 * LK_SIDES_MAX], n = 0;

        for (int c = 0; c < w->n_moves && n < 6 * LK_SIDES_MAX; c++)
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

/* x := x - (Phi_q Phi_q^T + eps)^-1 Phi_q Phi_q^T x: what loads no body stays, all else shrinks by
 * eps */
static int shrink_loads(struct work *w, double *x)
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

/* Multipliers of redundant rows leave what holds against each other alone: it loads no body, but
 * what it does when rows turn would drown the curvature. The matrix is filled. */
static int shed_self_stress(struct work *w)
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

/* what stretches row @i has HOLDS times the stiffness that the directions it is made of have */
static double stiffness_of(const struct work *w, int i)
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

/* Whether K + W^-1 / t^2 is positive definite where the rows hold: what they forbid is made stiff
 * in the place of them. If it is not, t is so long that Newton's step leads up to a saddle. Return:
 * 0, -ECANCELED. */
static int ask_curvature(struct work *w, bool *ret_is_valley)
{
    size_t n = (size_t)w->n, m = (size_t)w->n_moves;
    int result = 0;

    if (!w->sys->rows_are_independent && w->n_rows > 0) {
        result = shed_self_stress(w);
        set_poses(w);
        result = result != 0 ? result : fill(w);
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

static int solve(struct work *w)
{
    bool is_valley = true;
    int r;

    for (;;) {
        r = fill(w);
        if (r == 0 && w->is_careful)
            r = ask_curvature(w, &is_valley);
        if (r != 0 || is_valley || w->time2 <= LEAST_TIME2)
            break;
        w->time2 *= 0.25;
        set_poses(w);
    }
    if (r != 0)
        return r;
    for (int i = 0; i < w->n; i++)
        w->x[i] = -w->g[i];
    for (int k = 0; k < w->blocks.n; k++) /* 0 of what is held */
        w->x[first_block(w) + k] = -w->blocks.f[k];
    return lk_dense_solve(w->n, w->A, w->x);
}

static double reach_of(const struct lk_system *sys, double size)
{
    double farthest = size;

    for (int b = 1; b < sys->n_bodies; b++) {
        double way[3];

        lk_sub(sys->now.motion[b].x, sys->now.motion[0].x, way);
        farthest = lk_max(farthest, lk_norm(way));
    }
    return farthest;
}

/* Moves along the Newton step, or as far as the rotations allow. Rows bend with turns: a long chain
 * of small links may go its own way in an iteration. */
static void follow(struct work *w)
{
    double largest = 0, part;

    for (int c = 0; c < w->n_moves; c++)
        largest = lk_max(largest, fabs(w->x[c]) / (c % 6 < 3 ? w->reach : 1));
    part = largest > TURN_MAX ? TURN_MAX / largest : 1;
    for (int c = 0; c < w->n_moves; c++)
        w->x[c] *= part;
    lk_rest_follow(&w->blocks, w->x + first_block(w));
    for (int b = 0; b < w->sys->n_bodies; b++)
        move_body(w->sys, b, w->x + 6 * b);
    for (int r = 0; r < w->n_rows; r++)
        w->sys->now.lambda[w->row[r]] += part * w->x[w->n_moves + r];
}

/* ---- judging ---- */

/* the largest force that is left, moments by the arms of the mechanism; @ret_at: its direction */
static double left_over(const struct work *w, int *ret_at)
{
    double largest = 0;

    *ret_at = 0;
    for (int c = 0; c < w->n_moves; c++) {
        double force = fabs(w->g[c]) / (c % 6 < 3 ? 1 : w->size);

        if (!(force <= largest)) {
            largest = force;
            *ret_at = c;
        }
    }
    return largest;
}

static double largest_gap(const struct work *w)
{
    double largest = 0;

    for (int r = 0; r < w->n_rows; r++)
        largest = lk_max(largest, fabs(w->g[w->n_moves + r]));
    return largest;
}

/* weights and the forces of joints and springs */
static double largest_force(const struct work *w)
{
    const struct lk_system *sys = w->sys;
    double largest = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        largest = lk_max(largest, sys->body[b].mass * lk_norm(sys->gravity));
    for (int r = 0; r < sys->n_rows; r++)
        largest = lk_max(largest, fabs(sys->now.lambda[r]));
    return largest;
}

/* what round-off of the poses leaves of the forces of the stiffest law */
static double resolution(const struct work *w)
{
    double stiffest = 0;

    for (int i = 0; i < w->sys->n_laws; i++)
        stiffest = lk_max(stiffest, w->tangent[i]);
    return RESOLVED * stiffest * lk_max(w->size, 1);
}

/* the free choice of t: in proportion to the balance, but not by more than 8 at once. On the way
 * down from a saddle forces grow a few times with each iteration: t stays what ask_curvature()
 * found.
 */
static void choose_time(struct work *w, double before, double now)
{
    double ratio = now > 0 ? before / now : 8;
    double factor = fmin(fmax(ratio < 1 ? ratio * ratio : 2 * ratio, 0.125), 8);

    if (w->is_careful && ratio > DESCENT)
        factor = lk_max(factor, 1);
    w->time2 = fmin(fmax(w->time2 * factor, LEAST_TIME2), MOST_TIME2);
}

/* where the forces may be in balance, but block @at goes on */
static int refuse_block(const struct work *w, int at, struct lk_error *ret_error)
{
    const struct lk_net *net = &w->sys->net;
    bool is_delay = at >= net->n_states;

    lk_error_set(ret_error,
                 "no static equilibrium: block '%s' does not come to rest: %s %.3g%s after %d "
                 "iterations; expected something that brings what it takes to zero, limits, or no "
                 "'start: equilibrium'",
                 net->name[w->blocks.block[at]],
                 is_delay ? "what it takes is off what it gives by" : "its state changes by",
                 w->blocks.f[at], is_delay ? "" : " a second", w->sys->equilibrium.iterations);
    return LK_E_ASSEMBLY;
}

static int refuse(const struct work *w, int at, struct lk_error *ret_error)
{
    static const char *const ways[] = {"along x",     "along y",     "along z",
                                       "about its x", "about its y", "about its z"};
    const struct lk_system *sys = w->sys;

    lk_error_set(
        ret_error,
        "no static equilibrium found: body '%s' is left with %.3g %s %s after %d iterations, "
        "where the largest force is %.3g; expected springs, joints or stops that hold what "
        "gravity and loads pull, or no 'start: equilibrium'",
        sys->body_name[sys->body[at / 6].of], fabs(w->g[at]), at % 6 < 3 ? "N" : "N m",
        ways[at % 6], sys->equilibrium.iterations, w->force);
    return LK_E_ASSEMBLY;
}

/* Wheels that roll freely change nothing where their tyres are without side force. But a car that
 * has settled has moved its wheels sideways, and its tyres, toed in or out, drive it by what they
 * still hold, as far as the iterations go: it has to roll a little, which lets the carcasses go.
 * What holds a car on a slope is found anew. Return: whether there are tyres. */
static int roll_free(struct work *w)
{
    lk_tyres_hold(w->sys);
    return w->sys->n_tyres > 0;
}

static int iterate(struct work *w, struct lk_error *ret_error)
{
    struct lk_equilibrium *e = &w->sys->equilibrium;
    double best = INFINITY, left, before = INFINITY, unrest;
    int at, block, stalled = 0, r;

    for (;; e->iterations++) {
        set_poses(w);
        if (w->sys->net.n_blocks > 0)
            lk_rest_set(&w->blocks);
        set_laws(w);
        find_residual(w, w->g);
        left = left_over(w, &at);
        w->force = largest_force(w);
        unrest = lk_rest_left(&w->blocks, &block);
        e->residual = left;
        e->force = w->force;
        stalled = left < 0.5 * best ? 0 : stalled + 1;
        best = fmin(best, left);
        if (largest_gap(w) < 1e-12 * w->size && unrest <= (stalled > 3 ? ENOUGH : ROUNDOFF) &&
            (left <= ROUNDOFF * w->force ||
             (stalled > 3 && left <= lk_max(ENOUGH * w->force, resolution(w)))))
            return 0;
        if (e->iterations >= ITERATIONS)
            return unrest > ENOUGH ? refuse_block(w, block, ret_error) : refuse(w, at, ret_error);
        if (stalled > 3 && left <= ROLLING * w->force && roll_free(w)) {
            stalled = 0;
            best = INFINITY;
        }
        if (e->iterations > 0)
            choose_time(w, before, left);
        before = left;
        r = solve(w);
        if (r != 0)
            return r;
        follow(w);
    }
}

/* ---- the whole ---- */

static int list_unknowns(struct work *w)
{
    struct lk_system *sys = w->sys;
    int result;

    w->row = calloc((size_t)sys->n_rows + 1, sizeof(*w->row));
    if (!w->row)
        return -ENOMEM;
    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < lk_rigid_rows(&sys->joint[i]); r++)
            w->row[w->n_rows++] = sys->joint[i].row + r;
    w->n_moves = 6 * sys->n_bodies;
    result = lk_rest_init(sys, w->n_moves, &w->blocks);
    w->n = w->n_moves + w->n_rows + w->blocks.n;
    return result;
}

static int take_memory(struct work *w)
{
    size_t laws = (size_t)w->sys->n_laws;
    size_t n = (size_t)w->n + 9 + laws + (size_t)w->sys->net.n_blocks;

    w->A =
        calloc((size_t)w->n * (size_t)w->n + 4 * n + laws * ((size_t)w->n_moves + 1) +
                   (size_t)w->n_moves * (size_t)w->n_moves + (size_t)w->n_rows * (size_t)w->n_rows,
               sizeof(double));
    if (!w->A)
        return -ENOMEM;
    w->x = w->A + (size_t)w->n * (size_t)w->n;
    w->g = w->x + n;
    w->side[0] = w->g + n;
    w->side[1] = w->side[0] + n;
    w->tangent = w->side[1] + n;
    w->slope = w->tangent + laws;
    w->hessian = w->slope + laws * (size_t)w->n_moves;
    w->gram = w->hessian + (size_t)w->n_moves * (size_t)w->n_moves;
    return 0;
}

/* @drawn: a block of the state */
static bool has_moved(const struct work *w, const double *drawn)
{
    const struct lk_state *now = &w->sys->now;
    const struct lk_motion *then =
        (const struct lk_motion *)(drawn + ((const double *)now->motion - now->block));
    double most = 0;

    for (int b = 0; b < w->sys->n_bodies; b++) {
        const struct lk_motion *m = &now->motion[b], *d = &then[b];
        const double back[4] = {d->q[0], -d->q[1], -d->q[2], -d->q[3]};
        double turned[4], turn[3];

        lk_quat_mul(back, m->q, turned);
        lk_rotation_log(turned, turn);
        for (int i = 0; i < 3; i++)
            most = lk_max(most, lk_max(fabs(m->x[i] - d->x[i]) / w->size, fabs(turn[i])));
    }
    return most > UNMOVED;
}

/* back to a balance, to the bit */
static void take_back(struct work *w, const double *block)
{
    struct lk_system *sys = w->sys;

    memcpy(sys->now.block, block, sys->state_size * sizeof(double));
    set_poses(w);
    if (sys->net.n_blocks > 0)
        lk_rest_set(&w->blocks);
    set_laws(w);
}

/* whether nothing grows about the balance @found, by e in a time of @time2 [s^2] */
static int look_around(struct work *w, const double *found, double time2, bool *ret_is_valley)
{
    int r;

    take_back(w, found);
    w->time2 = time2;
    r = fill(w);
    if (r == 0)
        r = ask_curvature(w, ret_is_valley);
    take_back(w, found);
    return r;
}

/* A balance that it @is_drawn in, or from which no way down was found. What falls falls within
 * FALLS: what would take longer round-off may make of a direction in which nothing moves it. */
static int note_saddle(struct work *w, const double *found, bool is_drawn)
{
    struct lk_system *sys = w->sys;
    bool is_in_valley = true;
    int r = look_around(w, found, FALLS, &is_in_valley);

    if (r == 0 && !is_in_valley && sys->note[0] == '\0')
        snprintf(sys->note, sizeof(sys->note),
                 "the static equilibrium is one that it falls from: %s; draw it on the side to "
                 "which it should fall",
                 is_drawn ? "it is drawn there" : "no way down was found");
    return r;
}

/* Newton's method goes to a saddle as well as to a valley. From one that is not the drawing it goes
 * back, and then down step by step; the saddle stays where that finds nothing. Tyres hold a car by
 * forces without a potential, whose balance has no curvature. @drawn: the state; @found: for use */
static int leave_saddle(struct work *w, const double *drawn, double *found)
{
    struct lk_system *sys = w->sys;
    struct lk_equilibrium of_found = sys->equilibrium;
    size_t size = sys->state_size * sizeof(double);
    bool is_in_valley = true;
    int r;

    if (sys->n_tyres > 0)
        return 0;
    memcpy(found, sys->now.block, size);
    r = look_around(w, found, MOST_TIME2, &is_in_valley);
    if (r != 0 || is_in_valley)
        return r;
    if (!has_moved(w, drawn))
        return note_saddle(w, found, true);
    memcpy(sys->now.block, drawn, size);
    sys->equilibrium.iterations = 0;
    w->time2 = FIRST_TIME2;
    w->is_careful = true;
    r = iterate(w, NULL);
    if (r != LK_E_ASSEMBLY)
        return r;
    sys->equilibrium = of_found;
    return note_saddle(w, found, false);
}

/* The velocities of the drawing are kept while the mechanism is at rest: that of a centre of mass
 * as it was drawn, so that a car that settles at another pitch still moves along the road; that of
 * turning in the axes of its body, so that a wheel spins about its axle. */
static void keep_velocities(struct lk_system *sys, struct lk_motion *kept, int back)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->now.motion[b];

        if (!back) {
            kept[b] = *m;
            memset(&m->v, 0, sizeof(m->v));
            continue;
        }
        m->v = kept[b].v;
        sys->equilibrium.moved = lk_max(
            sys->equilibrium.moved,
            hypot(hypot(m->x[0] - kept[b].x[0], m->x[1] - kept[b].x[1]), m->x[2] - kept[b].x[2]));
    }
    if (!back)
        memset(sys->twist, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*sys->twist));
}

static int find(struct work *w, struct lk_error *ret_error)
{
    struct lk_system *sys = w->sys;
    struct lk_motion *kept = calloc((size_t)sys->n_bodies, sizeof(*kept));
    double *states = malloc(2 * sys->state_size * sizeof(double));
    int r = kept && states ? take_memory(w) : -ENOMEM;

    if (r == 0) {
        keep_velocities(sys, kept, 0);
        memset(sys->now.lambda, 0, (size_t)sys->n_rows * sizeof(double));
        set_poses(w);
        lk_tyres_hold(sys);
        memcpy(states, sys->now.block, sys->state_size * sizeof(double));
        r = iterate(w, ret_error);
        if (r == 0)
            r = leave_saddle(w, states, states + sys->state_size);
        keep_velocities(sys, kept, 1);
    }
    free(states);
    free(kept);
    free(w->A);
    return r;
}

int lk_equilibrium_find(struct lk_system *sys, void (*coordinates)(struct lk_system *),
                        struct lk_error *ret_error)
{
    struct work w = {.sys = sys, .coordinates = coordinates, .size = sys->arm > 0 ? sys->arm : 1};
    int r = list_unknowns(&w);

    w.time2 = FIRST_TIME2;
    w.reach = reach_of(sys, w.size);
    sys->equilibrium = (struct lk_equilibrium){.is_sought = 1};
    if (r == 0 && w.n_moves + w.n_rows > LK_EQUILIBRIUM_MAX) {
        lk_error_set(ret_error,
                     "start: equilibrium of %d bodies with %d rows, expected at most %d rows and "
                     "directions of bodies together: draw the model at rest, or let it settle",
                     sys->n_bodies, w.n_rows, LK_EQUILIBRIUM_MAX);
        r = LK_E_ASSEMBLY;
    }
    if (r == 0)
        r = find(&w, ret_error);
    if (r == 0) {
        lk_wind_up_settle(sys);
        lk_rest_keep(&w.blocks);
        memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    }
    free(w.row);
    lk_rest_fini(&w.blocks);
    return r;
}

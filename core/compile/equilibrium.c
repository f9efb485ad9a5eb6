/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method on the static balance with the rows of the joints,
 *
 *     g = Phi_q^T lambda - Q = 0,   Phi = 0;      compliant rows: lambda = f(x, 0)
 *
 *     | K + W^-1 / t^2   Phi_q^T | | dq      |     | g   |
 *     | Phi_q            -E      | | dlambda | = - | Phi |
 *
 * with K = dg/dq. K contains the tangents of the laws. K also contains the change of the forces of
 * joints, springs and loads when their directions change, by central differences. The mass term
 * avoids saddles if t is short enough, and prevents motion in directions without stiffness. For a
 * small t the step is a step of implicit Euler without velocities, which decreases the energy; t
 * grows as the residual decreases (T. Coffey, C. T. Kelley, D. E. Keyes, Pseudotransient
 * continuation and differential-algebraic equations, 2003). E lets redundant rows share their load
 * without any effect on the result; rows of a tree of joints need no E. The states of blocks are
 * unknowns as well, see rest.h.
 *
 * These steps are fast, but they may converge to a saddle, or alternate across the kink of a stop.
 * If these steps fail, descent steps are made instead. The t of descent steps is so short that the
 * matrix is positive definite and the energy decreases. A stop counts as active if it is active at
 * the end of the step. Bodies move along their joints (retraction.h). So the deflection of a stiff
 * stop is exactly the one that was solved for, without errors of second order in the rotations. */
#include "compile/equilibrium.h"
#include "compile/equilibrium_work.h"
#include "maths/vec.h"
#include "step/elements/contacts.h"
#include "step/elements/tyres.h"
#include "step/elements/wind_up.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_TIME2 1e-7 /* t^2 [s^2] */
/* residual at which stressed tyres are released, relative to the largest force */
#define ROLLING 1e-2

/* ---- Newton's method ---- */

/* choose t^2 in proportion to the decrease of the residual, but change it by at most a factor of
 * 8 */
static void choose_time(struct lk_equilibrium_work *w, double before, double now)
{
    double ratio = now > 0 ? before / now : 8;
    double factor = fmin(fmax(ratio < 1 ? ratio * ratio : 2 * ratio, 0.125), 8);

    w->time2 = fmin(fmax(w->time2 * factor, LEAST_TIME2), LK_EQUILIBRIUM_MOST_TIME2);
}

/* report that block @at does not come to rest, although the forces may be in balance */
static int refuse_block(const struct lk_equilibrium_work *w, int at, struct lk_error *ret_error)
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

int lk_equilibrium_refuse(const struct lk_equilibrium_work *w, int at, struct lk_error *ret_error)
{
    static const char *const ways[] = {"along x",     "along y",     "along z",
                                       "about its x", "about its y", "about its z"};
    const struct lk_system *sys = w->sys;
    bool is_mode = at >= 6 * sys->n_bodies;

    lk_error_set(
        ret_error,
        "no static equilibrium found: body '%s' is left with %.3g %s %s after %d iterations, "
        "where the largest force is %.3g; expected springs, joints, stops or contacts that hold "
        "what gravity and loads pull, or no 'start: equilibrium'",
        sys->body_name[sys->body[lk_equilibrium_owner(w, at)].of], fabs(w->g[at]),
        is_mode      ? "N kg^-0.5"
        : at % 6 < 3 ? "N"
                     : "N m",
        is_mode ? "on a mode" : ways[at % 6], sys->equilibrium.iterations, w->force);
    return LK_E_ASSEMBLY;
}

/* Release the carcasses of the tyres, as if the car rolled a little. While a car settles, its
 * wheels move sideways. The carcasses of tyres with toe angle then keep side forces that drive the
 * car, and the iterations do not converge. If the car stands on a slope, the iterations find the
 * holding forces again.
 * Return: whether there are tyres. */
static int roll_free(struct lk_equilibrium_work *w)
{
    lk_tyres_hold(w->sys);
    return w->sys->n_tyres > 0;
}

static int iterate(struct lk_equilibrium_work *w, struct lk_error *ret_error)
{
    struct lk_equilibrium *e = &w->sys->equilibrium;
    struct lk_equilibrium_left left = {.best = INFINITY};
    double before;
    int r;

    for (w->way = INFINITY;; e->iterations++) {
        before = left.force;
        lk_equilibrium_look(w, &left);
        if (lk_equilibrium_is_balanced(w, &left))
            return 0;
        if (e->iterations >= LK_EQUILIBRIUM_ITERATIONS)
            return left.unrest > LK_EQUILIBRIUM_ENOUGH
                       ? refuse_block(w, left.block, ret_error)
                       : lk_equilibrium_refuse(w, left.at, ret_error);
        if (left.stalled > 3 && left.force <= ROLLING * w->force && roll_free(w)) {
            left.stalled = 0;
            left.best = INFINITY;
        }
        if (e->iterations > 0)
            choose_time(w, before, left.force);
        r = lk_equilibrium_solve(w);
        if (r != 0)
            return r;
        lk_equilibrium_follow(w);
    }
}
/* ---- the search ---- */

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

static int list_unknowns(struct lk_equilibrium_work *w)
{
    struct lk_system *sys = w->sys;
    int result = lk_retraction_init(sys, &w->moves);

    w->row = calloc((size_t)sys->n_rows + 1, sizeof(*w->row));
    w->yields = calloc((size_t)sys->n_rows + 1, sizeof(*w->yields));
    if (result != 0 || !w->row || !w->yields)
        return -ENOMEM;
    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < lk_rigid_rows(&sys->joint[i]); r++) {
            w->yields[w->n_rows] = !w->moves.leads[i];
            w->row[w->n_rows++] = sys->joint[i].row + r;
        }
    w->n_moves = 6 * sys->n_bodies + sys->n_modes;
    w->columns = calloc((size_t)w->n_moves + 1, sizeof(*w->columns));
    if (!w->columns)
        return -ENOMEM;
    result = lk_rest_init(sys, w->n_moves, &w->blocks);
    w->n = w->n_moves + w->n_rows + w->blocks.n;
    return result;
}

static int take_memory(struct lk_equilibrium_work *w)
{
    size_t laws = (size_t)w->sys->n_laws;
    size_t n = (size_t)w->n + 9 + laws + (size_t)w->sys->net.n_blocks;

    w->A = calloc(2 * (size_t)w->n * (size_t)w->n + 4 * n + laws * ((size_t)w->n_moves + 3) +
                      (size_t)w->n_moves * (size_t)w->n_moves +
                      (size_t)w->n_rows * (size_t)w->n_rows + w->sys->state_size,
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
    w->place = w->gram + (size_t)w->n_rows * (size_t)w->n_rows;
    w->pull = w->place + laws;
    w->copy = w->pull + laws;
    w->start = w->copy + (size_t)w->n * (size_t)w->n;
    return 0;
}

/* Return whether any body has moved from the state @drawn. */
static bool has_moved(const struct lk_equilibrium_work *w, const double *drawn)
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
    return most > LK_EQUILIBRIUM_UNMOVED;
}

/* Restore a saved state bit by bit. */
static void take_back(struct lk_equilibrium_work *w, const double *block)
{
    struct lk_system *sys = w->sys;

    memcpy(sys->now.block, block, sys->state_size * sizeof(double));
    lk_equilibrium_set_poses(w);
    if (sys->net.n_blocks > 0)
        lk_rest_set(&w->blocks);
    lk_equilibrium_set_laws(w);
}

/* Test whether the balance @found is stable: no motion about it grows by a factor e within the
 * time t, where @time2 = t^2 [s^2]. */
static int look_around(struct lk_equilibrium_work *w, const double *found, double time2,
                       bool *ret_is_valley)
{
    int r;

    take_back(w, found);
    w->time2 = time2;
    r = lk_equilibrium_fill(w);
    if (r == 0)
        r = lk_equilibrium_ask_curvature(w, ret_is_valley);
    take_back(w, found);
    return r;
}

/* Note that the equilibrium is unstable. @is_drawn: the initial configuration is in equilibrium;
 * otherwise the descent failed. Only growth within LK_EQUILIBRIUM_FALLS counts, because
 * round-off may cause a slow growth in a free direction. */
static int note_saddle(struct lk_equilibrium_work *w, const double *found, bool is_drawn)
{
    struct lk_system *sys = w->sys;
    bool is_in_valley = true;
    int r = look_around(w, found, LK_EQUILIBRIUM_FALLS, &is_in_valley);

    if (r == 0 && !is_in_valley && sys->note[0] == '\0')
        snprintf(sys->note, sizeof(sys->note),
                 "the static equilibrium is one that it falls from: %s; draw it on the side to "
                 "which it should fall",
                 is_drawn ? "it is drawn there" : "no way down was found");
    return r;
}

/* Replace a saddle with a minimum. Newton's method may converge to a saddle or a minimum. If it has
 * moved to a saddle, go back to the initial configuration and descend from there; if the descent
 * fails, keep the saddle. Systems with tyres are excluded, because tyre forces have no potential
 * and so no curvature.
 * @drawn: state of the initial configuration;  @found: scratch of the same size */
static int leave_saddle(struct lk_equilibrium_work *w, const double *drawn, double *found)
{
    struct lk_system *sys = w->sys;
    struct lk_equilibrium of_found = sys->equilibrium;
    size_t size = sys->state_size * sizeof(double);
    bool is_in_valley = true;
    int r;

    if (sys->n_tyres > 0)
        return 0;
    memcpy(found, sys->now.block, size);
    r = look_around(w, found, LK_EQUILIBRIUM_MOST_TIME2, &is_in_valley);
    if (r != 0 || is_in_valley)
        return r;
    if (!has_moved(w, drawn))
        return note_saddle(w, found, true);
    memcpy(sys->now.block, drawn, size);
    r = lk_equilibrium_descend(w, NULL);
    if (r != LK_E_ASSEMBLY)
        return r;
    sys->equilibrium = of_found;
    return note_saddle(w, found, false);
}

/* Store the initial velocities before the search (@back 0), and restore them after it. The
 * velocity of a centre of mass is restored in world axes: a car that settles at another pitch
 * still moves along the road. The angular velocity is restored in body axes: a wheel spins about
 * its axle. */
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
    for (int k = 0; k < sys->n_modes && !back; k++)
        sys->now.mode[k].v = 0;
    if (back)
        lk_modal_settle(sys, &sys->now);
    if (!back)
        memset(sys->twist, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*sys->twist));
}

static int find(struct lk_equilibrium_work *w, struct lk_error *ret_error)
{
    struct lk_system *sys = w->sys;
    struct lk_motion *kept = calloc((size_t)sys->n_bodies, sizeof(*kept));
    double *states = malloc(2 * sys->state_size * sizeof(double));
    int r = kept && states ? take_memory(w) : -ENOMEM;

    if (r == 0) {
        keep_velocities(sys, kept, 0);
        memset(sys->now.lambda, 0, (size_t)sys->n_rows * sizeof(double));
        lk_equilibrium_set_poses(w);
        lk_tyres_hold(sys);
        memcpy(states, sys->now.block, sys->state_size * sizeof(double));
        r = iterate(w, ret_error);
        if (r == LK_E_ASSEMBLY && sys->n_tyres == 0 && sys->net.n_blocks == 0) {
            memcpy(sys->now.block, states, sys->state_size * sizeof(double));
            r = lk_equilibrium_descend(w, ret_error);
        }
        if (r == 0)
            r = leave_saddle(w, states, states + sys->state_size);
        keep_velocities(sys, kept, 1);
    }
    free(states);
    free(kept);
    free(w->A);
    return r;
}

/* Find an equilibrium in which contacts with friction stick where they were drawn, or if there is
 * none, one without friction, see equilibrium_contacts.c. @drawn: scratch of the size of a state */
static int find_with_contacts(struct lk_equilibrium_work *w, double *drawn,
                              struct lk_error *ret_error)
{
    struct lk_system *sys = w->sys;
    size_t size = sys->state_size * sizeof(double);
    double friction;
    int r = lk_equilibrium_anchor(w), slips;

    if (r != 0)
        return r;
    memcpy(drawn, sys->now.block, size);
    w->sticks = true;
    r = find(w, NULL);
    if (r == LK_E_ASSEMBLY) {
        memcpy(sys->now.block, drawn, size);
        sys->equilibrium = (struct lk_equilibrium){.is_sought = 1};
        w->time2 = LK_EQUILIBRIUM_FIRST_TIME2;
        w->sticks = false;
        return find(w, ret_error);
    }
    slips = r == 0 ? lk_equilibrium_slips(w, &friction) : -1;
    if (slips < 0)
        return r;
    lk_error_set(
        ret_error,
        "no static equilibrium: contact '%s' slides from where it is drawn, and would hold "
        "with a friction of %.3g; expected more friction, or none, or no 'start: "
        "equilibrium'",
        sys->joint_name[sys->contact[slips].joint], friction);
    return LK_E_ASSEMBLY;
}

static int find_any(struct lk_equilibrium_work *w, struct lk_error *ret_error)
{
    double *drawn;
    int r;

    if (w->sys->n_contacts == 0)
        return find(w, ret_error);
    drawn = malloc(w->sys->state_size * sizeof(double));
    r = drawn ? find_with_contacts(w, drawn, ret_error) : -ENOMEM;
    free(drawn);
    return r;
}

int lk_equilibrium_find(struct lk_system *sys, void (*coordinates)(struct lk_system *),
                        struct lk_error *ret_error)
{
    struct lk_equilibrium_work w = {
        .sys = sys, .coordinates = coordinates, .size = sys->arm > 0 ? sys->arm : 1};
    int r = list_unknowns(&w);

    w.time2 = LK_EQUILIBRIUM_FIRST_TIME2;
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
        r = find_any(&w, ret_error);
    if (r == 0) {
        lk_wind_up_settle(sys);
        lk_equilibrium_keep_contacts(sys);
        lk_rest_keep(&w.blocks);
        memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    }
    free(w.anchor);
    free(w.row);
    free(w.columns);
    free(w.yields);
    lk_retraction_fini(&w.moves);
    lk_rest_fini(&w.blocks);
    return r;
}

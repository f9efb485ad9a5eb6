/* SPDX-License-Identifier: Apache-2.0 */
/* Hamilton's canonical equations in joint coordinates by divide and conquer (K. Chadaj, P. Malczyk,
 * J. Fraczek, A parallel Hamiltonian formulation for forward dynamics of closed-loop multibody
 * systems, 2016). y = [q, p], p_k = H_k^T Pbar_k. Pbar_k is the momentum of the subtree beyond
 * joint k of the tree, including the impulses of the cut rows.
 *
 * Stage 1, velocities and impulses (eqs. (26)-(46)): the momenta p of all joints act on the bodies
 * like forces. sigma are the multipliers of all rows at velocity level:
 *
 *     Phi_q W Phi_q^T sigma = Phi_q W f(p) + Phi_t        P = f(p) - Phi_q^T sigma,  v = W P
 *
 * Therefore velocities always satisfy the rows. Stage 2, derivatives of the momenta (eqs.
 * (65)-(77)): Pbar is the sum of P and of the impulses of cut rows over the bodies beyond a joint.
 * Qbar is the sum of the loads and of d/dt(Phi_q^T) sigma of the cut rows (cut_rows.h). Both sums
 * refer to the point O of the joint:
 *
 *     p' = H^T (Qbar - [0; v_O x Pbar_lin]) + H'^T Pbar
 *
 * p is determined only up to J^T sigma. The impulses of the cut rows grow with time, and with them
 * the errors of a step. Therefore the default resets p after every step to the value for the same
 * velocities and sigma = 0. The paper has no reset; variant `as-printed` follows the paper. Variant
 * `corrected` also projects q onto the cut rows. */
#include "maths/vec.h"
#include "methods/formulations/cut_rows.h"
#include "methods/formulations/joint_space.h"
#include "methods/registry.h"
#include "step/kinematics.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 2

/** struct wrench - a momentum or load: [linear; angular about some point], world. */
struct wrench {
    double f[3];
    double t[3];
};

/** struct hdca - state of the formulation.
 * @sigma:    impulses of all rows
 * @momentum: P of every body
 * @sum:      for every body, sum of momenta [0] and of loads [1] over the bodies beyond its joint,
 *            about its centre of mass */
struct hdca {
    struct lk_joint_space space;
    int resets;
    int corrects;
    double *sigma;
    struct lk_twist *momentum;
    struct wrench *sum[2];
};

/* ---- open and close ---- */

static void close_hdca(void *self)
{
    struct hdca *h = self;

    if (!h)
        return;
    lk_joint_space_fini(&h->space);
    free(h->sigma);
    free(h->momentum);
    free(h->sum[0]);
    free(h);
}

static int take_memory(struct hdca *h)
{
    size_t n = (size_t)h->space.mechanics->n_bodies;

    h->sigma = calloc((size_t)h->space.mechanics->n_rows + 1, sizeof(*h->sigma));
    h->momentum = calloc(n + 1, sizeof(*h->momentum));
    h->sum[0] = calloc(2 * n + 1, sizeof(*h->sum[0]));
    h->sum[1] = h->sum[0] + n;
    return h->sigma && h->momentum && h->sum[0] ? 0 : -ENOMEM;
}

static int open_hdca(struct lk_mechanics *mechanics, const struct lk_equations_options *options,
                     void **ret, struct lk_error *ret_error)
{
    struct hdca *h;
    int r;

    if (options->stabilisation == LK_STABILISATION_BAUMGARTE) {
        lk_error_set(ret_error,
                     "formulation hdca has no accelerations of rows that Baumgarte's "
                     "terms could be added to, expected stabilisation projection or none");
        return LK_E_MODEL;
    }
    h = calloc(1, sizeof(*h));
    if (!h)
        return -ENOMEM;
    r = lk_joint_space_init(&h->space, "hdca", mechanics, ret_error);
    if (r == 0)
        r = take_memory(h);
    if (r != 0) {
        close_hdca(h);
        return r;
    }
    h->corrects = strcmp(options->variant, "corrected") == 0 ||
                  options->stabilisation == LK_STABILISATION_PROJECTION;
    h->resets = h->corrects || strcmp(options->variant, "as-printed") != 0;
    *ret = h;
    return 0;
}

static int size(const void *self)
{
    const struct hdca *h = self;

    return h->space.n_q + h->space.n_v;
}

/* ---- wrenches ---- */

/* Move the reference point of a wrench from @from to @to. */
static struct wrench wrench_about(const struct wrench *w, const double from[3], const double to[3])
{
    struct wrench ret = *w;
    double arm[3], moment[3];

    lk_sub(from, to, arm);
    lk_cross(arm, w->f, moment);
    for (int i = 0; i < 3; i++)
        ret.t[i] += moment[i];
    return ret;
}

static void add_wrench(struct wrench *sum, const struct wrench *w)
{
    for (int i = 0; i < 3; i++) {
        sum->f[i] += w->f[i];
        sum->t[i] += w->t[i];
    }
}

/* Convert a force in world axes and a torque in body axes to a wrench in world axes. */
static struct wrench to_world(const struct lk_system *sys, int b, const struct lk_twist *force)
{
    struct wrench ret;

    memcpy(ret.f, force->v, sizeof(ret.f));
    lk_rotate(sys->pose[b].R, force->w, ret.t);
    return ret;
}

/* Sum wrenches over the subtree of each body, about the centre of mass of the body.
 * @sum: in: the wrench of each body; out: the sum */
static void gather_wrenches(struct hdca *h, struct wrench *sum)
{
    const struct lk_relative *r = h->space.relative;
    const struct lk_motion *motion = lk_mechanics_motion(h->space.mechanics);

    for (int k = h->space.mechanics->n_bodies - 1; k >= 0; k--) {
        int b = r->order[k], parent = r->on[b].parent;
        struct wrench passed;

        if (parent == h->space.mechanics->n_bodies)
            continue;
        passed = wrench_about(&sum[b], motion[b].x, motion[parent].x);
        add_wrench(&sum[parent], &passed);
    }
}

static double wrench_along(const double direction[6], const struct wrench *w)
{
    return lk_dot(direction, w->f) + lk_dot(direction + 3, w->t);
}

/* ---- stage 1 ---- */

/* Add @scale times the wrench @w at the point @at to the momentum of body @b. */
static void push_body(struct hdca *h, int b, const double at[3], const struct wrench *w,
                      double scale)
{
    const struct lk_system *sys = h->space.mechanics->system;
    struct wrench moved;
    double in_body[3];

    if (b == h->space.mechanics->n_bodies)
        return;
    moved = wrench_about(w, at, sys->pose[b].x);
    lk_rotate_back(sys->pose[b].R, moved.t, in_body);
    for (int i = 0; i < 3; i++) {
        h->momentum[b].v[i] += scale * moved.f[i];
        h->momentum[b].w[i] += scale * in_body[i];
    }
}

/* Compute f(p), the impulses on all bodies along the free directions of the joints. sigma acts in
 * the constrained directions. */
static void spread_momenta(struct hdca *h, const double *p)
{
    const struct lk_relative *r = h->space.relative;
    int n = h->space.mechanics->n_bodies;

    for (int b = 0; b < n; b++)
        h->momentum[b] = (struct lk_twist){{0}, {0}};
    for (int b = 0; b < n; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        struct wrench w = {{0}, {0}};

        for (int c = 0; c < j->n_v; c++)
            for (int i = 0; i < 3; i++) {
                w.f[i] += j->dual[c][i] * p[j->at_v + c];
                w.t[i] += j->dual[c][3 + i] * p[j->at_v + c];
            }
        push_body(h, b, j->point, &w, 1);
        push_body(h, j->parent, j->point, &w, -1);
    }
}

/* Solve for sigma and P, so that v = W P satisfies the rows to round-off. The second iteration
 * refines the solution if masses differ widely. */
static void solve_impulses(struct hdca *h)
{
    struct lk_joint_space *s = &h->space;
    int n_rows = s->mechanics->n_rows;

    memset(h->sigma, 0, (size_t)n_rows * sizeof(*h->sigma));
    for (int round = 0; round < ROUNDS; round++) {
        lk_assembly_divide(s->assembly, h->momentum, s->motion);
        lk_mechanics_explicit_rates(s->mechanics, s->other);
        lk_assembly_add_rates(s->assembly, s->motion, s->other);
        lk_assembly_solve(s->assembly, s->other);
        lk_assembly_subtract_forces(s->assembly, s->other, h->momentum);
        for (int r = 0; r < n_rows; r++)
            h->sigma[r] += s->other[r];
    }
    lk_assembly_divide(s->assembly, h->momentum, s->motion);
}

/* Place and evaluate the state, and compute P, sigma and nu from q and p. */
static int find_velocities(struct hdca *h, double t, const double *y)
{
    struct lk_joint_space *s = &h->space;
    int r;

    memset(s->nu, 0, (size_t)s->n_v * sizeof(*s->nu));
    lk_relative_place(s->relative, y, s->nu);
    lk_mechanics_evaluate(s->mechanics, t);
    r = lk_assembly_factor(s->assembly);
    if (r != 0)
        return r;
    spread_momenta(h, y + s->n_q);
    solve_impulses(h);
    lk_relative_components(s->relative, s->motion, s->nu);
    lk_relative_place(s->relative, y, s->nu);
    lk_mechanics_evaluate_velocities(s->mechanics);
    return 0;
}

/* ---- stage 2 ---- */

static void differentiate_momenta(struct hdca *h, double *ret)
{
    struct lk_joint_space *s = &h->space;
    const struct lk_motion *motion = lk_mechanics_motion(s->mechanics);

    lk_mechanics_loads(s->mechanics, s->force);
    lk_cut_rows_add_loads(s->relative, h->sigma, s->force);
    lk_cut_rows_add_impulses(s->relative, h->sigma, h->momentum);
    for (int b = 0; b < s->mechanics->n_bodies; b++) {
        h->sum[0][b] = to_world(s->mechanics->system, b, &h->momentum[b]);
        h->sum[1][b] = to_world(s->mechanics->system, b, &s->force[b]);
    }
    gather_wrenches(h, h->sum[0]);
    gather_wrenches(h, h->sum[1]);
    for (int b = 0; b < s->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &s->relative->on[b];
        struct wrench P = wrench_about(&h->sum[0][b], motion[b].x, j->point);
        struct wrench Q = wrench_about(&h->sum[1][b], motion[b].x, j->point);
        double drift[3];

        lk_cross(j->point_rate, P.f, drift);
        for (int i = 0; i < 3; i++)
            Q.t[i] -= drift[i];
        for (int c = 0; c < j->n_v; c++)
            ret[j->at_v + c] = wrench_along(j->H[c], &Q) + wrench_along(j->H_rate[c], &P);
    }
}

static int rate(void *self, double t, const double *y, double *ret)
{
    struct hdca *h = self;
    int r = find_velocities(h, t, y);

    if (r != 0)
        return r;
    lk_relative_rates(h->space.relative, y, h->space.nu, ret);
    differentiate_momenta(h, ret + h->space.n_q);
    return 0;
}

/* ---- states ---- */

/* Compute p of the placed motion with sigma = 0 in the cut rows. */
static void find_momenta(struct hdca *h, double *p)
{
    const struct lk_system *sys = h->space.mechanics->system;
    const struct lk_motion *motion = lk_mechanics_motion(h->space.mechanics);

    for (int b = 0; b < h->space.mechanics->n_bodies; b++) {
        const struct lk_body *body = &sys->body[b];
        double turn[3];

        lk_sym_mul(body->inertia, motion[b].v.w, turn);
        lk_rotate(sys->pose[b].R, turn, h->sum[0][b].t);
        for (int i = 0; i < 3; i++)
            h->sum[0][b].f[i] = body->mass * motion[b].v.v[i];
    }
    gather_wrenches(h, h->sum[0]);
    for (int b = 0; b < h->space.mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &h->space.relative->on[b];
        struct wrench P = wrench_about(&h->sum[0][b], motion[b].x, j->point);

        for (int c = 0; c < j->n_v; c++)
            p[j->at_v + c] = wrench_along(j->H[c], &P);
    }
}

static void read_state(void *self, double *y)
{
    struct hdca *h = self;

    lk_relative_read(h->space.relative, y, h->space.nu);
    lk_evaluate_poses(h->space.mechanics->system, &h->space.mechanics->system->next);
    find_momenta(h, y + h->space.n_q);
}

static int write_state(void *self, double t, const double *y)
{
    struct hdca *h = self;
    int r = find_velocities(h, t, y);

    if (r != 0)
        return r;
    lk_joint_space_accelerate(&h->space);
    lk_relative_accelerate(h->space.relative, h->space.nu_rate);
    return 0;
}

static int settle_state(void *self, double t, double *y)
{
    struct hdca *h = self;
    struct lk_joint_space *s = &h->space;
    int r;

    lk_relative_normalise(s->relative, y);
    if (!h->resets || s->relative->n_cut == 0)
        return 0;
    r = find_velocities(h, t, y);
    if (r == 0 && h->corrects) {
        r = lk_relative_project(s->relative, t, y, s->nu);
        lk_relative_place(s->relative, y, s->nu);
        lk_evaluate_poses(s->mechanics->system, &s->mechanics->system->next);
    }
    if (r == 0)
        find_momenta(h, y + s->n_q);
    return r;
}

static int settles(const void *self)
{
    const struct hdca *h = self;

    return (h->resets ? LK_SETTLES_MOMENTA : 0) | (h->corrects ? LK_SETTLES_ROWS : 0);
}

static void lambda(void *self, double *ret)
{
    struct hdca *h = self;

    memcpy(ret, h->space.rows, (size_t)h->space.mechanics->n_rows * sizeof(*ret));
}

static const char *const variants[] = {"reset", "as-printed", "corrected", NULL};

const struct lk_equations lk_equations_hdca = {
    .name = "hdca",
    .variants = variants,
    .shares_work = 1,
    .paper = "K. Chadaj, P. Malczyk, J. Fraczek, A parallel Hamiltonian formulation (2016)",
    .open = open_hdca,
    .close = close_hdca,
    .size = size,
    .read = read_state,
    .rate = rate,
    .write = write_state,
    .settle = settle_state,
    .settles = settles,
    .lambda = lambda,
};

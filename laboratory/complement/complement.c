/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation as a struct lk_equations: y' = f, with y = (q, v) in absolute coordinates. */
#include "laboratory/complement/complement.h"
#include "laboratory/coordinates.h"
#include "laboratory/methods.h"
#include "linkage/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME "formulation complement"

static void close_complement(void *self)
{
    struct lk_complement *c = self;

    if (!c)
        return;
    lk_generalised_fini(&c->g);
    free(c->P);
    free(c->q2);
    free(c->a);
    free(c->choice);
    free(c->A);
    free(c->B);
    free(c->C);
    free(c->D);
    free(c->u);
    free(c->v);
    free(c->tau);
    free(c->pivot);
    free(c);
}

/* Allocate scratch and results. The members r and s must be set.
 * Return: 0, -ENOMEM */
static int allocate(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n, most = n + (size_t)c->g.m;

    c->P = calloc(n * (size_t)c->s + 1, sizeof(double));
    c->q2 = calloc(n + 1, sizeof(double));
    c->a = calloc(n + 1, sizeof(double));
    c->choice = calloc(most + 1, sizeof(int));
    c->pivot = calloc(most + 1, sizeof(int));
    c->A = calloc(most * most + 1, sizeof(double));
    c->B = calloc(most * most + 1, sizeof(double));
    c->C = calloc(most * most + 1, sizeof(double));
    c->D = calloc(most * most + 1, sizeof(double));
    c->u = calloc(most + 1, sizeof(double));
    c->v = calloc(most + 1, sizeof(double));
    c->tau = calloc(most + 1, sizeof(double));
    if (!c->P || !c->q2 || !c->a || !c->choice || !c->pivot || !c->A || !c->B || !c->C || !c->D ||
        !c->u || !c->v || !c->tau)
        return -ENOMEM;
    return 0;
}

static const struct lk_complement_method *find_method(const char *variant)
{
    const struct lk_complement_method *method = lk_complement_methods;

    if (!variant || variant[0] == '\0')
        return method;
    while (method->name && strcmp(method->name, variant) != 0)
        method++;
    return method->name ? method : NULL;
}

/* Determine the rank at the start, including the normalisation rows of Euler parameters. */
static int find_rank(struct lk_complement *c, struct lk_error *ret_error)
{
    struct lk_mobility mobility;
    int r;

    lk_mechanics_start(c->g.mechanics);
    lk_mechanics_evaluate(c->g.mechanics, lk_system_time(c->g.mechanics->system));
    r = lk_mobility_init(c->g.mechanics->system, &mobility);
    if (r == LK_E_MODEL)
        lk_error_set(ret_error, NAME ": the loops of the model are too large for dense matrices; "
                                     "take formulation ali3");
    if (r != 0)
        return r;
    c->r = mobility.rank + c->g.m - c->g.mechanics->n_rows;
    c->s = c->g.n - c->r;
    lk_mobility_fini(&mobility);
    return 0;
}

/* Refuse an initial pose in which the mechanism has more degrees of freedom than in nearby poses,
 * because the rank would be too small. */
static int refuse_singular(const struct lk_complement *c, struct lk_error *ret_error)
{
    struct lk_pose_check check;
    int r = lk_pose_check_init(c->g.mechanics->system, &check), n_extra;

    if (r != 0) /* the loops are too large to check, or another error */
        return r == LK_E_MODEL ? 0 : r;
    n_extra = check.kind == LK_POSE_SINGULAR ? check.n_extra : 0;
    lk_pose_check_fini(&check);
    if (n_extra == 0)
        return 0;
    lk_error_set(ret_error,
                 NAME ": the start is a singular pose with %d more degree(s) of freedom than poses "
                      "nearby; start elsewhere, or use formulation ali3",
                 n_extra);
    return LK_E_MODEL;
}

/* Refuse a singular mass matrix if the method inverts the mass matrix: Pekal, Fraczek 2016, end of
 * section 3.3.2. */
static int refuse_mass(const struct lk_complement *c, struct lk_error *ret_error)
{
    const struct lk_system *sys = c->g.mechanics->system;

    if (!c->method->divides_by_mass)
        return 0;
    if (c->orientation == LK_ORIENTATION_PARAMETERS) {
        lk_error_set(ret_error,
                     NAME
                     ":%s: the mass matrix of Euler parameters is singular and has no inverse; "
                     "take orientation lie, angles or euler, or another variant",
                     c->method->name);
        return LK_E_MODEL;
    }
    for (int i = 0; i < sys->n_bodies; i++) {
        const double *J = sys->body[i].inertia;

        if (sys->body[i].mass > 0 && J[0] > 0 && J[1] > 0 && J[2] > 0)
            continue;
        lk_error_set(ret_error,
                     NAME ":%s: body %s has a singular mass matrix; give it mass and inertia, or "
                          "take another variant",
                     c->method->name, sys->body_name[sys->body[i].of]);
        return LK_E_MODEL;
    }
    return 0;
}

/* Refuse angles that are singular at the start. */
static int refuse_angles(const struct lk_complement *c, struct lk_error *ret_error)
{
    struct lk_mechanics *mechanics = c->g.mechanics;
    int size = c->g.n / (mechanics->n_bodies > 0 ? mechanics->n_bodies : 1);
    double *q = c->A, *v = c->B;

    if (c->orientation != LK_ORIENTATION_ANGLES && c->orientation != LK_ORIENTATION_EULER)
        return 0;
    lk_coordinates_read(mechanics, c->orientation, q, v);
    for (int i = 0; i < mechanics->n_bodies; i++)
        if (lk_coordinates_rates(c->orientation, 1, &q[size * i], &v[6 * i], c->C) != 0) {
            lk_error_set(ret_error,
                         NAME ": the angles of body %s are singular at the start; turn the frame "
                              "of the body, or take orientation lie or parameters",
                         mechanics->system->body_name[mechanics->system->body[i].of]);
            return LK_E_MODEL;
        }
    return 0;
}

static int refuse_model(const struct lk_complement *c, struct lk_error *ret_error)
{
    int r = refuse_mass(c, ret_error);

    if (r == 0)
        r = refuse_singular(c, ret_error);
    if (r == 0)
        r = refuse_angles(c, ret_error);
    return r;
}

static int open_complement(struct lk_mechanics *mechanics,
                           const struct lk_equations_options *options, void **ret,
                           struct lk_error *ret_error)
{
    struct lk_complement *c;
    int r;

    if (!find_method(options->variant)) {
        lk_error_set(ret_error, NAME ": there is no variant '%s'; qr is the default",
                     options->variant);
        return LK_E_MODEL;
    }
    c = calloc(1, sizeof(*c));
    if (!c)
        return -ENOMEM;
    c->method = find_method(options->variant);
    c->orientation = options->orientation;
    c->stabilisation = options->stabilisation;
    memcpy(c->baumgarte, options->baumgarte, sizeof(c->baumgarte));
    c->n_positions = lk_coordinates_size(c->orientation, mechanics->n_bodies);
    r = lk_generalised_init(&c->g, mechanics, c->orientation);
    if (r == 0)
        r = find_rank(c, ret_error);
    if (r == 0)
        r = allocate(c);
    if (r == 0)
        r = refuse_model(c, ret_error);
    if (r == 0)
        *ret = c;
    else
        close_complement(c);
    return r;
}

static int size_of(const void *self)
{
    const struct lk_complement *c = self;

    return c->n_positions + c->g.mechanics->n_velocities;
}

static void read_state(void *self, double *y)
{
    struct lk_complement *c = self;

    lk_coordinates_read(c->g.mechanics, c->orientation, y, y + c->n_positions);
}

/* Compute c->a = v' at the state @y. */
static int find_accelerations(struct lk_complement *c, double t, const double *y)
{
    const double *q = y, *v = y + c->n_positions;
    int is_baumgarte = c->stabilisation == LK_STABILISATION_BAUMGARTE, r;

    lk_coordinates_write(c->g.mechanics, c->orientation, q, v);
    lk_mechanics_evaluate(c->g.mechanics, t);
    r = lk_generalised_evaluate(&c->g, q, v, is_baumgarte ? c->baumgarte : NULL);
    if (r == 0)
        r = c->method->accelerations(c);
    if (r == 0)
        lk_generalised_accelerations(&c->g, c->q2, c->a);
    return r;
}

static int rate(void *self, double t, const double *y, double *ret)
{
    struct lk_complement *c = self;
    int r = find_accelerations(c, t, y);

    if (r != 0)
        return r;
    memcpy(ret + c->n_positions, c->a, (size_t)c->g.mechanics->n_velocities * sizeof(double));
    return lk_coordinates_rates(c->orientation, c->g.mechanics->n_bodies, y, y + c->n_positions,
                                ret);
}

static int write_state(void *self, double t, const double *y)
{
    struct lk_complement *c = self;
    struct lk_motion *motion = lk_mechanics_motion(c->g.mechanics);
    int r = find_accelerations(c, t, y);

    for (int i = 0; i < c->g.mechanics->n_bodies && r == 0; i++) {
        memcpy(motion[i].a.v, &c->a[6 * i], sizeof(motion[i].a.v));
        memcpy(motion[i].a.w, &c->a[6 * i + 3], sizeof(motion[i].a.w));
    }
    return r;
}

static int settles(const void *self)
{
    const struct lk_complement *c = self;

    return c->stabilisation == LK_STABILISATION_PROJECTION ||
                   c->stabilisation == LK_STABILISATION_POSITION
               ? LK_SETTLES_ROWS
               : 0;
}

static int settle_state(void *self, double t, double *y)
{
    struct lk_complement *c = self;

    lk_coordinates_normalise(c->orientation, c->g.mechanics->n_bodies, y);
    if (!settles(c))
        return 0;
    return lk_complement_newton(c, t, y, y + c->n_positions,
                                c->stabilisation == LK_STABILISATION_PROJECTION);
}

static void multipliers(void *self, double *ret)
{
    struct lk_complement *c = self;

    /* The accelerations were computed, so the matrices are finite. If LAPACK fails nevertheless,
     * return zeros. */
    if (lk_complement_multipliers(c, ret) != 0)
        memset(ret, 0, (size_t)c->g.mechanics->n_rows * sizeof(double));
}

const struct lk_equations lk_equations_complement = {
    .name = "complement",
    .variants = lk_complement_variants,
    .paper = "M. Pekal, J. Fraczek, Comparison of natural complement formulations (2016)",
    .why_not_fixed =
        "its null space comes from dense decompositions that iterate until they have converged",
    .takes_massless = 1,
    .open = open_complement,
    .close = close_complement,
    .size = size_of,
    .read = read_state,
    .rate = rate,
    .write = write_state,
    .settle = settle_state,
    .settles = settles,
    .lambda = multipliers,
};

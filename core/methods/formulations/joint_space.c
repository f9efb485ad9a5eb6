/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/formulations/joint_space.h"
#include <errno.h>
#include <stdlib.h>

/* Refuse bodies without inertia, because their velocity cannot be computed from their momentum. */
static int refuse_massless(const char *name, const struct lk_system *sys,
                           struct lk_error *ret_error)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *q = &sys->quad[b / 4];
        int lane = b % 4;

        if (q->massless[0][lane] == 0 && q->massless[1][lane] == 0 && q->thin[0][lane] == 0 &&
            q->thin[1][lane] == 0 && q->thin[2][lane] == 0)
            continue;
        lk_error_set(ret_error,
                     "formulation %s divides by masses and body '%s' has none, or no moment of "
                     "inertia about some axis: expected formulation recursive or ali3 for it",
                     name, sys->body_name[sys->body[b].of]);
        return LK_E_MODEL;
    }
    return 0;
}

static int take_memory(struct lk_joint_space *s)
{
    size_t n = (size_t)s->mechanics->n_bodies, rows = (size_t)s->mechanics->n_rows;
    size_t twists = 2 * n * sizeof(struct lk_twist) / sizeof(double);
    double *place = calloc(twists + 2 * rows + 2 * (size_t)s->n_v + 1, sizeof(double));

    if (!place)
        return -ENOMEM;
    s->memory = place;
    s->force = (struct lk_twist *)place;
    s->motion = s->force + n;
    s->rows = place + twists;
    s->other = s->rows + rows;
    s->nu = s->other + rows;
    s->nu_rate = s->nu + s->n_v;
    return 0;
}

int lk_joint_space_init(struct lk_joint_space *s, const char *name, struct lk_mechanics *mechanics,
                        struct lk_error *ret_error)
{
    int r = refuse_massless(name, mechanics->system, ret_error);

    *s = (struct lk_joint_space){.mechanics = mechanics};
    if (r == 0)
        r = lk_relative_new(mechanics, &s->relative, ret_error);
    if (r != 0)
        return r;
    s->assembly = lk_relative_assembly(s->relative);
    s->n_q = s->relative->n_q;
    s->n_v = s->relative->n_v;
    return take_memory(s);
}

void lk_joint_space_fini(struct lk_joint_space *s)
{
    lk_relative_free(s->relative);
    free(s->memory);
}

/* Add 2 alpha Phi' + beta^2 Phi to @ret. For rows of the tree both terms are round-off. */
static void add_baumgarte(const struct lk_joint_space *s, double *ret)
{
    lk_mechanics_rates(s->mechanics, s->other);
    for (int r = 0; r < s->mechanics->n_rows; r++)
        ret[r] += 2 * s->baumgarte[0] * s->other[r];
    lk_mechanics_violation(s->mechanics, s->other);
    for (int r = 0; r < s->mechanics->n_rows; r++)
        ret[r] += s->baumgarte[1] * s->baumgarte[1] * s->other[r];
}

void lk_joint_space_accelerate(struct lk_joint_space *s)
{
    lk_mechanics_forces(s->mechanics, s->force);
    lk_assembly_divide(s->assembly, s->force, s->motion);
    lk_mechanics_gamma(s->mechanics, s->rows);
    if (s->baumgarte[1] > 0)
        add_baumgarte(s, s->rows);
    lk_assembly_add_rates(s->assembly, s->motion, s->rows);
    lk_assembly_solve(s->assembly, s->rows);
    lk_assembly_subtract_forces(s->assembly, s->rows, s->force);
    lk_assembly_divide(s->assembly, s->force, s->motion);
    lk_relative_rate_components(s->relative, s->motion, s->nu_rate);
}

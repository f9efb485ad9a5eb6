/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/load_creep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* lower limit of the normal force relative to the load, so that the coefficients of a lifted wheel
 * remain above 0 */
#define LEAST 1e-9

/* Return the row of the contact constraint of joint @name among the rigid rows, or -1. */
static int find_row(const struct lk_mechanics *m, const char *name)
{
    int joint = lk_system_joint_index(m->system, name);

    for (int i = 0; i < m->n_blocks; i++)
        if (m->block[i] == joint)
            return m->first_row[i];
    return -1;
}

/* Write the creep term of law @i to @ret if its element gives a load.
 * Return: 1, 0: no such term, LK_E_MODEL. */
static int find_one(const struct lk_mechanics *m, const struct lk_model *model, int i,
                    struct lk_load_creep *ret, struct lk_error *ret_error)
{
    const struct lk_law *law = &m->system->law[i];
    const struct lk_term *term = &m->system->term[law->first_term];
    const struct lk_force_def *f;

    if (law->n_terms != 1 || term->kind != LK_TERM_CREEP)
        return 0;
    f = &model->forces[term->force];
    if (!(f->load > 0))
        return 0;
    *ret = (struct lk_load_creep){.term = law->first_term,
                                  .row = find_row(m, model->joints[f->joint].name),
                                  .damping = term->now->damping,
                                  .limit = term->now->limit,
                                  .load = f->load};
    if (ret->row >= 0)
        return 1;
    lk_error_set(ret_error,
                 "creep '%s' follows the contact force of '%s', which has compliance and no "
                 "multiplier, expected a rigid contact, or formulation absolute:index-1",
                 f->name, model->joints[f->joint].name);
    return LK_E_MODEL;
}

int lk_load_creep_find(const struct lk_mechanics *m, const struct lk_model *model,
                       struct lk_load_creep **ret, int *ret_n, struct lk_error *ret_error)
{
    struct lk_load_creep *rows = calloc((size_t)m->system->n_laws + 1, sizeof(*rows));
    int n = 0;

    if (!rows)
        return -ENOMEM;
    for (int i = 0; i < m->system->n_laws; i++) {
        int r = find_one(m, model, i, &rows[n], ret_error);

        if (r == LK_E_MODEL) {
            free(rows);
            return r;
        }
        n += r;
    }
    *ret = rows;
    *ret_n = n;
    return 0;
}

void lk_load_creep_follow(struct lk_mechanics *m, const struct lk_load_creep *rows, int n,
                          const double *lambda)
{
    for (int i = 0; i < n; i++) {
        const struct lk_term *term = &m->system->term[rows[i].term];
        double part = fmax(-lambda[rows[i].row] / rows[i].load, LEAST), root = cbrt(part);

        term->now->damping = rows[i].damping * root * root;
        term->now->limit = rows[i].limit * part;
    }
}

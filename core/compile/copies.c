/* SPDX-License-Identifier: Apache-2.0 */
/* Systems become copies side by side; see step/copies.h. */
#include "compile/copies.h"
#include "maths/arithmetic.h"
#include "step/rattle.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64 /* of the widest vector [bytes] */

int lk_copies_lanes(const struct lk_system *sys, const char **ret_why)
{
    const struct lk_batches *p = sys->batches;

    *ret_why = p == NULL || !p->is_copy                           ? "it is stepped one by one"
               : sys->formulation != &lk_formulation_rattle_lanes ? "its formulation is not rattle"
               : sys->order > 2                                   ? "its order is higher than 2"
               : sys->net.n_blocks > 0                            ? "it has blocks"
               : sys->n_massless > 0 || p->carries                ? "it has bodies without inertia"
               : ((const struct lk_rattle *)sys->formulation_data)->stops.n > 0
                   ? "it has hard stops"
               : lk_rattle_may_jump(sys) ? "it has drives beside forces as inputs"
               : sys->pool != NULL       ? "it has workers"
               : p->n_map > 0            ? "its program moves values between lanes"
                                         : NULL;
    return *ret_why == NULL ? p->lanes : 1;
}

static bool have_one_program(const struct lk_batches *a, const struct lk_batches *b)
{
    bool same = a->engine == b->engine && a->n_values == b->n_values && a->rare == b->rare &&
                a->carries == b->carries && a->factors_twice == b->factors_twice &&
                a->n_tense == b->n_tense && a->n_soft == b->n_soft;

#define X(list, n)                                                                                 \
    same = same && a->n == b->n &&                                                                 \
           (a->n == 0 || memcmp(a->list, b->list, (size_t)a->n * sizeof(*a->list)) == 0);
    LK_BATCHES_LISTS(X)
#undef X
    return same;
}

bool lk_copies_fit(const struct lk_system *a, const struct lk_system *b)
{
    return a->h == b->h && a->iterations == b->iterations &&
           memcmp(a->gravity, b->gravity, sizeof(a->gravity)) == 0 &&
           a->rows_are_independent == b->rows_are_independent &&
           a->is_redundant == b->is_redundant && a->n_least == b->n_least &&
           a->closes_dampers == b->closes_dampers && a->books_closing == b->books_closing &&
           a->needs_twists == b->needs_twists && have_one_program(a->batches, b->batches);
}

/* one lane of all vectors, between two arrays of them */
static void copy_lane(const struct lk_batches *p, const double *from, double *to)
{
    for (size_t v = 0; v < (size_t)p->n_values; v++)
        to[v * (size_t)p->lanes] = from[v * (size_t)p->lanes];
}

int lk_copies_new(struct lk_system *const *systems, int n, struct lk_copies **ret)
{
    const struct lk_batches *first = systems[0]->batches;
    size_t size = (size_t)first->n_values * (size_t)first->lanes * sizeof(double);
    struct lk_copies *c = calloc(1, sizeof(*c));

    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (c != NULL)
        c->values = aligned_alloc(ALIGNMENT, size);
    if (c == NULL || c->values == NULL) {
        free(c);
        return -ENOMEM;
    }
    c->n = n;
    /* lanes that no system has are those that the first one has empty */
    memcpy(c->values, first->values,
           (size_t)first->n_values * (size_t)first->lanes * sizeof(double));
    for (int i = 0; i < n; i++) {
        c->system[i] = systems[i];
        c->own[i] = systems[i]->batches;
        c->view[i] = *c->own[i];
        c->view[i].values = c->values + i;
        c->view[i].entries = 1;
        copy_lane(c->own[i], c->own[i]->values, c->view[i].values);
        systems[i]->batches = &c->view[i];
    }
    *ret = c;
    return 0;
}

void lk_copies_free(struct lk_copies *c)
{
    if (c == NULL)
        return;
    for (int i = 0; i < c->n; i++) {
        copy_lane(c->own[i], c->view[i].values, c->own[i]->values);
        c->system[i]->batches = c->own[i];
    }
    free(c->values);
    free(c);
}

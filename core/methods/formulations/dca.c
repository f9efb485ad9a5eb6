/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer for accelerations in joint coordinates (R. Featherstone, A divide-and-conquer
 * articulated-body algorithm for parallel O(log(n)) calculation of rigid-body dynamics, 1999). K.
 * Chadaj, P. Malczyk, J. Fraczek, 2016, compare Hamilton's form with this method. y = [q, nu].
 *
 * Joint coordinates satisfy the joints of the tree exactly. Loops are closed at acceleration level
 * only, so their positions drift. Variant `corrected` projects q and nu onto the cut rows after
 * every step. */
#include "methods/formulations/joint_space.h"
#include "methods/registry.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** struct dca - state of the formulation.
 * @corrects: project q and nu after every step */
struct dca {
    struct lk_joint_space space;
    int corrects;
};

static void close_dca(void *self)
{
    struct dca *d = self;

    if (!d)
        return;
    lk_joint_space_fini(&d->space);
    free(d);
}

static int open_dca(struct lk_mechanics *mechanics, const struct lk_equations_options *options,
                    void **ret, struct lk_error *ret_error)
{
    struct dca *d = calloc(1, sizeof(*d));
    int r;

    if (!d)
        return -ENOMEM;
    r = lk_joint_space_init(&d->space, "dca", mechanics, ret_error);
    if (r != 0) {
        close_dca(d);
        return r;
    }
    d->corrects = strcmp(options->variant, "corrected") == 0 ||
                  options->stabilisation == LK_STABILISATION_PROJECTION;
    if (options->stabilisation == LK_STABILISATION_BAUMGARTE)
        memcpy(d->space.baumgarte, options->baumgarte, sizeof(d->space.baumgarte));
    *ret = d;
    return 0;
}

static int size(const void *self)
{
    const struct dca *d = self;

    return d->space.n_q + d->space.n_v;
}

static void read_state(void *self, double *y)
{
    struct dca *d = self;

    lk_relative_read(d->space.relative, y, y + d->space.n_q);
}

static int evaluate_state(struct dca *d, double t, const double *y)
{
    lk_relative_place(d->space.relative, y, y + d->space.n_q);
    lk_mechanics_evaluate(d->space.mechanics, t);
    return lk_assembly_factor(d->space.assembly);
}

static int rate(void *self, double t, const double *y, double *ret)
{
    struct dca *d = self;
    int r = evaluate_state(d, t, y);

    if (r != 0)
        return r;
    lk_joint_space_accelerate(&d->space);
    lk_relative_rates(d->space.relative, y, y + d->space.n_q, ret);
    memcpy(ret + d->space.n_q, d->space.nu_rate, (size_t)d->space.n_v * sizeof(*ret));
    return 0;
}

static int write_state(void *self, double t, const double *y)
{
    struct dca *d = self;
    int r = evaluate_state(d, t, y);

    if (r != 0)
        return r;
    lk_joint_space_accelerate(&d->space);
    lk_relative_accelerate(d->space.relative, d->space.nu_rate);
    return 0;
}

static int settle_state(void *self, double t, double *y)
{
    struct dca *d = self;

    if (d->corrects)
        return lk_relative_project(d->space.relative, t, y, y + d->space.n_q);
    lk_relative_normalise(d->space.relative, y);
    return 0;
}

static int settles(const void *self)
{
    const struct dca *d = self;

    return d->corrects ? LK_SETTLES_ROWS : 0;
}

static void lambda(void *self, double *ret)
{
    struct dca *d = self;

    memcpy(ret, d->space.rows, (size_t)d->space.mechanics->n_rows * sizeof(*ret));
}

static const char *const variants[] = {"plain", "corrected", NULL};

const struct lk_equations lk_equations_dca = {
    .name = "dca",
    .variants = variants,
    .shares_work = 1,
    .paper = "R. Featherstone, A divide-and-conquer articulated-body algorithm (1999)",
    .open = open_dca,
    .close = close_dca,
    .size = size,
    .read = read_state,
    .rate = rate,
    .write = write_state,
    .settle = settle_state,
    .settles = settles,
    .lambda = lambda,
};

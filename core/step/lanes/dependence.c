/* SPDX-License-Identifier: Apache-2.0 */
/* Number of rows that depend on other rows, from the factors of the fronts in lanes. */
#include "step/lanes/batch.h"

/* return the number of lanes in which E of row @r of a slot is more than @share of the
 * pivot;
 * @inverse: inverse pivots of that row */
static int dependent_lanes(const struct lk_batches *p, const struct lk_batch_slot *slot, int r,
                           const double *inverse, double share)
{
    const struct lk_ref *ref = &slot->joint;
    int n = 0, lanes = ref->map < 0 ? p->lanes : ref->n;

    for (int l = 0; l < lanes; l++) {
        int at = ref->map < 0 ? ref->at * p->lanes + l : p->map[ref->map + l];

        n += at < p->nothing * p->lanes &&
             p->values[at + (slot->regular + r) * p->lanes] * inverse[l] > share;
    }
    return n;
}

/* return the number of dependent rows in the root */
static int dependent_root_rows(const struct lk_batches *p, double share)
{
    int n = 0, stride = lk_root_stride(p->lanes, p->n_root_rows);
    const double *inverse =
        p->values + p->root * p->lanes + LK_ROOT_MATRICES * p->n_root_rows * stride;

    for (int r = 0; r < p->n_root_rows; r++)
        n += p->values[p->root_rows[r].regular] * inverse[r] > share;
    return n;
}

int lk_batches_dependent_rows(const struct lk_batches *p, double share)
{
    int n = dependent_root_rows(p, share);

    for (int i = 0; i < p->n_fronts; i++) {
        const struct lk_batch_front *f = &p->fronts[i];
        const double *inverse = p->values + f->factor * p->lanes;

        if (f->root != LK_BATCH_BELOW_ROOT)
            continue;
        for (int k = f->first_slot; k < f->first_slot + f->n_elim; k++)
            for (int r = 0; r < p->slots[k].rows; r++, inverse += p->lanes)
                n += dependent_lanes(p, &p->slots[k], r, inverse, share);
    }
    return n;
}

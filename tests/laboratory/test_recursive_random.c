/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `recursive` on random mechanisms: branches, coupled loops, duplicate joints, gears,
 * drives, springs. One evaluation at the start must satisfy the equations of motion of every body
 * and the second derivative of every row; neither uses joint coordinates. */
#include "../cmocka_all.h"
#include "../physics/mechanism.h"
#include "maths/vec.h"
#include "methods/registry.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS      300
#define BODIES_MAX 40
#define ROWS_MAX   300

static struct lk_mechanics *mechanics_of(uint64_t seed)
{
    struct mechanism *m = mechanism_make(seed, MECHANISM_MOVABLE, 8);
    struct lk_mechanics *mechanics = NULL;
    struct lk_model *model = NULL;
    struct lk_error error;
    char *text;
    int r;

    mechanism_smoothen(m);
    text = mechanism_text(m);
    r = lk_model_read_text("random", text, strlen(text), &model, &error);
    if (r == 0)
        r = lk_mechanics_new(model, 0, &mechanics, &error);
    if (r != 0)
        fail_msg("seed %d: %s", (int)seed, error.text);
    lk_model_free(model);
    free(text);
    mechanism_free(m);
    return mechanics;
}

/* largest |Q - w x J w - Phi_q^T lambda - M a|, relative to the largest force */
static double imbalance(struct lk_mechanics *m, const double *lambda)
{
    static struct lk_twist force[BODIES_MAX];
    struct lk_mechanics_block block;
    double worst = 0, size = 1;

    lk_mechanics_forces(m, force);
    for (int r = 0; r < m->n_rows; r++)
        size = fmax(size, fabs(lambda[r]));
    for (int i = 0; i < m->n_blocks; i++) {
        lk_mechanics_read_block(m, i, &block);
        for (int s = 0; s < block.n_sides; s++)
            for (int k = 0; k < 3 * block.n_rows; k++) {
                const double *J = block.J[s][k / 3];
                double l = lambda[block.first_row + k / 3];

                force[block.body[s]].v[k % 3] -= l * J[k % 3];
                force[block.body[s]].w[k % 3] -= l * J[3 + k % 3];
            }
    }
    for (int b = 0; b < m->n_bodies; b++) {
        const struct lk_twist *a = &lk_mechanics_motion(m)[b].a;
        double torque[3];

        lk_sym_mul(m->system->body[b].inertia, a->w, torque);
        for (int i = 0; i < 3; i++) {
            double inertia = m->system->body[b].mass * a->v[i];

            size = fmax(size, fmax(fabs(inertia), fabs(torque[i])));
            worst = fmax(worst, fabs(force[b].v[i] - inertia));
            worst = fmax(worst, fabs(force[b].w[i] - torque[i]));
        }
    }
    return worst / size;
}

/* largest |Phi_q a + gamma|, relative to the largest acceleration */
static double misfit(struct lk_mechanics *m)
{
    double gamma[ROWS_MAX], worst = 0, size = 1;
    struct lk_mechanics_block block;

    lk_mechanics_gamma(m, gamma);
    for (int i = 0; i < m->n_blocks; i++) {
        lk_mechanics_read_block(m, i, &block);
        for (int r = 0; r < block.n_rows; r++) {
            double sum = gamma[block.first_row + r];

            for (int s = 0; s < block.n_sides; s++)
                for (int k = 0; k < 3; k++) {
                    const struct lk_twist *a = &lk_mechanics_motion(m)[block.body[s]].a;

                    sum += block.J[s][r][k] * a->v[k] + block.J[s][r][3 + k] * a->w[k];
                    size = fmax(size, fmax(fabs(a->v[k]), fabs(a->w[k])));
                }
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst / size;
}

static void test_random(void **state)
{
    const struct lk_equations *recursive = &lk_equations_recursive;
    const struct lk_equations_options options = {.variant = ""};
    double y[13 * BODIES_MAX], lambda[ROWS_MAX];
    int n_refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct lk_mechanics *m = mechanics_of(seed);
        struct lk_error error;
        void *self = NULL;

        assert_in_range(m->n_bodies, 1, BODIES_MAX);
        assert_in_range(m->n_rows, 0, ROWS_MAX);
        if (recursive->open(m, &options, &self, &error) != 0) {
            if (!strstr(error.text, "inertia"))
                fail_msg("seed %d: %s", (int)seed, error.text);
            n_refused++; /* a body without mass whose motion nothing determines */
            lk_mechanics_free(m);
            continue;
        }
        recursive->read(self, y);
        assert_int_equal(recursive->write(self, 0, y), 0);
        recursive->lambda(self, lambda);
        if (!(imbalance(m, lambda) < 1e-10) || !(misfit(m) < 1e-10))
            fail_msg("seed %d: forces %g, rows %g", (int)seed, imbalance(m, lambda), misfit(m));
        recursive->close(self);
        lk_mechanics_free(m);
    }
    assert_in_range(n_refused, 0, SEEDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

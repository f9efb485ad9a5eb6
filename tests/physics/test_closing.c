/* SPDX-License-Identifier: Apache-2.0 */
/* The closing of loops is in the energy balance: the violations that the iterations of `rattle`
 * leave and the closing removes change the energy, and this change is `closing` of a `work` output.
 * The rest of the balance is accurate to h^3 per step. Checked one by one and in lanes. */
#include "cmocka_all.h"
#include "machines.h"
#include "model/model.h"
#include "step/lanes/batch.h"
#include "step/scripts/step.h"
#include "trajectory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(name) "config/models/" name ".yaml"
#define DONE        10 /* number of iterations that leaves no violation */

static const char *engines[2]; /* one by one, and the first one in lanes */

static struct lk_system *with_books(const char *path, double h, int iterations, const char *engine)
{
    static const char *const books[] = {"outputs:", "outputs:\n  books: {type: work}", NULL};
    struct lk_model *model = trajectory_model(path, books);
    struct lk_options options = {.step = h, .iterations = iterations, .engine = engine};
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s: %s", path, error.text);
    assert_true((sys->batches == NULL) == (strcmp(engine, "none") == 0));
    lk_model_free(model);
    return sys;
}

static const double unmoved[16]; /* inputs */

/* Return the energy minus everything that the balance contains except closing. */
static double energy_of(const struct lk_system *sys)
{
    return machine_output(sys, "books", 4) + machine_output(sys, "books", 6);
}

/** struct unfinished - a machine stepped with few @iterations. @share: part of the closing energy
 * that the balance may leave unexplained */
struct unfinished {
    const char *path;
    double h;
    int iterations;
    double share;
};

/* Each step is made twice from the same state, with few iterations and with so many that hardly any
 * violation is left. The difference of the energies must equal the energy that is booked as
 * closing. */
static void unfinished_iterations_are_booked(void **state)
{
    static const struct unfinished cases[] = {
        {MODEL("ladder-2"), 1e-3, 1, 0.02},       {MODEL("ladder-2"), 8e-3, 2, 0.03},
        {MODEL("four-bar"), 2e-3, 1, 0.01},       {MACHINE("bennett"), 1e-3, 2, 0.05},
        {MACHINE("double-hooke"), 1e-3, 2, 0.02}, {MACHINE("crank"), 1e-3, 2, 0.08},
        {MACHINE("crank"), 1e-3, 3, 0.05},        {MACHINE("crank"), 5e-4, 2, 0.05},
        {MACHINE("gimbal"), 1e-3, 4, 0.2},
    };

    (void)state;
    for (size_t k = 0; k < 2 * sizeof(cases) / sizeof(*cases); k++) {
        const struct unfinished *c = &cases[k / 2];
        struct lk_system *sys = with_books(c->path, c->h, c->iterations, engines[k % 2]);
        struct lk_system *done = with_books(c->path, c->h, DONE, engines[k % 2]);
        double cost = 0, unexplained = 0;

        for (int i = 0; i < 1000; i++) {
            double defect, booked;

            memcpy(done->now.block, sys->now.block, sys->state_size * sizeof(double));
            lk_start_resume(done);
            machine_advance(done, 1, unmoved);
            machine_advance(sys, 1, unmoved);
            defect = energy_of(sys) - energy_of(done);
            booked = machine_output(sys, "books", 6) - machine_output(done, "books", 6);
            cost += fabs(defect);
            unexplained += fabs(defect - booked);
        }
        printf("    %-40s %d iterations, %s: cost %.3g J, %.2g of it unexplained\n", c->path,
               c->iterations, lk_system_engine(sys), cost, unexplained / cost);
        assert_true(unexplained < c->share * cost);
        lk_system_free(done);
        lk_system_free(sys);
    }
}

/* Return the largest change of `balance` in a step [J]. */
static double largest_residual(const char *path, double h, int iterations, const char *engine)
{
    struct lk_system *sys = with_books(path, h, iterations, engine);
    double largest = 0, before = machine_output(sys, "books", 4);

    for (double t = 0; t < 0.1; t += h) {
        double now;

        machine_advance(sys, 1, unmoved);
        now = machine_output(sys, "books", 4);
        largest = fmax(largest, fabs(now - before));
        before = now;
    }
    lk_system_free(sys);
    return largest;
}

/* Energy and all kinds of work balance to C h^3 per step. */
static void books_close_to_h3(void **state)
{
    static const struct unfinished cases[] = {
        {MODEL("ladder-2"), 1e-3, 1, 0},
        {MODEL("four-bar"), 1e-3, 0, 0},
        {MACHINE("gimbal"), 2.5e-4, 0, 0},
        {MACHINE("crank"), 2.5e-4, 2, 0},
    };

    (void)state;
    for (size_t k = 0; k < 2 * sizeof(cases) / sizeof(*cases); k++) {
        const struct unfinished *c = &cases[k / 2];
        double coarse = largest_residual(c->path, c->h, c->iterations, engines[k % 2]);
        double fine = largest_residual(c->path, c->h / 2, c->iterations, engines[k % 2]);

        printf("    %-40s %g ms, %s: %.3g J a step, order %.2f, %.3g J/s^3\n", c->path, 1e3 * c->h,
               engines[k % 2], coarse, log2(coarse / fine), coarse / pow(c->h, 3));
        assert_true(log2(coarse / fine) > 2.8);
    }
}

static int choose_engines(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    (void)state;
    lk_engines_here(here);
    engines[0] = "none";
    engines[1] = here[0]->name;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unfinished_iterations_are_booked),
        cmocka_unit_test(books_close_to_h3),
    };

    return cmocka_run_group_tests(tests, choose_engines, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The steps on batches are compared with the same methods one by one (step/scripts/ali3.c,
 * step/scripts/rattle.c, step/scripts/rk4.c), for each supported engine: mechanisms of known
 * shapes, random ones, and the shipped models.
 *
 *     test_batches [FIRST LAST [TESTS]]     seeds of random mechanisms; pattern of test names */
#include "by_engines.h"
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "linkage/parameters.h"
#include "sanitized.h"
#include "step/scripts/rattle.h"
#include "step/scripts/rk4.h"
#include <float.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare_figure(enum figure figure, enum figure_joints joints, int n)
{
    char what[120];

    snprintf(what, sizeof(what), "%s of %d, joints %d", figure_names[figure], n, joints);
    engines_compare_mechanism(figure_make(figure, joints, n, (uint64_t)n), what);
}

/* ---- engines ---- */

static void test_chains(void **state)
{
    static const int large[] = {63, 64, 65, 127, 130, 1000};

    (void)state;
    for (int n = 1; n <= 40; n += n < 18 ? THINNED : THINNED + 2) {
        compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, n);
        compare_figure(FIGURE_CHAIN, FIGURE_REVOLUTE, n);
    }
    for (size_t i = 0; i < sizeof(large) / sizeof(*large); i += THINNED) {
        compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, large[i]);
        compare_figure(FIGURE_CHAIN, FIGURE_REVOLUTE, large[i]);
    }
}

/* Return 1 if the figure can move: a closed figure of random joints is rigid or inconsistent. */
static int is_sound(int figure, int joints)
{
    if (figure == FIGURE_RING || figure == FIGURE_LADDER || figure == FIGURE_GRID)
        return joints == FIGURE_SPHERICAL || joints == FIGURE_PARALLEL;
    return 1;
}

static void test_figures(void **state)
{
    static const int sizes[] = {1, 3, 10, 16, 26, 64};
    /* all formulations have the same plans, so one of them runs more sizes */
    const size_t next = engines_formulation == &lk_formulation_rattle ? THINNED : THINNED + 1;

    (void)state;
    for (int figure = FIGURE_ANCHORED; figure < FIGURE_COUNT; figure++)
        for (int joints = 0; joints < FIGURE_JOINTS; joints++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i += next)
                if (is_sound(figure, joints))
                    compare_figure((enum figure)figure, (enum figure_joints)joints, sizes[i]);
}

static long first_seed, last_seed = 50, seeds_apart = THINNED;

static void compare_seed(long seed, unsigned keeps)
{
    struct dice dice = {(uint64_t)seed};
    int n = (int)dice_spread(&dice, 1, 61);
    enum mechanism_kind kind = seed % 3 == 2 ? MECHANISM_FREE : MECHANISM_MIXED;
    struct mechanism *m = mechanism_make((uint64_t)seed, kind, n);
    char what[80];

    figure_tame(m, keeps);
    if (engines_formulation == &lk_formulation_rk4 || engines_order > 2)
        figure_ease(m);
    snprintf(what, sizeof(what), "seed %ld, %d bodies, elements %u", seed, n, keeps);
    engines_compare_mechanism(m, what);
}

static void compare_random(unsigned keeps)
{
    int refused = engines_refused, compared = engines_compared, unfit = engines_unfit;

    for (long seed = first_seed; seed < last_seed; seed += seeds_apart)
        compare_seed(seed, keeps);
    /* one in twenty may be refused because it moves too fast for its step */
    assert_true(20 * (engines_refused - refused) <= engines_compared - compared);
    assert_true(3 * (engines_unfit - unfit) <= engines_compared - compared);
}

static void test_random_mechanisms(void **state)
{
    (void)state;
    compare_random(0);
}

/* Rows that are computed one by one: each sort of element alone, then all of them. */
static void test_elements(void **state)
{
    (void)state;
    engines_known_share = DBL_EPSILON / LK_RATTLE_REGULARISATION;
    compare_random(FIGURE_KEEPS_JOINTS);
    compare_random(FIGURE_KEEPS_DRIVES);
    compare_random(FIGURE_KEEPS_LAWS);
    compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS);
    compare_random(FIGURE_KEEPS_STOPS);
    compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_LAWS | FIGURE_KEEPS_MASSLESS);
    compare_random(FIGURE_KEEPS_ALL);
    /* hard stops with bodies without inertia, for which the multipliers of rigid rows are kept
     * between steps */
    compare_seed(583, FIGURE_KEEPS_ALL);
    engines_known_share = 0;
}

/* Elements that all formulations support. */
static void test_smooth_elements(void **state)
{
    (void)state;
    if (engines_formulation == &lk_formulation_rk4)
        engines_known_share = DBL_EPSILON / LK_RK4_REGULARISATION;
    compare_random(FIGURE_KEEPS_JOINTS);
    compare_random(FIGURE_KEEPS_DRIVES);
    compare_random(FIGURE_KEEPS_LAWS);
    compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS);
    compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS | FIGURE_KEEPS_DRIVES |
                   FIGURE_KEEPS_LAWS);
    engines_known_share = 0;
}

/* Compare @n arms side by side. They lie on their stops, fall onto them, bounce, and are pushed
 * off. */
static void compare_arms(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fprintf(f, "linkage: 1\nname: arms\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        fprintf(f,
                "  a%d: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, %d]}\n"
                "  b%d: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.5, 0, %d]}\n",
                i, i, i, i);
    fprintf(f, "joints:\n");
    for (int i = 0; i < n; i++)
        fprintf(
            f,
            "  j%d: {type: revolute, bodies: [ground, a%d], point: [0, 0, %d], axis: [0, 0, 1]}\n"
            "  k%d: {type: revolute, bodies: [a%d, b%d], point: [1, 0, %d], axis: [0, 0, 1]}\n",
            i, i, i, i, i, i, i);
    fprintf(f, "forces:\n");
    for (int i = 0; i < n; i++)
        fprintf(
            f,
            "  s%d: {type: stop, joint: j%d, lower: 0, upper: 2, stiffness: 1e12, damping: 3e6}\n"
            "  t%d: {type: stop, joint: k%d, lower: %g, upper: 2, stiffness: 1e12, "
            "damping: 1e5}\n",
            i, i, i, i, -1e-4 * (i + 1));
    fprintf(f,
            "inputs:\n  lift: {type: joint-torque, joint: j0}\n"
            "solver: {formulation: %s, step: 0.001}\n",
            engines_formulation->name);
    assert_int_equal(fclose(f), 0);
    engines_compare(&(struct subject){.text = text, .seed = (uint64_t)n}, "arms on stops");
    free(text);
}

static void test_stops(void **state)
{
    (void)state;
    compare_arms(1);
    compare_arms(6);
    compare_random(FIGURE_KEEPS_STOPS);
    compare_random(FIGURE_KEEPS_ALL);
}

/* Bodies without inertia, which `ali3` also supports. */
static void test_massless(void **state)
{
    (void)state;
    compare_random(FIGURE_KEEPS_MASSLESS);
    compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS | FIGURE_KEEPS_LAWS |
                   FIGURE_KEEPS_DRIVES | FIGURE_KEEPS_MASSLESS);
}

/* Bodies without inertia about one axis, which a hinge across this axis holds. */
static void test_thin_bodies(void **state)
{
    static const int sizes[] = {2, 9, 33, 64};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct mechanism *m = figure_make(FIGURE_CHAIN, FIGURE_REVOLUTE, sizes[i], i);
        char what[80];

        for (int b = 1; b < m->n_bodies; b += 4) {
            double moment = m->body[b].inertia[0];

            memcpy(m->body[b].inertia, (double[6]){0, moment, moment}, 6 * sizeof(double));
        }
        snprintf(what, sizeof(what), "chain of %d with thin bodies", sizes[i]);
        engines_compare_mechanism(m, what);
    }
}

/* Balls, whose inertia in world axes is constant: all bodies, or those of some blocks. */
static void test_balls(void **state)
{
    static const int periods[] = {1, 2, 4, 16};

    (void)state;
    for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++)
        for (int is_hinged = 0; is_hinged < 2; is_hinged++) {
            struct mechanism *m =
                figure_make(FIGURE_CHAIN, is_hinged ? FIGURE_REVOLUTE : FIGURE_SPHERICAL, 128, i);
            char what[80];

            for (int b = 0; b < m->n_bodies; b++) {
                double moment = m->body[b].inertia[0];

                if (b % periods[i] < (periods[i] + 1) / 2)
                    memcpy(m->body[b].inertia, (double[6]){moment, moment, moment},
                           6 * sizeof(double));
            }
            snprintf(what, sizeof(what), "chain with balls, %d", periods[i]);
            engines_compare_mechanism(m, what);
        }
}

static int with_root, without_root;

/* Undo the elimination of the root in one matrix. Its fronts are still in the program. */
static void give_root_back(struct lk_system *system)
{
    struct lk_batches *p = system->batches;

    for (int i = 0; i < p->n_fronts; i++)
        p->fronts[i].root = LK_BATCH_BELOW_ROOT;
    p->n_root_rows = 0;
    lk_system_reset(system); /* factorises again */
}

static double differ(const struct lk_system *a, const struct lk_system *b)
{
    double largest = 0;

    for (int k = 0; k < a->n_bodies; k++)
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(a->now.motion[k].x[i] - b->now.motion[k].x[i]));
    return largest;
}

static void compare_with_fronts(struct mechanism *m, const char *engine, const char *what)
{
    struct subject subject = {.mechanism = m, .seed = m->seed};
    struct lk_system *root = engines_compile(&subject, engine);
    struct lk_system *fronts = engines_compile(&subject, engine);
    double *inputs = engines_new_inputs(root);

    /* each row has an E */
    assert_true(lk_system_dependent_rows(root, 0) >= root->n_rows);
    with_root += root->batches->n_root_rows > 0;
    without_root += root->batches->n_root_rows == 0;
    give_root_back(fronts);
    for (int i = 0; i < 3; i++)
        if (lk_system_step(root, inputs) == 0 && lk_system_step(fronts, inputs) == 0 &&
            !(differ(root, fronts) <= 1e-13))
            fail_msg("%s, %s: step %d goes elsewhere by %g m", what, engine, i,
                     differ(root, fronts));
    free(inputs);
    lk_system_free(root);
    lk_system_free(fronts);
}

/* Elimination of the root in one matrix and front by front give the same result in all engines. */
static void test_root(void **state)
{
    static const enum figure figures[] = {FIGURE_CHAIN, FIGURE_LADDER, FIGURE_LIMBS};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    (void)state;
    lk_engines_here(here);
    for (int e = 0; here[e] != NULL; e++) {
        for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
            for (int n = 12; n < 140; n += 9 * THINNED) {
                struct mechanism *m = figure_make(figures[i], FIGURE_SPHERICAL, n, (uint64_t)n);

                compare_with_fronts(m, here[e]->name, figure_names[figures[i]]);
                mechanism_free(m);
            }
        for (uint64_t seed = 0; seed < 40; seed += THINNED) {
            struct mechanism *m = mechanism_make(seed, MECHANISM_MIXED, 20 + (int)seed);

            figure_tame(m, FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS);
            compare_with_fronts(m, here[e]->name, "random");
            mechanism_free(m);
            m = figure_make(seed / THINNED % 2 ? FIGURE_LIMBS : FIGURE_CHAIN, FIGURE_REVOLUTE,
                            8 + 3 * (int)seed, seed);
            figure_gear_apart(m, seed);
            compare_with_fronts(m, here[e]->name, "gears apart");
            mechanism_free(m);
        }
    }
    assert_true(with_root > without_root / 4);
}

/* Gears between bodies that are attached to the ground: two bodies each. */
static void test_gears(void **state)
{
    static const int sizes[] = {14, 56, 7 * 17};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct mechanism *m = figure_make(FIGURE_LIMBS, FIGURE_REVOLUTE, sizes[i], i);
        char what[80];

        figure_gear(m);
        snprintf(what, sizeof(what), "limbs of %d with gears", sizes[i]);
        engines_compare_mechanism(m, what);
    }
}

/* Gears between distant joints: two of their bodies are in a piece and a third is outside, or one
 * is beside a body in another lane that has no gear. */
static void test_gears_apart(void **state)
{
    static const enum figure figures[] = {FIGURE_CHAIN, FIGURE_LIMBS};

    (void)state;
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        for (uint64_t seed = 0; seed < 20; seed += THINNED) {
            struct mechanism *m = figure_make(figures[i], FIGURE_REVOLUTE, 8 + 3 * (int)seed, seed);
            char what[80];

            figure_gear_apart(m, seed);
            snprintf(what, sizeof(what), "%s of %d with gears apart", figure_names[figures[i]],
                     m->n_bodies);
            engines_compare_mechanism(m, what);
        }
}

/* Compare a chain whose first and tenth hinge are driven. */
static void compare_driven(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fprintf(f, "linkage: 1\nname: driven\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  b%d: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [%g, 0, 0]}\n", i,
                i + 0.5);
    fprintf(f, "joints:\n  j0: {type: revolute, bodies: [ground, b0], point: [0, 0, 0], "
               "axis: [0, 0, 1], drive: {harmonic: {amplitude: 0.1, omega: 30}}}\n");
    for (int i = 1; i < n; i++)
        fprintf(
            f,
            "  j%d: {type: revolute, bodies: [b%d, b%d], point: [%d, 0, 0], axis: [0, %d, %d]%s}\n",
            i, i - 1, i, i, i % 2, 1 - i % 2,
            i == 9 ? ", drive: {harmonic: {amplitude: 0.2, omega: 20}}" : "");
    fprintf(f,
            "outputs:\n  energy: {type: energy}\n  first: {type: joint-reaction, joint: j0}\n"
            "solver: {formulation: %s, step: 0.001}\n",
            engines_formulation->name);
    assert_int_equal(fclose(f), 0);
    engines_compare(&(struct subject){.text = text, .seed = (uint64_t)n}, "driven chain");
    free(text);
}

/* A light, split body carries weights whose geometric stiffness is partly in the matrix of the
 * step. One weight swings against a hard end stop, for which the step is predicted twice. */
static void test_light_hub(void **state)
{
    const int n = 41;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    (void)state;
    assert_non_null(f);
    fprintf(f, "linkage: 1\nname: hanging\ngravity: [0, 0, -9.81]\nbodies:\n"
               "  hub: {mass: 0.2, inertia: [1e-3, 1e-3, 2e-3], position: [0, 0, 0]}\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  w%d: {mass: %g, inertia: [0.1, 0.1, 0.02], position: [%g, %g, -0.5]%s}\n", i,
                1 + 0.1 * i, 0.1 * cos(i), 0.1 * sin(i),
                i == 7 ? ", velocity: [0, 0.5, 0], angular_velocity: [1, 0, 0]" : "");
    fprintf(f, "joints:\n  hook: {type: spherical, bodies: [ground, hub], point: [0, 0, 0.1]}\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  j%d: {type: %s, bodies: [hub, w%d], point: [%g, %g, 0]%s}\n", i,
                i == 7 ? "revolute" : "spherical", i, 0.1 * cos(i), 0.1 * sin(i),
                i == 7 ? ", axis: [1, 0, 0]" : "");
    fprintf(f, "forces:\n  end: {type: stop, joint: j7, lower: -0.005, upper: 0.005, stiffness: "
               "1e12}\nsolver: {step: 0.0024}\n");
    assert_int_equal(fclose(f), 0);
    engines_compare(&(struct subject){.text = text, .seed = 1}, "light hub");
    free(text);
}

/* Compare runs with higher orders, whose sub-steps and combination are all computed in lanes. */
static void compare_orders(const int orders[2], double known_share)
{
    static const int sizes[] = {3, 10, 26};

    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            engines_order = orders[k];
            compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, sizes[i]);
            compare_figure(FIGURE_LIMBS, FIGURE_ALTERNATING, sizes[i]);
            compare_figure(FIGURE_LADDER, FIGURE_PARALLEL, sizes[i]);
            compare_driven(sizes[i]);
        }
    engines_known_share = known_share;
    seeds_apart = 3 * THINNED;
    for (int k = 0; k < 2; k++) {
        engines_order = orders[k];
        compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_COUPLINGS | FIGURE_KEEPS_DRIVES |
                       FIGURE_KEEPS_LAWS);
        /* Bodies without inertia, which `rattle` refuses in higher orders. In mechanism 90, some
         * sub-steps begin with accelerations that are not in balance with the forces. */
        if (engines_formulation == &lk_formulation_ali3) {
            compare_random(FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_LAWS | FIGURE_KEEPS_MASSLESS);
            compare_seed(90, FIGURE_KEEPS_JOINTS | FIGURE_KEEPS_LAWS | FIGURE_KEEPS_MASSLESS);
        }
    }
    seeds_apart = THINNED;
    engines_known_share = 0;
    engines_order = 2;
}

static void test_orders(void **state)
{
    static const int of_ali3[] = {3, 4}, of_rattle[] = {4, 6};

    (void)state;
    if (engines_formulation == &lk_formulation_ali3)
        compare_orders(of_ali3, 0);
    else
        compare_orders(of_rattle, DBL_EPSILON / LK_RATTLE_REGULARISATION);
}

/* The second hinge is 1e-4 m too high for the door, so no pose closes it. Lanes use constants from
 * which this misfit was subtracted; otherwise rows would conflict with a force of 1e-4 m / E. */
static void test_misfit(void **state)
{
    char text[600];

    (void)state;
    snprintf(text, sizeof(text),
             "linkage: 1\nname: door\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\njoints:\n"
             "  low: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
             "  high: {type: spherical, bodies: [ground, a], points: [[0, 0, 1], [0, 0, 1.0001]]}\n"
             "inputs:\n  push: {type: body-force, body: a}\n"
             "solver: {formulation: %s, step: 0.005}\n",
             engines_formulation->name);
    engines_compare(&(struct subject){.text = text, .seed = 1}, "door");
}

/* ---- models ---- */

/* Read a model and disable its equilibrium start, because the search for it would remove the
 * perturbations by which the noise is measured. */
static char *text_in(const char *path)
{
    static const char balanced[] = "start: equilibrium", drawn[] = "start: drawn      ";
    struct lk_errors errors;
    char *text = NULL;
    size_t size = 0;
    int is_flat;

    assert_int_equal(lk_model_text(path, NULL, 0, &is_flat, &text, &size, &errors), 0);
    if (strstr(text, balanced))
        memcpy(strstr(text, balanced), drawn, strlen(drawn));
    return text;
}

/* Return whether a gear of the flat text has compliance. */
static bool has_springy_gear(const char *text)
{
    const char *gear = strstr(text, "{type: gear");

    return gear && strcspn(gear, "\n") > strcspn(gear, "}") &&
           memmem(gear, strcspn(gear, "\n"), "compliance", 10) != NULL;
}

static bool is_compared(const char *text)
{
    return !has_springy_gear(text) && !strstr(text, "formulation: recursive") &&
           !strstr(text, "type: mobility") && !strstr(text, "type: rolling") &&
           !strstr(text, "modes: {") && !strstr(text, "type: contact,");
}

/* All shipped models that `rattle` steps, except models with an output `mobility`, which lanes do
 * not compute, and with wheels that roll, bodies with modes and contacts, which lanes do not take. */
static void test_models(void **state)
{
    glob_t found;

    (void)state;
    engines_known_share = DBL_EPSILON / LK_RATTLE_REGULARISATION;
    assert_int_equal(glob("config/models/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *text = text_in(found.gl_pathv[i]);
        struct subject s = {.text = text, .seed = i};

        if (is_compared(text))
            engines_compare(&s, found.gl_pathv[i]);
        free(text);
    }
    assert_true(engines_compared > 20);
    engines_known_share = 0;
    globfree(&found);
}

#define BY(test, name)                                                                             \
    {                                                                                              \
#test ", " #name, test, engines_by_##name, NULL, NULL                                      \
    }
#define EACH_FORMULATION(test) BY(test, ali3), BY(test, rattle), BY(test, rk4)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        EACH_FORMULATION(test_chains),
        EACH_FORMULATION(test_figures),
        EACH_FORMULATION(test_random_mechanisms),
        BY(test_elements, rattle),
        BY(test_smooth_elements, ali3),
        BY(test_massless, ali3),
        BY(test_stops, ali3),
        BY(test_stops, rattle),
        BY(test_thin_bodies, ali3),
        BY(test_smooth_elements, rk4),
        BY(test_light_hub, rattle),
        BY(test_thin_bodies, rattle),
        BY(test_balls, rattle),
        BY(test_balls, rk4),
        BY(test_root, rattle),
        BY(test_gears, rattle),
        BY(test_gears_apart, rattle),
        BY(test_gears_apart, rk4),
        BY(test_gears, rk4),
        BY(test_orders, ali3),
        BY(test_orders, rattle),
        EACH_FORMULATION(test_misfit),
        BY(test_models, rattle),
    };
    int r;

    if (argc >= 3) {
        first_seed = atol(argv[1]);
        last_seed = atol(argv[2]);
    }
    if (argc == 4)
        cmocka_set_test_filter(argv[3]);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    engines_report();
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ropes: light points between rods and springs under a large load, which oscillate across the
 * tension faster than a step, see step/elements/sway.h. Each rope runs with a step that is several
 * times too long for its highest mode, and has the same motion as with a tenth of the step. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/state.h"
#include "maths/vec.h"
#include "sanitized.h"
#include "sheet.h"
#include "step/lanes/batch.h"
#include "step/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1e-3

/** struct rope - a rope from the ground to a load: @n segments of @length [m], points of @mass
 * [kg], at @angle [rad] from the vertical
 * @has_size: points have moments of inertia */
struct rope {
    int n;
    double length;
    double mass;
    double load;
    double angle;
    bool has_size;
};

static void put_point(struct sheet *s, const char *name, double mass, const char *moments,
                      const double x[3], const double v[3])
{
    sheet_put(s, "  %s: {mass: %g, inertia: [%s], position: [%.17g, %.17g, %.17g], ", name, mass,
              moments, x[0], x[1], x[2]);
    sheet_put(s, "velocity: [%.17g, %.17g, %.17g]}\n", v[0], v[1], v[2]);
}

static void put_link(struct sheet *s, const char *type, int k, const char *from, const char *to,
                     const double a[3], const double b[3])
{
    sheet_put(s, "  r%d: {type: %s, bodies: [%s, %s], ", k, type, from, to);
    sheet_put(s, "points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", a[0], a[1], a[2], b[0],
              b[1], b[2]);
}

static void place_of_point(const struct rope *r, int k, double ret[3])
{
    double way = k * r->length;

    ret[0] = way * sin(r->angle);
    ret[1] = 0;
    ret[2] = -way * cos(r->angle);
}

static void name_point(const struct rope *r, int k, char ret[16])
{
    snprintf(ret, 16, k == 0 ? "ground" : k == r->n ? "load" : "m%d", k);
}

static void draw_rope(struct sheet *s, const struct rope *r)
{
    const double still[3] = {0};

    sheet_put(s, "linkage: 1\nname: rope\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 1; k <= r->n; k++) {
        char name[16];
        double x[3];

        name_point(r, k, name);
        place_of_point(r, k, x);
        put_point(s, name, k == r->n ? r->load : r->mass,
                  r->has_size ? "1e-6, 2e-6, 3e-6" : "0, 0, 0", x, still);
    }
    sheet_put(s, "joints:\n");
    for (int k = 1; k <= r->n; k++) {
        char from[16], to[16];
        double a[3], b[3];

        name_point(r, k - 1, from);
        name_point(r, k, to);
        place_of_point(r, k - 1, a);
        place_of_point(r, k, b);
        put_link(s, "distance", k, from, to, a, b);
        sheet_put(s, "}\n");
    }
    sheet_put(s, "outputs:\n  work: {type: work}\n  energy: {type: energy}\n");
}

static struct sheet *new_sheet(void)
{
    struct sheet *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    return s;
}

static void where(const struct lk_system *sys, const char *name, double ret[3])
{
    struct lk_body_state state;

    lk_system_body_state(sys, lk_system_body_index(sys, name), &state);
    memcpy(ret, state.position, sizeof(state.position));
}

static double energy(const struct lk_system *sys)
{
    return sys->now.balance->kinetic + sys->now.balance->potential + sys->now.balance->taken;
}

/* Step for @time. The energy, including the energy that the step removed, must change by @swing [J]
 * at most. */
static void run(struct lk_system *sys, double time, double swing)
{
    double start = energy(sys);

    for (int i = 0; i < (int)round(time / sys->h); i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        if (!(fabs(energy(sys) - start) <= swing))
            fail_msg("%.3g s: energy changed by %.3g J", lk_system_time(sys), energy(sys) - start);
    }
}

static struct lk_system *compile(const char *text, double step, const char *engine)
{
    return compile_by("rattle", text, &(struct lk_options){.step = step, .engine = engine});
}

/* Return the distance of body @name after @time from its position with a tenth of the step [m]. */
static double stray(const char *text, double step, const char *name, double time, double swing)
{
    struct lk_system *coarse = compile(text, step, NULL), *fine = compile(text, step / 10, NULL);
    double a[3], b[3];

    assert_true(coarse->n_sways > 0);
    run(coarse, time, swing);
    run(fine, time, swing);
    where(coarse, name, a);
    where(fine, name, b);
    lk_sub(a, b, a);
    lk_system_free(coarse);
    lk_system_free(fine);
    return lk_norm(a);
}

static void ropes_swing_under_loads_a_million_times_as_heavy(void **state)
{
    static const struct rope ropes[] = {
        {20, 0.1, 0.01, 100, 0.3, false},   {20, 0.1, 0.01, 10000, 0.3, false},
        {40, 0.05, 0.001, 100, 0.5, false}, {20, 0.1, 0.01, 100, 0.3, true},
        {3, 0.3, 1e-5, 10, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ropes) / sizeof(*ropes); i++) {
        const struct rope *r = &ropes[i];
        struct sheet *s = new_sheet();
        double height = r->load * 9.81 * r->n * r->length * (1 - cos(r->angle)), off;

        draw_rope(s, r);
        off = stray(s->text, STEP, "load", 2.0 / THINNED, 1e-6 * height);
        printf("    %zu: %.1e m\n", i, off);
        assert_true(off < 2e-5);
        free(s);
    }
}

/* A rope released from the horizontal becomes slack, then taut, and swings. */
static void a_rope_that_is_let_go_holds(void **state)
{
    const struct rope r = {20, 0.1, 0.01, 100, M_PI / 2, false};
    struct sheet *s = new_sheet();
    double off;

    (void)state;
    draw_rope(s, &r);
    off = stray(s->text, STEP, "load", 1.0 / THINNED, 0.05);
    printf("    %.1e m\n", off);
    assert_true(off < 1e-3);
    free(s);
}

static void lanes_step_as_one_by_one(void **state)
{
    const struct rope r = {24, 0.1, 0.01, 100, 0.3, false};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    struct sheet *s = new_sheet();

    (void)state;
    draw_rope(s, &r);
    lk_engines_here(here);
    for (int e = 0; here[e]; e++) {
        struct lk_system *one = compile(s->text, STEP, "none");
        struct lk_system *lanes = compile(s->text, STEP, here[e]->name);

        assert_string_equal(lk_system_engine(lanes), here[e]->name);
        for (int i = 0; i < 200 / THINNED; i++) {
            double a[3], b[3];

            assert_int_equal(lk_system_step(one, NULL), 0);
            assert_int_equal(lk_system_step(lanes, NULL), 0);
            for (int k = 1; k <= r.n; k += 5) {
                char name[16];

                name_point(&r, k, name);
                where(one, name, a);
                where(lanes, name, b);
                lk_sub(a, b, a);
                assert_true(lk_norm(a) < 1e-9);
            }
        }
        assert_true(fabs(one->now.balance->taken - lanes->now.balance->taken) <
                    1e-6 + 1e-6 * fabs(one->now.balance->taken));
        lk_system_free(one);
        lk_system_free(lanes);
    }
    free(s);
}

/* The state contains everything that the rows need from the step before. */
static void a_state_that_is_set_leads_to_the_same_bits(void **state)
{
    const struct rope r = {20, 0.1, 0.01, 100, 0.3, false};
    struct sheet *s = new_sheet();
    struct lk_system *sys, *other;
    struct lk_error error;
    size_t size;
    void *kept;

    (void)state;
    draw_rope(s, &r);
    sys = compile(s->text, STEP, NULL);
    other = compile(s->text, STEP, NULL);
    size = lk_system_state_size(sys);
    kept = malloc(size);
    assert_non_null(kept);
    for (int i = 0; i < 100; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    lk_system_state_get(sys, kept);
    assert_int_equal(lk_system_state_set(other, kept, size, &error), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_int_equal(lk_system_step(other, NULL), 0);
    }
    assert_memory_equal(sys->now.block, other->now.block, sys->state_size * sizeof(double));
    free(kept);
    lk_system_free(sys);
    lk_system_free(other);
    free(s);
}

/* Two loads on a rope rotate about each other without gravity: momentum and energy are constant. */
static void loads_whirl_on_a_rope(void **state)
{
    const int n = 40;
    const double spin = 5;
    struct sheet *s = new_sheet();
    double off;

    (void)state;
    sheet_put(s, "linkage: 1\nname: whirl\ngravity: [0, 0, 0]\nbodies:\n");
    for (int k = 0; k <= n; k++) {
        double x[3] = {0.25 * k - 5}, v[3] = {0, spin * x[0]};
        char name[16];

        snprintf(name, sizeof(name), "m%d", k);
        put_point(s, name, k % n == 0 ? 100 : 0.01, "0, 0, 0", x, v);
    }
    sheet_put(s, "joints:\n");
    for (int k = 1; k <= n; k++) {
        double a[3] = {0.25 * (k - 1) - 5}, b[3] = {0.25 * k - 5};
        char from[16], to[16];

        snprintf(from, sizeof(from), "m%d", k - 1);
        snprintf(to, sizeof(to), "m%d", k);
        put_link(s, "distance", k, from, to, a, b);
        sheet_put(s, "}\n");
    }
    off = stray(s->text, STEP, "m0", 2.0 / THINNED, 1e-6);
    printf("    %.1e m\n", off);
    assert_true(off < 2e-4);
    free(s);
}

/* Pluck a string of springs between two walls. Its lowest mode is slow enough for the step; its
 * highest mode has three radians per step. @ret_height: displacement of its middle */
static void pluck(double step, double time, double *ret_height)
{
    const int n = 20;
    struct sheet *s = new_sheet();
    struct lk_system *sys;
    double x[3];

    sheet_put(s, "linkage: 1\nname: string\ngravity: [0, 0, 0]\nbodies:\n");
    for (int k = 1; k < n; k++) {
        double at[3] = {0.1 * k}, v[3] = {0, 0.5 * sin(M_PI * k / n)};
        char name[16];

        snprintf(name, sizeof(name), "m%d", k);
        put_point(s, name, 0.001, "0, 0, 0", at, v);
    }
    sheet_put(s, "forces:\n");
    for (int k = 1; k <= n; k++) {
        double a[3] = {0.1 * (k - 1)}, b[3] = {0.1 * k};
        char from[16], to[16];

        snprintf(from, sizeof(from), k == 1 ? "ground" : "m%d", k - 1);
        snprintf(to, sizeof(to), k == n ? "ground" : "m%d", k);
        put_link(s, "spring-damper", k, from, to, a, b);
        sheet_put(s, ", stiffness: 1e4, damping: 0.1, rest_length: 0.09}\n");
    }
    sys = compile(s->text, step, NULL);
    assert_int_equal(sys->n_sways, step > 1e-4 ? n : 0);
    for (int i = 0; i < (int)round(time / step); i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    where(sys, "m10", x);
    *ret_height = x[1];
    lk_system_free(sys);
    free(s);
}

static void a_string_that_is_plucked_keeps_its_tone(void **state)
{
    double coarse, fine;

    (void)state;
    /* T = 100 N, 0.01 kg/m, 2 m: 25 Hz, a quarter period of 10 ms; amplitude 3.2 mm */
    pluck(1e-3, 0.010, &coarse);
    pluck(2e-5, 0.010, &fine);
    printf("    %.3f mm, %.3f mm\n", 1e3 * coarse, 1e3 * fine);
    assert_true(fabs(fine - 0.00318) < 1e-4);
    assert_true(fabs(coarse - fine) < 0.02 * fine);
}

/* A rod whose point differs from the point mass by round-off (an ulp, or nine digits in the file)
 * must not have a lever arm. As the point mass has no inertia, a tiny arm would make it rotate
 * instead of following the rod. */
static void round_off_is_no_arm(void **state)
{
    static const char *const drawn[] = {"0.30000000000000004", "0.300000003"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sheet *s = new_sheet();
        struct lk_body_state a;
        struct lk_system *sys;

        sheet_put(
            s,
            "linkage: 1\nname: ulp\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  a: {mass: 1, inertia: [0, 0, 0], position: [%s, 0, -0.4], velocity: [0.5, 0.2, "
            "0.8]}\njoints:\n  r: {type: distance, bodies: [ground, a], points: [[0, 0, 0], "
            "[0.3, 0, -0.4]]}\n",
            drawn[i]);
        sys = compile(s->text, STEP, NULL);
        run(sys, 1, 1e-4);
        lk_system_body_state(sys, 0, &a);
        assert_true(lk_norm(a.angular_velocity) < 1e-9);
        assert_true(fabs(lk_norm(a.position) - 0.5) < 1e-8);
        lk_system_free(sys);
        free(s);
    }
}

/* Forces of the model contribute to the tension from which geometric stiffness is decided. */
static void a_force_pulls_a_rope(void **state)
{
    const struct rope r = {20, 0.1, 0.01, 0.01, 0.3, false};
    struct sheet *s = new_sheet();
    struct lk_system *sys;

    (void)state;
    draw_rope(s, &r);
    sheet_put(s, "forces:\n  f: {type: constant-force, body: load, frame: world, force: [300, 40, "
                 "-950]}\n");
    sys = compile(s->text, STEP, NULL);
    assert_int_equal(sys->n_sways, 20);
    run(sys, 2.0 / THINNED, 1e-3);
    lk_system_free(sys);
    free(s);
}

/* The shipped crane with its trolley pushed, compared with a tenth of the step. */
static void a_crane_swings_its_load(void **state)
{
    const double inputs[] = {2000, 100, 50, 0};
    struct lk_system *sys[2];
    double x[2][3];

    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        struct lk_model *model;
        struct lk_error error;
        double h = fine ? STEP / 10 : STEP;

        if (lk_model_read_file("config/models/crane.yaml", &model, &error) != 0 ||
            lk_system_new(model, &(struct lk_options){.step = h}, &sys[fine], &error) != 0)
            fail_msg("%s", error.text);
        lk_model_free(model);
        for (int i = 0; i < (int)round(3.0 / THINNED / h); i++)
            assert_int_equal(lk_system_step(sys[fine], inputs), 0);
        where(sys[fine], "load", x[fine]);
    }
    assert_int_equal(sys[0]->n_sways, 12);
    assert_string_equal(lk_system_note(sys[0]), ""); /* no note about rotating points */
    lk_sub(x[0], x[1], x[0]);
    printf("    %.1e m\n", lk_norm(x[0]));
    assert_true(lk_norm(x[0]) < 1e-5);
    lk_system_free(sys[0]);
    lk_system_free(sys[1]);
}

static int sways_of(const char *formulation, const char *text, const struct lk_options *options)
{
    struct lk_system *sys = compile_by(formulation, text, options);
    int n = sys->n_sways;

    lk_system_free(sys);
    return n;
}

static void only_what_is_too_fast_is_followed(void **state)
{
    struct sheet *light = new_sheet(), *heavy = new_sheet();

    (void)state;
    draw_rope(light, &(struct rope){20, 0.1, 0.01, 100, 0.3, true});
    draw_rope(heavy, &(struct rope){20, 0.1, 1, 20, 0.3, true});
    assert_int_equal(sways_of("rattle", light->text, &(struct lk_options){.step = STEP}), 20);
    assert_int_equal(sways_of("rattle", light->text, &(struct lk_options){.step = 2e-4}), 0);
    assert_int_equal(sways_of("rattle", heavy->text, &(struct lk_options){.step = STEP}), 0);
    assert_int_equal(
        sways_of("rattle", light->text, &(struct lk_options){.step = STEP, .order = 4}), 0);
    assert_int_equal(sways_of("ali3", light->text, &(struct lk_options){.step = STEP}), 0);
    assert_int_equal(sways_of("rk4", light->text, &(struct lk_options){.step = STEP}), 0);
    free(light);
    free(heavy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ropes_swing_under_loads_a_million_times_as_heavy),
        cmocka_unit_test(a_rope_that_is_let_go_holds),
        cmocka_unit_test(lanes_step_as_one_by_one),
        cmocka_unit_test(a_state_that_is_set_leads_to_the_same_bits),
        cmocka_unit_test(loads_whirl_on_a_rope),
        cmocka_unit_test(a_string_that_is_plucked_keeps_its_tone),
        cmocka_unit_test(a_force_pulls_a_rope),
        cmocka_unit_test(round_off_is_no_arm),
        cmocka_unit_test(a_crane_swings_its_load),
        cmocka_unit_test(only_what_is_too_fast_is_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

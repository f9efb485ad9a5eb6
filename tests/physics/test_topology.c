/* SPDX-License-Identifier: Apache-2.0 */
/* The result of compiling a mechanism: hubs and split bodies, bodies without mass, coordinates held
 * in assembly, inconsistent redundant rows. */
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "linkage/compile.h"
#include "linkage/linkage.h"
#include "step/system.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 32768

static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, TEXT_SIZE - used, format, arguments);
    va_end(arguments);
    assert_true(strlen(text) < TEXT_SIZE - 1);
}

static int try_compile(const char *text, const char *engine, struct lk_system **ret_sys,
                       struct lk_error *error)
{
    const struct lk_options options = {.engine = engine};
    struct lk_model *model;
    int r;

    if (lk_model_read_text("test", text, strlen(text), &model, error) != 0)
        fail_msg("%s", error->text);
    r = lk_system_new(model, &options, ret_sys, error);
    lk_model_free(model);
    return r;
}

static struct lk_system *compile_by(const char *text, const char *engine)
{
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (try_compile(text, engine, &sys, &error) != 0)
        fail_msg("%s", error.text);
    return sys;
}

static struct lk_system *compile(const char *text)
{
    return compile_by(text, NULL);
}

static void run(struct lk_system *sys, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
}

static double distance(const struct lk_system *a, const struct lk_system *b, const char *body)
{
    struct lk_body_state p, q;
    double largest = 0;

    lk_system_body_state(a, lk_system_body_index(a, body), &p);
    lk_system_body_state(b, lk_system_body_index(b, body), &q);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(p.position[i] - q.position[i]));
    return largest;
}

/* ---- hubs ---- */

#define ARMS 13

/* Write arms of different weight on ball joints around a hub. The hub consists of @n_hubs bodies
 * fixed to each other, each with its share of the arms, of the mass and of the inertia. */
static void write_star(char *text, int n_hubs)
{
    text[0] = 0;
    append(text, "linkage: 1\nname: star\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < n_hubs; k++)
        append(text,
               "  hub%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0], "
               "angular_velocity: [1, 2, 3]}\n",
               k, 6.0 / n_hubs, 3.0 / n_hubs, 4.0 / n_hubs, 5.0 / n_hubs);
    for (int i = 0; i < ARMS; i++)
        append(text,
               "  arm%d: {mass: %g, inertia: [0.1, 0.2, 0.2], position: [%.17g, %.17g, %g]}\n", i,
               0.5 + 0.1 * i, 1.5 * cos(i), 1.5 * sin(i), 0.05 * i);
    append(text, "joints:\n");
    for (int k = 1; k < n_hubs; k++)
        append(text, "  weld%d: {type: fixed, bodies: [hub%d, hub%d], point: [0, 0, 0]}\n", k,
               k - 1, k);
    for (int i = 0; i < ARMS; i++)
        append(text, "  j%d: {type: spherical, bodies: [hub%d, arm%d], point: [%.17g, %.17g, 0]}\n",
               i, i * n_hubs / ARMS, i, cos(i), sin(i));
}

/* Return the engine for a way of stepping: 0: one by one, with a hub; otherwise in lanes, with a
 * split body. */
static const char *way_of(int way)
{
    int e = 0;

    while (!lk_engines[e]->is_supported())
        e++;
    return way == 0 ? "none" : lk_engines[e]->name;
}

static void expect_way(const struct lk_system *sys, int way)
{
    struct lk_summary s;

    lk_system_summary(sys, &s);
    assert_int_equal(sys->fronts.n_motions, way == 0);
    assert_int_equal(s.n_split, way);
    assert_true(way == 0 ? s.n_parts == 0 : s.n_parts >= 2);
}

/* A hub moves as one body, and so do the parts of a split body: like a hub modelled as three
 * pieces. Round-off of 1e-16 is amplified by the motion and by E of the welds, 1e-8 of a pivot.
 * Both are far below 1e-10 m after 0.2 s. */
static void a_hub_moves_as_one_body(void **state)
{
    static char whole[TEXT_SIZE], pieces[TEXT_SIZE];

    (void)state;
    write_star(whole, 1);
    write_star(pieces, 3);
    for (int way = 0; way < 2; way++) {
        struct lk_system *a = compile_by(whole, way_of(way)), *b = compile_by(pieces, "none");
        struct lk_summary s;

        expect_way(a, way);
        lk_system_summary(a, &s);
        assert_int_equal(s.n_bodies, ARMS + 1);
        assert_true(s.largest_front < 3 * ARMS);
        assert_int_equal(b->fronts.n_motions, 2); /* the two outer pieces */
        run(a, 200);
        run(b, 200);
        for (int i = 0; i < ARMS; i++) {
            char name[16];

            snprintf(name, sizeof(name), "arm%d", i);
            assert_true(distance(a, b, name) < 1e-10);
        }
        assert_true(distance(a, b, "hub0") < 1e-10);
        lk_system_free(a);
        lk_system_free(b);
    }
}

/* Write a light plate suspended at its middle, with heavy weights on its rim. @step: order of the
 * joints */
static void write_hanging_hub(char *text, int step)
{
    text[0] = 0;
    append(text, "linkage: 1\nname: hanging\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  hub: {mass: 0.2, inertia: [1e-4, 1e-4, 2e-4], position: [0, 0, 0]}\n");
    for (int i = 0; i < ARMS; i++)
        append(text, "  w%d: {mass: %g, inertia: [0.1, 0.1, 0.02], position: [%.17g, %.17g, %g]}\n",
               i, 4 + 0.5 * i, 0.1 * cos(i), 0.1 * sin(i), -0.5 - 0.01 * i);
    append(text, "joints:\n  hook: {type: spherical, bodies: [ground, hub], point: [0, 0, 0.1]}\n");
    for (int n = 0; n < ARMS; n++) {
        int i = n * step % ARMS;

        append(text, "  j%d: {type: spherical, bodies: [hub, w%d], point: [%.17g, %.17g, 0]}\n", i,
               i, 0.1 * cos(i), 0.1 * sin(i));
    }
}

/* With lanes the body is split, and the bound on operations applies to the parts. Lanes that exceed
 * it are refused if the options name them, and not chosen otherwise. */
static void lanes_keep_the_bound_on_operations(void **state)
{
    static char text[TEXT_SIZE];
    struct lk_system *hub, *split, *sys = NULL;
    struct lk_model *model;
    struct lk_summary s[2];
    struct lk_error error;
    struct lk_bounds bounds = {0};

    (void)state;
    write_star(text, 1);
    hub = compile_by(text, way_of(0));
    split = compile_by(text, way_of(1));
    lk_system_summary(hub, &s[0]);
    lk_system_summary(split, &s[1]);
    assert_true(s[0].step_flops < 0.9 * s[1].step_flops);
    bounds.flops_max = 0.95 * s[1].step_flops;
    assert_int_equal(lk_model_read_text("test", text, strlen(text), &model, &error), 0);
    for (int way = 0; way < 2; way++) {
        const struct lk_options options = {.engine = way == 0 ? "auto" : way_of(1)};

        assert_int_equal(lk_system_new_within(model, &options, &bounds, &sys, &error),
                         way == 0 ? 0 : LK_E_MODEL);
        if (way == 0) {
            expect_way(sys, 0);
            lk_system_free(sys);
        }
    }
    assert_non_null(strstr(error.text, "floating point operations"));
    lk_model_free(model);
    lk_system_free(hub);
    lk_system_free(split);
}

/* The geometric stiffness of a split body is that of the whole body, whichever part has which
 * joint. */
static void a_hub_has_one_tension(void **state)
{
    static char text[TEXT_SIZE];

    (void)state;
    for (int way = 0; way < 2; way++) {
        struct lk_system *sys[2];

        for (int k = 0; k < 2; k++) {
            write_hanging_hub(text, k == 0 ? 1 : 5);
            sys[k] = compile_by(text, way_of(way));
            expect_way(sys[k], way);
            assert_non_null(strstr(lk_system_note(sys[k]), "light for the weight"));
            run(sys[k], 300);
        }
        printf("    %g m\n", distance(sys[0], sys[1], "hub"));
        assert_true(distance(sys[0], sys[1], "hub") < 1e-10);
        lk_system_free(sys[0]);
        lk_system_free(sys[1]);
    }
}

#define ROTORS   24
#define FRICTION 0.3  /* [N m] */
#define SPEED    20.0 /* initial rate of the rotors [rad/s] */

/* Write a hub on a hinge, surrounded by rotors on hinges with friction, which accelerate it. */
static void write_rubbing_hub(char *text, const char *formulation)
{
    append(text, "linkage: 1\nname: hub\nbodies:\n  hub: {mass: 5, inertia: [1, 1, 2], position: "
                 "[0, 0, 0]}\n");
    for (int i = 0; i < ROTORS; i++)
        append(text,
               "  r%d: {mass: 0.1, inertia: [1, 1, 0.4], position: [%.17g, %.17g, 0], "
               "angular_velocity: [0, 0, %g]}\n",
               i, cos(2 * M_PI * i / ROTORS), sin(2 * M_PI * i / ROTORS), SPEED);
    append(text,
           "joints:\n  hinge: {type: revolute, bodies: [ground, hub], point: [0, 0, 0], axis: "
           "[0, 0, 1]}\n");
    for (int i = 0; i < ROTORS; i++)
        append(text,
               "  j%d: {type: revolute, bodies: [hub, r%d], point: [%.17g, %.17g, 0], axis: [0, 0, "
               "1]}\n",
               i, i, cos(2 * M_PI * i / ROTORS), sin(2 * M_PI * i / ROTORS));
    append(text, "forces:\n");
    for (int i = 0; i < ROTORS; i++)
        append(text, "  f%d: {type: friction, joint: j%d, coulomb: %g, creep: 0.01}\n", i, i,
               FRICTION);
    append(text, "solver: {step: 0.001, formulation: %s}\n", formulation);
}

/* Friction at the joints of a hub: the hub, including the rotors' masses, gains the momentum that
 * the rotors lose. */
static void friction_turns_a_hub(void **state)
{
    static const struct {
        const char *name;
        double error;
    } formulations[] = {{"rattle", 1e-9}, {"ali3", 1e-4}};
    double hub = ROTORS * FRICTION / (2 + ROTORS * 0.1), rotor = FRICTION / 0.4;

    (void)state;
    for (int n = 0; n < 4; n++) {
        static char text[TEXT_SIZE];
        struct lk_body_state s;
        struct lk_system *sys;
        int k = n / 2, way = n % 2;

        text[0] = '\0';
        write_rubbing_hub(text, formulations[k].name);
        sys = compile_by(text, way_of(way));
        expect_way(sys, way);
        run(sys, 2000);
        lk_system_body_state(sys, lk_system_body_index(sys, "hub"), &s);
        printf("    %s: hub %.9f rad/s, should be %.9f\n", formulations[k].name,
               s.angular_velocity[2], 2 * hub);
        assert_true(fabs(s.angular_velocity[2] / (2 * hub) - 1) < formulations[k].error);
        for (int i = 0; i < ROTORS; i++) {
            char name[16];

            snprintf(name, sizeof(name), "r%d", i);
            lk_system_body_state(sys, lk_system_body_index(sys, name), &s);
            assert_true(fabs(s.angular_velocity[2] / (SPEED - 2 * rotor) - 1) <
                        formulations[k].error);
        }
        lk_system_free(sys);
    }
}

/* ---- random hubs ---- */

#define STARS 60

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

static void random_point(double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = between(-0.6, 0.6);
}

/* Append body @name at @x, with a mass between 3 g and 10 kg. */
static void append_body(char *text, const char *name, const double x[3])
{
    double mass = pow(10, between(-2.5, 1)), radius = between(0.05, 0.4);
    double J = mass * radius * radius;

    append(text, "  %s: {mass: %g, inertia: [%g, %g, %g], position: [%.17g, %.17g, %.17g]}\n", name,
           mass, J * between(0.6, 1), J * between(0.6, 1), J * between(0.6, 1), x[0], x[1], x[2]);
}

/** struct draw - sections of a model under construction
 * @end:  outer end of the last branch
 * @last: its last body, from 1 on */
struct draw {
    char bodies[TEXT_SIZE / 4];
    char joints[TEXT_SIZE / 2];
    char forces[TEXT_SIZE / 4];
    double end[3];
    int last;
};

/* Draw a branch of up to three links, each on a hinge or ball joint, some with a spring. */
static void draw_branch(struct draw *d)
{
    int parent = 0, n = 1 + rand() % 3;

    memset(d->end, 0, sizeof(d->end));
    for (int i = 0; i < n; i++) {
        double at[3], centre[3];
        char name[16];
        int b = ++d->last;

        random_point(at);
        random_point(centre);
        for (int k = 0; k < 3; k++) {
            at[k] += d->end[k];
            centre[k] = at[k] + 0.3 * centre[k];
        }
        snprintf(name, sizeof(name), "b%d", b);
        append_body(d->bodies, name, centre);
        append(d->joints, "  j%d: {bodies: [b%d, b%d], point: [%.17g, %.17g, %.17g], ", b, parent,
               b, at[0], at[1], at[2]);
        if (rand() % 2)
            append(d->joints, "type: spherical}\n");
        else
            append(d->joints, "type: revolute, axis: [%g, %g, %g]}\n", between(-1, 1),
                   between(-1, 1), between(0.1, 1));
        if (rand() % 4 == 0)
            append(d->forces,
                   "  f%d: {type: spring-damper, bodies: [b%d, ground], points: [[%.17g, %.17g, "
                   "%.17g], [1, 2, %g]], stiffness: %g, damping: 1}\n",
                   b, b, at[0], at[1], at[2], between(1, 2), pow(10, between(0, 4)));
        memcpy(d->end, at, sizeof(at));
        parent = b;
    }
}

static void append_rod(struct draw *d, const char *name, int a, const double at[3], int b,
                       const double to[3])
{
    append(d->joints, "  %s: {type: distance, bodies: [b%d, ", name, a);
    append(d->joints, b < 0 ? "ground" : "b%d", b);
    append(d->joints, "], points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}\n", at[0], at[1],
           at[2], to[0], to[1], to[2]);
}

/* Draw branches on a hub that is free or rotates about a hinge. Rods connect some branches to each
 * other or to the ground. */
static void draw_star(char *text)
{
    static struct draw d;
    const double origin[3] = {0}, far[3] = {2, 1, 1};
    double first[3];
    int n = 4 + rand() % 4, of_first;

    d = (struct draw){.forces = "forces:\n"};
    append_body(d.bodies, "b0", origin);
    if (rand() % 2)
        append(
            d.joints,
            "  base: {type: revolute, bodies: [ground, b0], point: [0, 0, 0], axis: [0, 0, 1]}\n");
    draw_branch(&d);
    of_first = d.last;
    memcpy(first, d.end, sizeof(first));
    for (int i = 1; i < n; i++)
        draw_branch(&d);
    if (rand() % 2)
        append_rod(&d, "rod", of_first, first, d.last, d.end);
    if (rand() % 4 == 0)
        append_rod(&d, "tie", d.last, d.end, -1, far);
    snprintf(text, TEXT_SIZE,
             "linkage: 1\nname: star\ngravity: [0, 0, -9.81]\nbodies:\n%sjoints:\n%s", d.bodies,
             d.joints);
    if (strlen(d.forces) > strlen("forces:\n"))
        append(text, "%s", d.forces);
}

/** struct manner - how stars are stepped. @may_refuse: springs may be too fast for it */
struct manner {
    const struct lk_formulation *formulation;
    int order;
    bool may_refuse;
};

/* Compile a star. Return NULL if it is refused. */
static struct lk_system *compile_star(const char *text, const struct manner *m, int has_no_hubs)
{
    const struct lk_compile_request how = {.formulation = m->formulation,
                                           .without = has_no_hubs ? LK_REDUCTION_HUBS : 0};
    const struct lk_options options = {.engine = "none", .order = m->order};
    struct lk_system *sys = NULL;
    struct lk_model *model;
    struct lk_error error;

    if (lk_model_read_text("test", text, strlen(text), &model, &error) != 0 ||
        (lk_compile(model, &options, how, &sys, &error) != 0 && !m->may_refuse))
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

/* Compare a star with and without hubs. Return the number of hubs, 0 if the star is refused. */
static int compare_star(const char *text, const struct manner *m, double *worst)
{
    struct lk_system *a = compile_star(text, m, 0), *b = compile_star(text, m, 1);
    int n_hubs = a ? a->fronts.n_motions : 0;

    assert_true(!a == !b);
    if (!a)
        return 0;
    assert_int_equal(b->fronts.n_motions, 0);
    for (int k = 0; k < a->n_sequences - 1; k++) {
        assert_int_equal(a->sequence[k]->fronts.n_motions, n_hubs);
        assert_int_equal(a->sequence[k]->n_rows, a->n_rows);
    }
    run(a, 100);
    run(b, 100);
    for (int k = 0; k < a->n_named_bodies; k++)
        *worst = fmax(*worst, distance(a, b, a->body_name[k]));
    lk_system_free(a);
    lk_system_free(b);
    return n_hubs;
}

/* Bodies of 3 g beside bodies of 10 kg, loops, and rods to the ground, which detach branches from
 * the hub. The motion is the same without hubs, for all formulations with fronts. */
static void a_hub_changes_no_motion(void **state)
{
    static const struct manner manners[] = {{&lk_formulation_rattle, 0, false},
                                            {&lk_formulation_ali3, 0, false},
                                            {&lk_formulation_rk4, 0, true},
                                            {&lk_formulation_rattle, 4, true}};
    static char text[TEXT_SIZE];

    (void)state;
    for (size_t m = 0; m < sizeof(manners) / sizeof(*manners); m++) {
        double worst = 0;
        int n_hubs = 0;

        srand(1);
        for (int i = 0; i < STARS; i++) {
            draw_star(text);
            n_hubs += compare_star(text, &manners[m], &worst);
        }
        printf("    %s, order %d: %d hubs in %d stars, at most %.1e m apart\n",
               manners[m].formulation->name, manners[m].order, n_hubs, STARS, worst);
        assert_true(n_hubs > STARS / 4 && worst < 1e-9);
    }
}

/* Euler parameters have fronts of their own, which do not support hubs: the body is split. */
static void a_body_with_many_joints_turns_by_euler_parameters(void **state)
{
    static char text[TEXT_SIZE], euler[TEXT_SIZE];
    struct lk_system *a, *b;
    struct lk_summary s;

    (void)state;
    write_star(text, 1);
    write_star(euler, 1);
    append(text, "solver: {step: 0.0005, formulation: ali3}\n");
    append(euler, "solver: {step: 0.0005, coordinates: euler-parameters}\n");
    a = compile_by(text, "none");
    b = compile_by(euler, "none");
    lk_system_summary(b, &s);
    assert_int_equal(a->fronts.n_motions, 1);
    assert_int_equal(b->fronts.n_motions, 0);
    assert_int_equal(s.n_split, 1);
    run(a, 400);
    run(b, 400);
    printf("    %.1e m apart\n", distance(a, b, "arm3"));
    assert_true(distance(a, b, "arm3") < 1e-7); /* the formulations have different errors */
    assert_true(distance(a, b, "hub0") < 1e-7);
    lk_system_free(a);
    lk_system_free(b);
}

/* ---- bodies without mass ---- */

#define BALL                                                                                       \
    "linkage: 1\nname: rod\ngravity: [0, -9.81, 0]\nbodies:\n"                                     \
    "  ball: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0.2], velocity: [0, 0, 1]}\n"

/* A massless link between two ball joints is a rod. The iterations remove its artificial mass, 1e-6
 * of the ball's. The projections include it, as if the middle of the rod had this mass: a quarter
 * of 1e-6 of the ball's mass at the ball. The error is the same fraction of the displacement of 1 m
 * or less, for any step. */
static void a_massless_link_is_a_rod(void **state)
{
    struct lk_system *link =
        compile(BALL "  link: {mass: 0, inertia: [0, 0, 0], position: [0.5, 0, 0]}\n"
                     "joints:\n"
                     "  a: {type: spherical, bodies: [ground, link], point: [0, 0, 0]}\n"
                     "  b: {type: spherical, bodies: [link, ball], point: [1, 0, 0]}\n");
    struct lk_system *rod = compile(
        BALL "joints:\n"
             "  r: {type: distance, bodies: [ground, ball], points: [[0, 0, 0], [1, 0, 0]]}\n");

    (void)state;
    /* its spin about its own axis is undetermined, and the note says so */
    assert_non_null(strstr(lk_system_note(link), "'link'"));
    assert_non_null(strstr(lk_system_note(link), "turning about (1, 0, 0)"));
    assert_int_equal(strlen(lk_system_note(rod)), 0);
    run(link, 1000);
    run(rod, 1000);
    printf("    after 1 s they are %.1e m apart\n", distance(link, rod, "ball"));
    assert_true(distance(link, rod, "ball") < 2.5e-7);
    lk_system_free(link);
    lk_system_free(rod);
}

static void expect_refusal(const char *text, const char *expected)
{
    struct lk_system *sys = NULL;
    struct lk_error error;

    assert_int_equal(try_compile(text, NULL, &sys, &error), LK_E_MODEL);
    assert_null(sys);
    if (!strstr(error.text, expected))
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

static void undetermined_motion_is_refused(void **state)
{
    (void)state;
    /* a torque on the free spin of the link */
    expect_refusal(BALL "  link: {mass: 0, inertia: [0, 0, 0], position: [0.5, 0, 0]}\n"
                        "joints:\n"
                        "  a: {type: spherical, bodies: [ground, link], point: [0, 0, 0]}\n"
                        "  b: {type: spherical, bodies: [link, ball], point: [1, 0, 0]}\n"
                        "inputs:\n"
                        "  twist: {type: body-torque, body: link}\n",
                   "body 'link' has no inertia that resists turning about (1, 0, 0)");
    /* a link at a free end, pushed there */
    expect_refusal(
        BALL "  link: {mass: 0, inertia: [0, 0, 0], position: [2, 0, 0]}\n"
             "joints:\n"
             "  b: {type: spherical, bodies: [ball, link], point: [1.5, 0, 0]}\n"
             "forces:\n"
             "  push: {type: constant-force, body: link, point: [2, 0, 0], force: [0, 1, 0]}\n",
        "a load moves it");
    /* a slender bar whose axis is that of a motor */
    expect_refusal(
        BALL "  bar: {mass: 1, inertia: [0, 1, 1], position: [3, 0, 0]}\n"
             "joints:\n"
             "  hinge: {type: revolute, bodies: [ground, bar], point: [3, 0, 0], axis: [1, 0, 0]}\n"
             "inputs:\n"
             "  motor: {type: joint-torque, joint: hinge}\n",
        "body 'bar' has no inertia that resists turning about (1, 0, 0)");
}

/* A spring across the hinge determines the free rotation of the bar, so the same bar is then
 * accepted. */
static void a_spring_determines_a_massless_turn(void **state)
{
    struct lk_system *sys = compile(
        "linkage: 1\nname: bar\nbodies:\n"
        "  bar: {mass: 1, inertia: [0, 1, 1], position: [3, 0, 0]}\n"
        "joints:\n"
        "  hinge: {type: revolute, bodies: [ground, bar], point: [3, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n"
        "  spring: {type: joint-spring-damper, joint: hinge, stiffness: 100, damping: 1}\n"
        "inputs:\n"
        "  motor: {type: joint-torque, joint: hinge}\n"
        "outputs:\n"
        "  angle: {type: joint-position, joint: hinge}\n");
    double torque = 5, angle = 0;

    (void)state;
    assert_int_equal(strlen(lk_system_note(sys)), 0);
    /* 1 angle' + 100 angle = 5: time constant 10 ms, final angle 0.05 rad */
    for (int i = 0; i < 500; i++)
        assert_int_equal(lk_system_step(sys, &torque), 0);
    lk_system_outputs(sys, &angle);
    assert_true(fabs(angle - 0.05) < 1e-9);
    lk_system_free(sys);
}

/* ---- held coordinates ---- */

#define FOUR_BAR(start)                                                                            \
    "linkage: 1\nname: hold\ngravity: [0, -9.81, 0]\nbodies:\n"                                    \
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0.1, 0]}\n"                      \
    "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0.8, 0]}\n"                    \
    "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.2, 0.6, 0]}\n"                     \
    "joints:\n"                                                                                    \
    "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]" start "}\n" \
    "  b: {type: revolute, bodies: [crank, coupler], points: [[1, 0.2, 0], [0.9, 0.3, 0]],"        \
    " axis: [0, 0, 1]}\n"                                                                          \
    "  c: {type: revolute, bodies: [coupler, rocker], points: [[2.2, 1.1, 0], [2.3, 1, 0]],"       \
    " axis: [0, 0, 1]}\n"                                                                          \
    "  d: {type: revolute, bodies: [rocker, ground], point: [2.5, 0, 0], axis: [0, 0, 1]}\n"       \
    "outputs:\n"                                                                                   \
    "  angle: {type: joint-position, joint: a}\n"                                                  \
    "  residual: {type: residual}\n"

static void a_held_coordinate_starts_where_it_is_told(void **state)
{
    double out[4];
    struct lk_system *held = compile(FOUR_BAR(", start: 0.7")), *loose = compile(FOUR_BAR(""));
    struct lk_system *none = NULL;
    struct lk_summary summary;
    struct lk_error error;

    (void)state;
    lk_system_outputs(held, out);
    assert_true(fabs(out[0] - 0.7) < 1e-14 && out[1] < 1e-14);
    /* afterwards the coordinate is not held: there are only the rows of the four pins */
    lk_system_summary(held, &summary);
    assert_int_equal(summary.n_rows_rigid, 8);
    run(held, 100);
    lk_system_outputs(held, out);
    assert_true(fabs(out[0] - 0.7) > 1e-3);
    lk_system_outputs(loose, out);
    assert_true(fabs(out[0] - 0.7) > 0.1 && out[1] < 1e-14);
    /* the crank cannot point directly away from the joint of the rocker */
    assert_int_equal(try_compile(FOUR_BAR(", start: 2.9"), NULL, &none, &error), LK_E_ASSEMBLY);
    assert_non_null(strstr(error.text, "gaps are left at '"));
    lk_system_free(held);
    lk_system_free(loose);
}

/* ---- inconsistent redundant rows ---- */

/* Compile a four-bar of hinges whose axes are not parallel by @bend rad. */
static struct lk_system *bent_four_bar(double bend, const char *redundancy)
{
    static char text[TEXT_SIZE];

    text[0] = 0;
    append(text,
           "linkage: 1\nname: bent\ngravity: [3, -9.81, 0]\nbodies:\n"
           "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}\n"
           "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 1, 0]}\n"
           "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0.5, 0]}\n"
           "joints:\n"
           "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  b: {type: revolute, bodies: [crank, coupler], point: [0, 1, 0], axis: [%g, 0, 1]}\n"
           "  c: {type: revolute, bodies: [coupler, rocker], point: [1, 1, 0], axis: [0, 0, 1]}\n"
           "  d: {type: revolute, bodies: [rocker, ground], point: [1, 0, 0], axis: [0, %g, 1]}\n"
           "outputs:\n"
           "  speed: {type: joint-velocity, joint: a}\n"
           "  reaction: {type: joint-reaction, joint: a}\n"
           "solver: {redundancy: %s}\n",
           bend, bend, redundancy);
    return compile(text);
}

/* Compute the largest speed and torque within 1 s. */
static void largest(struct lk_system *sys, double *ret_speed, double *ret_torque)
{
    double out[7];

    *ret_speed = *ret_torque = 0;
    for (int i = 0; i < 1000; i++) {
        run(sys, 1);
        lk_system_outputs(sys, out);
        *ret_speed = fmax(*ret_speed, fabs(out[0]));
        for (int k = 4; k < 7; k++)
            *ret_torque = fmax(*ret_torque, fabs(out[k]));
    }
    lk_system_free(sys);
}

/* Axes that are not parallel by 1e-6 rad lock a mechanism of rigid joints: forces above the
 * strength of steel, and practically no motion. With soft joints it moves like the perfect
 * mechanism, and the torque is the bend times the stiffness of a joint, here 5e8 N m/rad, up to a
 * factor of order 1. */
static void soft_joints_bear_a_misfit(void **state)
{
    double perfect, soft, rigid, torque, rigid_torque, none;

    (void)state;
    largest(bent_four_bar(0, "rigid"), &perfect, &none);
    largest(bent_four_bar(1e-6, "soft"), &soft, &torque);
    largest(bent_four_bar(1e-6, "rigid, formulation: ali3"), &rigid, &rigid_torque);
    printf("    speed %.3g, soft %.3g, rigid %.3g rad/s; torque soft %.3g, rigid %.3g N m\n",
           perfect, soft, rigid, torque, rigid_torque);
    assert_true(fabs(soft - perfect) < 1e-3 * perfect);
    assert_true(torque < 2000);
    assert_true(rigid < 0.5 * perfect && rigid_torque > 1e5);
}

/* If a step tried to satisfy rows that cannot be satisfied, the multipliers would increase from
 * iteration to iteration and finally move the bodies. */
static void rigid_joints_bear_a_small_misfit(void **state)
{
    double perfect, bent, torque, none;

    (void)state;
    largest(bent_four_bar(0, "rigid"), &perfect, &none);
    largest(bent_four_bar(1e-7, "rigid"), &bent, &torque);
    printf("    speed %.6g, bent %.6g rad/s; torque %.3g N m\n", perfect, bent, torque);
    assert_true(fabs(bent - perfect) < 1e-3 * perfect);
    assert_true(torque < 2000);
}

/* ---- rows that can depend on each other, and rows that cannot ---- */

#define LINK_BODIES                                                                                \
    "linkage: 1\nname: links\ngravity: [0, 0, -9.81]\nbodies:\n"                                   \
    "  a: {mass: 0.01, inertia: [1e-4, 1e-4, 1e-4], position: [0.5, 0, 0]}\n"                      \
    "  b: {mass: 10, inertia: [1, 1, 1], position: [1.5, 0, 0]}\njoints:\n"
#define HINGE(name, bodies, x, more)                                                               \
    "  " name ": {type: revolute, bodies: [" bodies "], point: [" x                                \
    ", 0, 0], axis: [0, 1, 0]" more "}\n"
#define TWO_HINGES HINGE("j", "ground, a", "0", "") HINGE("k", "a, b", "1", "")
#define DRIVE      ", drive: {ramp: {rate: 1}}"

static void rows_without_a_loop_are_independent(void **state)
{
    static const struct {
        const char *text;
        bool is_independent;
    } known[] = {
        {LINK_BODIES TWO_HINGES, true},
        {LINK_BODIES HINGE("j", "ground, a", "0", DRIVE) HINGE("k", "a, b", "1", ""), true},
        {LINK_BODIES TWO_HINGES HINGE("l", "ground, b", "2", ""), false},
        {LINK_BODIES TWO_HINGES "  g: {type: gear, joints: [j, k], ratio: 2}\n", false},
        {LINK_BODIES TWO_HINGES "solver: {formulation: ali3}\n", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct lk_system *sys = compile(known[i].text);
        struct lk_health health;
        double worst = 0;

        assert_int_equal(sys->rows_are_independent, known[i].is_independent);
        /* behind a light link, the error of a regularisation would be visible */
        for (int step = 0; step < 500 && known[i].is_independent; step++) {
            run(sys, 1);
            lk_system_health(sys, &health);
            worst = fmax(worst, health.residual_velocity);
        }
        if (worst > 1e-11)
            fail_msg("model %zu: velocities violate by %.1e", i, worst);
        lk_system_free(sys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hub_moves_as_one_body),
        cmocka_unit_test(a_hub_has_one_tension),
        cmocka_unit_test(lanes_keep_the_bound_on_operations),
        cmocka_unit_test(friction_turns_a_hub),
        cmocka_unit_test(a_hub_changes_no_motion),
        cmocka_unit_test(a_body_with_many_joints_turns_by_euler_parameters),
        cmocka_unit_test(a_massless_link_is_a_rod),
        cmocka_unit_test(undetermined_motion_is_refused),
        cmocka_unit_test(a_spring_determines_a_massless_turn),
        cmocka_unit_test(a_held_coordinate_starts_where_it_is_told),
        cmocka_unit_test(soft_joints_bear_a_misfit),
        cmocka_unit_test(rigid_joints_bear_a_small_misfit),
        cmocka_unit_test(rows_without_a_loop_are_independent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels on height fields: compared with planes and profiles of the same shape, at any place and on
 * any body; four samples; edges, holes, and the messages about wrong files. */
#include "linkage/errors.h"
#include "linkage/findings.h"
#include "linkage/linkage.h"
#include "road_scene.h"
#include <math.h>

static char folder[] = "/tmp/linkage-roads-XXXXXX";

/* ---- a wheel in an upright fork that rolls at a given speed ---- */

/* %s: bodies that carry roads, followed by their joints; the road; further sections */
static const char wheel_text[] =
    "linkage: 1\n"
    "name: wheel\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  fork: {mass: 330, inertia: [20, 20, 20], position: [%.17g, %.17g, %.17g]}\n"
    "  wheel: {mass: 20, inertia: [1, 1.7, 1], position: [%.17g, %.17g, %.17g]}\n"
    "%s"
    "joints:\n"
    "  guide: {type: planar, bodies: [ground, fork], point: [%.17g, %.17g, 0], axis: [0, 1, 0], "
    "direction: [1, 0, 0],\n"
    "    drive: {x: {ramp: {rate: %g}}}}\n"
    "  axle: {type: revolute, bodies: [fork, wheel], point: [%.17g, %.17g, %.17g], axis: [0, 1, "
    "0]}\n"
    "%s"
    "roads:\n"
    "  road: %s\n"
    "laws:\n"
    "  law: {type: fiala, slip_stiffness: 193929, cornering_stiffness: 50000, friction: [0.5568, "
    "0.9835]}\n"
    "forces:\n"
    "  tyre: {type: tyre, joint: axle, road: road, side: left, radius: 0.35, width: 0.2,\n"
    "    stiffness: 2e5, damping: 8000, carcass: {stiffness: [2.5e5, 1.75e5]}, law: law}\n"
    "  upright: {type: joint-spring-damper, joint: guide, coordinate: angle, stiffness: 1e6, "
    "damping: 1e4}\n"
    "outputs:\n"
    "  pose: {type: body-pose, body: wheel}\n"
    "  force: {type: tyre, force: tyre}\n"
    "  contact: {type: tyre-contact, force: tyre}\n"
    "  work: {type: work}\n"
    "solver: {step: 0.001}\n";

#define LOAD (350 * 9.81)

enum {
    OUT_X = 0,
    OUT_Z = 2,
    OUT_FX = 7,
    OUT_FZ = 9,
    OUT_DEPTH = 16,
    OUT_CONTACT = 17,
    OUT_WORK = 20,
    OUTPUTS = 27
};

/** struct ride - a ride of the wheel
 * @at:   position of the wheel's centre [m];  @speed: [m/s]
 * @road: the road, without its name;  @bodies, @joints: further lines of the model */
struct ride {
    double at[3];
    double speed;
    const char *road;
    const char *bodies;
    const char *joints;
};

static void write_ride(const struct ride *r, char *text, size_t size)
{
    const double *p = r->at;

    assert_true(snprintf(text, size, wheel_text, p[0], p[1], p[2], p[0], p[1], p[2],
                         r->bodies ? r->bodies : "", p[0], p[1], r->speed, p[0], p[1], p[2],
                         r->joints ? r->joints : "", r->road) < (int)size);
}

static struct lk_model *read_text(const char *text)
{
    struct lk_model *model;
    struct lk_errors errors;

    if (lk_model_read_text_in(folder, "m", text, strlen(text), &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return model;
}

static struct lk_system *compile_ride(const struct ride *r)
{
    static char text[8192];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    write_ride(r, text, sizeof(text));
    model = read_text(text);
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    assert_int_equal(lk_system_output_size(sys), OUTPUTS);
    return sys;
}

static void go(struct lk_system *sys, int steps, double out[OUTPUTS])
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    lk_system_outputs(sys, out);
}

/* Compare outputs. @tolerance: relative to the load for forces and for their work over 1 m */
static void expect_close(const double *a, const double *b, double tolerance)
{
    for (int i = 0; i < OUTPUTS; i++) {
        double scale = (i >= OUT_FX && i < OUT_FX + 6) || i >= OUT_WORK ? LOAD : 1;

        if (!(fabs(a[i] - b[i]) <= tolerance * (scale + fabs(b[i]))))
            fail_msg("output %d is %.15g instead of %.15g", i, a[i], b[i]);
    }
}

static void compare_rides(const struct ride *a, const struct ride *b, double tolerance)
{
    struct lk_system *one = compile_ride(a), *other = compile_ride(b);

    for (int i = 0; i < 20; i++) {
        double x[OUTPUTS], y[OUTPUTS];

        go(one, 100, x);
        go(other, 100, y);
        expect_close(x, y, tolerance);
    }
    lk_system_free(one);
    lk_system_free(other);
}

/* ---- comparison with other roads ---- */

static double slope(void *context, const double p[2])
{
    (void)context;
    return 0.125 * p[0] - 0.0625 * p[1];
}

/* A height field that is a plane equals a plane. */
static void equals_a_plane(void **state)
{
    struct ride plane = {.at = {0.5, 0, 0.38},
                         .speed = 10,
                         .road = "{type: plane, normal: [-0.125, 0.0625, 1]}"},
                grid = plane;

    (void)state;
    grid.road = "{type: grid, file: slope.road}";
    compare_rides(&grid, &plane, 1e-9);
}

static bool half(void *context, const struct lk_road_patch *patch, double *mu)
{
    (void)context;
    for (int i = 0; i < patch->n[0] * patch->n[1]; i++)
        mu[i] = 0.5;
    return true;
}

/* The friction of the cells multiplies that of the road: a wheel that does not turn at the start
 * slides on it as on a plane with less friction. */
static void has_friction_of_its_cells(void **state)
{
    struct ride plane = {.at = {0.5, 0, 0.38},
                         .speed = 10,
                         .road = "{type: plane, normal: [-0.125, 0.0625, 1], friction: 0.4}"},
                grid = plane, dry = plane;
    struct lk_system *sys;
    double slow[OUTPUTS], fast[OUTPUTS];

    (void)state;
    grid.road = "{type: grid, file: wet.road, friction: 0.8}";
    compare_rides(&grid, &plane, 1e-9);
    dry.road = "{type: grid, file: slope.road, friction: 0.8}";
    sys = compile_ride(&grid);
    go(sys, 5, slow);
    lk_system_free(sys);
    sys = compile_ride(&dry);
    go(sys, 5, fast);
    lk_system_free(sys);
    assert_true(fabs(fast[OUT_FX]) > 1.5 * fabs(slow[OUT_FX]));
}

/* ---- ground from elsewhere ---- */

/* Compile a ride on ground that an input has. */
static struct lk_system *compile_external(const struct ride *r)
{
    static char text[8192], whole[8300];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    char *law;

    write_ride(r, text, sizeof(text));
    law = strstr(text, "law: law}");
    assert_non_null(law);
    snprintf(whole, sizeof(whole),
             "%.*slaw: law, ground: {input: under}}%sinputs:\n  under: {type: ground}\n",
             (int)(law - text), text, law + strlen("law: law}"));
    model = read_text(whole);
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    assert_int_equal(lk_system_input_size(sys), 5);
    return sys;
}

static const struct ride external = {
    .at = {0.5, 0, 0.38}, .speed = 10, .road = "{type: external, friction: 0.9}"};

/* A plane from an input, told at whatever point of it, equals this plane. */
static void equals_a_plane_from_elsewhere(void **state)
{
    struct ride plane = external;
    struct lk_system *one, *other;

    (void)state;
    plane.road = "{type: plane, normal: [-0.125, 0.0625, 1], friction: 0.9}";
    one = compile_ride(&plane);
    other = compile_external(&external);
    for (int i = 0; i < 2000; i++) {
        double at[2] = {7 * sin(i), 3 * cos(i)}, x[OUTPUTS], y[OUTPUTS];
        double inputs[5] = {at[0], at[1], 0.125 * at[0] - 0.0625 * at[1], 0.125, -0.0625};

        assert_int_equal(lk_system_step(one, NULL), 0);
        assert_int_equal(lk_system_step(other, inputs), 0);
        if (i < 1500) /* the plane of the start was another one */
            continue;
        lk_system_outputs(one, x);
        lk_system_outputs(other, y);
        for (int k = 3; k < OUTPUTS; k++) /* it has turned by another angle, and done other work */
            y[k] = k < 7 || k >= OUT_WORK ? x[k] : y[k];
        expect_close(y, x, 1e-6);
    }
    lk_system_free(one);
    lk_system_free(other);
}

static double bump(double x);

/* Tangent planes that come a step late follow a bump to what its curvature makes of 1 cm of way. */
static void follows_a_road_from_elsewhere(void **state)
{
    struct ride grid = external;
    struct lk_system *one, *other;
    double inputs[5] = {0}, worst = 0;

    (void)state;
    grid.road = "{type: grid, file: bump.road, friction: 0.9}";
    one = compile_ride(&grid);
    other = compile_external(&external);
    for (int i = 0; i < 400; i++) {
        double x[OUTPUTS], y[OUTPUTS];

        lk_system_outputs(one, x);
        lk_system_outputs(other, y);
        if (i > 100)
            worst = fmax(worst, fabs(x[OUT_Z] - y[OUT_Z]));
        inputs[0] = y[OUT_CONTACT];
        inputs[1] = y[OUT_CONTACT + 1];
        inputs[2] = bump(inputs[0]);
        inputs[3] = (bump(inputs[0] + 1e-5) - bump(inputs[0] - 1e-5)) / 2e-5;
        assert_int_equal(lk_system_step(one, NULL), 0);
        assert_int_equal(lk_system_step(other, inputs), 0);
    }
    if (!(worst < 2e-3)) /* the bump is 100 mm high */
        fail_msg("%g m apart", worst);
    lk_system_free(one);
    lk_system_free(other);
}

/* Ground that jumps does work on the tyre, which is booked as that of its input. */
static void books_the_work_of_ground(void **state)
{
    struct lk_system *sys = compile_external(&external);
    struct lk_health before, now;

    (void)state;
    lk_system_health(sys, &before);
    for (int i = 0; i < 3000; i++) {
        double inputs[5] = {1, 2, 0.01 * (i / 300 % 3), 0.02 * (i / 500 % 2), 0.01};

        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
    lk_system_health(sys, &now);
    assert_true(now.work_input > 20); /* J */
    {
        double gained = now.kinetic - before.kinetic + now.potential - before.potential;
        double in = now.work_input - before.work_input + now.work_drive - before.work_drive;
        double out = now.dissipated - before.dissipated;

        if (!(fabs(gained - in + out) < 0.002 * (now.work_input + fabs(now.work_drive))))
            fail_msg("%g J gained, %g J in, %g J out", gained, in, out);
    }
    lk_system_free(sys);
}

static double bump(double x)
{
    return x < 2 || x > 4 ? 0 : 0.05 * (1 - cos(M_PI * (x - 2)));
}

static double bumps(void *context, const double p[2])
{
    (void)context;
    return bump(p[0]);
}

/* A profile of 201 points, which is within 1e-6 m of the field. */
static void equals_a_profile(void **state)
{
    static char road[16384];
    struct ride profile = {.at = {0.5, 0.3, 0.34}, .speed = 3, .road = road}, grid = profile;
    int used = snprintf(road, sizeof(road), "{type: profile, left: {distance: [0");

    (void)state;
    for (int i = 1; i <= 200; i++)
        used += snprintf(road + used, sizeof(road) - (size_t)used, ", %g", 0.03 * i);
    used += snprintf(road + used, sizeof(road) - (size_t)used, "], height: [0");
    for (int i = 1; i <= 200; i++)
        used += snprintf(road + used, sizeof(road) - (size_t)used, ", %.12g", bump(0.03 * i));
    snprintf(road + used, sizeof(road) - (size_t)used, "]}}");
    grid.road = "{type: grid, file: bump.road}";
    compare_rides(&grid, &profile, 3e-3);
}

/* Rotated, shifted by 10 km, or on a body at rest, the road gives the same motion. */
static void place_does_not_matter(void **state)
{
    struct ride here = {.at = {0.5, 0.3, 0.34},
                        .speed = 3,
                        .road = "{type: grid, file: bump.road}"},
                far = here, on_body = here;

    (void)state;
    far.at[0] += 8192;
    far.at[1] -= 16384;
    far.road = "{type: grid, file: bump.road, point: [8192, -16384, 0]}";
    on_body.bodies = "  deck: {mass: 1000, inertia: [9, 9, 9], position: [1, 2, 3]}\n";
    on_body.joints = "  hold: {type: fixed, bodies: [ground, deck], point: [1, 2, 3]}\n";
    on_body.road = "{type: grid, file: bump.road, body: deck}";
    compare_rides(&on_body, &here, 1e-9);
    {
        struct lk_system *one = compile_ride(&here), *other = compile_ride(&far);
        double x[OUTPUTS], y[OUTPUTS];

        for (int i = 0; i < 10; i++) {
            go(one, 100, x);
            go(other, 100, y);
            for (int k = 0; k < 2; k++) {
                y[OUT_X + k] -= k ? -16384 : 8192;
                y[OUT_CONTACT + k] -= k ? -16384 : 8192;
            }
            expect_close(y, x, 1e-8);
        }
        lk_system_free(one);
        lk_system_free(other);
    }
}

/* A road that runs to the left (-y) in the world, with a slope along it. */
static void direction_turns_the_field(void **state)
{
    struct ride ahead = {.at = {0.5, 0, 0.38},
                         .speed = 10,
                         .road = "{type: grid, file: slope.road}"},
                turned = ahead;

    (void)state;
    /* x of the road is -y of the world, y of the road is x of the world */
    turned.road = "{type: grid, file: turned.road, direction: [0, -1, 0]}";
    compare_rides(&turned, &ahead, 1e-9);
}

static double turned_slope(void *context, const double p[2])
{
    return slope(context, (const double[]){p[1], -p[0]});
}

/* ---- samples ---- */

static double saddle(void *context, const double p[2])
{
    (void)context;
    return 4 * p[0] * p[0] - 16 * p[1] * p[1];
}

/* At rest on a saddle, the plane of contact is the mean of four samples: 0.035 m ahead and behind,
 * 0.06 m to both sides. */
static void takes_four_samples(void **state)
{
    struct ride one = {.at = {0, 0, 0.34}, .road = "{type: grid, file: saddle.road}"}, four = one;
    const double mean = (2 * 4 * 0.035 * 0.035 - 2 * 16 * 0.06 * 0.06) / 4;
    double x[OUTPUTS], y[OUTPUTS];
    struct lk_system *a, *b;

    (void)state;
    four.road = "{type: grid, file: saddle.road, samples: 4}";
    a = compile_ride(&one);
    b = compile_ride(&four);
    go(a, 4000, x);
    go(b, 4000, y);
    assert_true(fabs(x[OUT_FZ] - LOAD) < 1e-3 && fabs(y[OUT_FZ] - LOAD) < 1e-3);
    assert_true(fabs(x[OUT_CONTACT + 2]) < 1e-6);
    assert_true(fabs(y[OUT_CONTACT + 2] - mean) < 1e-6);
    assert_true(fabs(y[OUT_Z] - x[OUT_Z] - mean) < 1e-6);
    lk_system_free(a);
    lk_system_free(b);
}

/* ---- holes and edges ---- */

static double holed(void *context, const double p[2])
{
    (void)context;
    return p[0] > 1.95 && p[0] < 2.45 && p[1] > -1 && p[1] < 1 ? NAN : 0;
}

/* The wheel falls while it is above a hole, and lands behind it. There the ground appears below a
 * wheel that has sunk, and the energy balance shows the energy of this depth. */
static void falls_into_a_hole(void **state)
{
    struct lk_system *sys = compile_ride(&(struct ride){
        .at = {1, 0, 0.35 - LOAD / 2e5}, .speed = 5, .road = "{type: grid, file: holed.road}"});
    double out[OUTPUTS], before, gone = 0, work = 0, sunk = 0;

    (void)state;
    go(sys, 178, out); /* at 1.89 m: the last cell with a surface ends at 1.9 */
    before = out[OUT_Z];
    assert_true(out[OUT_FZ] > 0.99 * LOAD);
    for (int i = 0; i < 602; i++) {
        go(sys, 1, out);
        for (int k = 0; k < OUTPUTS; k++)
            assert_true(isfinite(out[k]));
        if (out[OUT_X] > 1.91 && out[OUT_X] < 2.49) {
            gone += 0.001;
            assert_true(fabs(out[OUT_FZ]) < 1e-12 && out[OUT_DEPTH] < 0);
        }
        if (out[OUT_X] < 2.6 && fabs(out[OUT_FZ]) < 1e-12) {
            work = out[OUT_WORK + 4];
            sunk = 0.35 - out[OUT_Z];
        }
    }
    assert_true(gone > 0.11 && fabs(out[OUT_X] - 4.9) < 1e-9);
    assert_true(fabs((out[OUT_WORK + 4] - work) / (0.5 * 2e5 * sunk * sunk) - 1) < 0.05);
    go(sys, 2000, out);
    assert_true(fabs(out[OUT_Z] - before) < 1e-6 && fabs(out[OUT_FZ] - LOAD) < 1e-2);
    lk_system_free(sys);
}

/* A ball rests on the surface, and another one falls through the hole, over which its gap is 1 m.
 */
static void balls_touch_where_a_road_is(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  a: {mass: 1, inertia: [0.01, "
        "0.01, "
        "0.01], position: [1, 0, 0.1]}\n  b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: "
        "[2.2, "
        "0, 0.1]}\nroads:\n  r: {type: grid, file: holed.road}\nshapes:\n  a: {type: sphere, body: "
        "a, diameter: 0.2}\n  b: {type: sphere, body: b, diameter: 0.2}\nforces:\n  a: {type: "
        "contact, road: r, shapes: [a]}\n  b: {type: contact, road: r, shapes: [b]}\noutputs:\n  "
        "a: "
        "{type: body-pose, body: a}\n  b: {type: body-pose, body: b}\n  g: {type: contact, force: "
        "b}\n";
    struct lk_model *model = read_text(text);
    struct lk_system *sys;
    struct lk_error error;
    double out[OUTPUTS];

    (void)state;
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    go(sys, 500, out);
    assert_true(fabs(out[2] - 0.1) < 1e-8);
    assert_true(fabs(out[9] - (0.1 - 9.81 * 0.125)) < 1e-9);
    assert_true(fabs(out[14] - (1 - 0.1)) < 1e-12 && out[15] == 0);
    lk_system_free(sys);
}

/* Beyond the field the ground is level, or with `beyond: none` there is no ground. */
static void ends(void **state)
{
    struct ride ride = {.at = {5, 0, 0.34}, .speed = 5, .road = "{type: grid, file: bump.road}"};
    struct lk_system *level = compile_ride(&ride), *none;
    double out[OUTPUTS];

    (void)state;
    ride.road = "{type: grid, file: bump.road, beyond: none}";
    none = compile_ride(&ride);
    go(level, 3000, out);
    assert_true(fabs(out[OUT_X] - 20) < 1e-9 && fabs(out[OUT_FZ] - LOAD) < 1e-3);
    go(none, 3000, out);
    assert_true(out[OUT_Z] < -10 && fabs(out[OUT_FZ]) < 1e-12);
    lk_system_free(level);
    lk_system_free(none);
}

static int count_findings(const struct ride *r)
{
    static char text[8192];
    struct lk_findings found;
    struct lk_model *model;
    struct lk_system *sys;
    int n = 0;

    write_ride(r, text, sizeof(text));
    model = read_text(text);
    assert_int_equal(lk_system_new(model, NULL, &sys, NULL), 0);
    assert_int_equal(lk_findings_init(model, sys, NULL, NULL, NULL, &found), 0);
    for (int i = 0; i < found.n; i++)
        n += strcmp(found.list[i].id, "no-road") == 0;
    lk_findings_fini(&found);
    lk_system_free(sys);
    lk_model_free(model);
    return n;
}

static void check_finds_a_start_without_road(void **state)
{
    struct ride ride = {.at = {2.2, 0, 0.34}, .road = "{type: grid, file: holed.road}"};

    (void)state;
    assert_int_equal(count_findings(&ride), 1);
    ride.at[0] = 1;
    assert_int_equal(count_findings(&ride), 0);
    ride.at[0] = -100;
    assert_int_equal(count_findings(&ride), 0);
    ride.road = "{type: grid, file: holed.road, beyond: none}";
    assert_int_equal(count_findings(&ride), 1);
}

/* ---- messages about wrong files ---- */

static void refuse(const char *in, const char *road, const char *wanted)
{
    static char text[8192];
    struct lk_model *model;
    struct lk_errors errors;
    const char *said;

    write_ride(&(struct ride){.at = {0, 0, 0.34}, .road = road}, text, sizeof(text));
    assert_int_equal(lk_model_read_text_in(in, "m", text, strlen(text), &model, &errors),
                     LK_E_TEXT);
    said = strstr(errors.line[0].text, ": ");
    assert_non_null(said);
    assert_string_equal(said + 2, wanted);
}

static void refuses_files(void **state)
{
    (void)state;
    refuse(folder, "{type: grid}", "the key 'file' is missing, expected a text of 1 to 63 bytes");
    refuse(folder, "{type: grid, file: none.road}",
           "the file 'none.road': No such file or directory");
    refuse(folder, "{type: grid, file: .}", "the file '.': Is a directory");
    refuse(folder, "{type: grid, file: text.road}",
           "the file 'text.road': it is no road: it does not begin with LKROAD1, expected a file "
           "that 'linkage road' wrote");
    refuse(folder, "{type: grid, file: ../etc/hill.road}",
           "the file '../etc/hill.road' is outside of the folder of roads, expected a name within "
           "it");
    refuse(folder, "{type: grid, file: a/../../hill.road}",
           "the file 'a/../../hill.road' is outside of the folder of roads, expected a name within "
           "it");
    refuse(folder, "{type: grid, file: /etc/passwd}",
           "the file '/etc/passwd' is outside of the folder of roads, expected a name within it");
    refuse(NULL, "{type: grid, file: hill.road}",
           "the file 'hill.road' of the road is not read for a text from elsewhere, expected a "
           "folder for roads: 'roads' of the daemon's configuration");
    refuse(folder, "{type: grid, file: bump.road, samples: 2}", "samples is '2', expected 1, 4");
    refuse(folder, "{type: grid, file: bump.road, beyond: sea}",
           "beyond is 'sea', expected level, none");
}

/* A model has the checksum of its road file, equal to that of gzip. With several files their order
 * matters. */
static void knows_checksums(void **state)
{
    static char text[8192], *at;
    struct lk_road_file file;
    struct lk_model *model;
    struct lk_error error;
    char path[256];
    uint32_t one, two, swapped;

    (void)state;
    snprintf(path, sizeof(path), "%s/bump.road", folder);
    assert_int_equal(lk_road_file_read(path, &file, &error), 0);
    write_ride(&(struct ride){.at = {0, 0, 0.34}, .road = "{type: grid, file: bump.road}"}, text,
               sizeof(text));
    model = read_text(text);
    assert_int_equal(lk_model_files(model, &one), 1);
    assert_true(one == file.crc && one != 0);
    lk_model_free(model);
    lk_road_file_free(&file);
    at = strstr(text, "  road: {type: grid");
    at += sprintf(at, "  a: {type: grid, file: bump.road}\n  b: {type: grid, file: slope.road}\n");
    sprintf(at, "  c: {type: plane}\n");
    model = read_text(text);
    assert_int_equal(lk_model_files(model, &two), 2);
    lk_model_free(model);
    at = strstr(text, "  a: {type: grid");
    sprintf(at, "  a: {type: grid, file: slope.road}\n  b: {type: grid, file: bump.road}\n");
    model = read_text(text);
    assert_int_equal(lk_model_files(model, &swapped), 2);
    assert_true(two != swapped && two != one);
    lk_model_free(model);
}

/* ---- the folder ---- */

static const struct {
    const char *name;
    double origin[2];
    double step[2];
    int cells[2];
    lk_road_heights *heights;
} fields[] = {
    {"slope.road", {-8, -8}, {0.5, 0.25}, {128, 64}, slope},
    {"wet.road", {-8, -8}, {0.5, 0.25}, {128, 64}, slope},
    {"turned.road", {-8, -8}, {0.25, 0.5}, {64, 128}, turned_slope},
    {"bump.road", {0, -2}, {0.03, 0.2}, {200, 20}, bumps},
    {"saddle.road", {-1, -1}, {0.125, 0.125}, {16, 16}, saddle},
    {"holed.road", {0, -2}, {0.1, 0.1}, {300, 40}, holed},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static int set_up(void **state)
{
    char path[256];
    FILE *f;

    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    for (size_t i = 0; i < FIELDS; i++) {
        struct lk_road_file file =
            road_scene_grid(fields[i].origin, fields[i].step, fields[i].cells, fields[i].heights);

        if (strcmp(fields[i].name, "wet.road") == 0)
            assert_int_equal(lk_road_file_rub(&file, half, NULL), 0);
        road_scene_write(&file.grid, folder, fields[i].name);
        lk_road_file_free(&file);
    }
    snprintf(path, sizeof(path), "%s/text.road", folder);
    f = fopen(path, "w");
    fputs("hill\n", f);
    return fclose(f);
}

static int tear_down(void **state)
{
    char path[256];

    (void)state;
    for (size_t i = 0; i <= FIELDS; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, i < FIELDS ? fields[i].name : "text.road");
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_plane),
        cmocka_unit_test(has_friction_of_its_cells),
        cmocka_unit_test(equals_a_plane_from_elsewhere),
        cmocka_unit_test(follows_a_road_from_elsewhere),
        cmocka_unit_test(books_the_work_of_ground),
        cmocka_unit_test(equals_a_profile),
        cmocka_unit_test(place_does_not_matter),
        cmocka_unit_test(direction_turns_the_field),
        cmocka_unit_test(takes_four_samples),
        cmocka_unit_test(falls_into_a_hole),
        cmocka_unit_test(balls_touch_where_a_road_is),
        cmocka_unit_test(ends),
        cmocka_unit_test(check_finds_a_start_without_road),
        cmocka_unit_test(refuses_files),
        cmocka_unit_test(knows_checksums),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

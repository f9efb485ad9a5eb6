/* SPDX-License-Identifier: Apache-2.0 */
/* Contact with friction: shapes, closed forms, impacts event by event, stacks. */
#include "contact_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 8192

static void run_text(const char *text, double step, int n, double *ret)
{
    struct lk_system *system = compile(text, step);

    steps(system, n, NULL, ret);
    lk_system_free(system);
}

/* ---- one body on a plane ---- */

#define BALL(velocity, more)                                                                       \
    "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  ball: {mass: 1, inertia: [0.004, "    \
    "0.004, 0.004], position: [0, 0, 0.1], velocity: " velocity "}\nshapes:\n  floor: {type: "     \
    "half-space, body: ground}\n  ball: {type: sphere, body: ball, diameter: 0.2}\nforces:\n  "    \
    "c: {type: contact, shapes: [floor, ball], " more "}\noutputs:\n  v: {type: body-velocity, "   \
    "body: ball}\n  c: {type: contact, force: c}\n  p: {type: body-pose, body: ball}\n  w: "       \
    "{type: work}\n"

/* A sphere that is thrown sliding rolls from t = 2 v0 / (7 mu g) on, with 5/7 of its speed. */
static void sphere_begins_to_roll(void **state)
{
    double out[OUT], end = 2 * 3.5 / (7 * 0.2 * G);

    (void)state;
    run_text(BALL("[3.5, 0, 0]", "friction: 0.2"), 1e-3, 400, out);
    near_to("sliding", out[0], 3.5 - 0.2 * G * 0.4, 1e-6);
    near_to("normal force", out[7], G, 1e-9);
    near_to("friction", out[8], 0.2 * G, 1e-9);
    near_to("slip", out[9], 3.5 * (1 - 0.4 / end), 1e-6);
    run_text(BALL("[3.5, 0, 0]", "friction: 0.2"), 1e-3, 520, out);
    near_to("rolling", out[0], 2.5, 1e-6);
    near_to("turning", out[4], 25, 1e-5);
    near_to("slip", out[9], 0, 1e-9);
    near_to("energy", out[11 + 7 + 4], 0, 1e-5); /* the step in which it begins to roll */
}

/* Newton's law of impact; below a speed that gravity explains, the ball rests. */
static void ball_bounces(void **state)
{
    double out[OUT];

    (void)state;
    for (int i = 1; i <= 3; i++) {
        double e = 0.25 * i;
        char text[TEXT];

        snprintf(text, sizeof(text), BALL("[0, 0, -2]", "restitution: %g"), e);
        run_text(text, 1e-4, 1, out);
        near_to("rebound", out[2], 2 * e, 2e-3);
        near_to("depth", out[6], 0, 1e-7);
    }
    run_text(BALL("[0, 0, -2]", "restitution: 0.5"), 1e-3, 1000, out);
    near_to("rest", out[2], 0, 1e-12);
    near_to("height", out[13], 0.1, 1e-8);
}

/* A ball that bounces until it rests loses what its impacts dissipate, to the last digits. */
static void bounces_are_booked(void **state)
{
    double out[OUT];

    (void)state;
    run_text(BALL("[0, 0, 3]", "restitution: 0.8"), 1e-3, 6000, out);
    near_to("rest", out[2], 0, 1e-12);
    near_to("dissipated", out[11 + 7 + 1], 4.5, 1e-6);
    near_to("balance", out[11 + 7 + 4], 0, 1e-12);
}

#define CRATE(gravity, more)                                                                       \
    "linkage: 1\nname: m\ngravity: " gravity                                                       \
    "\nbodies:\n  box: {mass: 2, inertia: [0.01, 0.02, 0.025], position: [0, 0, "                  \
    "0.05]}\nshapes:\n  floor: {type: half-space, body: ground}\n  box: {type: box, body: box, "   \
    "size: [0.3, 0.2, 0.1]}\nforces:\n  c: {type: contact, shapes: [floor, box], " more            \
    "}\noutputs:\n  v: {type: body-velocity, body: box}\n  c: {type: contact, force: c}\n  p: "    \
    "{type: body-pose, body: box}\n  f: {type: force, force: c}\n"

static void box_slides_or_holds(void **state)
{
    struct lk_system *system;
    double out[OUT], later[OUT];

    (void)state;
    run_text(CRATE(SLOPE, "friction: 0.5"), 1e-3, 1000, out);
    near_to("speed", out[0], G * (0.5 - 0.5 * sqrt(0.75)), 1e-6);
    near_to("normal force", out[7], 2 * G * sqrt(0.75), 1e-9);
    near_to("friction", out[8], G * sqrt(0.75), 1e-9);
    system = compile(CRATE(SLOPE, "friction: 0.6"), 1e-3);
    steps(system, 100, NULL, out);
    steps(system, 20000, NULL, later);
    near_to("friction", later[8], G, 1e-9);
    near_to("force", later[18], -G, 1e-9);
    for (int i = 0; i < 3; i++)
        near_to("creep", later[11 + i], out[11 + i], 1e-12);
    lk_system_free(system);
}

/* A box that is wider to one side of its centre of mass: the corners share by the law of the lever.
 */
static void corners_share_the_load(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 3, inertia: [0.1, "
        "0.1, 0.1], position: [0, 0, 0.1]}\nshapes:\n  floor: {type: half-space, body: ground}\n"
        "  a: {type: sphere, body: box, position: [-0.1, 0.1, 0.05], diameter: 0.1}\n"
        "  b: {type: sphere, body: box, position: [-0.1, -0.1, 0.05], diameter: 0.1}\n"
        "  c: {type: sphere, body: box, position: [0.3, 0, 0.05], diameter: 0.1}\nforces:\n"
        "  a: {type: contact, shapes: [floor, a], friction: 0.3}\n"
        "  b: {type: contact, shapes: [b, floor], friction: 0.3}\n"
        "  c: {type: contact, shapes: [floor, c], friction: 0.3}\noutputs:\n  a: {type: contact, "
        "force: a}\n  b: {type: contact, force: b}\n  c: {type: contact, force: c}\n";
    double out[OUT];

    (void)state;
    run_text(text, 1e-3, 500, out);
    near_to("a", out[1], 3 * G * 3 / 8, 1e-8);
    near_to("b", out[6], 3 * G * 3 / 8, 1e-8);
    near_to("c", out[11], 3 * G / 4, 1e-8);
    run_text(CRATE("[0, 0, -9.81]", "friction: 0.3"), 1e-3, 500, out);
    near_to("eight corners", out[7], 2 * G, 1e-9);
    near_to("level", out[14], 1, 1e-12);
}

/* A box that tumbles over the floor and comes to rest loses what its impacts dissipate: their
 * impulses times the mean rates. */
static void energy_is_booked(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 2, inertia: [0.01, "
        "0.02, 0.025], position: [0, 0, 0.25], orientation: {axis: [0.3, 1, 0.2], angle: 0.4}, "
        "angular_velocity: [1, 2, 3]}\nshapes:\n  floor: {type: half-space, body: ground}\n  box: "
        "{type: box, body: box, size: [0.3, 0.2, 0.1]}\nforces:\n  c: {type: contact, shapes: "
        "[floor, box], friction: 0.5, restitution: 0.6}\noutputs:\n  e: {type: energy}\n  w: "
        "{type: work}\n";
    double out[OUT];

    (void)state;
    run_text(text, 2.5e-4, 8000, out);
    near_to("at rest", out[0], 0, 1e-20);
    near_to("height", out[1], 2 * G * 0.05, 1e-6);
    near_to("dissipated", out[3], 2 * G * 0.2 + 0.5 * (0.01 + 4 * 0.02 + 9 * 0.025), 0.01);
    near_to("balance", out[6], 0, 0.01);
}

/* ---- several bodies ---- */

/* Ten boxes stand on each other, some over the edge of the one below, and do not move. */
static void stack_stands(void **state)
{
    char text[TEXT];
    int n = snprintf(text, sizeof(text), "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n");
    struct lk_system *system;
    double out[OUT], later[OUT];

    (void)state;
    for (int i = 0; i < 10; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  b%d: {mass: 1, inertia: [0.00167, 0.00167, 0.00167], position: [%g, %g, "
                      "%g]}\n",
                      i, 0.004 * (i % 3), 0.003 * (i % 2), 0.05 + 0.1 * i + 0.0005 * i);
    n += snprintf(text + n, sizeof(text) - (size_t)n,
                  "shapes:\n  floor: {type: half-space, body: ground}\n");
    for (int i = 0; i < 10; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  s%d: {type: box, body: b%d, size: [0.1, 0.1, 0.1]}\n", i, i);
    n += snprintf(text + n, sizeof(text) - (size_t)n,
                  "forces:\n  c0: {type: contact, shapes: [floor, s0], faces: [-z], friction: "
                  "0.5}\n");
    for (int i = 1; i < 10; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  c%d: {type: contact, shapes: [s%d, s%d], faces: [+z, -z], friction: "
                      "0.5}\n",
                      i, i - 1, i);
    snprintf(text + n, sizeof(text) - (size_t)n,
             "outputs:\n  low: {type: contact, force: c0}\n  high: {type: contact, force: c9}\n  "
             "p: {type: body-pose, body: b9}\n");
    system = compile(text, 1e-3);
    steps(system, 500, NULL, out);
    near_to("all of them", out[1], 10 * G, 1e-8);
    near_to("the last one", out[6], G, 1e-8);
    near_to("height", out[12], 0.95, 1e-6);
    steps(system, 5000, NULL, later);
    for (int i = 0; i < 7; i++)
        near_to("rest", later[10 + i], out[10 + i], 1e-10);
    lk_system_free(system);
}

/* A wheel without a rim: the impact of the next spoke leaves cos(2 a) of the rate, for a point mass
 * (T. McGeer, Passive dynamic walking, 1990). */
static void spoke_takes_over(void **state)
{
    char text[TEXT];
    int n = snprintf(text, sizeof(text),
                     "linkage: 1\nname: m\ngravity: [0.981, 0, -9.76]\nbodies:\n  hub: {mass: 1, "
                     "inertia: [1e-3, 1e-4, 1e-3], position: [0, 0, 1], velocity: [0.6, 0, 0], "
                     "angular_velocity: [0, 0.6, 0]}\nshapes:\n  floor: {type: half-space, body: "
                     "ground}\n");
    struct lk_system *system;
    double out[OUT], before = 0.6;

    (void)state;
    for (int i = 0; i < 2; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  f%d: {type: sphere, body: hub, position: [%.15g, 0, %.15g], diameter: "
                      "1e-6}\n",
                      i, sin(M_PI / 4 * i), 1 - cos(M_PI / 4 * i));
    snprintf(text + n, sizeof(text) - (size_t)n,
             "forces:\n  c0: {type: contact, shapes: [floor, f0], friction: 1.5}\n  c1: {type: "
             "contact, shapes: [floor, f1], friction: 1.5}\noutputs:\n  v: {type: body-velocity, "
             "body: hub}\n");
    system = compile(text, 1e-4);
    for (int i = 0; i < 8000; i++) {
        steps(system, 1, NULL, out);
        if (out[4] < 0.9 * before) {
            near_to("rate", out[4] / before, cos(M_PI / 4), 2e-3);
            lk_system_free(system);
            return;
        }
        before = out[4];
    }
    fail_msg("no impact, rate %g", before);
}

/* The slider-crank whose slider has 1 mm of play (P. Flores, R. Leine, C. Glocker, Modeling and
 * analysis of planar rigid multibody systems with translational clearance joints, 2010), without
 * friction, against its event-driven solution. */
static void slider_has_play(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, -9.81, 0]\nbodies:\n  crank: {mass: 0.038, inertia: "
        "[7.4e-5, 7.4e-5, 7.4e-5], position: [0.0765, 0, 0], velocity: [0, 11.475, 0], "
        "angular_velocity: [0, 0, 150]}\n  rod: {mass: 0.038, inertia: [5.9e-4, 5.9e-4, 5.9e-4], "
        "position: [0.306, 0, 0], velocity: [0, 11.475, 0], angular_velocity: [0, 0, -75]}\n  "
        "slider: {mass: 0.076, inertia: [2.7e-6, 2.7e-6, 2.7e-6], position: [0.459, 0, "
        "0]}\njoints:\n  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, "
        "0, 1]}\n  b: {type: revolute, bodies: [crank, rod], point: [0.153, 0, 0], axis: [0, 0, "
        "1]}\n  c: {type: revolute, bodies: [rod, slider], point: [0.459, 0, 0], axis: [0, 0, "
        "1]}\nshapes:\n  above: {type: half-space, body: ground, position: [0, 0.026, 0], normal: "
        "[0, -1, 0]}\n  below: {type: half-space, body: ground, position: [0, -0.026, 0], normal: "
        "[0, 1, 0]}\n  slider: {type: box, body: slider, size: [0.1, 0.05, 0.02]}\nforces:\n  up: "
        "{type: contact, shapes: [above, slider], faces: [+y], restitution: 0.4}\n  down: {type: "
        "contact, shapes: [below, slider], faces: [-y], restitution: 0.4}\noutputs:\n  up: {type: "
        "contact, force: up}\n  angle: {type: joint-position, joint: a}\n  rate: {type: "
        "joint-velocity, joint: a}\n  rod: {type: body-velocity, body: rod}\n";
    static const struct {
        double time, angle, before[2], after[2], impulse;
    } known[2] = {
        {0.002692503, 0.355304455, {109.5576815, -49.3307900}, {108.7937286, -52.8751879}, 0.11079},
        {0.005607798, 0.627108652, {82.0283872, -33.8565247}, {81.5245024, -34.8284849}, 0.0331581},
    };
    const double h = 1e-5;
    struct lk_system *system = compile(text, h);
    double out[OUT], last[OUT], before[2] = {0}, impulse = 0;
    int found = 0;

    (void)state;
    lk_system_outputs(system, last);
    for (int i = 1; i < 1000 && found < 2; i++) {
        steps(system, 1, NULL, out);
        if (out[1] > 20 && impulse == 0) {
            before[0] = last[6];
            before[1] = last[12];
        }
        impulse = out[1] > 20 ? impulse + h * out[1] : impulse;
        if (out[1] <= 20 && impulse > 0) {
            near_to("time", i * h, known[found].time, 0.01 * known[found].time);
            near_to("angle", out[5], known[found].angle, 0.01 * known[found].angle);
            near_to("impulse", impulse, known[found].impulse, 0.01 * known[found].impulse);
            for (int k = 0; k < 2; k++) {
                near_to("before", before[k], known[found].before[k],
                        0.01 * fabs(known[found].before[k]));
                near_to("after", out[k == 0 ? 6 : 12], known[found].after[k],
                        0.01 * fabs(known[found].after[k]));
            }
            impulse = 0;
            found++;
        }
        memcpy(last, out, sizeof(last));
    }
    assert_int_equal(found, 2);
    lk_system_free(system);
}

/* Painleve's rod: while it slides, no finite normal force is compatible with friction. The step
 * finds an impulse that ends the sliding, and no energy appears. */
static void rod_jams(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  rod: {mass: 1, inertia: [1e-4, "
        "0.0833, 0.0833], position: [0, 0, 0.4001], orientation: {axis: [0, 1, 0], angle: "
        "0.9273}, velocity: [6, 0, 0]}\nshapes:\n  floor: {type: half-space, body: ground}\n  "
        "tip: {type: sphere, body: rod, frame: body, position: [0.5, 0, 0], diameter: "
        "1e-4}\nforces:\n  c: {type: contact, shapes: [floor, tip], friction: 1.6}\noutputs:\n  "
        "e: {type: energy}\n  c: {type: contact, force: c}\n";
    struct lk_system *system = compile(text, 1e-3);
    double out[OUT], first, last;

    (void)state;
    lk_system_outputs(system, out);
    first = last = out[0] + out[1];
    for (int i = 0; i < 200; i++) {
        steps(system, 1, NULL, out);
        if (out[0] + out[1] > last + 1e-2)
            fail_msg("energy %g of %g after step %d", out[0] + out[1], last, i + 1);
        last = out[0] + out[1];
    }
    near_to("energy", last, 0.6 * first, 0.1 * first);
    lk_system_free(system);
}

/* A crank and a rocker lift a cam under a roller: contact beside closed loops, which stay closed.
 */
static void loops_stay_closed(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  crank: {mass: 1, inertia: [0.01, "
        "0.01, 0.01], position: [0.1, 0, 0.1]}\n  rocker: {mass: 1, inertia: [0.01, 0.01, 0.01], "
        "position: [0.6, 0, 0.1]}\n  table: {mass: 2, inertia: [0.02, 0.2, 0.2], position: "
        "[0.35, 0, 0.2]}\n  load: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.35, 0, "
        "0.3505]}\njoints:\n  a: {type: revolute, bodies: [ground, crank], point: [0.1, 0, 0], "
        "axis: [0, 1, 0], drive: {harmonic: {amplitude: 0.2, omega: 6, phase: 0}}}\n  b: {type: "
        "revolute, bodies: [crank, table], point: [0.1, 0, 0.2], axis: [0, 1, 0]}\n  c: {type: "
        "revolute, bodies: [table, rocker], point: [0.6, 0, 0.2], axis: [0, 1, 0]}\n  d: {type: "
        "revolute, bodies: [ground, rocker], point: [0.6, 0, 0], axis: [0, 1, 0]}\nshapes:\n  "
        "top: {type: box, body: table, position: [0.35, 0, 0.2], size: [0.8, 0.4, 0.1]}\n  load: "
        "{type: box, body: load, size: [0.2, 0.2, 0.2]}\nforces:\n  c: {type: contact, shapes: "
        "[top, load], faces: [+z, -z], friction: 0.6}\noutputs:\n  r: {type: residual}\n  c: "
        "{type: contact, force: c}\n  load: {type: body-velocity, body: load}\n  table: {type: "
        "body-velocity, body: table}\n";
    struct lk_system *system = compile(text, 1e-3);
    double out[OUT];

    (void)state;
    steps(system, 200, NULL, out);
    for (int i = 0; i < 1000; i++) {
        steps(system, 1, NULL, out);
        near_to("loops", out[0], 0, 1e-12);
        near_to("carried along", out[8], out[14], 1e-6);
        near_to("residual", out[7], 0, 1e-6);
    }
    lk_system_free(system);
}

/* ---- shapes ---- */

/* Return the gap of a shape fixed to the ground and one of a body. */
static double gap_of(const char *surface, const char *other, const char *more, double force[3])
{
    char text[TEXT];
    struct lk_system *system;
    double out[OUT];

    snprintf(text, sizeof(text),
             "linkage: 1\nname: m\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, 2, "
             "3]}\nshapes:\n  s: {body: ground, %s}\n  o: {body: b, %s}\nforces:\n  c: {type: "
             "contact, shapes: [s, o]%s}\noutputs:\n  c: {type: contact, force: c}\n  f: {type: "
             "force, force: c}\n",
             surface, other, more);
    system = compile(text, 1e-3);
    lk_system_outputs(system, out);
    lk_system_free(system);
    if (force)
        memcpy(force, out + 5, 3 * sizeof(double));
    return out[0];
}

static void gaps_are_distances(void **state)
{
    (void)state;
    near_to("sphere over plane",
            gap_of("type: half-space, position: [0, 0, 1], normal: [0, 0, 2]",
                   "type: sphere, diameter: 1", "", NULL),
            1.5, 1e-12);
    near_to("sphere beside sphere",
            gap_of("type: sphere, position: [1, -1, -1], diameter: 2", "type: sphere, diameter: 1",
                   "", NULL),
            5 - 1.5, 1e-12);
    near_to("sphere over box",
            gap_of("type: box, position: [0, 0, 0], size: [4, 6, 2]", "type: sphere, diameter: 1",
                   "", NULL),
            2 - 0.5, 1e-12);
    near_to("sphere at a corner",
            gap_of("type: box, position: [-2, -2, -2], size: [2, 2, 2]",
                   "type: sphere, diameter: 1", "", NULL),
            sqrt(4 + 9 + 16) - 0.5, 1e-12);
    near_to("sphere beside cylinder",
            gap_of("type: cylinder, position: [4, 2, 3], axis: [0, 1, 0], diameter: 2, length: 1",
                   "type: sphere, diameter: 1", "", NULL),
            3 - 1.5, 1e-12);
    near_to("sphere at a rim",
            gap_of("type: cylinder, position: [1, 2, 0], axis: [1, 0, 0], diameter: 2, length: 2",
                   "type: sphere, position: [5, 2, 3], diameter: 1", "", NULL),
            sqrt(9 + 4) - 0.5, 1e-12);
    near_to("sphere beside capsule",
            gap_of("type: capsule, position: [1, 2, 0], axis: [0, 0, 1], diameter: 1, length: 2",
                   "type: sphere, diameter: 1", "", NULL),
            2 - 1, 1e-12);
    near_to("capsule over plane",
            gap_of("type: half-space", "type: capsule, axis: [0.6, 0, 0.8], diameter: 1, length: 2",
                   "", NULL),
            3 - 0.8 - 0.5, 1e-12);
    near_to("crossed capsules",
            gap_of("type: capsule, position: [1, 2, 1], axis: [1, 0, 0], diameter: 1, length: 4",
                   "type: capsule, axis: [0, 1, 0], diameter: 1, length: 4", "", NULL),
            2 - 1, 1e-12);
    near_to("ends of capsules",
            gap_of("type: capsule, position: [-4, 2, 3], axis: [1, 0, 0], diameter: 1, length: 4",
                   "type: capsule, axis: [1, 0, 0], diameter: 1, length: 2", "", NULL),
            5 - 3 - 1, 1e-9);
    near_to("box over plane",
            gap_of("type: half-space",
                   "type: box, size: [2, 2, 2], orientation: {axis: [1, 0, 0], angle: "
                   "0.785398163397448}",
                   "", NULL),
            3 - sqrt(2), 1e-12);
    near_to("faces that overlap by a corner",
            gap_of("type: box, position: [0.5, 1.5, 0], size: [2, 2, 2]",
                   "type: box, size: [2, 2, 2]", ", faces: [+z, -z]", NULL),
            1, 1e-12);
    if (!(gap_of("type: box, position: [-2, 2, 2], size: [2, 2, 2]", "type: box, size: [2, 2, 2]",
                 ", faces: [+z, -z]", NULL) > 0.5))
        fail_msg("faces beside each other touch");
}

/* A ball falls on each shape from above, and rests where the shape is horizontal. */
static void ball_rests_on_each_shape(void **state)
{
    static const char *const surfaces[] = {
        "type: half-space",
        "type: box, position: [0, 0, -0.5], size: [1, 1, 1]",
        "type: cylinder, position: [0, 0, -0.5], diameter: 1, length: 1",
        "type: cylinder, position: [0, 0, -0.5], axis: [1, 0, 0], diameter: 1, length: 1",
        "type: capsule, position: [0, 0, -0.5], axis: [0, 1, 0], diameter: 1, length: 1",
        "type: sphere, position: [0, 0, -0.5], diameter: 1",
    };
    double out[OUT];

    (void)state;
    for (size_t i = 0; i < sizeof(surfaces) / sizeof(surfaces[0]); i++) {
        char text[TEXT];

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 2, inertia: "
                 "[0.01, 0.01, 0.01], position: [0, 0, 0.11]}\nshapes:\n  s: {body: ground, "
                 "%s}\n  o: {type: sphere, body: b, diameter: 0.2}\nforces:\n  c: {type: contact, "
                 "shapes: [s, o], friction: 0.5}\noutputs:\n  c: {type: contact, force: c}\n  f: "
                 "{type: force, force: c}\n  p: {type: body-pose, body: b}\n",
                 surfaces[i]);
        run_text(text, 1e-3, 200, out);
        near_to(surfaces[i], out[1], 2 * G, 1e-9);
        near_to(surfaces[i], out[7], 2 * G, 1e-9);
        near_to(surfaces[i], out[10], 0.1, 1e-8);
    }
}

/* A plank of 2 m by 0.2 m lies across another one, turned by any angle, or reaches over the edge of
 * a table, and rests. */
static void faces_overlap_at_any_angle(void **state)
{
    static const struct {
        const char *under;
        double angle, x;
    } cases[] = {
        {"[2, 0.2, 0.1]", 0.5, 0},    {"[2, 0.2, 0.1]", 0.785, 0}, {"[2, 0.2, 0.1]", 1.2, 0},
        {"[2, 0.2, 0.1]", 1.5708, 0}, {"[1, 1, 0.1]", 0.5, 0.3},   {"[1, 1, 0.1]", 0, 0.3},
        {"[1, 1, 0.1]", 0.785, -0.4},
    };
    double out[OUT];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[TEXT];

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 3, inertia: "
                 "[0.1, 1, 1], position: [%g, 0, 0.1], orientation: {axis: [0, 0, 1], angle: "
                 "%g}}\nshapes:\n  s: {type: box, body: ground, size: %s}\n  o: {type: box, body: "
                 "b, frame: body, size: [2, 0.2, 0.1]}\nforces:\n  c: {type: contact, shapes: [s, "
                 "o], faces: [+z, -z], friction: 0.5}\noutputs:\n  c: {type: contact, force: c}\n "
                 " p: {type: body-pose, body: b}\n",
                 cases[i].x, cases[i].angle, cases[i].under);
        run_text(text, 1e-3, 1000, out);
        near_to("weight", out[1], 3 * G, 1e-7);
        near_to("height", out[7], 0.1, 1e-7);
        near_to("rest", out[5], cases[i].x, 1e-7);
    }
}

/* A point with a stiffness carries its load at the depth of its spring. */
static void spring_carries(void **state)
{
    double out[OUT];

    (void)state;
    for (double k = 1e4; k < 2e7; k *= 10) {
        char text[TEXT];

        snprintf(text, sizeof(text), BALL("[0, 0, 0]", "stiffness: %g"), k);
        run_text(text, 1e-3, 20000, out);
        near_to("depth", out[6], -G / k, 1e-3 * G / k);
    }
}

/* Two bodies far from the origin: the gap has the digits of their distance. */
static void gap_is_exact_far_away(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1048576, 0, "
        "0]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [1048576.5, 0, 0]}\nshapes:\n  a: "
        "{type: sphere, body: a, frame: body, position: [0.1, 0, 0], diameter: 0.2}\n  b: {type: "
        "sphere, body: b, frame: body, position: [0.07, 0, 0], diameter: 0.3}\nforces:\n  c: "
        "{type: contact, shapes: [a, b]}\noutputs:\n  c: {type: contact, force: c}\n";
    double out[OUT];

    (void)state;
    run_text(text, 1e-3, 1, out);
    near_to("gap", out[0], 0.5 + 0.07 - 0.1 - 0.25, 1e-15);
}

/* A body that slides under an edge is not thrown out: it is lifted at 0.1 m/s, and rests on the
 * surface. */
static void edge_lifts_slowly(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 1, inertia: [0.1, "
        "0.1, 0.1], position: [-0.3, 0, 0.195], velocity: [1, 0, 0]}\nshapes:\n  floor: {type: "
        "half-space, body: ground, position: [0, 0, 0.145]}\n  step: {type: box, body: ground, "
        "position: [1, 0, 0.1], size: [2, 1, 0.1]}\n  b: {type: box, body: b, size: [0.2, 0.2, "
        "0.1]}\nforces:\n  low: {type: contact, shapes: [floor, b], faces: [-z]}\n  high: {type: "
        "contact, shapes: [step, b], faces: [+z, -z]}\noutputs:\n  p: {type: body-pose, body: "
        "b}\n  h: {type: contact, force: high}\n";
    struct lk_system *system = compile(text, 1e-3);
    double out[OUT], last = 0.195, fastest = 0;

    (void)state;
    for (int i = 0; i < 600; i++) {
        steps(system, 1, NULL, out);
        fastest = fmax(fastest, fabs(out[2] - last) / 1e-3);
        last = out[2];
    }
    near_to("on the step", out[7], 0, 1e-6);
    if (!(fastest > 0.05 && fastest < 0.5))
        fail_msg("the body comes up at %g m/s", fastest);
    lk_system_free(system);
}

/* Too few passes leave an error: the output, the extent of the state and LK_CONTACT_MAX show it. */
static void few_passes_are_seen(void **state)
{
    int seen[2] = {0};

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        struct lk_system *system;
        struct lk_extent extent;
        double out[OUT];

        snprintf(text, sizeof(text), "%ssolver: {iterations: %d}\n",
                 BALL("[3, 0, 2]", "friction: 0.5"), k == 0 ? 1 : 12);
        system = compile(text, 1e-3);
        for (int i = 0; i < 1000; i++) {
            steps(system, 1, NULL, out);
            lk_system_extent(system, &extent);
            if (out[7] > 1e-9)
                near_to("share of one point", extent.contact, out[10] / out[7], 1e-12);
            seen[k] += extent.contact > LK_CONTACT_MAX;
        }
        assert_int_equal(extent.touching, 0);
        lk_system_free(system);
    }
    assert_true(seen[0] > 0);
    assert_int_equal(seen[1], 0);
}

/* One box in a corner of a room: eight points with each of five walls. */
/* A box that slides falls over the edge of another one, with impacts of several corners. Repeated
 * passes solve its steps exactly, and the fixed passes end at the same place. */
static void rounds_solve_exactly(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 2, inertia: [0.02, "
        "0.02, 0.02], position: [0, 0, 0.4], velocity: [1, 0.3, 0], angular_velocity: [1, 3, "
        "2]}\nshapes:\n  floor: {type: half-space, body: ground}\n  b: {type: box, body: b, size: "
        "[0.3, 0.2, 0.1]}\nforces:\n  c: {type: contact, shapes: [floor, b], friction: 0.4, "
        "restitution: 0.2}\noutputs:\n  p: {type: body-pose, body: b}\n  c: {type: contact, force: "
        "c}\n";
    const struct lk_options rounds[] = {{.step = 1e-3}, {.step = 1e-3, .contact_rounds = 20}};
    double out[2][OUT], residual[2] = {0};
    struct lk_model *model;
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_model_read_text("m", text, sizeof(text) - 1, &model, &error), 0);
    for (int k = 0; k < 2; k++) {
        struct lk_system *system;

        assert_int_equal(lk_system_new(model, &rounds[k], &system, &error), 0);
        for (int i = 0; i < 1000; i++) {
            steps(system, 1, NULL, out[k]);
            residual[k] = fmax(residual[k], out[k][11]);
        }
        near_to("flat", out[k][2], 0.05, 1e-6);
        lk_system_free(system);
    }
    lk_model_free(model);
    if (!(residual[1] < 1e-2 && residual[0] > 100 * residual[1]))
        fail_msg("residuals %g N and %g N", residual[0], residual[1]);
    for (int i = 0; i < 2; i++)
        near_to("place", out[0][i], out[1][i], 1e-2);
}

static void many_points_at_one_body(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [3, 2, -9.81]\nbodies:\n  b: {mass: 2, inertia: [0.1, 0.1, "
        "0.1], position: [0, 0, 0]}\nshapes:\n  b: {type: box, body: b, size: [1, 1, 1]}\n  down: "
        "{type: half-space, body: ground, position: [0, 0, -0.5]}\n  right: {type: half-space, "
        "body: ground, position: [0.5, 0, 0], normal: [-1, 0, 0]}\n  back: {type: half-space, "
        "body: "
        "ground, position: [0, 0.5, 0], normal: [0, -1, 0]}\n  left: {type: half-space, body: "
        "ground, position: [-0.6, 0, 0], normal: [1, 0, 0]}\n  front: {type: half-space, body: "
        "ground, position: [0, -0.6, 0], normal: [0, 1, 0]}\nforces:\n  down: {type: contact, "
        "shapes: [down, b]}\n  right: {type: contact, shapes: [b, right]}\n  back: {type: contact, "
        "shapes: [back, b]}\n  left: {type: contact, shapes: [left, b]}\n  front: {type: contact, "
        "shapes: [front, b]}\noutputs:\n  d: {type: contact, force: down}\n  r: {type: contact, "
        "force: right}\n  b: {type: contact, force: back}\n  on-b: {type: force, force: down}\n  "
        "on-wall: {type: force, force: right}\n";
    double out[OUT];

    (void)state;
    run_text(text, 1e-3, 500, out);
    near_to("down", out[1], 2 * G, 1e-8);
    near_to("right", out[6], 6, 1e-8);
    near_to("back", out[11], 4, 1e-8);
    near_to("on the box, named second", out[17], 2 * G, 1e-8);
    near_to("on the wall, named second", out[18], 6, 1e-8);
}

/* A conveyor starts to carry a box: what its drive does is booked from the first step on. */
static void drive_pays_for_friction(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  belt: {mass: 1, inertia: [0.1, "
        "0.1, 0.1], position: [0, 0, 0], velocity: [1, 0, 0]}\n  b: {mass: 1, inertia: [0.01, "
        "0.01, "
        "0.01], position: [0, 0, 0.1]}\njoints:\n  rail: {type: prismatic, bodies: [ground, belt], "
        "point: [0, 0, 0], axis: [1, 0, 0], drive: {ramp: {start: 0, rate: 1}}}\nshapes:\n  belt: "
        "{type: box, body: belt, size: [9, 1, 0.1]}\n  b: {type: box, body: b, size: [0.2, 0.2, "
        "0.1]}\nforces:\n  c: {type: contact, shapes: [belt, b], faces: [+z, -z], friction: "
        "0.3}\noutputs:\n  v: {type: body-velocity, body: b}\n  w: {type: work}\n";
    double out[OUT];

    (void)state;
    run_text(text, 1e-3, 1000, out);
    near_to("carried", out[0], 1, 1e-9);
    near_to("drive", out[8], 1, 1e-6); /* half of it is heat */
    near_to("dissipated", out[7], 0.5, 1e-6);
    near_to("balance", out[10], 0, 1e-10);
}

/* A platform shakes a box that sticks and slides, moved along a rail or with its frame. The work of
 * the drives has order 2, although friction jumps. */
static void shaking_drives_keep_their_books(void **state)
{
    static const char *const drives[] = {
        "type: prismatic, bodies: [ground, p], point: [0, 0, 0], axis: [1, 0, 0], drive: "
        "{harmonic: {amplitude: 0.1, omega: 6}}",
        "type: fixed, bodies: [ground, p], point: [0, 0, 0], drive: {x: {harmonic: {amplitude: "
        "0.1, omega: 6}}}",
    };
    double out[OUT];

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[TEXT];
        struct lk_system *system;
        const double mu = 0.3;

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  p: {mass: 20, inertia: "
                 "[1, 1, 1], position: [0, 0, 0], velocity: [0.6, 0, 0]}\n  b: {mass: 10, inertia: "
                 "[0.2, 0.2, 0.2], position: [0, 0, 0.2], velocity: [0.6, 0, 0]}\njoints:\n  j: "
                 "{%s}\ninputs:\n  mu: {type: signal, initial: 0.3}\nshapes:\n  p: {type: box, "
                 "body: p, size: [9, 1, 0.2]}\n  b: {type: box, body: b, size: [0.2, 0.2, "
                 "0.2]}\nforces:\n  c: {type: contact, shapes: [p, b], faces: [+z, -z], friction: "
                 "{input: mu}}\noutputs:\n  w: {type: work}\n",
                 drives[i]);
        system = compile(text, 1e-3);
        steps(system, 5000, &mu, out);
        if (!(out[1] > 4))
            fail_msg("only %g J dissipated", out[1]);
        near_to("balance", out[4], 0, 2e-4);
        lk_system_free(system);
    }
}

/* ---- inputs, refusals ---- */

static void friction_is_an_input(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: " SLOPE
        "\nbodies:\n  box: {mass: 2, inertia: [0.01, 0.02, 0.025], position: [0, 0, "
        "0.05]}\ninputs:\n  mu: {type: signal, initial: 0.8, limits: [0, 2]}\nshapes:\n  floor: "
        "{type: half-space, body: ground}\n  box: {type: box, body: box, size: [0.3, 0.2, "
        "0.1]}\nforces:\n  c: {type: contact, shapes: [floor, box], friction: {input: "
        "mu}}\noutputs:\n  v: {type: body-velocity, body: box}\n";
    struct lk_system *system = compile(text, 1e-3);
    double out[OUT], mu = 0.8;

    (void)state;
    steps(system, 100, &mu, out);
    near_to("held", out[0], 0, 1e-9);
    mu = 0.2;
    steps(system, 100, &mu, out);
    near_to("let go", out[0], 0.1 * G * (0.5 - 0.2 * sqrt(0.75)), 1e-6);
    mu = -1; /* no friction, rather than one that drives */
    steps(system, 100, &mu, out);
    near_to("slides freely", out[0], 0.1 * G * (1 - 0.2 * sqrt(0.75)), 1e-6);
    lk_system_free(system);
}

static void refuses(const char *forces, const char *expected)
{
    char text[TEXT];
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error = {0};
    int r;

    snprintf(text, sizeof(text),
             "linkage: 1\nname: m\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
             "0.4]}\nshapes:\n  floor: {type: half-space, body: ground}\n  ball: {type: sphere, "
             "body: b, diameter: 1}\n  box: {type: box, body: b, size: [1, 1, 1]}\n  rod: {type: "
             "cylinder, body: b, diameter: 1, length: 1}\n  line: {type: line, body: b, points: "
             "[[0, 0, 0], [1, 0, 0]]}\n  block: {type: box, body: ground, size: [1, 1, "
             "1]}\nforces:\n  c: {type: contact, %s}\n",
             forces);
    r = lk_model_read_text("m", text, strlen(text), &model, &error);
    if (r == 0) {
        r = lk_system_new(model, NULL, &system, &error);
        lk_model_free(model);
    }
    if (r == 0)
        fail_msg("accepted: %s", forces);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' instead of '%s'", error.text, expected);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    refuses("shapes: [floor, ball]",
            "contact 'c' starts with a penetration of 0.1 m between its shapes");
    refuses("shapes: [floor]", "expected shapes: [first, second]");
    refuses("shapes: [floor, wheel]", "wheel");
    refuses("shapes: [floor, line]", "shape 'line' is a line");
    refuses("shapes: [floor, block]", "fixed to the same body");
    refuses("shapes: [block, box]",
            "a contact of a box with a box without a face, expected faces: [+z, -z]");
    refuses("shapes: [block, box], faces: [+z]", "expected a list of 2 faces");
    refuses("shapes: [block, box], faces: [+z, up]", "expected a face of the box");
    refuses("shapes: [block, ball], faces: [+z]", "faces of a pair that does not need them");
    refuses("shapes: [floor, ball], friction: -1", "friction");
    refuses("shapes: [floor, ball], restitution: 1.5", "restitution is 1.5, expected 0 to 1");
    refuses("shapes: [floor, ball], stiffness: 0", "stiffness");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_begins_to_roll),
        cmocka_unit_test(ball_bounces),
        cmocka_unit_test(bounces_are_booked),
        cmocka_unit_test(box_slides_or_holds),
        cmocka_unit_test(corners_share_the_load),
        cmocka_unit_test(energy_is_booked),
        cmocka_unit_test(stack_stands),
        cmocka_unit_test(spoke_takes_over),
        cmocka_unit_test(slider_has_play),
        cmocka_unit_test(rod_jams),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(gaps_are_distances),
        cmocka_unit_test(ball_rests_on_each_shape),
        cmocka_unit_test(faces_overlap_at_any_angle),
        cmocka_unit_test(spring_carries),
        cmocka_unit_test(gap_is_exact_far_away),
        cmocka_unit_test(edge_lifts_slowly),
        cmocka_unit_test(few_passes_are_seen),
        cmocka_unit_test(rounds_solve_exactly),
        cmocka_unit_test(many_points_at_one_body),
        cmocka_unit_test(drive_pays_for_friction),
        cmocka_unit_test(shaking_drives_keep_their_books),
        cmocka_unit_test(friction_is_an_input),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

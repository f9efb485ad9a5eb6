/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of cylinders, profiles and roads: distances, closed forms, refusals. */
#include "contact_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEXT 16384

/* struct text - a model that is written piece by piece */
struct text {
    char at[TEXT];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list more;

    va_start(more, format);
    t->n += (size_t)vsnprintf(t->at + t->n, TEXT - t->n, format, more);
    va_end(more);
    assert_true(t->n < TEXT);
}

static void run(const struct text *t, double step, int n, double *ret)
{
    struct lk_system *system = compile(t->at, step);

    steps(system, n, NULL, ret);
    lk_system_free(system);
}

/* write a curve of @n points of an ellipse, from the point at @first on */
static void put_ellipse(struct text *t, int n, double a, double b, int sense)
{
    put(t, "[");
    for (int i = 0; i < n; i++)
        put(t, "%s[%.12f, %.12f]", i > 0 ? ", " : "", a * cos(sense * 2 * M_PI * i / n),
            b * sin(sense * 2 * M_PI * i / n));
    put(t, "]");
}

/* ---- distances ---- */

/* Return the gap of the shapes or the road @surface and of a shape of a body at [1, 2, 3]. */
static double gap_of(const char *surface, const char *other, const char *pair)
{
    struct text t = {.n = 0};
    double out[OUT];

    put(&t, "linkage: 1\nname: m\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, 2, "
            "3]}\nroads:\n  r: {type: profile, left: {distance: [-100, 0, 10, 100], height: [-30, "
            "0, 3, 30]}}\nshapes:\n");
    if (surface)
        put(&t, "  s: {body: ground, %s}\n", surface);
    put(&t,
        "  o: {body: b, %s}\nforces:\n  c: {type: contact, %s}\noutputs:\n  c: {type: contact, "
        "force: c}\n",
        other, pair);
    run(&t, 1e-3, 0, out);
    return out[0];
}

static void gaps_are_distances(void **state)
{
    struct text square = {.n = 0}, wheel = {.n = 0};
    double slope = hypot(1, 0.3);

    (void)state;
    for (int tilt = 0; tilt <= 8; tilt++) {
        char rod[256];
        double a = 0.25 * tilt;

        snprintf(rod, sizeof(rod),
                 "type: cylinder, axis: [%.15f, 0, %.15f], diameter: 1, length: 2", sin(a), cos(a));
        near_to("cylinder over plane", gap_of("type: half-space", rod, "shapes: [s, o]"),
                3 - fabs(cos(a)) - 0.5 * fabs(sin(a)), 1e-12);
        near_to("cylinder over a face",
                gap_of("type: box, position: [1, 2, 0], size: [8, 8, 2]", rod,
                       "shapes: [o, s], faces: [+z]"),
                2 - fabs(cos(a)) - 0.5 * fabs(sin(a)), 1e-12);
    }
    near_to("sphere over road", gap_of(NULL, "type: sphere, diameter: 1", "road: r, shapes: [o]"),
            (3 - 0.3) / slope - 0.5, 1e-12);
    near_to("box over road", gap_of(NULL, "type: box, size: [2, 1, 1]", "road: r, shapes: [o]"),
            (2.5 - 0.6) / slope, 1e-12);
    near_to("face over road",
            gap_of(NULL, "type: box, size: [2, 1, 1]", "road: r, shapes: [o], faces: [+z]"),
            (3.5 - 0.6) / slope, 1e-12);
    near_to("cylinder over road",
            gap_of(NULL, "type: cylinder, axis: [0, 1, 0], diameter: 1, length: 2",
                   "road: r, shapes: [o]"),
            (3 - 0.3) / slope - 0.5, 1e-12);
    near_to("capsule over a face",
            gap_of("type: box, position: [1, 2, 0], size: [8, 8, 2]",
                   "type: capsule, axis: [0.6, 0, 0.8], diameter: 1, length: 2",
                   "shapes: [s, o], faces: [+z]"),
            2 - 0.8 - 0.5, 1e-12);
    put(&square, "type: profile, position: [1, 1, 3], width: 1, curve: [[-0.5, -0.5], [0, -0.5], "
                 "[0.5, -0.5], [0.5, 0], [0.5, 0.5], [0, 0.5], [-0.5, 0.5], [-0.5, 0]]");
    near_to("sphere beside profile",
            gap_of(square.at, "type: sphere, diameter: 0.5", "shapes: [s, o]"), 0.25, 1e-12);
    near_to("sphere beside the width",
            gap_of(square.at, "type: sphere, diameter: 0.5, position: [1, 1, 5]", "shapes: [o, s]"),
            1.5 - 0.25, 1e-12);
    for (int sense = -1; sense <= 1; sense += 2) {
        wheel.n = 0;
        put(&wheel, "type: profile, orientation: {axis: [1, 0, 0], angle: 1.5707963267949}, width: "
                    "0.1, curve: ");
        put_ellipse(&wheel, 64, 2, 1, sense);
        near_to("profile over plane", gap_of("type: half-space", wheel.at, "shapes: [s, o]"), 2,
                1e-12);
        near_to("profile over an inclined plane",
                gap_of("type: half-space, normal: [0.6, 0, 0.8]", wheel.at, "shapes: [s, o]"),
                3 - hypot(2 * 0.6, 0.8), 1e-6);
    }
}

/* ---- cams ---- */

#define CAM_RADIUS 0.04
#define CAM_OFFSET 0.01

/* An eccentric disc turns below a follower of 0.2 kg with a spring. @follower: its shape and the
 * contact */
static void put_cam(struct text *t, double speed, const char *follower, double height)
{
    put(t,
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  cam: {mass: 1, position: [0, 0, "
        "0], inertia: [1e-3, "
        "1e-3, 1e-3], angular_velocity: [0, %.17g, 0]}\n  f: {mass: 0.2, inertia: [1e-4, 1e-4, "
        "1e-4], position: [0, 0, %.17g], velocity: [0, 0, %.17g]}\njoints:\n  shaft: {type: "
        "revolute, bodies: [ground, "
        "cam], point: [0, 0, 0], axis: [0, 1, 0], drive: {ramp: {rate: %.17g}}}\n  guide: {type: "
        "prismatic, bodies: [ground, f], point: [0, 0, 0], axis: [0, 0, 1]}\nshapes:\n  cam: "
        "{type: profile, body: cam, width: 0.02, position: [%g, 0, 0], orientation: {axis: [1, 0, "
        "0], angle: 1.5707963267949}, curve: ",
        speed, height, -speed * CAM_OFFSET, speed, CAM_OFFSET);
    put_ellipse(t, 90, CAM_RADIUS, CAM_RADIUS, 1);
    put(t,
        "}\n  f: {body: f, %s}\n  s: {type: joint-spring-damper, joint: guide, stiffness: 4000, "
        "rest: -0.02}\noutputs:\n  c: {type: contact, force: c}\n  p: {type: joint-position, "
        "joint: guide}\n  f: {type: force, force: c}\n",
        follower);
}

/* The follower of an eccentric disc moves with e sin(w t) under a flat face, and with the same and
 * sqrt((R + r)^2 - e^2 cos^2(w t)) with a roller; the force is that of spring, weight and inertia.
 */
static void cams_lift(void **state)
{
    double w = 60, e = CAM_OFFSET, R = CAM_RADIUS, r = 0.015, step = 1e-4, out[OUT];

    (void)state;
    for (int flat = 0; flat <= 1; flat++) {
        struct text t = {.n = 0};
        double start = flat ? R : sqrt((R + r) * (R + r) - e * e);
        struct lk_system *system;

        put_cam(&t, w,
                flat ? "type: half-space, normal: [0, 0, -1]}\nforces:\n  c: {type: contact, "
                       "shapes: [f, cam]"
                     : "type: sphere, diameter: 0.03}\nforces:\n  c: {type: contact, shapes: "
                       "[cam, f]",
                start);
        system = compile(t.at, step);
        steps(system, 10, NULL, out);
        for (int i = 10; i < 3000; i++) {
            double s, a, angle, root, side;

            steps(system, 1, NULL, out);
            angle = -w * (i + 1) * step;
            root = flat ? R : sqrt((R + r) * (R + r) - pow(e * cos(angle), 2));
            s = e * sin(angle) + root;
            near_to(flat ? "flat" : "roller", out[5], s - start, 2e-8);
            angle += 0.5 * w * step; /* forces are means over the step */
            root = flat ? R : sqrt((R + r) * (R + r) - pow(e * cos(angle), 2));
            side = e * e * sin(angle) * cos(angle);
            a = -e * sin(angle) * w * w;
            if (!flat)
                a += w * w * (e * e * cos(2 * angle) / root - side * side / pow(root, 3));
            s = e * sin(angle) + root;
            near_to("force", flat ? -out[8] : out[8], 4000 * (s - start + 0.02) + 0.2 * (G + a),
                    0.05);
        }
        lk_system_free(system);
    }
}

/* A flat follower leaves the disc where the spring and the weight are less than m e w^2. */
static void follower_jumps(void **state)
{
    double onset = sqrt((4000 * (CAM_OFFSET + 0.02) + 0.2 * G) / (0.2 * CAM_OFFSET)), out[OUT];

    (void)state;
    for (int above = 0; above <= 1; above++) {
        double w = onset * (above ? 1.01 : 0.99), most = 0;
        struct text t = {.n = 0};
        struct lk_system *system;

        put_cam(&t, w,
                "type: half-space, normal: [0, 0, -1]}\nforces:\n  c: {type: contact, shapes: "
                "[f, cam]",
                CAM_RADIUS);
        system = compile(t.at, 1e-5);
        for (int i = 0; i < 2200; i++) {
            steps(system, 1, NULL, out);
            most = fmax(most, out[0]);
        }
        if (above ? most < 1e-7 : most > 1e-10)
            fail_msg("gap of %g m at %g times the speed of the jump", most, w / onset);
        lk_system_free(system);
    }
}

/* ---- rolling and standing ---- */

/* A cylinder and a round profile roll down a plane, and a road, with 2/3 g sin a. */
static void wheels_roll(void **state)
{
    double out[OUT], a = 2. / 3 * G * 0.5;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct text t = {.n = 0};

        put(&t,
            "linkage: 1\nname: m\ngravity: " SLOPE "\nbodies:\n  b: {mass: 2, inertia: [0.02, "
            "0.01, 0.02], position: [0, 0, 0.1]}\nroads:\n  r: {type: plane}\njoints:\n  j: {type: "
            "planar, bodies: [ground, b], point: [0, 0, 0.1], axis: [0, 1, 0]}\nshapes:\n  s: "
            "{type: half-space, body: ground}\n  o: {body: b, ");
        if (i < 2)
            put(&t, "type: cylinder, axis: [0, 1, 0], diameter: 0.2, length: 0.3");
        else {
            put(&t, "type: profile, orientation: {axis: [1, 0, 0], angle: 1.5707963267949}, width: "
                    "0.1, curve: ");
            put_ellipse(&t, 120, 0.1, 0.1, 1);
        }
        put(&t,
            "}\nforces:\n  c: {type: contact, %s, friction: 0.4}\noutputs:\n  c: {type: contact, "
            "force: c}\n  v: {type: body-velocity, body: b}\n",
            i == 1 ? "road: r, shapes: [o]" : "shapes: [s, o]");
        run(&t, 1e-3, 1000, out);
        near_to("rolling", out[5], a, 1e-5);
        near_to("turning", out[9], 10 * a, 1e-4);
        near_to("normal force", out[1], 2 * G * cos(M_PI / 6), i < 2 ? 1e-6 : 0.1);
        near_to("friction", out[2], 2 * (G * 0.5 - a), 1e-3);
        near_to("slip", out[3], 0, 1e-6);
    }
}

/* A cylinder stands on its end, or lies with its axis down a slope, and stays there. */
static void cylinders_rest(void **state)
{
    double out[OUT];

    (void)state;
    for (int lies = 0; lies <= 1; lies++) {
        struct text t = {.n = 0};

        put(&t,
            "linkage: 1\nname: m\ngravity: " SLOPE "\nbodies:\n  b: {mass: 2, inertia: [0.01, "
            "0.01, 0.01], position: [0, 0, 0.05]}\nshapes:\n  s: {type: half-space, body: "
            "ground}\n  o: {type: cylinder, body: b, axis: [%d, 0, %d], diameter: %g, length: "
            "%g}\nforces:\n  c: {type: contact, shapes: [s, o], friction: 0.8}\noutputs:\n  c: "
            "{type: contact, force: c}\n  p: {type: body-pose, body: b}\n",
            lies, !lies, lies ? 0.1 : 0.2, lies ? 0.2 : 0.1);
        run(&t, 1e-3, 5000, out);
        near_to("rest", out[5], 0, 1e-8);
        near_to("height", out[7], 0.05, 1e-8);
        near_to("normal force", out[1], 2 * G * cos(M_PI / 6), 1e-8);
        near_to("friction", out[2], 2 * G * 0.5, 1e-8);
        near_to("residual", out[4], 0, 1e-8);
    }
}

/* A coin that falls on its edge nearly lies flat and rises again, on another point of its rim (R.
 * Cushman, J. J. Duistermaat, Nearly flat falling motions of the rolling disk, 2006). It gains no
 * energy while the point of contact runs along the rim. */
static void coin_wobbles(void **state)
{
    struct text t = {.n = 0};
    struct lk_system *system;
    double out[OUT], most, lowest = 1, highest = 0;

    (void)state;
    put(&t, "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 0.1, inertia: "
            "[6.3e-5, 6.3e-5, 1.25e-4], position: [0, 0, 0.06], orientation: {axis: [1, 0, 0], "
            "angle: 0.5}, velocity: [0.2, 0, 0]}\nshapes:\n  s: {type: "
            "half-space, body: ground}\n  o: {type: cylinder, body: b, frame: body, diameter: "
            "0.1, length: 0.004}\nforces:\n  c: {type: contact, shapes: [s, o], friction: 0.3, "
            "restitution: 0.3}\noutputs:\n  p: {type: body-pose, body: b}\n  e: {type: "
            "energy}\n  c: {type: contact, force: c}\nsolver: {iterations: 12}\n");
    system = compile(t.at, 5e-4);
    steps(system, 1, NULL, out);
    most = out[7] + out[8];
    for (int i = 0; i < 8000; i++) {
        steps(system, 1, NULL, out);
        if (out[7] + out[8] > most + 1e-4)
            fail_msg("energy %g J after %g J in step %d", out[7] + out[8], most, i);
        most = fmin(most, out[7] + out[8]);
        lowest = fmin(lowest, out[2]);
        highest = i > 1000 ? fmax(highest, out[2]) : 0;
    }
    near_to("nearly flat", lowest, 0.002, 2e-3);
    near_to("rises", highest, 0.01, 2e-3);
    near_to("gap", out[9], 0, 1e-6);
    lk_system_free(system);
}

/* A ball without friction on a curved road keeps its energy, and stays on the road. */
static void ball_runs_through_a_valley(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 1, inertia: [0.01, "
        "0.01, 0.01], position: [-2.5, 0, 1.1], velocity: [1, 0, 0]}\nroads:\n  r: {type: "
        "profile, left: {distance: [-3, -2, -1, 0, 1, 2, 3], height: [1, 1, 0.75, 0.25, 0, 0, "
        "0]}}\nshapes:\n  o: {type: sphere, body: b, diameter: 0.2}\nforces:\n  c: {type: "
        "contact, road: r, shapes: [o]}\noutputs:\n  p: {type: body-pose, body: b}\n  v: {type: "
        "body-velocity, body: b}\n  c: {type: contact, force: c}\n";
    struct lk_system *system = compile(text, 1e-3);
    double out[OUT];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        steps(system, 1, NULL, out);
        near_to("gap", out[13], 0, 1e-7);
    }
    near_to("height", out[2], 0.1, 1e-7);
    near_to("speed", out[7], sqrt(1 + 2 * G), 1e-3);
    lk_system_free(system);
}

/* ---- refusals ---- */

static void refuses(const char *shapes, const char *contact, const char *expected)
{
    struct text t = {.n = 0};
    struct lk_options options = {.step = 1e-3};
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error = {0};
    int r;

    put(&t,
        "linkage: 1\nname: m\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
        "5]}\nroads:\n  tracks: {type: profile, left: {distance: [0, 1], height: [0, 1]}, right: "
        "{distance: [0, 1], height: [0, 0]}}\n  plane: {type: plane}\nshapes:\n  floor: {type: "
        "half-space, body: ground}\n  big: {type: sphere, body: b, diameter: 9}\n  ball: {type: "
        "sphere, body: b, diameter: 0.5}\n  crate: "
        "{type: "
        "box, body: b, size: [1, 1, 1]}\n  rod: {type: cylinder, body: ground, diameter: 1, "
        "length: "
        "1}\n  star: {type: profile, body: b, width: 1, radii: [1, 0.6, 1, 0.6, 1, 0.6, 1, "
        "0.6]}\n  cog: {type: profile, body: ground, width: 1, radii: [1, 0.6, 1, 0.6, 1, 0.6, 1, "
        "0.6]}\n%sforces:\n  c: {type: contact, %s}\n",
        shapes, contact);
    r = lk_model_read_text("m", t.at, t.n, &model, &error);
    if (r == 0) {
        r = lk_system_new(model, &options, &system, &error);
        lk_model_free(model);
        if (r == 0)
            lk_system_free(system);
    }
    if (r == 0 || !strstr(error.text, expected))
        fail_msg("'%s' does not contain '%s'", r == 0 ? "" : error.text, expected);
}

static void nonsense_is_refused(void **state)
{
    static const char plain[] = "shapes: [floor, ball]";

    (void)state;
    refuses("", "shapes: [floor, star]", "profile 'star' is hollow after its point");
    refuses("", "shapes: [cog, big]", "expected a radius of at most");
    refuses("", "shapes: [rod, star]", "contact of a profile with a cylinder, expected");
    refuses("", "road: tracks, shapes: [ball]", "road 'tracks' has two tracks");
    refuses("", "road: plane, shapes: [ball, crate]", "expected shapes: [name]");
    refuses("", "road: plane, shapes: [rod]", "is fixed to the body of the road 'plane'");
    refuses("", "road: plane, shapes: [star]", "contact of a road with a profile");
    refuses("", "road: other, shapes: [ball]", "other");
    refuses("", "shapes: [floor, ball], faces: [+z]", "faces of a pair that does not need them");
    refuses("  p: {type: profile, body: b, width: 1}\n", plain, "expected one of the keys curve");
    refuses("  p: {type: profile, body: b, width: 1, radii: [1, 1, 1]}\n", plain,
            "has 3 points, expected a list of 8 to 1000");
    refuses("  p: {type: profile, body: b, width: 1, radii: [1, 1, 1, -1, 1, 1, 1, 1]}\n", plain,
            "radius 4 is -1");
    refuses("  p: {type: profile, body: b, width: 1, curve: [[0, 0], [1, 0], [2, 0], [3, 0], [3, "
            "1], [2, 1], [2, 1], [0, 1]]}\n",
            plain, "points 6 and 7 of the profile are the same");
    refuses("  p: {type: profile, body: b, width: 1, curve: [[0, 0], [1, 0], [2, 0], [3, 0], [3, "
            "1], [2, -1], [1, 1], [0, 1]]}\n",
            plain, "crosses itself after its points");
    refuses("  p: {type: profile, body: b, radii: [1, 1, 1, 1, 1, 1, 1, 1]}\n", plain, "width");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_distances),
        cmocka_unit_test(cams_lift),
        cmocka_unit_test(follower_jumps),
        cmocka_unit_test(wheels_roll),
        cmocka_unit_test(cylinders_rest),
        cmocka_unit_test(coin_wobbles),
        cmocka_unit_test(ball_runs_through_a_valley),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

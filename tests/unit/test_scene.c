/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes: of each shipped model, of each type of joint, with shapes from the model; positions of
 * shapes at the poses of a system; assemblies that do not close. */
#include "linkage/scene.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *models, *every_key; /* folder, file */

static struct lk_model *read_text(const char *text)
{
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    if (lk_model_read_text("text", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static struct lk_scene *scene_of(const char *text)
{
    struct lk_model *model = read_text(text);
    struct lk_scene *scene = NULL;

    assert_int_equal(lk_scene_new(model, &scene), 0);
    lk_model_free(model);
    return scene;
}

static const struct lk_shape *find(const struct lk_scene *scene, enum lk_shape_part part,
                                   const char *name, int skip)
{
    for (int i = 0; i < scene->n_shapes; i++)
        if (scene->shape[i].part == part && strcmp(scene->shape[i].name, name) == 0 && skip-- == 0)
            return &scene->shape[i];
    return NULL;
}

static void expect_near(const double a[3], double x, double y, double z, double near)
{
    if (!(fabs(a[0] - x) <= near && fabs(a[1] - y) <= near && fabs(a[2] - z) <= near))
        fail_msg("%g %g %g, expected %g %g %g", a[0], a[1], a[2], x, y, z);
}

/* ---- every shipped model ---- */

static void check_numbers(const char *name, const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(value[i]))
            fail_msg("%s: a number of its scene is %g", name, value[i]);
}

static void check_shape(const char *name, const struct lk_scene *scene, const struct lk_shape *s)
{
    int is_line = s->kind == LK_SHAPE_LINE;
    double length = 0;

    check_numbers(name, s->position, 3);
    check_numbers(name, s->orientation, 4);
    check_numbers(name, s->size, 3);
    for (int k = 0; k < 4; k++) {
        length += s->orientation[k] * s->orientation[k];
        assert_true(s->color[k] >= 0 && s->color[k] <= 1);
    }
    assert_float_equal(length, 1, 1e-9);
    assert_in_range(s->body + 1, 0, scene->n_bodies);
    assert_in_range(s->to + 1, 0, scene->n_bodies);
    assert_true(s->name[0] != '\0');
    assert_true(is_line == (s->n_points >= 2));
    assert_true(s->first_point + s->n_points <= scene->n_points);
    for (int k = 0; k < 3 && !is_line; k++)
        if (!(s->size[k] > 0 && s->size[k] <= 4.5 * scene->size))
            fail_msg("%s: a shape of '%s' is %g m large, the mechanism %g m", name, s->name,
                     s->size[k], scene->size);
}

/* Check that each joint point has a bar that ends at it, except points on the ground, points at the
 * centre of mass, and points of a body that has shapes of its own. */
static void check_bars(const char *name, const struct lk_scene *scene)
{
    for (int i = 0; i < scene->n_joints; i++)
        for (int side = 0; side < 2; side++) {
            const struct lk_scene_joint *j = &scene->joint[i];
            const double *p = j->point[side];
            int found = j->body[side] < 0 ||
                        sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) < 1e-5 * scene->size;

            for (int k = 0; k < scene->n_shapes && !found; k++) {
                const struct lk_shape *s = &scene->shape[k];

                if (s->body != j->body[side] || s->part == LK_PART_JOINT)
                    continue;
                if (s->part == LK_PART_GIVEN || s->part == LK_PART_WHEEL)
                    found = 1;
                if (s->part == LK_PART_BAR)
                    found = fabs(2 * s->position[0] - p[0]) + fabs(2 * s->position[1] - p[1]) +
                                fabs(2 * s->position[2] - p[2]) <
                            1e-5 * scene->size;
            }
            if (!found)
                fail_msg("%s: no bar leads to joint '%s'", name, j->name);
        }
}

static void check_scene(const char *name, const struct lk_scene *scene)
{
    assert_true(isfinite(scene->size) && scene->size > 0);
    assert_true(scene->unit > 0 && scene->unit <= scene->size);
    for (int i = 0; i < scene->n_shapes; i++)
        check_shape(name, scene, &scene->shape[i]);
    check_numbers(name, (const double *)scene->point, 3 * scene->n_points);
    check_bars(name, scene);
}

static void check_model(const char *path)
{
    struct lk_model *model;
    struct lk_scene *scene;
    struct lk_system *system;
    struct lk_error error = {""};
    double *poses;

    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_scene_new(model, &scene), 0);
    check_scene(path, scene);
    if (lk_system_new(model, NULL, &system, &error) != 0)
        fail_msg("%s: %s", path, error.text);
    poses = calloc((size_t)scene->n_bodies, LK_POSE_SIZE * sizeof(*poses));
    lk_system_poses(system, poses);
    for (int i = 0; i < scene->n_joints; i++) {
        struct lk_scene_gap gap;

        lk_scene_gap(scene, i, poses, &gap);
        if (!scene->joint[i].is_soft && !(gap.shift < 1e-6 * scene->size && gap.tilt < 1e-6))
            fail_msg("%s: joint '%s' is open by %g m, %g rad", path, scene->joint[i].name,
                     gap.shift, gap.tilt);
    }
    free(poses);
    lk_system_free(system);
    lk_scene_free(scene);
    lk_model_free(model);
}

static void test_shipped(void **state)
{
    DIR *folder = opendir(models);
    struct dirent *entry;
    int n = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[512];

        if (strstr(entry->d_name, ".yaml") == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", models, entry->d_name);
        check_model(path);
        n++;
    }
    closedir(folder);
    assert_true(n > 20);
}

/* a model with each type of joint and force */
static void test_every_key(void **state)
{
    struct lk_model *model;
    struct lk_scene *scene;
    struct lk_error error = {""};

    (void)state;
    if (lk_model_read_file(every_key, &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_scene_new(model, &scene), 0);
    check_scene("every key", scene);
    for (int i = 0; i < scene->n_joints; i++) {
        const char *name = scene->joint[i].name;

        if (!find(scene, LK_PART_JOINT, name, 0) && !find(scene, LK_PART_ROD, name, 0) &&
            !find(scene, LK_PART_WHEEL, name, 0))
            fail_msg("joint '%s' is not seen", name);
    }
    assert_non_null(find(scene, LK_PART_SPRING, "strut", 0));
    assert_non_null(find(scene, LK_PART_SPRING, "pad", 0));
    assert_non_null(find(scene, LK_PART_WHEEL, "tread", 0));
    lk_scene_free(scene);
    lk_model_free(model);
}

/* ---- sizes and places ---- */

/* Return the scene of a bar of @scale m on a hinge, @far from the origin, rotated by 0.5 rad about
 * y. */
static struct lk_scene *scaled(double scale, double far)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "linkage: 1\nname: bar\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  bar: {mass: 2, inertia: [%g, %g, %g], position: [%.17g, 0, 0],\n"
             "    orientation: {axis: [0, 1, 0], angle: 0.5}}\n"
             "joints:\n  pin: {type: revolute, bodies: [ground, bar], point: [%.17g, 0, 0],\n"
             "    axis: [0, 1, 0]}\n",
             0.01 * scale * scale, 0.17 * scale * scale, 0.17 * scale * scale, far + 0.5 * scale,
             far);
    return scene_of(text);
}

static void test_follows_the_mechanism(void **state)
{
    struct lk_scene *one = scaled(1, 0), *other = scaled(1000, 0), *away = scaled(1, 1e4);

    (void)state;
    assert_int_equal(one->n_shapes, other->n_shapes);
    assert_int_equal(one->n_shapes, away->n_shapes);
    for (int i = 0; i < one->n_shapes; i++)
        for (int k = 0; k < 3; k++) {
            assert_float_equal(1000 * one->shape[i].size[k], other->shape[i].size[k], 1e-6);
            assert_float_equal(one->shape[i].size[k], away->shape[i].size[k], 1e-9);
        }
    lk_scene_free(one);
    lk_scene_free(other);
    lk_scene_free(away);
}

static void test_bar_ends_at_the_hinge(void **state)
{
    struct lk_scene *scene = scaled(1, 0);
    const struct lk_shape *bar = find(scene, LK_PART_BAR, "bar", 0);
    const struct lk_shape *pin = find(scene, LK_PART_JOINT, "pin", 0);
    const struct lk_shape *box = find(scene, LK_PART_BODY, "bar", 0);
    double axis[3] = {0, 0, 1}, place[3], poses[7];

    (void)state;
    assert_non_null(bar);
    assert_non_null(pin);
    assert_non_null(box);
    lk_scene_place(scene->drawn, 0, bar->position, place);
    expect_near(place, 0.25, 0, 0, 1e-12);
    lk_scene_place(scene->drawn, 0, pin->position, place);
    expect_near(place, 0, 0, 0, 1e-12);
    /* the axis of the cylinder, its z axis, is rotated into the body and then into the world */
    memcpy(poses, (double[]){0, 0, 0, 0, 0, 0, 0}, sizeof(poses));
    memcpy(poses + 3, pin->orientation, sizeof(pin->orientation));
    lk_scene_turn(poses, 0, axis, place);
    lk_scene_turn(scene->drawn, 0, place, axis);
    expect_near(axis, 0, 1, 0, 1e-12);
    /* a box with 2 kg, 0.01 and 0.17 kg m^2 is 0.99 m long in x and 0.17 m wide in y and z */
    expect_near(box->size, sqrt(6 * (0.34 - 0.01) / 2), sqrt(0.03), sqrt(0.03), 1e-9);
    lk_scene_free(scene);
}

/* A box is drawn along the principal axes of the inertia tensor: here at 30 degrees about z. */
static void test_box_is_turned(void **state)
{
    double c = cos(M_PI / 6), s = sin(M_PI / 6), a = 0.1, b = 1, poses[7] = {0}, x[3] = {1, 0, 0};
    double way[3];
    char text[512];
    struct lk_scene *scene;
    const struct lk_shape *box;
    int longest = 0;

    (void)state;
    snprintf(text, sizeof(text),
             "linkage: 1\nname: box\nbodies:\n  box: {mass: 1, position: [0, 0, 0], inertia: "
             "[%.17g, %.17g, %.17g, %.17g, 0, 0]}\n",
             c * c * a + s * s * b, s * s * a + c * c * b, 1.05, c * s * (a - b));
    scene = scene_of(text);
    box = find(scene, LK_PART_BODY, "box", 0);
    assert_non_null(box);
    for (int k = 1; k < 3; k++)
        if (box->size[k] > box->size[longest])
            longest = k;
    memcpy(poses + 3, box->orientation, sizeof(box->orientation));
    for (int k = 0; k < 3; k++)
        x[k] = k == longest;
    lk_scene_turn(poses, 0, x, way);
    assert_float_equal(fabs(way[0]), c, 1e-9);
    assert_float_equal(way[1] / way[0], s / c, 1e-9);
    lk_scene_free(scene);
}

/* ---- shapes of the model ---- */

static const char given[] =
    "linkage: 1\nname: given\nbodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {axis: [0, 0, 1], "
    "angle: 1.5707963267948966}}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
    "joints:\n  pin: {type: spherical, bodies: [a, b], point: [2, 0, 0]}\n"
    "forces:\n  coil: {type: spring-damper, bodies: [ground, b], points: [[3, 4, 0], [3, 0, 0]], "
    "stiffness: 1}\n"
    "shapes:\n"
    "  hull: {type: box, body: a, size: [1, 2, 3], color: [1, 0, 0.5]}\n"
    "  knob: {type: sphere, body: a, diameter: 0.5, position: [1, 2, 0], color: [0, 0, 1, 0.5]}\n"
    "  tube: {type: cylinder, body: a, frame: body, diameter: 0.5, length: 2, axis: [0, 1, 0], "
    "position: [0, 0, 7]}\n"
    "  wire: {type: line, body: ground, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}\n";

static void test_given(void **state)
{
    struct lk_scene *scene = scene_of(given);
    const struct lk_shape *knob = find(scene, LK_PART_GIVEN, "knob", 0);
    const struct lk_shape *hull = find(scene, LK_PART_GIVEN, "hull", 0);
    const struct lk_shape *tube = find(scene, LK_PART_GIVEN, "tube", 0);
    const struct lk_shape *wire = find(scene, LK_PART_GIVEN, "wire", 0);
    double place[3];

    (void)state;
    assert_true(knob && hull && tube && wire);
    expect_near(hull->size, 1, 2, 3, 0);
    expect_near(hull->color, 1, 0, 0.5, 0);
    expect_near(hull->position, 0, 0, 0, 0);
    assert_float_equal(knob->color[3], 0.5, 0);
    lk_scene_place(scene->drawn, 0, knob->position, place);
    expect_near(place, 1, 2, 0, 1e-12);
    expect_near(knob->position, 2, 0, 0, 1e-12); /* the x axis of body a is the world's y axis */
    expect_near(tube->position, 0, 0, 7, 0);
    assert_int_equal(wire->body, LK_SCENE_WORLD);
    assert_int_equal(wire->n_points, 3);
    expect_near(scene->point[wire->first_point + 2], 1, 1, 0, 0);
    /* a body with given shapes gets no automatic shapes; other bodies do */
    assert_null(find(scene, LK_PART_BAR, "a", 0));
    assert_null(find(scene, LK_PART_CENTRE, "a", 0));
    assert_non_null(find(scene, LK_PART_BAR, "b", 0));
    lk_scene_free(scene);
}

static void test_given_refused(void **state)
{
    static const struct {
        const char *line, *answer;
    } bad[] = {
        {"{type: bowl, body: a}", "type is 'bowl'"},
        {"{type: box, body: a}", "'size' is missing"},
        {"{type: box, body: a, size: [1, 0, 1]}", "entry 2 of size is 0"},
        {"{type: box, body: a, size: [1, 1]}", "size has 2"},
        {"{type: box, size: [1, 1, 1]}", "'body' is missing"},
        {"{type: box, body: c, size: [1, 1, 1]}", "c"},
        {"{type: sphere, body: a}", "'diameter' is missing"},
        {"{type: sphere, body: a, diameter: -1}", "diameter is -1"},
        {"{type: cylinder, body: a, diameter: 1, length: 1, axis: [0, 0, 0]}", "axis"},
        {"{type: line, body: a}", "'points' is missing"},
        {"{type: line, body: a, points: [[0, 0, 0]]}", "points has 1 entries"},
        {"{type: line, body: a, points: [[0, 0, 0], [1, 0]]}", "a point has 2"},
        {"{type: sphere, body: a, diameter: 1, color: [1, 2, 0]}", "entry 2 of color is 2"},
        {"{type: sphere, body: a, diameter: 1, size: 3}", "'size'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct lk_model *model = NULL;
        struct lk_error error = {""};
        char text[512];

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: bad\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, "
                 "0, 0]}\nshapes:\n  s: %s\n",
                 bad[i].line);
        if (lk_model_read_text("text", text, strlen(text), &model, &error) == 0)
            fail_msg("%s was read", bad[i].line);
        if (strstr(error.text, bad[i].answer) == NULL || strncmp(error.text, "text:6:", 7) != 0)
            fail_msg("%s: %s", bad[i].line, error.text);
    }
}

/* ---- springs, gaps ---- */

static void test_span(void **state)
{
    struct lk_scene *scene = scene_of(given);
    const struct lk_shape *coil = find(scene, LK_PART_SPRING, "coil", 0);
    double at[LK_SPAN_POINTS][3], poses[14];
    int n;

    (void)state;
    assert_non_null(coil);
    memcpy(poses, scene->drawn, sizeof(poses));
    poses[8] = 1; /* body b is moved 1 m towards the anchor */
    n = lk_scene_span(scene, coil, poses, at);
    assert_int_equal(n, LK_SPAN_POINTS);
    expect_near(at[0], 3, 4, 0, 1e-12);
    expect_near(at[n - 1], 3, 1, 0, 1e-12);
    for (int i = 0; i < n; i++)
        assert_true(at[i][1] <= 4 && at[i][1] >= 1 && fabs(at[i][0] - 3) < scene->unit);
    poses[8] = 4; /* b is at the anchor: the spring has no direction */
    n = lk_scene_span(scene, coil, poses, at);
    for (int i = 0; i < n; i++)
        expect_near(at[i], 3, 4, 0, 1e-12);
    lk_scene_free(scene);
}

#define GAP_TEXT                                                                                   \
    "linkage: 1\nname: gap\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"    \
    "joints:\n  j: {type: %s, bodies: [ground, a], %s}\n"

static void test_gaps(void **state)
{
    /* the body is moved by (0.1, 0.2, 0.3) and rotated by 0.2 rad about y through its centre, where
     * the joint is located */
    static const struct {
        const char *type, *keys;
        double shift, tilt;
    } cases[] = {
        {"revolute", "point: [1, 0, 0], axis: [0, 0, 1]", 0.37416573867739417, 0.2},
        {"revolute", "point: [1, 0, 0], axis: [0, 1, 0]", 0.37416573867739417, 0},
        {"spherical", "point: [1, 0, 0]", 0.37416573867739417, 0},
        {"fixed", "point: [1, 0, 0]", 0.37416573867739417, 0},
        {"prismatic", "point: [1, 0, 0], axis: [0, 0, 1]", 0.22360679774997896, 0.2},
        {"cylindrical", "point: [1, 0, 0], axis: [1, 0, 0]", 0.36055512754639896, 0.2},
        {"planar", "point: [1, 0, 0], axis: [0, 0, 1]", 0.3, 0.2},
        {"point-on-line", "point: [1, 0, 0], axis: [0, 1, 0]", 0.31622776601683794, 0},
        {"distance", "points: [[0, 0, 0], [1, 0, 0]]", 0.15758369027902254, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double poses[7] = {1.1, 0.2, 0.3, cos(0.1), 0, sin(0.1), 0};
        struct lk_scene_gap gap;
        struct lk_scene *scene;
        char text[512];

        snprintf(text, sizeof(text), GAP_TEXT, cases[i].type, cases[i].keys);
        scene = scene_of(text);
        lk_scene_gap(scene, 0, poses, &gap);
        assert_string_equal(scene->joint[0].type, cases[i].type);
        if (fabs(gap.shift - cases[i].shift) > 1e-12 || fabs(gap.tilt - cases[i].tilt) > 1e-12)
            fail_msg("%s: %.17g m, %.17g rad", cases[i].type, gap.shift, gap.tilt);
        lk_scene_free(scene);
    }
}

/* two bars of 1 m between points 2.5 m apart: they are stretched in line, and the gaps add up to
 * 0.5 m */
static void test_does_not_close(void **state)
{
    static const char text[] =
        "linkage: 1\nname: open\nbodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  left: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
        "  middle: {type: spherical, bodies: [a, b], point: [1, 0, 0]}\n"
        "  right: {type: spherical, bodies: [b, ground], points: [[2, 0, 0], [2.5, 0, 0]]}\n";
    struct lk_model *model = read_text(text);
    struct lk_scene *scene = NULL;
    struct lk_error error = {""};
    double poses[14] = {0}, sum = 0;

    (void)state;
    assert_int_equal(lk_scene_new(model, &scene), 0);
    assert_int_equal(lk_scene_assemble(model, poses, &error), LK_E_ASSEMBLY);
    assert_non_null(strstr(error.text, "'right'"));
    for (int i = 0; i < 3; i++) {
        struct lk_scene_gap gap;

        lk_scene_gap(scene, i, poses, &gap);
        sum += gap.shift;
    }
    assert_float_equal(sum, 0.5, 1e-3);
    lk_scene_free(scene);
    lk_model_free(model);
}

static void test_assembles(void **state)
{
    static const char text[] =
        "linkage: 1\nname: held\nbodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\njoints:\n"
        "  pin: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1], start: "
        "1.5707963267948966}\n";
    struct lk_model *model = read_text(text);
    double poses[7];

    (void)state;
    assert_int_equal(lk_scene_assemble(model, poses, NULL), 0);
    expect_near(poses, 0, 1, 0, 1e-9);
    lk_model_free(model);
}

/* ---- forces of channels ---- */

/* A force on a body and the reaction of a joint are where they act, in axes of the body: the body
 * is turned by a right angle about z. */
static void test_arrows(void **state)
{
    struct lk_scene *scene =
        scene_of("linkage: 1\nname: x\nbodies:\n"
                 "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0],\n"
                 "      orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}}\n"
                 "joints:\n  pin: {type: revolute, bodies: [ground, b], point: [1, 0, 0], "
                 "axis: [0, 0, 1]}\n"
                 "inputs:\n  push: {type: body-force, body: b, point: [3, 0, 0], frame: body}\n"
                 "  motor: {type: joint-torque, joint: pin}\n"
                 "outputs:\n  angle: {type: joint-position, joint: pin}\n"
                 "  load: {type: joint-reaction, joint: pin}\n");
    const struct lk_scene_arrow *arrow = scene->arrow;

    (void)state;
    assert_int_equal(scene->n_arrows, 2);
    assert_string_equal(arrow[0].channel, "push");
    assert_true(arrow[0].is_input);
    assert_int_equal(arrow[0].body, 0);
    assert_string_equal(arrow[1].channel, "load");
    assert_false(arrow[1].is_input);
    assert_false(arrow[1].in_body_axes);
    expect_near(arrow[1].point, 0, 1, 0, 1e-12);
    lk_scene_free(scene);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_follows_the_mechanism),
        cmocka_unit_test(test_bar_ends_at_the_hinge),
        cmocka_unit_test(test_box_is_turned),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_given_refused),
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_does_not_close),
        cmocka_unit_test(test_assembles),
    };

    if (argc < 3)
        return 2;
    models = argv[1];
    every_key = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}

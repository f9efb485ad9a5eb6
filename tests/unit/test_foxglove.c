/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a scene, decoded again: frames, sizes, springs. tests/mcap reads them with the
 * published readers. */
#include "foxglove/foxglove.h"
#include "mcap/protobuf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "linkage: 1\nname: seen\nbodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], orientation: {quaternion: [0.6, 0, "
    "0.8, "
    "0]}}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [4, 0, 0]}\n"
    "forces:\n  coil: {type: spring-damper, bodies: [a, b], points: [[1, 2, 3], [4, 0, 0]], "
    "stiffness: 1}\n"
    "shapes:\n"
    "  hull: {type: box, body: a, size: [1, 2, 3], color: [0.25, 0.5, 0.75, 1]}\n"
    "  wire: {type: line, body: b, frame: body, points: [[0, 0, 0], [5, 6, 7]]}\n";

static const char held_text[] =
    "linkage: 1\nname: held\nbodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  slide: {type: prismatic, bodies: [a, b], point: [2, 0, 0], axis: [1, 0, 0]}\n";

static struct lk_scene *read_scene_of(const char *written)
{
    struct lk_model *model = NULL;
    struct lk_scene *scene = NULL;
    struct lk_error error = {""};

    if (lk_model_read_text("text", written, strlen(written), &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_scene_new(model, &scene), 0);
    lk_model_free(model);
    return scene;
}

static struct lk_scene *read_scene(void)
{
    return read_scene_of(text);
}

static struct lk_pb_reader reader_of(const void *data, size_t size)
{
    return (struct lk_pb_reader){.at = data, .left = size};
}

/* Find a field in a message.
 * @skip: number of fields with the same number to skip
 * Return: true if the field exists */
static bool find(struct lk_pb_reader message, uint32_t number, int skip, struct lk_pb_field *ret)
{
    while (lk_pb_next(&message, ret))
        if (ret->number == number && skip-- == 0)
            return true;
    assert_false(message.bad);
    return false;
}

/* Return a reader of a nested message. */
static struct lk_pb_reader inner(struct lk_pb_reader message, uint32_t number, int skip)
{
    struct lk_pb_field field;

    assert_true(find(message, number, skip, &field));
    assert_int_equal(field.wire, LK_PB_BYTES);
    return reader_of(field.data, field.size);
}

static void expect_text(struct lk_pb_reader message, uint32_t number, const char *expected)
{
    struct lk_pb_field field;

    assert_true(find(message, number, 0, &field));
    assert_int_equal(field.size, strlen(expected));
    assert_memory_equal(field.data, expected, field.size);
}

static void expect_doubles(struct lk_pb_reader message, const double *expected, int n)
{
    for (int i = 0; i < n; i++) {
        struct lk_pb_field field;
        double value;

        assert_true(find(message, (uint32_t)i + 1, 0, &field));
        assert_int_equal(field.wire, LK_PB_64);
        memcpy(&value, &field.value, sizeof(value));
        assert_float_equal(value, expected[i], 1e-12);
    }
}

static void expect_time(struct lk_pb_reader message, uint64_t seconds, uint64_t rest)
{
    struct lk_pb_field field;

    assert_true(find(message, 1, 0, &field));
    assert_int_equal(field.value, seconds);
    assert_true(find(message, 2, 0, &field));
    assert_int_equal(field.value, rest);
}

static void test_transforms(void **state)
{
    struct lk_scene *scene = read_scene();
    struct lk_mcap_buffer b = {.grows = true};
    struct lk_pb_reader all, first;
    struct lk_pb_field field;

    (void)state;
    lk_foxglove_transforms(&b, scene, scene->drawn, 1700000000000000123);
    assert_false(b.full);
    all = reader_of(b.data, b.size);
    first = inner(all, 1, 0);
    expect_time(inner(first, 1, 0), 1700000000, 123);
    expect_text(first, 2, "ground");
    expect_text(first, 3, "a");
    expect_doubles(inner(first, 4, 0), (double[]){1, 2, 3}, 3);
    expect_doubles(inner(first, 5, 0), (double[]){0, 0.8, 0, 0.6}, 4); /* x y z w */
    expect_text(inner(all, 1, 1), 3, "b");
    assert_false(find(all, 1, 2, &field));
    lk_mcap_buffer_fini(&b);
    lk_scene_free(scene);
}

/* Return the x coordinate of the camera frame if the bodies are at x and at x + 3. */
static double view_x(struct lk_foxglove_view *view, const struct lk_scene *scene, double x)
{
    struct lk_mcap_buffer b = {.grows = true};
    struct lk_pb_reader transform;
    struct lk_pb_field field;
    double poses[14], at;

    memcpy(poses, scene->drawn, sizeof(poses));
    poses[0] = x;
    poses[7] = x + 3;
    lk_foxglove_view(&b, view, scene, poses, 1700000000000000123);
    assert_false(b.full);
    transform = inner(reader_of(b.data, b.size), 1, 0);
    expect_time(inner(transform, 1, 0), 1700000000, 123);
    expect_text(transform, 2, "ground");
    expect_text(transform, 3, "ground/view");
    expect_doubles(inner(transform, 5, 0), (double[]){0, 0, 0, 1}, 4); /* the frame never turns */
    expect_doubles(inner(transform, 4, 0), view->at, 3);
    assert_true(find(inner(transform, 4, 0), 1, 0, &field));
    memcpy(&at, &field.value, sizeof(at));
    lk_mcap_buffer_fini(&b);
    return at;
}

/* The camera frame starts at the middle of the bodies. It stays while the machine swings, and
 * follows the bodies if they leave. */
static void test_view(void **state)
{
    struct lk_scene *scene = read_scene();
    struct lk_foxglove_view view = {0};
    double leash = 0.1 * scene->size;

    (void)state;
    assert_float_equal(view_x(&view, scene, NAN), 0, 0);
    assert_false(view.stands);
    assert_float_equal(view_x(&view, scene, 1), 2.5, 1e-12);
    assert_float_equal(view.at[1], 1, 1e-12);
    assert_float_equal(view_x(&view, scene, 1 + 0.99 * leash), 2.5, 1e-12);
    assert_float_equal(view_x(&view, scene, 1 - 0.99 * leash), 2.5, 1e-12);
    assert_float_equal(view_x(&view, scene, 1001), 1002.5 - leash, 1e-9);
    assert_float_equal(view_x(&view, scene, INFINITY), 1002.5 - leash, 1e-9);
    assert_float_equal(view_x(&view, scene, NAN), 1002.5 - leash, 1e-9);
    assert_float_equal(view_x(&view, scene, 1001), 1002.5 - leash, 1e-9);
    lk_scene_free(scene);
}

/* For a mechanism attached to the ground, the camera frame is at the middle of all poses so far,
 * until the mechanism gets far away. */
static void test_view_of_held(void **state)
{
    struct lk_scene *scene = read_scene_of(held_text);
    struct lk_foxglove_view view = {0};

    (void)state;
    assert_float_equal(view_x(&view, scene, 1), 2.5, 1e-12); /* bodies from 1 to 4 */
    assert_float_equal(view_x(&view, scene, NAN), 2.5, 1e-12);
    assert_float_equal(view_x(&view, scene, -4), 0, 1e-12); /* bodies from -4 to 4 */
    assert_float_equal(view_x(&view, scene, -2), 0, 1e-12);
    assert_float_equal(view_x(&view, scene, 1), 0, 1e-12);
    assert_float_equal(view_x(&view, scene, 1e4), 1e4 + 1.5 - 0.1 * scene->size, 1e-9);
    lk_scene_free(scene);
}

static void test_shapes(void **state)
{
    struct lk_scene *scene = read_scene();
    struct lk_mcap_buffer m = {.grows = true};
    struct lk_pb_reader all, a, b, cube, line;
    struct lk_pb_field field;

    (void)state;
    lk_foxglove_shapes(&m, scene, 5);
    all = reader_of(m.data, m.size);
    expect_text(inner(all, 2, 0), 2, "ground");
    a = inner(all, 2, 1);
    b = inner(all, 2, 2);
    expect_text(a, 2, "a");
    expect_text(a, 3, "a");
    assert_true(find(a, 5, 0, &field) && field.value == 1); /* fixed to its frame */
    cube = inner(a, 8, 0);
    expect_doubles(inner(cube, 2, 0), (double[]){1, 2, 3}, 3);
    expect_doubles(inner(cube, 3, 0), (double[]){0.25, 0.5, 0.75, 1}, 4);
    /* the cylinder is along an axis of the world, so it is rotated by the inverse orientation of
     * its body */
    expect_doubles(inner(inner(cube, 1, 0), 2, 0), (double[]){0, -0.8, 0, 0.6}, 4);
    line = inner(b, 11, 0);
    expect_doubles(inner(line, 5, 1), (double[]){5, 6, 7}, 3);
    assert_false(find(line, 5, 2, &field));
    assert_false(find(a, 11, 0, &field)); /* the spring does not belong to a body */
    lk_mcap_buffer_fini(&m);
    lk_scene_free(scene);
}

static void test_spans(void **state)
{
    struct lk_scene *scene = read_scene();
    struct lk_mcap_buffer m = {.grows = true};
    struct lk_pb_reader line;
    double poses[14];

    (void)state;
    memcpy(poses, scene->drawn, sizeof(poses));
    poses[9] = 9; /* b moves up */
    assert_true(lk_foxglove_spans(&m, scene, poses, 5));
    line = inner(inner(reader_of(m.data, m.size), 2, 0), 11, 0);
    expect_doubles(inner(line, 5, 0), (double[]){1, 2, 3}, 3);
    expect_doubles(inner(line, 5, LK_SPAN_POINTS - 1), (double[]){4, 0, 9}, 3);
    lk_mcap_buffer_fini(&m);
    lk_scene_free(scene);
}

static void expect_log(struct lk_mcap_buffer *m, uint64_t level, const char *name, const char *said)
{
    struct lk_pb_reader log = reader_of(m->data, m->size);
    struct lk_pb_field field;

    expect_time(inner(log, 1, 0), 7, 5);
    assert_true(find(log, 2, 0, &field));
    assert_int_equal(field.value, level);
    expect_text(log, 3, said);
    expect_text(log, 4, name);
    lk_mcap_buffer_fini(m);
    *m = (struct lk_mcap_buffer){.grows = true};
}

/* The identifier is appended to the message; the remedy is included for warnings and errors
 * only. */
static void test_log(void **state)
{
    struct lk_mcap_buffer m = {.grows = true};

    (void)state;
    lk_foxglove_log(&m, LK_FOXGLOVE_WARNING, "line", NULL, "gone", 7000000005);
    expect_log(&m, 3, "line", "gone");
    lk_foxglove_log(&m, LK_FOXGLOVE_INFO, "model", "LK-2001", "loaded", 7000000005);
    expect_log(&m, 2, "model", "loaded (LK-2001)");
    lk_foxglove_log(&m, LK_FOXGLOVE_ERROR, "fault", "LK-2004", "FAULT", 7000000005);
    expect_log(&m, 4, "fault",
               "FAULT (LK-2004)\nSee the text and `linkagectl latency`; `linkagectl reset` returns "
               "to READY.");
    lk_foxglove_log(&m, LK_FOXGLOVE_ERROR, "later", "LK-0000", "unheard of", 7000000005);
    expect_log(&m, 4, "later", "unheard of (LK-0000)");
}

/* An event of a recording has the level and the identifier of its condition. */
static void test_log_of_recorded(void **state)
{
    static const struct {
        struct lk_recording_event event;
        uint64_t level;
        const char *said;
    } cases[] = {
        {{"state", "READY -> ARMED", 0}, 2, "READY -> ARMED (LK-2003)"},
        {{"fault", "step 4: no", 4},
         4,
         "step 4: no (LK-2004)\nSee the text and `linkagectl latency`; `linkagectl reset` returns "
         "to READY."},
        {{"trip", "motor: hold", 9},
         3,
         "motor: hold (LK-3008)\nSee `linkagectl inputs` for the condition that tripped it."},
        {{"condition", "LK-2010: off: limit 1 J", 9},
         3,
         "off: limit 1 J (LK-2010)\nShorten the step; check the body that the text names and the "
         "forces on it."},
        {{"condition", "LK-2014: a change point", 9}, 2, "a change point (LK-2014)"},
        {{"condition", "as an older daemon says it", 9}, 3, "as an older daemon says it"},
        {{"condition", "LK-2010", 9}, 3, "LK-2010"},
        {{"run", "the run ends", 9}, 2, "the run ends (LK-2005)"},
        {{"later", "of a newer daemon", 9}, 2, "of a newer daemon"},
    };
    struct lk_mcap_buffer m = {.grows = true};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lk_foxglove_log_recorded(&m, &cases[i].event, 7000000005);
        expect_log(&m, cases[i].level, cases[i].event.id, cases[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transforms),      cmocka_unit_test(test_view),
        cmocka_unit_test(test_view_of_held),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_spans),           cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_of_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Results of `linkage check` for mechanisms with known answers: redundant rows, singular poses and
 * the distance to them, the elimination tree. */
#include "cmocka_all.h"
#include "linkage/analysis.h"
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** struct text - a model file under construction */
struct text {
    char text[16384];
    size_t size;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->text + t->size, sizeof(t->text) - t->size, format, arguments);
    va_end(arguments);
    assert_true(t->size < sizeof(t->text));
}

static struct lk_system *compile(const char *text)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("test", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_system_new(model, &(struct lk_options){.all_rows = 1}, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static struct lk_system *compile_file(const char *path)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_system_new(model, &(struct lk_options){.all_rows = 1}, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static void add_bar(struct text *t, const char *name, const double p[3], const double q[3])
{
    add(t, "  %s: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, %.17g]}\n", name,
        (p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2);
}

static void add_pin(struct text *t, const char *name, const char *first, const char *second,
                    const double p[3], const double axis[3])
{
    add(t,
        "  %s: {type: revolute, bodies: [%s, %s], point: [%.17g, %.17g, %.17g], axis: [%.17g, "
        "%.17g, %.17g]}\n",
        name, first, second, p[0], p[1], p[2], axis[0], axis[1], axis[2]);
}

/* Compile a loop of @n - 1 bars through @n points; the first and the last point are on the
 * ground. */
static struct lk_system *loop_of_bars(int n, const double point[][3], const double axis[][3])
{
    struct text t = {.size = 0};
    char name[16], first[16] = "ground", second[16];

    add(&t, "linkage: 1\nname: loop\nbodies:\n");
    for (int i = 0; i < n - 1; i++) {
        snprintf(name, sizeof(name), "bar%d", i);
        add_bar(&t, name, point[i], point[i + 1]);
    }
    add(&t, "joints:\n");
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "pin%d", i);
        snprintf(second, sizeof(second), i < n - 1 ? "bar%d" : "ground", i);
        add_pin(&t, name, first, second, point[i], axis[i]);
        memcpy(first, second, sizeof(first));
    }
    return compile(t.text);
}

static const double along_z[6][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1},
                                     {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};

/* Compile a parallelogram with cranks of 0.5 m at @angle and a coupler of 1 m. */
static struct lk_system *parallelogram(double angle)
{
    const double x = 0.5 * cos(angle), y = 0.5 * sin(angle);
    const double point[4][3] = {{0, 0, 0}, {x, y, 0}, {1 + x, y, 0}, {1, 0, 0}};

    return loop_of_bars(4, point, along_z);
}

static void expect_mobility(const struct lk_system *sys, int dof, int redundant)
{
    struct lk_mobility m;

    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, dof);
    assert_int_equal(m.n_redundant, redundant);
    lk_mobility_fini(&m);
}

static void redundant_rows_are_named(void **state)
{
    static const char *const expected[] = {"shift along z", "turn about x", "turn about y"};
    struct lk_system *sys = compile_file("config/models/four-bar.yaml");
    struct lk_mobility m;
    char text[LK_TEXT_SIZE];

    (void)state;
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.n_redundant, 3);
    /* the redundant rows are the three out-of-plane rows, and each of the four joints has them */
    assert_int_equal(m.n_rows, 12);
    for (int i = 0; i < 4; i++) {
        int found[3] = {0};

        for (int k = 0; k < 3; k++) {
            assert_int_equal(m.rows[3 * i + k].joint, i);
            lk_row_text(sys, m.rows[3 * i + k], text, sizeof(text));
            for (int e = 0; e < 3; e++)
                found[e] += strcmp(text, expected[e]) == 0;
        }
        assert_true(found[0] == 1 && found[1] == 1 && found[2] == 1);
    }
    lk_mobility_fini(&m);
    lk_system_free(sys);
}

static void directions_follow_the_mechanism(void **state)
{
    /* A hinge and a prismatic joint on one line, in the direction 3-4-5 in the plane x z, fix the
     * door. Displacements perpendicular to the line, and rotations about perpendicular directions,
     * are constrained twice. */
    struct lk_system *sys = compile("linkage: 1\nname: door\nbodies:\n"
                                    "  door: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0],\n"
                                    "         orientation: {axis: [1, 2, 3], angle: 0.4}}\n"
                                    "joints:\n"
                                    "  low: {type: revolute, bodies: [ground, door], "
                                    "point: [0, 0, 0], axis: [0.6, 0, 0.8]}\n"
                                    "  rod: {type: prismatic, bodies: [ground, door], "
                                    "point: [0, 0, 0], axis: [0.6, 0, 0.8]}\n");
    struct lk_mobility m;
    char text[LK_TEXT_SIZE];
    int shifts = 0, turns = 0;

    (void)state;
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, 0);
    assert_int_equal(m.n_redundant, 4);
    for (int i = 0; i < m.n_rows; i++) {
        lk_row_text(sys, m.rows[i], text, sizeof(text));
        if (m.rows[i].joint == 1)
            shifts += strcmp(text, "shift along y") == 0 ||
                      strcmp(text, "shift along (0.8, 0, -0.6)") == 0;
        else
            turns +=
                strcmp(text, "turn about y") == 0 || strcmp(text, "turn about (0.8, 0, -0.6)") == 0;
    }
    assert_int_equal(shifts, 2);
    assert_int_equal(turns, 2);
    lk_mobility_fini(&m);
    lk_system_free(sys);
}

static void a_flat_parallelogram_is_singular(void **state)
{
    struct lk_system *sys = parallelogram(0);
    struct lk_pose_check c;

    (void)state;
    expect_mobility(sys, 2, 4);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_SINGULAR);
    assert_int_equal(c.n_extra, 1);
    assert_true(c.n_bodies > 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void other_poses_are_regular(void **state)
{
    (void)state;
    for (int i = 1; i < 16; i++) {
        struct lk_system *sys = parallelogram(M_PI / 16 * i);
        struct lk_pose_check c;

        expect_mobility(sys, 1, 3);
        assert_int_equal(lk_pose_check_init(sys, &c), 0);
        assert_int_equal(c.kind, LK_POSE_REGULAR);
        assert_true(c.n_nearby > 0);
        assert_true(c.smallest > 1e-2);
        lk_pose_check_fini(&c);
        lk_system_free(sys);
    }
}

static void the_smallest_value_is_the_distance_to_the_singular_pose(void **state)
{
    double value[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_system *sys = parallelogram(i == 0 ? 1e-2 : 1e-4);
        struct lk_pose_check c;

        assert_int_equal(lk_pose_check_init(sys, &c), 0);
        assert_int_equal(c.kind, LK_POSE_REGULAR);
        value[i] = c.smallest;
        lk_pose_check_fini(&c);
        lk_system_free(sys);
    }
    /* the value is linear in the angle, up to second-order terms: 1e-2 */
    assert_true(fabs(value[0] / value[1] - 100) < 1);
    assert_true(value[1] < 1e-4 && value[1] > 1e-6);
}

static void a_stretched_strut_is_stuck(void **state)
{
    /* two bars in line between two fixed hinges: the only motion is infinitesimal */
    static const double point[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    struct lk_system *sys = loop_of_bars(3, point, along_z);
    struct lk_pose_check c;

    (void)state;
    expect_mobility(sys, 1, 4);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_STUCK);
    assert_int_equal(c.n_nearby, 0);
    assert_int_equal(c.n_bodies, 2);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void a_folded_slider_crank_may_do_two_things(void **state)
{
    /* Crank and rod have equal length and are folded: either the piston moves, or the rod rotates
     * with the crank about the fixed hinge. */
    struct lk_system *sys = compile(
        "linkage: 1\nname: folded\nbodies:\n"
        "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
        "  rod: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
        "  piston: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "joints:\n"
        "  main: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  big: {type: revolute, bodies: [crank, rod], point: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  small: {type: revolute, bodies: [rod, piston], point: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  bore: {type: prismatic, bodies: [ground, piston], point: [0, 0, 0], axis: [1, 0, 0]}\n");
    struct lk_pose_check c;

    (void)state;
    expect_mobility(sys, 2, 4);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_SINGULAR);
    assert_int_equal(c.n_extra, 1);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void bricard_moves_though_its_count_says_no(void **state)
{
    /* Six hinges along the edges of a unit cube, each perpendicular to its neighbours: mobile in
     * all poses, with one redundant row that planar motion does not explain. */
    static const double point[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                       {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const double axis[6][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                      {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    struct lk_system *sys = loop_of_bars(6, point, axis);
    struct lk_pose_check c;

    (void)state;
    expect_mobility(sys, 1, 1);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_REGULAR);
    assert_true(c.n_nearby > 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void the_answer_does_not_depend_on_size_and_mass(void **state)
{
    /* A flat parallelogram of 1 mm, oblique, 100 m from the origin, with bodies of very different
     * mass: its round-off is 1e-11 of its size. */
    static const double mass[3] = {1e-6, 1e3, 1};
    static const double along[4] = {0, 0.5e-3, 1.5e-3, 1e-3};
    static const double direction[3] = {0.6, 0.64, 0.48}, axis[3] = {0.8, -0.48, -0.36};
    static const char *const body[] = {"ground", "a", "b", "c", "ground"};
    struct text t = {.size = 0};
    struct lk_system *sys;
    struct lk_pose_check c;
    double p[4][3];

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = 100 - 20 * k + along[i] * direction[k];
    add(&t, "linkage: 1\nname: small\nbodies:\n");
    for (int i = 0; i < 3; i++)
        add(&t, "  %s: {mass: %g, inertia: [%g, %g, %g], position: [%.17g, %.17g, %.17g]}\n",
            body[i + 1], mass[i], 1e-6 * mass[i], 1e-6 * mass[i], 1e-6 * mass[i],
            (p[i][0] + p[i + 1][0]) / 2, (p[i][1] + p[i + 1][1]) / 2, (p[i][2] + p[i + 1][2]) / 2);
    add(&t, "joints:\n");
    for (int i = 0; i < 4; i++) {
        char name[8];

        snprintf(name, sizeof(name), "p%d", i);
        add_pin(&t, name, body[i], body[i + 1], p[i], axis);
    }
    sys = compile(t.text);
    expect_mobility(sys, 2, 4);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_SINGULAR);
    assert_int_equal(c.n_extra, 1);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void trees_have_no_singular_poses(void **state)
{
    struct lk_system *sys = compile_file("config/models/chain-8.yaml");
    struct lk_pose_check c;

    (void)state;
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_REGULAR);
    assert_int_equal(c.n_loop_rows, 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

/* Check that each joint is eliminated once, that each body is assembled once, and that children
 * come before parents. */
static void check_tree(const struct lk_tree_view *view, const struct lk_summary *s, int rows,
                       int *ret_hubs)
{
    int *eliminated = calloc((size_t)rows + 1, sizeof(int));
    int *assembled = calloc((size_t)rows + (size_t)s->n_bodies + 1, sizeof(int));
    int sum = 0;

    *ret_hubs = 0;
    for (int f = 0; f < view->n_fronts; f++) {
        const struct lk_tree_front *front = &view->fronts[f];

        sum += front->rows_eliminated - (front->hub >= 0 ? 6 : 0);
        assert_true(front->rows_eliminated + front->rows_remaining <= view->largest);
        assert_true(front->parent < 0 || front->parent > f);
        assert_int_equal(front->parent < 0, front->rows_remaining == 0);
        *ret_hubs += front->hub >= 0;
        for (int i = 0; i < front->n_eliminated; i++)
            assert_int_equal(eliminated[front->joints[i]]++, 0);
        for (int i = 0; i < front->n_bodies; i++)
            assert_int_equal(assembled[front->bodies[i]]++, 0);
        for (int i = 0; i < front->n_children; i++)
            assert_int_equal(view->fronts[front->children[i]].parent, f);
    }
    assert_int_equal(sum, rows);
    free(eliminated);
    free(assembled);
}

static void the_tree_is_the_one_in_use(void **state)
{
    glob_t models;
    int n_hubs = 0;

    (void)state;
    assert_int_equal(glob("config/models/*.yaml", 0, NULL, &models), 0);
    for (size_t i = 0; i < models.gl_pathc; i++) {
        struct lk_system *sys = compile_file(models.gl_pathv[i]);
        struct lk_tree_view view;
        struct lk_summary s;
        int hubs;

        lk_system_summary(sys, &s);
        assert_int_equal(lk_tree_view_init(sys, &view), 0);
        assert_int_equal(view.n_fronts, s.tree_fronts);
        assert_int_equal(view.depth, s.tree_depth);
        assert_int_equal(view.largest, s.largest_front);
        check_tree(&view, &s, s.n_rows_rigid + s.n_rows_compliant, &hubs);
        n_hubs += hubs;
        lk_tree_view_fini(&view);
        lk_system_free(sys);
    }
    assert_true(n_hubs >= 3); /* the cars have hubs */
    globfree(&models);
}

/* Compile a parallelogram with one driven crank, or with both cranks driven. */
static struct lk_system *driven_parallelogram(double angle, int n_drives)
{
    static const char drive[] = ", drive: {harmonic: {amplitude: 0.1, omega: 1}}";
    const double x = 0.5 * cos(angle), y = 0.5 * sin(angle);
    struct text t = {.size = 0};

    add(&t,
        "linkage: 1\nname: driven\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, 0]}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, 0]}\njoints:\n",
        x / 2, y / 2, x + 0.5, y, 1 + x / 2, y / 2);
    add(&t,
        "  p0: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]%s}\n"
        "  p1: {type: revolute, bodies: [a, b], point: [%.17g, %.17g, 0], axis: [0, 0, 1]}\n"
        "  p2: {type: revolute, bodies: [b, c], point: [%.17g, %.17g, 0], axis: [0, 0, 1]}\n"
        "  p3: {type: revolute, bodies: [ground, c], point: [1, 0, 0], axis: [0, 0, 1]%s}\n",
        n_drives > 0 ? drive : "", x, y, 1 + x, y, n_drives > 1 ? drive : "");
    return compile(t.text);
}

static void a_driven_coordinate_is_no_freedom(void **state)
{
    struct lk_system *sys = driven_parallelogram(1, 1);
    struct lk_mobility m;
    struct lk_pose_check c;

    (void)state;
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, 0);
    assert_int_equal(m.n_driven, 1);
    assert_int_equal(m.n_redundant, 3);
    lk_mobility_fini(&m);
    /* the driven mechanism moves, so that there are regular poses nearby */
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_REGULAR);
    assert_true(c.n_nearby > 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void a_driven_mechanism_can_be_singular(void **state)
{
    /* The driven crank does not determine in which direction coupler and second crank leave the
     * flat pose. */
    struct lk_system *sys = driven_parallelogram(0, 1);
    struct lk_pose_check c;

    (void)state;
    expect_mobility(sys, 1, 4);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_SINGULAR);
    assert_int_equal(c.n_extra, 1);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

static void drives_that_fight_are_named(void **state)
{
    struct lk_system *sys = driven_parallelogram(1, 2);
    struct lk_mobility m;
    char text[LK_TEXT_SIZE];
    int found = 0;

    (void)state;
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, 0);
    assert_int_equal(m.n_driven, 2);
    assert_int_equal(m.n_redundant, 4);
    for (int i = 0; i < m.n_joints; i++) {
        lk_joint_text(sys, m.joints[i], text, sizeof(text));
        found += strcmp(text, "drive of p0") == 0 || strcmp(text, "drive of p3") == 0;
    }
    assert_int_equal(found, 2);
    lk_mobility_fini(&m);
    lk_system_free(sys);
}

/* Compile three wheels on the ground, each geared to the next, and the last to the first with
 * @ratio. */
static struct lk_system *wheels(double ratio)
{
    struct text t = {.size = 0};

    add(&t, "linkage: 1\nname: wheels\nbodies:\n");
    for (int i = 0; i < 3; i++)
        add(&t, "  w%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i);
    add(&t, "joints:\n");
    for (int i = 0; i < 3; i++)
        add(&t,
            "  p%d: {type: revolute, bodies: [ground, w%d], point: [%d, 0, 0], axis: [0, 0, 1]}\n",
            i, i, i);
    add(&t, "  g0: {type: gear, joints: [p0, p1], ratio: -2}\n"
            "  g1: {type: gear, joints: [p1, p2], ratio: -3}\n");
    if (ratio != 0)
        add(&t, "  g2: {type: gear, joints: [p2, p0], ratio: %.17g}\n", ratio);
    return compile(t.text);
}

static void gears_count_as_rows(void **state)
{
    struct lk_system *sys = wheels(0);
    struct lk_mobility m;
    struct lk_pose_check c;
    char text[LK_TEXT_SIZE];

    (void)state;
    expect_mobility(sys, 1, 0);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.kind, LK_POSE_REGULAR);
    assert_true(c.n_nearby > 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);

    /* this ratio contradicts the others, so no wheel can rotate */
    sys = wheels(0.5);
    expect_mobility(sys, 0, 0);
    lk_system_free(sys);

    /* this ratio follows from the others */
    sys = wheels(1.0 / 6);
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, 1);
    assert_int_equal(m.n_redundant, 1);
    assert_int_equal(m.n_joints, 3);
    assert_string_equal(lk_row_text(sys, m.rows[2], text, sizeof(text)), "ratio of p0 to p2");
    lk_mobility_fini(&m);
    lk_system_free(sys);
}

static void a_hub_adds_no_freedom(void **state)
{
    /* a plate with 16 hinged arms, which is enough to make the plate a hub */
    struct text t = {.size = 0};
    struct lk_system *sys;
    struct lk_tree_view view;
    struct lk_summary s;
    int hubs;

    (void)state;
    add(&t, "linkage: 1\nname: star\nbodies:\n"
            "  plate: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n");
    for (int i = 0; i < 16; i++)
        add(&t, "  arm%d: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, 0]}\n", i,
            2 * cos(M_PI / 8 * i), 2 * sin(M_PI / 8 * i));
    add(&t, "joints:\n");
    for (int i = 0; i < 16; i++)
        add(&t,
            "  pin%d: {type: revolute, bodies: [plate, arm%d], point: [%.17g, %.17g, 0], "
            "axis: [0, 0, 1]}\n",
            i, i, cos(M_PI / 8 * i), sin(M_PI / 8 * i));
    sys = compile(t.text);
    lk_system_summary(sys, &s);
    assert_int_equal(s.n_bodies, 17);
    assert_int_equal(s.n_parts, 0);
    expect_mobility(sys, 6 + 16, 0);
    assert_int_equal(lk_tree_view_init(sys, &view), 0);
    assert_int_equal(view.n_fronts, s.tree_fronts);
    assert_int_equal(view.depth, s.tree_depth);
    assert_int_equal(view.largest, s.largest_front);
    check_tree(&view, &s, s.n_rows_rigid + s.n_rows_compliant, &hubs);
    assert_int_equal(hubs, 1);
    lk_tree_view_fini(&view);
    lk_system_free(sys);
}

static void compliant_rows_bind_nothing(void **state)
{
    /* a parallelogram with a compliant joint: no loop remains, and there are six more degrees of
     * freedom */
    struct lk_system *sys;
    struct lk_pose_check c;
    struct text t = {.size = 0};

    (void)state;
    add(&t, "linkage: 1\nname: soft\nbodies:\n"
            "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
            "  b: {mass: 1, inertia: [1, 1, 1], position: [0.5, 1, 0]}\njoints:\n"
            "  p0: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  p1: {type: revolute, bodies: [a, b], point: [0, 1, 0], axis: [0, 0, 1]}\n"
            "  p2: {type: revolute, bodies: [ground, b], point: [1, 1, 0], axis: [0, 0, 1],\n"
            "       compliance: {stiffness: [1e5, 1e5, 1e5, 1e3, 1e3]}}\n");
    sys = compile(t.text);
    expect_mobility(sys, 2, 0);
    assert_int_equal(lk_pose_check_init(sys, &c), 0);
    assert_int_equal(c.n_loop_rows, 0);
    lk_pose_check_fini(&c);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_rows_are_named),
        cmocka_unit_test(directions_follow_the_mechanism),
        cmocka_unit_test(a_flat_parallelogram_is_singular),
        cmocka_unit_test(other_poses_are_regular),
        cmocka_unit_test(the_smallest_value_is_the_distance_to_the_singular_pose),
        cmocka_unit_test(a_stretched_strut_is_stuck),
        cmocka_unit_test(a_folded_slider_crank_may_do_two_things),
        cmocka_unit_test(bricard_moves_though_its_count_says_no),
        cmocka_unit_test(the_answer_does_not_depend_on_size_and_mass),
        cmocka_unit_test(trees_have_no_singular_poses),
        cmocka_unit_test(the_tree_is_the_one_in_use),
        cmocka_unit_test(a_driven_coordinate_is_no_freedom),
        cmocka_unit_test(a_driven_mechanism_can_be_singular),
        cmocka_unit_test(drives_that_fight_are_named),
        cmocka_unit_test(gears_count_as_rows),
        cmocka_unit_test(a_hub_adds_no_freedom),
        cmocka_unit_test(compliant_rows_bind_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of suspensions against closed forms: a planar double wishbone (four-bar), a strut,
 * equal parallel arms, a trailing arm with its wheel rate, a rigid axle; symmetry and the steering
 * axis of the sedan; refusals, and curves that end. */
#include "cmocka_all.h"
#include "linkage/suspension.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT     16384
#define MODELS   "config/models/"
#define ROUNDOFF 1e-10 /* Newton ends at 1e-10 of a body's length, in practice at round-off */

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.15g instead of %.15g, off by %.3g", what, value, expected,
                 value - expected);
}

/** struct rig - a model and its suspension */
struct rig {
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_suspension *s;
    struct lk_suspension_request request;
};

static int find_joint(const struct lk_model *model, const char *name)
{
    for (int j = 0; j < model->n_joints; j++)
        if (strcmp(model->joints[j].name, name) == 0)
            return j;
    fail_msg("no joint %s", name);
    return -1;
}

static void read_model(struct rig *rig, const char *text)
{
    const struct lk_options options = {.all_rows = 1};
    struct lk_error error;

    *rig = (struct rig){0};
    if (lk_model_read_text("test", text, strlen(text), &rig->model, &error) != 0 ||
        lk_system_new(rig->model, &options, &rig->sys, &error) != 0)
        fail_msg("%s", error.text);
}

static void add_wheel(struct rig *rig, const char *joint, double radius)
{
    rig->request.wheel[rig->request.n_wheels].joint = find_joint(rig->model, joint);
    rig->request.wheel[rig->request.n_wheels++].radius = radius;
}

static void add_steer(struct rig *rig, const char *joint)
{
    rig->request.steer[rig->request.n_steers++].joint = find_joint(rig->model, joint);
}

static void begin(struct rig *rig)
{
    struct lk_error error = {""};

    if (lk_suspension_new(rig->sys, &rig->request, &rig->s, &error) != 0)
        fail_msg("%s", error.text);
}

static void end(struct rig *rig)
{
    lk_suspension_free(rig->s);
    lk_system_free(rig->sys);
    lk_model_free(rig->model);
}

/* Compute the row at @travel, the end of a sweep of three points. */
static struct lk_suspension_row row_at(struct rig *rig, enum lk_suspension_sweep sweep,
                                       double travel)
{
    struct lk_suspension_curve curve;
    struct lk_suspension_row row;
    struct lk_error error = {""};

    if (lk_suspension_sweep(rig->s, 0, sweep, travel == 0 ? 0.01 : fabs(travel), 3, &curve,
                            &error) != 0)
        fail_msg("%s", error.text);
    if (curve.is_cut[0] || curve.is_cut[1])
        fail_msg("ends at %g and %g: %s%s", curve.end[0], curve.end[1], curve.reason[0],
                 curve.reason[1]);
    assert_int_equal(curve.n, 3);
    assert_int_equal(curve.design, 1);
    row = curve.row[travel < 0 ? 0 : travel > 0 ? 2 : 1];
    near_to("travel", row.travel, travel, 0);
    lk_suspension_curve_fini(&curve);
    return row;
}

/* ---- a planar double wishbone ---- */

/** struct wishbone - points of the left side in the y-z plane [m]: hinges on the chassis, ball
 * joints, wheel centre; and the radius */
struct wishbone {
    double lower[2], foot[2], upper[2], head[2], centre[2];
    double radius;
};

static const struct wishbone unequal = {{0.30, 0.20}, {0.70, 0.16}, {0.38, 0.46},
                                        {0.66, 0.50}, {0.78, 0.31}, 0.31};
static const struct wishbone parallel = {{0.30, 0.20}, {0.70, 0.20}, {0.30, 0.45},
                                         {0.70, 0.45}, {0.78, 0.31}, 0.31};

/* Write bodies or joints of one side. A tie rod ahead is parallel to the lower arm and as long. */
static int write_side(char *at, size_t room, const struct wishbone *w, char name, double side,
                      int is_bodies)
{
    if (is_bodies)
        return snprintf(
            at, room,
            "  lower_%c: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, %.17g, %.17g]}\n"
            "  upper_%c: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, %.17g, %.17g]}\n"
            "  knuckle_%c: {mass: 5, inertia: [0.05, 0.05, 0.05], position: [0, %.17g, %.17g]}\n"
            "  wheel_%c: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, %.17g, %.17g]}\n",
            name, side * w->foot[0], w->foot[1], name, side * w->head[0], w->head[1], name,
            side * w->foot[0], w->centre[1], name, side * w->centre[0], w->centre[1]);
    return snprintf(
        at, room,
        "  lower_%c: {type: revolute, bodies: [chassis, lower_%c], point: [0, %.17g, %.17g], axis: "
        "[1, 0, 0]}\n"
        "  upper_%c: {type: revolute, bodies: [chassis, upper_%c], point: [0, %.17g, %.17g], axis: "
        "[1, 0, 0]}\n"
        "  foot_%c: {type: spherical, bodies: [lower_%c, knuckle_%c], point: [0, %.17g, %.17g]}\n"
        "  head_%c: {type: spherical, bodies: [upper_%c, knuckle_%c], point: [0, %.17g, %.17g]}\n"
        "  rod_%c: {type: distance, bodies: [chassis, knuckle_%c], points: [[0.1, %.17g, %.17g], "
        "[0.1, %.17g, %.17g]]}\n"
        "  axle_%c: {type: revolute, bodies: [knuckle_%c, wheel_%c], point: [0, %.17g, %.17g], "
        "axis: [0, 1, 0]}\n",
        name, name, side * w->lower[0], w->lower[1], name, name, side * w->upper[0], w->upper[1],
        name, name, name, side * w->foot[0], w->foot[1], name, name, name, side * w->head[0],
        w->head[1], name, name, side * w->lower[0], w->lower[1], side * w->foot[0], w->foot[1],
        name, name, name, side * w->centre[0], w->centre[1]);
}

static void open_wishbone(struct rig *rig, const struct wishbone *w)
{
    char text[TEXT];
    size_t n;

    n = (size_t)snprintf(text, TEXT,
                         "linkage: 1\nname: wishbone\nbodies:\n  chassis: {mass: 1000, inertia: "
                         "[200, 900, 1000], position: [0, 0, 0.5]}\n");
    n += (size_t)write_side(text + n, TEXT - n, w, 'l', 1, 1);
    n += (size_t)write_side(text + n, TEXT - n, w, 'r', -1, 1);
    n += (size_t)snprintf(text + n, TEXT - n, "joints:\n");
    n += (size_t)write_side(text + n, TEXT - n, w, 'l', 1, 0);
    n += (size_t)write_side(text + n, TEXT - n, w, 'r', -1, 0);
    snprintf(text + n, TEXT - n, "solver: {step: 0.001}\n");
    read_model(rig, text);
    add_wheel(rig, "axle_l", w->radius);
    add_wheel(rig, "axle_r", w->radius);
    begin(rig);
}

/** struct four_bar - closed form of a pose. @turn: of the knuckle about x [rad];  @foot, @head,
 * @centre, @contact: points [m];  @pole: instantaneous centre of the knuckle */
struct four_bar {
    double turn;
    double foot[2], head[2], centre[2], contact[2], pole[2];
};

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Solve the four-bar with the lower arm turned by @angle: the head is on circles about the hinge of
 * the upper arm and about the foot. */
static struct four_bar solve_four_bar(const struct wishbone *w, double angle)
{
    double arm = atan2(w->foot[1] - w->lower[1], w->foot[0] - w->lower[0]) + angle;
    double lower = distance(w->lower, w->foot), upper = distance(w->upper, w->head);
    double height = distance(w->foot, w->head), apart, along, across, before, after;
    struct four_bar f;

    f.foot[0] = w->lower[0] + lower * cos(arm);
    f.foot[1] = w->lower[1] + lower * sin(arm);
    apart = distance(f.foot, w->upper);
    along = (apart * apart + height * height - upper * upper) / (2 * apart);
    across = sqrt(height * height - along * along);
    for (int k = 0; k < 2; k++) {
        double normal = k == 0 ? w->upper[1] - f.foot[1] : f.foot[0] - w->upper[0];

        f.head[k] = f.foot[k] + (along * (w->upper[k] - f.foot[k]) + across * normal) / apart;
    }
    before = atan2(w->head[1] - w->foot[1], w->head[0] - w->foot[0]);
    after = atan2(f.head[1] - f.foot[1], f.head[0] - f.foot[0]);
    f.turn = after - before;
    f.centre[0] = f.foot[0] + cos(f.turn) * (w->centre[0] - w->foot[0]) -
                  sin(f.turn) * (w->centre[1] - w->foot[1]);
    f.centre[1] = f.foot[1] + sin(f.turn) * (w->centre[0] - w->foot[0]) +
                  cos(f.turn) * (w->centre[1] - w->foot[1]);
    f.contact[0] = f.centre[0] + w->radius * sin(f.turn);
    f.contact[1] = f.centre[1] - w->radius * cos(f.turn);
    return f;
}

/* Intersect the lines of both arms. */
static void find_pole(const struct wishbone *w, struct four_bar *f)
{
    double a[2] = {f->foot[0] - w->lower[0], f->foot[1] - w->lower[1]};
    double b[2] = {f->head[0] - w->upper[0], f->head[1] - w->upper[1]};
    double c[2] = {w->upper[0] - w->lower[0], w->upper[1] - w->lower[1]};
    double part = (c[0] * b[1] - c[1] * b[0]) / (a[0] * b[1] - a[1] * b[0]);

    for (int k = 0; k < 2; k++)
        f->pole[k] = w->lower[k] + part * a[k];
}

static void expect_four_bar(struct rig *rig, const struct wishbone *w, double angle)
{
    const struct four_bar design = solve_four_bar(w, 0);
    struct four_bar f = solve_four_bar(w, angle);
    struct lk_suspension_row row = row_at(rig, LK_SUSPENSION_PARALLEL, f.centre[1] - w->centre[1]);
    double roll;

    find_pole(w, &f);
    roll = f.pole[1] - f.contact[1] -
           f.pole[0] * (f.contact[1] - f.pole[1]) / (f.contact[0] - f.pole[0]);
    for (int i = 0; i < 2; i++) {
        const struct lk_suspension_point *p = &row.point[i];

        near_to("height", p->height, f.centre[1] - w->centre[1], ROUNDOFF);
        near_to("toe", p->toe, 0, ROUNDOFF);
        near_to("camber", p->camber, -f.turn, ROUNDOFF);
        near_to("camber gain", p->camber_rate, -1 / (f.centre[0] - f.pole[0]), 1e-9);
        near_to("contact", p->contact_y, f.contact[0] - design.contact[0], ROUNDOFF);
        near_to("forward", p->centre_x, 0, ROUNDOFF);
        near_to("roll height", p->roll_height, roll, 1e-9);
        assert_true(isnan(p->caster) && isnan(p->scrub));
    }
    near_to("track", row.track, 2 * (f.contact[0] - design.contact[0]), ROUNDOFF);
    near_to("roll centre", row.roll_centre, roll, 1e-9);
}

static void planar_double_wishbone(void **state)
{
    struct rig rig;

    (void)state;
    open_wishbone(&rig, &unequal);
    for (int i = -6; i <= 6; i++)
        expect_four_bar(&rig, &unequal, i == 0 ? 0 : 0.05 * i);
    end(&rig);
}

/* The knuckle shifts on a circle; the normal of its velocity is parallel to the arms. */
static void equal_parallel_arms(void **state)
{
    const double length = parallel.foot[0] - parallel.lower[0];
    struct rig rig;

    (void)state;
    open_wishbone(&rig, &parallel);
    for (int i = -3; i <= 3; i++) {
        double angle = 0.1 * i;
        struct lk_suspension_row row = row_at(&rig, LK_SUSPENSION_PARALLEL, length * sin(angle));

        for (int k = 0; k < 2; k++) {
            near_to("camber", row.point[k].camber, 0, ROUNDOFF);
            near_to("camber gain", row.point[k].camber_rate, 0, 1e-9);
            near_to("contact", row.point[k].contact_y, length * (cos(angle) - 1), ROUNDOFF);
        }
        near_to("roll centre", row.roll_centre,
                -tan(angle) * (parallel.centre[0] + length * (cos(angle) - 1)), 1e-9);
    }
    end(&rig);
}

/* ---- a strut ---- */

static const double strut_top[3] = {-0.03, 0.56, 0.85}, strut_foot[3] = {0.01, 0.72, 0.20};
static const double strut_centre[3] = {0.02, 0.77, 0.30}, strut_radius = 0.3;

static const char strut_model[] =
    "linkage: 1\nname: strut\nbodies:\n"
    "  chassis: {mass: 1000, inertia: [200, 900, 1000], position: [-1, 0, 0.5]}\n"
    "  arm: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0.5, 0.2]}\n"
    "  knuckle: {mass: 5, inertia: [0.05, 0.05, 0.05], position: [0, 0.7, 0.3]}\n"
    "  rod: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [-0.02, 0.6, 0.7]}\n"
    "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0.02, 0.77, 0.3]}\n"
    "  rack: {mass: 3, inertia: [0.05, 0.01, 0.05], position: [-0.12, 0, 0.28]}\n"
    "joints:\n"
    "  arm: {type: revolute, bodies: [chassis, arm], point: [0, 0.35, 0.22], axis: [1, 0.05, "
    "0.02]}\n"
    "  foot: {type: spherical, bodies: [arm, knuckle], point: [0.01, 0.72, 0.20]}\n"
    "  tube: {type: cylindrical, bodies: [knuckle, rod], point: [-0.03, 0.56, 0.85], axis: [0.02, "
    "0.10, -0.6]}\n"
    "  top: {type: spherical, bodies: [chassis, rod], point: [-0.03, 0.56, 0.85]}\n"
    "  tie: {type: distance, bodies: [rack, knuckle], points: [[-0.12, 0.36, 0.28], [-0.13, 0.72, "
    "0.27]]}\n"
    "  axle: {type: revolute, bodies: [knuckle, wheel], point: [0.02, 0.77, 0.30], axis: [0, 1, "
    "0]}\n"
    "  rack: {type: prismatic, bodies: [chassis, rack], point: [-0.12, 0, 0.28], axis: [0, 1, 0]}\n"
    "solver: {step: 0.001}\n";

static void open_strut(struct rig *rig)
{
    read_model(rig, strut_model);
    add_wheel(rig, "axle", strut_radius);
    add_steer(rig, "rack");
    begin(rig);
}

/* Return the distance of a point from the steering axis. */
static double off_axis(const struct lk_suspension_point *p, const double point[3])
{
    double d[3], along = 0, square = 0;

    for (int k = 0; k < 3; k++) {
        d[k] = point[k] - p->axis_point[k];
        along += d[k] * p->axis[k];
    }
    for (int k = 0; k < 3; k++)
        square += (d[k] - along * p->axis[k]) * (d[k] - along * p->axis[k]);
    return sqrt(square);
}

/* The steering axis is the line from the foot to the top mount, whose points give all values. */
static void strut(void **state)
{
    struct lk_suspension_row row;
    const struct lk_suspension_point *p = &row.point[LK_SUSPENSION_LEFT];
    double k[3], part;
    struct rig rig;

    (void)state;
    for (int i = 0; i < 3; i++)
        k[i] = strut_top[i] - strut_foot[i];
    part = (strut_centre[2] - strut_radius - strut_foot[2]) / k[2];
    open_strut(&rig);
    row = row_at(&rig, LK_SUSPENSION_PARALLEL, 0);
    near_to("caster", p->caster, atan(-k[0] / k[2]), ROUNDOFF);
    near_to("inclination", p->inclination, atan(-k[1] / k[2]), ROUNDOFF);
    near_to("trail", p->trail, strut_foot[0] + part * k[0] - strut_centre[0], ROUNDOFF);
    near_to("scrub", p->scrub, strut_centre[1] - strut_foot[1] - part * k[1], ROUNDOFF);
    near_to("foot", off_axis(p, strut_foot), 0, ROUNDOFF);
    for (int i = -3; i <= 3; i++) {
        row = row_at(&rig, LK_SUSPENSION_PARALLEL, 0.02 * i);
        near_to("top", off_axis(p, strut_top), 0, 1e-9);
        row = row_at(&rig, LK_SUSPENSION_STEER, 0.02 * i);
        near_to("top, steered", off_axis(p, strut_top), 0, 1e-9);
        near_to("height, steered", p->height, 0, ROUNDOFF);
    }
    end(&rig);
}

/* The rates along the sweep are derivatives of the values of the sweep: central differences. */
static void rates(void **state)
{
    const double d = 1e-4;
    struct rig rig;

    (void)state;
    open_strut(&rig);
    for (int i = -2; i <= 2; i++) {
        double z = 0.02 * i + 0.01;
        struct lk_suspension_row low = row_at(&rig, LK_SUSPENSION_PARALLEL, z - d);
        struct lk_suspension_row here = row_at(&rig, LK_SUSPENSION_PARALLEL, z);
        struct lk_suspension_row high = row_at(&rig, LK_SUSPENSION_PARALLEL, z + d);

        near_to("bump steer", here.point[0].toe_rate,
                (high.point[0].toe - low.point[0].toe) / (2 * d), 1e-6);
        near_to("camber gain", here.point[0].camber_rate,
                (high.point[0].camber - low.point[0].camber) / (2 * d), 1e-6);
        near_to("forward", tan(here.point[0].drive_angle),
                (high.point[0].centre_x - low.point[0].centre_x) / (2 * d), 1e-6);
    }
    end(&rig);
}

/* ---- links instead of a wishbone and a strut's arm ---- */

static const char spatial_bodies[] =
    "linkage: 1\nname: links\nbodies:\n"
    "  chassis: {mass: 1000, inertia: [200, 900, 1000], position: [-1, 0, 0.5]}\n"
    "  knuckle: {mass: 5, inertia: [0.05, 0.05, 0.05], position: [0, 0.7, 0.3]}\n"
    "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0.02, 0.77, 0.3]}\n"
    "  rack: {mass: 3, inertia: [0.05, 0.01, 0.05], position: [-0.12, 0, 0.28]}\n";
static const char spatial_arms[] =
    "  lower: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0.5, 0.2]}\n"
    "  upper: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0.6, 0.5]}\n";
static const char spatial_joints[] =
    "joints:\n"
    "  tie: {type: distance, bodies: [rack, knuckle], points: [[-0.12, 0.36, 0.28], [-0.13, 0.72, "
    "0.27]]}\n"
    "  axle: {type: revolute, bodies: [knuckle, wheel], point: [0.02, 0.77, 0.30], axis: [0.01, 1, "
    "-0.02]}\n"
    "  rack: {type: prismatic, bodies: [chassis, rack], point: [-0.12, 0, 0.28], axis: [0, 1, "
    "0]}\n";
static const char with_arms[] =
    "  lower: {type: revolute, bodies: [chassis, lower], point: [0.1, 0.35, 0.22], axis: [0.3, "
    "-0.02, 0.01]}\n"
    "  upper: {type: revolute, bodies: [chassis, upper], point: [0.1, 0.45, 0.52], axis: [0.3, "
    "0.03, -0.02]}\n"
    "  foot: {type: spherical, bodies: [lower, knuckle], point: [0.01, 0.72, 0.20]}\n"
    "  head: {type: spherical, bodies: [upper, knuckle], point: [-0.02, 0.68, 0.50]}\n";
static const char with_links[] =
    "  a: {type: distance, bodies: [chassis, knuckle], points: [[0.1, 0.35, 0.22], [0.01, 0.72, "
    "0.20]]}\n"
    "  b: {type: distance, bodies: [chassis, knuckle], points: [[-0.2, 0.37, 0.21], [0.01, 0.72, "
    "0.20]]}\n"
    "  c: {type: distance, bodies: [chassis, knuckle], points: [[0.1, 0.45, 0.52], [-0.02, 0.68, "
    "0.50]]}\n"
    "  d: {type: distance, bodies: [chassis, knuckle], points: [[-0.2, 0.42, 0.54], [-0.02, 0.68, "
    "0.50]]}\n";

static void open_spatial(struct rig *rig, const char *bodies, const char *joints)
{
    char text[TEXT];

    snprintf(text, TEXT, "%s%s%s%ssolver: {step: 0.001}\n", spatial_bodies, bodies, spatial_joints,
             joints);
    read_model(rig, text);
    add_wheel(rig, "axle", 0.3);
    add_steer(rig, "rack");
    begin(rig);
}

/* Five links to two ball joints move the wheel as two wishbones do: all values are the same. */
static void links(void **state)
{
    size_t n = sizeof(struct lk_suspension_point) / sizeof(double);
    struct rig arms, five;

    (void)state;
    open_spatial(&arms, spatial_arms, with_arms);
    open_spatial(&five, "", with_links);
    for (int i = -8; i <= 8; i++) {
        enum lk_suspension_sweep sweep = i % 2 == 0 ? LK_SUSPENSION_PARALLEL : LK_SUSPENSION_STEER;
        struct lk_suspension_row a = row_at(&arms, sweep, 0.005 * i);
        struct lk_suspension_row b = row_at(&five, sweep, 0.005 * i);
        const double *one = &a.point[0].height, *other = &b.point[0].height;

        assert_true(isfinite(a.point[0].caster) && isfinite(a.point[0].trail));
        for (size_t k = 0; k < n; k++)
            if (!isnan(one[k]) || !isnan(other[k]))
                near_to("arms and links", one[k], other[k], 1e-9);
    }
    end(&arms);
    end(&five);
}

/* ---- a trailing arm with a spring ---- */

/* arm of 0.4 m behind its hinge at (0, 0.7, 0.3); spring from the chassis to 0.25 m on the arm */
#define ARM       0.4
#define SEAT      0.25
#define STIFFNESS 3e4
#define REST      0.5
#define RADIUS    0.3
static const double spring_top[2] = {-0.2, 0.4}; /* x, z from the hinge */

static const char trailing_model[] =
    "linkage: 1\nname: trailing\nbodies:\n"
    "  chassis: {mass: 1000, inertia: [200, 900, 1000], position: [1, 0, 0.5]}\n"
    "  arm: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [-0.2, 0.7, 0.3]}\n"
    "  wheel: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [-0.4, 0.7, 0.3]}\n"
    "joints:\n"
    "  arm: {type: revolute, bodies: [chassis, arm], point: [0, 0.7, 0.3], axis: [0, 1, 0]}\n"
    "  axle: {type: revolute, bodies: [arm, wheel], point: [-0.4, 0.7, 0.3], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  spring: {type: spring-damper, bodies: [chassis, arm], points: [[-0.2, 0.7, 0.7], [-0.25, "
    "0.7, 0.3]], stiffness: 3e4, damping: 100, rest_length: 0.5}\n"
    "solver: {step: 0.001}\n";

/* Check the values at the angle @b of the arm, upwards. The length l of the spring follows from the
 * triangle hinge, top, seat: l^2 = a^2 + s^2 - 2 a s cos(c - b). Force and rate: F = k (l - l0) l'
 * / z', dF/dz = F' / z', z = L sin b. */
static void expect_trailing(struct rig *rig, double b)
{
    double a = hypot(spring_top[0], spring_top[1]), c = atan2(spring_top[1], -spring_top[0]);
    double l = sqrt(a * a + SEAT * SEAT - 2 * a * SEAT * cos(c - b));
    double dl = -a * SEAT * sin(c - b) / l;
    double ddl = (a * SEAT * cos(c - b) - dl * dl) / l;
    double dz = ARM * cos(b), ddz = -ARM * sin(b), force = STIFFNESS * (l - REST) * dl / dz;
    double slope = STIFFNESS * (dl * dl + (l - REST) * ddl) / dz - force * ddz / dz;
    struct lk_suspension_row row = row_at(rig, LK_SUSPENSION_PARALLEL, ARM * sin(b));
    const struct lk_suspension_point *p = &row.point[LK_SUSPENSION_LEFT];

    near_to("force", p->force, force, 1e-8);
    near_to("wheel rate, relative", p->rate / (slope / dz), 1, 1e-8);
    near_to("driving", p->drive_angle, b, ROUNDOFF);
    near_to("braking", p->brake_angle, atan2(ARM * sin(b) - RADIUS, ARM * cos(b)), ROUNDOFF);
    near_to("forward", p->centre_x, ARM * (1 - cos(b)), ROUNDOFF);
    near_to("roll centre", row.roll_centre, 0, ROUNDOFF);
}

static void trailing_arm(void **state)
{
    struct lk_suspension_spring spring;
    struct rig rig;
    double l = hypot(spring_top[0] + SEAT, spring_top[1]);

    (void)state;
    read_model(&rig, trailing_model);
    add_wheel(&rig, "axle", RADIUS);
    begin(&rig);
    for (int i = -4; i <= 4; i++)
        expect_trailing(&rig, 0.1 * i);
    assert_int_equal(lk_suspension_springs(rig.s, 0, &spring, 1), 1);
    assert_string_equal(rig.model->forces[spring.force].name, "spring");
    /* the seat moves upwards by 0.25 / 0.4, along the spring by its height over its length */
    near_to("ratio", spring.ratio[LK_SUSPENSION_LEFT], -SEAT / ARM * spring_top[1] / l, ROUNDOFF);
    end(&rig);
}

/* A hinge with compliance holds as a rigid one. */
static void compliant_hinge(void **state)
{
    const char *hinge = strstr(trailing_model, "axis: [0, 1, 0]}");
    char text[TEXT];
    struct rig rig;

    (void)state;
    snprintf(text, TEXT,
             "%.*saxis: [0, 1, 0], compliance: {stiffness: [1e6, 1e6, 1e6, 1e5, 1e5]}}%s",
             (int)(hinge - trailing_model), trailing_model, hinge + strlen("axis: [0, 1, 0]}"));
    read_model(&rig, text);
    add_wheel(&rig, "axle", RADIUS);
    begin(&rig);
    for (int i = -4; i <= 4; i++)
        expect_trailing(&rig, 0.1 * i);
    end(&rig);
}

/* ---- a rigid axle ---- */

/* A slide along z with a spring, and a hinge along x at the height of the wheel centres: the roll
 * centre is there. With springs K of the slide and C of the hinge and half the track t, the wheel
 * rate is K / 2, and in roll C / (2 t^2). */
static void rigid_axle(void **state)
{
    static const char text[] =
        "linkage: 1\nname: axle\nbodies:\n"
        "  chassis: {mass: 1000, inertia: [200, 900, 1000], position: [1, 0, 0.5]}\n"
        "  slide: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.3]}\n"
        "  beam: {mass: 50, inertia: [5, 1, 5], position: [0, 0, 0.3]}\n"
        "  left: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, 0.7, 0.3]}\n"
        "  right: {mass: 20, inertia: [0.5, 0.9, 0.5], position: [0, -0.7, 0.3]}\n"
        "joints:\n"
        "  slide: {type: prismatic, bodies: [chassis, slide], point: [0, 0, 0.3], axis: [0, 0, "
        "1]}\n"
        "  hinge: {type: revolute, bodies: [slide, beam], point: [0, 0, 0.3], axis: [1, 0, 0]}\n"
        "  axle_l: {type: revolute, bodies: [beam, left], point: [0, 0.7, 0.3], axis: [0, -1, 0]}\n"
        "  axle_r: {type: revolute, bodies: [beam, right], point: [0, -0.7, 0.3], axis: [0, 1, "
        "0]}\n"
        "forces:\n"
        "  heave: {type: joint-spring-damper, joint: slide, stiffness: 5e4}\n"
        "  roll: {type: joint-spring-damper, joint: hinge, stiffness: 2e4}\n"
        "solver: {step: 0.001}\n";
    struct lk_suspension_row row;
    struct rig rig;

    (void)state;
    read_model(&rig, text);
    add_wheel(&rig, "axle_l", 0.3);
    add_wheel(&rig, "axle_r", 0.3);
    begin(&rig);
    row = row_at(&rig, LK_SUSPENSION_PARALLEL, 0.05);
    near_to("wheel rate", row.point[0].rate, 2.5e4, 1e-4);
    near_to("force", row.point[1].force, 2.5e4 * 0.05, 1e-8);
    near_to("camber", row.point[0].camber, 0, ROUNDOFF);
    near_to("roll centre", row.roll_centre, 0.3, ROUNDOFF);
    row = row_at(&rig, LK_SUSPENSION_OPPOSITE, 0.05);
    near_to("roll", row.point[0].camber, -asin(0.05 / 0.7), ROUNDOFF);
    near_to("roll, right", row.point[1].camber, asin(0.05 / 0.7), ROUNDOFF);
    row = row_at(&rig, LK_SUSPENSION_OPPOSITE, 0);
    near_to("rate in roll, relative", row.point[1].rate / (1e4 / 0.49), 1, 1e-8);
    end(&rig);
}

/* ---- the sedan ---- */

/* Compute a joint's point in the start of the system. */
static void place_joint(const struct rig *rig, const char *name, double ret[3])
{
    const struct lk_joint_def *j = &rig->model->joints[find_joint(rig->model, name)];
    const struct lk_body_def *body = &rig->model->bodies[j->body[1]];
    struct lk_body_state now;
    double arm[3], turned[3], w, cross[3];

    lk_system_body_state(rig->sys, j->body[1], &now);
    near_to("bodies without orientation", body->orientation[0], 1, 0);
    for (int k = 0; k < 3; k++)
        arm[k] = j->point[1][k] - body->position[k];
    w = now.orientation[0];
    for (int k = 0; k < 3; k++)
        cross[k] = now.orientation[1 + (k + 1) % 3] * arm[(k + 2) % 3] -
                   now.orientation[1 + (k + 2) % 3] * arm[(k + 1) % 3];
    for (int k = 0; k < 3; k++) {
        turned[k] = now.orientation[1 + (k + 1) % 3] * cross[(k + 2) % 3] -
                    now.orientation[1 + (k + 2) % 3] * cross[(k + 1) % 3];
        ret[k] = now.position[k] + arm[k] + 2 * (w * cross[k] + turned[k]);
    }
}

/* Check that both sides are mirrored; NAN equals NAN. */
static void expect_mirrored(const struct lk_suspension_row *row)
{
    const double *left = &row->point[0].height, *right = &row->point[1].height;
    size_t n = offsetof(struct lk_suspension_point, axis_point) / sizeof(double);
    size_t steer = offsetof(struct lk_suspension_point, steer) / sizeof(double);

    for (size_t i = 0; i < n; i++)
        if (!(isnan(left[i]) && isnan(right[i])) &&
            !(fabs(left[i] - (i == steer ? -1 : 1) * right[i]) <= 1e-9 * fmax(1, fabs(left[i]))))
            fail_msg("value %zu at %g: %.15g and %.15g", i, row->travel, left[i], right[i]);
}

static void sedan(void **state)
{
    struct lk_suspension_curve curve;
    double head[3], foot[3];
    struct lk_error error = {""};
    struct lk_errors errors;
    struct rig rig = {0};
    int n;

    (void)state;
    if (lk_model_read_file_with(MODELS "sedan.yaml", NULL, 0, &rig.model, &errors) != 0 ||
        lk_system_new(rig.model, &(struct lk_options){.all_rows = 1}, &rig.sys, &error) != 0)
        fail_msg("%s", error.text);
    add_wheel(&rig, "axle_rr", 0.3266);
    add_wheel(&rig, "axle_fl", 0.3266);
    add_wheel(&rig, "axle_fr", 0.3266);
    add_wheel(&rig, "axle_rl", 0.3266);
    add_steer(&rig, "column");
    begin(&rig);
    assert_true(lk_suspension_axles(rig.s, &n)[0].is_steered);
    assert_int_equal(n, 2);
    assert_int_equal(lk_suspension_axles(rig.s, &n)[0].wheel[LK_SUSPENSION_RIGHT], 2);
    assert_false(lk_suspension_axles(rig.s, &n)[1].is_steered);
    for (int axle = 0; axle < 2; axle++) {
        assert_int_equal(
            lk_suspension_sweep(rig.s, axle, LK_SUSPENSION_PARALLEL, 0.08, 33, &curve, &error), 0);
        assert_int_equal(curve.n, 33);
        for (int i = 0; i < curve.n; i++) {
            expect_mirrored(&curve.row[i]);
            assert_true(isfinite(curve.row[i].point[0].rate) && isfinite(curve.row[i].roll_centre));
            assert_int_equal(isfinite(curve.row[i].point[0].caster), axle == 0);
        }
        place_joint(&rig, "head_fl", head);
        place_joint(&rig, "foot_fl", foot);
        near_to("head", axle == 0 ? off_axis(&curve.row[16].point[0], head) : 0, 0, 1e-9);
        near_to("foot", axle == 0 ? off_axis(&curve.row[16].point[0], foot) : 0, 0, 1e-9);
        lk_suspension_curve_fini(&curve);
    }
    /* the column turns by more than a whole turn */
    assert_int_equal(lk_suspension_sweep(rig.s, 0, LK_SUSPENSION_STEER, 8, 5, &curve, &error), 0);
    assert_int_equal(curve.n, 5);
    near_to("left and right", curve.row[4].point[0].steer, -curve.row[0].point[1].steer, 1e-9);
    assert_true(curve.row[4].point[0].steer > 0.4);
    lk_suspension_curve_fini(&curve);
    end(&rig);
}

/* ---- refusals ---- */

static void expect_refusal(struct rig *rig, const char *part)
{
    struct lk_error error = {""};

    if (lk_suspension_new(rig->sys, &rig->request, &rig->s, &error) != LK_E_MODEL ||
        !strstr(error.text, part))
        fail_msg("'%s', expected '%s'", error.text, part);
    lk_system_free(rig->sys);
    lk_model_free(rig->model);
}

static void refusals(void **state)
{
    struct rig rig;

    (void)state;
    read_model(&rig, strut_model); /* the rack is free */
    add_wheel(&rig, "axle", 0.3);
    expect_refusal(&rig, "wheel 'axle' can move in more than one way");
    read_model(&rig, trailing_model);
    add_wheel(&rig, "axle", 0.3);
    rig.request.chassis = 1;
    expect_refusal(&rig, "wheel 'axle' cannot move up and down");
    read_model(&rig, trailing_model);
    add_wheel(&rig, "axle", 0.3);
    rig.request.chassis = 2;
    expect_refusal(&rig, "wheel 'axle' is a part of the chassis");
}

/* The curve of a trailing arm ends at its length, above and below, not far before it. */
static void curves_that_end(void **state)
{
    struct lk_suspension_curve curve;
    struct lk_error error = {""};
    struct rig rig;

    (void)state;
    read_model(&rig, trailing_model);
    add_wheel(&rig, "axle", RADIUS);
    begin(&rig);
    assert_int_equal(lk_suspension_sweep(rig.s, 0, LK_SUSPENSION_PARALLEL, 0.6, 25, &curve, &error),
                     0);
    assert_true(curve.is_cut[0] && curve.is_cut[1]);
    assert_true(curve.end[1] > 0.98 * ARM && curve.end[1] < ARM);
    assert_true(curve.end[0] < -0.98 * ARM && curve.end[0] > -ARM);
    assert_int_equal(curve.n, 15);
    assert_true(curve.reason[0][0] != '\0' && curve.reason[1][0] != '\0');
    lk_suspension_curve_fini(&curve);
    end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_double_wishbone),
        cmocka_unit_test(equal_parallel_arms),
        cmocka_unit_test(strut),
        cmocka_unit_test(rates),
        cmocka_unit_test(links),
        cmocka_unit_test(compliant_hinge),
        cmocka_unit_test(trailing_arm),
        cmocka_unit_test(rigid_axle),
        cmocka_unit_test(sedan),
        cmocka_unit_test(refusals),
        cmocka_unit_test(curves_that_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

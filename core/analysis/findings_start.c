/* SPDX-License-Identifier: Apache-2.0 */
/* Findings on the start: open joints of the initial configuration, inconsistent velocities,
 * stops that are exceeded at the start. */
#include "analysis/findings.h"
#include "compile/compile.h"
#include "maths/vec.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* largest gap, in sizes of the mechanism or [rad]; allows for the rounding of numbers in model
 * files */
#define GAP_MAX  1e-3
#define RATE_MAX 1e-3 /* largest violation of a rate, relative to the largest given speed */
/* largest penetration: fraction of the width between both stops; [m or rad] for a single stop */
#define STOP_PAST 1e-6
#define BENT_MAX  0.3 /* rotation of a node by the modes of its body [rad] */

/* Move the bodies to the initial configuration. */
static void go_to_initial(struct lk_inspection *in)
{
    struct lk_system *sys = in->sys;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_body_def *body = &in->model->bodies[sys->body[b].of];
        struct lk_motion *m = &sys->now.motion[b];
        struct lk_pose pose;

        for (int i = 0; i < 3; i++) {
            m->x[i] = body->position[i];
            m->v.v[i] = body->velocity[i];
        }
        for (int i = 0; i < 4; i++)
            m->q[i] = body->orientation[i];
        lk_evaluate_pose_of(sys, b, &pose);
        lk_rotate_back(pose.R, body->angular_velocity, m->v.w);
    }
    for (int k = 0; k < sys->n_modes; k++)
        sys->now.mode[k].q = sys->now.mode[k].v = 0;
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_drives_evaluate(sys, &sys->now);
    lk_evaluate_jacobians(sys);
}

/* Find the largest size of the mechanism [m] and the largest initial speed [m/s, rad/s]. */
static void measure(const struct lk_inspection *in, double *ret_size, double *ret_speed)
{
    const struct lk_system *sys = in->sys;
    double size = 0, speed = 0;

    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && !sys->joint[i].of[0]; s++)
            size = fmax(size, lk_norm(sys->joint[i].p[s]));
    for (int b = 0; b < in->model->n_bodies; b++)
        speed = fmax(speed, fmax(lk_norm(in->model->bodies[b].velocity),
                                 lk_norm(in->model->bodies[b].angular_velocity)));
    *ret_size = size > 0 ? size : 1;
    *ret_speed = speed;
}

/* struct worst - largest violations of the rigid rows of a joint: of lengths, and of angles. */
struct worst {
    double length;
    double angle;
};

static struct worst worst_of(const struct lk_joint *joint, const double *values)
{
    struct worst w = {0};

    for (int r = 0; r < lk_rigid_rows(joint); r++) {
        double *largest = r < joint->n_length ? &w.length : &w.angle;

        *largest = fmax(*largest, fabs(values[r]));
    }
    return w;
}

/* Return whether no drive acts on the joint. A drive sets the start value and rate of its
 * coordinate, so a deviating value in the file is no finding. */
static bool is_free_of_drives(const struct lk_joint *joint)
{
    return joint->kind == LK_ROWS_RIGID;
}

static void inspect_gap(struct lk_inspection *in, int j, double size)
{
    double phi[LK_ROWS_MAX];
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;
    struct worst gap;

    lk_evaluate_violation(in->sys, j, phi);
    gap = worst_of(&in->sys->joint[j], phi);
    if (gap.length <= GAP_MAX * size && gap.angle <= GAP_MAX)
        return;
    f = lk_finding_add(
        in, "joint-gap", lk_finding_joint(in->sys, j, where),
        "is open initially, by %.3g m and %.3g rad; the start closes it by moving the "
        "bodies; place them where they fit, or give the coordinate with start",
        gap.length, gap.angle);
    lk_finding_number(f, "gap", "m", gap.length);
    lk_finding_number(f, "gap_angle", "rad", gap.angle);
}

/* Return the change of a body's velocity at the start. */
static struct worst change_of(const struct lk_system *sys, int b)
{
    struct worst w = {0};
    double v[3], turn[3];

    if (b >= sys->n_bodies)
        return w;
    for (int i = 0; i < 3; i++) {
        v[i] = sys->start.motion[b].v.v[i] - sys->now.motion[b].v.v[i];
        turn[i] = sys->start.motion[b].v.w[i] - sys->now.motion[b].v.w[i];
    }
    return (struct worst){lk_norm(v), lk_norm(turn)};
}

/* return the velocity that the start removes from a body with planar reduction, see
 * compile/passes/plane.h */
static struct worst left_out_of(const struct lk_system *sys, int b)
{
    struct lk_twist given, kept;
    double v[3], turn[3];

    if (b >= sys->n_bodies || !sys->body[b].is_in_plane)
        return (struct worst){0};
    given = kept = sys->now.motion[b].v;
    lk_start_hold_upright(sys, b, &kept);
    lk_sub(given.v, kept.v, v);
    lk_sub(given.w, kept.w, turn);
    return (struct worst){lk_norm(v), lk_norm(turn)};
}

/* add the velocity violation of the rows that planar reduction removed from joint @j */
static void add_left_out(const struct lk_system *sys, const struct lk_joint *j, struct worst *rate)
{
    for (int s = 0; s < 2 && !j->is_known; s++) {
        struct worst out = left_out_of(sys, j->body[s]);

        rate->length = fmax(rate->length, out.length);
        rate->angle = fmax(rate->angle, out.angle);
    }
}

static void inspect_rates(struct lk_inspection *in, int j, double speed)
{
    const struct lk_system *sys = in->sys;
    const struct lk_joint *joint = &sys->joint[j];
    double rates[LK_ROWS_PAD];
    char where[LK_TEXT_SIZE];
    struct worst rate, change[2];
    struct lk_finding *f;

    lk_evaluate_row_rates(sys, j, sys->twist, rates);
    rate = worst_of(joint, rates);
    add_left_out(sys, joint, &rate);
    if (fmax(rate.length, rate.angle) <= RATE_MAX * speed)
        return;
    for (int s = 0; s < 2; s++)
        change[s] = change_of(sys, joint->body[s]);
    f = lk_finding_add(in, "velocity-change", lk_finding_joint(sys, j, where),
                       "the given velocities violate it by %.3g m/s and %.3g rad/s; the start "
                       "changes its first body by %.3g m/s and %.3g rad/s, its second by %.3g m/s "
                       "and %.3g rad/s; give each body the velocity that fits",
                       rate.length, rate.angle, change[0].length, change[0].angle, change[1].length,
                       change[1].angle);
    lk_finding_number(f, "rate", "m/s", rate.length);
    lk_finding_number(f, "rate_angle", "rad/s", rate.angle);
    lk_finding_number(f, "change", "m/s", fmax(change[0].length, change[1].length));
    lk_finding_number(f, "change_angle", "rad/s", fmax(change[0].angle, change[1].angle));
}

static void inspect_stop(struct lk_inspection *in, const struct lk_force_def *stop)
{
    struct lk_system *sys = in->sys;
    const struct lk_joint *joint = &sys->joint[stop->joint];
    const char *unit = lk_joint_coordinate_is_angle(joint->type, stop->coordinate) ? "rad" : "m";
    double initial = sys->start.coordinate[joint->first_coordinate + stop->coordinate];
    double x = lk_evaluate_coordinate_near(sys, joint, stop->coordinate, initial);
    double past = fmax(stop->lower - x, x - stop->upper);
    double width = stop->upper - stop->lower;
    bool is_below = x < stop->lower;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (past <= STOP_PAST * (isfinite(width) ? width : 1))
        return;
    snprintf(where, sizeof(where), "stop %s", stop->name);
    f = lk_finding_add(in, "stop-violated", where,
                       "joint %s starts %.3g %s beyond the stop %s, at %.4g %s, where its %s limit "
                       "is %.4g %s, so it starts with a push; expected a start between the limits, "
                       "by start or coordinate of the joint, or 'start: equilibrium'",
                       in->model->joints[stop->joint].name, past, unit, stop->name, x, unit,
                       is_below ? "lower" : "upper", is_below ? stop->lower : stop->upper, unit);
    lk_finding_number(f, "coordinate", unit, x);
    lk_finding_number(f, "beyond", unit, past);
}

/* return whether there is a road below the centre of the wheel of tyre @i */
static int stands_over_road(const struct lk_system *sys, int i)
{
    const struct lk_tyre *t = &sys->tyre[i];
    const struct lk_joint *j = &sys->joint[t->joint];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    struct lk_road_plane plane;
    double at[3], local[3];

    lk_rotate(pose[1]->R, j->p[1], at);
    for (int k = 0; k < 3; k++)
        at[k] += pose[1]->x[k] - pose[0]->x[k];
    lk_rotate_back(pose[0]->R, at, local);
    return lk_road_at(&sys->road[t->road], t->track, local, &plane);
}

static void inspect_tyre(struct lk_inspection *in, const struct lk_force_def *tyre)
{
    const struct lk_road_def *road = &in->model->roads[in->model->tyres[tyre->tyre].road];
    char where[LK_TEXT_SIZE];

    if (stands_over_road(in->sys, tyre->tyre))
        return;
    snprintf(where, sizeof(where), "tyre %s", tyre->name);
    lk_finding_add(in, "no-road", where,
                   "its wheel starts where road %s has no surface, so it falls; expected a place "
                   "on the grid of '%s', outside of its holes",
                   road->name, road->file);
}

/* Report the node that modes turn most, if a development to second order is too short for that. */
static void inspect_modes(struct lk_inspection *in)
{
    const struct lk_system *sys = in->sys;
    char where[LK_TEXT_SIZE];
    double most = BENT_MAX;
    int worst = -1;

    for (int i = 0; i < sys->n_modals; i++)
        for (int a = 0; a < sys->modal[i].n_nodes; a++)
            if (lk_norm(sys->modal[i].node[a].now + 3) > most) {
                most = lk_norm(sys->modal[i].node[a].now + 3);
                worst = sys->modal[i].node[a].body;
            }
    if (worst < 0)
        return;
    snprintf(where, sizeof(where), "body %s", sys->body_name[worst]);
    lk_finding_number(
        lk_finding_add(in, "modes-large", where,
                       "its modes turn it by %.2g rad at the start, where they describe up to %g; "
                       "expected a stiffer body, less load, or a beam",
                       most, BENT_MAX),
        "turn", "rad", most);
}

void lk_inspect_start(struct lk_inspection *in)
{
    double size, speed;

    lk_evaluate_poses(in->sys, &in->sys->now);
    inspect_modes(in);
    /* In an equilibrium, stops are deflected by the loads that they support. */
    for (int i = 0; i < in->model->n_forces && !in->sys->starts_balanced; i++)
        if (in->model->forces[i].type == LK_FORCE_STOP)
            inspect_stop(in, &in->model->forces[i]);
    for (int i = 0; i < in->model->n_forces; i++)
        if (in->model->forces[i].type == LK_FORCE_TYRE)
            inspect_tyre(in, &in->model->forces[i]);
    go_to_initial(in);
    measure(in, &size, &speed);
    for (int j = 0; j < in->sys->n_joints; j++)
        if (is_free_of_drives(&in->sys->joint[j]))
            inspect_gap(in, j, size);
    for (int j = 0; j < in->sys->n_joints; j++)
        if (is_free_of_drives(&in->sys->joint[j]))
            inspect_rates(in, j, speed);
    lk_system_reset(in->sys);
}

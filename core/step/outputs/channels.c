/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of output channels. */
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/contacts.h"
#include "step/elements/lines.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/outputs/reactions.h"
#include "step/system.h"
#include <string.h>

/* extrapolate a value with its first and second derivative by the time out->ahead */
static double ahead(const struct lk_output *out, double value, double rate, double acceleration)
{
    return value + out->ahead * (rate + 0.5 * out->ahead * acceleration);
}

static void point_position(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_pose *pose = &sys->pose[out->body];
    double arm[3];

    lk_rotate(pose->R, out->point, arm);
    for (int i = 0; i < 3; i++)
        ret[i] = pose->x[i] + arm[i];
}

static void point_velocity(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_twist *t = &sys->twist[out->body];
    double local[3], world[3];

    lk_cross(t->w, out->point, local);
    lk_rotate(sys->pose[out->body].R, local, world);
    for (int i = 0; i < 3; i++)
        ret[i] = t->v[i] + world[i];
}

/* compute the acceleration of a point of a body, world axes */
static void point_acceleration(const struct lk_system *sys, const struct lk_output *out,
                               double *ret)
{
    const struct lk_motion *m = &sys->now.motion[out->body];
    double tangential[3], local[3], world[3];

    lk_cross(m->a.w, out->point, tangential);
    lk_cross_twice(m->v.w, out->point, local);
    for (int i = 0; i < 3; i++)
        local[i] += tangential[i];
    lk_rotate(sys->pose[out->body].R, local, world);
    for (int i = 0; i < 3; i++)
        ret[i] = m->a.v[i] + world[i];
}

/* compute a point of a body or its velocity, extrapolated with the present acceleration */
/* Compute a quantity of a modal body; of a stress, the equivalent stress of von Mises as well. */
static void recovery(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_recovery *r = out->recovery;

    for (int i = 0; i < r->rows; i++) {
        ret[i] = 0;
        for (int k = 0; k < r->n; k++)
            ret[i] += r->value[i * r->n + k] * sys->now.mode[out->input + k].q;
    }
    if (r->rows == 6) {
        double xy = ret[0] - ret[1], yz = ret[1] - ret[2], zx = ret[2] - ret[0];

        ret[6] = sqrt(0.5 * (xy * xy + yz * yz + zx * zx) +
                      3 * (ret[3] * ret[3] + ret[4] * ret[4] + ret[5] * ret[5]));
    }
}

static void point_ahead(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    double velocity[3], acceleration[3];

    point_velocity(sys, out, velocity);
    point_acceleration(sys, out, acceleration);
    for (int i = 0; i < 3; i++)
        ret[i] = out->type == LK_OUTPUT_POINT_VELOCITY
                     ? ahead(out, velocity[i], acceleration[i], 0)
                     : ahead(out, ret[i], velocity[i], acceleration[i]);
}

/* compute the readings of an accelerometer and a gyroscope fixed to the body: a - gravity
 * and w, sensor axes */
static void inertial_sensor(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_motion *m = &sys->now.motion[out->body];
    double force[3], local[3];

    point_acceleration(sys, out, force);
    for (int i = 0; i < 3; i++)
        force[i] -= sys->gravity[i];
    lk_rotate_back(sys->pose[out->body].R, force, local);
    for (int i = 0; i < 3; i++) {
        ret[i] = lk_dot(out->axes[i], local);
        ret[3 + i] = lk_dot(out->axes[i], m->v.w);
    }
}

static void body_pose(const struct lk_system *sys, int body, double *ret)
{
    const struct lk_motion *m = &sys->now.motion[body];

    memcpy(ret, m->x, sizeof(m->x));
    memcpy(ret + 3, m->q, sizeof(m->q));
}

/* write a velocity or an acceleration of a body, all in world axes */
static void body_twist(const struct lk_system *sys, int body, const struct lk_twist *t, double *ret)
{
    memcpy(ret, t->v, sizeof(t->v));
    lk_rotate(sys->pose[body].R, t->w, ret + 3);
}

/* compute a coordinate of a joint or its rate, extrapolated with the present acceleration */
static double joint_ahead(const struct lk_system *sys, const struct lk_output *out, int i)
{
    const struct lk_joint *j = &sys->joint[out->joint];
    double rate = lk_evaluate_coordinate_rate(sys, j, i, sys->twist);
    double acceleration = lk_evaluate_coordinate_acceleration(sys, &sys->now, j, i);

    return out->type == LK_OUTPUT_JOINT_VELOCITY
               ? ahead(out, rate, acceleration, 0)
               : ahead(out, sys->now.coordinate[j->first_coordinate + i], rate, acceleration);
}

static void joint_coordinates(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_joint *j = &sys->joint[out->joint];

    for (int i = 0; i < out->size; i++)
        ret[i] = out->ahead > 0 ? joint_ahead(sys, out, i)
                 : out->type == LK_OUTPUT_JOINT_POSITION
                     ? sys->now.coordinate[j->first_coordinate + i]
                 : out->type == LK_OUTPUT_JOINT_VELOCITY
                     ? lk_evaluate_coordinate_rate(sys, j, i, sys->twist)
                     : lk_evaluate_coordinate_acceleration(sys, &sys->now, j, i);
}

/* Compute the force of a bushing. The laws of its rotations act along the rotation vector.
 * The Jacobian of the bushing converts them to torques about the axes of the bushing on the
 * first body. */
static void bushing_force(const struct lk_system *sys, int joint, double *ret)
{
    const struct lk_joint *j = &sys->joint[joint];
    struct lk_pose place;
    double world[6], local[3];

    lk_evaluate_pose_of(sys, j->body[0], &place);
    lk_reaction_of_rows(sys, joint, world);
    for (int part = 0; part < 6; part += 3) {
        lk_rotate_back(place.R, world + part, local);
        for (int i = 0; i < 3; i++)
            ret[part + i] = lk_dot(j->f[0][i], local) + 0.0; /* without -0 */
    }
}

/* Compute the force of an element on the second body along its coordinate, or the tension between
 * two points. For an impedance between points the force is positive if it pushes the points apart,
 * because the coordinate is their distance. The force of a row with one element is its multiplier,
 * which converges better than the law of the projected state. If a row has several elements, the
 * force of each one is computed from its law. */
static void element_force(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_joint *j = &sys->joint[out->joint];
    const struct lk_law *law = &sys->law[j->law];
    bool is_tension =
        j->type == LK_JOINT_DISTANCE && sys->term[out->term].kind != LK_TERM_IMPEDANCE;
    double sign = is_tension ? 1 : -1;

    for (int end = 0; end < 2 && out->line >= 0; end++)
        ret[end] = lk_lines_force(sys, &sys->line[out->line], end);
    if (out->line >= 0)
        return;
    if (j->type == LK_JOINT_BUSHING) {
        bushing_force(sys, out->joint, ret);
        return;
    }
    if (out->n_terms == law->n_terms) {
        for (int r = 0; r < out->size; r++)
            ret[r] = sign * sys->now.lambda[j->row + r] + 0.0; /* without -0 */
        return;
    }
    double rate, x = lk_loads_law_place(sys, &sys->now, law, &rate);
    struct lk_law_value f = {0};

    for (int i = out->term; i < out->term + out->n_terms; i++)
        lk_term_evaluate(&sys->term[i], x, rate + law->now->carry, &f);
    ret[0] = sign * (f.elastic + f.dissipative);
}

static void drive_force(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    int n = 0;

    if (lk_is_on_frame(sys, out->joint)) {
        lk_reaction_of_rows(sys, out->joint, ret);
        return;
    }
    for (int i = 0; i < lk_joint_traits[sys->joint[out->joint].type].n_coordinates; i++)
        for (int d = 0; d < sys->n_drives; d++)
            if (sys->drive[d].joint == out->joint && sys->drive[d].which == i)
                ret[n++] = 0.0 - sys->now.lambda[sys->joint[sys->drive[d].row_joint].row];
}

/* write energies, works and residuals of the state */
static void books_output(const struct lk_system *sys, enum lk_output_type type, double *ret)
{
    const struct lk_balance *balance = sys->now.balance, *start = sys->start.balance;

    switch (type) {
    case LK_OUTPUT_ENERGY:
        ret[0] = balance->kinetic;
        ret[1] = balance->potential;
        break;
    case LK_OUTPUT_WORK:
        ret[0] = balance->work_input;
        ret[1] = balance->dissipated;
        ret[2] = balance->work_drive;
        ret[3] = balance->work_applied;
        ret[4] = (balance->kinetic + balance->potential) - (start->kinetic + start->potential) -
                 (ret[0] + ret[2] + ret[3] + balance->closing - ret[1] - balance->taken);
        ret[5] = balance->taken;
        ret[6] = balance->closing;
        break;
    case LK_OUTPUT_RESIDUAL:
        ret[0] = balance->residual_position;
        ret[1] = balance->residual_velocity;
        ret[2] = balance->increment;
        break;
    case LK_OUTPUT_CONDITION:
        ret[0] = lk_fronts_smallest_pivot(lk_last_factor(sys), sys->scale);
        ret[1] = balance->increment;
        ret[2] = balance->residual_acceleration;
        break;
    default:
        break;
    }
}

static void tyre_output(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    struct lk_tyre_view view;

    lk_tyres_view(sys, out->tyre, &view);
    if (out->type == LK_OUTPUT_TYRE) {
        memcpy(ret, view.force, sizeof(view.force));
        return;
    }
    ret[0] = view.kappa;
    ret[1] = view.slope;
    ret[2] = view.camber;
    ret[3] = view.depth;
    memcpy(ret + 4, view.point, sizeof(view.point));
}

static void contact_output(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    struct lk_contact_view view;

    lk_contacts_view(sys, out->contact, out->n_points, &view);
    if (out->type == LK_OUTPUT_FORCE) {
        for (int i = 0; i < 3; i++) /* without -0 */
            ret[i] = 0.0 + (out->is_swapped ? -view.force[i] : view.force[i]);
        return;
    }
    ret[0] = view.gap;
    ret[1] = view.normal;
    ret[2] = view.friction;
    ret[3] = view.slip;
    ret[4] = view.residual;
}

static void evaluate_output(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    switch (out->type) {
    case LK_OUTPUT_JOINT_POSITION:
    case LK_OUTPUT_JOINT_VELOCITY:
    case LK_OUTPUT_JOINT_ACCELERATION:
        joint_coordinates(sys, out, ret);
        break;
    case LK_OUTPUT_JOINT_REACTION:
        lk_reaction(sys, out->joint, ret);
        break;
    case LK_OUTPUT_TYRE:
    case LK_OUTPUT_TYRE_CONTACT:
        tyre_output(sys, out, ret);
        break;
    case LK_OUTPUT_BODY_POSE:
        body_pose(sys, out->body, ret);
        break;
    case LK_OUTPUT_BODY_VELOCITY:
        body_twist(sys, out->body, &sys->now.motion[out->body].v, ret);
        break;
    case LK_OUTPUT_BODY_ACCELERATION:
        body_twist(sys, out->body, &sys->now.motion[out->body].a, ret);
        break;
    case LK_OUTPUT_POINT_POSITION:
        point_position(sys, out, ret);
        if (out->ahead > 0)
            point_ahead(sys, out, ret);
        break;
    case LK_OUTPUT_POINT_VELOCITY:
        point_velocity(sys, out, ret);
        if (out->ahead > 0)
            point_ahead(sys, out, ret);
        break;
    case LK_OUTPUT_POINT_ACCELERATION:
        point_acceleration(sys, out, ret);
        break;
    case LK_OUTPUT_INERTIAL_SENSOR:
        inertial_sensor(sys, out, ret);
        break;
    case LK_OUTPUT_CONTACT:
        contact_output(sys, out, ret);
        break;
    case LK_OUTPUT_FORCE:
        (out->n_points > 0 ? contact_output : element_force)(sys, out, ret);
        break;
    case LK_OUTPUT_DRIVE_FORCE:
        drive_force(sys, out, ret);
        break;
    case LK_OUTPUT_ENERGY:
    case LK_OUTPUT_WORK:
    case LK_OUTPUT_RESIDUAL:
    case LK_OUTPUT_CONDITION:
        books_output(sys, out->type, ret);
        break;
    case LK_OUTPUT_INPUT:
        memcpy(ret, sys->now.inputs + out->input, (size_t)out->size * sizeof(double));
        break;
    case LK_OUTPUT_BLOCK:
        ret[0] = sys->now.blocks[out->input];
        break;
    case LK_OUTPUT_MODE:
        ret[0] = sys->now.mode[out->input].q;
        ret[1] = sys->now.mode[out->input].v;
        break;
    case LK_OUTPUT_RECOVERY:
        recovery(sys, out, ret);
        break;
    case LK_OUTPUT_MOBILITY:
    case LK_OUTPUT_PORT_WORK:
        memcpy(ret, sys->now.shown + out->input, (size_t)out->size * sizeof(double));
        break;
    case LK_OUTPUT_TYPES:
        break;
    }
}

int lk_system_joint_reaction(const struct lk_system *sys, int joint, double ret[6])
{
    LK_ARITHMETIC;

    lk_reaction(sys, joint, ret);
    return sys->joint[joint].of[0] || lk_reaction_is_known(sys, joint) ? 0 : LK_E_MODEL;
}

void lk_system_outputs(const struct lk_system *sys, double *values)
{
    LK_ARITHMETIC;

    for (int i = 0; i < sys->n_outputs; i++)
        evaluate_output(sys, &sys->output[i], values + sys->output[i].offset);
}

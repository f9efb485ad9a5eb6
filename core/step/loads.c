/* SPDX-License-Identifier: Apache-2.0 */
/* Applied forces: gravity, constant loads, input channels; and the energy books. */
#include "maths/vec.h"
#include "step/system.h"

/* force and torque of a load in the six directions of its body: world, body axes */
static void load_wrench(const struct lk_load *l, const double R[9], const double vector[3],
                        struct lk_twist *ret)
{
    double world[3], local[3];

    if (l->in_body_frame) {
        lk_rotate(R, vector, world);
        for (int i = 0; i < 3; i++)
            local[i] = vector[i];
    } else {
        lk_rotate_back(R, vector, local);
        for (int i = 0; i < 3; i++)
            world[i] = vector[i];
    }
    if (l->is_torque) {
        *ret = (struct lk_twist){.w = {local[0], local[1], local[2]}};
    } else {
        *ret = (struct lk_twist){.v = {world[0], world[1], world[2]}};
        lk_cross(l->point, local, ret->w);
    }
}

static void subtract(struct lk_twist *sum, double scale, const struct lk_twist *wrench)
{
    for (int i = 0; i < 3; i++) {
        sum->v[i] -= scale * wrench->v[i];
        sum->w[i] -= scale * wrench->w[i];
    }
}

/* generalised force of one newton (metre) along a joint's coordinate, on either body */
static void joint_wrench(const struct lk_system *sys, int joint, struct lk_twist ret[2])
{
    const struct lk_joint *j = &sys->joint[joint];
    const struct lk_pose *const pose[2] = {&sys->pose[j->body[0]], &sys->pose[j->body[1]]};
    double J[2][6];

    lk_joint_ops(j->type)->coordinate_jacobian(j, pose, J);
    for (int s = 0; s < 2; s++)
        ret[s] =
            (struct lk_twist){.v = {J[s][0], J[s][1], J[s][2]}, .w = {J[s][3], J[s][4], J[s][5]}};
}

static int is_joint_input(const struct lk_input *in)
{
    return in->type == LK_INPUT_JOINT_TORQUE || in->type == LK_INPUT_JOINT_FORCE;
}

void lk_loads_subtract_inputs(const struct lk_system *sys, const double *inputs,
                              struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];
        const double *value = inputs + in->offset;

        if (is_joint_input(in)) {
            const struct lk_joint *j = &sys->joint[in->joint];
            struct lk_twist wrench[2];

            joint_wrench(sys, in->joint, wrench);
            for (int s = 0; s < 2; s++)
                subtract(&sum[j->body[s]], value[0], &wrench[s]);
        } else {
            struct lk_twist wrench;

            load_wrench(&in->load, sys->pose[in->load.body].R, value, &wrench);
            subtract(&sum[in->load.body], 1, &wrench);
        }
    }
}

void lk_loads_subtract_applied(const struct lk_system *sys, const double *inputs,
                               struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        struct lk_twist wrench;

        load_wrench(l, sys->pose[l->body].R, l->vector, &wrench);
        subtract(&sum[l->body], 1, &wrench);
    }
    lk_loads_subtract_inputs(sys, inputs, sum);
}

void lk_loads_subtract(const struct lk_system *sys, const double *inputs, struct lk_twist *sum)
{
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            sum[b].v[i] -= sys->body[b].mass * sys->gravity[i];
    lk_loads_subtract_applied(sys, inputs, sum);
}

static double power(const struct lk_twist *wrench, const struct lk_twist *twist)
{
    return lk_dot(wrench->v, twist->v) + lk_dot(wrench->w, twist->w);
}

double lk_loads_input_power(const struct lk_system *sys, const double *inputs)
{
    double sum = 0;

    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];
        struct lk_twist wrench;

        if (is_joint_input(in)) {
            sum += inputs[in->offset] * lk_evaluate_coordinate_rate(sys, in->joint);
            continue;
        }
        load_wrench(&in->load, sys->pose[in->load.body].R, inputs + in->offset, &wrench);
        sum += power(&wrench, &sys->twist[in->load.body]);
    }
    return sum;
}

double lk_loads_damper_power(const struct lk_system *sys)
{
    double sum = 0;

    for (int i = 0; i < sys->n_springs; i++) {
        double rate = lk_evaluate_coordinate_rate(sys, sys->spring[i].joint);

        sum += sys->spring[i].damping * rate * rate;
    }
    return sum;
}

static double kinetic_energy(const struct lk_body *body, const struct lk_motion *m)
{
    double Jw[3];

    lk_sym_mul(body->inertia, m->v.w, Jw);
    return 0.5 * (body->mass * lk_dot(m->v.v, m->v.v) + lk_dot(m->v.w, Jw));
}

void lk_loads_energies(const struct lk_system *sys, const struct lk_state *state,
                       double *ret_kinetic, double *ret_potential)
{
    double kinetic = 0, potential = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        kinetic += kinetic_energy(&sys->body[b], &state->motion[b]);
        potential -= sys->body[b].mass * lk_dot(sys->gravity, state->motion[b].x);
    }
    for (int i = 0; i < sys->n_springs; i++) {
        const struct lk_spring *sp = &sys->spring[i];
        double stretch = state->coordinate[sp->joint] - sp->rest;

        potential += 0.5 * sp->stiffness * stretch * stretch;
    }
    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        double arm[3];

        /* a force that keeps its world direction has a potential of its own */
        if (l->in_body_frame || l->is_torque)
            continue;
        lk_rotate(sys->pose[l->body].R, l->point, arm);
        for (int i3 = 0; i3 < 3; i3++)
            potential -= l->vector[i3] * (state->motion[l->body].x[i3] + arm[i3]);
    }
    *ret_kinetic = kinetic;
    *ret_potential = potential;
}

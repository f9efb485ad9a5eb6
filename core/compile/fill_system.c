/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a system from the model: bodies, joints, loads, channels, and quantities derived from all
 * of them. */
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "compile/fill.h"
#include "compile/passes/pulls.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Set the initial configuration of a body. All parts of a split body have the same pose. */
static void fill_body(struct lk_system *sys, int b, const struct lk_body_def *def)
{
    struct lk_motion *m = &sys->now.motion[b];
    double R[9];

    memcpy(sys->body_name[b], def->name, LK_NAME_SIZE);
    memcpy(m->x, def->position, sizeof(m->x));
    memcpy(m->q, def->orientation, sizeof(m->q));
    memcpy(m->v.v, def->velocity, sizeof(m->v.v));
    lk_quat_matrix(m->q, R);
    lk_rotate_back(R, def->angular_velocity, m->v.w);
}

/* set the names for messages: a joint has its name in the model, other rows have the name of
 * their element */
static void name_joint(struct lk_system *sys, const struct lk_draft *d, int i)
{
    const struct lk_draft_block *b = &d->blocks[d->blocks[i].along >= 0 ? d->blocks[i].along : i];
    const char *name = b->joint >= 0   ? d->model->joints[b->joint].name
                       : b->force >= 0 ? d->model->forces[b->force].name
                                       : d->model->bodies[d->of[b->body[1]]].name;

    memcpy(sys->joint_name[i], name, LK_NAME_SIZE);
}

static void fill_coordinates(struct lk_system *sys, const struct lk_model *m)
{
    int at = 0;

    for (int i = 0; i < m->n_joints; i++) {
        sys->joint[i].first_coordinate = at;
        for (int k = 0; k < lk_joint_traits[m->joints[i].type].n_coordinates; k++)
            sys->now.coordinate[at++] = m->joints[i].coordinate[k];
    }
}

/* List the sides of joints at body @b, of compliant joints (@follows_laws) or of the other joints,
 * from index @n on. Return: the next index */
static int fill_sides_of(struct lk_system *sys, int b, bool follows_laws, int n)
{
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < sys->joint[i].n_sides; s++)
            if (sys->joint[i].body[s] == b && sys->joint[i].n_rows > 0 &&
                lk_is_compliant(&sys->joint[i]) == follows_laws)
                sys->side[n++] =
                    lk_side_of(sys->jacobian[i], s, sys->joint[i].row, sys->joint[i].n_rows);
    return n;
}

/* List the sides of all bodies; the ground has no list. */
static void fill_sides(struct lk_system *sys)
{
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        sys->first_side[b] = n;
        n = sys->first_law_side[b] = fill_sides_of(sys, b, false, n);
        n = fill_sides_of(sys, b, true, n);
    }
    sys->first_side[sys->n_bodies] = n;
}

static void fill_loads(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        int is_torque = f->type == LK_FORCE_CONSTANT_TORQUE || f->type == LK_FORCE_HARMONIC_TORQUE;

        if (f->type < LK_FORCE_CONSTANT_FORCE || f->type == LK_FORCE_TYRE ||
            f->type == LK_FORCE_DRAG || f->type == LK_FORCE_CONTACT)
            continue;
        struct lk_load *l = &sys->load[sys->n_loads++];
        *l = lk_fill_load(sys, f->body[0], f->point[0], f->frame, is_torque);
        memcpy(l->vector, f->vector, sizeof(l->vector));
        l->is_harmonic = f->type == LK_FORCE_HARMONIC_FORCE || f->type == LK_FORCE_HARMONIC_TORQUE;
        l->omega = f->omega;
        l->phase = f->phase;
    }
}

static void fill_inputs(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0, at = 0; i < m->n_inputs; i++) {
        const struct lk_input_def *def = &m->inputs[i];
        struct lk_input *in = &sys->input[i];

        lk_channels_describe_input(m, def, at, &sys->input_channel[i]);
        *in = (struct lk_input){
            .type = def->type, .joint = def->joint, .which = def->coordinate, .offset = at};
        if (def->type == LK_INPUT_BODY_FORCE || def->type == LK_INPUT_BODY_TORQUE)
            in->load = lk_fill_load(sys, def->body, def->point, def->frame,
                                    def->type == LK_INPUT_BODY_TORQUE);
        for (int k = 0; k < sys->input_channel[i].size; k++, at++)
            sys->now.inputs[at] = def->initial;
    }
}

/* Find the block and the terms of force element @force. */
static void find_element(const struct lk_system *sys, int force, struct lk_output *out)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            if (sys->term[k].force != force || out->n_terms >= law->n_terms)
                continue;
            if (out->n_terms == 0) {
                out->joint = law->joint;
                out->term = k;
            }
            out->n_terms += law->joint == out->joint && law->row == 0;
        }
    }
}

/* Find the points of contact @force. */
static void find_contact(const struct lk_model *m, int force, struct lk_output *out)
{
    out->contact = lk_model_points(m, force);
    out->n_points = m->forces[force].contact.n_points;
    out->is_swapped = m->forces[force].contact.is_swapped;
}

/* Set a port whose mobility or work is an output. @values: number of values of the ports before it
 */
static void fill_port(struct lk_system *sys, const struct lk_output_def *def, int port,
                      struct lk_output *out, int values)
{
    struct lk_port *p = &sys->port[port];

    *p = (struct lk_port){.type = def->type, .law = -1, .at = values, .told = -1};
    if (def->told >= 0)
        p->told = sys->input[def->told].offset;
    out->input = values;
    if (def->input >= 0) {
        p->place = sys->input[def->input];
        return;
    }
    for (int i = 0; i < sys->n_laws; i++)
        for (int k = sys->law[i].first_term; k < sys->law[i].first_term + sys->law[i].n_terms; k++)
            if (sys->term[k].force == def->force) {
                const struct lk_joint *j = &sys->joint[sys->law[i].joint];

                p->law = i;
                p->term = k;
                if (j->of[0]) /* otherwise the port is between the two points of its row */
                    p->place = (struct lk_input){.type = LK_INPUT_JOINT_FORCE,
                                                 .joint = (int)(j->of[0] - sys->joint),
                                                 .which = j->which[0]};
            }
}

static void fill_ports(struct lk_system *sys, const struct lk_model *m)
{
    int ports = 0, values = 0;

    for (int i = 0; i < m->n_outputs; i++) {
        struct lk_output *out = &sys->output[i];

        if (out->type != LK_OUTPUT_MOBILITY && out->type != LK_OUTPUT_PORT_WORK)
            continue;
        fill_port(sys, &m->outputs[i], ports++, out, values);
        values += out->size;
    }
}

static void fill_output(struct lk_system *sys, const struct lk_model *m, int i)
{
    const struct lk_output_def *def = &m->outputs[i];
    struct lk_output *out = &sys->output[i];
    double R[9];

    *out = (struct lk_output){.type = def->type,
                              .joint = def->joint,
                              .body = def->body,
                              .line = -1,
                              .offset = sys->output_size};
    lk_channels_describe_output(m, def, out->offset, &sys->output_channel[i]);
    out->size = sys->output_channel[i].size;
    out->ahead = def->ahead;
    sys->output_size += out->size;
    if (def->type == LK_OUTPUT_POINT_POSITION || def->type == LK_OUTPUT_POINT_VELOCITY ||
        def->type == LK_OUTPUT_POINT_ACCELERATION || def->type == LK_OUTPUT_INERTIAL_SENSOR)
        memcpy(out->point, lk_fill_load(sys, def->body, def->point, LK_FRAME_WORLD, 0).point,
               sizeof(out->point));
    if (def->type == LK_OUTPUT_INERTIAL_SENSOR) {
        lk_quat_matrix(def->orientation, R);
        for (int k = 0; k < 3; k++) {
            const double axis[3] = {R[k], R[3 + k], R[6 + k]};

            lk_rotate_back(sys->pose[def->body].R, axis, out->axes[k]);
        }
    }
    if (def->force >= 0 && m->forces[def->force].type == LK_FORCE_CONTACT)
        find_contact(m, def->force, out);
    else if (def->type == LK_OUTPUT_FORCE)
        find_element(sys, def->force, out);
    for (int k = 0; k < sys->n_lines && def->type == LK_OUTPUT_FORCE; k++)
        out->line = sys->line[k].force == def->force ? k : out->line;
    if (def->type == LK_OUTPUT_TYRE || def->type == LK_OUTPUT_TYRE_CONTACT)
        out->tyre = m->forces[def->force].tyre;
    if (def->type == LK_OUTPUT_MODE)
        out->input = sys->modal[m->bodies[def->body].modal].at + def->mode;
    if (def->type == LK_OUTPUT_RECOVERY) {
        const struct lk_modal *modal = &sys->modal[m->bodies[def->body].modal];

        out->input = modal->at;
        out->recovery = &modal->recovery[def->mode];
        for (int k = 0; k < out->size; k++)
            sys->output_channel[i].unit[k] = out->recovery->unit; /* outlives the model */
    }
    if (def->type == LK_OUTPUT_INPUT)
        out->input = sys->input[def->input].offset;
    if (def->type == LK_OUTPUT_BLOCK) {
        out->input = sys->net.n_states + def->block;
        sys->output_channel[i].unit[0] =
            sys->net.unit[def->block]; /* this copy outlives the model */
    }
    if (def->type == LK_OUTPUT_JOINT_POSITION)
        sys->joint[def->joint].needs_coordinate = 1;
    sys->shows_condition |= def->type == LK_OUTPUT_CONDITION;
    sys->books_closing |= def->type == LK_OUTPUT_WORK;
}

/* return a length of the mechanism [m]: the largest arm of a joint, or without arms the longest rod
 */
static double longest_arm(const struct lk_system *sys)
{
    double longest = 0, rod = 0;

    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && !sys->joint[i].of[0]; s++)
            if (sys->joint[i].body[s] < sys->n_bodies)
                longest = lk_max(longest, lk_norm(sys->joint[i].p[s]));
    for (int i = 0; i < sys->n_modals; i++)
        longest = lk_max(longest, lk_modal_size(&sys->modal[i]));
    for (int i = 0; i < sys->n_joints; i++)
        rod = lk_max(rod, sys->joint[i].length);
    return longest > 0 ? longest : rod > 0 ? rod : 1;
}

static void fill_needs(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        struct lk_joint *j = &sys->joint[i];

        for (int k = 0; k < LK_COUPLED_MAX; k++)
            if (j->of[k])
                sys->joint[j->of[k] - sys->joint].needs_coordinate = 1;
        sys->needs_twists |= lk_is_compliant(j) || j->of[0] || lk_slip_rows(j) > 0;
    }
    for (int i = 0; i < sys->n_named_joints; i++)
        if (sys->joint[i].needs_coordinate)
            sys->followed[sys->n_followed++] = i;
}

static void fill_gravity(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0; i < 3; i++) {
        int input = m->gravity_input[i];

        sys->gravity[i] = m->gravity[i];
        sys->gravity_input[i] = input >= 0 ? lk_fill_signal(sys, input) : -1;
        sys->n_signals += input >= 0;
        sys->is_gravity_tuned |= input >= 0;
    }
    sys->is_tuned |= sys->is_gravity_tuned;
    sys->most_gravity = lk_pulls_gravity(m);
}

int lk_fill_system(struct lk_system *sys, const struct lk_draft *d, struct lk_error *ret_error)
{
    const struct lk_model *m = d->model;
    int r;

    sys->pose[sys->n_bodies] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int b = 0; b < sys->n_bodies; b++)
        fill_body(sys, b, &m->bodies[d->of[b]]);
    lk_fill_modal(sys, m);
    for (int b = 0; b < m->n_bodies; b++)
        sys->summary.total_mass += m->bodies[b].mass;
    lk_evaluate_poses(sys, &sys->now);
    lk_fill_frames(sys, d);
    lk_fill_roads(sys, d);
    for (int i = 0; i < sys->n_joints; i++) {
        lk_fill_joint(sys, d, i);
        name_joint(sys, d, i);
        sys->summary.n_rows_rigid += lk_rigid_rows(&sys->joint[i]);
    }
    r = lk_fill_cuts(sys, d);
    if (r != 0)
        return r;
    sys->model_hash = m->hash;
    sys->arm = longest_arm(sys);
    fill_coordinates(sys, m);
    fill_sides(sys);
    fill_inputs(sys, m); /* before the laws, which refer to inputs */
    fill_gravity(sys, m);
    lk_fill_blocks(sys, m);
    lk_fill_laws(sys, d);
    lk_fill_lengths(sys);
    r = lk_fill_blocks_prepare(sys, ret_error);
    if (r != 0)
        return r;
    fill_loads(sys, m);
    lk_fill_tyres(sys, d);
    lk_fill_contact_signals(sys, d);
    lk_fill_drives(sys, d);
    for (int i = 0; i < m->n_outputs; i++)
        fill_output(sys, m, i);
    fill_ports(sys, m);
    fill_needs(sys);
    lk_fill_masses(sys, d);
    lk_evaluate_jacobians(sys);
    lk_fill_scales(sys);
    sys->rows_are_independent = d->rows_are_independent && sys->formulation->solves_once;
    lk_fill_regularise(sys, m->solver.soft_redundancy);
    lk_fill_contacts(sys, d);
    lk_fill_dampers(sys, d);
    lk_fill_contact_compliances(sys, d);
    lk_fill_light(sys);
    r = lk_fill_check_massless(sys, ret_error);
    lk_elements_find(sys);
    if (sys->batches)
        lk_batches_fill(sys);
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    return r;
}

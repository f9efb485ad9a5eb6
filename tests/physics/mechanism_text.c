/* SPDX-License-Identifier: Apache-2.0 */
/* Writes random mechanisms as text of a model file. Numbers have all digits, so that joints stay
 * closed. */
#include "mechanism.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write a vector as the first entry of a map, without a comma before it. */
static void put_first(FILE *f, const char *key, const double *v, int n)
{
    fprintf(f, "%s: [", key);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%.17g", i > 0 ? ", " : "", v[i]);
    fprintf(f, "]");
}

static void put_numbers(FILE *f, const char *key, const double *v, int n)
{
    fprintf(f, ", ");
    put_first(f, key, v, n);
}

static void put_both(FILE *f, const char *key, const double v[2][3])
{
    fprintf(f, ", %s: [", key);
    for (int s = 0; s < 2; s++)
        fprintf(f, "%s[%.17g, %.17g, %.17g]", s > 0 ? ", " : "", v[s][0], v[s][1], v[s][2]);
    fprintf(f, "]");
}

/* Write one vector with key @one, or both vectors with key @two if they differ. */
static void put_sides(FILE *f, const char *one, const char *two, const double v[2][3])
{
    if (memcmp(v[0], v[1], sizeof(v[0])) == 0)
        put_numbers(f, one, v[0], 3);
    else
        put_both(f, two, v);
}

static void put_bodies(FILE *f, const int body[2])
{
    char name[2][16];

    for (int s = 0; s < 2; s++)
        snprintf(name[s], sizeof(name[s]), body[s] == LK_GROUND ? "ground" : "b%d", body[s]);
    fprintf(f, ", bodies: [%s, %s]", name[0], name[1]);
}

static void put_quaternion(FILE *f, const double q[4])
{
    fprintf(f, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}", q[0], q[1], q[2], q[3]);
}

static void put_body(FILE *f, int name, const struct mechanism_body *b)
{
    fprintf(f, "  b%d: {mass: %.17g", name, b->mass);
    put_numbers(f, "inertia", b->inertia, 6);
    put_numbers(f, "position", b->x, 3);
    put_quaternion(f, b->q);
    put_numbers(f, "velocity", b->v, 3);
    put_numbers(f, "angular_velocity", b->w, 3);
    fprintf(f, "}\n");
}

/* Return the name of a coordinate, "" if the joint has only one. */
static const char *coordinate_name(const struct mechanism *m, int joint, int which)
{
    return lk_joint_traits[m->joint[joint].type].coordinate[which];
}

static void put_coordinate_key(FILE *f, const struct mechanism *m, int joint, int which)
{
    const char *name = coordinate_name(m, joint, which);

    fprintf(f, ", joint: j%d", joint);
    if (name[0] != '\0')
        fprintf(f, ", coordinate: %s", name);
}

static void put_coordinates(FILE *f, const struct mechanism_joint *j)
{
    const struct lk_joint_traits *traits = &lk_joint_traits[j->type];

    if (traits->n_coordinates == 1)
        fprintf(f, ", coordinate: %.17g", j->coordinate[0]);
    if (traits->n_coordinates <= 1)
        return;
    fprintf(f, ", coordinate: {");
    for (int i = 0; i < traits->n_coordinates; i++)
        fprintf(f, "%s%s: %.17g", i > 0 ? ", " : "", traits->coordinate[i], j->coordinate[i]);
    fprintf(f, "}");
}

static void put_drive(FILE *f, const struct mechanism_drive *d)
{
    switch (d->type) {
    case LK_DRIVE_INPUT:
        fprintf(f, "{input: in%d, period: %.17g}", d->input, d->period);
        break;
    case LK_DRIVE_TABLE:
        fprintf(f, "{table: {");
        put_first(f, "time", d->time, MECHANISM_POINTS);
        put_numbers(f, "value", d->value, MECHANISM_POINTS);
        fprintf(f, "}}");
        break;
    case LK_DRIVE_HARMONIC:
        fprintf(f, "{harmonic: {amplitude: %.17g, omega: %.17g, phase: %.17g, offset: %.17g}}",
                d->amplitude, d->omega, d->phase, d->offset);
        break;
    case LK_DRIVE_RAMP:
        fprintf(f, "{ramp: {start: %.17g, rate: %.17g}}", d->offset, d->omega);
        break;
    }
}

static void put_drives(FILE *f, const struct mechanism_joint *j)
{
    static const char *const fixed[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    const struct lk_joint_traits *traits = &lk_joint_traits[j->type];

    if (j->n_drives == 0)
        return;
    fprintf(f, ", drive: ");
    if (traits->n_coordinates == 1) {
        put_drive(f, &j->drive[0]);
        return;
    }
    for (int i = 0; i < j->n_drives; i++) {
        int which = j->drive[i].coordinate;

        fprintf(f, "%s%s: ", i == 0 ? "{" : ", ",
                j->type == LK_JOINT_FIXED ? fixed[which] : traits->coordinate[which]);
        put_drive(f, &j->drive[i]);
    }
    fprintf(f, "}");
}

static void put_compliance(FILE *f, const struct lk_compliance *c, int n)
{
    put_first(f, "stiffness", c->stiffness, n);
    put_numbers(f, "damping", c->damping, n);
}

static void put_coupling(FILE *f, const struct mechanism *m, const struct mechanism_joint *j)
{
    fprintf(f, ", %s: %.17g, joints: [", j->type == LK_JOINT_GEAR ? "ratio" : "radius", j->ratio);
    for (int k = 0; k < 2; k++) {
        const char *name = coordinate_name(m, j->joint[k], j->which[k]);

        fprintf(f, name[0] == '\0' ? "%sj%d%s" : "%s{joint: j%d, coordinate: %s}",
                k > 0 ? ", " : "", j->joint[k], name);
    }
    fprintf(f, "]");
}

static void put_place(FILE *f, const struct mechanism_joint *j)
{
    put_bodies(f, j->body);
    if (j->type == LK_JOINT_DISTANCE)
        put_both(f, "points", j->point);
    else
        put_sides(f, "point", "points", j->point);
    if (j->type == LK_JOINT_UNIVERSAL)
        put_both(f, "axes", j->axis);
    else if (j->type != LK_JOINT_DISTANCE && j->type != LK_JOINT_SPHERICAL &&
             j->type != LK_JOINT_FIXED)
        put_sides(f, "axis", "axes", j->axis);
    if (j->type == LK_JOINT_PLANAR)
        put_numbers(f, "direction", j->direction, 3);
    if (j->type == LK_JOINT_SCREW)
        fprintf(f, ", pitch: %.17g", j->pitch);
}

static void put_joint(FILE *f, const struct mechanism *m, int name)
{
    const struct mechanism_joint *j = &m->joint[name];

    fprintf(f, "  j%d: {type: %s", name, lk_joint_traits[j->type].name);
    if (j->type == LK_JOINT_GEAR || j->type == LK_JOINT_RACK)
        put_coupling(f, m, j);
    else
        put_place(f, j);
    put_coordinates(f, j);
    put_drives(f, j);
    if (j->has_compliance) {
        fprintf(f, ", compliance: {");
        put_compliance(f, &j->compliance, lk_joint_traits[j->type].n_rows);
        fprintf(f, "}");
    }
    fprintf(f, "}\n");
}

/* Write the properties of springs, friction and stops at a coordinate. */
static void put_on_coordinate(FILE *f, const struct mechanism *m, const struct mechanism_force *e)
{
    put_coordinate_key(f, m, e->joint, e->coordinate);
    switch (e->type) {
    case LK_FORCE_FRICTION:
        fprintf(f, ", coulomb: %.17g, stick: %.17g", e->coulomb, e->stick);
        break;
    case LK_FORCE_STOP:
        fprintf(f, ", lower: %.17g, upper: %.17g, onset: %.17g, stiffness: %.17g", e->lower,
                e->upper, e->onset, e->stiffness);
        break;
    default:
        fprintf(f, ", rest: %.17g", e->rest);
        if (e->has_table) {
            fprintf(f, ", stiffness_table: {");
            put_first(f, "deflection", e->x, MECHANISM_POINTS);
            put_numbers(f, "force", e->y, MECHANISM_POINTS);
            fprintf(f, "}");
        } else {
            fprintf(f, ", stiffness: %.17g", e->stiffness);
        }
        break;
    }
    fprintf(f, ", damping: %.17g", e->damping);
}

static void put_load(FILE *f, const struct mechanism_force *e)
{
    int is_torque = e->type == LK_FORCE_CONSTANT_TORQUE || e->type == LK_FORCE_HARMONIC_TORQUE;
    int is_constant = e->type == LK_FORCE_CONSTANT_FORCE || e->type == LK_FORCE_CONSTANT_TORQUE;

    fprintf(f, ", body: b%d, frame: %s", e->body[0], e->frame == LK_FRAME_BODY ? "body" : "world");
    if (!is_torque)
        put_numbers(f, "point", e->point[0], 3);
    put_numbers(f, !is_constant ? "amplitude" : is_torque ? "torque" : "force", e->vector, 3);
    if (!is_constant)
        fprintf(f, ", omega: %.17g, phase: %.17g", e->omega, e->phase);
}

static void put_force(FILE *f, const struct mechanism *m, int name)
{
    static const char *const types[LK_FORCE_TYPES] = {
        [LK_FORCE_JOINT_SPRING_DAMPER] = "joint-spring-damper",
        [LK_FORCE_SPRING_DAMPER] = "spring-damper",
        [LK_FORCE_BUSHING] = "bushing",
        [LK_FORCE_FRICTION] = "friction",
        [LK_FORCE_STOP] = "stop",
        [LK_FORCE_CONSTANT_FORCE] = "constant-force",
        [LK_FORCE_CONSTANT_TORQUE] = "constant-torque",
        [LK_FORCE_HARMONIC_FORCE] = "harmonic-force",
        [LK_FORCE_HARMONIC_TORQUE] = "harmonic-torque",
    };
    const struct mechanism_force *e = &m->force[name];

    fprintf(f, "  f%d: {type: %s", name, types[e->type]);
    if (e->type == LK_FORCE_SPRING_DAMPER) {
        put_bodies(f, e->body);
        put_both(f, "points", e->point);
        fprintf(f, ", rest_length: %.17g, stiffness: %.17g, damping: %.17g", e->rest, e->stiffness,
                e->damping);
    } else if (e->type == LK_FORCE_BUSHING) {
        put_bodies(f, e->body);
        put_numbers(f, "point", e->point[0], 3);
        put_quaternion(f, e->q);
        fprintf(f, ", ");
        put_compliance(f, &e->compliance, 6);
    } else if (e->type == LK_FORCE_JOINT_SPRING_DAMPER || e->type == LK_FORCE_FRICTION ||
               e->type == LK_FORCE_STOP) {
        put_on_coordinate(f, m, e);
    } else {
        put_load(f, e);
    }
    fprintf(f, "}\n");
}

static void put_input(FILE *f, const struct mechanism *m, int name)
{
    static const char *const types[LK_INPUT_TYPES] = {
        [LK_INPUT_JOINT_TORQUE] = "joint-torque",
        [LK_INPUT_JOINT_FORCE] = "joint-force",
        [LK_INPUT_BODY_FORCE] = "body-force",
        [LK_INPUT_BODY_TORQUE] = "body-torque",
        [LK_INPUT_DRIVE] = "drive",
    };
    const struct mechanism_input *in = &m->input[name];

    fprintf(f, "  in%d: {type: %s", name, types[in->type]);
    if (in->type == LK_INPUT_BODY_FORCE || in->type == LK_INPUT_BODY_TORQUE)
        fprintf(f, ", body: b%d, frame: body", in->body);
    else if (in->type != LK_INPUT_DRIVE)
        put_coordinate_key(f, m, in->joint, in->coordinate);
    if (in->type == LK_INPUT_BODY_FORCE)
        put_numbers(f, "point", in->point, 3);
    fprintf(f, "}\n");
}

static void put_outputs(FILE *f, const struct mechanism *m)
{
    fprintf(f, "outputs:\n  energy: {type: energy}\n  residual: {type: residual}\n");
    for (int b = 0; b < m->n_bodies; b++)
        fprintf(f, "  pose%d: {type: body-pose, body: b%d}\n", b, b);
    for (int j = 0; j < m->n_joints && !m->hides_reactions; j++)
        if (m->joint[j].type != LK_JOINT_GEAR && m->joint[j].type != LK_JOINT_RACK)
            fprintf(f, "  load%d: {type: joint-reaction, joint: j%d}\n", j, j);
}

char *mechanism_text(const struct mechanism *m)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        abort();
    fprintf(f, "linkage: 1\nname: random\ngravity: [%.17g, %.17g, %.17g]\n", m->gravity[0],
            m->gravity[1], m->gravity[2]);
    fprintf(f, "solver: {formulation: %s, step: %.17g, iterations: %d, redundancy: %s}\nbodies:\n",
            m->formulation ? m->formulation : "ali3", m->step, m->iterations,
            m->is_soft ? "soft" : "rigid");
    for (int b = 0; b < m->n_bodies; b++)
        put_body(f, m->body_order[b], &m->body[m->body_order[b]]);
    fprintf(f, m->n_joints > 0 ? "joints:\n" : "");
    for (int j = 0; j < m->n_joints; j++)
        put_joint(f, m, m->joint_order[j]);
    fprintf(f, m->n_forces > 0 ? "forces:\n" : "");
    for (int i = 0; i < m->n_forces; i++)
        put_force(f, m, i);
    fprintf(f, m->n_inputs > 0 ? "inputs:\n" : "");
    for (int i = 0; i < m->n_inputs; i++)
        put_input(f, m, i);
    put_outputs(f, m);
    if (fclose(f) != 0)
        abort();
    return text;
}

struct lk_system *mechanism_compile(const struct mechanism *m)
{
    char *text = mechanism_text(m);
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    struct lk_error error = {0};
    int r = lk_model_read_text("random", text, strlen(text), &model, &error);

    if (r == 0)
        r = lk_system_new(model, &(struct lk_options){.engine = m->engine, .all_rows = m->all_rows},
                          &system, &error);
    if (r != 0)
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)m->seed, error.text);
    lk_model_free(model);
    free(text);
    return system;
}

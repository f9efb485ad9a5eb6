/* SPDX-License-Identifier: Apache-2.0 */
/* See pulls.h. */
#include "compile/passes/pulls.h"
#include "maths/vec.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** struct pulls - sources of force in a model.
 * @mass: mass of all bodies [kg];  @energy: kinetic energy at the start [J]
 * @speed: speed of all bodies that corresponds to @energy [m/s]
 * @stored: energy of linear springs at the start [J]
 * @storing: total stiffness of the springs that store energy;  @stiffness: total stiffness of
 *           all linear springs [N/m] */
struct pulls {
    const struct lk_model *model;
    double mass;
    double energy;
    double speed;
    double stored;
    double storing;
    double stiffness;
};

/* Return the product of @a and @b, but 0 if one factor is 0 and the other infinite. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

/* ---- signals ---- */

static double table_most(const struct lk_table *t)
{
    double most = 0;

    for (int i = 0; i < t->n; i++)
        most = fmax(most, fabs(t->y[i]));
    return most;
}

static double limits_most(double lower, double upper)
{
    return fmax(fabs(lower), fabs(upper));
}

#define DEEPEST 4 /* longest chain of blocks whose limits are evaluated */

static double block_most(const struct lk_model *m, const struct lk_block_def *b, int depth);

/* return the largest magnitude of input or block @at */
static double wire_most(const struct lk_model *m, int at, int depth)
{
    if (at >= m->n_inputs)
        return block_most(m, &m->blocks[at - m->n_inputs], depth);
    return limits_most(m->inputs[at].limits[0], m->inputs[at].limits[1]);
}

static double source_most(const struct lk_model *m, const struct lk_source_def *s, int depth)
{
    switch (s->kind) {
    case LK_FROM_NUMBER:
        return fabs(s->value);
    case LK_FROM_INPUT:
        return wire_most(m, s->at, depth);
    case LK_FROM_BLOCK:
        return wire_most(m, m->n_inputs + s->at, depth + 1);
    default:
        return INFINITY;
    }
}

static double block_most(const struct lk_model *m, const struct lk_block_def *b, int depth)
{
    double most = b->kind == LK_BLOCK_PRODUCT;

    if (b->kind == LK_BLOCK_SATURATION || (b->kind == LK_BLOCK_LINEAR && b->n_states == 1 &&
                                           isfinite(b->lower) && isfinite(b->upper)))
        return limits_most(b->lower, b->upper);
    if (b->kind == LK_BLOCK_TABLE)
        return table_most(&m->tables[b->table]);
    if (depth > DEEPEST || (b->kind == LK_BLOCK_LINEAR && b->n_states > 0))
        return INFINITY;
    for (int i = 0; i < b->n_sources; i++) {
        double source = source_most(m, &b->source[i], depth);

        if (b->kind == LK_BLOCK_PRODUCT)
            most = times(most, source);
        else
            most += times(b->kind == LK_BLOCK_LINEAR ? fabs(b->d[i]) : 1, source);
    }
    return most;
}

double lk_pulls_signal(const struct lk_model *m, int at, double value)
{
    return at < 0 ? fabs(value) : wire_most(m, at, 0);
}

static double port_most(const struct lk_model *m, const struct lk_force_def *f, int which)
{
    return lk_pulls_signal(m, f->port_input[which], f->port[which]);
}

/* ---- the mechanism ---- */

/* return whether a joint or a spring connects a body with the ground; tyres do not count */
static bool is_held(const struct lk_model *m)
{
    for (int i = 0; i < m->n_joints; i++)
        if (lk_coupled_joints(m->joints[i].type) == 0 &&
            (m->joints[i].body[0] < 0 || m->joints[i].body[1] < 0))
            return true;
    for (int i = 0; i < m->n_forces; i++)
        if (m->forces[i].type == LK_FORCE_SPRING_DAMPER &&
            (m->forces[i].body[0] < 0 || m->forces[i].body[1] < 0))
            return true;
    return false;
}

static double kinetic_energy(const struct lk_model *m, double mass)
{
    double mean[3] = {0}, sum = 0;

    for (int b = 0; b < m->n_bodies && !is_held(m) && mass > 0; b++)
        for (int i = 0; i < 3; i++)
            mean[i] += m->bodies[b].mass / mass * m->bodies[b].velocity[i];
    for (int b = 0; b < m->n_bodies; b++) {
        double v[3];

        lk_sub(m->bodies[b].velocity, mean, v);
        sum += 0.5 * m->bodies[b].mass * lk_dot(v, v);
    }
    return sum;
}

/* return the centripetal force of bodies that circle each other: sum of m v^2 over the largest
 * radius */
static double whirl(const struct lk_model *m, double mass)
{
    double x[3] = {0}, v[3] = {0}, sum = 0, radius = 0;

    for (int b = 0; b < m->n_bodies && mass > 0; b++)
        for (int i = 0; i < 3; i++) {
            x[i] += m->bodies[b].mass / mass * m->bodies[b].position[i];
            v[i] += m->bodies[b].mass / mass * m->bodies[b].velocity[i];
        }
    for (int b = 0; b < m->n_bodies; b++) {
        double arm[3], way[3];

        lk_sub(m->bodies[b].position, x, arm);
        lk_sub(m->bodies[b].velocity, v, way);
        radius = fmax(radius, lk_norm(arm));
        sum += m->bodies[b].mass * lk_dot(way, way);
    }
    return radius > 0 ? sum / radius : 0;
}

#define SAME 1e-6 /* distance below which points coincide [m] */

/** struct levers - lever arms of a rotation in a joint.
 * @shortest, @longest: distance to another joint of a body that the rotation moves [m], 0: none
 * @rail: ratio of a rack or screw [m/rad] */
struct levers {
    double shortest;
    double longest;
    double rail;
};

static double rail_of(const struct lk_model *m, int at)
{
    double most = m->joints[at].type == LK_JOINT_SCREW ? fabs(m->joints[at].pitch) : 0;

    for (int i = 0; i < m->n_joints; i++)
        if (m->joints[i].type == LK_JOINT_RACK &&
            (m->joints[i].joint[0] == at || m->joints[i].joint[1] == at))
            most = fmax(most, fabs(m->joints[i].ratio));
    return most;
}

/* Add the lever arms of body @turned, which rotates in joint @at. */
static void add_levers(const struct lk_model *m, int at, int turned, struct levers *ret)
{
    for (int i = 0; i < m->n_joints && turned >= 0; i++) {
        const struct lk_joint_def *j = &m->joints[i];
        double way[3], lever;

        if (i == at || lk_coupled_joints(j->type) > 0 ||
            (j->body[0] != turned && j->body[1] != turned))
            continue;
        lk_sub(j->point[j->body[1] == turned], m->joints[at].point[0], way);
        lever = lk_norm(way);
        if (lever > SAME) {
            ret->shortest = ret->shortest > 0 ? fmin(ret->shortest, lever) : lever;
            ret->longest = fmax(ret->longest, lever);
        }
    }
}

/* Return the force that a torque about joint @at makes at the shortest lever arm of the joint. */
static double force_of_torque(const struct lk_model *m, int at, double torque)
{
    struct levers l = {.rail = rail_of(m, at)};
    double shortest;

    add_levers(m, at, m->joints[at].body[0], &l);
    add_levers(m, at, m->joints[at].body[1], &l);
    shortest = l.rail > 0 && l.shortest > 0 ? fmin(l.rail, l.shortest) : fmax(l.rail, l.shortest);
    return shortest > 0 ? torque / shortest : 0;
}

/* return the largest force that a torque makes about any joint of body @b */
static double force_at_body(const struct lk_model *m, int b, double torque)
{
    double most = 0;

    for (int i = 0; i < m->n_joints; i++)
        if (lk_coupled_joints(m->joints[i].type) == 0 &&
            (m->joints[i].body[0] == b || m->joints[i].body[1] == b))
            most = fmax(most, force_of_torque(m, i, torque));
    return most;
}

static bool is_angle(const struct lk_model *m, int joint, int coordinate)
{
    return m->joints[joint].type == LK_JOINT_FIXED
               ? coordinate >= 3
               : lk_joint_coordinate_is_angle(m->joints[joint].type, coordinate);
}

/* Return the force that a force or torque along a coordinate makes. */
static double along_coordinate(const struct lk_model *m, int joint, int coordinate, double value)
{
    return is_angle(m, joint, coordinate) ? force_of_torque(m, joint, value) : value;
}

/* ---- springs and dampers ---- */

static double gap_of(const struct lk_force_def *f)
{
    double gap[3];

    lk_sub(f->point[1], f->point[0], gap);
    return lk_norm(gap);
}

static double steepest(const struct lk_table *t)
{
    double most = 0;

    for (int i = 1; i < t->n; i++)
        most = fmax(most, fabs((t->y[i] - t->y[i - 1]) / (t->x[i] - t->x[i - 1])));
    return most;
}

static bool is_spring(const struct lk_force_def *f)
{
    return f->type == LK_FORCE_JOINT_SPRING_DAMPER || f->type == LK_FORCE_SPRING_DAMPER ||
           f->type == LK_FORCE_IMPEDANCE || f->type == LK_FORCE_STOP;
}

static double stiffness_of(const struct lk_model *m, const struct lk_force_def *f)
{
    if (f->type == LK_FORCE_IMPEDANCE)
        return port_most(m, f, LK_PORT_STIFFNESS);
    if (f->stiffness_table >= 0 && f->type != LK_FORCE_STOP)
        return fmax(f->stiffness, times(steepest(&m->tables[f->stiffness_table]),
                                        lk_pulls_signal(m, f->scale_input, f->scale)));
    return f->type == LK_FORCE_STOP
               ? f->stiffness
               : lk_pulls_signal(m, f->port_input[LK_PORT_STIFFNESS], f->stiffness);
}

static double damping_of(const struct lk_model *m, const struct lk_force_def *f)
{
    if (f->type == LK_FORCE_IMPEDANCE)
        return port_most(m, f, LK_PORT_DAMPING);
    if (f->type == LK_FORCE_STOP)
        return f->damping;
    if (f->damping_table >= 0)
        return fmax(f->damping, times(steepest(&m->tables[f->damping_table]),
                                      lk_pulls_signal(m, f->scale_input, f->scale)));
    return lk_pulls_signal(m, f->port_input[LK_PORT_DAMPING], f->damping);
}

/* return the largest deflection of an element at the start, or the deflection due to an input of
 * its rest length [m, rad] */
static double deflection_of(const struct lk_model *m, const struct lk_force_def *f)
{
    bool is_impedance = f->type == LK_FORCE_IMPEDANCE;
    double at = f->joint >= 0 ? m->joints[f->joint].coordinate[f->coordinate] : gap_of(f);
    double rest = is_impedance ? f->port[LK_PORT_REST] : f->rest;
    int moved_by = f->port_input[LK_PORT_REST];

    if (f->type == LK_FORCE_STOP)
        return fmax(0, fmax(at - f->upper, f->lower - at));
    if (moved_by >= 0)
        return fabs(at) + lk_pulls_signal(m, moved_by, 0);
    return isnan(rest) ? 0 : fabs(at - rest);
}

static bool is_linear(const struct lk_model *m, const struct lk_force_def *f)
{
    return f->joint < 0 || !is_angle(m, f->joint, f->coordinate);
}

static double scaled(const struct lk_model *m, const struct lk_force_def *f)
{
    return lk_pulls_signal(m, f->scale_input, f->scale);
}

/* Return the largest force of an impedance, of a spring, damper or stop of an angle, or of a linear
 * damper. Linear springs are treated together, see pull_of_springs(). */
static double pull_of_spring(const struct pulls *p, const struct lk_force_def *f)
{
    const struct lk_model *m = p->model;
    double own = f->type == LK_FORCE_IMPEDANCE ? port_most(m, f, LK_PORT_FORCE) : 0;
    double k = stiffness_of(m, f), most = own + times(damping_of(m, f), p->speed);

    if (is_linear(m, f))
        return most;
    return force_of_torque(m, f->joint,
                           most + times(k, deflection_of(m, f)) + sqrt(times(2 * k, p->energy)));
}

/* return the largest force of all linear springs: k1 x1 + k2 x2 + .. <= sqrt(2 E (k1 + k2 + ..)) */
static double pull_of_springs(const struct pulls *p)
{
    return sqrt(times(2 * p->storing, p->stored)) + sqrt(times(2 * p->stiffness, p->energy));
}

static double pull_of_map(const struct lk_model *m, const struct lk_force_def *f)
{
    const struct lk_table *levels = &m->tables[f->map];
    double most = 0;

    for (int i = 1; i <= levels->n; i++)
        most = fmax(most, table_most(&m->tables[f->map + i]));
    return along_coordinate(m, f->joint, f->coordinate, most);
}

static double pull_of_wind(const struct lk_model *m, const struct lk_force_def *f)
{
    double wind = times(lk_norm(f->vector), scaled(m, f));

    return times(lk_norm(f->coefficient), wind * wind);
}

static double pull_of_force(const struct pulls *p, const struct lk_force_def *f)
{
    if (is_spring(f))
        return pull_of_spring(p, f);
    switch (f->type) {
    case LK_FORCE_MAP:
        return pull_of_map(p->model, f);
    case LK_FORCE_CALLBACK: /* a callback has no limits */
        return INFINITY;
    case LK_FORCE_CONSTANT_FORCE:
    case LK_FORCE_HARMONIC_FORCE:
        return lk_norm(f->vector);
    case LK_FORCE_CONSTANT_TORQUE:
    case LK_FORCE_HARMONIC_TORQUE:
        return force_at_body(p->model, f->body[0], lk_norm(f->vector));
    case LK_FORCE_LINE:
        return fabs(f->line.load) * fmax(fabs(f->line.ratio[0]), fabs(f->line.ratio[1]));
    case LK_FORCE_DRAG:
        return pull_of_wind(p->model, f);
    default: /* forces of friction, rolling and sliding are bounded by the other loads */
        return 0;
    }
}

static double pull_of_input(const struct lk_model *m, const struct lk_input_def *in)
{
    double most = limits_most(in->limits[0], in->limits[1]);

    switch (in->type) {
    case LK_INPUT_BODY_FORCE:
    case LK_INPUT_JOINT_FORCE:
        return most;
    case LK_INPUT_JOINT_TORQUE:
        return force_of_torque(m, in->joint, most);
    case LK_INPUT_BODY_TORQUE:
        return force_at_body(m, in->body, most);
    default:
        return 0;
    }
}

/* ---- drives ---- */

/** struct motion - largest travel, speed and acceleration of a drive [m or rad, s]. */
struct motion {
    double way;
    double speed;
    double acceleration;
};

static struct motion motion_of_table(const struct lk_table *t)
{
    struct motion ret = {0};
    double slope = 0;

    for (int i = 1; i < t->n; i++) {
        double dx = t->x[i] - t->x[i - 1], now = (t->y[i] - t->y[i - 1]) / dx;

        ret.way = fmax(ret.way, fabs(t->y[i] - t->y[0]));
        ret.speed = fmax(ret.speed, fabs(now));
        ret.acceleration = fmax(ret.acceleration, fabs(now - slope) / dx);
        slope = now;
    }
    return ret;
}

/* Return the motion of a drive that follows an input. The input is assumed to reach its rate
 * within an eighth of its range. */
static struct motion motion_of_input(const struct lk_input_def *in)
{
    double way = in->limits[1] - in->limits[0], speed = in->rate;

    return (struct motion){way, speed, way > 0 ? times(4 * speed, speed) / way : 0};
}

static struct motion motion_of(const struct lk_model *m, const struct lk_drive_def *d)
{
    double speed = fabs(d->amplitude * d->omega);

    switch (d->type) {
    case LK_DRIVE_TABLE:
        return motion_of_table(&m->tables[d->table]);
    case LK_DRIVE_HARMONIC:
        return (struct motion){2 * fabs(d->amplitude), speed, speed * fabs(d->omega)};
    case LK_DRIVE_RAMP:
        return (struct motion){INFINITY, fabs(d->rate), 0};
    default:
        if (d->input >= m->n_inputs)
            return (struct motion){INFINITY, INFINITY, INFINITY};
        return motion_of_input(&m->inputs[d->input]);
    }
}

/* Mark all bodies of joint @j if one of them is marked. Return: whether any body was added */
static bool spread(const struct lk_model *m, const struct lk_joint_def *j, bool *is_marked)
{
    int n = lk_coupled_joints(j->type), body[2 * LK_COUPLED_MAX], n_bodies = 0;
    bool reaches = false, marks = false;

    for (int i = 0; i < (n > 0 ? n : 1); i++)
        for (int s = 0; s < 2; s++) {
            int b = lk_model_leader(m, n > 0 ? m->joints[j->joint[i]].body[s] : j->body[s]);

            if (b >= 0)
                body[n_bodies++] = b;
        }
    for (int i = 0; i < n_bodies; i++)
        reaches |= is_marked[body[i]];
    for (int i = 0; i < n_bodies && reaches; i++)
        if (!is_marked[body[i]])
            is_marked[body[i]] = marks = true;
    return marks;
}

/* Mark the bodies that joints other than @at connect with body @from, but not through the ground.
 * Return: their mass; INFINITY for the ground. */
static double mark_beyond(const struct lk_model *m, int at, int from, bool *is_marked)
{
    bool grows = true;
    double mass = 0;

    memset(is_marked, 0, (size_t)m->n_bodies * sizeof(*is_marked));
    if (from < 0)
        return INFINITY;
    is_marked[lk_model_leader(m, from)] = true;
    /* alternate forward and backward sweeps: two suffice for a chain */
    for (int sweep = 0; grows; sweep++) {
        grows = false;
        for (int n = 0; n < m->n_joints; n++) {
            int i = sweep % 2 ? m->n_joints - 1 - n : n;

            if (i != at)
                grows |= spread(m, &m->joints[i], is_marked);
        }
    }
    for (int b = 0; b < m->n_bodies; b++)
        mass += is_marked[b] ? m->bodies[b].mass : 0;
    return mass;
}

static bool is_among(const struct lk_model *m, const bool *is_marked, int body)
{
    return body >= 0 && is_marked[lk_model_leader(m, body)];
}

/* return the stiffness of the linear springs with exactly one end at a marked body */
static double stiffness_at(const struct lk_model *m, const bool *is_marked)
{
    double sum = 0;

    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        const int *body = f->joint >= 0 ? m->joints[f->joint].body : f->body;

        if (is_spring(f) && is_linear(m, f) &&
            is_among(m, is_marked, body[0]) != is_among(m, is_marked, body[1]))
            sum += stiffness_of(m, f);
    }
    return sum;
}

/* return the force that a drive needs to move the lighter side of its joint and to stretch the
 * springs on that side */
static double pull_of_drive(const struct pulls *p, const struct lk_drive_def *d, bool *is_marked)
{
    const struct lk_model *m = p->model;
    const struct lk_joint_def *j = &m->joints[d->joint];
    struct motion motion = motion_of(m, d);
    double first = mark_beyond(m, d->joint, j->body[0], is_marked);
    double second = mark_beyond(m, d->joint, j->body[1], is_marked), mass = fmin(first, second), k;
    struct levers l = {.rail = rail_of(m, d->joint)};
    int moved = j->body[second <= first];

    if (second > first)
        mark_beyond(m, d->joint, moved, is_marked);
    mass -= m->bodies[lk_model_leader(m, moved)]
                .mass; /* the inertia of this body loads no other joint */
    if (is_angle(m, d->joint, d->coordinate)) {
        add_levers(m, d->joint, moved, &l);
        return times(mass * (l.rail + l.longest), motion.acceleration) +
               times(mass * l.longest, times(motion.speed, motion.speed));
    }
    k = stiffness_at(m, is_marked);
    return times(mass, motion.acceleration) +
           fmin(times(k, motion.way), times(motion.speed, sqrt(times(k, p->mass))));
}

static double pull_of_drives(const struct pulls *p)
{
    const struct lk_model *m = p->model;
    bool *is_marked = m->n_drives > 0 ? malloc((size_t)m->n_bodies * sizeof(*is_marked)) : NULL;
    double sum = m->n_drives > 0 && !is_marked ? INFINITY : 0;

    for (int i = 0; i < m->n_drives && is_marked; i++)
        sum += pull_of_drive(p, &m->drives[i], is_marked);
    free(is_marked);
    return sum;
}

/* ---- all ---- */

double lk_pulls_gravity(const struct lk_model *m)
{
    double square = 0;

    for (int i = 0; i < 3; i++) {
        double most = lk_pulls_signal(m, m->gravity_input[i], m->gravity[i]);

        square += most * most;
    }
    return isfinite(square) ? sqrt(square) : LK_PULLS_ANY;
}

static void see_springs(struct pulls *p)
{
    const struct lk_model *m = p->model;

    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        double k, way;

        if (!is_spring(f) || !is_linear(m, f))
            continue;
        k = stiffness_of(m, f);
        way = deflection_of(m, f);
        p->stiffness += k;
        p->storing += way > 0 ? k : 0;
        p->stored += times(0.5 * k, way * way);
    }
}

/* return @pull, or the force that accelerates all bodies by LK_PULLS_ANY if @pull is not finite */
static double bounded(const struct pulls *p, double pull)
{
    return isfinite(pull) ? pull : p->mass * LK_PULLS_ANY;
}

double lk_pulls_most(const struct lk_model *m, bool whirls)
{
    struct pulls p = {.model = m};
    double weight, sum;

    for (int b = 0; b < m->n_bodies; b++)
        p.mass += m->bodies[b].mass;
    p.energy = kinetic_energy(m, p.mass);
    p.speed = p.mass > 0 ? sqrt(2 * p.energy / p.mass) : 0;
    see_springs(&p);
    weight = fmax(times(p.mass, lk_pulls_gravity(m)), whirls ? whirl(m, p.mass) : 0);
    sum = weight + bounded(&p, pull_of_springs(&p));
    for (int i = 0; i < m->n_forces; i++)
        sum += bounded(&p, pull_of_force(&p, &m->forces[i]));
    for (int i = 0; i < m->n_inputs; i++)
        sum += bounded(&p, pull_of_input(m, &m->inputs[i]));
    return fmax(weight, (sum + bounded(&p, pull_of_drives(&p))) / LK_PULLS_SWING);
}

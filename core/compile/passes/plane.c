/* SPDX-License-Identifier: Apache-2.0 */
/* See plane.h. */
#include "compile/passes/plane.h"
#include "compile/fill.h"
#include "maths/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_OFF                                                                                  \
    1e-12 /* tolerance of directions [rad]; of lengths and velocities, relative to their size */
/* largest number of joints of a body with planar reduction, because a body with more joints may be
 * split into welded parts */
#define JOINTS 7

/** struct mechanism - bodies that joints connect.
 * @normal: axis of its hinges, 0 until a hinge is found;  @level: height of a body along @normal
 *          [m]
 * @tilts: it is not certain that the mechanism moves in a plane
 * @is_uneven: the mechanism is not flat, see plane.h
 * @is_pushed: a load or motion has a component along the normal, even if it is only round-off, or
 *          a joint is no hinge */
struct mechanism {
    double normal[3];
    double level;
    bool tilts;
    bool is_uneven;
    bool is_pushed;
};

/** struct search - working state.
 * @of: representative of the bodies connected by joints;  @held_with: representative of the bodies
 *      connected by hinges and prismatic joints
 * @n_joints: number of joints of each body
 * @mechanism: mechanism of each representative in @of
 * @is_held: for each representative in @held_with, whether a hinge or prismatic joint connects it
 *           with the ground
 * @has_tyre: whether each body has a tyre */
struct search {
    int *of;
    int *held_with;
    int *n_joints;
    struct mechanism *mechanism;
    bool *is_held;
    bool *has_tyre;
};

static int find(int *of, int b)
{
    for (; of[b] != b; b = of[b])
        of[b] = of[of[b]];
    return b;
}

static void join(int *of, const struct lk_joint_def *j)
{
    if (j->body[0] != LK_GROUND && j->body[1] != LK_GROUND)
        of[find(of, j->body[1])] = find(of, j->body[0]);
}

/* return whether joint @j keeps its bodies from tilting relative to each other in some plane */
static bool holds(const struct lk_joint_def *j)
{
    return (j->type == LK_JOINT_REVOLUTE || j->type == LK_JOINT_PRISMATIC) && !j->has_compliance;
}

/* return a body of joint @j; a joint has at least one body */
static int body_of(const struct lk_joint_def *j)
{
    return j->body[0] != LK_GROUND ? j->body[0] : j->body[1];
}

static struct mechanism *mechanism_of(const struct search *f, int body)
{
    return &f->mechanism[find(f->of, body)];
}

static void connect(const struct lk_model *m, struct search *f)
{
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_def *j = &m->joints[i];

        if (lk_coupled_joints(j->type) > 0)
            continue;
        join(f->of, j);
        if (holds(j))
            join(f->held_with, j);
        for (int s = 0; s < 2; s++)
            if (j->body[s] != LK_GROUND)
                f->n_joints[j->body[s]]++;
    }
}

static void find_normals(const struct lk_model *m, struct search *f)
{
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_def *j = &m->joints[i];

        if (!holds(j))
            continue;
        if (j->type == LK_JOINT_REVOLUTE)
            memcpy(mechanism_of(f, body_of(j))->normal, j->axis[0], sizeof(j->axis[0]));
        if (j->body[0] == LK_GROUND || j->body[1] == LK_GROUND)
            f->is_held[find(f->held_with, body_of(j))] = true;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        struct mechanism *a = mechanism_of(f, b);

        a->level = lk_dot(m->bodies[b].position, a->normal);
    }
}

static bool is_parallel(const double v[3], const double n[3])
{
    double across[3];

    lk_cross(v, n, across);
    return lk_norm(across) <= ROUND_OFF * lk_norm(v);
}

static bool is_across(const double v[3], const double n[3])
{
    return fabs(lk_dot(v, n)) <= ROUND_OFF * lk_norm(v);
}

/* Return the world axis that is parallel to @n to the last bit; -1: none. */
static int axis_of(const double n[3])
{
    for (int k = 0; k < 3; k++)
        if (n[k] != 0 && n[(k + 1) % 3] == 0 && n[(k + 2) % 3] == 0)
            return k;
    return -1;
}

/* Return whether @v has no component, not even round-off, along the normal of @a. */
static bool is_pure(const double v[3], const struct mechanism *a)
{
    int axis = axis_of(a->normal);

    return axis >= 0 && v[axis] == 0;
}

static bool is_level(const double point[3], const struct mechanism *a)
{
    return fabs(lk_dot(point, a->normal) - a->level) <=
           ROUND_OFF * (lk_norm(point) + fabs(a->level));
}

/* Return whether both points of a joint are at the same height along @n. */
static bool is_closed(const struct lk_joint_def *j, const double n[3])
{
    double gap[3];

    lk_sub(j->point[1], j->point[0], gap);
    return fabs(lk_dot(gap, n)) <= ROUND_OFF * (lk_norm(j->point[0]) + lk_norm(j->point[1]));
}

static bool joint_stays(const struct lk_joint_def *j, const double n[3])
{
    if (j->has_compliance)
        return false;
    if (j->type == LK_JOINT_DISTANCE)
        return true;
    if (!is_closed(j, n))
        return false;
    if (j->type == LK_JOINT_REVOLUTE)
        return is_parallel(j->axis[0], n) && is_parallel(j->axis[1], n);
    if (j->type == LK_JOINT_PRISMATIC)
        return is_across(j->axis[0], n) && is_parallel(j->axis[0], j->axis[1]);
    return j->type == LK_JOINT_SPHERICAL;
}

static bool has_moments(const struct lk_body_def *b)
{
    return b->mass > 0 && !lk_fill_lacks_moment(b->inertia);
}

/* Return whether @n [world] is a principal axis of the body. */
static bool is_principal(const struct lk_body_def *b, const double n[3])
{
    double R[9], own[3], Jn[3];

    lk_quat_matrix(b->orientation, R);
    lk_rotate_back(R, n, own);
    lk_sym_mul(b->inertia, own, Jn);
    return is_parallel(Jn, own);
}

static void look_at_bodies(const struct lk_model *m, struct search *f)
{
    for (int b = 0; b < m->n_bodies; b++) {
        const struct lk_body_def *def = &m->bodies[b];
        struct mechanism *a = mechanism_of(f, b);

        a->tilts |= !f->is_held[find(f->held_with, b)] || f->n_joints[b] > JOINTS ||
                    lk_norm(a->normal) == 0 || !has_moments(def) ||
                    !is_parallel(def->angular_velocity, a->normal) ||
                    !is_across(def->velocity, a->normal);
        a->is_uneven |= !is_level(def->position, a) || !is_principal(def, a->normal) ||
                        !is_across(m->gravity, a->normal);
        a->is_pushed |= !is_pure(def->velocity, a) || !is_pure(m->gravity, a);
        for (int i = 0; i < 3; i++) {
            a->is_uneven |= m->gravity_input[i] >= 0;
            a->is_pushed |= m->gravity_input[i] >= 0 && i == axis_of(a->normal);
        }
    }
}

static void look_at_joints(const struct lk_model *m, struct search *f)
{
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_def *j = &m->joints[i];
        struct mechanism *a;

        if (lk_coupled_joints(j->type) > 0)
            continue;
        a = mechanism_of(f, body_of(j));
        a->tilts |= !joint_stays(j, a->normal);
        a->is_uneven |= !is_level(j->point[0], a) || !is_level(j->point[1], a);
        a->is_pushed |= j->type != LK_JOINT_REVOLUTE;
    }
}

/* Return whether both ends of a force are in the plane of @a: on its bodies, or on the ground. */
static bool is_between(const struct search *f, const struct lk_force_def *force,
                       const struct mechanism *a)
{
    for (int s = 0; s < 2; s++)
        if (!is_level(force->point[s], a) ||
            (force->body[s] != LK_GROUND && mechanism_of(f, force->body[s]) != a))
            return false;
    return true;
}

/* return whether @force, which acts on @a, has no component out of the plane of @a */
static bool force_is_flat(const struct search *f, const struct lk_force_def *force,
                          const struct mechanism *a)
{
    switch (force->type) {
    case LK_FORCE_SPRING_DAMPER:
    case LK_FORCE_IMPEDANCE:
        return is_between(f, force, a);
    case LK_FORCE_CONSTANT_FORCE:
    case LK_FORCE_HARMONIC_FORCE:
        return force->frame == LK_FRAME_WORLD && is_level(force->point[0], a) &&
               is_across(force->vector, a->normal);
    case LK_FORCE_CONSTANT_TORQUE:
    case LK_FORCE_HARMONIC_TORQUE:
        return force->frame == LK_FRAME_WORLD && is_parallel(force->vector, a->normal);
    default:
        return false;
    }
}

/* Return whether @force has no component, not even round-off, along the normal of @a. */
static bool force_is_pure(const struct lk_force_def *force, const struct mechanism *a)
{
    switch (force->type) {
    case LK_FORCE_CONSTANT_TORQUE:
    case LK_FORCE_HARMONIC_TORQUE:
        return true;
    case LK_FORCE_CONSTANT_FORCE:
    case LK_FORCE_HARMONIC_FORCE:
        return force->frame == LK_FRAME_WORLD && is_pure(force->vector, a);
    default:
        return false;
    }
}

static bool has_two_ends(enum lk_force_type type)
{
    return type < LK_FORCE_CONSTANT_FORCE || type == LK_FORCE_TYRE || type == LK_FORCE_CONTACT;
}

static void look_at_forces(const struct lk_model *m, struct search *f)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *force = &m->forces[i];

        /* creep requires the joint of a wheel on a rail; a mechanism with this joint tilts
         * anyway */
        if (lk_force_is_on_coordinate(force) || force->type == LK_FORCE_LINE ||
            force->type == LK_FORCE_CREEP)
            continue;
        for (int s = 0; s <= has_two_ends(force->type); s++) {
            struct mechanism *a;

            if (force->body[s] == LK_GROUND)
                continue;
            a = mechanism_of(f, force->body[s]);
            a->tilts |= force->type == LK_FORCE_TYRE || force->type == LK_FORCE_CONTACT;
            f->has_tyre[force->body[s]] |= force->type == LK_FORCE_TYRE;
            a->is_uneven |= !force_is_flat(f, force, a);
            a->is_pushed |= !force_is_pure(force, a);
        }
    }
    for (int i = 0; i < m->n_inputs; i++) {
        bool is_force = m->inputs[i].type == LK_INPUT_BODY_FORCE;

        if (!is_force && m->inputs[i].type != LK_INPUT_BODY_TORQUE)
            continue;
        mechanism_of(f, m->inputs[i].body)->is_uneven = true;
        mechanism_of(f, m->inputs[i].body)->is_pushed |= is_force;
    }
}

static bool is_on_ground(const struct lk_joint_def *j)
{
    return j->body[0] == LK_GROUND || j->body[1] == LK_GROUND;
}

/* return whether hinge @j is closed and its axis goes through @point in direction @n */
static bool is_about(const struct lk_joint_def *j, const double n[3], const double point[3])
{
    double arm[3], off[3], gap[3], size = lk_norm(j->point[0]) + lk_norm(point);

    lk_sub(point, j->point[0], arm);
    lk_cross(n, arm, off);
    lk_sub(j->point[1], j->point[0], gap);
    return is_parallel(j->axis[0], n) && is_parallel(j->axis[1], n) &&
           lk_norm(off) <= ROUND_OFF * size * lk_norm(n) && lk_norm(gap) <= ROUND_OFF * size;
}

/* Find the bodies that turn in place: held bodies with a hinge to the ground through their centre
 * of mass. */
static void find_pivots(const struct lk_model *m, struct lk_plane *planes)
{
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_def *j = &m->joints[i];
        int b = lk_coupled_joints(j->type) == 0 ? body_of(j) : LK_GROUND;

        if (j->type != LK_JOINT_REVOLUTE || !holds(j) || !is_on_ground(j) || !planes[b].is_held ||
            !is_about(j, planes[b].normal, m->bodies[b].position))
            continue;
        planes[b].is_in_place = true;
        memcpy(planes[b].point, m->bodies[b].position, sizeof(planes[b].point));
    }
}

static int take_planes(const struct lk_model *m, struct search *f, bool may_carry,
                       struct lk_plane *ret)
{
    int count = 0;

    for (int b = 0; b < m->n_bodies; b++) {
        const struct mechanism *a = mechanism_of(f, b);

        ret[b] = (struct lk_plane){.across = -1};
        if (a->tilts || (a->is_uneven && !may_carry))
            continue;
        memcpy(ret[b].normal, a->normal, sizeof(a->normal));
        ret[b].is_held = ret[b].is_whole = true;
        ret[b].is_flat = !a->is_uneven;
        ret[b].across = a->is_pushed ? -1 : axis_of(a->normal);
        count++;
    }
    return count;
}

static bool turns(const struct lk_plane *p)
{
    return lk_norm(p->normal) > 0;
}

static const struct lk_plane ground = {.is_held = true, .across = -1};

static const struct lk_plane *plane_at(const struct lk_joint_def *j, int s,
                                       const struct lk_plane *planes)
{
    return j->body[s] == LK_GROUND ? &ground : &planes[j->body[s]];
}

/* Find the normal of a body that joint @j connects with a held body @from. Return: whether the
 * joint keeps that body from tilting. */
static bool hold(const struct lk_joint_def *j, const struct lk_plane *from, double ret_normal[3])
{
    const double *axis = j->axis[0];

    if (!holds(j) || !from->is_held || from->is_whole || !is_parallel(axis, j->axis[1]))
        return false;
    memcpy(ret_normal, from->normal, sizeof(from->normal));
    if (j->type == LK_JOINT_PRISMATIC)
        return is_across(axis, ret_normal);
    if (turns(from))
        return is_parallel(axis, ret_normal);
    for (int i = 0; i < 3; i++)
        ret_normal[i] = axis[i] / lk_norm(axis);
    return true;
}

/* Mark a body of joint @j as held if the other body is held and the joint keeps the two from
 * tilting relative to each other. */
static bool hold_body(const struct lk_model *m, const struct search *f,
                      const struct lk_joint_def *j, struct lk_plane *planes)
{
    for (int s = 0; s < 2; s++) {
        int b = j->body[s];
        double normal[3];

        if (b == LK_GROUND || planes[b].is_held || f->n_joints[b] > JOINTS || f->has_tyre[b] ||
            !has_moments(&m->bodies[b]) || !hold(j, plane_at(j, !s, planes), normal))
            continue;
        planes[b].is_held = true;
        memcpy(planes[b].normal, normal, sizeof(normal));
        return true;
    }
    return false;
}

/* Find the held bodies of mechanisms that do not move in a plane, beginning at the ground.
 * Passes over the joints alternate between forward and backward, because a chain may be listed
 * in either order. Return: number of bodies. */
static int hold_bodies(const struct lk_model *m, const struct search *f, struct lk_plane *planes)
{
    int count = 0, last = -1;

    for (bool back = false; count > last; back = !back) {
        last = count;
        for (int i = 0; i < m->n_joints; i++) {
            const struct lk_joint_def *j = &m->joints[back ? m->n_joints - 1 - i : i];

            if (lk_coupled_joints(j->type) == 0)
                count += hold_body(m, f, j, planes);
        }
    }
    return count;
}

enum lk_joint_type lk_plane_rows(const struct lk_joint_def *def, const struct lk_plane *planes)
{
    const struct lk_plane *p = plane_at(def, 0, planes), *q = plane_at(def, 1, planes);
    const struct lk_plane *turning = turns(p) ? p : q;

    if (!holds(def) || !p->is_held || !q->is_held)
        return def->type;
    if (def->type == LK_JOINT_REVOLUTE && is_on_ground(def) && turning->is_in_place &&
        is_about(def, turning->normal, turning->point))
        return LK_JOINT_PIVOT;
    if (p->is_whole || q->is_whole)
        return def->type == LK_JOINT_PRISMATIC ? LK_JOINT_SLIDER
               : turning->across < 0           ? LK_JOINT_PIN
                                     : LK_JOINT_PIN_X + (enum lk_joint_type)turning->across;
    if (!is_parallel(def->axis[0], def->axis[1]) ||
        (turns(p) && turns(q) && !is_parallel(p->normal, q->normal)))
        return def->type;
    if (def->type == LK_JOINT_REVOLUTE)
        return turns(turning) && is_parallel(def->axis[0], turning->normal) ? LK_JOINT_PIN
                                                                            : def->type;
    if (!turns(p) && !turns(q))
        return LK_JOINT_POINT_ON_LINE;
    return turns(p) && turns(q) && is_across(def->axis[0], p->normal) ? LK_JOINT_SLIDER : def->type;
}

int lk_plane_find(const struct lk_model *m, bool may_carry, struct lk_plane *ret)
{
    size_t bodies = (size_t)m->n_bodies + 1;
    struct search f = {
        .of = malloc(bodies * sizeof(int)),
        .held_with = malloc(bodies * sizeof(int)),
        .n_joints = calloc(bodies, sizeof(int)),
        .mechanism = calloc(bodies, sizeof(*f.mechanism)),
        .is_held = calloc(bodies, sizeof(bool)),
        .has_tyre = calloc(bodies, sizeof(bool)),
    };
    int r = -ENOMEM;

    if (f.of && f.held_with && f.n_joints && f.mechanism && f.is_held && f.has_tyre) {
        for (int b = 0; b < m->n_bodies; b++)
            f.of[b] = f.held_with[b] = b;
        connect(m, &f);
        find_normals(m, &f);
        look_at_bodies(m, &f);
        look_at_joints(m, &f);
        look_at_forces(m, &f);
        r = take_planes(m, &f, may_carry, ret);
        r += may_carry ? hold_bodies(m, &f, ret) : 0;
        if (may_carry)
            find_pivots(m, ret);
    }
    free(f.of);
    free(f.held_with);
    free(f.n_joints);
    free(f.mechanism);
    free(f.is_held);
    free(f.has_tyre);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sets points of contact from the initial configuration, in the axes of their bodies. */
#include "compile/fill.h"
#include "maths/vec.h"
#include "step/elements/contacts.h"
#include "step/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* least compliances of a point, relative to its inverse mass: along the normal and the tangents,
 * and of both in the velocities */
#define LEAST_NORMAL  1e-4
#define LEAST_TANGENT 1e-3
#define LEAST_RATE    1e-4
#define LEAST_PART    1e-4 /* of held_parts() */
#define DEEPEST       1e-6 /* largest penetration at the start [m] */
/* largest inward curvature of a profile on a plane, relative to its size */
#define STRAIGHT 1e-3

/* return the number of points of the profiles among the first @n shapes */
static int profile_points(const struct lk_model *m, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += m->shapes[i].is_profile ? m->shapes[i].n_points : 0;
    return sum;
}

void lk_fill_contact_layout(struct lk_system *sys, const struct lk_model *m, struct lk_arena *arena)
{
    struct lk_contact_now *now;
    int n_points = profile_points(m, m->n_shapes);

    sys->contact = lk_arena_take(arena, (size_t)sys->n_contacts, sizeof(*sys->contact));
    now = lk_arena_take(arena, (size_t)sys->n_contacts, sizeof(*now));
    sys->knots = lk_arena_take(arena, (size_t)n_points, sizeof(*sys->knots));
    for (int i = 0; i < sys->n_contacts && arena->base; i++)
        sys->contact[i].now = now + i;
}

/* set a shape in the axes of @pose, from its place in the initial configuration or on the body */
static void fill_shape(const struct lk_shape_def *def, enum lk_contact_kind kind,
                       const struct lk_pose *pose, struct lk_contact_shape *ret)
{
    double R[9], arm[3];

    *ret = (struct lk_contact_shape){.kind = kind};
    lk_quat_matrix(def->orientation, R);
    memcpy(ret->centre, def->position, sizeof(ret->centre));
    if (def->frame == LK_FRAME_WORLD || def->body == LK_GROUND) {
        lk_sub(def->position, pose->x, arm);
        lk_rotate_back(pose->R, arm, ret->centre);
    }
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};

        memcpy(ret->axes[k], axis, sizeof(axis));
        if (def->frame == LK_FRAME_WORLD || def->body == LK_GROUND)
            lk_rotate_back(pose->R, axis, ret->axes[k]);
        ret->size[k] = kind == LK_CONTACT_HALF_SPACE ? INFINITY : def->size[k] / 2;
    }
    if (kind == LK_CONTACT_SPHERE)
        ret->size[1] = ret->size[2] = 0;
}

static void fill_side(struct lk_system *sys, const struct lk_model *m, const struct lk_force_def *f,
                      int s, const struct lk_pose *pose, struct lk_contact_shape *ret)
{
    const struct lk_shape_def *def = &m->shapes[f->contact.shape[s]];
    struct lk_curve_knot *knots;

    if (f->contact.kind[s] == LK_CONTACT_ROAD) {
        *ret = (struct lk_contact_shape){
            .kind = LK_CONTACT_ROAD,
            .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            .size = {INFINITY, INFINITY, INFINITY},
            .road = &sys->road[f->contact.road],
        };
        return;
    }
    fill_shape(def, f->contact.kind[s], pose, ret);
    if (f->contact.kind[s] != LK_CONTACT_PROFILE)
        return;
    knots = sys->knots + profile_points(m, f->contact.shape[s]);
    lk_curve_knots(def->n_points, def->points, knots);
    ret->curve = (struct lk_curve){def->n_points, knots};
}

/* make the face @face of a box a part of a plane */
static void take_face(struct lk_contact_shape *s, int face)
{
    int axis = abs(face) - 1, a = (axis + 1) % 3, b = (axis + 2) % 3;
    double sign = face > 0 ? 1 : -1;
    struct lk_contact_shape box = *s;

    s->kind = LK_CONTACT_HALF_SPACE;
    for (int i = 0; i < 3; i++) {
        s->centre[i] += sign * box.size[axis] * box.axes[axis][i];
        s->axes[0][i] = box.axes[a][i];
        s->axes[1][i] = sign * box.axes[b][i];
        s->axes[2][i] = sign * box.axes[axis][i];
    }
    s->size[0] = box.size[a];
    s->size[1] = box.size[b];
    s->size[2] = box.size[axis];
}

void lk_fill_contact_joint(struct lk_system *sys, const struct lk_model *m, int force, int point,
                           struct lk_joint *j)
{
    const struct lk_force_def *f = &m->forces[force];
    int index = lk_model_points(m, force) + point;
    struct lk_contact_point *c = &sys->contact[index];

    *c = (struct lk_contact_point){
        .now = c->now,
        .joint = (int)(j - sys->joint),
        .mu = f->mu,
        .input = -1,
        .restitution = f->contact.restitution,
        .pair = {.point = point, .corners = f->contact.face[1]},
    };
    for (int s = 0; s < 2; s++)
        fill_side(sys, m, f, s, &sys->pose[j->body[s]], &c->pair.shape[s]);
    if (f->contact.face[0] != 0)
        take_face(&c->pair.shape[0], f->contact.face[0]);
    lk_contact_ball(&c->pair);
    j->contact = index;
    j->pair = &c->pair;
}

void lk_fill_contact_signals(struct lk_system *sys, const struct lk_draft *d)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_force_def *f;

        if (d->blocks[i].type != LK_JOINT_CONTACT)
            continue;
        f = &d->model->forces[d->blocks[i].force];
        sys->contact[sys->joint[i].contact].input =
            f->scale_input >= 0 ? lk_fill_signal(sys, f->scale_input) : -1;
    }
}

/* Add s Phi_q W Phi_q^T of one side of a point. */
static void add_side(const struct lk_system *sys, int joint, int s, double sum[6])
{
    int b = sys->joint[joint].body[s];
    double row[3][6], turn[3];

    if (b >= sys->n_bodies)
        return;
    for (int r = 0; r < 3; r++)
        lk_jacobian_row(sys->jacobian[joint], s, r, row[r]);
    for (int r = 0; r < 3; r++) {
        lk_sym_mul(sys->sW[b].inertia, row[r] + 3, turn);
        for (int k = 0; k <= r; k++)
            sum[lk_sym_at(r, k)] +=
                sys->sW[b].mass * lk_dot(row[r], row[k]) + lk_dot(row[k] + 3, turn);
    }
}

/* Compute the ratio of two inverse masses of each row of a point, without joints: while the other
 * two rows are held, 1 / (A^-1)_rr, and while they are free, A_rr, with A = s Phi_q W Phi_q^T. It
 * is small at the foot of a slender leg. */
static void held_parts(const struct lk_system *sys, int joint, double ret[3])
{
    double A[6] = {0}, inverse[6];

    for (int s = 0; s < 2; s++)
        add_side(sys, joint, s, A);
    lk_sym_inverse(A, inverse);
    for (int r = 0; r < 3; r++) /* a singular A gives 0 or no number */
        ret[r] = fmin(fmax(1 / (inverse[r] * A[r]), LEAST_PART), 1);
}

/* The inverse masses are those under the joints; both tangents have the mean of their two. The
 * compliance of the velocities falls with the square of that of the positions: a spring that the
 * step can follow keeps its rate. */
void lk_fill_contact_compliances(struct lk_system *sys, const struct lk_draft *d)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        struct lk_contact_point *c = &sys->contact[i];
        const struct lk_force_def *f = &d->model->forces[d->blocks[c->joint].force];
        const struct lk_law *law = &sys->law[sys->joint[c->joint].law];
        double part[3];

        held_parts(sys, c->joint, part);
        c->inverse[0] = 0.5 * sys->s * (law[0].free_mobility + law[1].free_mobility);
        c->inverse[1] = c->inverse[0];
        c->inverse[2] = sys->s * law[2].free_mobility;
        for (int r = 0; r < 3; r++) {
            double held = part[r] * c->inverse[r];
            double least = (r < 2 ? LEAST_TANGENT : LEAST_NORMAL) * held;

            c->soft[r] = f->stiffness > 0 ? fmax(0.5 / f->stiffness, least) : least;
            c->soft_rate[r] = fmax(c->soft[r] * c->soft[r] / c->inverse[r], LEAST_RATE * held);
        }
    }
}

/* Return whether a second point could touch a hollow of the profile of a contact. @ret_at: after
 * which of its points;  @ret_radius: the largest radius of a ball that touches at one point [m] */
static bool is_hollow(const struct lk_contact_pair *pair, int *ret_at, double *ret_radius)
{
    bool is_surface = pair->shape[0].kind == LK_CONTACT_PROFILE;
    const struct lk_curve *curve = &pair->shape[is_surface ? 0 : 1].curve;
    double size = 0, hollow = lk_curve_hollow(curve, ret_at);

    for (int i = 0; i < curve->n; i++)
        size = fmax(size, hypot(curve->knot[i].at[0], curve->knot[i].at[1]));
    *ret_radius = 1 / hollow;
    return is_surface ? pair->radius * hollow > 1 : size * hollow > STRAIGHT;
}

static int check_profile(const struct lk_system *sys, const struct lk_model *m, int force,
                         struct lk_error *ret_error)
{
    const struct lk_force_def *f = &m->forces[force];
    int s = f->contact.kind[0] == LK_CONTACT_PROFILE ? 0 : 1, at;
    double radius;

    if (f->contact.kind[s] != LK_CONTACT_PROFILE ||
        !is_hollow(&sys->contact[lk_model_points(m, force)].pair, &at, &radius))
        return 0;
    if (s == 0)
        lk_error_set(ret_error,
                     "contact '%s': the profile '%s' is hollow after its point %d and a ball "
                     "touches it at two points there, expected a radius of at most %.3g m",
                     f->name, m->shapes[f->contact.shape[s]].name, at + 1, radius);
    else
        lk_error_set(ret_error,
                     "contact '%s': the profile '%s' is hollow after its point %d and a plane "
                     "touches it at two points there, expected a convex profile",
                     f->name, m->shapes[f->contact.shape[s]].name, at + 1);
    return LK_E_MODEL;
}

/* return the name of the surface of a contact */
static const char *surface_of(const struct lk_model *m, const struct lk_force_def *f)
{
    return f->contact.kind[0] == LK_CONTACT_ROAD ? m->roads[f->contact.road].name
                                                 : m->shapes[f->contact.shape[0]].name;
}

/* return the largest penetration of the points of a contact, without the deflection of their
 * compliances by the forces of the start */
static double penetration_of(const struct lk_system *sys, const struct lk_model *m, int force)
{
    int first = lk_model_points(m, force);
    double deepest = 0;

    for (int i = first; i < first + m->forces[force].contact.n_points; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        const struct lk_joint *j = &sys->joint[c->joint];
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_contact_place place;

        lk_contact_place(&c->pair, pose, &place);
        deepest = fmax(deepest, 2 * c->soft[2] * sys->now.lambda[j->row + 2] - place.gap);
    }
    return deepest;
}

int lk_fill_check_contacts(struct lk_system *sys, const struct lk_model *m,
                           struct lk_error *ret_error)
{
    /* The poses of a model without contacts stay those of its engine, bit for bit as after a
     * reset. */
    if (sys->n_contacts == 0)
        return 0;
    lk_evaluate_poses(sys, &sys->now);
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        double depth;

        if (f->type != LK_FORCE_CONTACT)
            continue;
        if (check_profile(sys, m, i, ret_error) != 0)
            return LK_E_MODEL;
        depth = penetration_of(sys, m, i);
        if (depth <= DEEPEST)
            continue;
        lk_error_set(ret_error,
                     "contact '%s' starts with a penetration of %.3g m between its shapes '%s' and "
                     "'%s', expected a gap, or a penetration of at most %g m",
                     f->name, depth, surface_of(m, f), m->shapes[f->contact.shape[1]].name,
                     DEEPEST);
        return LK_E_MODEL;
    }
    return 0;
}

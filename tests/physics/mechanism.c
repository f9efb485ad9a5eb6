/* SPDX-License-Identifier: Apache-2.0 */
/* Makes random mechanisms. mechanism_text.c writes them as text. */
#include "mechanism.h"
#include "maths/vec.h"
#include <stdlib.h>
#include <string.h>

#define DENSITY_SPREAD 0.03 /* lightest body [kg]; the heaviest has 1000 times its mass */
#define PUSH           10.0 /* accelerations that loads may cause [m/s^2] */
#define SPIN           30.0 /* angular accelerations [rad/s^2] */

double dice_uniform(struct dice *dice, double from, double to)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return from + (to - from) * (double)(z >> 11) * 0x1p-53;
}

double dice_spread(struct dice *dice, double from, double to)
{
    return from * pow(to / from, dice_uniform(dice, 0, 1));
}

int dice_below(struct dice *dice, int n)
{
    return (int)dice_uniform(dice, 0, n);
}

int dice_chance(struct dice *dice, double probability)
{
    return dice_uniform(dice, 0, 1) < probability;
}

void dice_unit(struct dice *dice, double *ret, int n)
{
    double square;

    do {
        square = 0;
        for (int i = 0; i < n; i++) {
            ret[i] = dice_uniform(dice, -1, 1);
            square += ret[i] * ret[i];
        }
    } while (square > 1 || square < 0.01);
    for (int i = 0; i < n; i++)
        ret[i] /= sqrt(square);
}

static void *zeros(int n, size_t size)
{
    void *ret = calloc((size_t)n + 1, size);

    if (!ret)
        abort();
    return ret;
}

/* S := R diag(principal) R^T, in the order xx yy zz xy xz yz */
static void turned_diagonal(const double R[9], const double principal[3], double S[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

    for (int k = 0; k < 6; k++) {
        S[k] = 0;
        for (int i = 0; i < 3; i++)
            S[k] += R[3 * at[k][0] + i] * principal[i] * R[3 * at[k][1] + i];
    }
}

/* Make a body of any mass. Its moments are realisable: sums of pairs of positive second moments. */
static void make_body(struct dice *dice, const double near[3], double reach,
                      struct mechanism_body *ret)
{
    double away[3], q[4], R[9], second[3], size = dice_uniform(dice, 0.1, 0.4);

    ret->mass = dice_spread(dice, DENSITY_SPREAD, 1000 * DENSITY_SPREAD);
    for (int i = 0; i < 3; i++)
        second[i] = ret->mass * size * size * dice_uniform(dice, 0.1, 1);
    dice_unit(dice, q, 4);
    lk_quat_matrix(q, R);
    turned_diagonal(
        R, (double[3]){second[1] + second[2], second[0] + second[2], second[0] + second[1]},
        ret->inertia);
    dice_unit(dice, ret->q, 4);
    dice_unit(dice, away, 3);
    for (int i = 0; i < 3; i++) {
        ret->x[i] = near[i] + reach * away[i];
        ret->v[i] = dice_uniform(dice, -1, 1);
        ret->w[i] = dice_uniform(dice, -3, 3);
    }
}

static double *scaled_sum(double scale, const double *v, double *sum)
{
    for (int i = 0; i < 3; i++)
        sum[i] += scale * v[i];
    return sum;
}

/* Compute a unit vector perpendicular to @n. */
static void unit_square_to(struct dice *dice, const double n[3], double ret[3])
{
    double any[3], length;

    do {
        dice_unit(dice, any, 3);
        lk_cross(n, any, ret);
        length = lk_norm(ret);
    } while (length < 0.1);
    for (int i = 0; i < 3; i++)
        ret[i] /= length;
}

/* Make the axis of the second body: equal to the first axis, perpendicular to it, or at an angle of
 * up to 1 rad. */
static void make_axes(struct dice *dice, struct mechanism_joint *j)
{
    double square[3], bend = dice_uniform(dice, 0, 1);

    dice_unit(dice, j->axis[0], 3);
    memcpy(j->axis[1], j->axis[0], sizeof(j->axis[0]));
    unit_square_to(dice, j->axis[0], square);
    if (j->type == LK_JOINT_UNIVERSAL)
        memcpy(j->axis[1], square, sizeof(square));
    if (j->type == LK_JOINT_CONSTANT_VELOCITY)
        for (int i = 0; i < 3; i++)
            j->axis[1][i] = cos(bend) * j->axis[0][i] + sin(bend) * square[i];
    memcpy(j->direction, square, sizeof(square));
    scaled_sum(0.5, j->axis[0], j->direction);
}

/* Move the point of the second body to a position that the joint allows: along the axis, in the
 * plane, or anywhere. */
static void make_apart(struct dice *dice, struct mechanism_joint *j)
{
    double along = dice_uniform(dice, -0.3, 0.3), across[3];

    switch (j->type) {
    case LK_JOINT_PRISMATIC:
    case LK_JOINT_CYLINDRICAL:
    case LK_JOINT_POINT_ON_LINE:
        scaled_sum(along, j->axis[0], j->point[1]);
        break;
    case LK_JOINT_PLANAR:
        unit_square_to(dice, j->axis[0], across);
        scaled_sum(along, across, j->point[1]);
        break;
    case LK_JOINT_DISTANCE:
        dice_unit(dice, across, 3);
        scaled_sum(dice_uniform(dice, 0.1, 0.5), across, j->point[1]);
        break;
    default:
        break;
    }
}

/* Return the smaller inertia of two bodies: the mass for a length, the smallest moment for an
 * angle. */
static double lighter(const struct mechanism *m, const int body[2], int is_length)
{
    double least = INFINITY;

    for (int s = 0; s < 2; s++) {
        const struct mechanism_body *b = &m->body[body[s]];
        double inverse[6];

        if (body[s] == LK_GROUND)
            continue;
        lk_sym_inverse(b->inertia, inverse);
        /* trace of the inverse: at most three times the inverse of the least moment */
        least = fmin(least, is_length ? b->mass : 1 / (inverse[0] + inverse[1] + inverse[2]));
    }
    return least;
}

/* Draw a stiffness. A spring may oscillate faster than the step resolves (omega h = 5), and a
 * damper may stop its row within a step. Loads and initial deflections are so small that no body
 * rotates by half a turn in a step. */
static double any_stiffness(const struct mechanism *m, struct dice *dice, double inertia)
{
    double omega = dice_spread(dice, 1, 5 / m->step);

    return inertia * omega * omega;
}

static double any_damping(const struct mechanism *m, struct dice *dice, double inertia)
{
    return inertia * dice_spread(dice, 0.1, 0.1 / m->step);
}

/* Make the compliance of @n rows; the first @n_length rows are lengths. Values are equal if the
 * file cannot distinguish two directions, and for all rows of one kind if @is_isotropic. */
static void make_compliance(const struct mechanism *m, struct dice *dice, const int body[2], int n,
                            int n_length, int is_isotropic, struct lk_compliance *ret)
{
    for (int r = 0; r < n; r++) {
        double inertia = lighter(m, body, r < n_length);
        int same = is_isotropic && r != 0 && r != n_length;

        ret->stiffness[r] = same ? ret->stiffness[r - 1] : any_stiffness(m, dice, inertia);
        ret->damping[r] = same                     ? ret->damping[r - 1]
                          : dice_chance(dice, 0.5) ? any_damping(m, dice, inertia)
                                                   : 0;
    }
}

/* Return true if a joint of @type may be compliant. The rows of joints with three rotations, and of
 * screws, use directions perpendicular to the axis that the file does not define. With more than a
 * small compliance, the choice of these directions would affect the motion: a model at another
 * place has other directions. */
static int may_give_way(enum mechanism_kind kind, enum lk_joint_type type)
{
    return kind == MECHANISM_MIXED ||
           (kind == MECHANISM_MOVABLE && type != LK_JOINT_PRISMATIC && type != LK_JOINT_SCREW);
}

/* Make a joint of @type between two bodies at a random place. */
static void make_joint(const struct mechanism *m, struct dice *dice, enum mechanism_kind kind,
                       enum lk_joint_type type, const int body[2], struct mechanism_joint *ret)
{
    const struct lk_joint_traits *traits = &lk_joint_traits[type];
    double part = dice_uniform(dice, 0, 1);

    *ret = (struct mechanism_joint){.type = type, .body = {body[0], body[1]}, .can_mirror = 1};
    make_axes(dice, ret);
    for (int i = 0; i < 3; i++) {
        double far = m->body[body[1]].x[i];
        double near = body[0] == LK_GROUND ? far : m->body[body[0]].x[i];

        ret->point[0][i] = near + part * (far - near) + dice_uniform(dice, -0.3, 0.3);
        ret->point[1][i] = ret->point[0][i];
    }
    if (type == LK_JOINT_DISTANCE || dice_chance(dice, 0.5))
        make_apart(dice, ret);
    ret->pitch = dice_uniform(dice, 0.05, 0.5) * (dice_chance(dice, 0.5) ? 1 : -1);
    for (int i = 0; i < traits->n_coordinates && dice_chance(dice, 0.5); i++)
        ret->coordinate[i] = dice_uniform(dice, -5, 5);
    if (may_give_way(kind, type) && dice_chance(dice, 0.1)) {
        ret->has_compliance = 1;
        ret->can_mirror = 0;
        make_compliance(m, dice, body, traits->n_rows, traits->n_length,
                        kind == MECHANISM_MOVABLE || type != LK_JOINT_FIXED, &ret->compliance);
    }
}

/* Make a duplicate of a joint: equal, or shifted along the axis like the second hinge of a door.
 * All its rows are redundant. */
static void repeat_joint(struct dice *dice, const struct mechanism_joint *from,
                         struct mechanism_joint *ret)
{
    double along = from->type == LK_JOINT_REVOLUTE ? dice_uniform(dice, 0, 0.5) : 0;

    *ret = *from;
    for (int s = 0; s < 2; s++)
        scaled_sum(along, from->axis[0], ret->point[s]);
}

/* Choose the type of a joint: mostly joints that are usual in a tree, sometimes joints with few
 * rows. */
static enum lk_joint_type any_type(struct dice *dice)
{
    static const enum lk_joint_type types[] = {
        LK_JOINT_REVOLUTE,
        LK_JOINT_REVOLUTE,
        LK_JOINT_SPHERICAL,
        LK_JOINT_SPHERICAL,
        LK_JOINT_PRISMATIC,
        LK_JOINT_FIXED,
        LK_JOINT_UNIVERSAL,
        LK_JOINT_CYLINDRICAL,
        LK_JOINT_PLANAR,
        LK_JOINT_SCREW,
        LK_JOINT_DISTANCE,
        LK_JOINT_POINT_ON_LINE,
        LK_JOINT_CONSTANT_VELOCITY,
    };

    return types[dice_below(dice, (int)(sizeof(types) / sizeof(types[0])))];
}

static int is_coupling(enum lk_joint_type type)
{
    return type == LK_JOINT_GEAR || type == LK_JOINT_RACK;
}

/* Find a joint from index @from on with a coordinate of the given kind. Return its index, -1 if
 * random draws find none. */
static int find_coordinate(const struct mechanism *m, struct dice *dice, int from, int is_angle,
                           int *ret_which)
{
    for (int trial = 0; trial < 20 && m->n_joints > from; trial++) {
        int joint = from + dice_below(dice, m->n_joints - from);
        const struct mechanism_joint *j = &m->joint[joint];
        int n = lk_joint_traits[j->type].n_coordinates;

        *ret_which = n > 0 ? dice_below(dice, n) : 0;
        if (n > 0 && !j->has_compliance &&
            lk_joint_coordinate_is_angle(j->type, *ret_which) == is_angle)
            return joint;
    }
    return -1;
}

/* Add a gear or rack between two of the joints from index @from on. */
static void couple(struct mechanism *m, struct dice *dice, int from)
{
    struct mechanism_joint *j = &m->joint[m->n_joints];
    int is_rack = dice_chance(dice, 0.4);

    *j = (struct mechanism_joint){
        .type = is_rack ? LK_JOINT_RACK : LK_JOINT_GEAR,
        .ratio = dice_uniform(dice, 0.2, is_rack ? 0.5 : 4) * (dice_chance(dice, 0.5) ? 1 : -1),
    };
    for (int k = 0; k < 2; k++)
        j->joint[k] = find_coordinate(m, dice, from, k == 0 || !is_rack, &j->which[k]);
    if (j->joint[0] < 0 || j->joint[1] < 0 || j->joint[0] == j->joint[1])
        return;
    m->joint[j->joint[0]].can_mirror = m->joint[j->joint[1]].can_mirror = 0;
    m->n_joints++;
}

/* Make a drive that starts at the initial value. @size: amplitude in the unit of its coordinate */
static void make_drive(struct mechanism *m, struct dice *dice, double start, double size,
                       struct mechanism_drive *ret)
{
    double spacing = 2.5 * m->step;

    ret->type = (enum lk_drive_type)dice_below(dice, m->n_inputs < 4 ? 3 : 2) +
                (m->n_inputs < 4 ? 0 : LK_DRIVE_TABLE);
    ret->amplitude = size * dice_uniform(dice, 0.1, 1);
    ret->omega = dice_uniform(dice, 1, 20);
    ret->phase = dice_uniform(dice, -3, 3);
    ret->offset = start - ret->amplitude * sin(ret->phase);
    for (int i = 0; i < MECHANISM_POINTS; i++) {
        ret->time[i] = i * spacing;
        ret->value[i] =
            start + (i > 0) * PUSH * size * spacing * spacing * dice_uniform(dice, -1, 1);
    }
    if (ret->type != LK_DRIVE_INPUT)
        return;
    ret->period = m->step * dice_below(dice, 4);
    spacing = fmax(ret->period, m->step);
    ret->input = m->n_inputs++;
    m->input[ret->input] = (struct mechanism_input){
        .type = LK_INPUT_DRIVE, .base = start, .size = 0.2 * PUSH * size * spacing * spacing};
}

/* Drive some of the joints from index @from on. These joints close no loop, so the drives are
 * consistent. */
static void drive(struct mechanism *m, struct dice *dice, enum mechanism_kind kind, int from)
{
    for (int i = from; i < m->n_joints; i++) {
        struct mechanism_joint *j = &m->joint[i];
        int n = lk_joint_traits[j->type].n_coordinates, which;

        if (j->has_compliance || (n > 0 && dice_chance(dice, 0.7)))
            continue;
        if (n > 0) {
            which = dice_below(dice, n);
            make_drive(m, dice, j->coordinate[which],
                       lk_joint_coordinate_is_angle(j->type, which) ? 0.5 : 0.1, &j->drive[0]);
            j->drive[0].coordinate = which;
            j->n_drives = 1;
            j->can_mirror = 0;
        } else if (j->type == LK_JOINT_FIXED && j->body[0] == LK_GROUND &&
                   kind == MECHANISM_MIXED) {
            for (int k = 0; k < MECHANISM_DRIVES; k++) {
                make_drive(m, dice, 0, k == 0 ? 0.1 : 0.5, &j->drive[k]);
                j->drive[k].coordinate = 3 * k + dice_below(dice, 3);
            }
            j->n_drives = MECHANISM_DRIVES;
            j->can_mirror = 0;
        }
    }
}

/* Make a tree of bodies: a chain if @chain is 1, a bush if it is 0, or a star about the first
 * body. */
static void grow(struct mechanism *m, struct dice *dice, enum mechanism_kind kind, int first,
                 int end)
{
    double chain = dice_uniform(dice, 0, 1);
    int is_star = dice_chance(dice, 0.15);
    double origin[3] = {first % 7, first % 5, 0};

    make_body(dice, origin, 0.5, &m->body[first]);
    if (kind != MECHANISM_FREE && dice_chance(dice, 0.7))
        make_joint(m, dice, kind, dice_chance(dice, 0.2) ? LK_JOINT_FIXED : any_type(dice),
                   (int[2]){LK_GROUND, first}, &m->joint[m->n_joints++]);
    for (int b = first + 1; b < end; b++) {
        int on = dice_chance(dice, chain) ? b - 1 : first + dice_below(dice, b - first);

        if (is_star)
            on = first;
        make_body(dice, m->body[on].x, dice_uniform(dice, 0.3, 1), &m->body[b]);
        make_joint(m, dice, kind, any_type(dice), (int[2]){on, b}, &m->joint[m->n_joints++]);
    }
}

/* Add joints that close loops, mostly with redundant rows, and duplicate joints. */
static void close_loops(struct mechanism *m, struct dice *dice, enum mechanism_kind kind, int first,
                        int end, int from)
{
    int n_tree = m->n_joints;

    for (int k = dice_below(dice, 1 + (end - first) / 3); k > 0; k--) {
        int b = first + dice_below(dice, end - first);
        int span = b - first < 6 ? b - first : 6;
        int a = kind != MECHANISM_FREE && dice_chance(dice, 0.2) ? LK_GROUND
                                                                 : b - 1 - dice_below(dice, span);

        if (b > first)
            make_joint(m, dice, kind, dice_chance(dice, 0.7) ? LK_JOINT_SPHERICAL : any_type(dice),
                       (int[2]){a, b}, &m->joint[m->n_joints++]);
    }
    if (n_tree > from && dice_chance(dice, 0.4)) {
        repeat_joint(dice, &m->joint[from + dice_below(dice, n_tree - from)],
                     &m->joint[m->n_joints]);
        m->n_joints++;
    }
    for (int k = dice_below(dice, 4); k > 0 && kind != MECHANISM_FREE; k--)
        couple(m, dice, from);
}

/* Add a spring, friction or a stop to a coordinate. */
static void make_on_coordinate(struct mechanism *m, struct dice *dice, int joint,
                               struct mechanism_force *f)
{
    struct mechanism_joint *j = &m->joint[joint];
    int which = dice_below(dice, lk_joint_traits[j->type].n_coordinates);
    double inertia = lighter(m, j->body, !lk_joint_coordinate_is_angle(j->type, which));
    double stiffness = any_stiffness(m, dice, inertia), start = j->coordinate[which];
    static const enum lk_force_type types[] = {LK_FORCE_JOINT_SPRING_DAMPER,
                                               LK_FORCE_JOINT_SPRING_DAMPER, LK_FORCE_FRICTION,
                                               LK_FORCE_STOP};

    *f = (struct mechanism_force){
        .type = types[dice_below(dice, 4)],
        .joint = joint,
        .coordinate = which,
        .stiffness = stiffness,
        .rest = start + dice_uniform(dice, -SPIN, SPIN) * inertia / stiffness,
        .damping = dice_chance(dice, 0.5) ? any_damping(m, dice, inertia) : 0,
        .coulomb = inertia * dice_uniform(dice, 1, SPIN),
        .lower = start - dice_uniform(dice, 0, 0.05),
        .upper = start + dice_uniform(dice, 0, 0.05),
        .onset = dice_chance(dice, 0.5) ? 0.001 : 0,
        .has_table = dice_chance(dice, 0.3),
    };
    f->stick = f->coulomb * dice_uniform(dice, 1, 1.5);
    for (int i = 0; i < MECHANISM_POINTS; i++) {
        f->x[i] = 0.1 * (i - 2);
        f->y[i] = 0.01 * stiffness * f->x[i] * (1 + f->x[i] * f->x[i]);
    }
    /* coordinates in the plane of the first body differ from coordinates in that of the second
     * body */
    j->can_mirror &= j->type != LK_JOINT_PLANAR;
}

/* Add a spring between two points, or a bushing. */
static void make_between(const struct mechanism *m, struct dice *dice, struct mechanism_force *f)
{
    int b = 1 + dice_below(dice, m->n_bodies - 1), a = b - 1;
    int body[2] = {a, b};
    double away[3];

    *f = (struct mechanism_force){
        .type = dice_chance(dice, 0.5) ? LK_FORCE_BUSHING : LK_FORCE_SPRING_DAMPER,
        .body = {a, b},
    };
    dice_unit(dice, away, 3);
    for (int i = 0; i < 3; i++) {
        f->point[0][i] = m->body[a].x[i] + dice_uniform(dice, -0.1, 0.1);
        f->point[1][i] = f->point[0][i] + 0.3 * away[i];
    }
    dice_unit(dice, f->q, 4);
    make_compliance(m, dice, body, 6, 3, 0, &f->compliance);
    f->stiffness = f->compliance.stiffness[0];
    f->damping = f->compliance.damping[0];
    f->rest = 0.3 + dice_uniform(dice, -PUSH, PUSH) * lighter(m, body, 1) / f->stiffness;
    f->rest = fmax(f->rest, 0);
}

static void make_load(const struct mechanism *m, struct dice *dice, struct mechanism_force *f)
{
    static const enum lk_force_type types[] = {LK_FORCE_CONSTANT_FORCE, LK_FORCE_CONSTANT_TORQUE,
                                               LK_FORCE_HARMONIC_FORCE, LK_FORCE_HARMONIC_TORQUE};
    int body = dice_below(dice, m->n_bodies), type = dice_below(dice, 4);
    const struct mechanism_body *b = &m->body[body];
    double least = lighter(m, (int[2]){body, LK_GROUND}, 0);
    double size = type % 2 == 0 ? fmin(PUSH * b->mass, SPIN * least / 0.1) : SPIN * least;

    *f = (struct mechanism_force){
        .type = types[type],
        .body = {body},
        .frame = dice_chance(dice, 0.5) ? LK_FRAME_BODY : LK_FRAME_WORLD,
        .omega = dice_uniform(dice, 1, 100),
        .phase = dice_uniform(dice, -3, 3),
    };
    for (int i = 0; i < 3; i++) {
        f->point[0][i] = b->x[i] + dice_uniform(dice, -0.1, 0.1);
        f->vector[i] = size * dice_uniform(dice, -1, 1);
    }
}

/* Make an input in body axes or along a coordinate. Such inputs keep their meaning if the model is
 * rotated. */
static void make_input(struct mechanism *m, struct dice *dice, struct mechanism_input *ret)
{
    int is_angle = dice_chance(dice, 0.6), body = dice_below(dice, m->n_bodies);

    *ret = (struct mechanism_input){.body = body};
    ret->joint = find_coordinate(m, dice, 0, is_angle, &ret->coordinate);
    ret->size = SPIN * lighter(m, (int[2]){body, LK_GROUND}, 0);
    memcpy(ret->point, m->body[body].x, sizeof(ret->point));
    if (ret->joint >= 0 && dice_chance(dice, 0.7)) {
        struct mechanism_joint *j = &m->joint[ret->joint];

        ret->size = PUSH * lighter(m, j->body, !is_angle);
        ret->type = is_angle ? LK_INPUT_JOINT_TORQUE : LK_INPUT_JOINT_FORCE;
        j->can_mirror &= j->type != LK_JOINT_PLANAR;
    } else {
        ret->type = dice_chance(dice, 0.5) ? LK_INPUT_BODY_FORCE : LK_INPUT_BODY_TORQUE;
    }
}

static void load(struct mechanism *m, struct dice *dice, enum mechanism_kind kind)
{
    if (kind == MECHANISM_FREE)
        return;
    if (dice_chance(dice, 0.8)) {
        dice_unit(dice, m->gravity, 3);
        for (int i = 0; i < 3; i++)
            m->gravity[i] *= 9.81;
    }
    for (int j = 0; j < m->n_joints; j++)
        if (lk_joint_traits[m->joint[j].type].n_coordinates > 0 &&
            !(kind == MECHANISM_MOVABLE && m->joint[j].has_compliance) && dice_chance(dice, 0.25))
            make_on_coordinate(m, dice, j, &m->force[m->n_forces++]);
    if (m->n_bodies > 1 && dice_chance(dice, 0.3))
        make_between(m, dice, &m->force[m->n_forces++]);
    for (int k = dice_below(dice, 3); k > 0; k--)
        make_load(m, dice, &m->force[m->n_forces++]);
    for (int k = dice_below(dice, 3); k > 0; k--)
        make_input(m, dice, &m->input[m->n_inputs++]);
}

/* Remove the inertia of bodies that a joint and a stiff spring at its coordinate hold. */
static void lighten(struct mechanism *m, struct dice *dice)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct mechanism_force *f = &m->force[i];
        const struct mechanism_joint *j = &m->joint[f->joint];
        struct mechanism_body *b = &m->body[j->body[1]];
        int holds = f->type == LK_FORCE_JOINT_SPRING_DAMPER && !f->has_table &&
                    lk_joint_traits[j->type].n_coordinates == 1 && !j->has_compliance &&
                    j->type != LK_JOINT_POINT_ON_LINE && j->n_drives == 0;

        if (holds && f->stiffness > 1e4 * b->mass && dice_chance(dice, 0.5)) {
            b->mass = 0;
            memset(b->inertia, 0, sizeof(b->inertia));
        }
    }
}

struct mechanism *mechanism_make(uint64_t seed, enum mechanism_kind kind, int n_bodies)
{
    static const double steps[] = {1e-4, 1e-3, 1e-3, 1e-3, 2.5e-3, 1e-2};
    struct dice dice = {seed * 0x632be59bd9b4e019u + 1};
    struct mechanism *m = zeros(1, sizeof(*m));

    m->seed = seed;
    m->n_bodies = n_bodies;
    m->step = steps[dice_below(&dice, 6)];
    m->iterations = dice_chance(&dice, 0.7) ? 3 : 1 + dice_below(&dice, 5);
    m->body = zeros(n_bodies, sizeof(*m->body));
    m->joint = zeros(5 * n_bodies, sizeof(*m->joint));
    m->force = zeros(5 * n_bodies + 4, sizeof(*m->force));
    m->input = zeros(8, sizeof(*m->input));
    m->body_order = zeros(n_bodies, sizeof(int));
    m->joint_order = zeros(5 * n_bodies, sizeof(int));
    for (int first = 0, end, from; first < n_bodies; first = end) {
        end = dice_chance(&dice, 0.7) ? n_bodies : first + 1 + dice_below(&dice, n_bodies - first);
        from = m->n_joints;
        grow(m, &dice, kind, first, end);
        if (kind != MECHANISM_FREE && dice_chance(&dice, 0.3)) {
            drive(m, &dice, kind, from);
        } else {

            close_loops(m, &dice, kind, first, end, from);
        }
    }
    load(m, &dice, kind);
    lighten(m, &dice);
    m->is_soft = kind == MECHANISM_MIXED && dice_chance(&dice, 0.1);
    for (int b = 0; b < n_bodies; b++)
        m->body_order[b] = b;
    for (int j = 0; j < m->n_joints; j++)
        m->joint_order[j] = j;
    return m;
}

void mechanism_free(struct mechanism *m)
{
    free(m->body);
    free(m->joint);
    free(m->force);
    free(m->input);
    free(m->body_order);
    free(m->joint_order);
    free(m);
}

static void turn(const double R[9], double v[3])
{
    double old[3] = {v[0], v[1], v[2]};

    lk_rotate(R, old, v);
}

static void turn_and_shift(const double R[9], const double shift[3], double x[3])
{
    turn(R, x);
    for (int i = 0; i < 3; i++)
        x[i] += shift[i];
}

void mechanism_move(struct mechanism *m, const double q[4], const double shift[3])
{
    double R[9];

    lk_quat_matrix(q, R);
    turn(R, m->gravity);
    for (int b = 0; b < m->n_bodies; b++) {
        double old[4];

        memcpy(old, m->body[b].q, sizeof(old));
        lk_quat_mul(q, old, m->body[b].q);
        turn_and_shift(R, shift, m->body[b].x);
        turn(R, m->body[b].v);
        turn(R, m->body[b].w);
    }
    for (int j = 0; j < m->n_joints; j++)
        for (int s = 0; s < 2; s++) {
            turn_and_shift(R, shift, m->joint[j].point[s]);
            turn(R, m->joint[j].axis[s]);
        }
    for (int j = 0; j < m->n_joints; j++)
        turn(R, m->joint[j].direction);
    for (int i = 0; i < m->n_forces; i++) {
        double old[4];

        memcpy(old, m->force[i].q, sizeof(old));
        lk_quat_mul(q, old, m->force[i].q);
        for (int s = 0; s < 2; s++)
            turn_and_shift(R, shift, m->force[i].point[s]);
        if (m->force[i].frame == LK_FRAME_WORLD)
            turn(R, m->force[i].vector);
    }
    for (int i = 0; i < m->n_inputs; i++)
        turn_and_shift(R, shift, m->input[i].point);
}

static void shuffle(struct dice *dice, int *order, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = dice_below(dice, i + 1), old = order[i];

        order[i] = order[k];
        order[k] = old;
    }
}

void mechanism_shuffle(struct mechanism *m, struct dice *dice)
{
    shuffle(dice, m->body_order, m->n_bodies);
    shuffle(dice, m->joint_order, m->n_joints);
}

static void swap_vectors(double a[3], double b[3], double sign)
{
    for (int i = 0; i < 3; i++) {
        double old = a[i];

        a[i] = sign * b[i];
        b[i] = sign * old;
    }
}

/* Exchange the coordinates of a universal joint whose bodies were exchanged. The first coordinate
 * is about the axis of the first body. */
static void swap_universal(struct mechanism *m, int joint)
{
    double *coordinate = m->joint[joint].coordinate, first = coordinate[0];

    coordinate[0] = coordinate[1];
    coordinate[1] = first;
    for (int i = 0; i < m->n_forces; i++)
        if (m->force[i].type <= LK_FORCE_STOP && m->force[i].joint == joint)
            m->force[i].coordinate = 1 - m->force[i].coordinate;
    for (int i = 0; i < m->n_inputs; i++)
        if (m->input[i].type <= LK_INPUT_JOINT_FORCE && m->input[i].joint == joint)
            m->input[i].coordinate = 1 - m->input[i].coordinate;
}

void mechanism_mirror(struct mechanism *m)
{
    for (int i = 0; i < m->n_joints; i++) {
        struct mechanism_joint *j = &m->joint[i];
        int first = j->body[0];

        if (!j->can_mirror || is_coupling(j->type) || j->type == LK_JOINT_POINT_ON_LINE)
            continue;
        j->body[0] = j->body[1];
        j->body[1] = first;
        swap_vectors(j->point[0], j->point[1], 1);
        swap_vectors(j->axis[0], j->axis[1], -1);
        if (j->type == LK_JOINT_UNIVERSAL)
            swap_universal(m, i);
    }
}

void mechanism_inputs(const struct mechanism *m, struct dice *dice, double *ret)
{
    for (int i = 0; i < m->n_inputs; i++) {
        const struct mechanism_input *in = &m->input[i];
        int n = in->type == LK_INPUT_BODY_FORCE || in->type == LK_INPUT_BODY_TORQUE ? 3 : 1;

        for (int k = 0; k < n; k++)
            *ret++ = in->base + in->size * dice_uniform(dice, -1, 1);
    }
}

void mechanism_smoothen(struct mechanism *m)
{
    int n = 0;

    for (int i = 0; i < m->n_forces; i++)
        if (m->force[i].type != LK_FORCE_FRICTION && m->force[i].type != LK_FORCE_STOP)
            m->force[n++] = m->force[i];
    m->n_forces = n;
    m->n_inputs = 0;
    for (int i = 0; i < m->n_joints; i++) {
        struct mechanism_joint *j = &m->joint[i];

        n = 0;
        for (int d = 0; d < j->n_drives; d++)
            if (j->drive[d].type != LK_DRIVE_INPUT)
                j->drive[n++] = j->drive[d];
        j->n_drives = n;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "figure.h"
#include "maths/vec.h"
#include <stdlib.h>
#include <string.h>

#define PUSH 5.0 /* accelerations by loads and inputs [m/s^2], lever arm 0.5 m */
#define LIMB 7   /* number of bodies of a limb or a group */

const char *const figure_names[FIGURE_COUNT] = {
#define X(NAME, TEXT) [FIGURE_##NAME] = TEXT,
    FIGURES(X)
#undef X
};

static void *zeros(int n, size_t size)
{
    void *ret = calloc((size_t)n + 1, size);

    if (!ret)
        abort();
    return ret;
}

/* Return the parent of body @b: a body, the ground, or -2 if it has none. */
static int parent_of(enum figure figure, int b, int n)
{
    int arms = n < 5 ? n : (n + 3) / 4;

    switch (figure) {
    case FIGURE_STAR:
        return b == 0 ? LK_GROUND : b <= arms ? 0 : b - arms;
    case FIGURE_BINARY:
        return b == 0 ? LK_GROUND : (b - 1) / 2;
    case FIGURE_TERNARY:
        return b == 0 ? -2 : (b - 1) / 3;
    case FIGURE_LIMBS:
        return b % LIMB == 0 ? LK_GROUND : b - 1;
    case FIGURE_GROUPS:
        return b % LIMB == 0 ? -2 : b - 1;
    case FIGURE_LOOSE:
        return b >= n / 2 ? -2 : b == 0 ? LK_GROUND : b - 1;
    case FIGURE_LADDER:
        return b < 2 ? LK_GROUND : b - 2;
    default:
        return b == 0 ? LK_GROUND : b - 1;
    }
}

static int width_of_grid(int n)
{
    int w = 1;

    while ((w + 1) * (w + 1) <= n)
        w++;
    return w;
}

static void place(struct mechanism *m, struct dice *dice, enum figure figure, int b)
{
    struct mechanism_body *body = &m->body[b];
    int parent = parent_of(figure, b, m->n_bodies), w = width_of_grid(m->n_bodies);
    double turn = 2 * M_PI * b / m->n_bodies, radius = 0.5 * m->n_bodies / (2 * M_PI);

    for (int i = 0; i < 3; i++)
        body->x[i] = dice_uniform(dice, -0.15, 0.15);
    switch (figure) {
    case FIGURE_RING:
        body->x[0] += radius * cos(turn);
        body->x[1] += radius * sin(turn);
        break;
    case FIGURE_GRID:
        body->x[0] += 0.5 * (b % w);
        body->x[1] += 0.5 * (b / w);
        break;
    case FIGURE_LADDER:
        body->x[0] += 0.5 * (b / 2);
        body->x[1] += 0.5 * (b % 2);
        break;
    default:
        for (int i = 0; i < 3; i++)
            body->x[i] += parent >= 0 ? m->body[parent].x[i] : 0;
        body->x[b % 2] += 0.3;
        break;
    }
}

static void make_body(struct mechanism *m, struct dice *dice, enum figure figure, int b)
{
    struct mechanism_body *body = &m->body[b];
    double principal[3], R[9];

    place(m, dice, figure, b);
    body->mass = dice_spread(dice, 0.3, 3);
    for (int i = 0; i < 3; i++) {
        principal[i] = body->mass * dice_uniform(dice, 0.02, 0.03);
        body->v[i] = dice_uniform(dice, -0.5, 0.5);
        body->w[i] = dice_uniform(dice, -1, 1);
    }
    dice_unit(dice, body->q, 4);
    lk_quat_matrix(body->q, R);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            for (int a = 0; a < 3; a++)
                body->inertia[i == k ? i : i + k + 2] += R[3 * i + a] * principal[a] * R[3 * k + a];
}

static void square_to(struct dice *dice, const double n[3], double ret[3])
{
    double any[3], length;

    do {
        dice_unit(dice, any, 3);
        lk_cross(n, any, ret);
        length = lk_norm(ret);
    } while (length < 0.3);
    for (int i = 0; i < 3; i++)
        ret[i] /= length;
}

static enum lk_joint_type type_of(struct mechanism *m, struct dice *dice, enum figure figure,
                                  enum figure_joints joints, int b)
{
    static const enum lk_joint_type all[] = {
        LK_JOINT_REVOLUTE,  LK_JOINT_SPHERICAL, LK_JOINT_CYLINDRICAL, LK_JOINT_UNIVERSAL,
        LK_JOINT_PRISMATIC, LK_JOINT_FIXED,     LK_JOINT_PLANAR,      LK_JOINT_POINT_ON_LINE,
    };
    int n = (int)(sizeof(all) / sizeof(all[0]));

    (void)m;
    if (joints == FIGURE_SPHERICAL)
        return LK_JOINT_SPHERICAL;
    if (joints == FIGURE_REVOLUTE || joints == FIGURE_PARALLEL)
        return LK_JOINT_REVOLUTE;
    /* limbs must be equal */
    if (joints == FIGURE_ALTERNATING)
        return all[(figure == FIGURE_LIMBS || figure == FIGURE_GROUPS ? b % LIMB : b) % n];
    return all[dice_below(dice, n)];
}

/* Move the second point to a position that the joint allows, so that displacements along it are not
 * 0. */
static void set_apart(struct dice *dice, struct mechanism_joint *j)
{
    double along = dice_uniform(dice, -0.3, 0.3);
    const double *way = j->type == LK_JOINT_PLANAR ? j->direction : j->axis[0];

    if (j->type != LK_JOINT_PRISMATIC && j->type != LK_JOINT_CYLINDRICAL &&
        j->type != LK_JOINT_POINT_ON_LINE && j->type != LK_JOINT_PLANAR)
        return;
    for (int i = 0; i < 3; i++)
        j->point[1][i] += along * way[i];
}

static struct mechanism_joint *join(struct mechanism *m, struct dice *dice, enum lk_joint_type type,
                                    int is_parallel, int a, int b)
{
    struct mechanism_joint *j = &m->joint[m->n_joints];
    double square[3];

    *j = (struct mechanism_joint){.type = type, .body = {a, b}};
    dice_unit(dice, j->axis[0], 3);
    if (is_parallel)
        memcpy(j->axis[0], (double[3]){0, 0, 1}, sizeof(j->axis[0]));
    square_to(dice, j->axis[0], square);
    memcpy(j->direction, square, sizeof(square));
    memcpy(j->axis[1], type == LK_JOINT_UNIVERSAL ? square : j->axis[0], sizeof(square));
    for (int i = 0; i < 3; i++) {
        double near = a == LK_GROUND ? m->body[b].x[i] - 0.2 : m->body[a].x[i];

        j->point[0][i] = 0.5 * (near + m->body[b].x[i]) + dice_uniform(dice, -0.05, 0.05);
        j->point[1][i] = j->point[0][i];
    }
    set_apart(dice, j);
    /* either side of a joint may be the child */
    if (dice_chance(dice, 0.3)) {
        double point[3];

        memcpy(point, j->point[0], sizeof(point));
        memcpy(j->point[0], j->point[1], sizeof(point));
        memcpy(j->point[1], point, sizeof(point));
        j->body[0] = b;
        j->body[1] = a;
    }
    m->joint_order[m->n_joints] = m->n_joints;
    m->n_joints++;
    return j;
}

/* Add joints that close loops: spherical, or revolute about the common direction. */
static void close_loops(struct mechanism *m, struct dice *dice, enum figure figure, int is_parallel)
{
    enum lk_joint_type type = is_parallel ? LK_JOINT_REVOLUTE : LK_JOINT_SPHERICAL;
    int n = m->n_bodies, w = width_of_grid(n), n_joints = m->n_joints;

    if (figure == FIGURE_RING && n > 2)
        join(m, dice, type, is_parallel, n - 1, 0);
    for (int b = 1; b < n && figure == FIGURE_LADDER; b += 2)
        join(m, dice, type, is_parallel, b - 1, b);
    for (int b = w; b < n && figure == FIGURE_GRID; b++)
        join(m, dice, type, is_parallel, b - w, b);
    for (int b = 3; b < n && figure == FIGURE_ANCHORED; b += 5)
        join(m, dice, LK_JOINT_POINT_ON_LINE, 0, LK_GROUND, b);
    for (int j = 0; j < n_joints && figure == FIGURE_TWICE; j++) {
        m->joint_order[m->n_joints] = m->n_joints;
        m->joint[m->n_joints++] = m->joint[j];
    }
}

static void add_input(struct mechanism *m, const struct mechanism_input *input)
{
    m->input[m->n_inputs++] = *input;
}

/* Add inputs: a force and a torque on bodies, and one along the first coordinate of each sort,
 * angle and length. */
static void add_inputs(struct mechanism *m)
{
    int middle = m->n_bodies / 2, last = m->n_bodies - 1, found[2] = {0, 0};
    struct mechanism_input force = {
        .type = LK_INPUT_BODY_FORCE, .body = last, .size = PUSH * m->body[last].mass};
    struct mechanism_input torque = {
        .type = LK_INPUT_BODY_TORQUE, .body = middle, .size = PUSH * 0.02 * m->body[middle].mass};

    memcpy(force.point, m->body[last].x, sizeof(force.point));
    force.point[0] += 0.02;
    add_input(m, &force);
    add_input(m, &torque);
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < lk_joint_traits[m->joint[j].type].n_coordinates; k++) {
            int is_angle = lk_joint_coordinate_is_angle(m->joint[j].type, k);

            if (found[is_angle])
                continue;
            found[is_angle] = 1;
            add_input(m, &(struct mechanism_input){.type = is_angle ? LK_INPUT_JOINT_TORQUE
                                                                    : LK_INPUT_JOINT_FORCE,
                                                   .joint = j,
                                                   .coordinate = k,
                                                   .size = PUSH * (is_angle ? 0.006 : 0.3)});
        }
}

static void add_loads(struct mechanism *m, struct dice *dice)
{
    static const enum lk_force_type types[] = {LK_FORCE_CONSTANT_FORCE, LK_FORCE_HARMONIC_TORQUE,
                                               LK_FORCE_CONSTANT_TORQUE, LK_FORCE_HARMONIC_FORCE};

    for (int i = 0; i < 4; i++) {
        int body = dice_below(dice, m->n_bodies);
        int is_torque =
            types[i] == LK_FORCE_HARMONIC_TORQUE || types[i] == LK_FORCE_CONSTANT_TORQUE;
        struct mechanism_force *f = &m->force[m->n_forces++];

        *f = (struct mechanism_force){.type = types[i],
                                      .body = {body},
                                      .frame = i < 2 ? LK_FRAME_WORLD : LK_FRAME_BODY,
                                      .omega = 30,
                                      .phase = 1};
        memcpy(f->point[0], m->body[body].x, sizeof(f->point[0]));
        for (int k = 0; k < 3; k++)
            f->vector[k] =
                PUSH * m->body[body].mass * (is_torque ? 0.02 : 1) * dice_uniform(dice, -1, 1);
    }
}

struct mechanism *figure_make(enum figure figure, enum figure_joints joints, int n, uint64_t seed)
{
    struct mechanism *m = zeros(1, sizeof(*m));
    struct dice dice = {seed};

    *m = (struct mechanism){.seed = seed,
                            .gravity = {0.3, -9.7, 1},
                            .step = 1e-3,
                            .iterations = 3,
                            .n_bodies = n,
                            .body = zeros(n, sizeof(*m->body)),
                            .joint = zeros(3 * n, sizeof(*m->joint)),
                            .force = zeros(4, sizeof(*m->force)),
                            .input = zeros(8, sizeof(*m->input)),
                            .body_order = zeros(n, sizeof(int)),
                            .joint_order = zeros(3 * n, sizeof(int))};
    for (int b = 0; b < n; b++) {
        int parent = parent_of(figure, b, n);

        m->body_order[b] = b;
        make_body(m, &dice, figure, b);
        if (figure == FIGURE_GRID && b > 0 && b % width_of_grid(n) == 0)
            continue;
        if (parent != -2)
            join(m, &dice, type_of(m, &dice, figure, joints, b), joints == FIGURE_PARALLEL, parent,
                 b);
    }
    close_loops(m, &dice, figure, joints == FIGURE_PARALLEL);
    add_inputs(m);
    add_loads(m, &dice);
    return m;
}

void figure_furnish(struct mechanism *m, int drives)
{
    m->force = realloc(m->force, (size_t)(m->n_forces + m->n_joints) * sizeof(*m->force));
    if (!m->force)
        abort();
    for (int j = 0; j < m->n_joints; j++) {
        struct mechanism_joint *joint = &m->joint[j];
        struct mechanism_force f = {.type = j % 4 == 0 ? LK_FORCE_JOINT_SPRING_DAMPER
                                                       : LK_FORCE_FRICTION,
                                    .joint = j,
                                    .stiffness = 3,
                                    .damping = 0.02,
                                    .coulomb = 0.05,
                                    .stick = 0.06};

        if (lk_joint_traits[joint->type].n_coordinates != 1)
            continue;
        if (j % 4 < 2) {
            m->force[m->n_forces++] = f;
        } else if (j % 4 == 2 && drives) {
            joint->drive[joint->n_drives++] = (struct mechanism_drive){
                .type = LK_DRIVE_HARMONIC, .amplitude = 0.05, .omega = 3 + j % 5};
        }
    }
}

void figure_stop(struct mechanism *m)
{
    m->force = realloc(m->force, (size_t)(m->n_forces + m->n_joints) * sizeof(*m->force));
    if (!m->force)
        abort();
    for (int j = 0; j < m->n_joints; j += 16) {
        double start = m->joint[j].coordinate[0];

        if (lk_joint_traits[m->joint[j].type].n_coordinates == 1)
            m->force[m->n_forces++] = (struct mechanism_force){.type = LK_FORCE_STOP,
                                                               .joint = j,
                                                               .stiffness = 1e5,
                                                               .damping = 1,
                                                               .lower = start - 1e-4,
                                                               .upper = start + 1e-4};
    }
}

void figure_gear(struct mechanism *m)
{
    int n = m->n_joints, last = -1;

    for (int j = 0; j < n; j++) {
        const struct mechanism_joint *joint = &m->joint[j];

        if (joint->type != LK_JOINT_REVOLUTE || joint->body[0] != LK_GROUND)
            continue;
        if (last >= 0) {
            m->joint_order[m->n_joints] = m->n_joints;
            m->joint[m->n_joints++] =
                (struct mechanism_joint){.type = LK_JOINT_GEAR, .joint = {last, j}, .ratio = -0.5};
        }
        last = last >= 0 ? -1 : j;
    }
}

void figure_gear_apart(struct mechanism *m, uint64_t seed)
{
    struct dice dice = {seed};
    int n = m->n_joints, last = -1;

    for (int j = 0; j < n; j++) {
        if (m->joint[j].type != LK_JOINT_REVOLUTE || dice_below(&dice, 3) > 0)
            continue;
        if (last >= 0) {
            m->joint_order[m->n_joints] = m->n_joints;
            m->joint[m->n_joints++] = (struct mechanism_joint){
                .type = LK_JOINT_GEAR, .joint = {last, j}, .ratio = dice_uniform(&dice, -2, 2)};
        }
        last = last >= 0 ? -1 : j;
    }
}

static int is_known(enum lk_joint_type type)
{
    return type == LK_JOINT_SPHERICAL || type == LK_JOINT_REVOLUTE || type == LK_JOINT_FIXED ||
           type == LK_JOINT_UNIVERSAL || type == LK_JOINT_PRISMATIC ||
           type == LK_JOINT_CYLINDRICAL || type == LK_JOINT_PLANAR ||
           type == LK_JOINT_POINT_ON_LINE;
}

/* Remove or replace joints.
 * @now: new index of each joint, for references to it */
static void tame_joints(struct mechanism *m, unsigned keeps, int *now)
{
    int n = 0;

    for (int j = 0; j < m->n_joints; j++) {
        struct mechanism_joint *joint = &m->joint[j];

        now[j] = n;
        if (lk_coupled_joints(joint->type) > 0 && !(keeps & FIGURE_KEEPS_COUPLINGS))
            continue;
        for (int k = 0; k < lk_coupled_joints(joint->type); k++)
            joint->joint[k] = now[joint->joint[k]];
        joint->has_compliance &= (keeps & FIGURE_KEEPS_LAWS) != 0;
        joint->n_drives *= (keeps & FIGURE_KEEPS_DRIVES) != 0;
        if (keeps & FIGURE_KEEPS_JOINTS)
            ;
        else if (joint->type == LK_JOINT_SCREW) {
            joint->type = LK_JOINT_REVOLUTE;
        } else if (!is_known(joint->type)) {
            joint->type = LK_JOINT_SPHERICAL;
            memcpy(joint->point[1], joint->point[0], sizeof(joint->point[0]));
        }
        m->joint_order[n] = n;
        m->joint[n++] = *joint;
    }
    m->n_joints = n;
}

/* Remove inputs.
 * @now: new index of each input, for the drives that depend on one */
static void tame_inputs(struct mechanism *m, unsigned keeps, const int *joint_now, int *now)
{
    int n = 0;

    for (int i = 0; i < m->n_inputs; i++) {
        now[i] = n;
        if (m->input[i].type == LK_INPUT_DRIVE && !(keeps & FIGURE_KEEPS_DRIVES))
            continue;
        m->input[n] = m->input[i];
        m->input[n++].joint = m->input[i].joint < 0 ? -1 : joint_now[m->input[i].joint];
    }
    m->n_inputs = n;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < m->joint[j].n_drives; k++)
            if (m->joint[j].drive[k].type == LK_DRIVE_INPUT)
                m->joint[j].drive[k].input = now[m->joint[j].drive[k].input];
}

static int is_kept(const struct mechanism_force *f, unsigned keeps)
{
    return f->type >= LK_FORCE_CONSTANT_FORCE ||
           (keeps & (f->type == LK_FORCE_STOP ? FIGURE_KEEPS_STOPS : FIGURE_KEEPS_LAWS)) != 0;
}

void figure_tame(struct mechanism *m, unsigned keeps)
{
    int *now = zeros(m->n_joints, sizeof(int)), *input = zeros(m->n_inputs, sizeof(int)), n = 0;

    for (int b = 0; b < m->n_bodies && !(keeps & FIGURE_KEEPS_MASSLESS); b++)
        if (m->body[b].mass == 0) {
            m->body[b].mass = 1;
            for (int i = 0; i < 3; i++)
                m->body[b].inertia[i] = 0.02;
        }
    tame_joints(m, keeps, now);
    for (int i = 0; i < m->n_forces; i++)
        if (is_kept(&m->force[i], keeps)) {
            m->force[n] = m->force[i];
            m->force[n].joint = m->force[i].joint < 0 ? -1 : now[m->force[i].joint];
            n++;
        }
    m->n_forces = n;
    tame_inputs(m, keeps, now, input);
    free(now);
    free(input);
}

#define EASE_STIFFNESS 2e-3 /* small, because a body may have many */
#define EASE_DAMPING   0.1

static void ease_compliance(struct lk_compliance *c)
{
    for (int r = 0; r < 6; r++) {
        c->stiffness[r] *= EASE_STIFFNESS;
        c->damping[r] *= EASE_DAMPING;
    }
}

void figure_ease(struct mechanism *m)
{
    int n = 0;

    for (int i = 0; i < m->n_forces; i++) {
        struct mechanism_force *f = &m->force[i];

        if (f->type == LK_FORCE_FRICTION || f->has_table)
            continue;
        f->stiffness *= EASE_STIFFNESS;
        f->damping *= EASE_DAMPING;
        ease_compliance(&f->compliance);
        m->force[n++] = *f;
    }
    m->n_forces = n;
    for (int j = 0; j < m->n_joints; j++) {
        ease_compliance(&m->joint[j].compliance);
        for (int k = 0; k < m->joint[j].n_drives; k++) {
            struct mechanism_drive *d = &m->joint[j].drive[k];

            if (d->type == LK_DRIVE_INPUT)
                *d = (struct mechanism_drive){.type = LK_DRIVE_HARMONIC,
                                              .coordinate = d->coordinate,
                                              .amplitude = 0.05,
                                              .omega = 3};
        }
    }
    n = 0;
    for (int i = 0; i < m->n_inputs; i++)
        if (m->input[i].type != LK_INPUT_DRIVE)
            m->input[n++] = m->input[i];
    m->n_inputs = n;
}

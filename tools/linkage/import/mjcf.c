/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF, read from the model that MuJoCo itself compiles. Defaults, classes, angles and inertias of
 * shapes are resolved there. Facts that are easily missed: a body has any number of joints, of
 * which the first is the nearest to its parent; anchors and axes of joints are in the frame of the
 * body as modelled; in that pose the coordinate of a joint is its `ref`, in our model it is 0; an
 * armature is inertia about the axis only.
 *
 * If a body has several joints, each joint but the last leads to a massless link. The frame of a
 * link is at the anchor of its joint, with the axes of the body; the shift is in struct reading. An
 * armature becomes a rotor on the ground, coupled to the joint by a gear. It has the same kinetic
 * energy and no weight. */
#include "mjcf.h"
#include "xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORLD      0
#define GYRATION   0.1 /* [m] radius of gyration of a rotor; its mass has no effect */
#define NUMBER_MAX 1e30

/** struct reading - state of the reader.
 * @shift: for each body the vector from its frame to that of its link [m], in body axes
 * @link:  link of each body
 * @limb:  limb of each joint */
struct reading {
    const mjModel *m;
    const xmlNode *root;
    struct robot *robot;
    struct notes *notes;
    double (*shift)[3];
    int *link, *limb;
};

/* ---- names and lines ---- */

/* Return the line of the element with this name; 0: this file has no such element. */
static long find_line(const xmlNode *node, const char *kind, const char *name)
{
    long line = 0;

    FOR_EACH_CHILD(child, node)
    {
        size_t length = strlen(kind), own = strlen(xml_name(child));
        char *text = xml_attribute(child, "name");

        /* A <freejoint> is a joint, too. An actuator may be a <motor>, <position>, <velocity> and
         * so on. */
        if (text != NULL && strcmp(text, name) == 0 &&
            (length == 0 || (own >= length && strcmp(xml_name(child) + own - length, kind) == 0)))
            line = xmlGetLineNo(child);
        xmlFree(text);
        if (line == 0)
            line = find_line(child, kind, name);
        if (line != 0)
            break;
    }
    return line;
}

static long line_in(const struct reading *r, const char *section, const char *kind,
                    const char *name)
{
    const xmlNode *node = xml_child(r->root, section);

    return node != NULL ? find_line(node, kind, name) : 0;
}

/* Return the name in the file, or @kind and the number of the element. */
static const char *name_of(const struct reading *r, mjtObj type, const char *kind, int i,
                           char ret[64])
{
    const char *name = mj_id2name(r->m, (int)type, i);

    if (name != NULL && name[0] != '\0')
        return name;
    snprintf(ret, 64, "%s_%d", kind, i);
    return ret;
}

/* ---- numbers ---- */

static void check_numbers(const struct reading *r, const char *what, const mjtNum *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= NUMBER_MAX)) {
            note(r->notes, NOTE_ERROR, 0, "%s: %g is beyond %g, expected a smaller number", what,
                 x[i], NUMBER_MAX);
            return;
        }
}

static void check_model(const struct reading *r)
{
    const mjModel *m = r->m;

    check_numbers(r, "gravity", m->opt.gravity, 3);
    check_numbers(r, "pos of a body", m->body_pos, 3 * m->nbody);
    check_numbers(r, "orientation of a body", m->body_quat, 4 * m->nbody);
    check_numbers(r, "centre of a body", m->body_ipos, 3 * m->nbody);
    check_numbers(r, "mass of a body", m->body_mass, m->nbody);
    check_numbers(r, "inertia of a body", m->body_inertia, 3 * m->nbody);
    check_numbers(r, "ref of a joint", m->qpos0, m->nq);
    check_numbers(r, "springref of a joint", m->qpos_spring, m->nq);
    check_numbers(r, "pos of a joint", m->jnt_pos, 3 * m->njnt);
    check_numbers(r, "axis of a joint", m->jnt_axis, 3 * m->njnt);
    check_numbers(r, "stiffness of a joint", m->jnt_stiffness, m->njnt);
    check_numbers(r, "range of a joint", m->jnt_range, 2 * m->njnt);
    check_numbers(r, "damping of a joint", m->dof_damping, m->nv);
    check_numbers(r, "armature of a joint", m->dof_armature, m->nv);
    check_numbers(r, "frictionloss of a joint", m->dof_frictionloss, m->nv);
    check_numbers(r, "numbers of an equality", m->eq_data, mjNEQDATA * m->neq);
}

static bool is_disabled(const struct reading *r, int flag)
{
    return (r->m->opt.disableflags & flag) != 0;
}

static void tell_memory(const struct reading *r)
{
    note(r->notes, NOTE_ERROR, 0, "more than %d bodies or joints, or no memory, expected fewer",
         IMPORT_ITEMS_MAX);
}

/* ---- joints ---- */

static void read_limits(const struct reading *r, int j, struct limb *limb)
{
    const mjModel *m = r->m;
    double ref = m->qpos0[m->jnt_qposadr[j]];

    if (!m->jnt_limited[j] || is_disabled(r, mjDSBL_LIMIT))
        return;
    limb->has_limits = true;
    limb->lower = m->jnt_range[2 * j] - ref;
    limb->upper = m->jnt_range[2 * j + 1] - ref;
    if (ref != 0)
        note(r->notes, NOTE_SAID, limb->line,
             "joint '%s' has the ref %g: its coordinate is 0 there, its limits are %g and %g",
             limb->name, ref, limb->lower, limb->upper);
}

/* Read the force laws along a coordinate. */
static void read_laws(const struct reading *r, int j, struct limb *limb)
{
    const mjModel *m = r->m;
    int q = m->jnt_qposadr[j], v = m->jnt_dofadr[j];

    if (!is_disabled(r, mjDSBL_PASSIVE)) {
        limb->stiffness = m->jnt_stiffness[j];
        limb->rest = m->qpos_spring[q] - m->qpos0[q];
        limb->damping = m->dof_damping[v];
    }
    if (!is_disabled(r, mjDSBL_FRICTIONLOSS))
        limb->friction = m->dof_frictionloss[v];
    if (limb->stiffness < 0 || limb->damping < 0 || limb->friction < 0)
        note(r->notes, NOTE_ERROR, limb->line,
             "joint '%s' has the stiffness %g, damping %g, frictionloss %g, expected 0 or more",
             limb->name, limb->stiffness, limb->damping, limb->friction);
}

/* Warn about properties of a free or ball joint that our format cannot represent. */
static void tell_left(const struct reading *r, int j, const struct limb *limb)
{
    const mjModel *m = r->m;
    bool is_free = m->jnt_type[j] == mjJNT_FREE;
    double damping = 0, friction = 0, armature = 0;

    for (int v = m->jnt_dofadr[j]; v < m->jnt_dofadr[j] + (is_free ? 6 : 3); v++) {
        damping = fmax(damping, m->dof_damping[v]);
        friction = fmax(friction, m->dof_frictionloss[v]);
        armature = fmax(armature, m->dof_armature[v]);
    }
    if (damping > 0 || friction > 0 || armature > 0 || m->jnt_stiffness[j] > 0 || m->jnt_limited[j])
        note(r->notes, NOTE_WRONG, limb->line,
             "%s joint '%s': stiffness %g, damping %g, frictionloss %g, armature %g%s are left out",
             is_free ? "free" : "ball", limb->name, m->jnt_stiffness[j], damping, friction,
             armature, m->jnt_limited[j] ? " and a limit" : "");
}

/* Add a rotor for an armature: a link on the ground that rotates or slides like the joint and has
 * no weight. */
static void add_rotor(const struct reading *r, int j, int of)
{
    const mjModel *m = r->m;
    double armature = m->dof_armature[m->jnt_dofadr[j]], *axis;
    char name[300];
    struct link *link;
    struct limb *limb;

    snprintf(name, sizeof(name), "%.250s_rotor", r->robot->limbs[of].name);
    link = robot_link(r->robot, name);
    limb = robot_limb(r->robot, name);
    if (link == NULL || limb == NULL) {
        tell_memory(r);
        return;
    }
    limb->kind = r->robot->limbs[of].kind;
    limb->line = link->line = r->robot->limbs[of].line;
    limb->parent = r->link[WORLD];
    limb->child = (int)(link - r->robot->links);
    limb->mimic_name = strdup(r->robot->limbs[of].name);
    limb->is_rotor = link->is_rotor = link->has_inertial = true;
    link->mass = armature;
    if (limb->kind == KIND_REVOLUTE) {
        link->mass = armature / (GYRATION * GYRATION);
        link->inertia[0] = link->inertia[1] = link->inertia[2] = armature;
    } else { /* the rotor moves perpendicular to gravity */
        int least = 0;

        for (int i = 1; i < 3; i++)
            if (fabs(m->opt.gravity[i]) < fabs(m->opt.gravity[least]))
                least = i;
        axis = limb->axis;
        memset(axis, 0, 3 * sizeof(*axis));
        axis[least] = 1;
        if (m->opt.gravity[least] != 0) {
            const mjtNum *g = m->opt.gravity;

            mju_cross(axis, g, (mjtNum[3]){axis[0], axis[1], axis[2]});
            mju_normalize3(axis);
        }
        memcpy(limb->child_axis, axis, 3 * sizeof(*axis));
    }
    note(r->notes, NOTE_SAID, limb->line,
         "the armature %g of joint '%s' is a rotor on the ground, '%s', which a gear turns",
         armature, r->robot->limbs[of].name, name);
}

/* Read joint @j of body @b between @parent and a new link.
 * @at: in: pose of the body's frame in @parent; out: its pose in the new link
 * Return: the new link, or LINK_NONE. */
static int read_joint(const struct reading *r, int b, int j, int parent, struct frame *at)
{
    static const enum joint_kind kinds[] = {[mjJNT_FREE] = KIND_FLOATING,
                                            [mjJNT_BALL] = KIND_SPHERICAL,
                                            [mjJNT_SLIDE] = KIND_PRISMATIC,
                                            [mjJNT_HINGE] = KIND_REVOLUTE};
    const mjModel *m = r->m;
    const char *body, *name;
    char number[64], own[64], inner[300];
    bool is_last = j == m->body_jntadr[b] + m->body_jntnum[b] - 1;
    struct frame anchor = frame_unity;
    struct link *link;
    struct limb *limb;

    body = name_of(r, mjOBJ_BODY, "body", b, number);
    name = name_of(r, mjOBJ_JOINT, "joint", j, own);
    snprintf(inner, sizeof(inner), "%.250s_%d", body, j - m->body_jntadr[b] + 1);
    link = robot_link(r->robot, is_last ? body : inner);
    limb = robot_limb(r->robot, name);
    if (link == NULL || limb == NULL) {
        tell_memory(r);
        return LINK_NONE;
    }
    r->limb[j] = (int)(limb - r->robot->limbs);
    link->line = line_in(r, "worldbody", "body", body);
    limb->line = line_in(r, "worldbody", "joint", name);
    limb->kind = kinds[m->jnt_type[j]];
    limb->parent = parent;
    limb->child = (int)(link - r->robot->links);
    if (m->jnt_type[j] != mjJNT_FREE)
        memcpy(anchor.r, m->jnt_pos + 3 * j, sizeof(anchor.r));
    frame_in(at, &anchor, &limb->origin);
    frame_inverse(&anchor, at);
    if (has_coordinate(limb)) {
        memcpy(limb->axis, m->jnt_axis + 3 * j, sizeof(limb->axis));
        memcpy(limb->child_axis, limb->axis, sizeof(limb->axis));
        read_limits(r, j, limb);
        read_laws(r, j, limb);
    } else
        tell_left(r, j, limb);
    return (int)(link - r->robot->links);
}

/* ---- bodies ---- */

static int read_welded(const struct reading *r, int b, int parent, const struct frame *at)
{
    char number[64];
    const char *name = name_of(r, mjOBJ_BODY, "body", b, number);
    struct link *link = robot_link(r->robot, name);
    struct limb *limb = robot_limb(r->robot, name);

    if (link == NULL || limb == NULL) {
        tell_memory(r);
        return LINK_NONE;
    }
    link->line = limb->line = line_in(r, "worldbody", "body", name);
    limb->kind = KIND_FIXED;
    limb->parent = parent;
    limb->child = (int)(link - r->robot->links);
    limb->origin = *at;
    if (r->m->body_mocapid[b] >= 0)
        note(r->notes, NOTE_WRONG, link->line, "body '%s' is moved from outside: it stands", name);
    return (int)(link - r->robot->links);
}

static void read_inertia(const struct reading *r, int b, struct link *link)
{
    const mjModel *m = r->m;
    double length = mju_norm(m->body_iquat + 4 * b, 4);

    link->inertial_line = link->line;
    link->mass = m->body_mass[b];
    link->has_inertial = link->mass != 0 || m->body_inertia[3 * b + 2] != 0;
    for (int i = 0; i < 3; i++) {
        link->centre.r[i] = m->body_ipos[3 * b + i] + r->shift[b][i];
        link->inertia[i] = m->body_inertia[3 * b + i];
    }
    for (int i = 0; i < 4 && length > 0; i++)
        link->centre.q[i] = m->body_iquat[4 * b + i] / length;
}

static void read_body(const struct reading *r, int b)
{
    const mjModel *m = r->m;
    int parent = m->body_parentid[b], link = r->link[parent], n = m->body_jntnum[b];
    double length = mju_norm(m->body_quat + 4 * b, 4);
    struct frame at = frame_unity;

    for (int i = 0; i < 3; i++)
        at.r[i] = m->body_pos[3 * b + i] + r->shift[parent][i];
    for (int i = 0; i < 4 && length > 0; i++)
        at.q[i] = m->body_quat[4 * b + i] / length;
    if (n == 0) {
        link = read_welded(r, b, link, &at);
        at = frame_unity;
    }
    for (int k = 0; k < n && link != LINK_NONE; k++)
        link = read_joint(r, b, m->body_jntadr[b] + k, link, &at);
    if (link == LINK_NONE)
        return;
    memcpy(r->shift[b], at.r, sizeof(at.r));
    r->link[b] = link;
    read_inertia(r, b, &r->robot->links[link]);
}

static void read_bodies(const struct reading *r)
{
    struct link *world = robot_link(r->robot, "world");

    if (world == NULL) {
        tell_memory(r);
        return;
    }
    r->link[WORLD] = 0;
    for (int b = 1; b < r->m->nbody && r->notes->n_errors == 0; b++)
        read_body(r, b);
    for (int j = 0; j < r->m->njnt && r->notes->n_errors == 0; j++)
        if (r->m->jnt_type[j] >= mjJNT_SLIDE && r->m->dof_armature[r->m->jnt_dofadr[j]] > 0)
            add_rotor(r, j, r->limb[j]);
}

/* ---- equalities ---- */

static void leave_out(const struct reading *r, long line, const char *name, const char *why)
{
    note(r->notes, NOTE_WRONG, line, "equality '%s' is left out: %s", name, why);
}

/* Add a joint that closes a loop between the frames of two bodies.
 * @on:   point on each body, in the axes of the body
 * @turn: orientation on the first body */
static void tie_bodies(const struct reading *r, int e, enum joint_kind kind, const char *name,
                       const mjtNum *const on[2], const mjtNum *turn)
{
    const int body[2] = {r->m->eq_obj1id[e], r->m->eq_obj2id[e]};
    struct limb *limb = robot_limb(r->robot, name);

    if (limb == NULL) {
        tell_memory(r);
        return;
    }
    limb->line = line_in(r, "equality", "", name);
    limb->kind = kind;
    limb->closes = true;
    limb->parent = r->link[body[0]];
    limb->child = r->link[body[1]];
    for (int i = 0; i < 3; i++) {
        limb->origin.r[i] = on[0][i] + r->shift[body[0]][i];
        limb->closing.r[i] = on[1][i] + r->shift[body[1]][i];
    }
    if (turn != NULL)
        memcpy(limb->origin.q, turn, sizeof(limb->origin.q));
}

/* Couple two joints: q1 = a0 + a1 q2, both relative to the modelled configuration. */
static void tie_joints(const struct reading *r, int e, long line, const char *name)
{
    const mjtNum *a = r->m->eq_data + mjNEQDATA * e;
    int one = r->limb[r->m->eq_obj1id[e]];
    int other = r->m->eq_obj2id[e] >= 0 ? r->limb[r->m->eq_obj2id[e]] : LINK_NONE;
    struct limb *limb = &r->robot->limbs[one];

    if (a[2] != 0 || a[3] != 0 || a[4] != 0)
        leave_out(r, line, name, "its polynomial is not linear");
    else if (limb->mimic_name != NULL || limb->locked)
        leave_out(r, line, name, "its joint follows another one already");
    else if (other == LINK_NONE || a[1] == 0) {
        limb->locked = true;
        limb->value = a[0];
    } else if (r->robot->limbs[other].kind != limb->kind)
        leave_out(r, line, name, "it relates an angle and a displacement");
    else {
        limb->mimic_name = strdup(r->robot->limbs[other].name);
        limb->mimic_line = line;
        limb->multiplier = a[1];
        limb->offset = a[0];
    }
}

/* Read an equality constraint. Layout of eq_data: for connect a point of each body; for weld a
 * point of the second body, a point of the first, and the orientation of the second in the
 * first. */
static void read_equality(const struct reading *r, int e)
{
    const mjtNum *d = r->m->eq_data + mjNEQDATA * e;
    char number[64];
    const char *name = name_of(r, mjOBJ_EQUALITY, "equality", e, number);
    long line = line_in(r, "equality", "", name);

    if (!r->m->eq_active[e])
        leave_out(r, line, name, "it is not active");
    else if (r->m->eq_type[e] == mjEQ_CONNECT)
        tie_bodies(r, e, KIND_SPHERICAL, name, (const mjtNum *const[]){d, d + 3}, NULL);
    else if (r->m->eq_type[e] == mjEQ_WELD)
        tie_bodies(r, e, KIND_FIXED, name, (const mjtNum *const[]){d + 3, d}, d + 6);
    else if (r->m->eq_type[e] == mjEQ_JOINT)
        tie_joints(r, e, line, name);
    else
        leave_out(r, line, name, "it is of tendons or distances");
}

/* ---- actuators ---- */

/* Return true if the actuator applies a force along the coordinate of a joint.
 * @ret: largest force, or INFINITY */
static bool is_motor(const struct reading *r, int a, double *ret)
{
    const mjModel *m = r->m;
    const mjtNum *range = m->actuator_ctrlrange + 2 * a, *force = m->actuator_forcerange + 2 * a;
    double largest = INFINITY, gear = fabs(m->actuator_gear[6 * a]);

    if (m->actuator_trntype[a] != mjTRN_JOINT || m->actuator_dyntype[a] != mjDYN_NONE ||
        m->actuator_gaintype[a] != mjGAIN_FIXED || m->actuator_biastype[a] != mjBIAS_NONE ||
        m->jnt_type[m->actuator_trnid[2 * a]] < mjJNT_SLIDE)
        return false;
    if (m->actuator_ctrllimited[a])
        largest = fabs(m->actuator_gainprm[mjNGAIN * a]) * fmax(fabs(range[0]), fabs(range[1]));
    if (m->actuator_forcelimited[a])
        largest = fmin(largest, fmax(fabs(force[0]), fabs(force[1])));
    *ret = largest * gear;
    return *ret > 0 && (*ret <= NUMBER_MAX || isinf(largest));
}

static void read_actuator(const struct reading *r, int a)
{
    char number[64];
    const char *name = name_of(r, mjOBJ_ACTUATOR, "actuator", a, number);
    struct limb *limb;
    double effort;

    if (!is_motor(r, a, &effort)) {
        note(r->notes, NOTE_WRONG, line_in(r, "actuator", "", name),
             "actuator '%s' is left out: it is no force or torque at a joint", name);
        return;
    }
    limb = &r->robot->limbs[r->limb[r->m->actuator_trnid[2 * a]]];
    if (limb->effort > 0)
        note(r->notes, NOTE_SAID, line_in(r, "actuator", "", name),
             "actuator '%s' is part of input '%s' of the same joint", name, limb->motor);
    else
        snprintf(limb->motor, sizeof(limb->motor), "%s", name);
    limb->effort += effort;
}

/* ---- the file ---- */

static void read_world(const struct reading *r)
{
    bool weighs = !is_disabled(r, mjDSBL_GRAVITY);

    for (int i = 0; i < 3; i++)
        r->robot->gravity[i] = weighs ? r->m->opt.gravity[i] : 0;
    if (r->m->opt.density > 0 || r->m->opt.viscosity > 0)
        note(r->notes, NOTE_WRONG, 0,
             "the air of the file, density %g and viscosity %g, is left out", r->m->opt.density,
             r->m->opt.viscosity);
}

static void tell_rest(const struct reading *r)
{
    const mjModel *m = r->m;
    int touching = 0;

    for (int t = 0; t < m->ntendon; t++) {
        char number[64];
        const char *name = name_of(r, mjOBJ_TENDON, "tendon", t, number);

        note(r->notes, NOTE_WRONG, line_in(r, "tendon", "", name), "tendon '%s' is left out", name);
    }
    for (int g = 0; g < m->ngeom; g++)
        touching += m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0;
    if (touching > 0)
        note(r->notes, NOTE_SAID, 0, "not read: contacts between %d shapes", touching);
}

static void read_shapes(const struct reading *r)
{
    struct mjcf_drawn drawn = {0};

    for (int b = 0; b < r->m->nbody; b++)
        mjcf_draw_body(r->m, b, r->link[b], r->shift[b], r->robot, &drawn);
    if (drawn.n_boxes > 0)
        note(r->notes, NOTE_SAID, 0, "drawn as bounding boxes: %d mesh%s or ellipsoid%s",
             drawn.n_boxes, drawn.n_boxes == 1 ? "" : "es", drawn.n_boxes == 1 ? "" : "s");
    if (drawn.undrawn.n > 0)
        note(r->notes, NOTE_SAID, 0, "not read: %d shape%s (%s)", drawn.undrawn.n,
             drawn.undrawn.n == 1 ? "" : "s", drawn.undrawn.names);
}

static void read_model(const struct reading *r)
{
    const char *name = r->m->names; /* the first name is that of the model */

    r->robot->name = strdup(name[0] != '\0' ? name : "robot");
    r->robot->says_root = true;
    check_model(r);
    if (r->notes->n_errors > 0)
        return;
    read_world(r);
    read_bodies(r);
    if (r->notes->n_errors > 0)
        return;
    for (int e = 0; e < r->m->neq && !is_disabled(r, mjDSBL_EQUALITY); e++)
        read_equality(r, e);
    for (int a = 0; a < r->m->nu; a++)
        read_actuator(r, a);
    read_shapes(r);
    tell_rest(r);
}

void mjcf_read(const char *path, const char *text, size_t size, const xmlNode *root,
               struct robot *robot, struct notes *notes)
{
    mjModel *m = mjcf_compile(path, text, size, root, notes);
    struct reading r = {.m = m, .root = root, .robot = robot, .notes = notes};

    if (m == NULL)
        return;
    r.shift = calloc((size_t)m->nbody, sizeof(*r.shift));
    r.link = calloc((size_t)m->nbody, sizeof(*r.link));
    r.limb = calloc((size_t)m->njnt + 1, sizeof(*r.limb));
    if (r.shift != NULL && r.link != NULL && r.limb != NULL)
        read_model(&r);
    else
        note(notes, NOTE_ERROR, 0, "no memory");
    free(r.shift);
    free(r.link);
    free(r.limb);
    mj_deleteModel(m);
}

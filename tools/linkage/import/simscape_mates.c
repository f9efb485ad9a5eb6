/* SPDX-License-Identifier: Apache-2.0 */
/* Converts constraints between faces, edges and points of two instances to rows, and reads joints.
 * Two types of rows are sufficient (Haug, Computer Aided Kinematics and Dynamics of Mechanical
 * Systems, 1989, section 9.4): the dot product of a direction of each body, and the component of a
 * point of one body along a direction of the other. The rows keep their drawn values, so no
 * instance is moved. */
#include "simscape_assembly.h"

#include "maths/vec.h"

#include <math.h>
#include <string.h>

#define BENT 1e-3 /* below this angle a constraint means parallel directions [rad] */

/* ---- lookup of instances ---- */

static int find_piece(const struct assembly *a, int parent, const char *uid)
{
    for (int i = 1; i < a->n_pieces; i++)
        if (a->piece[i].parent == parent && strcmp(a->piece[i].uid, uid) == 0)
            return i;
    return LINK_NONE;
}

/* Return true if @uid denotes the assembly @piece itself, that is its own planes, axes and
 * points. */
static bool is_itself(const struct assembly *a, int piece, const char *uid)
{
    const struct piece *p = &a->piece[piece];
    const char *own = p->entity != NULL ? p->entity->uid : p->uid;

    return own != NULL && strcmp(own, uid) == 0;
}

/* Follow the <InstancePath> of @node from piece @base on. The path may begin with the assembly of
 * @base itself.
 * Return: the piece; LINK_NONE after a note. */
static int read_path(const struct assembly *a, const xmlNode *node, int base)
{
    const xmlNode *path = xml_child(node, "InstancePath");

    if (path == NULL) {
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no <InstancePath>",
             xml_name(node));
        return LINK_NONE;
    }
    FOR_EACH_CHILD(child, path)
    {
        char *uid = (char *)xmlNodeGetContent(child);
        int next = uid != NULL ? find_piece(a, base, uid) : LINK_NONE;

        if (next == LINK_NONE && uid != NULL && child == xml_first(path->children) &&
            is_itself(a, base, uid))
            next = base;
        if (next == LINK_NONE)
            note(a->r->notes, NOTE_ERROR, xmlGetLineNo(child), "there is no instance '%s' in %s",
                 uid != NULL ? uid : "", piece_name(a, base));
        xmlFree(uid);
        base = next;
        if (base == LINK_NONE)
            break;
    }
    return base;
}

/* ---- geometry ---- */

enum form { FORM_POINT, FORM_LINE, FORM_PLANE, FORM_UNKNOWN };

/** struct face - a face, edge or point of an instance.
 * @type:       type in the file
 * @at, @along: point and unit vector in the world */
struct face {
    char *type;
    enum form form;
    double at[3], along[3];
};

static enum form form_of(const char *type)
{
    static const struct {
        const char *type;
        enum form form;
    } forms[] = {{"point", FORM_POINT},   {"sphere", FORM_POINT}, {"line", FORM_LINE},
                 {"cylinder", FORM_LINE}, {"circle", FORM_LINE},  {"cone", FORM_LINE},
                 {"plane", FORM_PLANE},   {NULL, FORM_UNKNOWN}};

    for (size_t i = 0; type != NULL && forms[i].type != NULL; i++)
        if (strcmp(forms[i].type, type) == 0)
            return forms[i].form;
    return FORM_UNKNOWN;
}

static void read_face(const struct assembly *a, const xmlNode *node, int piece, struct face *face)
{
    const struct frame *frame = &a->piece[piece].frame;
    double length;

    face->form = form_of(face->type);
    if (face->form == FORM_UNKNOWN || !assembly_numbers(a, node, "Position", 3, face->at))
        return;
    for (int i = 0; i < 3; i++)
        face->at[i] *= a->length;
    frame_point(frame, face->at, face->at);
    if (face->form == FORM_POINT || !assembly_numbers(a, node, "Axis", 3, face->along))
        return;
    length = lk_norm(face->along);
    if (length < 1e-9)
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "<Axis> of <%s> is 0 0 0, expected a direction", xml_name(node));
    for (int i = 0; i < 3 && length >= 1e-9; i++)
        face->along[i] /= length;
    frame_direction(frame, face->along, face->along);
}

static bool is_type(const struct face *face, const char *type)
{
    return face->type != NULL && strcmp(face->type, type) == 0;
}

/* ---- rows ---- */

/** struct opening - violation of constraints as drawn: distance [m], deviation of directions [-] */
struct opening {
    double apart, bent;
};

static void add_turn(struct mate *mate, const double a[3], const double b[3])
{
    struct row *row = &mate->row[mate->n++];

    row->turns = true;
    memcpy(row->along, a, sizeof(row->along));
    memcpy(row->point, b, sizeof(row->point));
}

/* Add the row for the point of the other face along @along, a direction of face @side. */
static void add_move(struct mate *mate, const struct face face[2], int side, const double along[3],
                     struct opening *opening)
{
    struct row *row = &mate->row[mate->n++];
    double apart[3];

    memcpy(row->along, along, sizeof(row->along));
    memcpy(row->point, face[1 - side].at, sizeof(row->point));
    lk_sub(face[0].at, face[1].at, apart);
    opening->apart = lk_max(opening->apart, fabs(lk_dot(apart, along)));
}

/* Compute two unit vectors perpendicular to @n and to each other. */
static void make_across(const double n[3], double u[3], double v[3])
{
    double e[3] = {fabs(n[0]) < 0.6, 0, fabs(n[0]) >= 0.6}, length;

    lk_cross(n, e, u);
    length = lk_norm(u);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
    lk_cross(n, u, v);
}

static void add_parallel(struct mate *mate, const double a[3], const double b[3],
                         struct opening *opening)
{
    double u[3], v[3];

    make_across(a, u, v);
    add_turn(mate, u, b);
    add_turn(mate, v, b);
    opening->bent = lk_max(opening->bent, hypot(lk_dot(u, b), lk_dot(v, b)));
}

static void add_square(struct mate *mate, const struct face face[2], struct opening *opening)
{
    add_turn(mate, face[0].along, face[1].along);
    opening->bent = lk_max(opening->bent, fabs(lk_dot(face[0].along, face[1].along)));
}

/* Add the rows for two coincident faces: position and direction. Two planes may have a distance. */
static void add_on(struct mate *mate, const struct face face[2], struct opening *opening)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int side = face[1].form > face[0].form; /* the face whose form has more directions */
    enum form form = face[side].form, other = face[1 - side].form;
    double u[3], v[3];

    if (form != FORM_POINT && form == other)
        add_parallel(mate, face[0].along, face[1].along, opening);
    if (form == FORM_PLANE && other == FORM_LINE)
        add_square(mate, face, opening);
    if (form == FORM_PLANE)
        add_move(mate, face, side, face[side].along, opening);
    if (form == FORM_LINE) {
        make_across(face[side].along, u, v);
        add_move(mate, face, side, u, opening);
        add_move(mate, face, side, v, opening);
    }
    for (int i = 0; i < 3 && form == FORM_POINT; i++)
        add_move(mate, face, side, axes[i], opening);
}

/* Add the rows for coincident faces. For a cylinder, cone or sphere its axis or centre is used, as
 * in Inventor. For a circle its plane is used, for two circles both plane and centre. */
static bool make_coincident(struct mate *mate, struct face face[2], struct opening *opening)
{
    bool circles = is_type(&face[0], "circle") && is_type(&face[1], "circle");

    for (int i = 0; i < 2; i++) {
        if (!is_type(&face[i], "circle") || circles)
            continue;
        if (face[1 - i].form != FORM_PLANE)
            return false;
        face[i].form = FORM_PLANE;
    }
    add_on(mate, face, opening);
    if (circles)
        add_move(mate, face, 0, face[0].along, opening);
    return true;
}

static bool make_concentric(struct mate *mate, struct face face[2], struct opening *opening)
{
    if (face[0].form == FORM_PLANE || face[1].form == FORM_PLANE)
        return false;
    add_on(mate, face, opening);
    return true;
}

/* Add the rows for a distance or a tangency, which keeps its drawn value. One of the faces must be
 * a plane. */
static bool make_distance(struct mate *mate, struct face face[2], struct opening *opening)
{
    struct opening any = {0};

    if ((face[0].form != FORM_PLANE && face[1].form != FORM_PLANE) || is_type(&face[0], "cone") ||
        is_type(&face[1], "cone"))
        return false;
    add_on(mate, face, &any);
    opening->bent = any.bent;
    return true;
}

static bool make_parallel(struct mate *mate, struct face face[2], struct opening *opening)
{
    if (face[0].form == FORM_POINT || face[1].form == FORM_POINT)
        return false;
    if (face[0].form == face[1].form)
        add_parallel(mate, face[0].along, face[1].along, opening);
    else
        add_square(mate, face, opening);
    return true;
}

static bool make_perpendicular(struct mate *mate, struct face face[2], struct opening *opening)
{
    if (face[0].form == FORM_POINT || face[1].form == FORM_POINT)
        return false;
    if (face[0].form == face[1].form)
        add_square(mate, face, opening);
    else
        add_parallel(mate, face[0].along, face[1].along, opening);
    return true;
}

static bool make_angle(struct mate *mate, struct face face[2], struct opening *opening)
{
    double across[3];

    if (face[0].form == FORM_POINT || face[1].form == FORM_POINT)
        return false;
    lk_cross(face[0].along, face[1].along, across);
    if (lk_norm(across) < BENT)
        add_parallel(mate, face[0].along, face[1].along, opening);
    else
        add_turn(mate, face[0].along, face[1].along);
    return true;
}

/* ---- constraints ---- */

static const struct {
    const char *name;
    bool (*make)(struct mate *mate, struct face face[2], struct opening *opening);
} kinds[] = {{"Coincident", make_coincident}, {"Concentric", make_concentric},
             {"Distance", make_distance},     {"Tangent", make_distance},
             {"Parallel", make_parallel},     {"Perpendicular", make_perpendicular},
             {"Angle", make_angle},           {NULL, NULL}};

/* Compute the rows of a constraint between two faces. */
static void make_rows(const struct assembly *a, const xmlNode *node, struct mate *mate,
                      struct face face[2])
{
    struct opening opening = {0};
    size_t k = 0;

    while (kinds[k].name != NULL && !xml_is(node, kinds[k].name))
        k++;
    if (kinds[k].name == NULL || !kinds[k].make(mate, face, &opening))
        note(a->r->notes, NOTE_ERROR, mate->line,
             "<%s> '%s' of a %s of '%s' and a %s of '%s' is not known here: make it of others",
             xml_name(node), mate->name, face[0].type, piece_name(a, mate->piece[0]), face[1].type,
             piece_name(a, mate->piece[1]));
    if (opening.apart > APART || opening.bent > BENT)
        note(a->r->notes, NOTE_WRONG, mate->line,
             "<%s> '%s' of '%s' and '%s' is open as drawn, by %.3g m and %.3g rad", xml_name(node),
             mate->name, piece_name(a, mate->piece[0]), piece_name(a, mate->piece[1]),
             opening.apart, opening.bent);
}

/* Join both instances rigidly, for a constraint without exported details. Simscape does the
 * same. */
static void hold_rigid(struct assembly *a, const xmlNode *node, const struct mate *mate)
{
    const double *at = a->piece[mate->piece[1]].frame.r;
    struct tie *tie;

    if (!xml_is(node, "Fixed"))
        note(a->r->notes, NOTE_WRONG, mate->line,
             "<%s> '%s' does not say what it is: '%s' and '%s' are held rigidly, as Simscape does",
             xml_name(node), mate->name, piece_name(a, mate->piece[0]),
             piece_name(a, mate->piece[1]));
    if (a->piece[mate->piece[0]].held == a->piece[mate->piece[1]].held)
        return;
    tie = assembly_tie(a, mate->name, mate->line, mate->piece, at, at);
    assembly_hold(a, mate->piece[0], mate->piece[1]);
    if (tie != NULL)
        tie->part[tie->n++].kind = KIND_FIXED;
}

/* Read both <ConstraintGeometry> of @node. */
static void read_faces(struct assembly *a, const xmlNode *node, int base, struct mate *mate)
{
    struct face face[2] = {{0}};
    bool rigid =
        xml_is(node, "UnknownConstraint") || xml_is(node, "Unknown") || xml_is(node, "Fixed");
    int n = 0;

    FOR_EACH_CHILD(child, node)
    {
        if (!xml_is(child, "ConstraintGeometry") || n == 2)
            continue;
        mate->piece[n] = read_path(a, child, base);
        face[n].type = xml_attribute(child, "geomType");
        if (mate->piece[n] != LINK_NONE && !rigid)
            read_face(a, child, mate->piece[n], &face[n]);
        if (face[n].form == FORM_UNKNOWN && !rigid)
            note(a->r->notes, NOTE_ERROR, xmlGetLineNo(child),
                 "geomType of <%s> '%s' is '%s', expected point, line, plane, circle, cylinder, "
                 "cone or sphere",
                 xml_name(node), mate->name, face[n].type != NULL ? face[n].type : "");
        n++;
    }
    if (n < 2)
        note(a->r->notes, NOTE_ERROR, mate->line,
             "<%s> '%s' has %d <ConstraintGeometry>, expected 2", xml_name(node), mate->name, n);
    else if (a->r->notes->n_errors == 0 && rigid)
        hold_rigid(a, node, mate);
    else if (a->r->notes->n_errors == 0)
        make_rows(a, node, mate, face);
    xmlFree(face[0].type);
    xmlFree(face[1].type);
}

static char *read_name(const xmlNode *node)
{
    char *name = xml_attribute(node, "name");

    return name != NULL ? name : (char *)xmlStrdup(node->name);
}

static void read_mate(struct assembly *a, const xmlNode *node, int base)
{
    struct mate *mate = &a->mate[a->n_mates];
    char *name = a->n_mates < IMPORT_ITEMS_MAX ? read_name(node) : NULL;

    if (name == NULL) {
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "more than %d constraints, or no memory, expected fewer", IMPORT_ITEMS_MAX);
        return;
    }
    *mate = (struct mate){.name = name, .line = xmlGetLineNo(node)};
    a->n_mates++;
    read_faces(a, node, base, mate);
}

/* ---- joints ---- */

/* Primitives of the joint types, from base to follower. Each is about or along an axis of the
 * base. */
static const struct {
    const char *name;
    int n;
    struct {
        enum joint_kind kind;
        int axis;
    } part[3];
} joints[] = {{"Weld", 1, {{KIND_FIXED, 2}}},
              {"Revolute", 1, {{KIND_REVOLUTE, 2}}},
              {"Prismatic", 1, {{KIND_PRISMATIC, 2}}},
              {"Cylindrical", 1, {{KIND_CYLINDRICAL, 2}}},
              {"Planar", 1, {{KIND_PLANAR, 2}}},
              {"Spherical", 1, {{KIND_SPHERICAL, 2}}},
              {"PinSlot", 2, {{KIND_PRISMATIC, 0}, {KIND_REVOLUTE, 2}}},
              {"Rectangular", 2, {{KIND_PRISMATIC, 0}, {KIND_PRISMATIC, 1}}},
              {"Cartesian", 3, {{KIND_PRISMATIC, 0}, {KIND_PRISMATIC, 1}, {KIND_PRISMATIC, 2}}},
              {NULL, 0, {{KIND_FIXED, 0}}}};

/* Check that the displacement between both frames is allowed by the primitives of @tie. */
static void judge_frames(const struct assembly *a, const xmlNode *node, const struct tie *tie,
                         const struct frame frame[2])
{
    static const double z[3] = {0, 0, 1};
    bool has_axis = tie->part[0].kind != KIND_SPHERICAL;
    double axis[2][3], apart[3], across[3], bent;

    lk_sub(tie->at[1], tie->at[0], apart);
    for (int k = 0; k < tie->n; k++) {
        const struct part *part = &tie->part[k];
        double along = lk_dot(apart, part->axis);

        for (int i = 0; i < 3; i++)
            if (part->kind == KIND_PLANAR)
                apart[i] = along * part->axis[i];
            else if (part->kind == KIND_PRISMATIC || part->kind == KIND_CYLINDRICAL)
                apart[i] -= along * part->axis[i];
    }
    for (int k = 0; k < 2; k++)
        frame_direction(&frame[k], z, axis[k]);
    lk_cross(axis[0], axis[1], across);
    bent = has_axis ? lk_norm(across) : 0;
    if (lk_norm(apart) > APART || bent > BENT)
        note(a->r->notes, NOTE_WRONG, tie->line,
             "the frames of joint '%s' (<%s>) are %.3g m apart, their axes %.3g rad", tie->name,
             xml_name(node), lk_norm(apart), bent);
}

/* Place a sliding joint at the drawn position of its follower, and compute its coordinate there. */
static void place_joint(struct tie *tie, const struct frame frame[2])
{
    struct frame back, relative;
    bool slides = tie->part[0].kind == KIND_PRISMATIC || tie->part[0].kind == KIND_CYLINDRICAL ||
                  tie->part[0].kind == KIND_PLANAR;

    frame_inverse(&frame[0], &back);
    frame_in(&back, &frame[1], &relative);
    if (slides)
        memcpy(tie->at[0], tie->at[1], sizeof(tie->at[0]));
    if (tie->n == 1 && tie->part[0].kind == KIND_PRISMATIC)
        tie->value = relative.r[2];
    else if (tie->n == 1 && tie->part[0].kind == KIND_REVOLUTE)
        tie->value = remainder(2 * atan2(relative.q[3], relative.q[0]), 2 * M_PI);
}

/* Read both sides of a joint: pieces, and frames in the world.
 * Return: false after a note. */
static bool read_sides(struct assembly *a, const xmlNode *node, int base, int piece[2],
                       struct frame frame[2])
{
    static const char *const sides[2] = {"BaseFrame", "FollowerFrame"};

    for (int k = 0; k < 2; k++) {
        const xmlNode *side = xml_child(node, sides[k]);

        if (side == NULL) {
            note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no <%s>", xml_name(node),
                 sides[k]);
            return false;
        }
        piece[k] = read_path(a, side, base);
        if (piece[k] == LINK_NONE || !assembly_frame(a, side, &frame[k]))
            return false;
        frame_in(&a->piece[piece[k]].frame, &frame[k], &frame[k]);
    }
    return true;
}

static void make_joint(struct assembly *a, const xmlNode *node, const char *name, int base)
{
    struct frame frame[2];
    struct tie *tie;
    size_t k = 0;
    int piece[2];

    while (joints[k].name != NULL && !xml_is(node, joints[k].name))
        k++;
    if (!read_sides(a, node, base, piece, frame) || xml_is(node, "SixDof"))
        return;
    if (joints[k].name == NULL) {
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "joint '%s' of '%s' and '%s' is <%s>, which is not known here", name,
             piece_name(a, piece[0]), piece_name(a, piece[1]), xml_name(node));
        return;
    }
    tie = assembly_tie(a, name, xmlGetLineNo(node), piece, frame[0].r, frame[1].r);
    if (tie == NULL)
        return;
    for (tie->n = 0; tie->n < joints[k].n; tie->n++) {
        double axis[3] = {0};

        axis[joints[k].part[tie->n].axis] = 1;
        tie->part[tie->n].kind = joints[k].part[tie->n].kind;
        frame_direction(&frame[0], axis, tie->part[tie->n].axis);
    }
    judge_frames(a, node, tie, frame);
    place_joint(tie, frame);
    if (a->piece[piece[0]].held == a->piece[piece[1]].held) {
        tie->done = true;
        note(a->r->notes, NOTE_SAID, tie->line,
             "joint '%s' is left out: '%s' and '%s' are one body", name, piece_name(a, piece[0]),
             piece_name(a, piece[1]));
    } else if (tie->part[0].kind == KIND_FIXED) {
        assembly_hold(a, piece[0], piece[1]);
    }
}

void read_mates(struct assembly *a, const xmlNode *node, int base)
{
    const xmlNode *mates = xml_child(node, "Constraints"), *list = xml_child(node, "Joints");

    if (mates != NULL)
        FOR_EACH_CHILD(mate, mates)
        {
            if (a->r->notes->n_errors == 0)
                read_mate(a, mate, base);
        }
    if (list != NULL)
        FOR_EACH_CHILD(joint, list)
        {
            char *name = a->r->notes->n_errors == 0 ? read_name(joint) : NULL;

            if (name != NULL)
                make_joint(a, joint, name, base);
            xmlFree(name);
        }
}

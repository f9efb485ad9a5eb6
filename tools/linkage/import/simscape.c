/* SPDX-License-Identifier: Apache-2.0 */
/* Simscape Multibody, first generation: files <PhysicalModelingXMLFile>, which SimMechanics Link
 * writes from an assembly of SolidWorks, Creo or Inventor. They contain bodies, frames and joints,
 * including those of loops. All vectors are in the axes of the assembly, WORLD. Facts that are
 * easily missed: texts are in quotation marks; an orientation lists the three axes of the frame one
 * after the other, three numbers each (rows and columns can be told apart at a hinge in a rotated
 * part: its axis is the third triple); the inertia tensor is about the CG, in the axes of the CG; a
 * joint is a list of primitives, and either side of it may be nearer to the ground. The file does
 * not contain gravity.
 *
 * All links have the axes of the world. Their origins, in struct reading, are at the joint that
 * leads to them. If a joint has several primitives, massless links connect them. */
#include "simscape.h"
#include "xml.h"

#include "maths/vec.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_GENERATION "SimscapeMultibodyImportXML"

#define DEPTH_MAX   64
#define PLACES_MAX  16384
#define DENSITY_MIN 1.0 /* plausible density of parts [kg/m^3], from foam to gold */
#define DENSITY_MAX 3e4

/* ---- texts and numbers ---- */

/* Return the text of the element @name of @node without quotation marks, to be freed; NULL: there
 * is no such element. */
static char *text_of(const xmlNode *node, const char *name)
{
    const xmlNode *child = xml_child(node, name);
    char *text = child != NULL ? (char *)xmlNodeGetContent(child) : NULL, *copy;
    const char *from = text;
    size_t n;

    if (text == NULL)
        return NULL;
    while (isspace((unsigned char)*from) || *from == '"')
        from++;
    n = strlen(from);
    while (n > 0 && (isspace((unsigned char)from[n - 1]) || from[n - 1] == '"'))
        n--;
    copy = strndup(from, n);
    xmlFree(text);
    return copy;
}

static long line_of(const xmlNode *node, const char *name)
{
    const xmlNode *child = xml_child(node, name);

    return xmlGetLineNo(child != NULL ? child : node);
}

/* Read @n numbers separated by commas. Return: true on success, false after a note. */
static bool read_numbers(const struct reading *r, const xmlNode *node, const char *name, int n,
                         double *ret)
{
    char *text = text_of(node, name);
    bool good;

    for (char *c = text; c != NULL && *c != '\0'; c++)
        if (*c == ',')
            *c = ' ';
    good = text != NULL && xml_parse_numbers(text, n, ret);
    if (!good)
        note(r->notes, NOTE_ERROR, line_of(node, name),
             "<%s> of <%s> is '%s', expected %d decimal number%s", name, xml_name(node),
             text != NULL ? text : "", n, n > 1 ? "s, apart by commas" : "");
    free(text);
    return good;
}

struct unit {
    const char *name;
    double size;
};

static const struct unit lengths[] = {{"m", 1},       {"cm", 1e-2},   {"mm", 1e-3},
                                      {"in", 0.0254}, {"ft", 0.3048}, {NULL, 0}};
static const struct unit masses[] = {{"kg", 1},           {"g", 1e-3},
                                     {"lbm", 0.45359237}, {"slug", 14.593902937206364},
                                     {"t", 1e3},          {NULL, 0}};

/* Return the size of a unit in SI units; 0: no unit has this name. */
static double unit_size(const struct unit *units, const char *name, size_t n)
{
    for (; units->name != NULL; units++)
        if (strlen(units->name) == n && strncmp(units->name, name, n) == 0)
            return units->size;
    return 0;
}

/* Return the size of a unit such as "kg*m^2", "kg", "mm^3" or "mm" in SI units: a mass, a power of
 * a length, or their product. */
static double product_size(const char *text)
{
    const char *star = strchr(text, '*'), *length = star != NULL ? star + 1 : text;
    const char *hat = strchr(length, '^');
    size_t n = hat != NULL ? (size_t)(hat - length) : strlen(length);
    int power = hat == NULL ? 1 : hat[1] == '2' ? 2 : hat[1] == '3' ? 3 : 0;
    double mass = star != NULL ? unit_size(masses, text, (size_t)(star - text)) : 1;
    double size = unit_size(lengths, length, n);

    if (star == NULL && hat == NULL && size == 0)
        size = unit_size(masses, text, n);
    return mass * (power == 0 ? 0 : pow(size, power));
}

/* Read a unit.
 * @like: a unit of the expected dimension, for messages
 * Return: size in SI units, 0 after a note. */
static double read_unit(const struct reading *r, const xmlNode *node, const char *name,
                        const char *like)
{
    char *text = text_of(node, name);
    double size = text != NULL ? product_size(text) : 0;

    if (text != NULL && (strchr(text, '*') != NULL) != (strchr(like, '*') != NULL))
        size = 0;
    if (!(size > 0))
        note(r->notes, NOTE_ERROR, line_of(node, name), "<%s> is '%s', expected a unit like %s",
             name, text != NULL ? text : "", like);
    free(text);
    return size;
}

static void tell_memory(const struct reading *r, const xmlNode *node)
{
    note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
         "more than %d bodies or joints, %d frames, or no memory, expected fewer", IMPORT_ITEMS_MAX,
         PLACES_MAX);
}

/* ---- frames ---- */

static bool is_of_world(const struct reading *r, const xmlNode *node, const char *name)
{
    char *text = text_of(node, name);
    bool good = text != NULL && strcmp(text, "WORLD") == 0;

    if (!good)
        note(r->notes, NOTE_ERROR, line_of(node, name), "<%s> is '%s', expected WORLD", name,
             text != NULL ? text : "");
    free(text);
    return good;
}

bool simscape_find_turn(const double x[9], double q[4])
{
    double R[3][3], det, length, diagonal[4], y[3];
    int k = 0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = x[3 * j + i];
    lk_cross(x, x + 3, y);
    det = lk_dot(y, x + 6);
    diagonal[0] = R[0][0] + R[1][1] + R[2][2];
    for (int i = 0; i < 3; i++)
        diagonal[1 + i] = 2 * R[i][i] - diagonal[0];
    for (int i = 1; i < 4; i++)
        k = diagonal[i] > diagonal[k] ? i : k;
    q[k] = 1 + diagonal[k];
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double odd = R[b][a] - R[a][b], even = R[b][a] + R[a][b];

        if (k == 0)
            q[1 + i] = odd;
        else if (k == 1 + i)
            q[0] = odd;
        else /* entry for the axis other than @k and 1 + @i */
            q[1 + (3 - i - (k - 1))] = even;
    }
    length = sqrt(q[0] * q[0] + lk_dot(q + 1, q + 1));
    for (int i = 0; i < 4; i++)
        q[i] /= length;
    return fabs(det - 1) < 1e-3;
}

static void read_orientation(const struct reading *r, const xmlNode *frame, double q[4])
{
    char *type = text_of(frame, "orientationType");
    double x[9];

    if (type == NULL || strcmp(type, "3x3 Transform") != 0)
        note(r->notes, NOTE_ERROR, line_of(frame, "orientationType"),
             "<orientationType> is '%s', expected 3x3 Transform", type != NULL ? type : "");
    else if (is_of_world(r, frame, "orientationReferenceFrame") &&
             read_numbers(r, frame, "orientation", 9, x) && !simscape_find_turn(x, q))
        note(r->notes, NOTE_ERROR, line_of(frame, "orientation"),
             "<orientation> is no rotation, expected three unit vectors, each across the others");
    free(type);
}

static bool read_position(const struct reading *r, const xmlNode *frame, double at[3])
{
    double unit = read_unit(r, frame, "positionUnits", "m");

    if (!is_of_world(r, frame, "positionOrigin") ||
        !is_of_world(r, frame, "positionReferenceFrame") ||
        !read_numbers(r, frame, "position", 3, at))
        return false;
    for (int i = 0; i < 3; i++)
        at[i] *= unit;
    return true;
}

static int read_ref(const xmlNode *frame)
{
    char *text = xml_attribute(frame, "ref");
    long ref = text != NULL ? strtol(text, NULL, 10) : -1;

    xmlFree(text);
    return ref >= 0 && ref < 1 << 30 ? (int)ref : -1;
}

/* Read a frame of @link to which joints may refer. */
static void read_frame(struct reading *r, const xmlNode *frame, int link)
{
    int ref = read_ref(frame);
    double at[3];

    if (ref < 0 || !read_position(r, frame, at))
        return;
    if (r->n_places == PLACES_MAX) {
        tell_memory(r, frame);
        return;
    }
    r->place[r->n_places] = (struct place){.ref = ref, .link = link};
    memcpy(r->place[r->n_places++].at, at, sizeof(at));
}

static const struct place *find_place(const struct reading *r, int ref)
{
    for (int i = 0; i < r->n_places; i++)
        if (r->place[i].ref == ref)
            return &r->place[i];
    return NULL;
}

/* ---- bodies ---- */

static void judge_density(const struct reading *r, const xmlNode *body, const struct link *link)
{
    const xmlNode *node = xml_child(body, "volume");
    double volume, unit;

    if (node == NULL || !read_numbers(r, body, "volume", 1, &volume) || !(volume > 0))
        return;
    unit = read_unit(r, body, "volumeUnits", "m^3");
    if (link->mass == 0)
        note(r->notes, NOTE_WRONG, link->line,
             "body '%s' has a volume and no mass: has it a material?", link->name);
    else if (unit > 0 &&
             (link->mass < DENSITY_MIN * volume * unit || link->mass > DENSITY_MAX * volume * unit))
        note(r->notes, NOTE_WRONG, link->line,
             "body '%s' has the density %.3g kg/m^3: are the units of its mass and volume right?",
             link->name, link->mass / (volume * unit));
}

static void read_mass(const struct reading *r, const xmlNode *body, struct link *link)
{
    static const int entry[6] = {0, 4, 8, 1, 2, 5}, other[6] = {0, 4, 8, 3, 6, 7};
    double x[9], unit, largest = 0;

    link->inertial_line = line_of(body, "mass");
    if (xml_child(body, "mass") == NULL) {
        note(r->notes, NOTE_WRONG, link->line, "body '%s' has no <mass>: it has none", link->name);
        return;
    }
    if (read_numbers(r, body, "mass", 1, &link->mass))
        link->mass *= read_unit(r, body, "massUnits", "kg");
    if (!read_numbers(r, body, "inertia", 9, x))
        return;
    unit = read_unit(r, body, "inertiaUnits", "kg*m^2");
    for (int k = 0; k < 6; k++) {
        largest = fmax(largest, fabs(x[entry[k]]));
        link->inertia[k] = 0.5 * (x[entry[k]] + x[other[k]]) * unit;
    }
    for (int k = 3; k < 6; k++)
        if (fabs(x[entry[k]] - x[other[k]]) > 1e-6 * largest)
            note(r->notes, NOTE_WRONG, line_of(body, "inertia"),
                 "inertia of body '%s' is not symmetric: the mean is taken", link->name);
    link->has_inertial = link->mass != 0 || largest > 0;
    judge_density(r, body, link);
}

/* Add a link with memory for its pose.
 * Return: index of the link; LINK_NONE after a note. */
static int add_link(const struct reading *r, const xmlNode *node, const char *name)
{
    struct link *link = robot_link(r->robot, name);

    if (link == NULL) {
        tell_memory(r, node);
        return LINK_NONE;
    }
    link->line = xmlGetLineNo(node);
    memcpy(r->turn[link - r->robot->links], frame_unity.q, sizeof(frame_unity.q));
    return (int)(link - r->robot->links);
}

static void read_body(struct reading *r, const xmlNode *body)
{
    const xmlNode *frames = xml_child(body, "frames");
    char *name = text_of(body, "name");
    int link = add_link(r, body, name != NULL && name[0] != '\0' ? name : "body");
    bool has_cg = false;

    free(name);
    if (link == LINK_NONE)
        return;
    read_mass(r, body, &r->robot->links[link]);
    if (frames != NULL)
        FOR_EACH_CHILD(frame, frames)
        {
            char *own = text_of(frame, "name");

            if (own != NULL && strcmp(own, "CG") == 0) {
                has_cg = read_position(r, frame, r->cg[link]);
                read_orientation(r, frame, r->turn[link]);
            }
            free(own);
            read_frame(r, frame, link);
        }
    if (!has_cg && r->robot->links[link].has_inertial)
        note(r->notes, NOTE_ERROR, r->robot->links[link].line, "body '%s' has mass and no frame CG",
             r->robot->links[link].name);
}

static void read_ground(struct reading *r, const xmlNode *ground)
{
    const xmlNode *frame = xml_child(ground, "frame");

    if (r->ground == LINK_NONE)
        r->ground = add_link(r, ground, "RootGround");
    frame = frame != NULL ? xml_child(frame, "Frame") : NULL;
    if (frame != NULL && r->ground != LINK_NONE)
        read_frame(r, frame, r->ground);
}

/* ---- joints ---- */

static bool read_side(const struct reading *r, const xmlNode *joint, int side, struct tie *tie)
{
    static const char *const way[2][4] = {{"base", "JointSide", "connection", "Frame"},
                                          {"follower", "JointSide", "connection", "Frame"}};
    const struct place *place;
    const xmlNode *node = joint;

    for (int k = 0; k < 4 && node != NULL; k++)
        node = xml_child(node, way[side][k]);
    place = node != NULL ? find_place(r, read_ref(node)) : NULL;
    if (place == NULL) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node != NULL ? node : joint),
             "the %s of joint '%s' is no frame of a body", way[side][0], tie->name);
        return false;
    }
    tie->link[side] = place->link;
    memcpy(tie->at[side], place->at, sizeof(tie->at[side]));
    return true;
}

static void read_part(const struct reading *r, const xmlNode *node, struct tie *tie)
{
    static const struct {
        const char *name;
        enum joint_kind kind;
    } kinds[] = {{"weld", KIND_FIXED},
                 {"revolute", KIND_REVOLUTE},
                 {"prismatic", KIND_PRISMATIC},
                 {"spherical", KIND_SPHERICAL}};
    struct part *part = &tie->part[tie->n];
    char *name = text_of(node, "name");
    double length;
    size_t i = 0;

    while (i < 4 && (name == NULL || strcmp(name, kinds[i].name) != 0))
        i++;
    if (i == 4 || tie->n == PARTS_MAX)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "primitive '%s' of joint '%s', expected at most %d of weld, revolute, prismatic or "
             "spherical",
             name != NULL ? name : "", tie->name, PARTS_MAX);
    free(name);
    if (i == 4 || tie->n == PARTS_MAX)
        return;
    tie->n++;
    *part = (struct part){kinds[i].kind, {1, 0, 0}};
    if (part->kind != KIND_REVOLUTE && part->kind != KIND_PRISMATIC)
        return;
    if (!is_of_world(r, node, "referenceFrame") || !read_numbers(r, node, "axis", 3, part->axis))
        return;
    length = lk_norm(part->axis);
    if (length < 1e-9)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "axis of joint '%s' is 0,0,0, expected a direction", tie->name);
    for (int k = 0; k < 3 && length >= 1e-9; k++)
        part->axis[k] /= length;
}

/* Convert two prismatic primitives and a revolute one perpendicular to both to a planar joint. */
static void find_plane(struct tie *tie)
{
    int hinge = -1;

    for (int k = 0; k < 3 && tie->n == 3; k++)
        if (tie->part[k].kind == KIND_REVOLUTE)
            hinge = hinge < 0 ? k : 3;
    if (hinge < 0 || hinge > 2)
        return;
    for (int k = 0; k < 3; k++)
        if (k != hinge && (tie->part[k].kind != KIND_PRISMATIC ||
                           fabs(lk_dot(tie->part[k].axis, tie->part[hinge].axis)) > 1e-5))
            return;
    tie->part[0] = tie->part[hinge];
    tie->part[0].kind = KIND_PLANAR;
    tie->n = 1;
}

/* Return true if the primitives are three prismatic and one spherical, which constrain nothing. */
static bool is_free(const struct tie *tie)
{
    int slides = 0, balls = 0;

    for (int k = 0; k < tie->n; k++) {
        slides += tie->part[k].kind == KIND_PRISMATIC;
        balls += tie->part[k].kind == KIND_SPHERICAL;
    }
    return slides == 3 && balls == 1 && tie->n == 4;
}

static void read_joint(struct reading *r, const xmlNode *joint)
{
    const xmlNode *primitives = xml_child(joint, "primitives");
    struct tie *tie = &r->tie[r->n_ties];
    double gap[3];

    if (r->n_ties == IMPORT_ITEMS_MAX) {
        tell_memory(r, joint);
        return;
    }
    *tie = (struct tie){.name = text_of(joint, "name"), .line = xmlGetLineNo(joint)};
    if (tie->name == NULL)
        tie->name = strdup("joint");
    r->n_ties++;
    if (tie->name == NULL || !read_side(r, joint, 0, tie) || !read_side(r, joint, 1, tie))
        return;
    if (primitives != NULL)
        FOR_EACH_CHILD(part, primitives)
    read_part(r, part, tie);
    if (tie->n == 0)
        note(r->notes, NOTE_ERROR, tie->line, "joint '%s' has no primitive that is known",
             tie->name);
    tie->done = is_free(tie) || tie->link[0] == tie->link[1];
    if (tie->link[0] == tie->link[1])
        note(r->notes, NOTE_WRONG, tie->line, "joint '%s' ties body '%s' to itself: it is left out",
             tie->name, r->robot->links[tie->link[0]].name);
    find_plane(tie);
    lk_sub(tie->at[0], tie->at[1], gap);
    if (tie->n == 1 && lk_norm(gap) > APART &&
        (tie->part[0].kind == KIND_REVOLUTE || tie->part[0].kind == KIND_SPHERICAL))
        note(r->notes, NOTE_WRONG, tie->line, "the frames of joint '%s' are %.3g m apart",
             tie->name, lk_norm(gap));
}

/* ---- the file ---- */

typedef void read_element(struct reading *r, const xmlNode *node);

/* Read all elements @element in @group of @node, and of its subsystems. */
static void read_all(struct reading *r, const xmlNode *node, const char *group, const char *element,
                     read_element *read, int depth)
{
    const xmlNode *list = xml_child(node, group), *inner = xml_child(node, "subsystems");

    if (list != NULL)
        FOR_EACH_CHILD(child, list)
        {
            if (xml_is(child, element))
                read(r, child);
            else
                note(r->notes, NOTE_WRONG, xmlGetLineNo(child), "<%s> in <%s> is left out",
                     xml_name(child), group);
        }
    if (inner != NULL && depth < DEPTH_MAX)
        FOR_EACH_CHILD(child, inner)
    read_all(r, child, group, element, read, depth + 1);
}

static void read_system(struct reading *r, const xmlNode *root)
{
    const xmlNode *system = xml_child(root, "SimMechanics");
    char *name = system != NULL ? text_of(system, "name") : NULL;

    r->robot->name = name != NULL && name[0] != '\0' ? strdup(name) : strdup("assembly");
    free(name);
    if (system == NULL) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(root), "there is no <SimMechanics>");
        return;
    }
    read_all(r, system, "grounds", "Ground", read_ground, 0);
    read_all(r, system, "bodies", "Body", read_body, 0);
    read_all(r, system, "joints", "SimpleJoint", read_joint, 0);
    r->robot->says_root = r->ground != LINK_NONE;
    r->robot->lacks_gravity = true;
    if (r->notes->n_errors == 0)
        simscape_make_tree(r);
}

void simscape_read(const struct _xmlNode *root, struct robot *robot, struct notes *notes)
{
    size_t n = IMPORT_ITEMS_MAX + 1;
    struct reading r = {.robot = robot, .notes = notes, .ground = LINK_NONE};

    r.place = calloc(PLACES_MAX, sizeof(*r.place));
    r.tie = calloc(n, sizeof(*r.tie));
    r.origin = calloc(n, sizeof(*r.origin));
    r.cg = calloc(n, sizeof(*r.cg));
    r.turn = calloc(n, sizeof(*r.turn));
    if (r.place != NULL && r.tie != NULL && r.origin != NULL && r.cg != NULL && r.turn != NULL)
        (xml_is(root, SECOND_GENERATION) ? simscape_read_assembly : read_system)(&r, root);
    else
        note(notes, NOTE_ERROR, 0, "no memory");
    for (int i = 0; i < r.n_ties; i++)
        free(r.tie[i].name);
    free(r.place);
    free(r.tie);
    free(r.origin);
    free(r.cg);
    free(r.turn);
}

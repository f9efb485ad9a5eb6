/* SPDX-License-Identifier: Apache-2.0 */
/* Simscape Multibody, second generation: files <SimscapeMultibodyImportXML>, which Simscape
 * Multibody Link writes from an assembly of SolidWorks, Creo or Inventor, and which Onshape
 * exports. They contain a tree of instances, each with its pose in its parent assembly; parts with
 * their masses; and either constraints between faces, which the reader converts to joints, or
 * joints. Facts that are easily missed: numbers are in DataUnits, and in ModelUnits only if
 * DataUnits is missing; a rotation matrix is given row by row; the inertia tensor is about the
 * centre of mass, in the order xx yy zz yz zx xy; a grounded instance is fixed in its own assembly,
 * so only a grounded instance of the first assembly is fixed in the world; the constraints of an
 * assembly apply to each of its instances. */
#include "simscape_assembly.h"

#include "maths/vec.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

/* ---- numbers and units ---- */

bool assembly_numbers(const struct assembly *a, const xmlNode *node, const char *name, int n,
                      double *ret)
{
    const xmlNode *child = xml_child(node, name);
    char *text = child != NULL ? (char *)xmlNodeGetContent(child) : NULL;
    bool good = text != NULL && xml_parse_numbers(text, n, ret);

    if (!good)
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(child != NULL ? child : node),
             "<%s> of <%s> is '%s', expected %d decimal number%s", name, xml_name(node),
             text != NULL ? text : "", n, n > 1 ? "s" : "");
    xmlFree(text);
    return good;
}

struct unit {
    const char *name;
    double size;
};

static const struct unit lengths[] = {{"meter", 1},   {"m", 1},         {"centimeter", 1e-2},
                                      {"cm", 1e-2},   {"foot", 0.3048}, {"millimeter", 1e-3},
                                      {"mm", 1e-3},   {"inch", 0.0254}, {"in", 0.0254},
                                      {"ft", 0.3048}, {NULL, 0}};
static const struct unit masses[] = {{"kilogram", 1},
                                     {"kg", 1},
                                     {"gram", 1e-3},
                                     {"g", 1e-3},
                                     {"tonne", 1e3},
                                     {"t", 1e3},
                                     {"pound", 0.45359237},
                                     {"lbm", 0.45359237},
                                     {"slug", 14.593902937206364},
                                     {NULL, 0}};

static double read_unit(const struct assembly *a, const xmlNode *node, const char *name,
                        const struct unit *unit)
{
    char *text = xml_attribute(node, name);
    double size = 0;

    for (const struct unit *u = unit; text != NULL && u->name != NULL; u++)
        if (strcmp(u->name, text) == 0)
            size = u->size;
    if (size == 0)
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "%s of <%s> is '%s', expected a unit like %s", name, xml_name(node),
             text != NULL ? text : "", unit->name);
    xmlFree(text);
    return size;
}

/* Read the units of the numbers. Creo's exporter writes only the units of the model. */
static bool read_units(struct assembly *a)
{
    const xmlNode *units = xml_child(a->root, "DataUnits");

    if (units == NULL)
        units = xml_child(a->root, "ModelUnits");
    if (units == NULL) {
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(a->root),
             "there are no <DataUnits>, expected those of mass and length");
        return false;
    }
    a->mass = read_unit(a, units, "mass", masses);
    a->length = read_unit(a, units, "length", lengths);
    return a->mass > 0 && a->length > 0;
}

bool assembly_frame(const struct assembly *a, const xmlNode *node, struct frame *ret)
{
    const xmlNode *transform = xml_child(node, "Transform");
    double x[9], columns[9];

    *ret = frame_unity;
    if (transform == NULL)
        return true;
    if (!assembly_numbers(a, transform, "Rotation", 9, x) ||
        !assembly_numbers(a, transform, "Translation", 3, ret->r))
        return false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            columns[3 * j + i] = x[3 * i + j];
        ret->r[i] *= a->length;
    }
    if (simscape_find_turn(columns, ret->q))
        return true;
    note(a->r->notes, NOTE_ERROR, xmlGetLineNo(transform),
         "<Rotation> is no rotation, expected three unit vectors, each across the others");
    return false;
}

static void tell_memory(const struct assembly *a, const xmlNode *node)
{
    note(a->r->notes, NOTE_ERROR, node != NULL ? xmlGetLineNo(node) : 0,
         "more than %d parts, instances, constraints or joints, or no memory, expected fewer",
         IMPORT_ITEMS_MAX);
}

/* ---- parts and assemblies ---- */

static void read_mass(const struct assembly *a, const xmlNode *part, struct link *link)
{
    static const int order[6] = {0, 1, 2, 5, 4, 3}; /* to xx yy zz xy xz yz */
    const xmlNode *node = xml_child(part, "MassProperties");
    double x[6], largest = 0;

    if (node == NULL)
        return;
    link->inertial_line = xmlGetLineNo(node);
    if (!assembly_numbers(a, node, "Mass", 1, &link->mass) ||
        !assembly_numbers(a, node, "CenterOfMass", 3, link->centre.r) ||
        !assembly_numbers(a, node, "Inertia", 6, x))
        return;
    link->mass *= a->mass;
    for (int i = 0; i < 3; i++)
        link->centre.r[i] *= a->length;
    for (int i = 0; i < 6; i++) {
        link->inertia[i] = x[order[i]] * a->mass * a->length * a->length;
        largest = lk_max(largest, fabs(x[i]));
    }
    link->has_inertial = link->mass != 0 || largest > 0;
}

/* Read a part, or remember an assembly. The content of an assembly is read at each of its
 * instances. */
static void read_entity(struct assembly *a, const xmlNode *node)
{
    struct entity *entity = &a->entity[a->n_entities];
    char *uid = xml_attribute(node, "uid");

    if (uid == NULL)
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no uid", xml_name(node));
    else if (a->n_entities == IMPORT_ITEMS_MAX)
        tell_memory(a, node);
    if (uid == NULL || a->n_entities == IMPORT_ITEMS_MAX) {
        xmlFree(uid);
        return;
    }
    a->n_entities++;
    *entity = (struct entity){.uid = uid, .link = {.line = xmlGetLineNo(node)}};
    entity->link.centre = frame_unity;
    if (xml_is(node, "Assembly")) {
        entity->node = node;
        return;
    }
    read_mass(a, node, &entity->link);
    if (!entity->link.has_inertial)
        note(a->r->notes, NOTE_WRONG, entity->link.line,
             "part '%s' has no mass: has it a material?", uid);
}

static void read_entities(struct assembly *a, const char *group, const char *element)
{
    const xmlNode *list = xml_child(a->root, group);

    if (list == NULL)
        return;
    FOR_EACH_CHILD(node, list)
    {
        if (a->r->notes->n_errors == 0 && xml_is(node, element))
            read_entity(a, node);
    }
}

/* ---- instances ---- */

static bool is_true(const xmlNode *node, const char *name)
{
    char *text = xml_attribute(node, name);
    bool is = text != NULL && strcmp(text, "true") == 0;

    xmlFree(text);
    return is;
}

/* Add a link at the frame of @piece, with the mass of @solid. */
static void add_link(struct assembly *a, struct piece *piece, const char *name,
                     const struct link *solid)
{
    struct link *link = robot_link(a->r->robot, name);
    int i;

    if (link == NULL) {
        tell_memory(a, NULL);
        return;
    }
    i = piece->link = (int)(link - a->r->robot->links);
    link->line = piece->line;
    memcpy(a->r->turn[i], piece->frame.q, sizeof(piece->frame.q));
    memcpy(a->r->cg[i], piece->frame.r, sizeof(piece->frame.r));
    if (solid == NULL)
        return;
    link->has_inertial = solid->has_inertial;
    link->inertial_line = solid->inertial_line;
    link->mass = solid->mass;
    memcpy(link->inertia, solid->inertia, sizeof(solid->inertia));
    frame_point(&piece->frame, solid->centre.r, a->r->cg[i]);
}

const char *piece_name(const struct assembly *a, int piece)
{
    return piece == 0 ? "the assembly" : a->piece[piece].path;
}

int assembly_link(struct assembly *a, int piece)
{
    struct piece *p = &a->piece[piece];

    if (p->link == LINK_NONE && a->r->notes->n_errors == 0)
        add_link(a, p, piece == 0 ? "RootGround" : p->path, NULL);
    if (piece == 0)
        a->r->ground = p->link;
    return p->link;
}

void assembly_hold(struct assembly *a, int one, int other)
{
    int keep = a->piece[one].held, gone = a->piece[other].held;

    for (int i = 0; i < a->n_pieces && keep != gone; i++)
        if (a->piece[i].held == gone)
            a->piece[i].held = keep;
}

struct tie *assembly_tie(struct assembly *a, const char *name, long line, const int piece[2],
                         const double at0[3], const double at1[3])
{
    struct tie *tie = &a->r->tie[a->r->n_ties];
    int link[2] = {assembly_link(a, piece[0]), assembly_link(a, piece[1])};
    char *copy = a->r->n_ties < IMPORT_ITEMS_MAX ? strdup(name) : NULL;

    if (link[0] == LINK_NONE || link[1] == LINK_NONE || copy == NULL) {
        if (a->r->notes->n_errors == 0)
            tell_memory(a, NULL);
        free(copy);
        return NULL;
    }
    a->r->n_ties++;
    *tie = (struct tie){.name = copy, .line = line, .link = {link[0], link[1]}};
    memcpy(tie->at[0], at0, sizeof(tie->at[0]));
    memcpy(tie->at[1], at1, sizeof(tie->at[1]));
    return tie;
}

/* Weld two pieces at the position of the first one. */
static void weld(struct assembly *a, int one, int other)
{
    const int piece[2] = {one, other};
    const double *at = a->piece[other].frame.r;
    struct tie *tie;

    if (a->piece[one].held == a->piece[other].held)
        return;
    tie = assembly_tie(a, a->piece[other].path, a->piece[other].line, piece, at, at);
    assembly_hold(a, one, other);
    if (tie != NULL)
        tie->part[tie->n++].kind = KIND_FIXED;
}

/* Find the entity of which @piece is an instance. An instance of a part gets a link. */
static void find_entity(struct assembly *a, struct piece *piece)
{
    char *uid = xml_attribute(piece->node, "entityUid");

    for (int i = 0; uid != NULL && i < a->n_entities && piece->entity == NULL; i++)
        if (strcmp(a->entity[i].uid, uid) == 0)
            piece->entity = &a->entity[i];
    if (piece->entity == NULL)
        note(a->r->notes, NOTE_ERROR, piece->line,
             "instance '%s' is of '%s', which is neither a part nor an assembly of the file",
             piece->path, uid != NULL ? uid : "");
    else if (piece->entity->node == NULL)
        add_link(a, piece, piece->path, &piece->entity->link);
    xmlFree(uid);
}

static char *make_path(const struct piece *parent, const char *name)
{
    char path[300];

    snprintf(path, sizeof(path), "%.200s%s%.90s", parent->path, parent->path[0] != '\0' ? "/" : "",
             name);
    return strdup(path);
}

/* Add the piece for an <Instance> in @parent.
 * Return: index of the piece; LINK_NONE after a note. */
static int add_piece(struct assembly *a, const xmlNode *node, int parent)
{
    struct piece *piece = &a->piece[a->n_pieces];
    char *uid = xml_attribute(node, "uid"), *name = xml_attribute(node, "name");

    if (a->n_pieces == IMPORT_ITEMS_MAX || uid == NULL) {
        if (uid == NULL)
            note(a->r->notes, NOTE_ERROR, xmlGetLineNo(node), "<Instance> has no uid");
        else
            tell_memory(a, node);
        xmlFree(uid);
        xmlFree(name);
        return LINK_NONE;
    }
    *piece = (struct piece){.uid = uid,
                            .path = make_path(&a->piece[parent], name != NULL ? name : uid),
                            .parent = parent,
                            .node = node,
                            .link = LINK_NONE,
                            .held = a->n_pieces,
                            .line = xmlGetLineNo(node)};
    xmlFree(name);
    a->n_pieces++;
    if (piece->path == NULL) {
        tell_memory(a, node);
        return LINK_NONE;
    }
    assembly_frame(a, node, &piece->frame);
    frame_in(&a->piece[parent].frame, &piece->frame, &piece->frame);
    find_entity(a, piece);
    return a->n_pieces - 1;
}

/* Return the first instance before @end that is in the same rigid group as @end; NULL: none. */
static const xmlNode *find_group(const xmlNode *list, const xmlNode *end)
{
    char *group = xml_attribute(end, "rigidGroup");
    const xmlNode *found = NULL;

    for (const xmlNode *node = xml_first(list->children); group != NULL && node != end;
         node = xml_first(node->next)) {
        char *own = xml_attribute(node, "rigidGroup");

        if (own != NULL && strcmp(own, group) == 0 && found == NULL)
            found = node;
        xmlFree(own);
    }
    xmlFree(group);
    return found;
}

/* Read all <Instance> in @list, and the instances within them.
 * @rigid: the assembly @parent is one body */
static void read_instances(struct assembly *a, const xmlNode *list, int parent, bool rigid,
                           int depth)
{
    int first = a->n_pieces;

    if (depth == DEPTH_MAX)
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(list),
             "instances in more than %d instances, expected fewer", DEPTH_MAX);
    if (a->r->notes->n_errors > 0)
        return;
    FOR_EACH_CHILD(node, list)
    {
        const xmlNode *group;
        int piece;

        if (!xml_is(node, "Instance"))
            continue;
        piece = add_piece(a, node, parent);
        if (piece == LINK_NONE || a->r->notes->n_errors > 0)
            return;
        if (rigid || is_true(node, "grounded"))
            weld(a, parent, piece);
        group = find_group(list, node);
        for (int i = first; group != NULL && i < piece; i++)
            if (a->piece[i].node == group && a->piece[i].parent == parent)
                weld(a, i, piece);
        read_instances(a, node, piece, rigid || is_true(node, "rigid"), depth + 1);
    }
}

/* ---- parts without mass ---- */

static bool is_tied(const struct assembly *a, int link)
{
    for (int i = 0; i < a->r->n_ties; i++)
        if (a->r->tie[i].link[0] == link || a->r->tie[i].link[1] == link)
            return true;
    return false;
}

/* Fix massless pieces without joints, such as a skeleton of Creo, to the ground or, without a
 * ground, to the first part with mass. Their motion would be undetermined and has no effect. */
static void place_idle(struct assembly *a)
{
    int to = 0;

    for (int i = 1; i < a->n_pieces && a->r->ground == LINK_NONE && to == 0; i++)
        if (a->piece[i].link != LINK_NONE && a->r->robot->links[a->piece[i].link].has_inertial)
            to = i;
    for (int i = 1; i < a->n_pieces && (to > 0 || a->r->ground != LINK_NONE); i++) {
        int link = a->piece[i].link;

        if (link == LINK_NONE || a->r->robot->links[link].has_inertial || is_tied(a, link))
            continue;
        note(a->r->notes, NOTE_WRONG, a->piece[i].line,
             "'%s' has no mass, and nothing holds it: it is held to %s", a->piece[i].path,
             to == 0 ? "the ground" : a->piece[to].path);
        weld(a, to, i);
    }
}

/* ---- the file ---- */

static void read_assembly(struct assembly *a)
{
    const xmlNode *first = xml_child(a->root, "RootAssembly");
    const xmlNode *tree = first != NULL ? xml_child(first, "InstanceTree") : NULL;
    char *name = first != NULL ? xml_attribute(first, "name") : NULL;

    a->r->robot->name = strdup(name != NULL && name[0] != '\0' ? name : "assembly");
    xmlFree(name);
    if (tree == NULL) {
        note(a->r->notes, NOTE_ERROR, xmlGetLineNo(a->root),
             "there is no <RootAssembly> with an <InstanceTree>");
        return;
    }
    a->piece[0] = (struct piece){.uid = xml_attribute(first, "uid"),
                                 .path = strdup(""),
                                 .link = LINK_NONE,
                                 .frame = frame_unity};
    a->n_pieces = 1;
    if (a->piece[0].path == NULL || a->r->robot->name == NULL)
        tell_memory(a, NULL);
    if (!read_units(a))
        return;
    read_entities(a, "Parts", "Part");
    read_entities(a, "Assemblies", "Assembly");
    a->piece[0].line = xmlGetLineNo(first);
    read_instances(a, tree, 0, false, 0);
    read_mates(a, first, 0);
    for (int i = 1; i < a->n_pieces; i++)
        if (a->piece[i].entity != NULL && a->piece[i].entity->node != NULL)
            read_mates(a, a->piece[i].entity->node, i);
    if (a->r->notes->n_errors == 0)
        match_mates(a);
    if (a->r->notes->n_errors == 0)
        place_idle(a);
    a->r->robot->says_root = a->r->ground != LINK_NONE;
    a->r->robot->lacks_gravity = true;
    if (a->r->notes->n_errors == 0)
        simscape_make_tree(a->r);
}

void simscape_read_assembly(struct reading *r, const struct _xmlNode *root)
{
    struct assembly a = {.r = r, .root = root};

    a.entity = calloc(IMPORT_ITEMS_MAX, sizeof(*a.entity));
    a.piece = calloc(IMPORT_ITEMS_MAX, sizeof(*a.piece));
    a.mate = calloc(IMPORT_ITEMS_MAX, sizeof(*a.mate));
    if (a.entity != NULL && a.piece != NULL && a.mate != NULL)
        read_assembly(&a);
    else
        note(r->notes, NOTE_ERROR, 0, "no memory");
    for (int i = 0; i < a.n_entities; i++)
        xmlFree(a.entity[i].uid);
    for (int i = 0; i < a.n_pieces; i++) {
        xmlFree(a.piece[i].uid);
        free(a.piece[i].path);
    }
    for (int i = 0; i < a.n_mates; i++)
        xmlFree(a.mate[i].name);
    free(a.entity);
    free(a.piece);
    free(a.mate);
}

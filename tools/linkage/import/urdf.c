/* SPDX-License-Identifier: Apache-2.0 */
/* URDF, the Unified Robot Description Format: a tree of links connected by joints. Facts that are
 * easily missed: the origin of a joint is the frame of its child link relative to that of its
 * parent; the axis of a joint is in that frame, (1 0 0) if the file gives none; rpy is the rotation
 * Rz(yaw) Ry(pitch) Rx(roll); ixy, ixz, iyz are entries of the matrix.
 *
 * <constraint name type> closes a loop. It contains <parent link>, <parent_origin>, <parent_axis>
 * and the same elements for the child (ros/urdfdom, pull request 264, "Add constraints to describe
 * closed loops"). */
#include "import.h"
#include "urdf_shapes.h"
#include "xml.h"

#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MAX 1e6 /* limits from this value on mean no limit [rad, m] */

#define UNKNOWN_MAX 32 /* largest number of unknown element types that are reported */

struct unknown {
    const xmlNode *first;
    int n;
};

/** struct reading - state of the reader.
 * @n_foreign: number of elements for simulators and drivers, irrelevant to motion
 * @visuals:   shapes for viewers
 * @unknown:   types of elements that are not read */
struct reading {
    struct robot *robot;
    struct notes *notes;
    struct urdf_visuals *visuals;
    int n_foreign, n_unknown;
    struct unknown unknown[UNKNOWN_MAX];
};

/* ---- values ---- */

/* Read @n numbers; if the attribute is missing, @ret is unchanged.
 * Return: true if the attribute exists and is valid. */
static bool read_numbers(const struct reading *r, const xmlNode *node, const char *attribute, int n,
                         double *ret)
{
    char *text = xml_attribute(node, attribute);
    double value[4];
    bool good;

    if (text == NULL)
        return false;
    good = xml_parse_numbers(text, n, value);
    if (good)
        memcpy(ret, value, (size_t)n * sizeof(*ret));
    else
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "%s of <%s> is '%s', expected %s", attribute,
             xml_name(node), text,
             n == 1 ? "a decimal number" : "three decimal numbers, apart by spaces");
    xmlFree(text);
    return good;
}

static void need_number(const struct reading *r, const xmlNode *node, const char *attribute,
                        double *ret)
{
    if (xmlHasProp(node, (const xmlChar *)attribute) == NULL)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no %s", xml_name(node), attribute);
    else
        read_numbers(r, node, attribute, 1, ret);
}

static void read_frame(const struct reading *r, const xmlNode *node, struct frame *ret)
{
    double xyz[3] = {0}, rpy[3] = {0};

    if (node == NULL)
        return;
    read_numbers(r, node, "xyz", 3, xyz);
    read_numbers(r, node, "rpy", 3, rpy);
    frame_of(xyz, rpy, ret);
}

static void count_unknown(struct reading *r, const xmlNode *node)
{
    int i = 0;

    while (i < r->n_unknown &&
           (strcmp(xml_name(r->unknown[i].first), xml_name(node)) != 0 ||
            strcmp(xml_name(r->unknown[i].first->parent), xml_name(node->parent)) != 0))
        i++;
    if (i == UNKNOWN_MAX)
        return;
    if (i == r->n_unknown)
        r->unknown[r->n_unknown++] = (struct unknown){.first = node};
    r->unknown[i].n++;
}

/* Report unknown elements, so that no element is ignored silently. */
static void look_for_unknown(struct reading *r, const xmlNode *node, const char *const known[])
{
    static const char *const shapes[] = {"visual", "collision", "material", NULL};
    static const char *const foreign[] = {"transmission",
                                          "gazebo",
                                          "sensor",
                                          "plugin",
                                          "safety_controller",
                                          "calibration",
                                          "contact",
                                          "origin",
                                          "hardwareInterface",
                                          "xacro",
                                          "ros2_control",
                                          "mujoco",
                                          "drake",
                                          "capsule",
                                          NULL};

    FOR_EACH_CHILD(child, node)
    {
        if (xml_is_one_of(child, known) || xml_is_one_of(child, shapes))
            continue;
        if (xml_is_one_of(child, foreign))
            r->n_foreign++;
        else if (strncmp(xml_name(child), "xacro:", 6) == 0 ||
                 (child->ns != NULL && child->ns->prefix != NULL &&
                  strcmp((const char *)child->ns->prefix, "xacro") == 0))
            note(r->notes, NOTE_ERROR, xmlGetLineNo(child),
                 "<%s> is a macro, expected a file that xacro has expanded", xml_name(child));
        else
            count_unknown(r, child);
    }
}

static void tell_unknown(const struct reading *r)
{
    for (int i = 0; i < r->n_unknown; i++) {
        const struct unknown *u = &r->unknown[i];

        note(r->notes, NOTE_WRONG, xmlGetLineNo(u->first),
             "<%s> in <%s> is unknown and has no effect (%d times)", xml_name(u->first),
             xml_name(u->first->parent), u->n);
    }
}

/* Return the name of an element, to be freed; NULL after a note. */
static char *read_name(const struct reading *r, const xmlNode *node)
{
    char *name = xml_attribute(node, "name");

    if (name != NULL && name[0] != '\0')
        return name;
    note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no name", xml_name(node));
    xmlFree(name);
    return NULL;
}

static void tell_memory(const struct reading *r, const xmlNode *node)
{
    note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
         "more than %d of <%s>, or no memory, expected fewer", IMPORT_ITEMS_MAX, xml_name(node));
}

/* ---- links ---- */

static void read_inertial(const struct reading *r, const xmlNode *node, struct link *link)
{
    static const char *const entries[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xmlNode *mass = xml_child(node, "mass"), *inertia = xml_child(node, "inertia");

    link->has_inertial = true;
    link->inertial_line = xmlGetLineNo(node);
    read_frame(r, xml_child(node, "origin"), &link->centre);
    if (mass == NULL)
        note(r->notes, NOTE_ERROR, link->inertial_line, "<inertial> of link '%s' has no <mass>",
             link->name);
    else
        need_number(r, mass, "value", &link->mass);
    if (inertia == NULL)
        note(r->notes, NOTE_WRONG, link->inertial_line,
             "<inertial> of link '%s' has no <inertia>: it is a point of that mass", link->name);
    else
        for (int i = 0; i < 6; i++) {
            if (i < 3)
                need_number(r, inertia, entries[i], &link->inertia[i]);
            else
                read_numbers(r, inertia, entries[i], 1, &link->inertia[i]);
        }
}

static void read_link(struct reading *r, const xmlNode *node)
{
    static const char *const known[] = {"inertial", NULL};
    char *name = read_name(r, node);
    int other = name != NULL ? robot_find_link(r->robot, name) : LINK_NONE;
    const xmlNode *inertial = xml_child(node, "inertial");
    struct link *link;

    if (other >= 0)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "link '%s' is there already, in line %ld",
             name, r->robot->links[other].line);
    if (name == NULL || other >= 0) {
        xmlFree(name);
        return;
    }
    link = robot_link(r->robot, name);
    xmlFree(name);
    if (link == NULL) {
        tell_memory(r, node);
        return;
    }
    link->line = xmlGetLineNo(node);
    look_for_unknown(r, node, known);
    if (inertial != NULL)
        read_inertial(r, inertial, link);
    else if (r->robot->density > 0)
        urdf_estimate(node, r->robot->density, link, r->notes);
    urdf_visuals_add(r->visuals, node, r->robot->n_links - 1);
}

/* ---- joints ---- */

static int read_end(const struct reading *r, const xmlNode *joint, const char *end,
                    const char *owner)
{
    const xmlNode *node = xml_child(joint, end);
    char *name = node != NULL ? xml_attribute(node, "link") : NULL;
    int link = name != NULL ? robot_find_link(r->robot, name) : LINK_NONE;

    if (name == NULL)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node != NULL ? node : joint),
             "joint '%s' has no <%s link=\"...\">", owner, end);
    else if (link < 0)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "%s of joint '%s' is '%s', which is no link",
             end, owner, name);
    xmlFree(name);
    return link;
}

static void read_axis(const struct reading *r, const xmlNode *node, const struct limb *limb,
                      double axis[3])
{
    double length;

    if (node == NULL || !read_numbers(r, node, "xyz", 3, axis))
        return;
    length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (length < 1e-9) {
        if (limb->kind != KIND_FIXED && limb->kind != KIND_FLOATING && limb->kind != KIND_SPHERICAL)
            note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
                 "axis of joint '%s' is 0 0 0, expected a direction", limb->name);
        memcpy(axis, (const double[]){1, 0, 0}, 3 * sizeof(*axis));
        return;
    }
    if (fabs(length - 1) > 1e-3)
        note(r->notes, NOTE_SAID, xmlGetLineNo(node),
             "axis of joint '%s' has the length %g, taken as a direction", limb->name, length);
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
}

static bool read_kind(const struct reading *r, const xmlNode *node, struct limb *limb)
{
    static const struct {
        const char *name;
        enum joint_kind kind;
    } kinds[] = {{"fixed", KIND_FIXED},         {"revolute", KIND_REVOLUTE},
                 {"continuous", KIND_REVOLUTE}, {"prismatic", KIND_PRISMATIC},
                 {"planar", KIND_PLANAR},       {"floating", KIND_FLOATING},
                 {"spherical", KIND_SPHERICAL}, {"ball", KIND_SPHERICAL}};
    char *type = xml_attribute(node, "type");

    for (size_t i = 0; type != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(type, kinds[i].name) == 0) {
            limb->kind = kinds[i].kind;
            limb->has_limits = strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0;
            xmlFree(type);
            return true;
        }
    }
    note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
         "joint '%s' is of type '%s', expected fixed, revolute, continuous, prismatic, planar, "
         "spherical or floating",
         limb->name, type != NULL ? type : "");
    xmlFree(type);
    return false;
}

static void read_limit(const struct reading *r, const xmlNode *node, const char *name, double *ret)
{
    read_numbers(r, node, name, 1, ret);
    if (xmlHasProp(node, (const xmlChar *)name) == NULL || fabs(*ret) > LIMIT_MAX)
        *ret = copysign(INFINITY, name[0] == 'l' ? -1 : 1);
}

static void read_limits(const struct reading *r, const xmlNode *node, struct limb *limb)
{
    if (node == NULL) {
        if (limb->has_limits)
            note(r->notes, NOTE_WRONG, limb->line, "joint '%s' has no <limit>: it turns freely",
                 limb->name);
        limb->has_limits = false;
        return;
    }
    read_limit(r, node, "lower", &limb->lower);
    read_limit(r, node, "upper", &limb->upper);
    limb->has_limits &= isfinite(limb->lower) || isfinite(limb->upper);
    read_numbers(r, node, "effort", 1, &limb->effort);
    read_numbers(r, node, "velocity", 1, &limb->speed);
    if (limb->has_limits && limb->lower >= limb->upper) {
        note(r->notes, NOTE_WRONG, xmlGetLineNo(node),
             "limits of joint '%s' are %g and %g: no stop is made of them", limb->name, limb->lower,
             limb->upper);
        limb->has_limits = false;
    }
}

static void read_dynamics(const struct reading *r, const xmlNode *node, struct limb *limb)
{
    if (node == NULL)
        return;
    read_numbers(r, node, "damping", 1, &limb->damping);
    read_numbers(r, node, "friction", 1, &limb->friction);
    if (limb->damping < 0 || limb->friction < 0) {
        note(
            r->notes, NOTE_ERROR, xmlGetLineNo(node),
            "joint '%s' has the damping %g and the friction %g, expected 0 or more: it would drive "
            "itself",
            limb->name, limb->damping, limb->friction);
        limb->damping = limb->friction = 0;
    }
}

static void read_mimic(const struct reading *r, const xmlNode *node, struct limb *limb)
{
    char *other = node != NULL ? xml_attribute(node, "joint") : NULL;

    if (node != NULL && limb->kind == KIND_FIXED)
        note(r->notes, NOTE_WRONG, xmlGetLineNo(node),
             "joint '%s' is fixed: its <mimic> has no effect", limb->name);
    if (node == NULL || limb->kind == KIND_FIXED) {
        xmlFree(other);
        return;
    }
    limb->mimic_line = xmlGetLineNo(node);
    if (other == NULL)
        note(r->notes, NOTE_ERROR, limb->mimic_line, "<mimic> of joint '%s' names no joint",
             limb->name);
    limb->mimic_name = other != NULL ? strdup(other) : NULL;
    xmlFree(other);
    read_numbers(r, node, "multiplier", 1, &limb->multiplier);
    read_numbers(r, node, "offset", 1, &limb->offset);
}

static struct limb *begin_joint(struct reading *r, const xmlNode *node)
{
    char *name = read_name(r, node);
    int other = name != NULL ? robot_find_limb(r->robot, name) : LINK_NONE;
    struct limb *limb = NULL;

    if (other >= 0)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "joint '%s' is there already, in line %ld",
             name, r->robot->limbs[other].line);
    if (name != NULL && other < 0) {
        limb = robot_limb(r->robot, name);
        if (limb == NULL)
            tell_memory(r, node);
        else
            limb->line = xmlGetLineNo(node);
    }
    xmlFree(name);
    return limb;
}

static void read_joint(struct reading *r, const xmlNode *node)
{
    static const char *const known[] = {"parent", "child",    "origin", "axis",
                                        "limit",  "dynamics", "mimic",  NULL};
    struct limb *limb = begin_joint(r, node);

    if (limb == NULL || !read_kind(r, node, limb))
        return;
    look_for_unknown(r, node, known);
    limb->parent = read_end(r, node, "parent", limb->name);
    limb->child = read_end(r, node, "child", limb->name);
    read_frame(r, xml_child(node, "origin"), &limb->origin);
    read_axis(r, xml_child(node, "axis"), limb, limb->axis);
    memcpy(limb->child_axis, limb->axis, sizeof(limb->axis));
    read_limits(r, xml_child(node, "limit"), limb);
    read_dynamics(r, xml_child(node, "dynamics"), limb);
    read_mimic(r, xml_child(node, "mimic"), limb);
}

static void read_constraint(struct reading *r, const xmlNode *node)
{
    static const char *const known[] = {"parent",       "parent_origin", "parent_axis", "child",
                                        "child_origin", "child_axis",    NULL};
    struct limb *limb = begin_joint(r, node);

    if (limb == NULL || !read_kind(r, node, limb))
        return;
    look_for_unknown(r, node, known);
    limb->closes = true;
    limb->has_limits = false;
    limb->parent = read_end(r, node, "parent", limb->name);
    limb->child = read_end(r, node, "child", limb->name);
    read_frame(r, xml_child(node, "parent_origin"), &limb->origin);
    read_frame(r, xml_child(node, "child_origin"), &limb->closing);
    read_axis(r, xml_child(node, "parent_axis"), limb, limb->axis);
    memcpy(limb->child_axis, limb->axis, sizeof(limb->axis));
    read_axis(r, xml_child(node, "child_axis"), limb, limb->child_axis);
}

/* ---- the file ---- */

/* Report shapes and elements that the model lacks. */
static void tell_rest(const struct reading *r)
{
    struct undrawn undrawn;
    int n_meshes = urdf_visuals_end(r->visuals, &undrawn);

    if (n_meshes > 0)
        note(r->notes, NOTE_SAID, 0, "drawn as bounding boxes: %d mesh%s", n_meshes,
             n_meshes == 1 ? "" : "es");
    if (undrawn.n > 0)
        note(r->notes, NOTE_SAID, 0, "not read: %d shape%s (%s)", undrawn.n,
             undrawn.n == 1 ? "" : "s", undrawn.names);
    if (r->n_foreign > 0)
        note(r->notes, NOTE_SAID, 0, "not read: %d element%s of simulators and drivers",
             r->n_foreign, r->n_foreign == 1 ? "" : "s");
}

static void read_robot(struct reading *r, const xmlNode *root)
{
    static const char *const known[] = {"link", "joint", "constraint", NULL};
    char *name = xml_attribute(root, "name");

    r->robot->name = strdup(name != NULL && name[0] != '\0' ? name : "robot");
    xmlFree(name);
    FOR_EACH_CHILD(child, root)
    if (xml_is(child, "link"))
        read_link(r, child);
    FOR_EACH_CHILD(child, root)
    {
        if (xml_is(child, "joint"))
            read_joint(r, child);
        else if (xml_is(child, "constraint"))
            read_constraint(r, child);
    }
    look_for_unknown(r, root, known);
    tell_unknown(r);
    if (r->robot->n_links == 0)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(root), "there is no <link>");
    tell_rest(r);
}

void urdf_read(const char *path, const xmlNode *root, struct robot *robot, struct notes *notes)
{
    struct reading r = {.robot = robot, .notes = notes};

    r.visuals = urdf_visuals_new(path, root, robot, notes);
    if (r.visuals != NULL)
        read_robot(&r, root);
    urdf_visuals_free(r.visuals);
}

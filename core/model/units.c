/* SPDX-License-Identifier: Apache-2.0 */
/* Units of the numbers of a model by their paths, and which of them may be tuned. */
#include "linkage/kinds.h"
#include "parameters.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 6

/* struct row - units of the numbers at a path. @path: '*' is any name; positions in lists are
 * omitted
 * @type: type of the item that contains them, NULL: any;  @unit: unit for lengths;  @angle: unit
 *        for angles, NULL: as @unit
 * @may_be_tuned: {input: NAME} is allowed at this path
 * @move: how the numbers move with a part */
struct row {
    const char *path;
    const char *type;
    const char *unit;
    const char *angle;
    bool may_be_tuned;
    enum lk_move move;
};

static const struct row rows[] = {
    {"gravity", NULL, "m/s^2", NULL, true},
    {"points.*", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"bodies.*.mass", NULL, "kg", NULL, false},
    {"bodies.*.inertia", NULL, "kg m^2", NULL, false, LK_MOVE_INERTIA},
    {"bodies.*.rods", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"bodies.*.diameter", NULL, "m", NULL, false},
    {"bodies.*.position", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"bodies.*.velocity", NULL, "m/s", NULL, false, LK_MOVE_DIRECTION},
    {"bodies.*.angular_velocity", NULL, "rad/s", NULL, false, LK_MOVE_AXIAL},
    {"*.*.orientation.angle", NULL, "rad", NULL, false},
    {"*.*.orientation.axis", NULL, "1", NULL, false, LK_MOVE_AXIAL},
    {"*.*.orientation.quaternion", NULL, "1", NULL, false},
    {"*.*.point", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"*.*.points", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"joints.*.axis", "revolute", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axis", "universal", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axis", "planar", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axis", "screw", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axis", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"joints.*.axes", "revolute", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axes", "universal", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axes", "planar", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axes", "screw", "1", NULL, false, LK_MOVE_AXIAL},
    {"joints.*.axes", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"joints.*.direction", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"joints.*.coordinate", NULL, "m", "rad", false},
    {"joints.*.start", NULL, "m", "rad", false},
    {"joints.*.coordinate.*", NULL, "m", "rad", false},
    {"joints.*.start.*", NULL, "m", "rad", false},
    {"joints.*.pitch", NULL, "m", NULL, false, LK_MOVE_HANDED},
    {"joints.*.length", NULL, "m", NULL, false},
    {"joints.*.half_angle", NULL, "rad", NULL, false},
    {"joints.*.wheel_radius", NULL, "m", NULL, false},
    {"joints.*.rail_radius", NULL, "m", NULL, false},
    {"joints.*.radius", "rack", "m", NULL, false},
    {"joints.*.ratio", NULL, "1", NULL, false},
    {"joints.*.compliance.stiffness", NULL, "N/m", "N m/rad", false},
    {"joints.*.compliance.damping", NULL, "N s/m", "N m s/rad", false},
    {"joints.*.drive.period", NULL, "s", NULL, false},
    {"joints.*.drive.table.time", NULL, "s", NULL, false},
    {"joints.*.drive.table.value", NULL, "m", "rad", false},
    {"joints.*.drive.ramp.start", NULL, "m", "rad", false},
    {"joints.*.drive.ramp.rate", NULL, "m/s", "rad/s", false},
    {"joints.*.drive.harmonic.amplitude", NULL, "m", "rad", false},
    {"joints.*.drive.harmonic.offset", NULL, "m", "rad", false},
    {"joints.*.drive.harmonic.omega", NULL, "rad/s", NULL, false},
    {"joints.*.drive.harmonic.phase", NULL, "rad", NULL, false},
    {"forces.*.stiffness", "joint-spring-damper", "N/m", "N m/rad", true},
    {"forces.*.damping", "joint-spring-damper", "N s/m", "N m s/rad", true},
    {"forces.*.rest", "joint-spring-damper", "m", "rad", true},
    {"forces.*.stiffness", "spring-damper", "N/m", NULL, true},
    {"forces.*.damping", "spring-damper", "N s/m", NULL, true},
    {"forces.*.rest_length", NULL, "m", NULL, true},
    {"forces.*.scale", NULL, "1", NULL, true},
    {"forces.*.force", "impedance", "N", "N m", true},
    {"forces.*.stiffness", "impedance", "N/m", "N m/rad", true},
    {"forces.*.damping", "impedance", "N s/m", "N m s/rad", true},
    {"forces.*.rest", "impedance", "m", "rad", true},
    {"forces.*.delay", "line", "s", NULL, false},
    {"forces.*.friction", "tyre", "1", NULL, true},
    {"forces.*.friction", "contact", "1", NULL, true},
    {"forces.*.restitution", NULL, "1", NULL, false},
    {"forces.*.level", NULL, "1", NULL, true},
    {"forces.*.gust", NULL, "1", NULL, true},
    {"roads.*.friction", NULL, "1", NULL, true},
    {"forces.*.stiffness", NULL, "N/m", "N m/rad", false},
    {"forces.*.damping", NULL, "N s/m", "N m s/rad", false},
    {"forces.*.stiffness_table.deflection", NULL, "m", "rad", false},
    {"forces.*.stiffness_table.force", NULL, "N", "N m", false},
    {"forces.*.damping_table.rate", NULL, "m/s", "rad/s", false},
    {"forces.*.damping_table.force", NULL, "N", "N m", false},
    {"forces.*.coulomb", NULL, "N", "N m", false},
    {"forces.*.stick", NULL, "N", "N m", false},
    {"forces.*.mu", NULL, "1", NULL, false},
    {"forces.*.mu_stick", NULL, "1", NULL, false},
    {"forces.*.radius", NULL, "m", NULL, false},
    {"forces.*.length", NULL, "m", NULL, false},
    {"forces.*.stribeck", NULL, "m/s", "rad/s", false},
    {"forces.*.creep", NULL, "m/s", "rad/s", false},
    {"forces.*.spin", NULL, "N m", NULL, false},
    {"forces.*.wind_up.stiffness", NULL, "N/m", "N m/rad", false},
    {"forces.*.wind_up.damping", NULL, "N s/m", "N m s/rad", false},
    {"forces.*.map.rate", NULL, "m/s", "rad/s", false},
    {"forces.*.map.level", NULL, "1", NULL, false},
    {"forces.*.map.force", NULL, "N", "N m", false},
    {"forces.*.area", NULL, "m^2", NULL, false},
    {"forces.*.density", NULL, "kg/m^3", NULL, false},
    {"forces.*.wind", NULL, "m/s", NULL, false, LK_MOVE_DIRECTION},
    {"forces.*.lower", NULL, "m", "rad", false},
    {"forces.*.upper", NULL, "m", "rad", false},
    {"forces.*.onset", NULL, "m", "rad", false},
    {"forces.*.longitudinal", NULL, "N", NULL, false},
    {"forces.*.lateral", NULL, "N", NULL, false},
    {"forces.*.speed", NULL, "m/s", NULL, false},
    {"forces.*.rail_speed", NULL, "m/s", NULL, false},
    {"forces.*.limit", NULL, "N", NULL, false},
    {"forces.*.load", NULL, "N", NULL, false},
    {"forces.*.force", NULL, "N", NULL, false, LK_MOVE_DIRECTION},
    {"forces.*.torque", NULL, "N m", NULL, false, LK_MOVE_AXIAL},
    {"forces.*.amplitude", "harmonic-torque", "N m", NULL, false, LK_MOVE_AXIAL},
    {"forces.*.amplitude", NULL, "N", NULL, false, LK_MOVE_DIRECTION},
    {"forces.*.omega", NULL, "rad/s", NULL, false},
    {"forces.*.phase", NULL, "rad", NULL, false},
    {"forces.*.radius", NULL, "m", NULL, false},
    {"forces.*.width", NULL, "m", NULL, false},
    {"forces.*.rim.radius", NULL, "m", NULL, false},
    {"forces.*.rim.stiffness", NULL, "N/m", NULL, false},
    {"forces.*.carcass.length", NULL, "m", NULL, false},
    {"forces.*.carcass.stiffness", NULL, "N/m", NULL, false},
    {"forces.*.carcass.lag", NULL, "s", NULL, false},
    {"forces.*.bore.stiffness", NULL, "N m/rad", NULL, false},
    {"forces.*.bore.damping", NULL, "N m s/rad", NULL, false},
    {"roads.*.normal", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"roads.*.direction", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"roads.*.left.distance", NULL, "m", NULL, false},
    {"roads.*.left.height", NULL, "m", NULL, false},
    {"roads.*.right.distance", NULL, "m", NULL, false},
    {"roads.*.right.height", NULL, "m", NULL, false},
    {"inputs.*.initial", "joint-torque", "N m", NULL, false},
    {"inputs.*.initial", "body-torque", "N m", NULL, false},
    {"inputs.*.initial", "joint-force", "N", NULL, false},
    {"inputs.*.initial", "body-force", "N", NULL, false},
    {"inputs.*.limits", "joint-torque", "N m", NULL, false},
    {"inputs.*.limits", "body-torque", "N m", NULL, false},
    {"inputs.*.limits", "joint-force", "N", NULL, false},
    {"inputs.*.limits", "body-force", "N", NULL, false},
    {"inputs.*.rate", "joint-torque", "N m/s", NULL, false},
    {"inputs.*.rate", "body-torque", "N m/s", NULL, false},
    {"inputs.*.rate", "joint-force", "N/s", NULL, false},
    {"inputs.*.rate", "body-force", "N/s", NULL, false},
    {"blocks.*.time", NULL, "s", NULL, false},
    {"outputs.*.ahead", NULL, "s", NULL, false},
    {"shapes.*.position", NULL, "m", NULL, false, LK_MOVE_PLACE},
    {"shapes.*.axis", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"shapes.*.normal", NULL, "1", NULL, false, LK_MOVE_DIRECTION},
    {"shapes.*.width", NULL, "m", NULL, false},
    {"shapes.*.radii", NULL, "m", NULL, false},
    {"shapes.*.curve", NULL, "m", NULL, false},
    {"flexible.*.from", NULL, "m", NULL, false},
    {"flexible.*.to", NULL, "m", NULL, false},
    {"flexible.*.through", NULL, "m", NULL, false},
    {"flexible.*.up", NULL, "1", NULL, false},
    {"flexible.*.nodes.*", NULL, "1", NULL, false},
    {"flexible.*.elements", NULL, "1", NULL, false},
    {"flexible.*.damping", NULL, "s", NULL, false},
    {"flexible.*.velocity", NULL, "m/s", NULL, false},
    {"flexible.*.angular_velocity", NULL, "rad/s", NULL, false},
    {"flexible.*.EA", NULL, "N", NULL, false},
    {"flexible.*.EI", NULL, "N m^2", NULL, false},
    {"flexible.*.GJ", NULL, "N m^2", NULL, false},
    {"flexible.*.shear", NULL, "N", NULL, false},
    {"flexible.*.mass_per_length", NULL, "kg/m", NULL, false},
    {"flexible.*.inertia_per_length", NULL, "kg m", NULL, false},
    {"flexible.*.profile.*", NULL, "m", NULL, false},
    {"flexible.*.material.E", NULL, "Pa", NULL, false},
    {"flexible.*.material.G", NULL, "Pa", NULL, false},
    {"flexible.*.material.density", NULL, "kg/m^3", NULL, false},
    {"solver.step", NULL, "s", NULL, false},
    {"solver.rate", NULL, "Hz", NULL, false},
    {"solver.iterations", NULL, "1", NULL, false},
    {"solver.order", NULL, "1", NULL, false},
};

/* struct parts - elements of a path. @n: number of elements without positions in lists;  @place:
 * the last position, 0: none */
struct parts {
    char text[LK_PATH_SIZE];
    const char *part[PARTS_MAX + 1];
    int n;
    int place;
};

static bool is_position(const char *part)
{
    return strspn(part, "0123456789") == strlen(part);
}

/* Split @path at its dots, except those within the name of an item. */
static void split(struct lk_node root, const char *path, struct parts *ret)
{
    char *at = ret->text;
    size_t size;

    *ret = (struct parts){0};
    snprintf(ret->text, sizeof(ret->text), "%s", path);
    while (*at != '\0' && ret->n <= PARTS_MAX) {
        size = strcspn(at, ".");
        if (ret->n == 1)
            lk_document_take_key(lk_node_get(root, ret->part[0]), at, &size);
        ret->part[ret->n++] = at;
        at += size;
        if (*at == '.')
            *at++ = '\0';
    }
    while (ret->n > 1 && is_position(ret->part[ret->n - 1])) {
        ret->place = atoi(ret->part[ret->n - 1]);
        ret->n--;
    }
}

static bool fits(const struct parts *p, const char *pattern)
{
    int i = 0;

    for (;; i++) {
        size_t size = strcspn(pattern, ".");

        if (i >= p->n || !((size == 1 && *pattern == '*') ||
                           (strlen(p->part[i]) == size && strncmp(p->part[i], pattern, size) == 0)))
            return false;
        if (pattern[size] == '\0')
            return i + 1 == p->n;
        pattern += size + 1;
    }
}

static struct lk_node item_of(struct lk_node root, const struct parts *p)
{
    return p->n > 1 ? lk_node_get(lk_node_get(root, p->part[0]), p->part[1])
                    : (struct lk_node){root.document, 0};
}

/* Return whether the coordinate @name of @joint is an angle; "": the only coordinate. */
static bool coordinate_is_angle(struct lk_node joint, const char *name)
{
    const char *type = lk_node_text(lk_node_get(joint, "type"));

    for (int t = 0; t < LK_JOINT_IN_FILE; t++) {
        const struct lk_joint_traits *traits = &lk_joint_traits[t];

        for (int i = 0; i < traits->n_coordinates && strcmp(traits->name, type) == 0; i++)
            if (name[0] == '\0' || strcmp(traits->coordinate[i], name) == 0)
                return (traits->is_angle >> i) & 1;
    }
    return strcmp(name, "roll") == 0 || strcmp(name, "pitch") == 0 || strcmp(name, "yaw") == 0;
}

/* return whether entry @place is an angle. A bushing has three entries along and three about its
 * axes. In a compliance, lengths come before angles */
static bool entry_is_angle(struct lk_node item, int place)
{
    const char *type = lk_node_text(lk_node_get(item, "type"));

    for (int t = 0; t < LK_JOINT_IN_FILE; t++)
        if (strcmp(lk_joint_traits[t].name, type) == 0)
            return place > lk_joint_traits[t].n_length;
    return place > 3;
}

static bool is_of_angle(struct lk_node root, const struct parts *p, const char *coordinate)
{
    struct lk_node item = item_of(root, p), joint = lk_node_get(item, "joint");

    if (p->place > 0 && strcmp(p->part[p->n - 1], "stiffness") == 0)
        return entry_is_angle(item, p->place);
    if (p->place > 0 && strcmp(p->part[p->n - 1], "damping") == 0)
        return entry_is_angle(item, p->place);
    if (strcmp(p->part[0], "joints") == 0)
        return coordinate_is_angle(item, coordinate);
    return coordinate_is_angle(lk_node_get(lk_node_get(root, "joints"), lk_node_text(joint)),
                               lk_node_text(lk_node_get(item, "coordinate")));
}

/* Remove the name of a coordinate from the path of a drive, `drive.travel.ramp.rate`. Return: the
 * name, or "". */
static const char *take_coordinate(struct parts *p)
{
    const char *name = "";

    if (p->n < 4 || strcmp(p->part[0], "joints") != 0)
        return name;
    if (strcmp(p->part[2], "drive") != 0)
        return p->part[3]; /* start.angle */
    if (p->n == 6 || (p->n == 5 && strcmp(p->part[4], "period") == 0)) {
        name = p->part[3];
        memmove(&p->part[3], &p->part[4], (size_t)(p->n - 4) * sizeof(p->part[0]));
        p->n--;
    }
    return name;
}

static const char *type_of(struct lk_node root, const struct parts *p)
{
    return lk_node_text(lk_node_get(item_of(root, p), "type"));
}

static const struct row *row_of(const struct parts *p, const char *type)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (fits(p, rows[i].path) && (rows[i].type == NULL || strcmp(rows[i].type, type) == 0))
            return &rows[i];
    return NULL;
}

const char *lk_path_unit(struct lk_node root, const char *path)
{
    struct parts p;
    const char *coordinate;
    const struct row *row;

    split(root, path, &p);
    coordinate = take_coordinate(&p);
    row = row_of(&p, type_of(root, &p));
    if (row == NULL)
        return "?";
    return row->angle != NULL && is_of_angle(root, &p, coordinate) ? row->angle : row->unit;
}

bool lk_path_may_be_tuned(struct lk_node root, const char *path)
{
    const struct row *row;
    struct parts p;

    split(root, path, &p);
    row = row_of(&p, type_of(root, &p));
    return row != NULL && row->may_be_tuned;
}

enum lk_move lk_item_move(const char *section, const char *type, const char *keys)
{
    struct parts p = {.part = {section, "*"}, .n = 2};
    const struct row *row;
    char *at = p.text;

    snprintf(p.text, sizeof(p.text), "%s", keys);
    while (*at != '\0' && p.n <= PARTS_MAX) {
        p.part[p.n++] = at;
        at += strcspn(at, ".");
        if (*at == '.')
            *at++ = '\0';
    }
    row = row_of(&p, type);
    return row != NULL ? row->move : LK_MOVE_NONE;
}

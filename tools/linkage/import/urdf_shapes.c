/* SPDX-License-Identifier: Apache-2.0 */
/* Mass and inertia of a link of URDF that has none, estimated from its shapes and a density. Shapes
 * of <collision> are preferred, because they are simpler and closed; <visual> is used if
 * <collision> has none that can be measured. Overlapping shapes count twice. */
#include "urdf_shapes.h"
#include "xml.h"

#include <math.h>
#include <string.h>

/* struct sum - shapes of a link.
 * @moment:  mass times centre;  @inertia: about the origin of the link
 * @n_other: number of meshes and other shapes that cannot be measured */
struct sum {
    int n;
    int n_other;
    double mass;
    double moment[3];
    double inertia[6];
};

/* Read @n positive numbers. Return: false after a note, unless @notes is NULL. */
static bool read_sizes(const xmlNode *node, const char *attribute, int n, double *ret,
                       struct notes *notes)
{
    char *text = xml_attribute(node, attribute);
    bool good = text != NULL && xml_parse_numbers(text, n, ret);

    for (int i = 0; i < n && good; i++)
        good = ret[i] > 0;
    if (!good && notes != NULL)
        note(notes, NOTE_ERROR, xmlGetLineNo(node), "%s of <%s> is '%s', expected %s above 0",
             attribute, xml_name(node), text != NULL ? text : "",
             n == 1 ? "a number" : "three numbers");
    xmlFree(text);
    return good;
}

bool urdf_solid(const xmlNode *node, enum lk_shape_kind *ret_kind, double ret_size[3],
                struct notes *notes)
{
    double a[3];

    if (xml_is(node, "box") && read_sizes(node, "size", 3, a, notes)) {
        *ret_kind = LK_SHAPE_BOX;
    } else if (xml_is(node, "sphere") && read_sizes(node, "radius", 1, a, notes)) {
        *ret_kind = LK_SHAPE_SPHERE;
        a[0] = a[1] = a[2] = 2 * a[0];
    } else if ((xml_is(node, "cylinder") || (xml_is(node, "capsule") && notes == NULL)) &&
               read_sizes(node, "radius", 1, a, notes) &&
               read_sizes(node, "length", 1, a + 2, notes)) {
        *ret_kind = LK_SHAPE_CYLINDER;
        a[0] = a[1] = 2 * a[0];
    } else
        return false;
    memcpy(ret_size, a, sizeof(a));
    return true;
}

/* Compute the volume of a shape and its principal moments for a unit of mass. Return: false: the
 * shape cannot be measured, or after a note. */
static bool measure(const xmlNode *shape, double *ret_volume, double ret_moment[3],
                    struct notes *notes)
{
    enum lk_shape_kind kind;
    double a[3], r, l;

    if (!urdf_solid(shape, &kind, a, notes))
        return false;
    r = 0.5 * a[0];
    l = a[2];
    if (kind == LK_SHAPE_BOX) {
        *ret_volume = a[0] * a[1] * a[2];
        for (int k = 0; k < 3; k++)
            ret_moment[k] = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - a[k] * a[k]) / 12;
    } else if (kind == LK_SHAPE_SPHERE) {
        *ret_volume = 4 * M_PI / 3 * r * r * r;
        ret_moment[0] = ret_moment[1] = ret_moment[2] = 0.4 * r * r;
    } else {
        *ret_volume = M_PI * r * r * l;
        ret_moment[0] = ret_moment[1] = (3 * r * r + l * l) / 12;
        ret_moment[2] = r * r / 2;
    }
    return true;
}

/* Add a shape, whose pose in the link is @place. */
static void add_shape(struct sum *sum, double mass, const double moment[3],
                      const struct frame *place)
{
    const double own[6] = {mass * moment[0], mass * moment[1], mass * moment[2]};
    double turned[6];

    turn_inertia(place->q, own, turned);
    for (int k = 0; k < 6; k++)
        sum->inertia[k] += turned[k];
    add_point_inertia(mass, place->r, sum->inertia);
    for (int k = 0; k < 3; k++)
        sum->moment[k] += mass * place->r[k];
    sum->mass += mass;
    sum->n++;
}

void urdf_place(const xmlNode *node, struct frame *ret, struct notes *notes)
{
    static const char *const names[] = {"xyz", "rpy"};
    double values[2][3] = {{0}};

    *ret = frame_unity;
    if (node == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        char *text = xml_attribute(node, names[i]);

        if (text != NULL && !xml_parse_numbers(text, 3, values[i]) && notes != NULL)
            note(notes, NOTE_ERROR, xmlGetLineNo(node),
                 "%s of <origin> is '%s', expected three decimal numbers, apart by spaces",
                 names[i], text);
        xmlFree(text);
    }
    frame_of(values[0], values[1], ret);
}

/* Add all shapes in the elements @kind of a link. */
static void add_shapes(const xmlNode *link, const char *kind, double density, struct sum *sum,
                       struct notes *notes)
{
    FOR_EACH_CHILD(element, link)
    {
        const xmlNode *geometry = xml_is(element, kind) ? xml_child(element, "geometry") : NULL;
        const xmlNode *shape = geometry != NULL ? xml_first(geometry->children) : NULL;
        double volume, moment[3];
        struct frame place;

        if (shape == NULL)
            continue;
        if (!measure(shape, &volume, moment, notes)) {
            sum->n_other++;
            continue;
        }
        urdf_place(xml_child(element, "origin"), &place, notes);
        add_shape(sum, density * volume, moment, &place);
    }
}

/* Store the sum as mass, centre and inertia about the centre. */
static void store(const struct sum *sum, struct link *link)
{
    link->has_inertial = true;
    link->inertial_line = link->line;
    link->mass = sum->mass;
    link->centre = frame_unity;
    for (int k = 0; k < 3; k++)
        link->centre.r[k] = sum->moment[k] / sum->mass;
    memcpy(link->inertia, sum->inertia, sizeof(link->inertia));
    add_point_inertia(-sum->mass, link->centre.r, link->inertia);
}

void urdf_estimate(const xmlNode *node, double density, struct link *link, struct notes *notes)
{
    static const char *const kinds[] = {"collision", "visual"};
    struct sum sum = {0};
    int i = 0;

    add_shapes(node, kinds[0], density, &sum, notes);
    if (sum.n == 0)
        add_shapes(node, kinds[++i], density, &sum, notes);
    if (sum.mass > 0) { /* the volume of a shape may be below the least number */
        store(&sum, link);
        note(notes, NOTE_SAID, link->line,
             "estimated: link '%s' has %.4g kg, centre %.4g, %.4g, %.4g m, moments %.4g, %.4g, "
             "%.4g kg m^2, of %d %s shape%s with %g kg/m^3",
             link->name, link->mass, link->centre.r[0], link->centre.r[1], link->centre.r[2],
             link->inertia[0], link->inertia[1], link->inertia[2], sum.n, kinds[i],
             sum.n == 1 ? "" : "s", density);
    }
    if (sum.n_other > 0)
        note(notes, NOTE_WRONG, link->line,
             "link '%s': --density measures boxes, spheres and cylinders; shapes of it without "
             "mass: %d",
             link->name, sum.n_other);
}

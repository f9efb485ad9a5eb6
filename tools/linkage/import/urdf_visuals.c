/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of URDF for viewers. A material with a colour has a name that other visuals may refer to;
 * it is defined at the top level or in a visual. A mesh is drawn as its bounding box if its file is
 * found and is STL or OBJ. */
#include "urdf_shapes.h"
#include "xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATERIALS_MAX 256

struct material {
    char name[64];
    double color[4];
};

/** struct urdf_visuals - state of the reader. @n_meshes: meshes drawn as their bounding boxes */
struct urdf_visuals {
    const char *path;
    struct robot *robot;
    int n_materials, n_meshes;
    struct undrawn undrawn;
    struct material materials[MATERIALS_MAX];
};

/* ---- colours ---- */

static bool read_color(const xmlNode *material, double ret[4])
{
    const xmlNode *node = xml_child(material, "color");
    char *text = node != NULL ? xml_attribute(node, "rgba") : NULL;
    double color[4];
    bool good = text != NULL && xml_parse_numbers(text, 4, color);

    for (int i = 0; i < 4 && good; i++)
        ret[i] = fmin(fmax(color[i], 0), 1);
    xmlFree(text);
    return good;
}

static const struct material *find_material(const struct urdf_visuals *v, const char *name)
{
    for (int i = 0; i < v->n_materials; i++)
        if (strcmp(v->materials[i].name, name) == 0)
            return &v->materials[i];
    return NULL;
}

static void add_material(struct urdf_visuals *v, const xmlNode *node)
{
    char *name = xml_attribute(node, "name");
    struct material *material = &v->materials[v->n_materials];

    if (name != NULL && name[0] != '\0' && strlen(name) < sizeof(material->name) &&
        v->n_materials < MATERIALS_MAX && find_material(v, name) == NULL &&
        read_color(node, material->color)) {
        strcpy(material->name, name);
        v->n_materials++;
    }
    xmlFree(name);
}

/* Add the materials among the children of @node, and those in its visuals. */
static void add_materials(struct urdf_visuals *v, const xmlNode *node)
{
    FOR_EACH_CHILD(child, node)
    {
        if (xml_is(child, "material"))
            add_material(v, child);
        else if (xml_is(child, "visual"))
            add_materials(v, child);
    }
}

static void find_color(const struct urdf_visuals *v, const xmlNode *visual, struct shape *shape)
{
    const xmlNode *node = xml_child(visual, "material");
    const struct material *material;
    char *name;

    shape->has_color = node != NULL && read_color(node, shape->color);
    if (node == NULL || shape->has_color)
        return;
    name = xml_attribute(node, "name");
    material = name != NULL ? find_material(v, name) : NULL;
    xmlFree(name);
    if (material == NULL)
        return;
    memcpy(shape->color, material->color, sizeof(shape->color));
    shape->has_color = true;
}

/* ---- shapes ---- */

/* Read the bounding box of a mesh, scaled. */
static bool find_bounds(const struct urdf_visuals *v, const xmlNode *mesh, const char *name,
                        double low[3], double high[3])
{
    char *text = xml_attribute(mesh, "scale");
    double scale[3] = {1, 1, 1};
    bool good = v->robot->reads_meshes && (text == NULL || xml_parse_numbers(text, 3, scale)) &&
                mesh_read_bounds(v->path, name, low, high);

    for (int i = 0; i < 3 && good; i++) {
        double a = scale[i] * low[i], b = scale[i] * high[i];

        low[i] = fmin(a, b);
        high[i] = fmax(a, b);
    }
    xmlFree(text);
    return good;
}

static bool draw_mesh(struct urdf_visuals *v, const xmlNode *mesh, const struct shape *shape)
{
    char *name = xml_attribute(mesh, "filename");
    double low[3], high[3];
    bool good = name != NULL && find_bounds(v, mesh, name, low, high) &&
                robot_box_of(v->robot, shape, low, high);
    const char *slash = name != NULL ? strrchr(name, '/') : NULL;

    if (good)
        v->n_meshes++;
    else
        undrawn_add(&v->undrawn, slash != NULL ? slash + 1 : name != NULL ? name : "mesh");
    xmlFree(name);
    return good;
}

/* Draw a visual or collision element. Return: false: no shape was added. */
static bool draw(struct urdf_visuals *v, const xmlNode *element, int link)
{
    const xmlNode *geometry = xml_child(element, "geometry");
    const xmlNode *node = geometry != NULL ? xml_first(geometry->children) : NULL;
    struct shape shape = {.link = link};
    bool good;

    if (node == NULL)
        return false;
    urdf_place(xml_child(element, "origin"), &shape.at, NULL);
    find_color(v, element, &shape);
    if (xml_is(node, "mesh"))
        return draw_mesh(v, node, &shape);
    good = urdf_solid(node, &shape.kind, shape.size, NULL) &&
           (xml_is(node, "capsule") ? robot_capsule : robot_shape)(v->robot, &shape);
    if (!good)
        undrawn_add(&v->undrawn, xml_name(node));
    return good;
}

static int draw_all(struct urdf_visuals *v, const xmlNode *node, const char *kind, int link)
{
    int n = 0;

    FOR_EACH_CHILD(child, node)
    if (xml_is(child, kind))
        n += draw(v, child, link);
    return n;
}

void urdf_visuals_add(struct urdf_visuals *visuals, const xmlNode *node, int link)
{
    if (draw_all(visuals, node, "visual", link) == 0)
        draw_all(visuals, node, "collision", link);
}

/* ---- begin and end ---- */

struct urdf_visuals *urdf_visuals_new(const char *path, const xmlNode *root, struct robot *robot,
                                      struct notes *notes)
{
    struct urdf_visuals *v = calloc(1, sizeof(*v));

    if (v == NULL) {
        note(notes, NOTE_ERROR, 0, "no memory");
        return NULL;
    }
    v->path = path;
    v->robot = robot;
    add_materials(v, root);
    FOR_EACH_CHILD(child, root)
    if (xml_is(child, "link"))
        add_materials(v, child);
    return v;
}

int urdf_visuals_end(const struct urdf_visuals *visuals, struct undrawn *ret)
{
    *ret = visuals->undrawn;
    return visuals->n_meshes;
}

void urdf_visuals_free(struct urdf_visuals *visuals)
{
    free(visuals);
}

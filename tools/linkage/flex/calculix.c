/* SPDX-License-Identifier: Apache-2.0 */
/* Files of CalculiX (calculix.de, ccx 2.20, *FREQUENCY, SOLVER=MATRIXSTORAGE): nodes, sets of
 * nodes, solid elements and their materials of JOB.inp and its *INCLUDE files, JOB.dof with a line
 * node.direction for each row, JOB.sti and JOB.mas with row, column and value of one triangle. */
#include "message.h"
#include "solid.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INCLUDES_MAX 4 /* depth */

/* struct material - *MATERIAL and its *ELASTIC;  struct section - *SOLID SECTION of a set of
 * elements
 */
struct material {
    char name[LK_NAME_SIZE];
    double E;
    double nu;
};
struct section {
    char set[LK_NAME_SIZE];
    char material[LK_NAME_SIZE];
};

/* struct input - what is read.
 * @block:   block of lines;  @set: set of nodes, or -1;  @is_range: it is given by first and last
 * @kind, @of: of the elements: kind, and index of their set in @sets;  @id, @n_ids: number of an
 *           element, then of its nodes, which may go on in the next line
 * @set_of:  set of each element of the mesh */
struct input {
    struct flex_mesh *mesh;
    enum { OTHER, NODES, ELEMENTS, ELASTIC } block;
    int set;
    bool is_range;
    enum flex_brick_kind kind;
    int of;
    double id[1 + FLEX_BRICK_NODES + 16];
    int n_ids;
    int n_sets;
    char (*sets)[LK_NAME_SIZE];
    int *set_of;
    int n_materials;
    struct material *material;
    int n_sections;
    struct section *section;
};

/* Append a zeroed entry of @size bytes to an array of @n. Return: it, NULL: no memory. */
static void *append(void *array, int *n, size_t size)
{
    char **all = array;
    char *more = realloc(*all, ((size_t)*n + 1) * size);

    if (more == NULL)
        return NULL;
    *all = more;
    return memset(more + (size_t)(*n)++ * size, 0, size);
}

/* Return whether @text begins with the keyword, without regard to case. */
static bool begins(const char *text, const char *keyword)
{
    size_t size = strlen(keyword);

    return strncasecmp(text, keyword, size) == 0 && !isalnum((unsigned char)text[size]);
}

/* Copy the value of a parameter of a keyword line. Return: whether it is there. */
static bool parameter(const char *line, const char *name, size_t size, char *ret)
{
    for (const char *at = strchr(line, ','); at != NULL; at = strchr(at, ',')) {
        at += 1 + strspn(at + 1, " \t");
        if (!begins(at, name))
            continue;
        at += strlen(name);
        at += strspn(at, " \t");
        if (*at != '=') {
            ret[0] = '\0';
            return true;
        }
        at += 1 + strspn(at + 1, " \t");
        snprintf(ret, size, "%.*s", (int)strcspn(at, ",\r\n \t"), at);
        return true;
    }
    return false;
}

/* ---- JOB.inp ---- */

static int add_to_set(struct flex_mesh *mesh, int set, long id)
{
    struct flex_set *s = &mesh->set[set];

    if ((s->n & (s->n - 1)) == 0) { /* room for the next power of two */
        long *ids = realloc(s->id, (2 * (size_t)s->n + 1) * sizeof(*ids));

        if (ids == NULL)
            return -ENOMEM;
        s->id = ids;
    }
    s->id[s->n++] = id;
    return 0;
}

/* Begin a set, or go on with one of the same name. */
static int open_set(struct input *in, const char *line)
{
    struct flex_mesh *mesh = in->mesh;
    char name[LK_NAME_SIZE], unused[8];
    struct flex_set *sets;

    if (!parameter(line, "NSET", sizeof(name), name))
        return 0;
    in->is_range = parameter(line, "GENERATE", sizeof(unused), unused);
    for (in->set = 0; in->set < mesh->n_sets; in->set++)
        if (strcasecmp(mesh->set[in->set].name, name) == 0)
            return 0;
    sets = realloc(mesh->set, ((size_t)mesh->n_sets + 1) * sizeof(*sets));
    if (sets == NULL)
        return -ENOMEM;
    mesh->set = sets;
    sets[mesh->n_sets] = (struct flex_set){0};
    memcpy(sets[mesh->n_sets++].name, name, sizeof(name));
    return 0;
}

static int read_input(const char *path, struct input *in, int depth);

/* Follow *INCLUDE, INPUT=FILE beside the file of the line. */
static int include(const struct flex_lines *lines, struct input *in, int depth)
{
    char name[PATH_MAX], path[PATH_MAX];
    const char *slash = strrchr(lines->path, '/');
    int folder = slash != NULL ? (int)(slash + 1 - lines->path) : 0;

    if (!parameter(lines->text, "INPUT", sizeof(name), name))
        return 0;
    if (name[0] == '/')
        folder = 0;
    if (depth == INCLUDES_MAX ||
        snprintf(path, sizeof(path), "%.*s%s", folder, lines->path, name) >= (int)sizeof(path)) {
        file_error("%s:%ld: files include each other more than %d deep, expected fewer",
                   lines->path, lines->number, INCLUDES_MAX);
        return -EINVAL;
    }
    return read_input(path, in, depth + 1);
}

/* Begin elements: their kind and set. */
static int open_elements(struct input *in, const char *line)
{
    char type[LK_NAME_SIZE] = "", name[LK_NAME_SIZE] = "", (*set)[LK_NAME_SIZE];

    in->n_ids = 0;
    if (!parameter(line, "TYPE", sizeof(type), type))
        return 0; /* *ELEMENT OUTPUT */
    parameter(line, "ELSET", sizeof(name), name);
    in->kind = flex_brick_kind(type);
    if (in->kind == FLEX_BRICKS) {
        in->mesh->why_none = "there are elements other than C3D4, C3D8, C3D10 and C3D20";
        return 0;
    }
    in->block = ELEMENTS;
    for (in->of = 0; in->of < in->n_sets; in->of++)
        if (strcasecmp(in->sets[in->of], name) == 0)
            return 0;
    set = append(&in->sets, &in->n_sets, sizeof(*set));
    if (set != NULL)
        memcpy(*set, name, sizeof(name));
    return set != NULL ? 0 : -ENOMEM;
}

static int open_material(struct input *in, const char *line)
{
    struct material *m = append(&in->material, &in->n_materials, sizeof(*m));

    if (m != NULL)
        parameter(line, "NAME", sizeof(m->name), m->name);
    return m != NULL ? 0 : -ENOMEM;
}

static int open_section(struct input *in, const char *line)
{
    struct section *s = append(&in->section, &in->n_sections, sizeof(*s));

    if (s == NULL)
        return -ENOMEM;
    parameter(line, "ELSET", sizeof(s->set), s->set);
    parameter(line, "MATERIAL", sizeof(s->material), s->material);
    return 0;
}

static void open_elastic(struct input *in, const char *line)
{
    char type[16] = "ISO";

    parameter(line, "TYPE", sizeof(type), type);
    if (strncasecmp(type, "ISO", 3) != 0)
        in->mesh->why_none = "a material is not isotropic";
    else if (in->n_materials > 0)
        in->block = ELASTIC;
}

static int read_keyword(const struct flex_lines *lines, struct input *in, int depth)
{
    const char *line = lines->text;

    in->set = -1;
    in->block = begins(line, "*NODE") ? NODES : OTHER;
    if (begins(line, "*INCLUDE"))
        return include(lines, in, depth);
    if (begins(line, "*ELEMENT"))
        return open_elements(in, line);
    if (begins(line, "*MATERIAL"))
        return open_material(in, line);
    if (begins(line, "*SOLID SECTION"))
        return open_section(in, line);
    if (begins(line, "*ELASTIC"))
        open_elastic(in, line);
    return begins(line, "*NSET") ? open_set(in, line) : 0;
}

/* Read a line of an element, and add the element once it is complete. */
static int read_element(const struct flex_lines *lines, struct input *in)
{
    int wanted = 1 + flex_brick_nodes(in->kind), n;
    struct flex_mesh *mesh = in->mesh;
    struct flex_brick *brick;

    n = flex_numbers(lines->text, 16, in->id + in->n_ids);
    for (int i = 0; i < n && n <= 16; i++)
        n = flex_is_id(in->id[in->n_ids + i]) ? n : -1;
    if (n < 0 || n > 16 || in->n_ids + n > wanted) {
        file_error("%s:%ld: this is no element, expected its number and those of its %d nodes",
                   lines->path, lines->number, wanted - 1);
        return -EINVAL;
    }
    in->n_ids += n;
    if (in->n_ids < wanted)
        return 0;
    in->n_ids = 0;
    if ((mesh->n_bricks & (mesh->n_bricks - 1)) == 0) { /* room for the next power of two */
        size_t room = 2 * (size_t)mesh->n_bricks + 1;
        int *sets = realloc(in->set_of, room * sizeof(*sets));

        if (sets == NULL)
            return -ENOMEM;
        in->set_of = sets;
        brick = realloc(mesh->brick, room * sizeof(*brick));
        if (brick == NULL)
            return -ENOMEM;
        mesh->brick = brick;
    }
    in->set_of[mesh->n_bricks] = in->of;
    brick = &mesh->brick[mesh->n_bricks++];
    *brick = (struct flex_brick){.kind = in->kind};
    for (int a = 0; a < wanted - 1; a++)
        brick->node[a] = (int)in->id[1 + a];
    return 0;
}

/* Read Young's modulus and Poisson's ratio. Of several temperatures the first one counts. */
static void read_elastic(const struct flex_lines *lines, struct input *in)
{
    struct material *m = &in->material[in->n_materials - 1];
    double value[4];

    in->block = OTHER;
    if (flex_numbers(lines->text, 3, value) < 2 || !(value[0] > 0) || !(value[1] > -1) ||
        !(value[1] < 0.5)) {
        in->mesh->why_none = "Young's modulus is not above 0, or Poisson's ratio is not below 0.5";
        return;
    }
    m->E = value[0];
    m->nu = value[1];
}

/* Return the material of a set of elements: that of its section, or the only one. */
static const struct material *material_of(const struct input *in, const char *set)
{
    for (int s = 0; s < in->n_sections; s++)
        for (int m = 0; m < in->n_materials; m++)
            if (set[0] != '\0' && strcasecmp(in->section[s].set, set) == 0 &&
                strcasecmp(in->section[s].material, in->material[m].name) == 0)
                return &in->material[m];
    return in->n_materials == 1 ? in->material : NULL;
}

/* Give the elements their material, and indices of nodes instead of their numbers. */
static void finish_elements(const struct input *in)
{
    struct flex_mesh *mesh = in->mesh;

    for (int e = 0; e < mesh->n_bricks && mesh->why_none == NULL; e++) {
        struct flex_brick *b = &mesh->brick[e];
        const struct material *m = material_of(in, in->sets[in->set_of[e]]);
        double slope[FLEX_BRICK_NODES][3];

        if (m == NULL || !(m->E > 0)) {
            mesh->why_none = "an element has no material: the ELSET of its *ELEMENT is to be that "
                             "of a *SOLID SECTION";
            return;
        }
        b->E = m->E;
        b->nu = m->nu;
        for (int a = 0; a < flex_brick_nodes(b->kind); a++) {
            b->node[a] = flex_mesh_find(mesh, b->node[a]);
            if (b->node[a] < 0) {
                mesh->why_none = "an element has a node without rows of the matrices";
                return;
            }
        }
        for (int p = 0; p < flex_brick_points(b->kind); p++)
            if (!(flex_brick_slopes(mesh, b, p, slope) > 0))
                mesh->why_none = "an element is distorted";
    }
}

static void free_input(struct input *in)
{
    free(in->sets);
    free(in->set_of);
    free(in->material);
    free(in->section);
}

/* Add the nodes FIRST, LAST, STEP of a set with GENERATE. */
static int add_range(struct input *in, const double *value, int n)
{
    long step = n > 2 && value[2] >= 1 ? (long)value[2] : 1;
    int result = 0;

    for (long id = (long)value[0]; id <= (long)value[1] && result == 0; id += step)
        if (flex_mesh_find(in->mesh, id) >= 0)
            result = add_to_set(in->mesh, in->set, id);
    return result;
}

static int read_set(const struct flex_lines *lines, struct input *in)
{
    double value[17];
    int n = flex_numbers(lines->text, 16, value), result = 0;

    for (int i = 0; i < n && i < 16; i++)
        if (!flex_is_id(value[i])) {
            file_error("%s:%ld: this is no set of nodes, expected their numbers, at most 16 a line",
                       lines->path, lines->number);
            return -EINVAL;
        }
    if (in->is_range && n >= 2)
        return add_range(in, value, n);
    for (int i = 0; i < n && i < 16 && result == 0; i++) /* -1: a set of sets, which is not read */
        result = add_to_set(in->mesh, in->set, (long)value[i]);
    return result;
}

static int read_input(const char *path, struct input *in, int depth)
{
    struct flex_lines lines;
    int result = flex_lines_open(path, &lines);

    while (result == 0 && flex_lines_next(&lines)) {
        double value[5];

        if (strncmp(lines.text, "**", 2) == 0)
            continue;
        if (lines.text[0] == '*')
            result = read_keyword(&lines, in, depth);
        else if (in->set >= 0)
            result = read_set(&lines, in);
        else if (in->block == ELEMENTS)
            result = read_element(&lines, in);
        else if (in->block == ELASTIC)
            read_elastic(&lines, in);
        else if (in->block == NODES && flex_numbers(lines.text, 4, value) == 4 &&
                 flex_is_id(value[0]))
            result = flex_mesh_add_node(in->mesh, (long)value[0], value + 1);
    }
    flex_lines_close(&lines);
    return result;
}

/* ---- rows and matrices ---- */

/* Replace the end of JOB.inp. */
static void beside(const char *path, const char *end, char ret[PATH_MAX])
{
    size_t size = strlen(path);

    if (size > 4 && strcasecmp(path + size - 4, ".inp") == 0)
        size -= 4;
    snprintf(ret, PATH_MAX, "%.*s%s", (int)(size < PATH_MAX - 8 ? size : PATH_MAX - 8), path, end);
}

static int read_rows(const char *path, struct flex_mesh *mesh)
{
    struct flex_lines lines;
    int result = flex_lines_open(path, &lines);

    while (result == 0 && flex_lines_next(&lines)) {
        long id;
        int direction, node;

        if (sscanf(lines.text, "%ld.%d", &id, &direction) != 2 || direction < 1 || direction > 3 ||
            (node = flex_mesh_find(mesh, id)) < 0) {
            file_error("%s:%ld: this is no row, expected node.direction with a node of the input "
                       "and a direction from 1 to 3",
                       path, lines.number);
            result = -EINVAL;
            break;
        }
        result = flex_mesh_add_row(mesh, 6L * node + direction - 1);
    }
    flex_lines_close(&lines);
    return result;
}

/* Remove the nodes without rows, for example of elements that are not used. */
static int drop_nodes(struct flex_mesh *mesh)
{
    long *to = calloc((size_t)mesh->n_nodes + 1, sizeof(*to));
    int n = 0;

    if (to == NULL)
        return -ENOMEM;
    for (long i = 0; i < mesh->n; i++)
        to[mesh->at[i] / 6] = 1;
    for (int i = 0; i < mesh->n_nodes; i++) {
        if (to[i] == 0)
            continue;
        mesh->id[n] = mesh->id[i];
        memmove(mesh->position + 3 * (size_t)n, mesh->position + 3 * (size_t)i,
                3 * sizeof(*mesh->position));
        to[i] = n++;
    }
    mesh->n_nodes = n;
    for (long i = 0; i < mesh->n; i++)
        mesh->at[i] = 6 * to[mesh->at[i] / 6] + mesh->at[i] % 6;
    free(to);
    return flex_mesh_index(mesh);
}

static int read_matrix(const char *path, long n, struct flex_sparse *ret)
{
    struct flex_matrix matrix;
    int result = flex_matrix_read(path, 'K', NULL, &matrix);

    if (result == 0 && (!matrix.is_triangle || matrix.rows > n)) {
        file_error("%s: expected lines 'row column value' of at most %ld rows", path, n);
        result = -EINVAL;
    }
    if (result == 0)
        result = flex_matrix_square(&matrix, n, ret);
    flex_triplets_free(&matrix.t);
    return result;
}

int flex_calculix_read(const char *path, struct flex_mesh *ret)
{
    struct input in = {.mesh = ret, .set = -1};
    char name[PATH_MAX];
    int result = read_input(path, &in, 0);

    beside(path, ".dof", name);
    if (result == 0)
        result = read_rows(name, ret);
    if (result == 0)
        result = drop_nodes(ret);
    if (result == 0)
        finish_elements(&in);
    free_input(&in);
    beside(path, ".sti", name);
    if (result == 0)
        result = read_matrix(name, ret->n, &ret->stiffness);
    beside(path, ".mas", name);
    return result == 0 ? read_matrix(name, ret->n, &ret->mass) : result;
}

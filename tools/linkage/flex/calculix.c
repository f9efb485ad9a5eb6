/* SPDX-License-Identifier: Apache-2.0 */
/* Files of CalculiX (calculix.de, ccx 2.20, *FREQUENCY, SOLVER=MATRIXSTORAGE): nodes and sets of
 * nodes of JOB.inp and its *INCLUDE files, JOB.dof with a line node.direction for each row, JOB.sti
 * and JOB.mas with row, column and value of one triangle. */
#include "message.h"
#include "solid.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INCLUDES_MAX 4 /* depth */

/* struct input - the section that is read. @set: set of nodes, or -1 */
struct input {
    struct flex_mesh *mesh;
    bool is_nodes;
    int set;
    bool is_range;
};

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

static int read_keyword(const struct flex_lines *lines, struct input *in, int depth)
{
    in->set = -1;
    in->is_nodes = begins(lines->text, "*NODE");
    if (begins(lines->text, "*INCLUDE"))
        return include(lines, in, depth);
    return begins(lines->text, "*NSET") ? open_set(in, lines->text) : 0;
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
        else if (in->is_nodes && flex_numbers(lines.text, 4, value) == 4 && flex_is_id(value[0]))
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
    beside(path, ".sti", name);
    if (result == 0)
        result = read_matrix(name, ret->n, &ret->stiffness);
    beside(path, ".mas", name);
    return result == 0 ? read_matrix(name, ret->n, &ret->mass) : result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and matrices of a finite-element model in text files.
 *
 * Matrix Market: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats:
 * initial design, NISTIR 5935 (1996); `coordinate real`, symmetric or general. */
#include "linkage/file.h"
#include "message.h"
#include "solid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DOFS_MAX 30000000L
#define ID_MAX   1e9

/* ---- lines ---- */

int flex_lines_open(const char *path, struct flex_lines *ret)
{
    int fd = lk_file_open(path);

    *ret = (struct flex_lines){.path = path};
    ret->file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (ret->file != NULL)
        return 0;
    file_error("%s: %s", path, lk_file_error(fd < 0 ? fd : -errno));
    if (fd >= 0)
        close(fd);
    return -EINVAL;
}

bool flex_lines_next(struct flex_lines *lines)
{
    ssize_t size = getline(&lines->text, &lines->room, lines->file);

    lines->number += size >= 0;
    return size >= 0;
}

void flex_lines_close(struct flex_lines *lines)
{
    if (lines->file != NULL)
        fclose(lines->file);
    free(lines->text);
    *lines = (struct flex_lines){0};
}

int flex_numbers(const char *text, int most, double *ret)
{
    int n = 0;

    for (;;) {
        char *end;

        text += strspn(text, " \t\r\n,;");
        if (*text == '\0')
            return n;
        if (n == most)
            return n + 1;
        ret[n] = strtod(text, &end);
        if (end == text || !isfinite(ret[n]) || strchr(" \t\r\n,;", *end) == NULL)
            return -1;
        n++;
        text = end;
    }
}

/* ---- nodes ---- */

bool flex_is_id(double value)
{
    return value == floor(value) && fabs(value) <= ID_MAX;
}

int flex_mesh_add_node(struct flex_mesh *mesh, long id, const double position[3])
{
    size_t n = (size_t)mesh->n_nodes;

    if ((n & (n - 1)) == 0) { /* room for the next power of two */
        long *ids = realloc(mesh->id, (2 * n + 1) * sizeof(*ids));
        double *positions;

        if (ids == NULL)
            return -ENOMEM;
        mesh->id = ids;
        positions = realloc(mesh->position, 3 * (2 * n + 1) * sizeof(*positions));
        if (positions == NULL)
            return -ENOMEM;
        mesh->position = positions;
    }
    mesh->is_ascending = n == 0 || (mesh->is_ascending && id > mesh->id[n - 1]);
    mesh->id[n] = id;
    memcpy(mesh->position + 3 * n, position, 3 * sizeof(*position));
    mesh->n_nodes++;
    return 0;
}

int flex_mesh_find(const struct flex_mesh *mesh, long id)
{
    int low = 0, high = mesh->n_nodes;

    while (low < high) { /* numbers mostly ascend */
        int middle = low + (high - low) / 2;

        if (mesh->id[middle] == id)
            return middle;
        if (mesh->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = 0; i < mesh->n_nodes && !mesh->is_ascending; i++)
        if (mesh->id[i] == id)
            return i;
    return -1;
}

void flex_mesh_free(struct flex_mesh *mesh)
{
    free(mesh->id);
    free(mesh->position);
    free(mesh->at);
    for (int i = 0; i < mesh->n_sets; i++)
        free(mesh->set[i].id);
    free(mesh->set);
    flex_sparse_free(&mesh->mass);
    flex_sparse_free(&mesh->stiffness);
    *mesh = (struct flex_mesh){0};
}

static int read_nodes(const char *path, struct flex_mesh *mesh)
{
    struct flex_lines lines;
    int result = flex_lines_open(path, &lines);

    while (result == 0 && flex_lines_next(&lines)) {
        double value[4];
        int n = flex_numbers(lines.text, 4, value);

        if (n == 0 || lines.text[0] == '#' || (n < 0 && mesh->n_nodes == 0 && lines.number == 1))
            continue; /* the first line may name the columns */
        if (n != 4 || !flex_is_id(value[0])) {
            file_error("%s:%ld: this is no node, expected 'id, x, y, z' with a whole number and "
                       "three numbers in m",
                       path, lines.number);
            result = -EINVAL;
        } else {
            result = flex_mesh_add_node(mesh, (long)value[0], value + 1);
        }
    }
    if (result == 0 && mesh->n_nodes == 0) {
        file_error("%s: there are no nodes, expected lines 'id, x, y, z'", path);
        result = -EINVAL;
    }
    flex_lines_close(&lines);
    return result;
}

/* ---- Matrix Market ---- */

static int refuse_line(const struct flex_lines *lines, const char *expected)
{
    file_error("%s:%ld: expected %s", lines->path, lines->number, expected);
    return -EINVAL;
}

/* Read the first lines. @ret_size: rows, columns, entries */
static int read_head(struct flex_lines *lines, bool *ret_symmetric, double ret_size[3])
{
    char format[32], field[32], symmetry[32];

    if (!flex_lines_next(lines) ||
        sscanf(lines->text, "%%%%MatrixMarket matrix %31s %31s %31s", format, field, symmetry) != 3)
        return refuse_line(lines, "'%%MatrixMarket matrix coordinate real symmetric'");
    if (strcasecmp(format, "coordinate") != 0 ||
        (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0) ||
        (strcasecmp(symmetry, "symmetric") != 0 && strcasecmp(symmetry, "general") != 0))
        return refuse_line(lines, "a matrix 'coordinate real', symmetric or general");
    *ret_symmetric = strcasecmp(symmetry, "symmetric") == 0;
    while (flex_lines_next(lines))
        if (lines->text[0] != '%' && strspn(lines->text, " \t\r\n") < strlen(lines->text))
            break;
    if (lines->text == NULL || flex_numbers(lines->text, 3, ret_size) != 3 ||
        ret_size[0] != ret_size[1] || !(ret_size[0] >= 1 && ret_size[0] <= (double)DOFS_MAX))
        return refuse_line(lines, "rows, columns and entries of a square matrix");
    return 0;
}

static int read_entries(struct flex_lines *lines, bool is_symmetric, const double size[3],
                        struct flex_triplets *t)
{
    double value[3];
    int result = 0;

    for (double i = 0; i < size[2] && result == 0; i++) {
        long row, column;

        if (!flex_lines_next(lines))
            return refuse_line(lines, "as many entries as the file says");
        if (flex_numbers(lines->text, 3, value) != 3 || !(value[0] >= 1 && value[0] <= size[0]) ||
            !(value[1] >= 1 && value[1] <= size[0]))
            return refuse_line(lines, "row, column and value, rows and columns from 1");
        row = (long)value[0] - 1;
        column = (long)value[1] - 1;
        result = flex_triplets_add(t, row, column, value[2]);
        if (result == 0 && is_symmetric && row != column)
            result = flex_triplets_add(t, column, row, value[2]);
    }
    return result;
}

static int read_matrix(const char *path, struct flex_sparse *ret)
{
    struct flex_lines lines;
    struct flex_triplets t = {0};
    bool is_symmetric = false;
    double size[3] = {0};
    int result = flex_lines_open(path, &lines);

    if (result == 0)
        result = read_head(&lines, &is_symmetric, size);
    if (result == 0)
        result = read_entries(&lines, is_symmetric, size, &t);
    if (result == 0)
        result = flex_sparse_new(&t, (long)size[0], ret);
    flex_triplets_free(&t);
    flex_lines_close(&lines);
    return result;
}

int flex_mesh_read(const struct flex_files *files, struct flex_mesh *ret)
{
    int result = read_nodes(files->nodes, ret);

    if (result == 0)
        result = read_matrix(files->mass, &ret->mass);
    if (result == 0)
        result = read_matrix(files->stiffness, &ret->stiffness);
    if (result != 0)
        return result;
    ret->n = ret->stiffness.n;
    ret->n_directions = ret->n == 3L * ret->n_nodes ? 3 : 6;
    if (ret->mass.n != ret->n || ret->n != (long)ret->n_directions * ret->n_nodes) {
        file_error("%s: %ld rows beside %ld of %s and %d nodes, expected 3 or 6 rows for each node",
                   files->stiffness, ret->n, ret->mass.n, files->mass, ret->n_nodes);
        return -EINVAL;
    }
    ret->at = calloc((size_t)ret->n, sizeof(*ret->at));
    if (ret->at == NULL)
        return -ENOMEM;
    for (long i = 0; i < ret->n; i++)
        ret->at[i] = 6 * (i / ret->n_directions) + i % ret->n_directions;
    return 0;
}

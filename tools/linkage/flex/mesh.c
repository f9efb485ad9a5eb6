/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a finite-element model, and the rows of its matrices. */
#include "linkage/file.h"
#include "message.h"
#include "solid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_MAX 1e9

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
    free(mesh->row);
    free(mesh->other);
    free(mesh->brick);
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
        double value[5];
        int n =
            flex_numbers(lines.text, 4, value + 1) == 3 ? 3 : flex_numbers(lines.text, 4, value);

        value[0] = n == 3 ? mesh->n_nodes + 1 : value[0]; /* places alone */

        if (n == 0 || lines.text[0] == '#' || (n < 0 && mesh->n_nodes == 0 && lines.number == 1))
            continue; /* the first line may name the columns */
        if (n < 3 || n > 4 || !flex_is_id(value[0])) {
            file_error("%s:%ld: this is no node, expected 'id, x, y, z' with a whole number and "
                       "three numbers, or 'x, y, z'",
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

/* ---- rows ---- */

int flex_mesh_add_row(struct flex_mesh *mesh, long at)
{
    size_t n = (size_t)mesh->n;

    if ((n & (n - 1)) == 0) { /* room for the next power of two */
        long *all = realloc(mesh->at, (2 * n + 1) * sizeof(*all));

        if (all == NULL)
            return -ENOMEM;
        mesh->at = all;
    }
    mesh->at[mesh->n++] = at;
    return 0;
}

int flex_mesh_index(struct flex_mesh *mesh)
{
    long *row = calloc(6 * (size_t)mesh->n_nodes + 1, sizeof(*row));

    if (row == NULL)
        return -ENOMEM;
    for (long i = 0; i < mesh->n; i++)
        if (mesh->at[i] >= 0)
            row[mesh->at[i]] = i + 1;
    free(mesh->row);
    mesh->row = row;
    return 0;
}

/* Return the row of direction @d of a node, or -1. */
static long row_of(const struct flex_mesh *mesh, int node, int d)
{
    return mesh->row[6 * (size_t)node + (size_t)d] - 1;
}

bool flex_mesh_has(const struct flex_mesh *mesh, int node, int direction)
{
    return row_of(mesh, node, direction) >= 0;
}

/* Append a row of a node. */
static int add_node_row(struct flex_mesh *mesh, int node, int d)
{
    if (mesh->row == NULL && flex_mesh_index(mesh) != 0)
        return -ENOMEM;
    mesh->row[6 * (size_t)node + (size_t)d] = mesh->n + 1;
    return flex_mesh_add_row(mesh, 6L * node + d);
}

/* Append a row of a coordinate that is of no node. */
static int add_other_row(struct flex_mesh *mesh, long id, long direction)
{
    long *others = realloc(mesh->other, 2 * ((size_t)mesh->n_others + 1) * sizeof(*others));

    if (others == NULL)
        return -ENOMEM;
    mesh->other = others;
    others[2 * mesh->n_others] = id;
    others[2 * mesh->n_others + 1] = direction;
    mesh->n_others++;
    return flex_mesh_add_row(mesh, -1);
}

int flex_mesh_row(struct flex_mesh *mesh, long id, long direction, long *ret)
{
    int node = direction > 0 && id >= 0 ? flex_mesh_find(mesh, id) : -1, k = 0;

    if (direction > 0 && id >= 0 && node < 0)
        return -ENOENT;
    if (node >= 0 && mesh->row != NULL && (*ret = row_of(mesh, node, (int)direction - 1)) >= 0)
        return 0;
    for (long i = 0; i < mesh->n && node < 0; i++) { /* the others are in the order of their rows */
        if (mesh->at[i] >= 0)
            continue;
        *ret = i;
        if (mesh->other[2 * k] == id && mesh->other[2 * k + 1] == direction)
            return 0;
        k++;
    }
    if (mesh->is_complete)
        return -ENOENT;
    *ret = mesh->n;
    return node >= 0 ? add_node_row(mesh, node, (int)direction - 1)
                     : add_other_row(mesh, id, direction);
}

int flex_mesh_number(struct flex_mesh *mesh, long n, const char *path)
{
    long nodes = mesh->n_nodes, directions = n >= 6 * nodes ? 6 : 3;
    int result = 0;

    if (n != directions * nodes && n < 6 * nodes) {
        file_error("%s: %ld rows beside %ld nodes, expected 3 or 6 rows for each node; after 6 for "
                   "each node there may be those of further coordinates of a reduced model",
                   path, n, nodes);
        return -EINVAL;
    }
    for (long i = 0; i < n && result == 0; i++)
        result = i < directions * nodes
                     ? add_node_row(mesh, (int)(i / directions), (int)(i % directions))
                     : add_other_row(mesh, 0, i);
    return result;
}

/* ---- both matrices ---- */

/* Read the stiffness matrix, which decides on the rows, or the mass matrix. */
static int read_matrix(const char *path, char letter, struct flex_mesh *mesh,
                       struct flex_sparse *ret)
{
    struct flex_matrix matrix;
    int result = flex_matrix_read(path, letter, mesh, &matrix);

    if (result == 0 && matrix.rows != matrix.columns) {
        file_error("%s: %ld rows and %ld columns, expected a square matrix", path, matrix.rows,
                   matrix.columns);
        result = -EINVAL;
    }
    if (result == 0 && !mesh->is_complete) {
        mesh->is_named = matrix.is_named;
        if (!matrix.is_named)
            result = flex_mesh_number(mesh, matrix.rows, path);
    }
    if (result == 0 && (matrix.rows != mesh->n || matrix.is_named != mesh->is_named)) {
        file_error("%s: %ld rows beside %ld of the stiffness matrix, expected as many, and both "
                   "matrices in the same form",
                   path, matrix.rows, mesh->n);
        result = -EINVAL;
    }
    mesh->is_complete = true;
    if (result == 0)
        result = flex_matrix_square(&matrix, mesh->n, ret);
    flex_triplets_free(&matrix.t);
    return result;
}

int flex_mesh_read(const struct flex_files *files, struct flex_mesh *ret)
{
    int result = read_nodes(files->nodes, ret);

    if (result == 0)
        result = read_matrix(files->stiffness, 'K', ret, &ret->stiffness);
    return result == 0 ? read_matrix(files->mass, 'M', ret, &ret->mass) : result;
}

void flex_mesh_convert(struct flex_mesh *mesh, const char *units)
{
    bool is_mm = units != NULL && strcmp(units, "mm-t") == 0;
    double energy = is_mm ? 1e-3 : 1; /* t mm^2/s^2 in J */

    mesh->length = is_mm ? 1e-3 : 1;
    for (size_t i = 0; i < 3 * (size_t)mesh->n_nodes; i++)
        mesh->position[i] *= mesh->length;
    for (int e = 0; e < mesh->n_bricks && is_mm; e++)
        mesh->brick[e].E *= 1e6; /* MPa */
    for (int m = 0; m < 2 && is_mm; m++) {
        struct flex_sparse *A = m == 0 ? &mesh->mass : &mesh->stiffness;

        for (long k = 0; k < A->n; k++)
            for (long e = A->start[k]; e < A->start[k + 1]; e++) {
                bool of_row = mesh->at[A->row[e]] >= 0 && mesh->at[A->row[e]] % 6 < 3;
                bool of_column = mesh->at[k] >= 0 && mesh->at[k] % 6 < 3;

                A->value[e] *=
                    energy / (of_row ? mesh->length : 1) / (of_column ? mesh->length : 1);
            }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery: quantities that are linear in the displacements, as rows of a mode file.
 *
 * A matrix of a finite-element program times the displacements of all degrees of freedom gives
 * stresses or loads (output transformation matrix). A gauge between two nodes gives the strain
 * along the line that joins them, e . (u_b - u_a) / L. */
#include "linkage/error.h"
#include "maths/vec.h"
#include "message.h"
#include "solid_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Append an entry to the list of the body. Return: it, NULL: no memory. */
static struct flex_recovery *append(struct flex_body *body, const char *name, const char *unit,
                                    int rows)
{
    struct flex_recovery *all = realloc(body->recovery,
                                        ((size_t)body->n_recoveries + 1) * sizeof(*all)),
                         *entry;

    if (all == NULL)
        return NULL;
    body->recovery = all;
    entry = &all[body->n_recoveries++];
    *entry = (struct flex_recovery){.rows = rows};
    snprintf(entry->name, sizeof(entry->name), "%s", name);
    snprintf(entry->unit, sizeof(entry->unit), "%s", unit);
    return entry;
}

/* Append the entry NAME of one or six rows, or for other matrices NAME_1, NAME_2 .. */
static int append_rows(struct flex_body *body, const char *name, const char *unit, long rows)
{
    bool is_one = rows == 1 || rows == 6;

    for (long i = 0; i < (is_one ? 1 : rows); i++) {
        char text[2 * LK_NAME_SIZE];

        snprintf(text, sizeof(text), is_one ? "%s" : "%s_%ld", name, i + 1);
        if (strlen(text) >= LK_NAME_SIZE) {
            complain("--recovery %s: the name is too long, expected at most %d bytes with the "
                     "number of the row",
                     name, LK_NAME_SIZE - 1);
            return -EINVAL;
        }
        if (append(body, text, unit, is_one ? (int)rows : 1) == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* Copy the NAME of NAME=...; the name is not used yet. */
static int read_name(const char *option, const char *text, const struct flex_body *body,
                     char name[LK_NAME_SIZE])
{
    size_t size = strcspn(text, "=");

    if (text[size] == '\0' || !flex_is_name(text, size)) {
        complain("--%s %s: expected NAME=.. with a NAME of letters, digits and _", option, text);
        return -EINVAL;
    }
    memcpy(name, text, size);
    name[size] = '\0';
    for (int i = 0; i < body->n_recoveries; i++)
        if (strcmp(body->recovery[i].name, name) == 0) {
            complain("--%s %s: the name is used before, expected another one", option, text);
            return -EINVAL;
        }
    return 0;
}

/* Read NAME=FILE[,UNIT]. */
static int read_matrix(const char *text, struct flex_work *w, struct flex_body *body)
{
    char name[LK_NAME_SIZE], *path;
    const char *unit = strrchr(text, ',');
    struct flex_matrix matrix = {0};
    long first = w->n_recovered;
    int result = read_name("recovery", text, body, name);

    if (result != 0)
        return result;
    if (unit != NULL && (strlen(unit + 1) == 0 || strlen(unit + 1) >= LK_UNIT_SIZE)) {
        complain("--recovery %s: expected NAME=FILE,UNIT with at most %d bytes of a unit", text,
                 LK_UNIT_SIZE - 1);
        return -EINVAL;
    }
    path = strdup(strchr(text, '=') + 1);
    if (path == NULL)
        return -ENOMEM;
    if (unit != NULL)
        *strrchr(path, ',') = '\0';
    result = flex_matrix_read(path, 0, NULL, &matrix);
    if (result == 0 && matrix.columns != w->mesh.n) {
        file_error("%s: %ld columns, expected one for each of the %ld rows of the stiffness matrix",
                   path, matrix.columns, w->mesh.n);
        result = -EINVAL;
    }
    if (result == 0)
        result = append_rows(body, name, unit != NULL ? unit + 1 : "1", matrix.rows);
    for (size_t i = 0; i < matrix.t.n && result == 0; i++)
        result = flex_triplets_add(&w->recovered, first + matrix.t.row[i], matrix.t.column[i],
                                   matrix.t.value[i]);
    w->n_recovered = first + matrix.rows;
    flex_triplets_free(&matrix.t);
    free(path);
    return result;
}

/* Read NAME=ID,ID. */
static int read_gauge(const char *text, struct flex_work *w, struct flex_body *body)
{
    struct flex_mesh *mesh = &w->mesh;
    char name[LK_NAME_SIZE];
    double id[2], e[3], length;
    int node[2], result = read_name("gauge", text, body, name);

    if (result != 0)
        return result;
    if (flex_numbers(strchr(text, '=') + 1, 2, id) != 2 || !flex_is_id(id[0]) ||
        !flex_is_id(id[1])) {
        complain("--gauge %s: expected NAME=ID,ID with the numbers of two nodes", text);
        return -EINVAL;
    }
    for (int k = 0; k < 2; k++) {
        node[k] = flex_mesh_find(mesh, (long)id[k]);
        if (node[k] < 0) {
            complain("--gauge %s: there is no node %ld, expected a number of the node file", text,
                     (long)id[k]);
            return -EINVAL;
        }
    }
    lk_sub(mesh->position + 3 * (size_t)node[1], mesh->position + 3 * (size_t)node[0], e);
    length = lk_norm(e);
    if (!(length > 0)) {
        complain("--gauge %s: the nodes are at the same place, expected two places", text);
        return -EINVAL;
    }
    for (int k = 0; k < 2 && result == 0; k++)
        for (int d = 0; d < 3 && result == 0; d++) { /* rows are per length of the files */
            long row = mesh->row[6 * (size_t)node[k] + (size_t)d] - 1;

            if (row >= 0)
                result =
                    flex_triplets_add(&w->recovered, w->n_recovered, row,
                                      (k == 0 ? -1 : 1) * e[d] * mesh->length / length / length);
        }
    w->n_recovered++;
    return result != 0 || append(body, name, "1", 1) != NULL ? result : -ENOMEM;
}

/* Add the stress at node @node of @brick, divided by the number of elements @n. */
static int add_stress(struct flex_work *w, const struct flex_brick *brick, int node, int n)
{
    double slope[FLEX_BRICK_NODES][3];
    int result = flex_brick_slopes_at(&w->mesh, brick, node, slope) > 0 ? 0 : -EDOM;

    for (int a = 0; a < flex_brick_nodes(brick->kind) && result == 0; a++)
        for (int d = 0; d < 3 && result == 0; d++) {
            long row = w->mesh.row[6 * (size_t)brick->node[a] + (size_t)d] - 1;
            double G[3][3] = {{0}}, stress[6];

            memcpy(G[d], slope[a], sizeof(G[d]));
            flex_brick_stress(brick, G, stress);
            for (int c = 0; c < 6 && row >= 0 && result == 0; c++)
                result = flex_triplets_add(&w->recovered, w->n_recovered + c, row,
                                           stress[c] * w->mesh.length / n);
        }
    return result;
}

/* Return the place of node @at among those of an element, or -1. */
static int place_in(const struct flex_brick *brick, int at)
{
    for (int a = 0; a < flex_brick_nodes(brick->kind); a++)
        if (brick->node[a] == at)
            return a;
    return -1;
}

/* Read NAME=ID. The stress is the mean of those of all elements at the node. */
static int read_stress(const char *text, struct flex_work *w, struct flex_body *body)
{
    struct flex_mesh *mesh = &w->mesh;
    char name[LK_NAME_SIZE];
    double id;
    int n = 0, at, result = read_name("stress", text, body, name);

    if (result != 0)
        return result;
    if (mesh->n_bricks == 0 || mesh->why_none != NULL) {
        complain("--stress %s: %s, expected an input of CalculiX with solid elements and their "
                 "material",
                 text, mesh->why_none != NULL ? mesh->why_none : "there are no elements");
        return -EINVAL;
    }
    at = flex_numbers(strchr(text, '=') + 1, 1, &id) == 1 && flex_is_id(id)
             ? flex_mesh_find(mesh, (long)id)
             : -1;
    for (int e = 0; e < mesh->n_bricks && at >= 0; e++)
        n += place_in(&mesh->brick[e], at) >= 0;
    if (n == 0) {
        complain("--stress %s: expected NAME=ID with the number of a node of an element", text);
        return -EINVAL;
    }
    for (int e = 0; e < mesh->n_bricks && result == 0; e++)
        if (place_in(&mesh->brick[e], at) >= 0)
            result = add_stress(w, &mesh->brick[e], place_in(&mesh->brick[e], at), n);
    w->n_recovered += 6;
    if (result == -EDOM)
        complain("--stress %s: an element at the node is distorted, expected a better mesh", text);
    return result == -EDOM || result == -EINVAL  ? -EINVAL
           : append(body, name, "Pa", 6) != NULL ? result
                                                 : -ENOMEM;
}

int flex_recovery_read(const struct flex_files *files, struct flex_work *w, struct flex_body *body)
{
    int result = 0;

    for (int i = 0; i < files->n_recoveries && result == 0; i++)
        result = read_matrix(files->recovery[i], w, body);
    for (int i = 0; i < files->n_gauges && result == 0; i++)
        result = read_gauge(files->gauge[i], w, body);
    for (int i = 0; i < files->n_stresses && result == 0; i++)
        result = read_stress(files->stress[i], w, body);
    return result;
}

void flex_recovery_add(const struct flex_work *w, const double *x, double *ret)
{
    const struct flex_triplets *t = &w->recovered;

    for (size_t i = 0; i < t->n; i++) {
        long at = w->mesh.at[t->column[i]];
        bool is_length = at >= 0 && at % 6 < 3;

        ret[t->row[i]] += t->value[i] * x[t->column[i]] / (is_length ? w->mesh.length : 1);
    }
}

int flex_recovery_share(struct flex_body *body)
{
    const struct flex_modes *modes = &body->modes;
    size_t first = 0, n = (size_t)modes->n;

    for (int i = 0; i < body->n_recoveries; i++) {
        struct flex_recovery *entry = &body->recovery[i];

        entry->value = calloc((size_t)entry->rows * n + 1, sizeof(*entry->value));
        if (entry->value == NULL)
            return -ENOMEM;
        for (size_t r = 0; r < (size_t)entry->rows; r++)
            for (size_t k = 0; k < n; k++)
                entry->value[r * n + k] = modes->other[k * (size_t)modes->n_others + first + r];
        first += (size_t)entry->rows;
    }
    return 0;
}

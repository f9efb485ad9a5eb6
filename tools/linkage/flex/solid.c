/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of a finite-element model: from its files to modes and interface nodes. */
#include "message.h"
#include "solid_work.h"

#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void free_work(struct flex_work *w)
{
    flex_mesh_free(&w->mesh);
    for (int s = 0; s < w->n_spiders; s++)
        flex_spider_free(&w->spider[s]);
    free(w->spider);
    free(w->free_at);
    free(w->spider_of);
    flex_sparse_free(&w->M);
    flex_sparse_free(&w->K);
    free(w->T);
    flex_triplets_free(&w->recovered);
    flex_factor_free(w->factor);
}

/* ---- coordinates ---- */

static int read_spiders(const struct flex_files *files, struct flex_work *w)
{
    int result = 0;

    if (files->n_interfaces > FLEX_SPIDERS_MAX) {
        complain("--interface is given %d times, expected at most %d", files->n_interfaces,
                 FLEX_SPIDERS_MAX);
        return -EINVAL;
    }
    w->spider = calloc((size_t)files->n_interfaces + 1, sizeof(*w->spider));
    if (w->spider == NULL)
        return -ENOMEM;
    for (int s = 0; s < files->n_interfaces && result == 0; s++) {
        w->n_spiders = s + 1;
        result = flex_spider_read(files->interface[s], &w->mesh, &w->spider[s]);
        for (int k = 0; k < s && result == 0; k++)
            if (strcmp(w->spider[k].name, w->spider[s].name) == 0) {
                complain("--interface %s: the name is used before, expected another one",
                         files->interface[s]);
                result = -EINVAL;
            }
    }
    return result;
}

/* Note the nodes of spiders. A node of a rigid spider is in no other one. */
static int claim_nodes(struct flex_work *w)
{
    for (int pass = 0; pass < 2; pass++) /* rigid ones first */
        for (int s = 0; s < w->n_spiders; s++) {
            const struct flex_spider *spider = &w->spider[s];

            for (int i = 0; i < spider->n && spider->is_average == (pass == 1); i++) {
                int *owner = &w->spider_of[spider->node[i]];

                if (*owner >= 0) {
                    complain("--interface %s: node %ld is tied to %s as well, expected it in one "
                             "of them",
                             spider->name, w->mesh.id[spider->node[i]], w->spider[*owner].name);
                    return -EINVAL;
                }
                if (!spider->is_average)
                    *owner = s;
            }
        }
    return 0;
}

static int number_coordinates(struct flex_work *w)
{
    size_t n_nodes = (size_t)w->mesh.n_nodes;
    int result;

    w->free_at = calloc((size_t)w->mesh.n, sizeof(*w->free_at));
    w->spider_of = calloc(n_nodes, sizeof(*w->spider_of));
    if (w->free_at == NULL || w->spider_of == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n_nodes; i++)
        w->spider_of[i] = -1;
    result = claim_nodes(w);
    for (long i = 0; i < w->mesh.n; i++)
        w->free_at[i] = w->mesh.at[i] < 0 || w->spider_of[w->mesh.at[i] / 6] < 0 ? w->n_free++ : -1;
    w->n_z = w->n_rows = w->n_free;
    for (int s = 0; s < w->n_spiders; s++) {
        long *next = w->spider[s].is_average ? &w->n_rows : &w->n_z;

        w->first[s] = *next;
        *next += 6;
    }
    return result;
}

/* Write the row of the constraint matrix C of a degree of freedom. Return: number of entries. */
static int row_of(const struct flex_work *w, long dof, long z[6], double c[6])
{
    int node = (int)(w->mesh.at[dof] / 6), n = 0;
    int s = w->mesh.at[dof] >= 0 ? w->spider_of[node] : -1;

    if (s < 0) {
        z[0] = w->free_at[dof];
        c[0] = 1;
        return 1;
    }
    for (int j = 0; j < 6; j++) {
        double u[6];

        flex_spider_arm(&w->spider[s], &w->mesh, node, j, u);
        if (u[w->mesh.at[dof] % 6] != 0) {
            z[n] = w->first[s] + j;
            c[n++] = u[w->mesh.at[dof] % 6];
        }
    }
    return n;
}

/* Compute C^T A C. */
static int condense(const struct flex_work *w, const struct flex_sparse *A, struct flex_sparse *ret)
{
    struct flex_triplets t = {0};
    int result = 0;

    for (long k = 0; k < A->n && result == 0; k++) {
        long column[6], row[6];
        double c[6], r[6];
        int n_columns = row_of(w, k, column, c);

        for (long e = A->start[k]; e < A->start[k + 1] && result == 0; e++) {
            int n_row = row_of(w, A->row[e], row, r);

            for (int i = 0; i < n_row; i++)
                for (int j = 0; j < n_columns && result == 0; j++)
                    result = flex_triplets_add(&t, row[i], column[j], r[i] * A->value[e] * c[j]);
        }
    }
    if (result == 0)
        result = flex_sparse_new(&t, w->n_z, ret);
    flex_triplets_free(&t);
    return result;
}

/* ---- reduction ---- */

/* Write the coefficients of the rigid motions: motions of the spiders, or the columns themselves.
 */
static void rigid_coefficients(const struct flex_work *w, const double center[3], double *ret)
{
    for (int s = 0; s < w->n_spiders && !w->wish->is_free; s++) {
        double all[6 * FLEX_RIGID];

        flex_rigid_motions(1, w->spider[s].point, center, all);
        for (size_t k = 0; k < FLEX_RIGID; k++)
            memcpy(ret + k * (size_t)w->n_columns + 6 * s, all + 6 * k, 6 * sizeof(*ret));
    }
    for (size_t k = 0; k < FLEX_RIGID && w->wish->is_free; k++)
        ret[k + k * (size_t)w->n_columns] = 1;
}

/* Compute @ret = T^T A T. */
static int reduce_matrix(const struct flex_work *w, const struct flex_sparse *A, double *ret)
{
    int n = (int)w->n_z, c = w->n_columns;
    double *AT = calloc((size_t)n * (size_t)c, sizeof(*AT));

    if (AT == NULL)
        return -ENOMEM;
    flex_sparse_multiply(A, w->T, c, AT);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c, c, n, 1, w->T, n, AT, n, 0, ret, c);
    free(AT);
    return 0;
}

static int reduce(const struct flex_work *w, const double center[3], struct flex_basis *ret)
{
    size_t c = (size_t)w->n_columns;
    int result;

    ret->n = w->n_columns;
    ret->n_static = w->wish->is_free ? 0 : 6 * w->n_spiders;
    ret->mass = calloc(c * c, sizeof(*ret->mass));
    ret->stiffness = calloc(c * c, sizeof(*ret->stiffness));
    ret->rigid = calloc(c * FLEX_RIGID, sizeof(*ret->rigid));
    if (ret->mass == NULL || ret->stiffness == NULL || ret->rigid == NULL)
        return -ENOMEM;
    rigid_coefficients(w, center, ret->rigid);
    result = reduce_matrix(w, &w->M, ret->mass);
    return result == 0 ? reduce_matrix(w, &w->K, ret->stiffness) : result;
}

void flex_expand(const struct flex_work *w, const double *z, double *ret)
{
    for (long i = 0; i < w->mesh.n; i++) {
        long at[6];
        double c[6];
        int entries = row_of(w, i, at, c);

        ret[i] = 0;
        for (int e = 0; e < entries; e++)
            ret[i] += c[e] * z[at[e]];
    }
}

void flex_condense_load(const struct flex_work *w, const double *f, double *ret)
{
    memset(ret, 0, (size_t)w->n_z * sizeof(*ret));
    for (long i = 0; i < w->mesh.n; i++) {
        long at[6];
        double c[6];
        int entries = row_of(w, i, at, c);

        for (int e = 0; e < entries; e++)
            ret[at[e]] += c[e] * f[i];
    }
}

/* Write the modes as displacements of the nodes, and the quantities of the recovery. */
static int expand(const struct flex_work *w, const double *y, struct flex_modes *modes)
{
    size_t n = 6 * (size_t)w->mesh.n_nodes, n_z = (size_t)w->n_z;
    size_t others = (size_t)w->n_recovered;
    double *z = calloc(n_z + (size_t)w->mesh.n, sizeof(*z)), *x = z + n_z;

    modes->n_nodes = w->mesh.n_nodes;
    modes->n_others = (int)w->n_recovered;
    modes->shape = calloc(n * (size_t)(modes->n > 0 ? modes->n : 1), sizeof(*modes->shape));
    modes->other = calloc(others * (size_t)modes->n + 1, sizeof(*modes->other));
    if (z == NULL || modes->shape == NULL || modes->other == NULL) {
        free(z);
        return -ENOMEM;
    }
    for (size_t k = 0; k < (size_t)modes->n; k++) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n_z, w->n_columns, 1, w->T, (int)n_z,
                    y + k * (size_t)w->n_columns, 1, 0, z, 1);
        flex_expand(w, z, x);
        for (long i = 0; i < w->mesh.n; i++)
            if (w->mesh.at[i] >= 0)
                modes->shape[k * n + (size_t)w->mesh.at[i]] = x[i];
        flex_recovery_add(w, x, modes->other + k * others);
    }
    free(z);
    return 0;
}

static int solve(struct flex_work *w, const double center[3], struct flex_modes *ret)
{
    struct flex_basis basis = {0};
    double *y = NULL;
    int result = reduce(w, center, &basis);

    if (result == 0)
        result = flex_solve(&basis, w->wish->to_hz > 0 ? basis.n : w->wish->n, &ret->n, &y,
                            &ret->frequency, &ret->share);
    if (result == 0)
        result = expand(w, y, ret);
    if (result == 0)
        flex_modes_align(ret);
    free(y);
    flex_basis_free(&basis);
    return result;
}

static int add_places(const struct flex_work *w, struct flex_body *body)
{
    body->place = calloc((size_t)w->n_spiders + 1, sizeof(*body->place));
    if (body->place == NULL)
        return -ENOMEM;
    for (int s = 0; s < w->n_spiders; s++) {
        struct flex_place *place = &body->place[s];

        memcpy(place->name, w->spider[s].name, sizeof(place->name));
        memcpy(place->position, w->spider[s].point, sizeof(place->position));
        place->node = -1;
        place->shape = calloc(6 * (size_t)body->modes.n + 1, sizeof(*place->shape));
        if (place->shape == NULL)
            return -ENOMEM;
        body->n_places = s + 1;
        for (size_t k = 0; k < (size_t)body->modes.n; k++)
            flex_spider_motion(&w->spider[s], body->modes.shape + 6 * k * (size_t)w->mesh.n_nodes,
                               place->shape + 6 * k);
    }
    return 0;
}

static int build_any(struct flex_work *w, const struct flex_body *body)
{
    double *R;
    int result;

    if (!w->wish->is_free)
        return flex_build(w);
    R = calloc((size_t)w->mesh.n * FLEX_RIGID, sizeof(*R));
    if (R == NULL)
        return -ENOMEM;
    flex_mesh_rigid(&w->mesh, body->mass.center, R);
    result = flex_build_free(w, body->mass.center, R);
    free(R);
    return result;
}

static int read_all(const struct flex_files *files, struct flex_work *w, struct flex_body *body)
{
    const char *path = files->job != NULL ? files->job : files->stiffness;
    int result = files->job != NULL ? flex_calculix_read(files->job, &w->mesh)
                                    : flex_mesh_read(files, &w->mesh);

    if (result == 0)
        flex_mesh_convert(&w->mesh, files->units);
    if (result == 0)
        result = flex_mesh_check(&w->mesh, path);
    if (result == 0)
        result = flex_mesh_mass(&w->mesh, path, &body->mass);
    if (result == 0)
        result = read_spiders(files, w);
    if (result == 0)
        result = flex_recovery_read(files, w, body);
    if (result == 0)
        result = flex_mesh_connected(&w->mesh, w->spider, w->n_spiders, path);
    return result == 0 ? number_coordinates(w) : result;
}

int flex_solid(const struct flex_files *files, const struct flex_wish *wish, struct flex_body *body)
{
    struct flex_work w = {.wish = wish};
    int result = read_all(files, &w, body);

    if (result == 0)
        result = condense(&w, &w.mesh.mass, &w.M);
    if (result == 0)
        result = condense(&w, &w.mesh.stiffness, &w.K);
    if (result == 0)
        result = build_any(&w, body);
    if (result == 0)
        result = solve(&w, body->mass.center, &body->modes);
    if (result == 0)
        result = add_places(&w, body);
    if (result == 0)
        result = flex_recovery_share(body);
    body->pairs.n = wish->second < body->modes.n ? wish->second : body->modes.n;
    if (result == 0 && w.mesh.n_bricks > 0 && w.mesh.why_none == NULL && !wish->is_free &&
        w.n_spiders > 0)
        result = flex_stiffen(&w, body);
    else if (result == 0 && w.mesh.n_bricks > 0 && w.mesh.why_none != NULL)
        file_warning("%s: the elements are not used: %s", files->job, w.mesh.why_none);
    free_work(&w);
    return result;
}

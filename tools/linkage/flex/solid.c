/* SPDX-License-Identifier: Apache-2.0 */
/* Hurty/Craig-Bampton basis of sparse matrices.
 *
 * The coordinates z are the degrees of freedom outside of rigid spiders, then six for each of
 * these: x = C z. An averaging spider with the motion y is a constraint B^T x = y. With the
 * interface fixed the coordinates outside, F, follow from
 *
 *   [ K_FF  B ] [ x ]   [ f ]
 *   [ B^T   0 ] [ l ] = [ y ]
 *
 * Static columns: f = -K_FI e_j for a rigid spider, y = e_j for an averaging one. Fixed-interface
 * modes: f = M x, y = 0. */
#include "solid.h"
#include "message.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_GUESS 24   /* fixed-interface modes of the first attempt with a limit in Hz */
#define SHIFT       1e-9 /* for free modes, of the largest ratio of stiffness and mass */

/* struct work - data of a reduction.
 * @free_at: z of each degree of freedom; of a node of a rigid spider: -1
 * @spider_of: rigid spider of each node, or -1
 * @first:     z of the first coordinate of each rigid spider; of an averaging one: its first row of
 *             multipliers, after the n_free rows
 * @n_free, @n_z, @n_rows: coordinates outside of rigid spiders, all, rows of the factor
 * @T:         basis, n_z x n_columns */
struct work {
    const struct flex_wish *wish;
    struct flex_mesh mesh;
    int n_spiders;
    struct flex_spider *spider;
    long *free_at;
    int *spider_of;
    long first[FLEX_SPIDERS_MAX];
    long n_free;
    long n_z;
    long n_rows;
    struct flex_sparse M;
    struct flex_sparse K;
    int n_columns;
    double *T;
    struct flex_factor *factor;
};

static void free_work(struct work *w)
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
    flex_factor_free(w->factor);
}

/* ---- coordinates ---- */

static int read_spiders(const struct flex_files *files, struct work *w)
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
static int claim_nodes(struct work *w)
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

static int number_coordinates(struct work *w)
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
        w->free_at[i] = w->spider_of[w->mesh.at[i] / 6] < 0 ? w->n_free++ : -1;
    w->n_z = w->n_rows = w->n_free;
    for (int s = 0; s < w->n_spiders; s++) {
        long *next = w->spider[s].is_average ? &w->n_rows : &w->n_z;

        w->first[s] = *next;
        *next += 6;
    }
    return result;
}

/* Write the row of C of a degree of freedom. Return: number of its entries. */
static int row_of(const struct work *w, long dof, long z[6], double c[6])
{
    int node = (int)(w->mesh.at[dof] / 6), s = w->spider_of[node], n = 0;

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
static int condense(const struct work *w, const struct flex_sparse *A, struct flex_sparse *ret)
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

/* ---- factor ---- */

/* Return row @dof of B for the motion @j of spider @s, at its node @i and direction @d. */
static int add_average(const struct work *w, int s, struct flex_triplets *t)
{
    const struct flex_spider *spider = &w->spider[s];
    long *first = calloc((size_t)w->mesh.n_nodes, sizeof(*first));
    int result = first != NULL ? 0 : -ENOMEM;

    for (int i = 0; i < spider->n && result == 0; i++)
        first[spider->node[i]] = i + 1;
    for (long dof = 0; dof < w->mesh.n && result == 0; dof++) {
        long i = first[w->mesh.at[dof] / 6] - 1, d = w->mesh.at[dof] % 6;

        for (long j = 0; j < 6 && i >= 0 && result == 0; j++) {
            double b = spider->fit[36 * i + 6 * j + d];

            if (b == 0)
                continue;
            result = flex_triplets_add(t, w->free_at[dof], w->first[s] + j, b);
            if (result == 0)
                result = flex_triplets_add(t, w->first[s] + j, w->free_at[dof], b);
        }
    }
    free(first);
    return result;
}

/* Add the entries of @A, times @scale, in the first @n rows and columns. */
static int add_matrix(const struct flex_sparse *A, long n, double scale, struct flex_triplets *t)
{
    int result = 0;

    for (long k = 0; k < n; k++)
        for (long e = A->start[k]; e < A->start[k + 1] && result == 0; e++)
            if (A->row[e] < n)
                result = flex_triplets_add(t, A->row[e], k, scale * A->value[e]);
    return result;
}

/* Factor the matrix at the top of this file; with @shift: K - @shift M of all coordinates. */
static int factor(struct work *w, double shift)
{
    struct flex_triplets t = {0};
    struct flex_sparse A = {0};
    long n = shift != 0 ? w->n_z : w->n_free;
    int result = add_matrix(&w->K, n, 1, &t);

    if (result == 0 && shift != 0)
        result = add_matrix(&w->M, n, -shift, &t);
    for (int s = 0; s < w->n_spiders && shift == 0 && result == 0; s++)
        if (w->spider[s].is_average)
            result = add_average(w, s, &t);
    if (result == 0)
        result = flex_sparse_new(&t, shift != 0 ? n : w->n_rows, &A);
    flex_triplets_free(&t);
    if (result == 0)
        result = flex_factor_new(&A, &w->factor);
    flex_sparse_free(&A);
    return result;
}

/* ---- basis ---- */

/* Append @n columns to the basis, as zeros. Return: the first one, NULL: no memory. */
static double *add_columns(struct work *w, int n)
{
    size_t rows = (size_t)w->n_z, columns = (size_t)w->n_columns;
    double *T = realloc(w->T, rows * (columns + (size_t)n) * sizeof(*T));

    if (T == NULL)
        return NULL;
    memset(T + rows * columns, 0, rows * (size_t)n * sizeof(*T));
    w->T = T;
    w->n_columns += n;
    return T + rows * columns;
}

/* Write the static column of motion @j of spider @s. @b, @x: one vector of all rows each */
static int add_static_column(const struct work *w, int s, int j, double *b, double *x, double *ret)
{
    long at = w->first[s] + j;
    int result;

    memset(b, 0, (size_t)w->n_rows * sizeof(*b));
    if (w->spider[s].is_average)
        b[at] = 1;
    for (long e = w->spider[s].is_average ? 0 : w->K.start[at];
         !w->spider[s].is_average && e < w->K.start[at + 1]; e++)
        if (w->K.row[e] < w->n_free)
            b[w->K.row[e]] = -w->K.value[e];
    result = flex_factor_solve(w->factor, b, x);
    memcpy(ret, x, (size_t)w->n_free * sizeof(*x));
    if (!w->spider[s].is_average)
        ret[at] = 1;
    return result;
}

static int add_static(struct work *w)
{
    double *column = add_columns(w, 6 * w->n_spiders);
    double *b = calloc(2 * (size_t)w->n_rows + 1, sizeof(*b));
    int result = column != NULL && b != NULL ? 0 : -ENOMEM;

    for (int k = 0; k < 6 * w->n_spiders && result == 0; k++)
        result = add_static_column(w, k / 6, k % 6, b, b + w->n_rows,
                                   column + (size_t)k * (size_t)w->n_z);
    free(b);
    return result;
}

/* Copy the leading @n rows and columns. */
static int leading(const struct flex_sparse *A, long n, struct flex_sparse *ret)
{
    struct flex_triplets t = {0};
    int result = add_matrix(A, n, 1, &t);

    if (result == 0)
        result = flex_sparse_new(&t, n, ret);
    flex_triplets_free(&t);
    return result;
}

/* Append @count modes of @lowest, @n rows each. */
static int copy_modes(struct work *w, const double *x, int count, long n)
{
    double *column = add_columns(w, count);

    if (column == NULL)
        return -ENOMEM;
    for (int k = 0; k < count; k++)
        memcpy(column + (size_t)k * (size_t)w->n_z, x + (size_t)k * (size_t)n,
               (size_t)n * sizeof(*x));
    return 0;
}

/* Append the lowest modes, without the first @n_skipped: @n_wanted, or all up to @to_hz. */
static int add_modes(struct work *w, const struct flex_sparse *M, double shift, int n_skipped,
                     int n_wanted, double to_hz)
{
    long n = M->n;
    int count = to_hz > 0 ? FIRST_GUESS : n_wanted, kept = 0, result = 0;
    bool is_enough = false;

    while (!is_enough && result == 0) {
        int most = n - 1 < 1000000 ? (int)n - 1 : 1000000;
        double *lambda, *x;

        count = count + n_skipped < most ? count : most - n_skipped;
        lambda = calloc((size_t)(count + n_skipped) + 1, sizeof(*lambda));
        x = calloc((size_t)n * (size_t)(count + n_skipped), sizeof(*x));
        result = lambda != NULL && x != NULL ? flex_lowest(w->factor, shift != 0 ? n : w->n_rows, M,
                                                           shift, count + n_skipped, lambda, x)
                                             : -ENOMEM;
        for (kept = 0; kept < count && result == 0; kept++)
            if (to_hz > 0 && lambda[n_skipped + kept] > pow(2 * M_PI * to_hz, 2))
                break;
        is_enough = !(to_hz > 0) || kept < count || count + n_skipped == most;
        if (result == 0 && is_enough)
            result = copy_modes(w, x + (size_t)n * (size_t)n_skipped, kept, n);
        free(lambda);
        free(x);
        count *= 2;
    }
    return result;
}

/* Build the columns of Craig-Bampton. */
static int build(struct work *w)
{
    int wanted = w->wish->n - (6 * w->n_spiders - FLEX_RIGID);
    struct flex_sparse M = {0};
    int result = factor(w, 0);

    if (result == 0)
        result = add_static(w);
    if (result == 0)
        result = leading(&w->M, w->n_free, &M);
    if (result == 0 && (wanted > 0 || w->wish->to_hz > 0))
        result = add_modes(w, &M, 0, 0, wanted, w->wish->to_hz);
    flex_sparse_free(&M);
    return result;
}

/* Write the rigid motions in coordinates z. */
static void rigid_columns(const struct work *w, const double center[3], const double *R,
                          double *ret)
{
    for (size_t k = 0; k < FLEX_RIGID; k++) {
        double *column = ret + k * (size_t)w->n_z;

        for (long i = 0; i < w->mesh.n; i++)
            if (w->free_at[i] >= 0)
                column[w->free_at[i]] = R[(size_t)i + k * (size_t)w->mesh.n];
        for (int s = 0; s < w->n_spiders; s++)
            if (!w->spider[s].is_average) {
                double all[6 * FLEX_RIGID];

                flex_rigid_motions(1, w->spider[s].point, center, all);
                memcpy(column + w->first[s], all + 6 * k, 6 * sizeof(*column));
            }
    }
}

/* Build the columns of free modes: rigid motions, then the elastic modes. */
static int build_free(struct work *w, const double center[3], const double *R)
{
    double ratio = 0, *column;
    int result;

    for (long i = 0; i < w->n_z; i++) {
        double m = flex_sparse_diagonal(&w->M, i);

        if (m > 0)
            ratio = fmax(ratio, flex_sparse_diagonal(&w->K, i) / m);
    }
    result = factor(w, -SHIFT * ratio);
    column = result == 0 ? add_columns(w, FLEX_RIGID) : NULL;
    if (column == NULL)
        return result != 0 ? result : -ENOMEM;
    rigid_columns(w, center, R, column);
    return add_modes(w, &w->M, -SHIFT * ratio, FLEX_RIGID, w->wish->n, w->wish->to_hz);
}

/* ---- reduction ---- */

/* Write the coefficients of the rigid motions: motions of the spiders, or the columns themselves.
 */
static void rigid_coefficients(const struct work *w, const double center[3], double *ret)
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
static int reduce_matrix(const struct work *w, const struct flex_sparse *A, double *ret)
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

static int reduce(const struct work *w, const double center[3], struct flex_basis *ret)
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

/* Write the modes as displacements of the nodes. */
static int expand(const struct work *w, const double *y, struct flex_modes *modes)
{
    size_t n = 6 * (size_t)w->mesh.n_nodes, n_z = (size_t)w->n_z;
    double *z = calloc(n_z, sizeof(*z));

    modes->n_nodes = w->mesh.n_nodes;
    modes->shape = calloc(n * (size_t)(modes->n > 0 ? modes->n : 1), sizeof(*modes->shape));
    if (z == NULL || modes->shape == NULL) {
        free(z);
        return -ENOMEM;
    }
    for (size_t k = 0; k < (size_t)modes->n; k++) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n_z, w->n_columns, 1, w->T, (int)n_z,
                    y + k * (size_t)w->n_columns, 1, 0, z, 1);
        for (long i = 0; i < w->mesh.n; i++) {
            long at[6];
            double c[6];
            int entries = row_of(w, i, at, c);

            for (int e = 0; e < entries; e++)
                modes->shape[k * n + (size_t)w->mesh.at[i]] += c[e] * z[at[e]];
        }
    }
    free(z);
    return 0;
}

static int solve(struct work *w, const double center[3], struct flex_modes *ret)
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

static int add_places(const struct work *w, struct flex_body *body)
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

static int build_any(struct work *w, const struct flex_body *body)
{
    double *R;
    int result;

    if (!w->wish->is_free)
        return build(w);
    R = calloc((size_t)w->mesh.n * FLEX_RIGID, sizeof(*R));
    if (R == NULL)
        return -ENOMEM;
    flex_mesh_rigid(&w->mesh, body->mass.center, R);
    result = build_free(w, body->mass.center, R);
    free(R);
    return result;
}

static int read_all(const struct flex_files *files, struct work *w, struct flex_body *body)
{
    const char *path = files->job != NULL ? files->job : files->stiffness;
    int result = files->job != NULL ? flex_calculix_read(files->job, &w->mesh)
                                    : flex_mesh_read(files, &w->mesh);

    if (result == 0)
        result = flex_mesh_check(&w->mesh, path);
    if (result == 0)
        result = flex_mesh_mass(&w->mesh, path, &body->mass);
    if (result == 0)
        result = read_spiders(files, w);
    return result == 0 ? number_coordinates(w) : result;
}

int flex_solid(const struct flex_files *files, const struct flex_wish *wish, struct flex_body *body)
{
    struct work w = {.wish = wish};
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
    free_work(&w);
    return result;
}

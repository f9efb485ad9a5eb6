/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the matrices are those of a free body. */
#include "message.h"
#include "solid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELD    1e-6 /* force of a rigid motion, relative to the stiffness and the motion */
#define UNEQUAL 1e-9 /* difference of entries above and below the diagonal */
static const char *const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};

void flex_mesh_rigid(const struct flex_mesh *mesh, const double center[3], double *ret)
{
    memset(ret, 0, (size_t)mesh->n * FLEX_RIGID * sizeof(*ret));
    for (long i = 0; i < mesh->n; i++) {
        const double *x = mesh->position + 3 * (mesh->at[i] / 6);
        int d = (int)(mesh->at[i] % 6), b = (d + 1) % 3, c = (d + 2) % 3;

        if (mesh->at[i] < 0)
            continue;
        ret[i + d * mesh->n] = 1;
        if (d < 3) { /* component d of e_b x arm is +arm_c, of e_c x arm it is -arm_b */
            ret[i + (3 + b) * mesh->n] = x[c] - center[c];
            ret[i + (3 + c) * mesh->n] = -(x[b] - center[b]);
        }
    }
}

/* Return the number of the node of a row, for error messages; of a further coordinate that in its
 * file, or 0. */
static long node_of(const struct flex_mesh *mesh, long row)
{
    int k = 0;

    if (mesh->at[row] >= 0)
        return mesh->id[mesh->at[row] / 6];
    for (long i = 0; i < row; i++)
        k += mesh->at[i] < 0;
    return mesh->other[2 * k];
}

static int check_diagonal(const struct flex_mesh *mesh, const char *path)
{
    for (long i = 0; i < mesh->n; i++) {
        double k = flex_sparse_entry(&mesh->stiffness, i, i);

        if (!(k > 0)) {
            file_error("%s: node %ld has stiffness %g in direction %s, row %ld, expected more than "
                       "0: connect or remove it",
                       path, node_of(mesh, i), k,
                       mesh->at[i] >= 0 ? directions[mesh->at[i] % 6] : "0", i + 1);
            return -EINVAL;
        }
        if (!(flex_sparse_entry(&mesh->mass, i, i) >= 0)) {
            file_error("%s: node %ld has mass %g, expected at least 0", path, node_of(mesh, i),
                       flex_sparse_entry(&mesh->mass, i, i));
            return -EINVAL;
        }
    }
    return 0;
}

/* Return the largest size of an entry, and of the difference of A and its transpose. */
static double asymmetry(const struct flex_sparse *A, double *ret_largest)
{
    double worst = 0;

    *ret_largest = 0;
    for (long k = 0; k < A->n; k++)
        for (long e = A->start[k]; e < A->start[k + 1]; e++) {
            *ret_largest = fmax(*ret_largest, fabs(A->value[e]));
            worst = fmax(worst, fabs(A->value[e] - flex_sparse_entry(A, k, A->row[e])));
        }
    return worst;
}

/* Refuse a stiffness matrix in which a rigid motion needs a force. */
static int check_free(const struct flex_mesh *mesh, const char *path, double largest)
{
    size_t n = (size_t)mesh->n;
    double *R = calloc(2 * n * FLEX_RIGID, sizeof(*R)), *KR;
    int result = 0;

    if (R == NULL)
        return -ENOMEM;
    KR = R + n * FLEX_RIGID;
    flex_mesh_rigid(mesh, mesh->position, R);
    flex_sparse_multiply(&mesh->stiffness, R, FLEX_RIGID, KR);
    for (size_t k = 0; k < FLEX_RIGID && result == 0; k++) {
        double size = 0;

        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(R[i + k * n]));
        for (size_t i = 0; i < n && result == 0; i++)
            if (fabs(KR[i + k * n]) > HELD * largest * size) {
                file_error(
                    "%s: a rigid motion along or about %s needs a force at node %ld, expected "
                    "the stiffness of a free body, without supports, and nodes in m",
                    path, directions[k], node_of(mesh, i));
                result = -EINVAL;
            }
    }
    free(R);
    return result;
}

int flex_mesh_check(const struct flex_mesh *mesh, const char *path)
{
    double largest;
    int result = check_diagonal(mesh, path);

    if (result == 0 && (asymmetry(&mesh->mass, &largest) > UNEQUAL * largest ||
                        asymmetry(&mesh->stiffness, &largest) > UNEQUAL * largest)) {
        file_error(
            "%s: mass or stiffness matrix is not symmetric, expected A(i,j) = A(j,i); a file "
            "with one triangle is to say 'symmetric'",
            path);
        return -EINVAL;
    }
    return result == 0 ? check_free(mesh, path, largest) : result;
}

/* ---- parts ---- */

/* Return the first node of the part of node @i, and shorten the way to it. */
static int part_of(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void join(int *up, int i, int k)
{
    int a = part_of(up, i), b = part_of(up, k);

    up[a > b ? a : b] = a > b ? b : a;
}

int flex_mesh_connected(const struct flex_mesh *mesh, const struct flex_spider *spiders, int n,
                        const char *path)
{
    const struct flex_sparse *K = &mesh->stiffness;
    int *up = calloc((size_t)mesh->n_nodes + 1, sizeof(*up)), result = 0;

    if (up == NULL)
        return -ENOMEM;
    for (int i = 0; i < mesh->n_nodes; i++)
        up[i] = i;
    for (long k = 0; k < K->n; k++)
        for (long e = K->start[k]; e < K->start[k + 1]; e++)
            if (K->value[e] != 0 && mesh->at[k] >= 0 && mesh->at[K->row[e]] >= 0)
                join(up, (int)(mesh->at[K->row[e]] / 6), (int)(mesh->at[k] / 6));
    for (int s = 0; s < n; s++)
        for (int i = 1; i < spiders[s].n && !spiders[s].is_average; i++)
            join(up, spiders[s].node[0], spiders[s].node[i]);
    for (int i = 0; i < mesh->n_nodes && result == 0; i++)
        if (part_of(up, i) != 0) {
            file_error("%s: node %ld is not connected to node %ld, expected one part, or a "
                       "rigid --interface NAME=.. that joins them",
                       path, mesh->id[i], mesh->id[0]);
            result = -EINVAL;
        }
    free(up);
    return result;
}

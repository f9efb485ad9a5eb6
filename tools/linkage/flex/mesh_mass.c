/* SPDX-License-Identifier: Apache-2.0 */
/* Mass distribution of a finite-element model.
 *
 * In a mass matrix of solids, the block of two nodes is a number times the unit matrix: the scalar
 * mass matrix. Integrals of products of displacements are exact with it, because rotated
 * displacements are displacements of the same elements. Of other elements the third of the trace is
 * used, without the coupling of displacements and rotations. Mass, centre of mass and inertia of
 * the undeformed body are those of the whole matrix. A reduced model with further coordinates has
 * no such distribution. */
#include "maths/vec.h"
#include "message.h"
#include "solid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNEQUAL 1e-6

/* Add the translations of the mass matrix by blocks: a third of the trace of each. */
static int add_blocks(const struct flex_mesh *mesh, struct flex_triplets *t)
{
    int result = 0;

    for (long k = 0; k < mesh->n && result == 0; k++)
        for (long e = mesh->mass.start[k]; e < mesh->mass.start[k + 1] && result == 0; e++) {
            long row = mesh->at[mesh->mass.row[e]], column = mesh->at[k];

            if (row >= 0 && column >= 0 && row % 6 < 3 && row % 6 == column % 6)
                result = flex_triplets_add(t, row / 6, column / 6, mesh->mass.value[e] / 3);
        }
    return result;
}

/* Return whether the matrix has other entries than equal ones on the diagonals of its blocks. */
static bool is_unequal(const struct flex_mesh *mesh, const struct flex_sparse *scalar)
{
    double largest = 0, worst = 0;

    for (long k = 0; k < mesh->n; k++)
        for (long e = mesh->mass.start[k]; e < mesh->mass.start[k + 1]; e++) {
            long row = mesh->at[mesh->mass.row[e]], column = mesh->at[k];
            double expected =
                row % 6 == column % 6 ? flex_sparse_entry(scalar, row / 6, column / 6) : 0;

            if (row % 6 >= 3 && column % 6 >= 3)
                continue; /* rotary inertia */
            largest = fmax(largest, fabs(expected));
            worst = fmax(worst, fabs(mesh->mass.value[e] - expected));
        }
    return worst > UNEQUAL * largest;
}

/* Compute mass, centre of mass and inertia by the rigid motions: R^T M R. */
static int sum_rigid(const struct flex_mesh *mesh, struct flex_mass *ret)
{
    const double origin[3] = {0};
    size_t n = (size_t)mesh->n;
    double *R = calloc(2 * n * FLEX_RIGID, sizeof(*R)), *MR, A[6][6] = {{0}};

    if (R == NULL)
        return -ENOMEM;
    MR = R + n * FLEX_RIGID;
    for (int pass = 0; pass < 2; pass++) {
        flex_mesh_rigid(mesh, pass == 0 ? origin : ret->center, R);
        flex_sparse_multiply(&mesh->mass, R, FLEX_RIGID, MR);
        for (size_t i = 0; i < 6; i++)
            for (size_t k = 0; k < 6; k++) {
                A[i][k] = 0;
                for (size_t r = 0; r < n; r++)
                    A[i][k] += R[r + i * n] * MR[r + k * n];
            }
        if (pass > 0)
            break;
        ret->mass = A[0][0];
        ret->center[0] = A[1][5] / ret->mass; /* m c~ */
        ret->center[1] = A[2][3] / ret->mass;
        ret->center[2] = A[0][4] / ret->mass;
    }
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            ret->tensor[lk_sym_at(i, k)] = A[3 + i][3 + k];
    free(R);
    return 0;
}

/* Copy the scalar matrix, and the rotary inertia of the nodes. */
static int copy_mass(const struct flex_mesh *mesh, const struct flex_sparse *scalar,
                     struct flex_mass *ret)
{
    size_t n = (size_t)mesh->n_nodes, entries = (size_t)scalar->start[n];
    bool has_rotations = false;

    for (long i = 0; i < mesh->n; i++)
        has_rotations |= !ret->is_unknown && mesh->at[i] >= 0 && mesh->at[i] % 6 >= 3;

    ret->n = mesh->n_nodes;
    ret->position = calloc(3 * n, sizeof(*ret->position));
    ret->start = calloc(n + 1, sizeof(*ret->start));
    ret->column = calloc(entries + 1, sizeof(*ret->column));
    ret->value = calloc(entries + 1, sizeof(*ret->value));
    ret->inertia = has_rotations ? calloc(6 * n, sizeof(*ret->inertia)) : NULL;
    if (ret->position == NULL || ret->start == NULL || ret->column == NULL || ret->value == NULL ||
        (has_rotations && ret->inertia == NULL))
        return -ENOMEM;
    memcpy(ret->position, mesh->position, 3 * n * sizeof(*ret->position));
    for (size_t i = 0; i <= n; i++)
        ret->start[i] = (int)scalar->start[i];
    for (size_t e = 0; e < entries; e++) {
        ret->column[e] = (int)scalar->row[e];
        ret->value[e] = scalar->value[e];
    }
    for (long k = 0; k < mesh->n && ret->inertia != NULL; k++)
        for (long e = mesh->mass.start[k]; e < mesh->mass.start[k + 1]; e++) {
            long row = mesh->at[mesh->mass.row[e]], column = mesh->at[k];

            if (row / 6 == column / 6 && row % 6 >= 3 && column % 6 >= row % 6)
                ret->inertia[6 * (row / 6) + lk_sym_at((int)(row % 6) - 3, (int)(column % 6) - 3)] =
                    mesh->mass.value[e];
        }
    return 0;
}

int flex_mesh_mass(const struct flex_mesh *mesh, const char *path, struct flex_mass *ret)
{
    struct flex_triplets t = {0};
    struct flex_sparse scalar = {0};
    int result = mesh->n_others > 0 ? 0 : add_blocks(mesh, &t);

    ret->is_unknown = mesh->n_others > 0;
    if (result == 0)
        result = flex_sparse_new(&t, mesh->n_nodes, &scalar);
    if (result == 0 && !ret->is_unknown && is_unequal(mesh, &scalar))
        file_warning("%s: the mass matrix is not that of solids, with equal blocks for x, y and z: "
                     "inertia of first and second order is approximate",
                     path);
    if (result == 0)
        result = copy_mass(mesh, &scalar, ret);
    if (result == 0)
        result = sum_rigid(mesh, ret);
    flex_triplets_free(&t);
    flex_sparse_free(&scalar);
    return result;
}

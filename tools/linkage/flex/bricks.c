/* SPDX-License-Identifier: Apache-2.0 */
/* Solid elements of CalculiX and Abaqus: C3D4, C3D10, C3D8, C3D20, isotropic. Shape functions: O.
 * C. Zienkiewicz, R. L. Taylor, The Finite Element Method, volume 1, 5th edition (2000), chapter 8;
 * integration points: the same, chapter 9. */
#include "maths/vec.h"
#include "solid.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    int n_nodes;
    int n_points;
} kinds[FLEX_BRICKS] = {
    [FLEX_TET_4] = {"C3D4", 4, 1},
    [FLEX_TET_10] = {"C3D10", 10, 4},
    [FLEX_HEX_8] = {"C3D8", 8, 8},
    [FLEX_HEX_20] = {"C3D20", 20, 8},
};

/* corners, then middles of edges */
static const signed char hex_places[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0},
};
static const unsigned char tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

enum flex_brick_kind flex_brick_kind(const char *name)
{
    for (int k = 0; k < FLEX_BRICKS; k++) {
        size_t size = strlen(kinds[k].name);

        /* R, I: integration points of another number, the same shape functions */
        if (strncasecmp(name, kinds[k].name, size) == 0 &&
            (name[size] == '\0' || strcasecmp(name + size, "R") == 0 ||
             strcasecmp(name + size, "I") == 0))
            return (enum flex_brick_kind)k;
    }
    return FLEX_BRICKS;
}

int flex_brick_nodes(enum flex_brick_kind kind)
{
    return kinds[kind].n_nodes;
}

int flex_brick_points(enum flex_brick_kind kind)
{
    return kinds[kind].n_points;
}

/* ---- shape functions ---- */

/* Write the derivatives with respect to the natural coordinates @s of a tetrahedron. */
static void tet_slopes(enum flex_brick_kind kind, const double s[3], double (*ret)[3])
{
    const double L[4] = {1 - s[0] - s[1] - s[2], s[0], s[1], s[2]};
    double slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int d = 0; d < 3; d++) {
        for (int a = 0; a < 4; a++)
            ret[a][d] = (kind == FLEX_TET_4 ? 1 : 4 * L[a] - 1) * slope[a][d];
        for (int e = 0; e < 6 && kind == FLEX_TET_10; e++) {
            int a = tet_edges[e][0], b = tet_edges[e][1];

            ret[4 + e][d] = 4 * (L[a] * slope[b][d] + L[b] * slope[a][d]);
        }
    }
}

/* Write the derivatives with respect to the natural coordinates @s of a hexahedron. */
static void hex_slopes(enum flex_brick_kind kind, const double s[3], double (*ret)[3])
{
    for (int a = 0; a < kinds[kind].n_nodes; a++) {
        const signed char *at = hex_places[a];
        double f[3], slope[3], sum = -2;

        for (int i = 0; i < 3; i++) { /* the factor of each coordinate, and its derivative */
            f[i] = at[i] != 0 ? 1 + s[i] * at[i] : 1 - s[i] * s[i];
            slope[i] = at[i] != 0 ? at[i] : -2 * s[i];
            sum += s[i] * at[i];
        }
        for (int d = 0; d < 3; d++) {
            double others = f[(d + 1) % 3] * f[(d + 2) % 3];

            if (kind == FLEX_HEX_20 && a < 8)
                ret[a][d] = others * (slope[d] * sum + f[d] * at[d]) / 8;
            else
                ret[a][d] = others * slope[d] / (a < 8 ? 8 : 4);
        }
    }
}

/* Write the natural coordinates of integration point @point. Return: its weight. */
static double natural_point(enum flex_brick_kind kind, int point, double ret[3])
{
    const double near = 0.5854101966249685, far = 0.1381966011250105; /* (5 + 3 sqrt 5) / 20 .. */

    for (int i = 0; i < 3; i++)
        ret[i] = kind == FLEX_TET_4    ? 0.25
                 : kind == FLEX_TET_10 ? (point == i + 1 ? near : far)
                                       : (point >> i & 1 ? 1 : -1) / sqrt(3);
    return kind == FLEX_TET_4 ? 1. / 6 : kind == FLEX_TET_10 ? 1. / 24 : 1;
}

static void natural_node(enum flex_brick_kind kind, int node, double ret[3])
{
    for (int i = 0; i < 3; i++) {
        if (kind == FLEX_HEX_8 || kind == FLEX_HEX_20)
            ret[i] = hex_places[node][i];
        else if (node < 4)
            ret[i] = node == i + 1;
        else
            ret[i] = 0.5 * ((tet_edges[node - 4][0] == i + 1) + (tet_edges[node - 4][1] == i + 1));
    }
}

/* Convert derivatives to those with respect to the place. Return: volume of the natural
 * coordinates, 0 or less: the element is distorted. */
static double to_place(const struct flex_mesh *mesh, const struct flex_brick *b, double (*slope)[3])
{
    double J[3][3] = {{0}}, inverse[3][3], det;

    for (int a = 0; a < kinds[b->kind].n_nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 3; d++)
                J[d][i] += slope[a][d] * mesh->position[3 * (size_t)b->node[a] + (size_t)i];
    for (int i = 0; i < 3; i++)
        lk_cross(J[(i + 1) % 3], J[(i + 2) % 3],
                 inverse[i]); /* columns of the inverse, times det */
    det = lk_dot(J[0], inverse[0]);
    if (!(det > 0))
        return 0;
    for (int a = 0; a < kinds[b->kind].n_nodes; a++) {
        double of[3] = {0};

        for (int d = 0; d < 3; d++)
            for (int i = 0; i < 3; i++)
                of[i] += inverse[d][i] * slope[a][d] / det;
        memcpy(slope[a], of, sizeof(of));
    }
    return det;
}

double flex_brick_slopes(const struct flex_mesh *mesh, const struct flex_brick *brick, int point,
                         double (*ret)[3])
{
    double s[3], weight = natural_point(brick->kind, point, s);

    if (brick->kind == FLEX_TET_4 || brick->kind == FLEX_TET_10)
        tet_slopes(brick->kind, s, ret);
    else
        hex_slopes(brick->kind, s, ret);
    return weight * to_place(mesh, brick, ret);
}

double flex_brick_slopes_at(const struct flex_mesh *mesh, const struct flex_brick *brick, int node,
                            double (*ret)[3])
{
    double s[3];

    natural_node(brick->kind, node, s);
    if (brick->kind == FLEX_TET_4 || brick->kind == FLEX_TET_10)
        tet_slopes(brick->kind, s, ret);
    else
        hex_slopes(brick->kind, s, ret);
    return to_place(mesh, brick, ret);
}

void flex_brick_stress(const struct flex_brick *brick, double G[3][3], double ret[6])
{
    double shear = brick->E / (2 * (1 + brick->nu));
    double lame = 2 * shear * brick->nu / (1 - 2 * brick->nu);
    double sum = lame * (G[0][0] + G[1][1] + G[2][2]);

    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            ret[lk_sym_at(i, k)] = shear * (G[i][k] + G[k][i]) + (i == k ? sum : 0);
}

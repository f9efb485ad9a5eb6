/* SPDX-License-Identifier: Apache-2.0 */
/* Interface nodes: a node, or several nodes tied to a point as a rigid body (RBE2) or on average
 * (RBE3).
 *
 * The motion of the point follows from the displacements of the nodes by least squares. For nodes
 * that move as a rigid body it is exact. */
#include "maths/vec.h"
#include "message.h"
#include "solid.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LEVEL 1e-6 /* least eigenvalue of nodes that determine a rotation, relative */

void flex_spider_free(struct flex_spider *spider)
{
    free(spider->node);
    free(spider->fit);
    *spider = (struct flex_spider){0};
}

void flex_spider_arm(const struct flex_spider *spider, const struct flex_mesh *mesh, int node,
                     int j, double ret[6])
{
    double axis[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2}, arm[3];

    memset(ret, 0, 6 * sizeof(*ret));
    lk_sub(mesh->position + 3 * (size_t)node, spider->point, arm);
    if (j < 3)
        ret[j] = 1;
    else
        lk_cross(axis, arm, ret);
    if (j >= 3)
        ret[j] = 1;
}

void flex_spider_motion(const struct flex_spider *spider, const double *u, double ret[6])
{
    memset(ret, 0, 6 * sizeof(*ret));
    for (int i = 0; i < spider->n; i++)
        for (int j = 0; j < 6; j++)
            for (int d = 0; d < 6; d++)
                ret[j] +=
                    spider->fit[36 * i + 6 * j + d] * u[6 * (size_t)spider->node[i] + (size_t)d];
}

/* ---- text ---- */

static int refuse(const char *text, const char *why)
{
    complain("--interface %s: %s", text, why);
    return -EINVAL;
}

static int add_node(const char *text, const struct flex_mesh *mesh, long id,
                    struct flex_spider *spider)
{
    int at = flex_mesh_find(mesh, id);
    int *node = realloc(spider->node, ((size_t)spider->n + 1) * sizeof(*node));

    if (node == NULL)
        return -ENOMEM;
    spider->node = node;
    if (at < 0) {
        complain("--interface %s: there is no node %ld, expected a number of the node file", text,
                 id);
        return -EINVAL;
    }
    for (int i = 0; i < spider->n; i++)
        if (node[i] == at)
            return 0;
    node[spider->n++] = at;
    return 0;
}

/* Add the nodes of a set. @size: length of its name at @name */
static int add_set(const char *text, const char *name, size_t size, const struct flex_mesh *mesh,
                   struct flex_spider *spider)
{
    for (int s = 0; s < mesh->n_sets; s++) {
        const struct flex_set *set = &mesh->set[s];
        int result = 0;

        if (strlen(set->name) != size || strncasecmp(set->name, name, size) != 0)
            continue;
        for (int i = 0; i < set->n && result == 0; i++)
            result = add_node(text, mesh, set->id[i], spider);
        return result;
    }
    complain("--interface %s: there is no set of nodes '%.*s', expected a number of a node or a "
             "set of the input of CalculiX",
             text, (int)size, name);
    return -EINVAL;
}

/* Read ID[,ID-ID...], up to the end or an @. */
static int read_ids(const char *text, const char *at, const struct flex_mesh *mesh,
                    struct flex_spider *spider)
{
    int result = 0;

    do {
        char *end;
        long id = strtol(++at, &end, 10), last = id;

        if (end == at && *at != '\0' && *at != ',' && *at != '@') {
            size_t size = strcspn(at, ",@");

            result = add_set(text, at, size, mesh, spider);
            at += size;
            continue;
        }

        if (end != at && *end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
        }
        if (end == at || last < id || strchr(",@", *end) == NULL)
            return refuse(text, "expected NAME=ID[,ID-ID...][@X,Y,Z], or ~ instead of =");
        for (; id <= last && result == 0; id++)
            result = add_node(text, mesh, id, spider);
        at = end;
    } while (*at == ',' && result == 0);
    return result;
}

/* Place the point: as given, or at the mean of the nodes. */
static int place(const char *text, const struct flex_mesh *mesh, struct flex_spider *spider)
{
    const char *at = strchr(text, '@');

    if (at != NULL && flex_numbers(at + 1, 3, spider->point) != 3)
        return refuse(text, "expected three numbers after @");
    for (int k = 0; k < 3 && at != NULL; k++)
        spider->point[k] *= mesh->length;
    for (int i = 0; i < spider->n && at == NULL; i++)
        for (int k = 0; k < 3; k++)
            spider->point[k] += mesh->position[3 * (size_t)spider->node[i] + (size_t)k] / spider->n;
    return 0;
}

bool flex_is_name(const char *text, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return size > 0 && size < LK_NAME_SIZE && strspn(text, letters) >= size &&
           (text[0] < '0' || text[0] > '9');
}

/* ---- fit ---- */

/* Return the mean distance of the nodes from the point, or 1. */
static double size_of(const struct flex_spider *spider, const struct flex_mesh *mesh)
{
    double size = 0, arm[3];

    for (int i = 0; i < spider->n; i++) {
        lk_sub(mesh->position + 3 * (size_t)spider->node[i], spider->point, arm);
        size += lk_norm(arm) / spider->n;
    }
    return size > 0 ? size : 1;
}

/* Return whether direction @d of node @i counts: a displacement, or a rotation of a rigid spider.
 */
static bool counts(const struct flex_spider *spider, const struct flex_mesh *mesh, int i, int d)
{
    return flex_mesh_has(mesh, spider->node[i], d) && (d < 3 || !spider->is_average);
}

/* Compute the motion y of the point with the least sum of squares of u - T y. Rotations of the
 * nodes count for rigid spiders alone, with the mean distance as their arm. Motions are scaled so
 * that rotations are displacements at that distance. */
static int fit(const char *text, const struct flex_mesh *mesh, struct flex_spider *spider)
{
    double G[36] = {0}, value[6], size = size_of(spider, mesh), T[6][6];

    spider->fit = calloc(36 * (size_t)spider->n, sizeof(*spider->fit));
    if (spider->fit == NULL)
        return -ENOMEM;
    for (int i = 0; i < spider->n; i++) {
        for (int j = 0; j < 6; j++) {
            flex_spider_arm(spider, mesh, spider->node[i], j, T[j]);
            for (int d = 0; d < 6; d++)
                spider->fit[36 * i + 6 * j + d] =
                    counts(spider, mesh, i, d)
                        ? T[j][d] * (d < 3 ? 1 : size) * (j < 3 ? 1 : 1 / size)
                        : 0;
        }
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                for (int d = 0; d < 6; d++)
                    G[6 * j + k] +=
                        spider->fit[36 * i + 6 * j + d] * spider->fit[36 * i + 6 * k + d];
    }
    memcpy(T, G, sizeof(G));
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 6, T[0], 6, value) != 0 ||
        value[0] < LEVEL * value[5])
        return refuse(text, "the nodes do not determine a rotation, expected at least three that "
                            "are not on a line");
    LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', 6, G, 6);
    for (int i = 0; i < spider->n; i++) {
        double *f = spider->fit + 36 * i;

        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'U', 6, 6, G, 6, f, 6);
        for (int j = 0; j < 6; j++)
            for (int d = 0; d < 6; d++)
                f[6 * j + d] *= (j < 3 ? 1 : 1 / size) * (d < 3 ? 1 : size);
    }
    return 0;
}

int flex_spider_read(const char *text, const struct flex_mesh *mesh, struct flex_spider *ret)
{
    size_t size = strcspn(text, "=~");
    int result;

    if (text[size] == '\0' || !flex_is_name(text, size))
        return refuse(text,
                      "expected NAME=ID[,ID-ID...][@X,Y,Z], or ~ instead of =, with a NAME of "
                      "letters, digits and _");
    memcpy(ret->name, text, size);
    ret->is_average = text[size] == '~';
    result = read_ids(text, text + size, mesh, ret);
    if (result == 0)
        result = place(text, mesh, ret);
    return result == 0 ? fit(text, mesh, ret) : result;
}

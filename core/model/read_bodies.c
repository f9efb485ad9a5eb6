/* SPDX-License-Identifier: Apache-2.0 */
/* Section `bodies`: mass, inertia, and the initial configuration. */
#include "reader.h"

#include <math.h>
#include <string.h>

/* Relative tolerance of moments, for rounding in the principal moments and in the decimals of a
 * file. */
#define MOMENT_TOLERANCE 1e-9
/* Least ratio of a moment to the largest one: a smaller moment is lost in the rounding of the
 * largest. */
#define MOMENT_RATIO_MIN 1e-12
/* A moment below this fraction of the largest counts as zero. A thin bar that is oblique to the
 * axes has a zero moment only up to rounding. The principal moments and the 15 digits in a file are
 * rounded. */
#define MOMENT_ZERO 1e-14

static int read_mass(struct lk_node map, struct lk_body_def *body, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "mass");
    int result = lk_read_number_or(map, "mass", -LK_NUMBER_MAX, &body->mass, err);

    if (result != 0)
        return result;
    if (node.index == 0)
        return lk_node_refuse(map, err, "the key 'mass' is missing, expected a number");
    if (body->mass != 0 && body->mass < LK_MASS_MIN)
        return lk_node_refuse(node, err, "mass is %.40s, expected 0 or at least %g kg",
                              lk_node_text(node), LK_MASS_MIN);
    return 0;
}

/* Return whether a moment is usable, or zero within the rounding of the largest moment. With a zero
 * moment the body is a point, a line or massless, and joints must determine its motion. Values
 * between zero and the smallest usable moment are refused. */
static bool is_moment(double moment, double largest)
{
    if (fabs(moment) <= MOMENT_ZERO * largest)
        return true;
    return moment >= LK_INERTIA_MIN && moment >= MOMENT_RATIO_MIN * largest;
}

/* Check that the moments are those of a real body: no moment is negative, no moment exceeds the
 * sum of the other two. */
static int check_moments(struct lk_node node, const double inertia[6], struct lk_error *err)
{
    double moment[3];

    lk_principal_moments(inertia, moment);
    for (int i = 0; i < 3; i++) {
        if (!is_moment(moment[i], moment[2]))
            return lk_node_refuse(node, err,
                                  "inertia has the principal moments %.6g, %.6g, %.6g, expected "
                                  "each to be 0 or at least %g and %g of the largest",
                                  moment[0], moment[1], moment[2], LK_INERTIA_MIN,
                                  MOMENT_RATIO_MIN);
    }
    if (moment[2] > (moment[0] + moment[1]) * (1 + MOMENT_TOLERANCE))
        return lk_node_refuse(node, err,
                              "inertia has the principal moments %.6g, %.6g, %.6g, expected the "
                              "largest to be at most the sum of the others",
                              moment[0], moment[1], moment[2]);
    return 0;
}

static int read_inertia(struct lk_node map, struct lk_body_def *body, struct lk_error *err)
{
    static const char expected[] = "[Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]";
    struct lk_node node = lk_node_get(map, "inertia");
    int n = lk_node_size(node);
    int result;

    if (node.index == 0)
        return lk_node_refuse(map, err, "the key 'inertia' is missing, expected %s", expected);
    if (lk_node_kind(node) == LK_NODE_LIST && n != 3 && n != 6)
        return lk_node_refuse(node, err, "inertia has %d entries, expected %s", n, expected);
    result = lk_read_numbers(map, "inertia", n == 6 ? 6 : 3, body->inertia, err);
    return result != 0 ? result : check_moments(node, body->inertia, err);
}

static int read_body(struct lk_node key, struct lk_node map, struct lk_body_def *body,
                     struct lk_error *err)
{
    static const char *const keys[] = {"mass",     "inertia",          "position", "orientation",
                                       "velocity", "angular_velocity", NULL};
    int result = lk_read_name(key, "body", body->name, err);

    if (result == 0 && strcmp(body->name, "ground") == 0)
        result = lk_node_refuse(key, err,
                                "a body is called ground, which is the name of the "
                                "world, expected another name");
    if (lk_node_kind(map) != LK_NODE_MAP)
        return lk_also(result, lk_node_check_keys(map, "a body", keys, err));
    result = lk_also(result, lk_node_check_keys(map, "a body", keys, err));
    result = lk_also(result, read_mass(map, body, err));
    result = lk_also(result, read_inertia(map, body, err));
    result = lk_also(result, lk_read_vector(map, "position", body->position, err));
    body->orientation[0] = 1;
    result = lk_also(result, lk_read_orientation_or(map, "orientation", body->orientation, err));
    result = lk_also(result, lk_read_vector_or(map, "velocity", body->velocity, err));
    result =
        lk_also(result, lk_read_vector_or(map, "angular_velocity", body->angular_velocity, err));
    return result;
}

int lk_read_bodies(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "bodies", LK_BODIES_MAX, sizeof(*model->bodies), &map,
                                 &model->bodies, &model->n_bodies, err);

    if (result == 0 && map.index == 0)
        return lk_node_refuse(root, err, "the key 'bodies' is missing, expected at least one body");
    if (result == 0 && model->n_bodies == 0)
        return lk_node_refuse(map, err, "bodies has no entries, expected at least one body");
    for (int i = 0; i < model->n_bodies && lk_node_goes_on(root, result); i++)
        result = lk_also(
            result, read_body(lk_node_key_at(map, i), lk_node_at(map, i), &model->bodies[i], err));
    return result;
}

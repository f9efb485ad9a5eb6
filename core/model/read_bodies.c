/* SPDX-License-Identifier: Apache-2.0 */
/* Section `bodies`: mass, inertia, and the initial configuration. */
#include "maths/vec.h"
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

/* ---- bodies of rods ---- */

#define RODS_MAX     64
#define ROD_DIAMETER 0.02 /* [m] */
#define ROD_DENSITY  7850 /* of steel [kg/m^3] */

/* Add a solid cylinder of mass @m between the points of @rod to the moments about @centre. */
static void add_rod(double m, double diameter, double rod[2][3], const double centre[3],
                    double inertia[6])
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double along[3], off[3], length = 0, square = 0, thin = m * diameter * diameter / 16;

    for (int i = 0; i < 3; i++) {
        along[i] = rod[1][i] - rod[0][i];
        off[i] = (rod[0][i] + rod[1][i]) / 2 - centre[i];
        length += along[i] * along[i];
        square += off[i] * off[i];
    }
    /* m L^2/12 (1 - u u^T) + m d^2/16 (1 + u u^T) + m (off^2 1 - off off^T) */
    for (int k = 0; k < 6; k++) {
        int i = pair[k][0], j = pair[k][1];
        double is_same = i == j, uu = along[i] * along[j] / length;

        inertia[k] += m * length / 12 * (is_same - uu) + thin * (is_same + uu) +
                      m * (is_same * square - off[i] * off[j]);
    }
}

static int read_rod(struct lk_node node, double rod[2][3], double *ret_length, struct lk_error *err)
{
    int result;

    if (lk_node_kind(node) != LK_NODE_LIST || lk_node_size(node) != 2)
        return lk_node_refuse(node, err, "a rod is no list of 2 points, expected [from, to]");
    result = lk_read_vector_node(lk_node_at(node, 0), "a rod", rod[0], err);
    result = lk_also(result, lk_read_vector_node(lk_node_at(node, 1), "a rod", rod[1], err));
    *ret_length = sqrt((rod[1][0] - rod[0][0]) * (rod[1][0] - rod[0][0]) +
                       (rod[1][1] - rod[0][1]) * (rod[1][1] - rod[0][1]) +
                       (rod[1][2] - rod[0][2]) * (rod[1][2] - rod[0][2]));
    if (result == 0 && !(*ret_length > 1e-9))
        return lk_node_refuse(node, err, "a rod has no length, expected two different points");
    return result;
}

/* J -> A^T J A: from the axes of the world to those of the body, A from the quaternion @q. */
static void turn_inertia(const double q[4], double inertia[6])
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double A[9];
    double old[6];

    lk_quat_matrix(q, A);
    memcpy(old, inertia, sizeof(old));
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0;

            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    sum += A[3 * k + i] * old[at[k][l]] * A[3 * l + j];
            inertia[at[i][j]] = sum;
        }
}

/* Read a body of round rods, with its centre of mass and its moments. Without a mass they are of
 * steel. */
static int read_rods(struct lk_node map, struct lk_body_def *body, struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "rods");
    double rod[RODS_MAX][2][3] = {0}, length[RODS_MAX] = {0}, diameter = ROD_DIAMETER, sum = 0;
    int n = lk_node_size(list), result = lk_read_positive_or(map, "diameter", &diameter, err);

    if (lk_node_kind(list) != LK_NODE_LIST || n < 1 || n > RODS_MAX)
        return lk_node_refuse(
            list, err, "rods is no list of 1 to %d rods, expected [[from, to], ...]", RODS_MAX);
    for (int i = 0; i < n && lk_node_goes_on(list, result); i++) {
        result = lk_also(result, read_rod(lk_node_at(list, i), rod[i], &length[i], err));
        sum += length[i];
    }
    if (result != 0)
        return result;
    body->mass = ROD_DENSITY * M_PI / 4 * diameter * diameter * sum;
    if (lk_node_get(map, "mass").index != 0)
        result = read_mass(map, body, err);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            body->position[k] += length[i] / sum * (rod[i][0][k] + rod[i][1][k]) / 2;
    for (int i = 0; i < n; i++)
        add_rod(body->mass * length[i] / sum, diameter, rod[i], body->position, body->inertia);
    result = lk_also(result, lk_read_orientation_or(map, "orientation", body->orientation, err));
    turn_inertia(body->orientation, body->inertia);
    return lk_also(result, check_moments(list, body->inertia, err));
}

/* Read mass, inertia and pose: as numbers, or from rods. */
static int read_masses(struct lk_node map, struct lk_body_def *body, struct lk_error *err)
{
    static const char *const with_rods[] = {
        "rods", "mass", "diameter", "orientation", "velocity", "angular_velocity", NULL};
    static const char *const with_numbers[] = {"mass",        "inertia",  "position",
                                               "orientation", "velocity", "angular_velocity",
                                               "modes",       NULL};
    bool has_rods = lk_node_get(map, "rods").index != 0;
    int result = lk_node_check_keys(map, has_rods ? "a body of rods" : "a body",
                                    has_rods ? with_rods : with_numbers, err);

    body->orientation[0] = 1;
    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    if (has_rods)
        return lk_also(result, read_rods(map, body, err));
    result = lk_also(result, read_mass(map, body, err));
    result = lk_also(result, read_inertia(map, body, err));
    result = lk_also(result, lk_read_vector(map, "position", body->position, err));
    return lk_also(result, lk_read_orientation_or(map, "orientation", body->orientation, err));
}

static int read_body(struct lk_node key, struct lk_node map, struct lk_model *model, int i,
                     struct lk_error *err)
{
    struct lk_body_def *body = &model->bodies[i];
    int result = lk_read_name(key, "body", body->name, err);

    if (result == 0 && strcmp(body->name, "ground") == 0)
        result = lk_node_refuse(key, err,
                                "a body is called ground, which is the name of the "
                                "world, expected another name");
    result = lk_also(result, read_masses(map, body, err));
    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    result = lk_also(result, lk_read_vector_or(map, "velocity", body->velocity, err));
    result =
        lk_also(result, lk_read_vector_or(map, "angular_velocity", body->angular_velocity, err));
    if (lk_node_get(map, "modes").index != 0)
        result = lk_also(result, lk_read_modes(map, model, i, err));
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
        result =
            lk_also(result, read_body(lk_node_key_at(map, i), lk_node_at(map, i), model, i, err));
    /* also after an error: others name the nodes */
    return lk_also(result, lk_read_modal_nodes(map, model, err));
}

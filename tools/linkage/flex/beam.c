/* SPDX-License-Identifier: Apache-2.0 */
/* Beams of a model: nodes and elements, mass and stiffness matrix.
 *
 * The reader of models turns a beam NAME into rigid bodies, the nodes, and into bushings NAME.1,
 * NAME.2 .. between consecutive nodes (core/model/beams.c). */
#include "flex.h"
#include "maths/vec.h"
#include "message.h"
#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 512

/* ---- reading ---- */

/* Return the force of element @i of the beam @name, or NULL. */
static const struct lk_force_def *find_element(const struct lk_model *model, const char *name,
                                               int i)
{
    char wanted[LK_NAME_SIZE + 16];

    snprintf(wanted, sizeof(wanted), "%s.%d", name, i);
    for (int f = 0; f < model->n_forces; f++)
        if (model->forces[f].is_element && strcmp(model->forces[f].name, wanted) == 0)
            return &model->forces[f];
    return NULL;
}

static int count_elements(const struct lk_model *model, const char *name)
{
    int n = 0;

    while (n < NODES_MAX && find_element(model, name, n + 1) != NULL)
        n++;
    return n;
}

/* Print the error message about a beam that does not exist, with the names of the others. */
static int refuse_beam(const struct lk_model *model, const char *path, const char *name)
{
    char list[512] = "";
    size_t used = 0;

    for (int f = 0; f < model->n_forces; f++) {
        const char *element = model->forces[f].name, *dot = strrchr(element, '.');

        if (!model->forces[f].is_element || dot == NULL || strcmp(dot, ".1") != 0 ||
            used + LK_NAME_SIZE + 2 > sizeof(list))
            continue;
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)(dot - element), element);
    }
    if (used > 0)
        file_error("%s: there is no beam '%s', expected --beam with one of: %s", path, name, list);
    else
        file_error("%s: the model has no beam, expected a section 'flexible' with a beam '%s'",
                   path, name);
    return -EINVAL;
}

static int allocate(int n, struct flex_beam *beam, struct flex_mass *mass)
{
    beam->n = n;
    beam->name = calloc((size_t)n, sizeof(*beam->name));
    beam->element = calloc((size_t)n, sizeof(*beam->element));
    if (beam->name == NULL || beam->element == NULL)
        return -ENOMEM;
    return flex_mass_diagonal(n, mass);
}

/* Compute R J R^T. */
static void turn_tensor(const double R[9], const double J[6], double ret[6])
{
    double RJ[9];

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            RJ[3 * i + k] = 0;
            for (int m = 0; m < 3; m++)
                RJ[3 * i + k] += R[3 * i + m] * J[lk_sym_at(m, k)];
        }
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            ret[lk_sym_at(i, k)] = lk_dot(RJ + 3 * i, R + 3 * k);
}

static void copy_node(const struct lk_body_def *body, int i, struct flex_beam *beam,
                      struct flex_mass *mass)
{
    double R[9];

    memcpy(beam->name[i], body->name, LK_NAME_SIZE);
    memcpy(mass->position + 3 * (size_t)i, body->position, sizeof(body->position));
    mass->value[i] = body->mass;
    lk_quat_matrix(body->orientation, R);
    turn_tensor(R, body->inertia, mass->inertia + 6 * (size_t)i);
}

static void copy_element(const struct lk_force_def *force, struct flex_element *element)
{
    memcpy(element->point, force->point[0], sizeof(element->point));
    lk_quat_matrix(force->orientation, element->axes);
    memcpy(element->stiffness, force->compliance.stiffness, sizeof(element->stiffness));
    memcpy(element->damping, force->compliance.damping, sizeof(element->damping));
}

int flex_beam_read(const struct lk_model *model, const char *path, const char *name,
                   struct flex_beam *ret, struct flex_mass *ret_mass)
{
    int n = count_elements(model, name), result;

    if (n == 0)
        return refuse_beam(model, path, name);
    if (n >= NODES_MAX) {
        file_error("%s: beam '%s' has %d elements or more, expected fewer", path, name, NODES_MAX);
        return -EINVAL;
    }
    result = allocate(n + 1, ret, ret_mass);
    if (result != 0)
        return result;
    for (int e = 0; e < n; e++) {
        const struct lk_force_def *force = find_element(model, name, e + 1);

        if (e == 0)
            copy_node(&model->bodies[force->body[0]], 0, ret, ret_mass);
        copy_node(&model->bodies[force->body[1]], e + 1, ret, ret_mass);
        copy_element(force, &ret->element[e]);
    }
    flex_mass_sum(ret_mass);
    return 0;
}

void flex_beam_free(struct flex_beam *beam)
{
    free(beam->name);
    free(beam->element);
    *beam = (struct flex_beam){0};
}

/* ---- matrices ---- */

/* Write row @r of the local deformations of an element, @ret: coefficients of the six displacements
 * of its first and second node. d = Q^T (u + theta x (p - x)), second node minus first */
static void strain_row(const struct flex_element *element, const double *position, int r,
                       double ret[12])
{
    const double axis[3] = {element->axes[r % 3], element->axes[3 + r % 3],
                            element->axes[6 + r % 3]};

    memset(ret, 0, 12 * sizeof(*ret));
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1, arm[3], turn[3];

        lk_sub(element->point, position + 3 * side, arm);
        lk_cross(arm, axis, turn);
        for (int k = 0; k < 3; k++) {
            if (r < 3)
                ret[6 * side + k] = sign * axis[k];
            ret[6 * side + 3 + k] = sign * (r < 3 ? turn[k] : axis[k]);
        }
    }
}

void flex_element_strain(const struct flex_beam *beam, const struct flex_mass *mass, int e,
                         const double *u, double ret[6])
{
    for (int r = 0; r < 6; r++) {
        double row[12];

        strain_row(&beam->element[e], mass->position + 3 * (size_t)e, r, row);
        ret[r] = 0;
        for (int k = 0; k < 12; k++)
            ret[r] += row[k] * u[6 * (size_t)e + (size_t)k];
    }
}

static void add_element(const struct flex_beam *beam, const struct flex_mass *mass, int e,
                        double *K)
{
    size_t n = 6 * (size_t)beam->n, at = 6 * (size_t)e;

    for (int r = 0; r < 6; r++) {
        double row[12];

        strain_row(&beam->element[e], mass->position + 3 * (size_t)e, r, row);
        for (size_t i = 0; i < 12; i++)
            for (size_t k = 0; k < 12; k++)
                K[at + i + (at + k) * n] += beam->element[e].stiffness[r] * row[i] * row[k];
    }
}

static void add_node(const struct flex_mass *mass, size_t i, double *M)
{
    size_t n = 6 * (size_t)mass->n, at = 6 * i;

    for (size_t k = 0; k < 3; k++) {
        M[(at + k) * (n + 1)] = mass->value[i];
        for (size_t m = 0; m < 3; m++)
            M[at + 3 + k + (at + 3 + m) * n] =
                mass->inertia[6 * i + (size_t)lk_sym_at((int)k, (int)m)];
    }
}

/* ---- modes ---- */

/* Compute the ratios of damping of the modes from the dampers of the elements. */
static int damp(const struct flex_beam *beam, const struct flex_mass *mass,
                struct flex_modes *modes)
{
    bool is_damped = false;
    double *ratio = calloc((size_t)modes->n + 1, sizeof(*ratio));

    if (ratio == NULL)
        return -ENOMEM;
    for (int k = 0; k < modes->n; k++)
        for (int e = 0; e < beam->n - 1; e++) {
            double d[6];

            flex_element_strain(beam, mass, e, modes->shape + 6 * (size_t)k * (size_t)beam->n, d);
            for (int r = 0; r < 6; r++)
                ratio[k] +=
                    beam->element[e].damping[r] * d[r] * d[r] / (4 * M_PI * modes->frequency[k]);
            is_damped = is_damped || ratio[k] > 0;
        }
    if (is_damped)
        modes->damping = ratio;
    else
        free(ratio);
    return 0;
}

int flex_beam_modes(const struct flex_beam *beam, const struct flex_mass *mass,
                    const bool *is_interface, const struct flex_wish *wish, struct flex_modes *ret)
{
    size_t n = 6 * (size_t)beam->n;
    double *M = calloc(n * n, sizeof(*M)), *K = calloc(n * n, sizeof(*K));
    double *rigid = calloc(n * FLEX_RIGID, sizeof(*rigid));
    int result = -ENOMEM;

    if (M != NULL && K != NULL && rigid != NULL) {
        for (int i = 0; i < beam->n; i++)
            add_node(mass, (size_t)i, M);
        for (int e = 0; e < beam->n - 1; e++)
            add_element(beam, mass, e, K);
        flex_rigid_motions(beam->n, mass->position, mass->center, rigid);
        result = flex_reduce(beam->n, M, K, is_interface, rigid, wish, ret);
    }
    if (result == 0)
        result = damp(beam, mass, ret);
    free(M);
    free(K);
    free(rigid);
    return result;
}

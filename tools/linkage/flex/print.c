/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the modes.
 *
 * Modes of a free body have no momentum. Participation is therefore that of the motion of the first
 * node of the mode file: momentum and angular momentum about that node of the mode in the frame of
 * the node, per unit of the modal coordinate. */
#include "flex.h"
#include "linkage/json.h"
#include "maths/vec.h"

#include <math.h>

static const char *const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};

/* Compute the participation factors of mode @k [kg^0.5, kg^0.5 m]. */
static void participate(const struct flex_body *body, int k, double ret[6])
{
    static const double still[6] = {0};
    const struct flex_place *place = body->n_places > 0 ? &body->place[0] : NULL;
    const double *S = place != NULL ? flex_shape_at(body, place, k) : still, *w = S + 3;
    double m = body->mass.mass, c[3], wc[3], v[3], cv[3], Jw[3];

    lk_sub(body->mass.center, place != NULL ? place->position : body->mass.center, c);
    lk_cross(w, c, wc);
    for (int i = 0; i < 3; i++)
        v[i] = S[i] + wc[i]; /* of the centre of mass */
    lk_cross(c, v, cv);
    lk_sym_mul(body->mass.tensor, w, Jw);
    for (int i = 0; i < 3; i++) {
        ret[i] = -m * v[i];
        ret[3 + i] = -Jw[i] - m * cv[i];
    }
}

/* Find the node with the largest displacement of mode @k. Return: that displacement. */
static double find_largest(const struct flex_body *body, int k, size_t *ret_node)
{
    double most = 1e-12; /* below: a mode of rotations */

    *ret_node = 0;
    for (size_t i = 0; i < (size_t)body->mass.n; i++) {
        double size = lk_norm(body->modes.shape + 6 * ((size_t)k * (size_t)body->mass.n + i));

        if (size > most * (1 + 1e-9)) {
            most = size;
            *ret_node = i;
        }
    }
    return most > 1e-12 ? most : 0;
}

void flex_print(const struct flex_body *body, FILE *file)
{
    const double *c = body->mass.center, *J = body->mass.tensor;

    fprintf(file,
            "mass %.6g kg, centre of mass (%.6g, %.6g, %.6g) m, inertia %.6g, %.6g, %.6g, %.6g, "
            "%.6g, %.6g kg m^2\n",
            body->mass.mass, c[0], c[1], c[2], J[0], J[1], J[2], J[3], J[4], J[5]);
    if (body->n_places > 0)
        fprintf(file, "participation about node %s [kg^0.5, kg^0.5 m]\n", body->place[0].name);
    fprintf(file, "%4s %12s %7s", "mode", "Hz", "static");
    for (int i = 0; i < 6; i++)
        fprintf(file, " %10s", directions[i]);
    fprintf(file, "  largest displacement [kg^-0.5] at\n");
    for (int k = 0; k < body->modes.n; k++) {
        double part[6], most;
        size_t node = 0;

        participate(body, k, part);
        most = find_largest(body, k, &node);
        fprintf(file, "%4d %12.6g %6.0f%%", k + 1, body->modes.frequency[k],
                100 * body->modes.share[k]);
        for (int i = 0; i < 6; i++)
            fprintf(file, " %10.3g", fabs(part[i]) < 1e-9 ? 0 : part[i]);
        fprintf(file, "  %.4g at (%.4g, %.4g, %.4g)\n", most, body->mass.position[3 * node],
                body->mass.position[3 * node + 1], body->mass.position[3 * node + 2]);
    }
}

static void print_list(struct lk_json *json, const char *key, const double *value, int n)
{
    lk_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        lk_json_number(json, NULL, value[i]);
    lk_json_close(json, ']');
}

static void print_mode(struct lk_json *json, const struct flex_body *body, int k)
{
    double part[6];
    size_t node = 0;

    participate(body, k, part);
    lk_json_line(json, 4);
    lk_json_open(json, NULL, '{');
    lk_json_number(json, "frequency", body->modes.frequency[k]);
    if (body->modes.damping != NULL)
        lk_json_number(json, "damping", body->modes.damping[k]);
    lk_json_number(json, "static", body->modes.share[k]);
    print_list(json, "participation", part, 6);
    lk_json_number(json, "largest", find_largest(body, k, &node));
    print_list(json, "at", body->mass.position + 3 * node, 3);
    lk_json_close(json, '}');
}

void flex_print_json(const struct flex_body *body)
{
    struct lk_json json = {.file = stdout, .spaced = true};

    lk_json_open(&json, NULL, '{');
    lk_json_line(&json, 2);
    lk_json_number(&json, "mass", body->mass.mass);
    print_list(&json, "center", body->mass.center, 3);
    print_list(&json, "inertia", body->mass.tensor, 6);
    lk_json_line(&json, 2);
    lk_json_open(&json, "nodes", '[');
    for (int i = 0; i < body->n_places; i++)
        lk_json_text(&json, NULL, body->place[i].name);
    lk_json_close(&json, ']');
    lk_json_line(&json, 2);
    lk_json_open(&json, "modes", '[');
    for (int k = 0; k < body->modes.n; k++)
        print_mode(&json, body, k);
    lk_json_line(&json, 2);
    lk_json_close(&json, ']');
    lk_json_line(&json, 0);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The mode file: YAML, see doc/reference/mode-files.md. */
#include "flex.h"
#include "maths/vec.h"
#include "numbers.h"

#include <math.h>

#define MATTERS 1e-6  /* of the largest moment of inertia, or of the size of the body */
#define NOISE   1e-13 /* the same, for single numbers: they are written as 0 */

/* Print a number after a separator, 0 if it is below @floor. */
static void write_number(FILE *file, const char *separator, double value, double floor)
{
    fputs(separator, file);
    print_shortest(file, fabs(value) > floor ? value : 0);
}

static void write_numbers(FILE *file, const double *value, int n)
{
    fputc('[', file);
    for (int i = 0; i < n; i++)
        write_number(file, i > 0 ? ", " : "", value[i], 0);
    fputc(']', file);
}

/* Write six numbers of which those below @floor and @floor_turn are 0. */
static void write_six(FILE *file, const double *value, double floor, double floor_turn)
{
    for (int i = 0; i < 6; i++)
        write_number(file, i > 0 ? ", " : "", value[i], i < 3 ? floor : floor_turn);
}

static double largest(const double *value, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(value[i]));
    return most;
}

static void write_first(FILE *file, const struct flex_body *body)
{
    fputs("inertia_first: # dJ/dq_k\n", file);
    for (int k = 0; k < body->modes.n; k++) {
        double floor = NOISE * largest(body->mass.tensor, 3) / body->scale[k];

        fputs("  - [", file);
        write_six(file, body->first + 6 * (size_t)k, floor, floor);
        fputs("]\n", file);
    }
}

/* ---- pairs ---- */

static double scale_of(const struct flex_body *body, int k, int l)
{
    return body->scale[k] * body->scale[l];
}

static bool matters(const struct flex_body *body, int k, int l)
{
    size_t pair = flex_pair(k, l);
    double size =
        fmax(largest(body->pairs.inertia + 6 * pair, 6), largest(body->pairs.beta + 3 * pair, 3));

    return size * scale_of(body, k, l) >= MATTERS * largest(body->mass.tensor, 3);
}

static void write_pairs(FILE *file, const struct flex_body *body)
{
    bool is_empty = true;

    fprintf(file, "second: # [k, l, d2J/dq_k dq_l, int dm S_k x S_l], k <= l\n");
    for (int k = 0; k < body->pairs.n; k++)
        for (int l = k; l < body->pairs.n; l++) {
            double floor = NOISE * largest(body->mass.tensor, 3) / scale_of(body, k, l);

            if (!matters(body, k, l))
                continue;
            fprintf(file, "  - [%d, %d, ", k + 1, l + 1);
            write_six(file, body->pairs.inertia + 6 * flex_pair(k, l), floor, floor);
            for (size_t i = 0; i < 3; i++)
                write_number(file, ", ", body->pairs.beta[3 * flex_pair(k, l) + i], floor);
            fputs("]\n", file);
            is_empty = false;
        }
    if (is_empty)
        fputs("  []\n", file);
}

/* ---- nodes ---- */

static double size_of(const struct flex_body *body)
{
    double size = 0, arm[3];

    for (int i = 0; i < body->mass.n; i++) {
        lk_sub(body->mass.position + 3 * (size_t)i, body->mass.center, arm);
        size = fmax(size, lk_norm(arm));
    }
    return size;
}

/* Write the second derivatives of the pose of a node. */
static void write_bend(FILE *file, const struct flex_body *body, const struct flex_place *place,
                       double size)
{
    bool is_first = true;

    for (int k = 0; k < body->pairs.n; k++)
        for (int l = k; l < body->pairs.n; l++) {
            const double *bend =
                place->bend != NULL
                    ? place->bend + 6 * flex_pair(k, l)
                    : body->pairs.bend +
                          6 * (flex_pair(k, l) * (size_t)body->mass.n + (size_t)place->node);
            double scale = scale_of(body, k, l);

            if (largest(bend, 3) * scale < MATTERS * size && largest(bend + 3, 3) * scale < MATTERS)
                continue;
            if (is_first)
                fputs("    second:\n", file);
            is_first = false;
            fprintf(file, "      - [%d, %d, ", k + 1, l + 1);
            write_six(file, bend, NOISE * size / scale, NOISE / scale);
            fputs("]\n", file);
        }
}

static void write_place(FILE *file, const struct flex_body *body, const struct flex_place *place,
                        double size)
{
    fprintf(file, "  %s:\n    position: ", place->name);
    write_numbers(file, place->position, 3);
    fputs("\n    shape:\n", file);
    for (int k = 0; k < body->modes.n; k++) {
        fputs("      - [", file);
        write_six(file, flex_shape_at(body, place, k), NOISE * size / body->scale[k],
                  NOISE / body->scale[k]);
        fputs("]\n", file);
    }
    if (place->bend != NULL || (body->pairs.bend != NULL && place->node >= 0))
        write_bend(file, body, place, size);
}

static void write_recovery(FILE *file, const struct flex_recovery *recovery, int n)
{
    fprintf(file, "  %s:\n    unit: '%s'\n    rows:\n", recovery->name, recovery->unit);
    for (int r = 0; r < recovery->rows; r++) {
        fputs("      - ", file);
        write_numbers(file, recovery->value + r * n, n);
        fputc('\n', file);
    }
}

void flex_write(FILE *file, const struct flex_body *body, const char *options)
{
    double size = size_of(body);

    fprintf(file, "# linkage flex %s\n%s", options, body->note);
    fputs("mass: ", file);
    print_shortest(file, body->mass.mass);
    fputs(" # [kg]\ncenter: ", file);
    write_numbers(file, body->mass.center, 3);
    fputs(" # [m]\ninertia: ", file);
    write_numbers(file, body->mass.tensor, 6);
    fputs(" # xx, yy, zz, xy, xz, yz about the centre [kg m^2]\nfrequency: ", file);
    write_numbers(file, body->modes.frequency, body->modes.n);
    fputs(" # [Hz]\n", file);
    if (body->modes.damping != NULL) {
        fputs("damping: ", file);
        write_numbers(file, body->modes.damping, body->modes.n);
        fputs(" # ratio to critical damping\n", file);
    }
    write_first(file, body);
    write_pairs(file, body);
    fputs("nodes:\n", file);
    for (int i = 0; i < body->n_places; i++)
        write_place(file, body, &body->place[i], size);
    if (body->n_recoveries > 0)
        fputs("recovery:\n", file);
    for (int i = 0; i < body->n_recoveries; i++)
        write_recovery(file, &body->recovery[i], body->modes.n);
}

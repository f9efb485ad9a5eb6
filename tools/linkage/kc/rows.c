/* SPDX-License-Identifier: Apache-2.0 */
/* CSV of linkage kc: a row for each travel, with the columns of all axles, SI units. Beyond the end
 * of a shorter curve the fields are nan. */
#include "commands.h"
#include "csv.h"
#include "kc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MARK_HEIGHT "height"
#define MARK_STEER  "steer"

static const struct lk_suspension_curve *curve_of(const struct kc_axle *axle, bool is_steer)
{
    return is_steer ? &axle->steer : &axle->jounce;
}

static bool is_column(const struct kc_quantity *q, const struct kc_axle *axle, bool is_steer)
{
    return kc_is_known(q, axle, curve_of(axle, is_steer));
}

/* Return the unit of a quantity: in a steering sweep, rates are per steering travel. */
static const char *unit_of(const struct kc *kc, const struct kc_quantity *q, bool is_steer)
{
    return is_steer && q->is_rate && kc->is_steer_angle ? "1" : q->unit;
}

static void add_columns(const struct kc *kc, const struct kc_axle *axle, bool is_steer,
                        struct lk_csv *csv)
{
    char name[2 * KC_NAME_SIZE + 32];

    for (const struct kc_quantity *q = kc_quantities; q->name != NULL; q++)
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++) {
            if (axle->of.wheel[side] < 0 || !is_column(q, axle, is_steer))
                continue;
            snprintf(name, sizeof(name), "%s_%s", axle->name, q->name);
            lk_csv_add_column(csv, name, kc_side(side), unit_of(kc, q, is_steer));
        }
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0 && is_steer) {
            snprintf(name, sizeof(name), "%s_wheel_angle", axle->name);
            lk_csv_add_column(csv, name, kc_side(side), "rad");
        }
    snprintf(name, sizeof(name), "%s_track", axle->name);
    if (axle->of.wheel[0] >= 0 && axle->of.wheel[1] >= 0)
        lk_csv_add_column(csv, name, "", "m");
    snprintf(name, sizeof(name), "%s_roll_centre", axle->name);
    lk_csv_add_column(csv, name, "", "m");
}

/* Return the row of an axle at @travel, NULL: the curve ends before it. */
static const struct lk_suspension_row *find_row(const struct lk_suspension_curve *curve,
                                                double travel)
{
    for (int i = 0; i < curve->n; i++)
        if (curve->row[i].travel == travel)
            return &curve->row[i];
    return NULL;
}

/* Append the values of an axle at @travel. Return: number of values. */
static int take_row(const struct kc_axle *axle, bool is_steer, double travel, double *ret)
{
    const struct lk_suspension_row *row = find_row(curve_of(axle, is_steer), travel);
    int n = 0;

    for (const struct kc_quantity *q = kc_quantities; q->name != NULL; q++)
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
            if (axle->of.wheel[side] >= 0 && is_column(q, axle, is_steer))
                ret[n++] = row != NULL ? kc_value(q, &row->point[side]) : NAN;
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0 && is_steer)
            ret[n++] = row != NULL ? row->point[side].steer : NAN;
    if (axle->of.wheel[0] >= 0 && axle->of.wheel[1] >= 0)
        ret[n++] = row != NULL ? row->track : NAN;
    ret[n++] = row != NULL ? row->roll_centre : NAN;
    return n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* List all travels of all axles in ascending order, each once. Return: their number, -1: out of
 * memory. */
static int list_travels(const struct kc *kc, bool is_steer, double **ret)
{
    size_t n = 0, kept = 0;
    double *list;

    for (int a = 0; a < kc->n_axles; a++)
        n += (size_t)curve_of(&kc->axle[a], is_steer)->n;
    *ret = list = calloc(n + 1, sizeof(double));
    if (list == NULL)
        return -1;
    n = 0;
    for (int a = 0; a < kc->n_axles; a++)
        for (int i = 0; i < curve_of(&kc->axle[a], is_steer)->n; i++)
            list[n++] = curve_of(&kc->axle[a], is_steer)->row[i].travel;
    qsort(list, n, sizeof(double), compare);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || list[i] > list[kept - 1])
            list[kept++] = list[i];
    return (int)kept;
}

static void write_rows(const struct kc *kc, bool is_steer, const double *travel, int n,
                       double *values, struct lk_csv *csv)
{
    for (int i = 0; i < n; i++) {
        int at = 1;

        values[0] = travel[i];
        for (int a = 0; a < kc->n_axles; a++)
            if (curve_of(&kc->axle[a], is_steer)->n > 0)
                at += take_row(&kc->axle[a], is_steer, travel[i], values + at);
        lk_csv_write_row(csv, values);
    }
}

static int write_file(const struct kc *kc, const char *path, bool is_steer)
{
    /* all quantities, wheel angles, track and roll centre of both sides */
    double values[1 + LK_SUSPENSION_WHEELS_MAX * 2 * 20], *travel = NULL;
    const char *mark = is_steer ? MARK_STEER : MARK_HEIGHT;
    struct lk_csv *csv = NULL;
    int n = list_travels(kc, is_steer, &travel);
    int code = told_output(path, lk_csv_open(path, mark, &csv));

    if (code == EXIT_DONE && n >= 0) {
        lk_csv_add_column(csv, mark, "", is_steer && kc->is_steer_angle ? "rad" : "m");
        for (int a = 0; a < kc->n_axles; a++)
            if (curve_of(&kc->axle[a], is_steer)->n > 0)
                add_columns(kc, &kc->axle[a], is_steer, csv);
        write_rows(kc, is_steer, travel, n, values, csv);
    }
    if (n < 0)
        complain("out of memory");
    free(travel);
    if (code == EXIT_DONE)
        code = told_output(path, lk_csv_close(csv));
    return n < 0 ? EXIT_REFUSED : code;
}

static bool has_steer(const struct kc *kc)
{
    for (int a = 0; a < kc->n_axles; a++)
        if (kc->axle[a].steer.n > 0)
            return true;
    return false;
}

int kc_write(const struct kc *kc)
{
    int code = EXIT_DONE;

    if (kc->o->steer_output != NULL && !has_steer(kc)) {
        complain("%s: --steer-output: nothing steers a wheel, expected --steer JOINT", kc->o->path);
        return EXIT_REFUSED;
    }
    if (kc->o->output != NULL)
        code = write_file(kc, kc->o->output, false);
    if (code == EXIT_DONE && kc->o->steer_output != NULL)
        code = write_file(kc, kc->o->steer_output, true);
    return code;
}

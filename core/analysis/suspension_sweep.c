/* SPDX-License-Identifier: Apache-2.0 */
/* Curves of an axle: from the design position upwards, then from it downwards. The wheel rate is a
 * central difference of fourth order of the wheel force, at four poses beside each row. */
#include "analysis/suspension.h"
#include "maths/arithmetic.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE 5e-4 /* distance of the poses of the wheel rate [m] */

/** struct pass - a sweep that is computed. @along: motion for a unit of the sweep, rig->n */
struct pass {
    struct lk_rig *rig;
    const struct lk_suspension_axle *axle;
    enum lk_suspension_sweep sweep;
    struct lk_rig_target way;
    double *along;
};

static struct lk_rig_target target_at(const struct pass *p, double travel)
{
    struct lk_rig_target t = {.steer = travel * p->way.steer};

    for (int w = 0; w < LK_SUSPENSION_WHEELS_MAX; w++)
        t.height[w] = travel * p->way.height[w];
    return t;
}

/* Compute the force of each wheel at @travel, beside the present pose at @from.
 * Return: false: the joints do not close there. */
static bool forces_beside(struct pass *p, double from, double travel,
                          double ret[LK_SUSPENSION_SIDES])
{
    const struct lk_rig_target target = target_at(p, travel);
    struct lk_rig *rig = p->rig;
    struct lk_rig_target here = rig->travel;
    bool is_good = lk_rig_nudge(rig, p->along, travel - from, &target);

    rig->travel = target;
    is_good = is_good && lk_rig_units(rig);
    rig->travel = here;
    for (int i = 0; i < LK_SUSPENSION_SIDES && is_good; i++)
        if (p->axle->wheel[i] >= 0)
            ret[i] = lk_rig_force(rig, rig->unit[p->axle->wheel[i]]);
    lk_rig_return(rig);
    return is_good;
}

/* Add the wheel rates to a row; NAN where a pose beside it does not close. */
static void add_rates(struct pass *p, struct lk_suspension_row *row)
{
    static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double rate[LK_SUSPENSION_SIDES] = {0}, force[LK_SUSPENSION_SIDES] = {0};
    bool is_good = true;

    lk_rig_keep(p->rig);
    lk_rig_direction(p->rig, &p->way, p->along);
    for (int k = 0; k < 4 && is_good; k++) {
        is_good = forces_beside(p, row->travel, row->travel + place[k] * BESIDE, force);
        for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
            rate[i] += weight[k] * force[i] / BESIDE;
    }
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (p->axle->wheel[i] >= 0)
            row->point[i].rate = is_good ? rate[i] * p->way.height[p->axle->wheel[i]] : NAN;
}

/* Compute one row. Return: false: the pose was not reached, @why gives the reason. */
static bool add_row(struct pass *p, double travel, struct lk_suspension_row *ret, const char **why)
{
    const struct lk_rig_target target = target_at(p, travel);

    if (!lk_rig_advance(p->rig, &target, why))
        return false;
    if (!lk_rig_units(p->rig)) {
        *why = "the joints are in a singular pose";
        return false;
    }
    *ret = (struct lk_suspension_row){.travel = travel};
    lk_rig_measure(p->rig, p->axle, p->sweep, ret);
    if (p->sweep != LK_SUSPENSION_STEER)
        add_rates(p, ret);
    return true;
}

/* Return the travel that the present pose has reached. */
static double reached(const struct pass *p)
{
    if (p->sweep == LK_SUSPENSION_STEER)
        return p->rig->travel.steer;
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (p->axle->wheel[i] >= 0)
            return p->rig->travel.height[p->axle->wheel[i]];
    return 0;
}

/* Compute rows from the design position to one end. @travel: @n values.  @side: 0: down, 1: up
 * Return: number of rows, or negative errno. */
static int go(struct pass *p, const double *travel, int n, int side, struct lk_suspension_row *row,
              struct lk_suspension_curve *curve)
{
    const char *why = "";
    int i = 0, r = lk_rig_begin(p->rig);

    if (r != 0)
        return r;
    while (i < n && add_row(p, travel[i], &row[i], &why))
        i++;
    curve->end[side] = reached(p);
    curve->is_cut[side] = i < n;
    snprintf(curve->reason[side], sizeof(curve->reason[side]), "%s", why);
    return i;
}

static void reverse(struct lk_suspension_row *row, int n)
{
    for (int i = 0; i < n / 2; i++) {
        struct lk_suspension_row kept = row[i];

        row[i] = row[n - 1 - i];
        row[n - 1 - i] = kept;
    }
}

/* Compute both halves. @list: travel upwards without the design position, @n values */
static int run(struct pass *p, double *list, int n, struct lk_suspension_curve *curve,
               struct lk_error *error)
{
    const double zero = 0;
    int down, up, at = go(p, &zero, 1, 0, curve->row, curve);

    if (at == 0)
        lk_error_set(error, "the design position fails: %s", curve->reason[0]);
    if (at <= 0)
        return at == 0 ? LK_E_MODEL : at;
    for (int i = 0; i < n; i++)
        list[i] = -list[i];
    down = go(p, list, n, 0, curve->row, curve);
    if (down < 0)
        return down;
    reverse(curve->row, down);
    curve->design = down;
    at = go(p, &zero, 1, 1, curve->row + down, curve);
    for (int i = 0; i < n; i++)
        list[i] = -list[i];
    up = at < 0 ? at : go(p, list, n, 1, curve->row + down + 1, curve);
    if (up < 0)
        return up;
    curve->n = down + 1 + up;
    return 0;
}

/* List the travels above the design position. Return: their number. */
static int list_travels(double range, int n_points, double *ret)
{
    int n = 0;

    for (int i = 0; i < n_points; i++) {
        double part = n_points > 1 ? (2. * i - (n_points - 1)) / (n_points - 1) : 0;

        if (part > 0)
            ret[n++] = part * range;
    }
    return n;
}

int lk_suspension_sweep(struct lk_suspension *s, int axle, enum lk_suspension_sweep sweep,
                        double range, int n_points, struct lk_suspension_curve *ret,
                        struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct pass p = {.rig = &s->rig[axle],
                     .axle = &s->axle[axle],
                     .sweep = sweep,
                     .way = lk_rig_way(&s->axle[axle], sweep)};
    struct lk_suspension_curve curve = {0};
    double *list = calloc((size_t)n_points + 1, sizeof(double));
    int r = -ENOMEM;

    p.along = calloc((size_t)p.rig->n + 1, sizeof(double));
    curve.row = calloc((size_t)n_points + 3, sizeof(*curve.row));
    if (list && p.along && curve.row)
        r = run(&p, list, list_travels(range, n_points, list), &curve, ret_error);
    free(list);
    free(p.along);
    if (r == 0)
        *ret = curve;
    else
        lk_suspension_curve_fini(&curve);
    return r;
}

void lk_suspension_curve_fini(struct lk_suspension_curve *curve)
{
    free(curve->row);
    *curve = (struct lk_suspension_curve){0};
}

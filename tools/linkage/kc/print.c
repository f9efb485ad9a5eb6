/* SPDX-License-Identifier: Apache-2.0 */
/* Text of linkage kc: values in the design position, then the curves. Degrees and millimetres. */
#include "kc.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 11 /* of a column */
#define ROWS  17 /* rows of a curve in the text; the CSV has all */

static void print_number(double value, int width, int decimals)
{
    if (isfinite(value))
        printf("%*.*f", width, decimals, fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value);
    else
        printf("%*s", width, "-");
}

/* ---- design position ---- */

/* Return the width of a column that has room for the names of the wheels. */
static int width_of(const struct kc *kc, const struct kc_axle *axle)
{
    int width = WIDTH;

    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0 && (int)strlen(kc_wheel(kc, axle, side)) + 2 > width)
            width = (int)strlen(kc_wheel(kc, axle, side)) + 2;
    return width;
}

static void print_design(const struct kc *kc, const struct kc_axle *axle)
{
    const struct lk_suspension_row *row = &axle->jounce.row[axle->jounce.design];
    int width = width_of(kc, axle);

    printf("\n%s in the design position, x = %.4f m\n%-34s", axle->title, axle->of.x, "");
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0)
            printf("%*s", width, kc_wheel(kc, axle, side));
    putchar('\n');
    for (const struct kc_quantity *q = kc_quantities; q->name != NULL; q++) {
        printf("  %-24s %-7s", q->label, q->shown);
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
            if (axle->of.wheel[side] >= 0)
                print_number(q->factor * kc_value(q, &row->point[side]), width, 4);
        putchar('\n');
    }
    printf("  %-24s %-7s", "roll centre height", "mm");
    print_number(1e3 * row->roll_centre, width, 4);
    putchar('\n');
    for (int i = 0; i < axle->n_springs; i++) {
        const struct lk_suspension_spring *s = &axle->spring[i];

        printf("  ratio of %-22.22s ", kc->model->forces[s->force].name);
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
            if (axle->of.wheel[side] >= 0)
                print_number(s->ratio[side], width, 4);
        putchar('\n');
    }
}

static void print_anti(const struct kc *kc)
{
    static const char *const names[] = {"anti-dive, front, braking", "anti-lift, rear, braking",
                                        "anti-lift, front, driving", "anti-squat, rear, driving"};

    for (int i = 0; i < 4; i++)
        if (isfinite(kc->anti[i]))
            printf("%s%-33s %% %9.2f\n", i == 0 || !isfinite(kc->anti[i - 1]) ? "\n" : "", names[i],
                   kc->anti[i] != 0 ? 100 * kc->anti[i] : 0);
}

/* ---- curves ---- */

/** struct column - a column of a curve. @wheel: the quantity of a wheel, NULL: of the axle */
struct column {
    const char *head;
    const char *unit;
    double factor;
    int decimals;
    const struct kc_quantity *wheel;
};

static const struct kc_quantity *find_quantity(int i)
{
    return &kc_quantities[i];
}

enum { TOE, CAMBER, CASTER };

static void print_row(const struct kc_axle *axle, const struct lk_suspension_row *row,
                      double factor, bool is_steer)
{
    print_number(factor * row->travel, 9, 2);
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++) {
        const struct lk_suspension_point *p = &row->point[side];

        if (axle->of.wheel[side] < 0)
            continue;
        for (int q = TOE; q <= CASTER; q++)
            print_number(find_quantity(q)->factor * kc_value(find_quantity(q), p), 10, 4);
        if (is_steer)
            print_number(180 / M_PI * p->steer, 10, 3);
        else
            print_number(1e-3 * p->rate, 10, 3);
    }
    print_number(1e3 * row->track, 10, 3);
    print_number(1e3 * row->roll_centre, 10, 3);
    putchar('\n');
}

static void print_curve(const struct kc *kc, const struct kc_axle *axle,
                        const struct lk_suspension_curve *curve, bool is_steer)
{
    bool is_angle = is_steer && kc->is_steer_angle;
    int every = (curve->n + ROWS - 1) / ROWS;

    printf("\n%s over %s%s\n%9s", axle->title, is_steer ? "steering of " : "wheel travel",
           is_steer          ? kc_steering(kc)
           : kc->o->opposite ? ", opposite"
                             : ", parallel",
           is_steer ? "steering" : "height");
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0)
            printf(" %9s %9s %9s %9s", "toe", "camber", "caster", is_steer ? "angle" : "rate");
    printf(" %9s %9s\n%9s", "track", "roll c.", is_angle ? "deg" : "mm");
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0)
            printf(" %9s %9s %9s %9s", "deg", kc_side(side), "deg", is_steer ? "deg" : "N/mm");
    printf(" %9s %9s\n", "mm", "mm");
    for (int i = curve->design % every; i < curve->n; i += every)
        print_row(axle, &curve->row[i], is_angle ? 180 / M_PI : 1e3, is_steer);
}

void kc_print(const struct kc *kc)
{
    int chassis = kc->request.chassis;

    printf("%s: %s, kinematics of %d wheel%s\n", kc->o->path, lk_model_name(kc->model),
           kc->request.n_wheels, kc->request.n_wheels == 1 ? "" : "s");
    printf("chassis %s, steering %s; x forward, y left, z up; design position: the start\n",
           chassis < 0 ? "ground" : kc->model->bodies[chassis].name,
           kc_steering(kc) != NULL ? kc_steering(kc) : "none");
    for (int a = 0; a < kc->n_axles; a++)
        print_design(kc, &kc->axle[a]);
    print_anti(kc);
    for (int a = 0; a < kc->n_axles; a++) {
        print_curve(kc, &kc->axle[a], &kc->axle[a].jounce, false);
        if (kc->axle[a].steer.n > 0)
            print_curve(kc, &kc->axle[a], &kc->axle[a].steer, true);
    }
}

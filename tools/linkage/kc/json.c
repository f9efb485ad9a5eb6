/* SPDX-License-Identifier: Apache-2.0 */
/* Results of linkage kc as JSON, SI units; null: not defined. */
#include "linkage/json.h"
#include "kc.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

/* ---- curves ---- */

static void print_travel(struct lk_json *json, const struct lk_suspension_curve *curve)
{
    lk_json_open(json, "travel", '[');
    for (int i = 0; i < curve->n; i++)
        lk_json_number(json, NULL, curve->row[i].travel);
    lk_json_close(json, ']');
}

static void print_wheel(struct lk_json *json, const struct lk_suspension_curve *curve, int side)
{
    lk_json_line(json, 8);
    lk_json_open(json, kc_side(side), '{');
    for (const struct kc_quantity *q = kc_quantities; q->name != NULL; q++) {
        lk_json_line(json, 10);
        lk_json_open(json, q->name, '[');
        for (int i = 0; i < curve->n; i++)
            lk_json_number(json, NULL, kc_value(q, &curve->row[i].point[side]));
        lk_json_close(json, ']');
    }
    lk_json_line(json, 10);
    lk_json_open(json, "wheel_angle", '[');
    for (int i = 0; i < curve->n; i++)
        lk_json_number(json, NULL, curve->row[i].point[side].steer);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void print_curve(struct lk_json *json, const struct kc_axle *axle, const char *name,
                        const struct lk_suspension_curve *curve)
{
    if (curve->n == 0)
        return;
    lk_json_line(json, 6);
    lk_json_open(json, name, '{');
    lk_json_bool(json, "complete", !curve->is_cut[0] && !curve->is_cut[1]);
    lk_json_count(json, "design", (uint64_t)curve->design);
    print_travel(json, curve);
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0)
            print_wheel(json, curve, side);
    lk_json_line(json, 8);
    lk_json_open(json, "track", '[');
    for (int i = 0; i < curve->n; i++)
        lk_json_number(json, NULL, curve->row[i].track);
    lk_json_close(json, ']');
    lk_json_line(json, 8);
    lk_json_open(json, "roll_centre", '[');
    for (int i = 0; i < curve->n; i++)
        lk_json_number(json, NULL, curve->row[i].roll_centre);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

/* ---- the whole ---- */

static void print_axle(struct lk_json *json, const struct kc *kc, const struct kc_axle *axle)
{
    lk_json_line(json, 4);
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", axle->name);
    lk_json_number(json, "x", axle->of.x);
    for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
        if (axle->of.wheel[side] >= 0)
            lk_json_text(json, kc_side(side), kc_wheel(kc, axle, side));
    lk_json_open(json, "springs", '[');
    for (int i = 0; i < axle->n_springs; i++) {
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "force", kc->model->forces[axle->spring[i].force].name);
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
            if (axle->of.wheel[side] >= 0)
                lk_json_number(json, kc_side(side), axle->spring[i].ratio[side]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    print_curve(json, axle, kc->o->opposite ? "opposite" : "parallel", &axle->jounce);
    print_curve(json, axle, "steer", &axle->steer);
    lk_json_close(json, '}');
}

void kc_print_json(const struct kc *kc)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    static const char *const anti[] = {"anti_dive", "anti_lift", "anti_drive_lift", "anti_squat"};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "model", lk_model_name(kc->model));
    lk_json_text(&json, "chassis",
                 kc->request.chassis < 0 ? "ground" : kc->model->bodies[kc->request.chassis].name);
    if (kc_steering(kc) != NULL)
        lk_json_text(&json, "steering", kc_steering(kc));
    for (int i = 0; i < 4; i++)
        if (isfinite(kc->anti[i]))
            lk_json_number(&json, anti[i], kc->anti[i]);
    lk_json_line(&json, 2);
    lk_json_open(&json, "axles", '[');
    for (int a = 0; a < kc->n_axles; a++)
        print_axle(&json, kc, &kc->axle[a]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

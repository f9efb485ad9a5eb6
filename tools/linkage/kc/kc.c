/* SPDX-License-Identifier: Apache-2.0 */
/* Command line and sweeps of linkage kc. */
#include "kc.h"
#include "commands.h"
#include "model/model.h"
#include "plot/plot.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define RANGE      0.08
#define RANGE_MOST 10
#define POINTS     33

#define DEGREES  (180 / M_PI)
#define AT(name) offsetof(struct lk_suspension_point, name)

const struct kc_quantity kc_quantities[] = {
    {"toe", "toe, inwards", "rad", "deg", DEGREES, AT(toe), false},
    {"camber", "camber, top outwards", "rad", "deg", DEGREES, AT(camber), false},
    {"caster", "caster angle", "rad", "deg", DEGREES, AT(caster), false},
    {"inclination", "kingpin inclination", "rad", "deg", DEGREES, AT(inclination), false},
    {"scrub", "scrub radius", "m", "mm", 1e3, AT(scrub), false},
    {"trail", "caster trail", "m", "mm", 1e3, AT(trail), false},
    {"centre_x", "wheel centre forward", "m", "mm", 1e3, AT(centre_x), false},
    {"contact_y", "contact point outward", "m", "mm", 1e3, AT(contact_y), false},
    {"toe_rate", "bump steer", "rad/m", "deg/m", DEGREES, AT(toe_rate), true},
    {"camber_rate", "camber gain", "rad/m", "deg/m", DEGREES, AT(camber_rate), true},
    {"brake_angle", "support angle, braking", "rad", "deg", DEGREES, AT(brake_angle), false},
    {"drive_angle", "support angle, driving", "rad", "deg", DEGREES, AT(drive_angle), false},
    {"spring_force", "spring force at wheel", "N", "N", 1, AT(force), false},
    {"wheel_rate", "wheel rate", "N/m", "N/mm", 1e-3, AT(rate), true},
    {NULL, NULL, NULL, NULL, 0, 0, false},
};

double kc_value(const struct kc_quantity *q, const struct lk_suspension_point *point)
{
    double value;

    memcpy(&value, (const char *)point + q->offset, sizeof(value));
    return value;
}

bool kc_is_known(const struct kc_quantity *q, const struct kc_axle *axle,
                 const struct lk_suspension_curve *curve)
{
    for (int i = 0; i < curve->n; i++)
        for (int side = 0; side < LK_SUSPENSION_SIDES; side++)
            if (axle->of.wheel[side] >= 0 && isfinite(kc_value(q, &curve->row[i].point[side])))
                return true;
    return false;
}

const char *kc_side(int side)
{
    return side == LK_SUSPENSION_LEFT ? "left" : "right";
}

const char *kc_wheel(const struct kc *kc, const struct kc_axle *axle, int side)
{
    return kc->model->joints[kc->request.wheel[axle->of.wheel[side]].joint].name;
}

const char *kc_steering(const struct kc *kc)
{
    return kc->request.n_steers > 0 ? kc->model->joints[kc->request.steer[0].joint].name : NULL;
}

static int parse_options(int argc, char *argv[], struct kc_options *o)
{
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"wheel", 'w', .text = &o->wheels},
        {"radius", .number = &o->radius, .low = OPTIONS_ABOVE_0, .high = RANGE_MOST, .unit = "m"},
        {"chassis", .text = &o->chassis},
        {"steer", .text = &o->steer},
        {"range", 'r', .number = &o->range, .low = OPTIONS_ABOVE_0, .high = RANGE_MOST,
         .unit = "m"},
        {"steer-range", .number = &o->steer_range, .low = OPTIONS_ABOVE_0, .high = 100,
         .unit = "m or rad"},
        {"points", 'n', .integer = &o->points, .low = 3, .high = 10001},
        {"opposite", .flag = &o->opposite},
        {"brake-share", .number = &o->brake_share, .low = 0, .high = 1},
        {"drive-share", .number = &o->drive_share, .low = 0, .high = 1},
        {"output", 'o', .text = &o->output},
        {"steer-output", .text = &o->steer_output},
        {"plot", .text = &o->picture},
        {"json", 'j', .flag = &o->is_json},
        OUTPUT_FORCE_ROW,
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows, "kc takes one model", &o->path);
}

/* ---- sweeps ---- */

static void name_axle(const struct kc *kc, int a, struct kc_axle *axle)
{
    if (kc->n_axles == 2)
        snprintf(axle->name, KC_NAME_SIZE, "%s", a == 0 ? "front" : "rear");
    else if (kc->n_axles == 1)
        snprintf(axle->name, KC_NAME_SIZE, "axle");
    else
        snprintf(axle->name, KC_NAME_SIZE, "axle_%d", a + 1);
    snprintf(axle->title, KC_NAME_SIZE, "%s%s", axle->name, kc->n_axles == 2 ? " axle" : "");
}

/* Report the ends that a sweep did not reach. */
static void report_ends(const struct kc *kc, const struct kc_axle *axle,
                        const struct lk_suspension_curve *curve, bool is_steer, double range)
{
    const char *unit = is_steer && kc->is_steer_angle ? "rad" : "m";

    for (int i = 0; i < 2; i++)
        if (curve->is_cut[i])
            complain("%s: %s: %s %g of %g %s was reached: %s", kc->o->path, axle->title,
                     is_steer ? "steering" : "height", curve->end[i], i == 0 ? -range : range, unit,
                     curve->reason[i]);
}

static int sweep(struct kc *kc, int a, enum lk_suspension_sweep how, double range,
                 struct lk_suspension_curve *ret)
{
    struct lk_error error = {""};
    int r = lk_suspension_sweep(kc->suspension, a, how, range, kc->o->points, ret, &error);

    if (r == 0) {
        report_ends(kc, &kc->axle[a], ret, how == LK_SUSPENSION_STEER, range);
        return EXIT_DONE;
    }
    complain("%s: %s: %s", kc->o->path, kc->axle[a].title,
             error.text[0] ? error.text : strerror(-r));
    return EXIT_REFUSED;
}

static int sweep_axle(struct kc *kc, int a, const struct lk_suspension_axle *of)
{
    struct kc_axle *axle = &kc->axle[a];
    int code, n;

    axle->of = *of;
    name_axle(kc, a, axle);
    code = sweep(kc, a, kc->o->opposite ? LK_SUSPENSION_OPPOSITE : LK_SUSPENSION_PARALLEL,
                 kc->o->range, &axle->jounce);
    if (code == EXIT_DONE && of->is_steered)
        code = sweep(kc, a, LK_SUSPENSION_STEER, kc->steer_range, &axle->steer);
    if (code != EXIT_DONE)
        return code;
    n = lk_suspension_springs(kc->suspension, a, axle->spring,
                              sizeof(axle->spring) / sizeof(*axle->spring));
    axle->n_springs = n > KC_SPRINGS ? KC_SPRINGS : n > 0 ? n : 0;
    if (n > KC_SPRINGS)
        complain("%s: %s: more than %d springs, the ratios of the others are not listed",
                 kc->o->path, axle->title, KC_SPRINGS);
    return EXIT_DONE;
}

/* ---- anti-dive ---- */

/* Compute the height of the centre of mass above the road [m]. */
static double height_of_mass(const struct kc *kc, double road)
{
    double mass = 0, moment = 0;

    for (int b = 0; b < kc->model->n_bodies; b++) {
        struct lk_body_state state;

        lk_system_body_state(kc->system, b, &state);
        mass += kc->model->bodies[b].mass;
        moment += kc->model->bodies[b].mass * state.position[2];
    }
    return moment / mass - road;
}

/* Return the mean tangent of a support angle of an axle in the design position. */
static double mean_tangent(const struct kc_axle *axle, bool is_drive)
{
    const struct lk_suspension_row *row = &axle->jounce.row[axle->jounce.design];
    double sum = 0;
    int n = 0;

    for (int side = 0; side < LK_SUSPENSION_SIDES; side++) {
        if (axle->of.wheel[side] < 0)
            continue;
        sum += tan(is_drive ? row->point[side].drive_angle : row->point[side].brake_angle);
        n++;
    }
    return sum / n;
}

/* Return the height of the road: the mean of all contact points. */
static double height_of_road(const struct kc *kc)
{
    double sum = 0;

    for (int w = 0; w < kc->request.n_wheels; w++)
        sum += lk_suspension_contact(kc->suspension, w)[2];
    return sum / kc->request.n_wheels;
}

static int find_anti(struct kc *kc)
{
    double lever, front = kc->o->brake_share, drive = kc->o->drive_share;

    for (int i = 0; i < 4; i++)
        kc->anti[i] = NAN;
    if (!isfinite(front) && !isfinite(drive))
        return EXIT_DONE;
    if (kc->n_axles != 2) {
        complain("%s: %d axles, expected two for --brake-share and --drive-share", kc->o->path,
                 kc->n_axles);
        return EXIT_REFUSED;
    }
    lever = (kc->axle[0].of.x - kc->axle[1].of.x) / height_of_mass(kc, height_of_road(kc));
    kc->anti[KC_ANTI_DIVE] = front * mean_tangent(&kc->axle[0], false) * lever;
    kc->anti[KC_ANTI_LIFT] = -(1 - front) * mean_tangent(&kc->axle[1], false) * lever;
    kc->anti[KC_ANTI_DRIVE_LIFT] = drive * mean_tangent(&kc->axle[0], true) * lever;
    kc->anti[KC_ANTI_SQUAT] = -(1 - drive) * mean_tangent(&kc->axle[1], true) * lever;
    return EXIT_DONE;
}

/* ---- the whole ---- */

static int compute(struct kc *kc)
{
    const struct lk_suspension_axle *axles;
    struct lk_error error = {""};
    int code = kc_choose(kc), floating, first = 0, r;

    if (code != EXIT_DONE)
        return code;
    r = lk_suspension_new(kc->system, &kc->request, &kc->suspension, &error);
    if (r != 0) {
        complain("%s: %s", kc->o->path, error.text[0] ? error.text : strerror(-r));
        return EXIT_REFUSED;
    }
    floating = lk_suspension_floating(kc->suspension, &first);
    if (floating > 0)
        complain(
            "%s: %d bodies are held by springs alone, '%s' first: they stay where they are, and "
            "forces and rates are without their springs",
            kc->o->path, floating, kc->model->bodies[first].name);
    axles = lk_suspension_axles(kc->suspension, &kc->n_axles);
    for (int a = 0; a < kc->n_axles && code == EXIT_DONE; a++)
        code = sweep_axle(kc, a, &axles[a]);
    return code == EXIT_DONE ? find_anti(kc) : code;
}

static int show(struct kc *kc)
{
    int code = compute(kc);

    if (code != EXIT_DONE)
        return code;
    if (kc->o->is_json)
        kc_print_json(kc);
    else if (kc->o->output == NULL || strcmp(kc->o->output, "-") != 0)
        kc_print(kc);
    code = kc_write(kc);
    return code == EXIT_DONE && kc->o->picture != NULL ? kc_draw(kc) : code;
}

int command_kc(int argc, char *argv[])
{
    struct kc_options o = {.radius = NAN,
                           .range = RANGE,
                           .steer_range = NAN,
                           .brake_share = NAN,
                           .drive_share = NAN,
                           .points = POINTS};
    const struct lk_options how = {.all_rows = 1};
    struct kc kc = {.o = &o};
    struct lk_model *model;
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    if (o.output != NULL && o.steer_output != NULL && strcmp(o.output, o.steer_output) == 0)
        return usage_error("--output and --steer-output are both '%s', expected two files",
                           o.output);
    if (o.picture != NULL && !plot_can_draw(o.picture))
        return EXIT_REFUSED;
    kc.model = model = load_model(o.path);
    kc.system = model != NULL ? compile_model(o.path, model, &how) : NULL;
    code = kc.system != NULL ? show(&kc) : EXIT_REFUSED;
    for (int a = 0; a < kc.n_axles; a++) {
        lk_suspension_curve_fini(&kc.axle[a].jounce);
        lk_suspension_curve_fini(&kc.axle[a].steer);
    }
    lk_suspension_free(kc.suspension);
    lk_system_free(kc.system);
    lk_model_free(model);
    return code;
}

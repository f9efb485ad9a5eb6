/* SPDX-License-Identifier: Apache-2.0 */
/* Picture of linkage kc: curves of all wheels over wheel travel, then over steering. Degrees and
 * millimetres. */
#include "commands.h"
#include "kc.h"
#include "model/model.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const drawn[] = {"toe",   "camber",   "caster",     "inclination",
                                    "trail", "centre_x", "wheel_rate", NULL};
static const char *const drawn_of_steer[] = {"wheel_angle", "camber", NULL};

/* the angle of the wheel, which only a steering sweep draws */
static const struct kc_quantity wheel_angle = {
    "wheel_angle", "wheel angle", "rad",
    "deg",         180 / M_PI,    offsetof(struct lk_suspension_point, steer),
    false};

static const struct kc_quantity *find_quantity(const char *name)
{
    for (const struct kc_quantity *q = kc_quantities; q->name != NULL; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    return &wheel_angle;
}

static const struct lk_suspension_curve *curve_of(const struct kc_axle *axle, bool is_steer)
{
    return is_steer ? &axle->steer : &axle->jounce;
}

/* Return the factor from SI to the unit of the horizontal axis. */
static double travel_factor(const struct kc *kc, bool is_steer)
{
    return is_steer && kc->is_steer_angle ? 180 / M_PI : 1e3;
}

static bool add_wheel(const struct kc *kc, const struct kc_axle *axle, int side,
                      const struct kc_quantity *q, bool is_steer, struct plot_panel *panel)
{
    const struct lk_suspension_curve *curve = curve_of(axle, is_steer);
    struct plot_curve *c;
    char title[KC_NAME_SIZE + 8];

    snprintf(title, sizeof(title), "%s %s", axle->name, kc_side(side));
    c = plot_add_curve(panel, title, (size_t)curve->n);
    for (int i = 0; i < curve->n && c != NULL; i++) {
        c->x[i] = travel_factor(kc, is_steer) * curve->row[i].travel;
        c->y[i] = q->factor * kc_value(q, &curve->row[i].point[side]);
    }
    return c != NULL;
}

static bool add_quantity(const struct kc *kc, const struct kc_quantity *q, bool is_steer,
                         struct plot_page *page)
{
    struct plot_panel *panel = NULL;
    char label[PLOT_TITLE_SIZE];
    bool good = true;

    snprintf(label, sizeof(label), "%s [%s]", q->name, q->shown);
    for (int a = 0; a < kc->n_axles && good; a++) {
        const struct kc_axle *axle = &kc->axle[a];

        if (!kc_is_known(q, axle, curve_of(axle, is_steer)))
            continue;
        if (panel == NULL)
            panel = plot_add_panel(page, "", label);
        good = panel != NULL;
        for (int side = 0; side < LK_SUSPENSION_SIDES && good; side++)
            if (axle->of.wheel[side] >= 0)
                good = add_wheel(kc, axle, side, q, is_steer, panel);
    }
    return good;
}

/* Add track change and roll centre height of all axles. */
static bool add_axles(const struct kc *kc, struct plot_page *page)
{
    struct plot_panel *track = plot_add_panel(page, "", "track [mm]");
    struct plot_panel *roll = plot_add_panel(page, "", "roll centre [mm]");
    bool good = track != NULL && roll != NULL;

    for (int a = 0; a < kc->n_axles && good; a++) {
        const struct lk_suspension_curve *curve = &kc->axle[a].jounce;
        struct plot_curve *c = plot_add_curve(track, kc->axle[a].name, (size_t)curve->n);
        struct plot_curve *d = plot_add_curve(roll, kc->axle[a].name, (size_t)curve->n);

        good = c != NULL && d != NULL;
        for (int i = 0; i < curve->n && good; i++) {
            c->x[i] = d->x[i] = 1e3 * curve->row[i].travel;
            c->y[i] = 1e3 * curve->row[i].track;
            d->y[i] = 1e3 * curve->row[i].roll_centre;
        }
    }
    return good;
}

static void label_travel(struct plot_page *page, const char *text)
{
    if (page->n_panels > 0)
        snprintf(page->panel[page->n_panels - 1].x_label, PLOT_TITLE_SIZE, "%s", text);
}

static bool fill_page(const struct kc *kc, struct plot_page *page)
{
    char label[PLOT_TITLE_SIZE];
    bool good = true;

    for (int i = 0; drawn[i] != NULL && good; i++)
        good = add_quantity(kc, find_quantity(drawn[i]), false, page);
    good = good && add_axles(kc, page);
    label_travel(page, kc->o->opposite ? "height of the left wheel, minus that of the right [mm]"
                                       : "height of the wheels [mm]");
    if (kc_steering(kc) == NULL)
        return good;
    for (int i = 0; drawn_of_steer[i] != NULL && good; i++)
        good = add_quantity(kc, find_quantity(drawn_of_steer[i]), true, page);
    snprintf(label, sizeof(label), "%.60s [%s]", kc_steering(kc),
             kc->is_steer_angle ? "deg" : "mm");
    label_travel(page, label);
    return good;
}

int kc_draw(const struct kc *kc)
{
    struct plot_page page = {0};
    bool good;

    snprintf(page.title, sizeof(page.title), "%.60s: kinematics of the suspension",
             lk_model_name(kc->model));
    good = fill_page(kc, &page) && plot_draw(&page, kc->o->picture);
    plot_page_fini(&page);
    return good ? EXIT_DONE : EXIT_REFUSED;
}

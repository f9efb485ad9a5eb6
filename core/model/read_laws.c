/* SPDX-License-Identifier: Apache-2.0 */
/* Section `laws`: the laws of tyres. */
#include "reader.h"
#include "tyre_keys.h"

#include <math.h>
#include <string.h>

static int read_pairs(struct lk_node map, const char *const keys[], double *const ret[], int n,
                      struct lk_error *err)
{
    int result = 0;

    for (int i = 0; i < n; i++)
        result = lk_also(result, lk_read_numbers(map, keys[i], 2, ret[i], err));
    return result;
}

static int read_fiala(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err)
{
    struct lk_tyre_fiala *f = &law->of.fiala;
    struct lk_node friction = lk_node_get(map, "friction");
    int result = lk_read_positive(map, "slip_stiffness", &f->slip, err);

    result = lk_also(result, lk_read_positive(map, "cornering_stiffness", &f->cornering, err));
    result = lk_also(result, lk_read_numbers(map, "friction", 2, f->friction, err));
    result = lk_also(result, lk_read_number_or(map, "rolling", 0, &f->rolling, err));
    if (result == 0 && !(f->friction[0] > 0 && f->friction[0] <= f->friction[1]))
        return lk_node_refuse(friction, err,
                              "friction of %g and %g, expected that of full slip, above 0, and "
                              "that without slip, no less",
                              f->friction[0], f->friction[1]);
    return result;
}

/* Read one parameter under its name in .tir files. */
static int read_parameter(struct lk_node name, struct lk_node value, struct lk_tyre_magic *magic,
                          struct lk_error *err)
{
    const struct lk_tyre_key *key = lk_tyre_key_find(lk_node_text(name));
    double number;
    int result;

    if (key == NULL)
        return lk_node_refuse(name, err,
                              "unknown parameter '%.40s', expected one of a .tir file that has an "
                              "effect here: see doc/reference/tyres.md",
                              lk_node_text(name));
    result = lk_node_number(value, key->name, &number, err);
    if (result == 0 && fabs(number) > LK_NUMBER_MAX)
        return lk_node_refuse(value, err, "%s is %g, expected at most %g in magnitude", key->name,
                              number, LK_NUMBER_MAX);
    if (result == 0)
        *lk_tyre_key_value(magic, key) = number;
    return result;
}

static int read_magic(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err)
{
    static const char *const sides[] = {"left", "right", NULL};
    struct lk_tyre_magic *magic = &law->of.magic;
    struct lk_node parameters = lk_node_get(map, "parameters");
    struct lk_error missing;
    int result = 0, side = 0;

    lk_tyre_keys_begin(magic);
    if (lk_node_get(map, "measured").index != 0)
        result = lk_node_read_choice(map, "measured", sides, &side, err);
    law->is_mirrored = side;
    if (lk_node_kind(parameters) != LK_NODE_MAP)
        return lk_also(result, lk_node_refuse(parameters.index != 0 ? parameters : map, err,
                                              "expected 'parameters', a map as 'linkage tyre "
                                              "FILE.tir' prints it"));
    for (int i = 0; i < lk_node_size(parameters) && lk_node_goes_on(map, result); i++)
        result = lk_also(result, read_parameter(lk_node_key_at(parameters, i),
                                                lk_node_at(parameters, i), magic, err));
    if (result == 0 && lk_tyre_keys_end(magic, &missing) != 0)
        return lk_node_refuse(parameters, err, "%s", missing.text);
    return result;
}

static int refuse_order(struct lk_node map, const char *key, struct lk_error *err)
{
    return lk_node_refuse(lk_node_get(map, key), err,
                          "%s, expected values above 0 at the nominal load and twice that: slips "
                          "that grow from peak to sliding, forces that fall",
                          key);
}

static int read_curve(struct lk_node law, const char *key, struct lk_tyre_curve *c,
                      struct lk_error *err)
{
    static const char *const names[] = {"initial",    "peak_slip", "peak",
                                        "slide_slip", "slide",     NULL};
    double *const values[] = {c->initial, c->slip_max, c->force_max, c->slip_slide, c->force_slide};
    struct lk_node map = lk_node_get(law, key);
    int result;

    if (lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(map.index != 0 ? map : law, err,
                              "expected '%s', a map with initial, peak_slip, peak, slide_slip and "
                              "slide",
                              key);
    result = lk_node_check_keys(map, key, names, err);
    result = lk_also(result, read_pairs(map, names, values, 5, err));
    for (int i = 0; i < 2 && result == 0; i++)
        if (!(c->initial[i] > 0 && c->slip_max[i] > 0 && c->force_slide[i] > 0 &&
              c->slip_slide[i] > c->slip_max[i] && c->force_max[i] >= c->force_slide[i]))
            return refuse_order(law, key, err);
    return result;
}

static int read_tmeasy(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err)
{
    static const char *const names[] = {"trail", "trail_zero", "trail_end"};
    struct lk_tyre_tmeasy *t = &law->of.tmeasy;
    double *const values[] = {t->trail, t->trail_zero, t->trail_end};
    int result = lk_read_positive(map, "load", &t->load, err);

    t->speed = 0.5;
    result = lk_also(result, read_curve(map, "longitudinal", &t->curve[0], err));
    result = lk_also(result, read_curve(map, "lateral", &t->curve[1], err));
    result = lk_also(result, read_pairs(map, names, values, 3, err));
    result = lk_also(result, lk_read_number_or(map, "rolling", 0, &t->rolling, err));
    result = lk_also(result, lk_read_positive_or(map, "smoothing", &t->speed, err));
    for (int i = 0; i < 2 && result == 0; i++)
        if (!(t->trail_zero[i] > 0 && t->trail_end[i] > t->trail_zero[i]))
            return lk_node_refuse(lk_node_get(map, "trail_end"), err,
                                  "trail_end of %g, expected more than trail_zero, %g, above 0",
                                  t->trail_end[i], t->trail_zero[i]);
    return result;
}

static int read_calspan(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err)
{
    struct lk_tyre_calspan *c = &law->of.calspan;
    double B[3];
    int result = lk_read_numbers(map, "A", 5, c->A, err);

    result = lk_also(result, lk_read_numbers(map, "B", 3, B, err));
    result = lk_also(result, lk_read_positive(map, "SN", &c->SN, err));
    result = lk_also(result, lk_read_numbers(map, "AF", 2, c->AF, err));
    if (result == 0 && !(c->A[2] > 0 && c->A[4] > c->A[2]))
        return lk_node_refuse(lk_node_get(map, "A"), err,
                              "A2 of %g and A4 of %g, expected loads above 0, A4 the larger",
                              c->A[2], c->A[4]);
    c->B1 = result == 0 ? B[0] : 0;
    c->B3 = result == 0 ? B[1] : 0;
    c->B4 = result == 0 ? B[2] : 0;
    return result;
}

/* laws, in the order of enum lk_tyre_law_kind */
static const struct {
    const char *keys[10];
    int (*read)(struct lk_node, struct lk_tyre_law *, struct lk_error *);
} laws[LK_TYRE_LAWS] = {
    {{"type", "slip_stiffness", "cornering_stiffness", "friction", "rolling", NULL}, read_fiala},
    {{"type", "measured", "parameters", NULL}, read_magic},
    {{"type", "measured", "parameters", NULL}, read_magic},
    {{"type", "load", "longitudinal", "lateral", "trail", "trail_zero", "trail_end", "rolling",
      "smoothing", NULL},
     read_tmeasy},
    {{"type", "A", "B", "SN", "AF", NULL}, read_calspan},
};

int lk_read_law_map(struct lk_node map, struct lk_tyre_law *law, struct lk_error *err)
{
    static const char *const kinds[] = {"fiala", "mf52", "mf61", "tmeasy", "calspan", NULL};
    int kind = 0, result = lk_read_type(map, "a law", kinds, &kind, err);

    if (result == 0) {
        law->kind = (enum lk_tyre_law_kind)kind;
        result = lk_node_check_keys(map, "a law", laws[kind].keys, err);
        result = lk_also(result, laws[kind].read(map, law, err));
    }
    if (result != 0)
        law->kind = LK_TYRE_LAWS;
    return result;
}

int lk_read_laws(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "laws", LK_LAWS_MAX, sizeof(*model->laws), &map,
                                 &model->laws, &model->n_laws, err);

    for (int i = 0; i < model->n_laws && lk_node_goes_on(root, result); i++) {
        struct lk_law_def *law = &model->laws[i];

        result = lk_also(result, lk_read_name(lk_node_key_at(map, i), "law", law->name, err));
        result = lk_also(result, lk_read_law_map(lk_node_at(map, i), &law->law, err));
    }
    return result;
}

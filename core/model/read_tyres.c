/* SPDX-License-Identifier: Apache-2.0 */
/* Tyres among the `forces`: a wheel, its road, and a law. */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* set the parameters of a law that depend on its tyre */
static void fit_law(struct lk_tyre_def *tyre)
{
    if (tyre->law.kind == LK_TYRE_FIALA)
        tyre->law.of.fiala.width = tyre->width;
    if (tyre->law.kind != LK_TYRE_TMEASY)
        return;
    tyre->law.of.tmeasy.radius = tyre->radius;
    tyre->law.of.tmeasy.stiffness = tyre->stiffness;
}

/* Read a name of the section `laws`, or a map in its place. */
static int read_law(struct lk_node map, const struct lk_model *model, struct lk_tyre_def *tyre,
                    struct lk_error *err)
{
    struct lk_node law = lk_node_get(map, "law");
    int index = 0, result = 0;

    if (lk_node_kind(law) == LK_NODE_MAP) {
        result = lk_read_law_map(law, &tyre->law, err);
    } else {
        result = lk_read_law_key(map, model, &index, err);
        if (result == 0)
            tyre->law = model->laws[index].law;
    }
    fit_law(tyre);
    return result;
}

static int read_wheel(struct lk_node map, const struct lk_model *model, struct lk_force_def *force,
                      struct lk_error *err)
{
    int result = lk_read_joint_key(map, model, &force->joint, err);
    const struct lk_joint_def *joint;

    if (result != 0)
        return result;
    joint = &model->joints[force->joint];
    if (joint->type != LK_JOINT_REVOLUTE)
        return lk_node_refuse(lk_node_get(map, "joint"), err,
                              "joint '%s' is of type %s, expected the revolute joint about which "
                              "the wheel spins",
                              joint->name, lk_joint_traits[joint->type].name);
    if (joint->body[1] == LK_GROUND)
        return lk_node_refuse(lk_node_get(map, "joint"), err,
                              "the second body of joint '%s' is the ground, expected the wheel",
                              joint->name);
    force->body[1] = joint->body[1];
    return 0;
}

static int read_road_key(struct lk_node map, const struct lk_model *model,
                         struct lk_force_def *force, struct lk_tyre_def *tyre, struct lk_error *err)
{
    int result = lk_read_road_key(map, model, &tyre->road, err);

    if (result != 0)
        return result;
    force->body[0] = model->roads[tyre->road].body;
    if (force->body[0] == force->body[1] && force->body[1] != LK_GROUND)
        return lk_node_refuse(lk_node_get(map, "road"), err,
                              "road '%s' belongs to the wheel itself, expected another body",
                              model->roads[tyre->road].name);
    return 0;
}

/* read the input that has the plane under a tyre on an external road */
static int read_ground(struct lk_node map, struct lk_model *model, struct lk_tyre_def *tyre,
                       struct lk_error *err)
{
    static const char *const keys[] = {"input", NULL};
    struct lk_node node = lk_node_get(map, "ground");
    const struct lk_road_def *road = &model->roads[tyre->road];
    int result;

    if (road->kind != LK_ROAD_EXTERNAL && node.index != 0)
        return lk_node_refuse(node, err, "road '%s' has its own ground, expected no key 'ground'",
                              road->name);
    if (road->kind != LK_ROAD_EXTERNAL)
        return 0;
    if (node.index == 0)
        return lk_node_refuse(map, err,
                              "road '%s' is external, expected the key 'ground: {input: NAME}' of "
                              "the tyre",
                              road->name);
    result = lk_node_check_keys(node, "ground", keys, err);
    if (result == 0)
        result = lk_read_input_key(node, model, &tyre->ground, err);
    if (result != 0)
        return result;
    if (model->inputs[tyre->ground].type != LK_INPUT_GROUND)
        return lk_node_refuse(lk_node_get(node, "input"), err,
                              "input '%s' is not of type ground, expected one that is",
                              model->inputs[tyre->ground].name);
    model->inputs[tyre->ground].is_used = 1;
    return 0;
}

/* Use the tyre data of a Magic Formula if the model gives no data */
static void take_from_law(struct lk_tyre_def *tyre)
{
    const struct lk_tyre_magic *m = &tyre->law.of.magic;

    if (tyre->law.kind != LK_TYRE_MF52 && tyre->law.kind != LK_TYRE_MF61)
        return;
    tyre->radius = tyre->radius > 0 ? tyre->radius : m->UNLOADED_RADIUS;
    tyre->width = tyre->width > 0 ? tyre->width : m->WIDTH;
    tyre->stiffness = tyre->stiffness > 0 ? tyre->stiffness : m->VERTICAL_STIFFNESS * m->LCZ;
    tyre->damping = tyre->damping >= 0 ? tyre->damping : m->VERTICAL_DAMPING;
}

static int read_rim(struct lk_node map, struct lk_tyre_def *tyre, struct lk_error *err)
{
    static const char *const keys[] = {"radius", "stiffness", NULL};
    struct lk_node rim = lk_node_get(map, "rim");
    int result;

    if (rim.index == 0)
        return 0;
    result = lk_node_check_keys(rim, "a rim", keys, err);
    result = lk_also(result, lk_read_positive(rim, "radius", &tyre->rim_radius, err));
    result = lk_also(result, lk_read_positive(rim, "stiffness", &tyre->rim_stiffness, err));
    if (result == 0 && tyre->radius > 0 && tyre->rim_radius >= tyre->radius)
        return lk_node_refuse(lk_node_get(rim, "radius"), err,
                              "a rim of %g m, expected less than the tyre, %g m", tyre->rim_radius,
                              tyre->radius);
    return result;
}

static int read_bore(struct lk_node map, struct lk_tyre_def *tyre, struct lk_error *err)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    struct lk_node bore = lk_node_get(map, "bore");
    int result;

    if (bore.index == 0)
        return 0;
    result = lk_node_check_keys(bore, "bore", keys, err);
    result = lk_also(result, lk_read_positive(bore, "stiffness", &tyre->bore[0], err));
    return lk_also(result, lk_read_number_or(bore, "damping", 0, &tyre->bore[1], err));
}

static int read_two(struct lk_node map, const char *key, double *ret, bool *ret_given,
                    struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);
    int result;

    *ret_given = node.index != 0;
    if (!*ret_given)
        return 0;
    result = lk_read_numbers(map, key, 2, ret, err);
    if (result == 0 && !(ret[0] >= 0 && ret[1] >= 0))
        return lk_node_refuse(node, err, "%s of %g and %g, expected none below 0", key, ret[0],
                              ret[1]);
    return result;
}

static bool has_own_lengths(const struct lk_tyre_law *law)
{
    const struct lk_tyre_magic *m = &law->of.magic;

    return (law->kind == LK_TYRE_MF52 && m->PTX1 > 0 && m->PTY1 > 0) ||
           (law->kind == LK_TYRE_MF61 && m->LONGITUDINAL_STIFFNESS > 0 && m->LATERAL_STIFFNESS > 0);
}

static int read_carcass(struct lk_node map, struct lk_tyre_def *tyre, struct lk_error *err)
{
    static const char *const keys[] = {"length", "stiffness", "lag", NULL};
    struct lk_node carcass = lk_node_get(map, "carcass");
    bool has_length = false, has_stiffness = false, has_lag;
    int result = 0;

    if (carcass.index != 0) {
        result = lk_node_check_keys(carcass, "a carcass", keys, err);
        result = lk_also(result, read_two(carcass, "length", tyre->length, &has_length, err));
        result =
            lk_also(result, read_two(carcass, "stiffness", tyre->carcass, &has_stiffness, err));
        result = lk_also(result, read_two(carcass, "lag", tyre->lag, &has_lag, err));
    }
    if (result == 0 && has_length && has_stiffness)
        return lk_node_refuse(carcass, err,
                              "both length and stiffness are given, expected one of them");
    if (result == 0 && !has_length && !has_stiffness && !has_own_lengths(&tyre->law))
        return lk_node_refuse(
            carcass.index != 0 ? carcass : map, err,
            "nothing says how the carcass gives way, expected carcass: {stiffness: "
            "[along, across]} in N/m, or {length: [..]} of relaxation in m");
    return result;
}

static int read_deflection(struct lk_node map, struct lk_tyre_def *tyre, struct lk_error *err)
{
    static const char *const kinds[] = {"rim", "centre", NULL};

    return lk_node_get(map, "deflection").index == 0
               ? 0
               : lk_node_read_choice(map, "deflection", kinds, &tyre->is_by_centre, err);
}

/* read the side; the law is mirrored if it was measured on the other side */
static int read_side(struct lk_node map, struct lk_tyre_def *tyre, struct lk_error *err)
{
    static const char *const sides[] = {"left", "right", NULL};
    int side = 0, result = lk_node_read_choice(map, "side", sides, &side, err);

    tyre->law.is_mirrored ^= side;
    tyre->track = (enum lk_track)side;
    return result;
}

static int check_geometry(struct lk_node map, const struct lk_tyre_def *tyre, struct lk_error *err)
{
    const char *missing = !(tyre->radius > 0)      ? "radius"
                          : !(tyre->width > 0)     ? "width"
                          : !(tyre->stiffness > 0) ? "stiffness"
                                                   : NULL;

    return missing == NULL
               ? 0
               : lk_node_refuse(map, err, "the key '%s' is missing, expected a number", missing);
}

static int read_numbers_of(struct lk_node map, struct lk_model *model, struct lk_tyre_def *tyre,
                           struct lk_error *err)
{
    int result = lk_read_positive_or(map, "radius", &tyre->radius, err);

    result = lk_also(result, lk_read_positive_or(map, "width", &tyre->width, err));
    result = lk_also(result, lk_read_positive_or(map, "stiffness", &tyre->stiffness, err));
    result = lk_also(result, lk_read_number_or(map, "damping", 0, &tyre->damping, err));
    result = lk_also(result, lk_read_number_or_signal(map, "friction", 0, "1", model,
                                                      &tyre->friction, &tyre->friction_input, err));
    result = lk_also(result, read_rim(map, tyre, err));
    result = lk_also(result, read_bore(map, tyre, err));
    return lk_also(result, read_deflection(map, tyre, err));
}

static struct lk_tyre_def *append_tyre(struct lk_model *model)
{
    size_t size = (size_t)(model->n_tyres + 1) * sizeof(*model->tyres);
    struct lk_tyre_def *tyres = realloc(model->tyres, size);

    if (tyres == NULL)
        return NULL;
    model->tyres = tyres;
    tyres[model->n_tyres] = (struct lk_tyre_def){.damping = -1,
                                                 .length = {-1, -1},
                                                 .lag = {0.008, 0.010},
                                                 .friction = 1,
                                                 .friction_input = -1,
                                                 .ground = -1};
    return &tyres[model->n_tyres++];
}

int lk_read_tyre(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                 struct lk_error *err)
{
    struct lk_tyre_def *tyre = append_tyre(model);
    int result, named;

    if (tyre == NULL)
        return -ENOMEM;
    force->tyre = model->n_tyres - 1;
    result = read_wheel(map, model, force, err);
    named = read_road_key(map, model, force, tyre, err);
    if (named == 0)
        named = read_ground(map, model, tyre, err);
    result = lk_also(result, named);
    result = lk_also(result, read_numbers_of(map, model, tyre, err));
    result = lk_also(result, read_law(map, model, tyre, err));
    result = lk_also(result, read_side(map, tyre, err));
    take_from_law(tyre);
    tyre->damping = fmax(tyre->damping, 0);
    /* do not report data as missing that a refused law might have given */
    if (tyre->law.kind == LK_TYRE_LAWS)
        return result;
    if (result == 0)
        result = check_geometry(map, tyre, err);
    if (result == 0)
        result = read_carcass(map, tyre, err);
    return result;
}

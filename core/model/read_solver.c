/* SPDX-License-Identifier: Apache-2.0 */
/* Section `solver`: how the model is stepped, unless the caller chooses otherwise. */
#include "model/formulations.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Find the index of the text of @key among @choices; 0 if the key is absent. */
static int read_choice_or_first(struct lk_node map, const char *key, const char *const choices[],
                                int *ret, struct lk_error *err)
{
    *ret = 0;
    return lk_node_get(map, key).index == 0 ? 0 : lk_node_read_choice(map, key, choices, ret, err);
}

/* Read the step as steps per second, for step sizes without a finite decimal form, such as 3000
 * Hz. */
static int read_rate(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "rate");
    double rate;
    int result = lk_node_number(node, "rate", &rate, err);

    if (result == 0 && lk_node_get(map, "step").index != 0)
        return lk_node_refuse(node, err, "a rate and a step are given, expected one of them");
    if (result == 0 && !(rate >= 1 / LK_STEP_MAX && rate <= 1 / LK_STEP_MIN))
        return lk_node_refuse(node, err, "rate is %.40s, expected 10 to 1e6 Hz",
                              lk_node_text(node));
    if (result == 0)
        solver->step = 1 / rate;
    return result;
}

static int read_step(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "step");
    int result;

    if (lk_node_get(map, "rate").index != 0)
        return read_rate(map, solver, err);
    result = lk_node_read_number_or(map, "step", &solver->step, err);

    if (result == 0 && (solver->step < LK_STEP_MIN || solver->step > LK_STEP_MAX))
        result =
            lk_node_refuse(node, err, "step is %.40s, expected 1e-6 to 0.1 s", lk_node_text(node));
    return result;
}

static int read_engine(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    static const char *const names[] = {LK_ENGINE_NAMES, NULL};
    int which, result = read_choice_or_first(map, "engine", names, &which, err);

    if (result == 0)
        snprintf(solver->engine, sizeof(solver->engine), "%s", names[which]);
    return result;
}

const char *const lk_reduction_names[] = {"planar", "hubs", "splits", "independent-rows", NULL};

/* read a list of allowed reductions */
static int read_list_of_reductions(struct lk_node list, unsigned *ret, struct lk_error *err)
{
    int r = 0;

    *ret = 0;
    for (int i = 0; i < lk_node_size(list) && r == 0; i++) {
        const char *name = lk_node_text(lk_node_at(list, i));
        int k = 0;

        while (lk_reduction_names[k] && strcmp(lk_reduction_names[k], name) != 0)
            k++;
        if (lk_reduction_names[k])
            *ret |= 1u << k;
        else
            r = lk_node_refuse(lk_node_at(list, i), err,
                               "a reduction is '%.40s', expected planar, hubs, splits, "
                               "independent-rows",
                               name);
    }
    return r;
}

static int read_reductions(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "reductions");
    bool is_none = strcmp(lk_node_text(node), "none") == 0;

    solver->reductions = is_none ? 0 : LK_REDUCTIONS_ALL;
    if (lk_node_kind(node) == LK_NODE_LIST)
        return read_list_of_reductions(node, &solver->reductions, err);
    if (node.index == 0 || is_none || strcmp(lk_node_text(node), "all") == 0)
        return 0;
    return lk_node_refuse(node, err,
                          "reductions is '%.40s', expected all, none, or a list of those to use: "
                          "planar, hubs, splits, independent-rows",
                          lk_node_text(node));
}

/* Read the penalty, which only one of the two forms of ali3 has. */
static int read_penalty(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "penalty");

    if (node.index != 0 && solver->coordinates == LK_COORDINATES_LIE)
        return lk_node_refuse(node, err,
                              "a penalty is given, expected none without coordinates: "
                              "euler-parameters");
    return lk_read_positive_or(map, "penalty", &solver->penalty, err);
}

/* Read which variant of the form in Euler parameters is meant. */
static int read_variant(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    static const char *const variants[] = {"default", "as-printed", NULL};
    struct lk_node node = lk_node_get(map, "variant");
    int which, result = read_choice_or_first(map, "variant", variants, &which, err);

    if (result == 0 && node.index != 0 && solver->coordinates == LK_COORDINATES_LIE)
        return lk_node_refuse(node, err,
                              "a variant is given, expected none without coordinates: "
                              "euler-parameters; variants of formulations follow a colon, as in "
                              "hdca:as-printed");
    if (result == 0 && which == 1)
        solver->coordinates = LK_COORDINATES_AS_PRINTED;
    return result;
}

/* Check the name up to a colon. The formulation itself checks the variant after the colon. */
static int read_formulation(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    static const char *const names[] = {
#define FIXED(name, symbol)        name,
#define OFFLINE(name, symbol, why) name,
        "auto", "ali3", "rattle", "rk4",
        LK_FORMULATIONS_FIXED(FIXED) LK_FORMULATIONS_OFFLINE(OFFLINE) NULL
#undef FIXED
#undef OFFLINE
    };
    struct lk_node node = lk_node_get(map, "formulation");
    const char *text = node.index == 0                        ? names[0]
                       : lk_node_kind(node) == LK_NODE_SCALAR ? lk_node_text(node)
                                                              : "";
    size_t n = strcspn(text, ":");
    int i = 0;

    while (names[i] && (strlen(names[i]) != n || strncmp(names[i], text, n) != 0))
        i++;
    if (!names[i] || strlen(text) >= sizeof(solver->formulation) ||
        text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-:")] != 0) {
        return lk_node_read_choice(map, "formulation", names, &i, err);
    }
    snprintf(solver->formulation, sizeof(solver->formulation), "%s", text);
    return 0;
}

#define ORDERS_MAX 4

static const struct {
    const char *formulation;
    int order[ORDERS_MAX];
} orders[] = {
    {"auto", {2, 3, 4, 6}},
    {"ali3", {2, 3, 4}},
    {"rattle", {2, 4, 6}},
};

/* Return the orders of a formulation, ended by 0; NULL: the order cannot be chosen */
static const int *orders_of(const char *formulation)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (strcmp(orders[i].formulation, formulation) == 0)
            return orders[i].order;
    return NULL;
}

int lk_solver_check_order(const char *formulation, int order, struct lk_error *ret_error)
{
    const int *known = orders_of(formulation);
    char list[ORDERS_MAX * 16] = "";
    int nearest = 2;

    if (!known && order == 2)
        return 0;
    if (!known) {
        lk_error_set(ret_error, "order %d, expected none with formulation %s", order, formulation);
        return LK_E_MODEL;
    }
    for (int i = 0; i < ORDERS_MAX && known[i] != 0; i++) {
        if (known[i] == order)
            return 0;
        nearest = abs(order - known[i]) <= abs(order - nearest) ? known[i] : nearest;
    }
    for (int i = 0; i < ORDERS_MAX && known[i] != 0; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d",
                 i == 0                                     ? ""
                 : i + 1 == ORDERS_MAX || known[i + 1] == 0 ? " or "
                                                            : ", ",
                 known[i]);
    lk_error_set(ret_error, "order %d with formulation %s, did you mean %d? Expected %s", order,
                 formulation, nearest, list);
    return LK_E_MODEL;
}

static int read_order(struct lk_node map, struct lk_solver_def *solver, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "order");
    struct lk_error why;
    long order = 2;
    int r = lk_node_read_int_or(map, "order", 2, LK_ORDER_MAX, &order, err);

    solver->order = (int)order;
    if (r != 0 || node.index == 0)
        return r;
    if (!orders_of(solver->formulation))
        return lk_node_refuse(node, err, "an order is given, expected none with formulation: %s",
                              solver->formulation);
    if (lk_solver_check_order(solver->formulation, solver->order, &why) != 0)
        return lk_node_refuse(node, err, "%s", why.text);
    return 0;
}

int lk_read_solver(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    static const char *const keys[] = {"formulation", "coordinates", "penalty",    "redundancy",
                                       "step",        "rate",        "iterations", "order",
                                       "engine",      "reductions",  "variant",    NULL};
    static const char *const coordinates[] = {"lie", "euler-parameters", NULL};
    static const char *const redundancies[] = {"rigid", "soft", NULL};
    struct lk_solver_def *solver = &model->solver;
    struct lk_node map = lk_node_get(root, "solver");
    long iterations = 0;
    int form = 0;
    int result = map.index != 0 ? lk_node_check_keys(map, "the solver", keys, err) : 0;

    solver->step = 0.001;
    solver->reductions = LK_REDUCTIONS_ALL;
    if (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP)
        return result;
    result = lk_also(result, read_formulation(map, solver, err));
    result = lk_also(result, read_choice_or_first(map, "coordinates", coordinates, &form, err));
    result = lk_also(result, read_choice_or_first(map, "redundancy", redundancies,
                                                  &solver->soft_redundancy, err));
    solver->coordinates = (enum lk_coordinates)form;
    result = lk_also(result, read_penalty(map, solver, err));
    result = lk_also(result, read_variant(map, solver, err));
    result = lk_also(result, read_step(map, solver, err));
    result = lk_also(result, read_engine(map, solver, err));
    result = lk_also(result, read_reductions(map, solver, err));
    result = lk_also(
        result, lk_node_read_int_or(map, "iterations", 1, LK_ITERATIONS_MAX, &iterations, err));
    result = lk_also(result, read_order(map, solver, err));
    solver->iterations = (int)iterations;
    return result;
}

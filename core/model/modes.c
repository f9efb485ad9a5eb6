/* SPDX-License-Identifier: Apache-2.0 */
/* Key `modes` of a body: the numbers of a modal body, and the bodies that stand for its nodes. */
#include "modes.h"
#include "maths/vec.h"
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* Read a list of @n numbers at @key; @min: least value. */
static int read_list(struct lk_node map, const char *key, int n, double min, double *ret,
                     struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    int result = lk_read_numbers_node(list, key, n, ret, err);

    for (int i = 0; i < n && result == 0; i++)
        if (!(ret[i] >= min))
            return lk_node_refuse(lk_node_at(list, i), err, "%s is %.9g, expected at least %g", key,
                                  ret[i], min);
    return result;
}

/* Read a list of @n lists of six numbers. */
static int read_sixes(struct lk_node list, const char *what, int n, double (*ret)[6],
                      struct lk_error *err)
{
    int result = 0;

    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != n)
        return lk_node_refuse(list, err,
                              "%s has %d entries, expected a list of six numbers for each of the "
                              "%d modes",
                              what, lk_node_size(list), n);
    for (int i = 0; i < n && lk_node_goes_on(list, result); i++)
        result = lk_also(result, lk_read_numbers_node(lk_node_at(list, i), what, 6, ret[i], err));
    return result;
}

/* Return whether an entry before entry @i is of the same modes. */
static bool is_twice(const struct lk_modal_pair *pair, int i)
{
    for (int k = i - 1; k >= 0; k--)
        if (pair[k].k == pair[i].k && pair[k].l == pair[i].l)
            return true;
    return false;
}

/* the integral of phi x phi is 0: true if the last three of nine numbers are, but for rounding */
static bool lacks_moment(double *value)
{
    double size = 0, moment = 0;

    for (int i = 0; i < 6; i++)
        size = fmax(size, fabs(value[i]));
    for (int i = 6; i < 9; i++)
        moment = fmax(moment, fabs(value[i]));
    if (!(moment <= 1e-12 * size))
        return false;
    memset(value + 6, 0, 3 * sizeof(*value));
    return true;
}

/* Read the list `second`: mode, mode, then @size numbers each. */
static int read_pairs(struct lk_node map, int n, int size, struct lk_modal_pair **ret, int *ret_n,
                      struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "second");
    int result = 0, pairs = lk_node_size(list);

    if (list.index == 0)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, err,
                              "second is no list, expected [[mode, mode, %d numbers], ...]", size);
    *ret = calloc((size_t)pairs + 1, sizeof(**ret));
    if (*ret == NULL)
        return -ENOMEM;
    for (int i = 0; i < pairs && lk_node_goes_on(list, result); i++) {
        struct lk_modal_pair *pair = &(*ret)[i];
        double number[2 + 9];
        int one =
            lk_read_numbers_node(lk_node_at(list, i), "an entry of second", size + 2, number, err);

        result = lk_also(result, one);
        if (one != 0)
            continue;
        if (!(number[0] >= 1 && number[0] <= number[1] && number[1] <= n &&
              number[0] == floor(number[0]) && number[1] == floor(number[1])))
            return lk_node_refuse(
                lk_node_at(list, i), err,
                "second begins with %g and %g, expected two numbers of modes from "
                "1 to %d, the smaller one first",
                number[0], number[1], n);
        pair->k = (int)number[0] - 1;
        pair->l = (int)number[1] - 1;
        if (size == 9 && pair->k == pair->l && !lacks_moment(number + 2))
            return lk_node_refuse(lk_node_at(list, i), err,
                                  "the last three numbers of a mode with itself are %g, %g, %g, "
                                  "expected 0, as in any body",
                                  number[8], number[9], number[10]);
        if (is_twice(*ret, i))
            return lk_node_refuse(lk_node_at(list, i), err,
                                  "second has modes %d and %d twice, expected one entry",
                                  pair->k + 1, pair->l + 1);
        memcpy(pair->value, number + 2, (size_t)size * sizeof(double));
    }
    *ret_n = pairs;
    return result;
}

/* ---- nodes ---- */

static int read_node(struct lk_node map, int n, struct lk_modal_node_def *node,
                     struct lk_error *err)
{
    static const char *const keys[] = {"position", "shape", "second", NULL};
    int result = lk_node_check_keys(map, "a node", keys, err);

    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    node->shape = calloc((size_t)n + 1, sizeof(*node->shape));
    if (node->shape == NULL)
        return -ENOMEM;
    result = lk_also(result, lk_read_vector(map, "position", node->place, err));
    if (n == 0) /* there is no list of frequencies: reported already */
        return result;
    result = lk_also(result, read_sixes(lk_node_get(map, "shape"), "shape", n, node->shape, err));
    return lk_also(result, read_pairs(map, n, 6, &node->pair, &node->n_pairs, err));
}

static int read_nodes(struct lk_node map, struct lk_modal_def *modal, struct lk_error *err)
{
    struct lk_node nodes = lk_node_get(map, "nodes");
    int result = 0, n = lk_node_size(nodes);

    if (lk_node_kind(nodes) != LK_NODE_MAP || n < 1 || n > LK_MODAL_NODES_MAX)
        return lk_node_refuse(nodes.index != 0 ? nodes : map, err,
                              "nodes is no map of 1 to %d nodes, expected NAME: {position: ..., "
                              "shape: ...}",
                              LK_MODAL_NODES_MAX);
    modal->node = calloc((size_t)n, sizeof(*modal->node));
    if (modal->node == NULL)
        return -ENOMEM;
    modal->n_nodes = n;
    for (int i = 0; i < n && lk_node_goes_on(nodes, result); i++)
        result = lk_also(result, read_node(lk_node_at(nodes, i), modal->n, &modal->node[i], err));
    return result;
}

/* ---- recoveries ---- */

/* Read a list of @n numbers, or six of them. */
static int read_rows(struct lk_node map, int n, struct lk_recovery_def *ret, struct lk_error *err)
{
    struct lk_node rows = lk_node_get(map, "rows");
    int result = 0;

    ret->rows = lk_node_size(rows);
    if (lk_node_kind(rows) != LK_NODE_LIST || (ret->rows != 1 && ret->rows != 6))
        return lk_node_refuse(rows.index != 0 ? rows : map, err,
                              "rows is no list of one row, or of six (xx, yy, zz, xy, xz, yz of a "
                              "stress), each with a number for each of the %d modes",
                              n);
    ret->value = calloc((size_t)(ret->rows * n) + 1, sizeof(double));
    if (ret->value == NULL)
        return -ENOMEM;
    for (int i = 0; i < ret->rows && lk_node_goes_on(rows, result); i++)
        result = lk_also(
            result, lk_read_numbers_node(lk_node_at(rows, i), "a row", n, ret->value + i * n, err));
    return result;
}

static int read_recovery(struct lk_node name, struct lk_node map, int n,
                         struct lk_recovery_def *ret, struct lk_error *err)
{
    static const char *const keys[] = {"unit", "rows", NULL};
    int result = lk_read_word(name, "recovery", ret->name, err);

    result = lk_also(result, lk_node_check_keys(map, "a recovery", keys, err));
    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    result = lk_also(result, lk_read_unit(map, ret->unit, err));
    return lk_also(result, read_rows(map, n, ret, err));
}

static int read_recoveries(struct lk_node map, struct lk_modal_def *modal, struct lk_error *err)
{
    struct lk_node all = lk_node_get(map, "recovery");
    int result = 0, n = lk_node_size(all);

    if (all.index == 0 || modal->n == 0)
        return 0;
    if (lk_node_kind(all) != LK_NODE_MAP)
        return lk_node_refuse(all, err,
                              "recovery is no map, expected NAME: {unit: ..., rows: [[...]]}");
    modal->recovery = calloc((size_t)n + 1, sizeof(*modal->recovery));
    if (modal->recovery == NULL)
        return -ENOMEM;
    modal->n_recoveries = n;
    for (int i = 0; i < n && lk_node_goes_on(all, result); i++)
        result = lk_also(result, read_recovery(lk_node_key_at(all, i), lk_node_at(all, i), modal->n,
                                               &modal->recovery[i], err));
    return result;
}

/* ---- a body ---- */

static int read_modes(struct lk_node map, struct lk_modal_def *modal, struct lk_error *err)
{
    static const char *const keys[] = {"frequency", "damping", "inertia_first", "second", "nodes",
                                       "recovery",  NULL};
    struct lk_node frequency = lk_node_get(map, "frequency");
    size_t n = (size_t)lk_node_size(frequency);
    int result = lk_node_check_keys(map, "modes", keys, err);

    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    /* the nodes first, also of a body that is refused, as others name them */
    if (lk_node_kind(frequency) != LK_NODE_LIST || n < 1 || n > LK_MODES_MAX) {
        result = lk_node_refuse(frequency.index != 0 ? frequency : map, err,
                                "frequency is no list of 1 to %d numbers, expected one for each "
                                "mode",
                                LK_MODES_MAX);
        return lk_also(result, read_nodes(map, modal, err));
    }
    modal->n = (int)n;
    result = lk_also(result, read_nodes(map, modal, err));
    modal->omega = calloc(n, sizeof(double));
    modal->ratio = calloc(n, sizeof(double));
    modal->first = calloc(n, sizeof(*modal->first));
    if (!modal->omega || !modal->ratio || !modal->first)
        return -ENOMEM;
    result =
        lk_also(result, read_list(map, "frequency", modal->n, LK_FREQUENCY_MIN, modal->omega, err));
    for (size_t i = 0; i < n; i++)
        modal->omega[i] *= 2 * M_PI;
    if (lk_node_get(map, "damping").index != 0)
        result = lk_also(result, read_list(map, "damping", modal->n, 0, modal->ratio, err));
    if (lk_node_get(map, "inertia_first").index != 0)
        result = lk_also(result, read_sixes(lk_node_get(map, "inertia_first"), "inertia_first",
                                            modal->n, modal->first, err));
    result = lk_also(result, read_recoveries(map, modal, err));
    return lk_also(result, read_pairs(map, modal->n, 9, &modal->pair, &modal->n_pairs, err));
}

/* Check mass and inertia, if the reader of bodies has accepted them. */
static int check_inertia(struct lk_node map, const struct lk_body_def *body, struct lk_error *err)
{
    struct lk_node inertia = lk_node_get(map, "inertia");
    double moment[3];

    if (lk_node_get(map, "mass").index == 0 || inertia.index == 0)
        return 0;
    lk_principal_moments(body->inertia, moment);
    if (!(body->mass > 0) || !(moment[0] >= LK_MODAL_SLENDER * moment[2]) || !(moment[0] > 0))
        return lk_node_refuse(inertia, err,
                              "a body with modes has %.6g kg and the principal moments %.6g, %.6g, "
                              "%.6g, expected a mass above 0 and each moment at least %g of the "
                              "largest",
                              body->mass, moment[0], moment[1], moment[2], LK_MODAL_SLENDER);
    return 0;
}

int lk_read_modes(struct lk_node map, struct lk_model *model, int body, struct lk_error *err)
{
    size_t n = (size_t)model->n_modals;
    struct lk_modal_def *more = realloc(model->modals, (n + 1) * sizeof(*more));
    struct lk_body_def *def = &model->bodies[body];

    if (more == NULL)
        return -ENOMEM;
    model->modals = more;
    more[n] = (struct lk_modal_def){.body = body};
    def->kind = LK_BODY_MODAL;
    def->modal = model->n_modals++;
    return lk_also(check_inertia(map, def, err),
                   read_modes(lk_node_get(map, "modes"), &more[n], err));
}

/* ---- the bodies of the nodes ---- */

/* Fill the body of node @i: where the body is drawn, with no deformation. */
static int place_node(struct lk_node name, struct lk_model *model, int modal, int i,
                      struct lk_body_def *ret, struct lk_error *err)
{
    const struct lk_modal_def *m = &model->modals[modal];
    const struct lk_body_def *body = &model->bodies[m->body];
    char word[LK_NAME_SIZE];
    double R[9], arm[3], turn[3];
    size_t size = strlen(body->name);
    int result = lk_read_word(name, "node", word, err);

    if (result != 0)
        return result;
    if (size + 1 + strlen(word) >= LK_NAME_SIZE)
        return lk_node_refuse(name, err,
                              "the name is too long, expected at most %d bytes with that of the "
                              "body",
                              LK_NAME_SIZE - 2);
    *ret = *body;
    ret->name[size] = '.';
    memcpy(ret->name + size + 1, word, strlen(word) + 1);
    ret->mass = 0;
    memset(ret->inertia, 0, sizeof(ret->inertia));
    ret->kind = LK_BODY_NODE;
    ret->modal = modal;
    ret->node = i;
    lk_quat_matrix(body->orientation, R);
    lk_rotate(R, m->node[i].place, arm);
    lk_cross(body->angular_velocity, arm, turn);
    for (int k = 0; k < 3; k++) {
        ret->position[k] += arm[k];
        ret->velocity[k] += turn[k];
    }
    return 0;
}

static int check_name(struct lk_node name, const struct lk_model *model, int body,
                      struct lk_error *err)
{
    for (int i = 0; i < body; i++)
        if (strcmp(model->bodies[i].name, model->bodies[body].name) == 0)
            return lk_node_refuse(name, err,
                                  "the node has the name of body '%s', expected another one",
                                  model->bodies[i].name);
    return 0;
}

int lk_read_modal_nodes(struct lk_node section, struct lk_model *model, struct lk_error *err)
{
    struct lk_body_def *bodies;
    int n = model->n_bodies, result = 0;

    for (int i = 0; i < model->n_modals; i++)
        n += model->modals[i].n_nodes;
    if (n == model->n_bodies)
        return 0;
    if (n > LK_BODIES_MAX)
        return lk_node_refuse(section, err,
                              "%d bodies with the nodes of modal bodies, expected at "
                              "most %d",
                              n, LK_BODIES_MAX);
    bodies = realloc(model->bodies, (size_t)n * sizeof(*bodies));
    if (bodies == NULL)
        return -ENOMEM;
    model->bodies = bodies;
    for (int i = 0; i < model->n_modals && result == 0; i++) {
        struct lk_modal_def *m = &model->modals[i];
        struct lk_node nodes =
            lk_node_get(lk_node_get(lk_node_at(section, m->body), "modes"), "nodes");

        for (int k = 0; k < m->n_nodes && result == 0; k++) {
            struct lk_node name = lk_node_key_at(nodes, k);

            m->node[k].body = model->n_bodies;
            result = place_node(name, model, i, k, &bodies[model->n_bodies], err);
            if (result != 0)
                break;
            result = check_name(name, model, model->n_bodies, err);
            model->n_bodies++;
        }
    }
    return result;
}

void lk_free_modes(struct lk_model *model)
{
    for (int i = 0; i < model->n_modals; i++) {
        struct lk_modal_def *m = &model->modals[i];

        for (int k = 0; k < m->n_nodes; k++) {
            free(m->node[k].shape);
            free(m->node[k].pair);
        }
        for (int k = 0; k < m->n_recoveries; k++)
            free(m->recovery[k].value);
        free(m->recovery);
        free(m->omega);
        free(m->ratio);
        free(m->first);
        free(m->pair);
        free(m->node);
    }
    free(model->modals);
}

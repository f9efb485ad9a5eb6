/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with modes: their constants, and their memory in a step. */
#include "compile/fill.h"
#include "maths/elementary.h"
#include "maths/vec.h"
#include <string.h>

static size_t padded(int n)
{
    return ((size_t)n + 3) / 4 * 4;
}

static struct lk_mode_pairs layout_pairs(int n, struct lk_arena *arena)
{
    return (struct lk_mode_pairs){n, lk_arena_take(arena, (size_t)n, sizeof(struct lk_mode_pair))};
}

/* Reserve what a node needs. */
static void layout_node(const struct lk_modal_node_def *def, size_t pad, struct lk_modal_node *node,
                        struct lk_flexible_node *flexible, struct lk_arena *arena)
{
    double *shape = lk_arena_take(arena, 6 * pad, sizeof(double));
    struct lk_mode_pairs second = layout_pairs(def->n_pairs, arena);
    double *move = lk_arena_take(arena, 3 * pad, sizeof(double));
    double *bend = lk_arena_take(arena, 3 * pad, sizeof(double));

    if (!arena->base)
        return;
    *node = (struct lk_modal_node){.shape = shape, .second = second};
    *flexible = (struct lk_flexible_node){.move = move, .bend = bend};
}

/* Reserve the arrays of a step. */
static struct lk_modal_step layout_step(size_t n, size_t iterations, struct lk_arena *arena)
{
    struct lk_modal_step step = {0};
    double **const arrays[] = {&step.old,   &step.old_v,    &step.u,   &step.kept, &step.momentum,
                               &step.slope, &step.residual, &step.law, &step.v,    &step.y};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        *arrays[i] = lk_arena_take(arena, n, sizeof(double));
    step.kick = lk_arena_take(arena, 6 + n, sizeof(double));
    step.dq = lk_arena_take(arena, iterations * n, sizeof(double));
    step.correction = lk_arena_take(arena, iterations * n, sizeof(double));
    return step;
}

static void layout_modal(const struct lk_system *sys, const struct lk_modal_def *def,
                         struct lk_modal *modal, struct lk_flexible *flexible, int largest,
                         struct lk_arena *arena)
{
    size_t pad = padded(def->n), nodes = (size_t)def->n_nodes, n = (size_t)def->n;
    struct lk_modal_node *node = lk_arena_take(arena, nodes, sizeof(*node));
    struct lk_flexible_node *of_node = lk_arena_take(arena, nodes, sizeof(*of_node));
    struct lk_flexible_force *force = lk_arena_take(arena, 1, sizeof(*force));
    struct lk_modal_step *step = lk_arena_take(arena, 1, sizeof(*step));
    struct lk_modal made = {
        .n = def->n,
        .n_nodes = def->n_nodes,
        .stiffness = lk_arena_take(arena, n, sizeof(double)),
        .damping = lk_arena_take(arena, n, sizeof(double)),
        .decay = lk_arena_take(arena, n, sizeof(double)),
        .is_static = lk_arena_take(arena, n, sizeof(bool)),
        .first = lk_arena_take(arena, n + 1, sizeof(*made.first)),
        .second = layout_pairs(def->n_pairs, arena),
        .node = node,
        .flexible = flexible,
        .q = lk_arena_take(arena, n, sizeof(double)),
        .coupling = lk_arena_take(arena, 3 * pad, sizeof(double)),
        .slope = lk_arena_take(arena, 6 * pad * nodes, sizeof(double)),
        .force = force,
        .step = step,
    };
    struct lk_flexible shape = {
        .n = def->n,
        .pad = (int)pad,
        .s = sys->s,
        .weight = lk_arena_take(arena, pad, sizeof(double)),
        .coupling = lk_arena_take(arena, 3 * pad, sizeof(double)),
        .node = of_node,
        .row = lk_arena_take(arena, 2 * (6 + n) * padded(largest), sizeof(double)),
    };
    double *q = lk_arena_take(arena, n, sizeof(double));
    struct lk_recovery *recovery =
        lk_arena_take(arena, (size_t)def->n_recoveries, sizeof(*recovery));
    struct lk_modal_step arrays = layout_step(n, (size_t)sys->iterations, arena);

    for (size_t i = 0; i < nodes; i++)
        layout_node(&def->node[i], pad, arena->base ? &node[i] : NULL,
                    arena->base ? &of_node[i] : NULL, arena);
    for (int i = 0; i < def->n_recoveries; i++) {
        double *value = lk_arena_take(arena, (size_t)def->recovery[i].rows * n, sizeof(double));

        if (arena->base)
            recovery[i].value = value;
    }
    if (!arena->base)
        return;
    made.recovery = recovery;
    *modal = made;
    *flexible = shape;
    *step = arrays;
    force->q = q;
}

void lk_fill_modal_layout(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    const struct lk_model *m = d->model;
    size_t n = (size_t)m->n_modals;
    struct lk_modal *modal = lk_arena_take(arena, n, sizeof(*modal));
    struct lk_flexible *flexible = lk_arena_take(arena, n, sizeof(*flexible));

    for (size_t i = 0; i < n; i++)
        layout_modal(sys, &m->modals[i], arena->base ? &modal[i] : NULL,
                     arena->base ? &flexible[i] : NULL, d->plan.largest, arena);
    sys->modal = modal;
    sys->fronts.flexible = sys->rigid_fronts.flexible = flexible;
}

static void copy_pairs(const struct lk_modal_pair *from, int n, struct lk_mode_pairs *to)
{
    for (int i = 0; i < n; i++) {
        to->pair[i].k = from[i].k;
        to->pair[i].l = from[i].l;
        to->pair[i].half = from[i].k == from[i].l ? 0.5 : 1;
        for (int c = 0; c < 9; c++) /* beta is a vector of its own */
            to->pair[i].value[c < 6 ? c / 4 : 2][c < 6 ? c % 4 : c - 6] = from[i].value[c];
    }
}

static void fill_node(const struct lk_modal_node_def *def, int n, size_t pad,
                      struct lk_modal_node *node)
{
    node->body = def->body;
    memcpy(node->place, def->place, sizeof(node->place));
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < 6; i++)
            node->shape[i * pad + (size_t)k] = def->shape[k][i];
    copy_pairs(def->pair, def->n_pairs, &node->second);
}

static void fill_recovery(const struct lk_recovery_def *def, int n, struct lk_recovery *recovery)
{
    recovery->rows = def->rows;
    recovery->n = n;
    memcpy(recovery->unit, def->unit, sizeof(recovery->unit));
    memcpy(recovery->value, def->value, (size_t)(def->rows * n) * sizeof(double));
}

/* return the hyperbolic tangent of @x >= 0, in bits that no library decides */
static double tanh_of(double x)
{
    double part = lk_exp(-2 * x);

    return x < 1e-4 ? x - x * x * x / 3 : (1 - part) / (1 + part);
}

void lk_fill_modal(struct lk_system *sys, const struct lk_model *m)
{
    int at = 0;

    for (int i = 0; i < m->n_modals; i++) {
        const struct lk_modal_def *def = &m->modals[i];
        struct lk_modal *modal = &sys->modal[i];

        modal->body = def->body;
        modal->at = at;
        at += def->n;
        for (int k = 0; k < def->n; k++) {
            modal->stiffness[k] = def->omega[k] * def->omega[k];
            modal->damping[k] = 2 * def->ratio[k] * def->omega[k];
            modal->is_static[k] = def->omega[k] * sys->h > LK_MODAL_FAST;
            modal->decay[k] = 2 / sys->h * (1 + sys->s * modal->stiffness[k]) *
                              tanh_of(def->ratio[k] * def->omega[k] * sys->h);
            memcpy(modal->first[k], def->first[k], sizeof(modal->first[k]));
        }
        memcpy(modal->first[def->n], m->bodies[def->body].inertia, sizeof(modal->first[0]));
        copy_pairs(def->pair, def->n_pairs, &modal->second);
        for (int a = 0; a < def->n_nodes; a++)
            fill_node(&def->node[a], def->n, padded(def->n), &modal->node[a]);
        for (int a = 0; a < def->n_recoveries; a++)
            fill_recovery(&def->recovery[a], def->n, &modal->recovery[a]);
    }
}

double lk_fill_modal_diagonal(const struct lk_system *sys, int joint, int side, int r)
{
    int b = sys->joint[joint].body[side];
    struct lk_twist on;
    double row[6];

    lk_jacobian_row(sys->jacobian[joint], side, r, row);
    memcpy(&on, row, sizeof(on));
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int a = 0; a < m->n_nodes; a++) {
            struct lk_flexible_force *f = m->force;
            struct lk_twist motion;

            if (m->node[a].body != b)
                continue;
            *f = (struct lk_flexible_force){.q = f->q};
            memset(f->q, 0, (size_t)m->n * sizeof(double));
            lk_flexible_gather(m->flexible, a, &on, f);
            lk_flexible_weigh(m->flexible, f);
            lk_flexible_spread(m->flexible, a, f, &motion);
            return lk_dot(row, motion.v) + lk_dot(row + 3, motion.w);
        }
    }
    return 0;
}

int lk_fill_modal_check(const struct lk_model *m, const char *formulation, int order,
                        const char *engine, struct lk_error *ret_error)
{
    const char *name = m->n_modals > 0 ? m->bodies[m->modals[0].body].name : "";

    if (m->n_modals == 0)
        return 0;
    if (strcmp(formulation, "rattle") != 0)
        lk_error_set(ret_error,
                     "body '%s' has modes, which formulation rattle alone steps, expected rattle",
                     name);
    else if (order > 2)
        lk_error_set(ret_error, "body '%s' has modes and the order is %d, expected order 2", name,
                     order);
    else if (engine[0] != '\0' && strcmp(engine, "auto") != 0 && strcmp(engine, "none") != 0)
        lk_error_set(ret_error,
                     "body '%s' has modes, which engine %.60s does not step, expected engine none",
                     name, engine);
    else
        return 0;
    return LK_E_MODEL;
}

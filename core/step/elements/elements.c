/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/elements.h"
#include "maths/arena.h"
#include "step/executor.h"

void lk_elements_layout(struct lk_system *sys, struct lk_arena *arena)
{
    bool has_half_kicks = sys->formulation->script == LK_SCRIPT_RATTLE;
    size_t laws = has_half_kicks ? (size_t)sys->n_laws : 0;
    struct lk_element_work *work = lk_arena_take(arena, 1, sizeof(*work));
    size_t ports = (size_t)sys->n_shown_ports, rows = ports > 0 ? (size_t)sys->n_rows : 0;
    double *port_power = lk_arena_take(arena, ports, sizeof(double));
    double *port_rows = lk_arena_take(arena, rows, sizeof(double));
    double *value = lk_arena_take(arena, laws, sizeof(double));
    double *rate = lk_arena_take(arena, laws, sizeof(double));
    double *impulse =
        lk_arena_take(arena, sys->n_contacts > 0 ? (size_t)sys->n_rows : 0, sizeof(double));
    struct lk_stops stops = {0};

    if (has_half_kicks)
        lk_stops_layout(sys, &stops, arena);
    if (arena->base)
        *work = (struct lk_element_work){.port_power = port_power,
                                         .port_rows = port_rows,
                                         .value = value,
                                         .rate = rate,
                                         .impulse = impulse,
                                         .stops = stops};
    sys->elements = work;
}

/* Laws precede the elements that act on their rows; ports precede the blocks that push on them. */
static const struct lk_element_ops *const all[] = {
    &lk_signal_ops, &lk_bearing_ops, &lk_line_ops, &lk_wind_up_ops, &lk_law_ops,  &lk_tyre_ops,
    &lk_stop_ops,   &lk_sway_ops,    &lk_port_ops, &lk_block_ops,   &lk_mode_ops, &lk_contact_ops,
};
_Static_assert(sizeof(all) / sizeof(all[0]) == LK_ELEMENTS, "room for all in a list");

static void add(struct lk_element_list *list, const struct lk_element_ops *ops)
{
    list->of[list->n++] = ops;
}

void lk_elements_find(struct lk_system *sys)
{
    struct lk_element_work *work = sys->elements;

#define X(hook) work->hook.n = 0;
    LK_ELEMENT_HOOKS(X)
#undef X
    for (int i = 0; i < LK_ELEMENTS; i++) {
        if (!all[i]->is_in(sys))
            continue;
#define X(hook)                                                                                    \
    if (all[i]->hook)                                                                              \
        add(&work->hook, all[i]);
        LK_ELEMENT_HOOKS(X)
#undef X
    }
}

#define EACH(sys, hook, ...)                                                                       \
    for (int i = 0; i < (sys)->elements->hook.n; i++)                                              \
    (sys)->elements->hook.of[i]->hook(__VA_ARGS__)

void lk_elements_refer(struct lk_system *sys, const struct lk_state *state)
{
    EACH(sys, refer, sys, state);
}

void lk_elements_follow(struct lk_system *sys, const double *inputs)
{
    EACH(sys, follow, sys, inputs);
}

void lk_elements_begin(struct lk_system *sys, const double *inputs)
{
    EACH(sys, begin, sys, inputs);
}

void lk_elements_start(struct lk_system *sys, const double *inputs)
{
    EACH(sys, start, sys, inputs);
}

void lk_elements_close(struct lk_system *sys)
{
    EACH(sys, close, sys);
}

void lk_elements_kick(struct lk_system *sys)
{
    EACH(sys, kick, sys);
}

void lk_elements_settle(struct lk_system *sys, const struct lk_state *state)
{
    EACH(sys, settle, sys, state);
}

void lk_elements_rest(struct lk_system *sys)
{
    EACH(sys, rest, sys);
}

void lk_elements_end(struct lk_system *sys)
{
    EACH(sys, end, sys);
}

void lk_elements_keep(struct lk_system *sys)
{
    EACH(sys, keep, sys);
}

void lk_elements_book(struct lk_system *sys, const double *inputs)
{
    EACH(sys, book, sys, inputs);
}

double lk_elements_energy(const struct lk_system *sys, const struct lk_state *state)
{
    double energy = 0;

    for (int i = 0; i < sys->elements->energy.n; i++)
        energy += sys->elements->energy.of[i]->energy(sys, state);
    return energy;
}

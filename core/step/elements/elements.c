/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/elements.h"
#include "maths/arena.h"

void lk_elements_layout(struct lk_system *sys, struct lk_arena *arena)
{
    struct lk_element_work *work = lk_arena_take(arena, 1, sizeof(*work));
    double *value = lk_arena_take(arena, (size_t)sys->n_laws, sizeof(double));
    double *rate =
        lk_arena_take(arena, sys->closes_dampers ? (size_t)sys->n_laws : 0, sizeof(double));
    struct lk_stops stops = {0};

    lk_stops_layout(sys, &stops, arena);
    if (arena->base)
        *work = (struct lk_element_work){.value = value, .rate = rate, .stops = stops};
    sys->elements = work;
}

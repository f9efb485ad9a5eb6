/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/share.h"
#include "maths/vec.h"

/* Loops of fewer rounds are not shared: a fork and join costs 2 us, a round about 1 us. */
#define LEAST 8

/** struct loop - a shared loop. */
struct loop {
    void (*round)(void *context, int i);
    void *context;
    int n;
    int n_workers;
};

static void do_interval(void *context, int what, int worker)
{
    const struct loop *loop = context;
    int end = loop->n * (worker + 1) / loop->n_workers;

    (void)what;
    for (int i = loop->n * worker / loop->n_workers; i < end; i++)
        loop->round(loop->context, i);
}

LK_RT void lk_share(struct lk_pool *pool, int n, void (*round)(void *context, int i), void *context)
{
    struct loop loop = {round, context, n, n < LEAST ? 1 : lk_pool_size(pool)};

    if (loop.n_workers == 1)
        do_interval(&loop, 0, 0);
    else
        lk_pool_run(pool, do_interval, &loop, 0);
}

/* Return the level of front @i, with those of its children in @level. */
static int level_of(const struct lk_plan *plan, const int *level, int i)
{
    const struct lk_front_plan *f = &plan->fronts[i];
    int above = 0;

    for (int k = 0; k < f->n_children; k++)
        above = level[f->children[k]] + 1 > above ? level[f->children[k]] + 1 : above;
    return above;
}

void lk_levels_layout(struct lk_levels *levels, const struct lk_plan *plan, struct lk_arena *arena)
{
    size_t n = (size_t)plan->n_fronts;
    int *level = lk_arena_take(arena, n, sizeof(int));
    int *front = lk_arena_take(arena, n, sizeof(int));
    int *first = lk_arena_take(arena, n + 2, sizeof(int));
    int n_levels = 0, at = 0;

    if (!arena->base)
        return;
    for (int i = 0; i < plan->n_fronts; i++) {
        level[i] = level_of(plan, level, i);
        n_levels = level[i] + 1 > n_levels ? level[i] + 1 : n_levels;
    }
    for (int k = 0; k < n_levels; k++) {
        first[k] = at;
        for (int i = 0; i < plan->n_fronts; i++)
            if (level[i] == k)
                front[at++] = i;
    }
    first[n_levels] = at;
    *levels = (struct lk_levels){.n = n_levels, .first = first, .front = front};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which blocks are solved. Blocks that depend on each other's outputs form a group;
 * each group comes after the groups on which it depends. A delay depends on no block within a step.
 */
#include "compile/fill.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define WORDS ((LK_BLOCKS_MAX + 63) / 64)

/** struct place - position of block @i in the order.
 * @above: number of blocks on which it depends directly or indirectly; increases from group to
 *         group
 * @group: the first block of its group, in the order of outputs;  @at: index of block @i in that
 *         order */
struct place {
    int i;
    int above;
    int group;
    int at;
};

typedef uint64_t block_set[WORDS];

static bool has(const uint64_t *set, int i)
{
    return set[i / 64] >> (i % 64) & 1;
}

/* Find, for each block, all blocks on which it depends directly or indirectly (S. Warshall, A
 * theorem on Boolean matrices, 1962) */
static void find_above(const struct lk_model *m, block_set *ret)
{
    for (int i = 0; i < m->n_blocks; i++)
        for (int k = 0; k < m->blocks[i].n_sources && m->blocks[i].kind != LK_BLOCK_DELAY; k++) {
            const struct lk_source_def *s = &m->blocks[i].source[k];

            if (s->kind == LK_FROM_BLOCK)
                ret[i][s->at / 64] |= (uint64_t)1 << (s->at % 64);
        }
    for (int via = 0; via < m->n_blocks; via++)
        for (int i = 0; i < m->n_blocks; i++)
            for (int w = 0; w < WORDS && has(ret[i], via); w++)
                ret[i][w] |= ret[via][w];
}

static void find_place(const struct lk_model *m, block_set *above, int i, struct place *ret)
{
    *ret = (struct place){.i = i, .group = m->blocks[i].place, .at = m->blocks[i].place};
    for (int k = 0; k < m->n_blocks; k++) {
        ret->above += has(above[i], k);
        if (has(above[i], k) && has(above[k], i) && m->blocks[k].place < ret->group)
            ret->group = m->blocks[k].place;
    }
}

static int by_place(const void *one, const void *other)
{
    const struct place *a = one, *b = other;

    if (a->above != b->above)
        return a->above < b->above ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void add_block(struct lk_net *net, const struct place *p, bool is_loop, bool is_curved,
                      int *states)
{
    const struct lk_net_block *b = &net->block[p->i];
    struct lk_net_group *g = &net->group[net->n_groups - 1];

    net->order[g->first + g->n++] = p->i;
    g->is_loop = is_loop;
    g->is_curved |= is_loop && is_curved;
    for (int k = 0; k < b->n_states; k++)
        net->state_of[(*states)++] = b->state + k;
    g->n_states += b->n_states;
}

void lk_fill_groups(struct lk_net *net, const struct lk_model *m)
{
    block_set above[LK_BLOCKS_MAX] = {{0}};
    struct place place[LK_BLOCKS_MAX];
    int states = 0, matrix = 0;

    find_above(m, above);
    for (int i = 0; i < m->n_blocks; i++)
        find_place(m, above, i, &place[i]);
    qsort(place, (size_t)m->n_blocks, sizeof(*place), by_place);
    for (int k = 0; k < m->n_blocks; k++) {
        if (k == 0 || place[k].group != place[k - 1].group) {
            matrix += k > 0 ? net->group[net->n_groups - 1].n_states *
                                  net->group[net->n_groups - 1].n_states
                            : 0;
            net->group[net->n_groups++] =
                (struct lk_net_group){.first = k, .first_state = states, .matrix = matrix};
        }
        add_block(net, &place[k], has(above[place[k].i], place[k].i),
                  !lk_fill_is_straight(&m->blocks[place[k].i]), &states);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Distributes the fronts of the top over lanes: fronts of the same level and of matching shape
 * share one front of the batch. */
#include "compile/batch/piece_maker.h"
#include "compile/effort.h"
#include <stdlib.h>

/* Return whether the remainders of two children have rows of the same kinds in the same order. */
static int same_rest(const struct lk_piece_front *a, const struct lk_piece_front *b)
{
    int n = a->n_slots - a->n_elim;

    if (b->n_slots - b->n_elim != n)
        return 0;
    for (int i = 0; i < n; i++)
        if (a->slots[a->n_elim + i].kind != b->slots[b->n_elim + i].kind)
            return 0;
    return 1;
}

/* Return the slot of @a that corresponds to slot @i of part @part of @b; -1: none, or several. */
static int like_slot(const struct lk_piece_front *a, const struct lk_piece_front *b, int part,
                     int i)
{
    const struct lk_piece_part *p = &a->parts[part], *q = &b->parts[part];
    int found = -1;

    for (int k = 0; k < p->n; k++) {
        const struct lk_piece_slot *s = &a->slots[p->slot[k]], *other = &b->slots[q->slot[i]];

        if (p->from[k] != q->from[i] || s->kind != other->kind ||
            (p->slot[k] < a->n_elim) != (q->slot[i] < b->n_elim))
            continue;
        if (found >= 0)
            return -1;
        found = p->slot[k];
    }
    return found;
}

/* Return whether body @q has rows in every slot of body @p that also the front of @q has. The
 * result is false if a coupling of the front of @q acts only on the other part of this front.
 * @slot: see fits_lane() */
static int has_all_rows(const struct lk_piece_part *p, const struct lk_piece_part *q,
                        const int *slot, int n_slots)
{
    int n = 0;

    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < n_slots; i++)
            n += slot[i] == p->slot[k];
    return n == q->n;
}

/* Return whether front @b fits into another lane of front @a: their parts have the same type, and
 * @a has all slots of @b and eliminates the same slots. @packed, @now: new fronts, and new indices
 * of the children;
 * @ret_slot: slot of @a for each slot of @b. */
static int fits_lane(const struct lk_piece_front *a, const struct lk_piece_front *b,
                     const struct lk_piece_front *packed, const int *now, int *ret_slot)
{
    if (a->level != b->level || a->n_slots < b->n_slots || a->n_elim != b->n_elim ||
        a->n_parts != b->n_parts)
        return 0;
    for (int i = 0; i < b->n_slots; i++)
        ret_slot[i] = -1;
    for (int k = 0; k < a->n_parts; k++) {
        const struct lk_piece_part *p = &a->parts[k], *q = &b->parts[k];

        if (p->is_body != q->is_body)
            return 0;
        if (!p->is_body && !same_rest(&packed[now[p->child[0]]], &packed[now[q->child[0]]]))
            return 0;
        for (int i = 0; i < q->n; i++) {
            int slot = like_slot(a, b, k, i), *to = &ret_slot[q->slot[i]];

            if (slot < 0 || (*to >= 0 && *to != slot))
                return 0;
            *to = slot;
        }
    }
    for (int i = 0; i < b->n_slots; i++)
        for (int k = 0; k < i; k++)
            if (ret_slot[i] == ret_slot[k])
                return 0;
    for (int k = 0; k < a->n_parts; k++)
        if (a->parts[k].is_body && !has_all_rows(&a->parts[k], &b->parts[k], ret_slot, b->n_slots))
            return 0;
    return 1;
}

/* copies lane 0 of @from into lane @lane of @to;  @slot: see fits_lane() */
static void take_lane(struct lk_piece_front *to, const struct lk_piece_front *from, int lane,
                      const int *slot)
{
    for (int i = 0; i < from->n_slots; i++)
        to->slots[slot[i]].joint[lane] = from->slots[i].joint[0];
    for (int k = 0; k < to->n_parts; k++) {
        to->parts[k].body[lane] = from->parts[k].body[0];
        to->parts[k].child[lane] = from->parts[k].child[0];
        to->parts[k].lane[lane] = from->parts[k].lane[0];
    }
}

/** struct packing - distributes the fronts of the top over lanes.
 * @now:    new index of each front;  @lane: its new lane, or -1 for fronts that were aligned before
 * @filled: used lanes of each new front */
struct packing {
    struct lk_piece_front *packed;
    int n;
    int *now;
    int *lane;
    int *filled;
    int *slot;
};

/* renumbers the slots of front @i in the fronts that use it */
static void renumber_slots(struct lk_piece_maker *m, int i, const int *slot)
{
    int n_elim = m->out->fronts[i].n_elim;

    for (int g = i + 1; g < m->out->n_fronts; g++)
        for (int k = 0; k < m->out->fronts[g].n_parts; k++) {
            struct lk_piece_part *p = &m->out->fronts[g].parts[k];

            for (int n = 0; n < p->n && !p->is_body && p->child[0] == i; n++)
                p->from[n] = slot[n_elim + p->from[n]] - n_elim;
        }
}

/* adds front @i to one of the new fronts from @first on, or makes it a new front */
static void pack_front(struct lk_piece_maker *m, struct packing *pk, int i, int first)
{
    struct lk_piece_front *f = &m->out->fronts[i];
    int k = first;

    while (k < pk->n && (pk->filled[k] == m->lanes ||
                         !fits_lane(&pk->packed[k], f, pk->packed, pk->now, pk->slot)))
        k++;
    pk->now[i] = k;
    pk->lane[i] = pk->filled[k];
    if (k == pk->n) {
        pk->packed[pk->n++] = *f;
    } else {
        take_lane(&pk->packed[k], f, pk->filled[k], pk->slot);
        renumber_slots(m, i, pk->slot);
        lk_piece_front_free(f);
    }
    pk->filled[k]++;
}

/* Packs the fronts of the top by level, those with the most slots first, into as few fronts as
 * possible. */
static void pack_top(struct lk_piece_maker *m, struct packing *pk)
{
    struct lk_pieces *out = m->out;
    int left = 0, most = 0;

    for (int i = 0; i < out->n_fronts; i++) {
        const struct lk_piece_front *f = &out->fronts[i];

        if (f->is_aligned) {
            pk->now[i] = pk->n;
            pk->lane[i] = -1;
            pk->packed[pk->n++] = *f;
        }
        left += !f->is_aligned;
        most = f->n_slots > most ? f->n_slots : most;
    }
    pk->slot = malloc(((size_t)most + 1) * sizeof(int));
    m->failed |= !pk->slot;
    for (int level = 0; left > 0 && !m->failed; level++) {
        int first = pk->n;

        m->is_over = lk_effort_spend((uint64_t)most * (uint64_t)out->n_fronts);
        m->failed |= m->is_over;
        for (int slots = most; slots > 0 && !m->failed; slots--)
            for (int i = 0; i < out->n_fronts; i++)
                if (!out->fronts[i].is_aligned && out->fronts[i].level == level &&
                    out->fronts[i].n_slots == slots) {
                    pack_front(m, pk, i, first);
                    left--;
                    /* pack_front() may have freed the front: exclude it from later levels */
                    out->fronts[i].level = -1;
                }
    }
}

/* Replace the indices of all children with their new indices. */
static void renumber_children(struct lk_piece_maker *m, const int *now, const int *lane)
{
    for (int i = 0; i < m->out->n_fronts; i++)
        for (int k = 0; k < m->out->fronts[i].n_parts; k++) {
            struct lk_piece_part *p = &m->out->fronts[i].parts[k];

            for (int l = 0; l < LK_LANES_MAX && !p->is_body; l++) {
                if (p->child[l] < 0)
                    continue;
                if (lane[p->child[l]] >= 0)
                    p->lane[l] = lane[p->child[l]];
                p->child[l] = now[p->child[l]];
            }
        }
}

void lk_piece_pack_top(struct lk_piece_maker *m)
{
    size_t n = (size_t)m->out->n_fronts + 1;
    struct packing pk = {.packed = calloc(n, sizeof(*pk.packed)),
                         .now = calloc(n, sizeof(int)),
                         .lane = calloc(n, sizeof(int)),
                         .filled = calloc(n, sizeof(int))};

    m->failed |= !pk.packed || !pk.now || !pk.lane || !pk.filled;
    if (!m->failed)
        pack_top(m, &pk);
    if (!m->failed) {
        free(m->out->fronts);
        m->out->fronts = pk.packed;
        m->out->n_fronts = pk.n;
        renumber_children(m, pk.now, pk.lane);
    } else {
        free(pk.packed);
    }
    free(pk.now);
    free(pk.lane);
    free(pk.filled);
    free(pk.slot);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the references between the blocks of a plan. */
#include "compile/batch/planner.h"
#include <stdlib.h>
#include <string.h>

/* Make a reference to block @at[l] (-1: none) and lane @lane[l] for each lane l.
 * @none: block for empty lanes, and for lanes that refer to @none itself, such as the ground, which
 *        is the same in every lane
 * @live: lanes of the block that are in use; reading unused lanes is harmless */
static struct lk_ref refer_lanes(struct lk_planner *pl, const int *at, const int *lane,
                                 unsigned live, int none)
{
    int lanes = pl->p->lanes, some = -1, is_one = 1;
    bool names_none = false;
    struct lk_ref ref = {.map = -1, .one = -1};

    for (int l = 0; l < lanes; l++) {
        names_none |= at[l] == none;
        if (at[l] < 0 || at[l] == none)
            continue;
        is_one &= some < 0 || at[l] == some;
        if ((some >= 0 && at[l] != some) || lane[l] != l)
            ref.map = 0;
        some = at[l];
    }
    ref.at = some < 0 ? none : some;
    for (int l = 0; l < lanes; l++)
        if (some >= 0 && (names_none || (at[l] < 0 && (live & 1u << l))))
            ref.map = 0;
    if (ref.map < 0)
        return ref;
    ref.map = pl->p->n_map;
    ref.at = none;
    ref.one = is_one ? some : -1;
    for (int l = 0; l < lanes; l++) {
        if (at[l] >= 0 && at[l] != none) {
            ref.n = l + 1;
            ref.live |= 1u << l;
        }
    }
    for (int l = 0; l < ref.n; l++)
        LK_PLANNER_ADD(pl, pl->p->map, pl->p->n_map,
                       at[l] < 0 ? none * lanes + l : at[l] * lanes + lane[l]);
    for (int l = 0; l < lanes; l++)
        LK_PLANNER_ADD(pl, pl->p->map, pl->p->n_map, at[l] < 0 ? l : lane[l]);
    return ref;
}

static unsigned lanes_in_use(const int *item)
{
    unsigned lanes = 0;

    for (int l = 0; l < LK_LANES_MAX; l++)
        lanes |= item[l] >= 0 ? 1u << l : 0;
    return lanes;
}

static struct lk_ref refer_joints(struct lk_planner *pl, const int *joint, int none)
{
    int at[LK_LANES_MAX], lane[LK_LANES_MAX];
    unsigned live = 0;

    for (int l = 0; l < LK_LANES_MAX; l++) {
        at[l] = joint[l] < 0 ? -1 : pl->p->joints[pl->joint[joint[l]].block].at;
        lane[l] = joint[l] < 0 ? l : pl->joint[joint[l]].lane;
        if (joint[l] >= 0)
            live = lanes_in_use(pl->p->joints[pl->joint[joint[l]].block].joint);
    }
    return refer_lanes(pl, at, lane, live, none);
}

/* Make a reference to bodies. @body: n_bodies: the ground; -1: none, which for a joint also
 * means the ground */
static struct lk_ref refer_bodies(struct lk_planner *pl, const int *body, int none)
{
    int at[LK_LANES_MAX], lane[LK_LANES_MAX];
    unsigned live = 0;

    for (int l = 0; l < LK_LANES_MAX; l++) {
        int is_body = body[l] >= 0 && body[l] < pl->t->n_bodies;

        at[l] = is_body ? pl->p->bodies[pl->body[body[l]].block].at
                        : (body[l] < 0 ? -1 : pl->p->ground);
        lane[l] = is_body ? pl->body[body[l]].lane : l;
        if (is_body)
            live = lanes_in_use(pl->p->bodies[pl->body[body[l]].block].body);
    }
    return refer_lanes(pl, at, lane, live, none);
}

void lk_planner_refer_sides(struct lk_planner *pl)
{
    struct lk_batches *p = pl->p;

    for (int i = 0; i < p->n_bodies && !pl->failed; i++) {
        const struct lk_piece_bodies *from = &pl->pieces.bodies[i];

        p->bodies[i].first_side = p->n_sides;
        p->bodies[i].n_sides = from->n_slots;
        for (int k = 0; k < from->n_slots && !pl->failed; k++) {
            const struct lk_piece_slot *s = &from->slots[k];
            const struct lk_joint_kind *kind = lk_lane_kind(s->kind);
            struct lk_batch_side side = {
                .joint = refer_joints(pl, s->joint, p->nothing),
                .side = s->side,
                .point = kind->point,
                .n_scatter = lk_kind_sides(kind) > 2 ? 6 : lk_kind_scatter_size(kind),
                .lambda = lk_kind_lambda(kind),
                .x = lk_kind_x(kind),
                .arm_own = lk_kind_points(kind) + 3 * s->side,
                .arm = lk_kind_jacobian(kind) + lk_kind_point_rows(kind) * s->side,
                .scatter = lk_kind_scatter(kind) + (lk_kind_sides(kind) > 2 ? 6 * s->side : 0),
            };

            LK_PLANNER_ADD(pl, p->sides, p->n_sides, side);
        }
    }
    for (int i = 0; i < p->n_joints && !pl->failed; i++)
        for (int s = 0; s < lk_kind_sides(lk_lane_kind(p->joints[i].kind)); s++) {
            int body[LK_LANES_MAX];

            for (int l = 0; l < LK_LANES_MAX; l++)
                body[l] = p->joints[i].joint[l] < 0 ? -1 : pl->t->body[p->joints[i].joint[l]][s];
            p->joints[i].body[s] = refer_bodies(pl, body, p->ground);
        }
}

static int row_of_slot(const struct lk_piece_front *f, int slot)
{
    return lk_planner_front_rows(f, 0, slot);
}

static int by_place(const void *va, const void *vb)
{
    const struct lk_batch_block *a = va, *b = vb;

    return a->at - b->at;
}

static void refer_element(struct lk_planner *pl, const struct lk_piece_front *f,
                          const struct lk_piece_part *part)
{
    struct lk_batches *p = pl->p;
    struct lk_batch_element el = {.body = refer_bodies(pl, part->body, p->nothing),
                                  .first_block = p->n_blocks,
                                  .n_blocks = part->n,
                                  .kind = part->n > 0 ? f->slots[part->slot[0]].kind : -1};

    for (int i = 0; i < part->n && !pl->failed; i++) {
        const struct lk_piece_slot *s = &f->slots[part->slot[i]];
        struct lk_batch_block block = {.joint = refer_joints(pl, s->joint, p->nothing),
                                       .kind = s->kind,
                                       .side = part->from[i],
                                       .at = row_of_slot(f, part->slot[i])};

        if (s->kind != el.kind)
            el.kind = -1;
        LK_PLANNER_ADD(pl, p->blocks, p->n_blocks, block);
    }
    if (pl->failed)
        return;
    qsort(p->blocks + el.first_block, (size_t)el.n_blocks, sizeof(*p->blocks), by_place);
    LK_PLANNER_ADD(pl, p->elements, p->n_elements, el);
}

/* Return the index of an entry in a lower triangle of @n rows, stored column by column. */
static int lower_index(int n, int row, int column)
{
    return column * n - column * (column - 1) / 2 + row - column;
}

/* Return the bit mask of the lanes in which front @f exists. */
static unsigned front_lanes(const struct lk_piece_front *f, int lanes)
{
    unsigned in_use = 0;

    for (int k = 0; k < f->n_parts; k++)
        for (int l = 0; l < lanes; l++) {
            const struct lk_piece_part *part = &f->parts[k];
            int has =
                part->is_body ? part->body[l] >= 0 : part->child[l] >= 0 && part->lane[l] >= 0;

            in_use |= has ? 1u << l : 0;
        }
    return in_use;
}

/* Set the references to the remainders of the children of a part, and to their right-hand sides. */
static void refer_remainders(struct lk_planner *pl, const struct lk_piece_part *part,
                             struct lk_ref *ret_remainder, struct lk_ref *ret_sums, int *ret_some)
{
    struct lk_batches *p = pl->p;
    int at[LK_LANES_MAX], sums[LK_LANES_MAX];

    for (int l = 0; l < LK_LANES_MAX; l++) {
        int child = part->child[l];

        at[l] = child < 0 || part->lane[l] < 0 ? -1 : p->fronts[child].remainder;
        sums[l] = at[l] < 0 ? -1 : p->fronts[child].sums;
        *ret_some = at[l] < 0 ? *ret_some : child;
    }
    unsigned live = front_lanes(&pl->pieces.fronts[*ret_some], p->lanes);
    *ret_remainder = refer_lanes(pl, at, part->lane, live, p->nothing);
    *ret_sums = refer_lanes(pl, sums, part->lane, live, p->nothing);
}

/* Describe a child front as a part of a merge. @at: the child's slots that the front eliminates
 * (index 0) and keeps (index 1), or -1 */
static int merge_child(struct lk_planner *pl, const struct lk_piece_part *from, const int at[2],
                       int rows, struct lk_batch_part *ret)
{
    int some = 0;

    refer_remainders(pl, from, &ret->block, &ret->sums, &some);
    const struct lk_piece_front *child = &pl->pieces.fronts[some];
    int n = child->n_slots - child->n_elim;
    for (int i = child->n_elim; i < child->n_slots; i++)
        if (lk_planner_rows(child->slots[i].kind) != rows)
            return 0;
    ret->form = n == 1 ? LK_BATCH_ONE : at[0] == 0 ? LK_BATCH_FIRST : LK_BATCH_SECOND;
    return n <= 2;
}

/** struct row_map - the rows of a child's remainder that a front uses.
 * @from: row of the remainder;  @to: row of the front, in the order of the child's slots A
 * coupling between two bodies of a piece and an outside body has one row at each of the two
 * bodies, because in other lanes the coupling may act on only one of the two. In the top these two
 * rows are twins: both map to the same row. */
struct row_map {
    int n;
    int *from;
    int *to;
};

static void map_rows(const struct lk_piece_front *f, const struct lk_piece_part *part,
                     const struct lk_piece_front *child, struct row_map *map)
{
    for (int k = 0, i; k < child->n_slots - child->n_elim; k++) {
        for (i = 0; i < part->n && part->from[i] != k; i++)
            continue;
        if (i == part->n)
            continue;
        int first = lk_planner_front_rows(child, child->n_elim, child->n_elim + k);
        int place = row_of_slot(f, part->slot[i]);

        for (int r = 0; r < lk_planner_rows(f->slots[part->slot[i]].kind); r++) {
            map->from[map->n] = first + r;
            map->to[map->n++] = place + r;
        }
    }
}

static int count_twins(const struct row_map *map)
{
    int n = 0;

    for (int col = 0; col < map->n; col++)
        for (int r = col + 1; r < map->n; r++)
            n += map->to[r] == map->to[col];
    return n;
}

/* return whether @map uses all @rest rows of the remainder in their order, each entry once */
static int takes_whole(const struct row_map *map, int rest)
{
    int is_whole = map->n == rest && count_twins(map) == 0;

    for (int r = 0; r < map->n; r++)
        is_whole &= map->from[r] == r;
    return is_whole;
}

static void add_rows(struct lk_planner *pl, const int *row, int n)
{
    for (int r = 0; r < n && !pl->failed; r++)
        LK_PLANNER_ADD(pl, pl->p->table, pl->p->n_table, row[r]);
}

/* Return how often an entry of the lower triangle is added. The entry between twins is added
 * twice to the diagonal, because its mirror image above the diagonal maps to the same entry. */
static int times_of(const struct row_map *map, int r, int col)
{
    return r != col && map->to[r] == map->to[col] ? 2 : 1;
}

/* Add the index of each entry in the matrix of a front of @n rows, column by column. */
static void add_places(struct lk_planner *pl, const struct row_map *map, int n)
{
    const int *to = map->to;

    for (int col = 0; col < map->n; col++)
        for (int r = col; r < map->n; r++)
            for (int i = 0; i < times_of(map, r, col) && !pl->failed; i++) {
                int low = to[r] > to[col] ? to[r] : to[col];

                LK_PLANNER_ADD(pl, pl->p->table, pl->p->n_table, (to[r] + to[col] - low) * n + low);
            }
}

/* Add the index of each entry in the remainder of @rest rows, in the order of add_places(). */
static void add_entries(struct lk_planner *pl, const struct row_map *map, int rest)
{
    const int *from = map->from;

    for (int col = 0; col < map->n; col++)
        for (int r = col; r < map->n; r++)
            for (int i = 0; i < times_of(map, r, col) && !pl->failed; i++) {
                int low = from[r] > from[col] ? from[r] : from[col];

                LK_PLANNER_ADD(pl, pl->p->table, pl->p->n_table,
                               lower_index(rest, low, from[r] + from[col] - low));
            }
}

/* maps entries of the child's remainder to entries of the front */
static void refer_child(struct lk_planner *pl, const struct lk_piece_front *f,
                        const struct lk_piece_part *part)
{
    struct lk_batches *p = pl->p;
    struct lk_batch_child c = {.from_entry = -1, .from_row = -1};
    struct row_map map = {0};
    int some = 0;

    refer_remainders(pl, part, &c.remainder, &c.sums, &some);
    const struct lk_piece_front *child = &pl->pieces.fronts[some];
    int rest = lk_planner_front_rows(child, child->n_elim, child->n_slots);

    map.from = calloc((size_t)rest + 1, sizeof(int));
    map.to = calloc((size_t)rest + 1, sizeof(int));
    if (!map.from || !map.to)
        pl->failed = 1;
    else
        map_rows(f, part, child, &map);
    c.n_rows = map.n;
    c.n_entries = map.n * (map.n + 1) / 2 + count_twins(&map);
    c.rows = p->n_table;
    add_rows(pl, map.to, map.n);
    c.places = p->n_table;
    add_places(pl, &map, lk_planner_front_rows(f, 0, f->n_slots));
    if (!takes_whole(&map, rest)) {
        c.from_row = p->n_table;
        add_rows(pl, map.from, map.n);
        c.from_entry = p->n_table;
        add_entries(pl, &map, rest);
    }
    free(map.from);
    free(map.to);
    LK_PLANNER_ADD(pl, p->children, p->n_children, c);
}

/* Mask the rows that bodies lack in some of their lanes. */
static void mask_part(struct lk_planner *pl, int i, const struct lk_piece_part *part)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];
    struct lk_batches *p = pl->p;
    unsigned in_use = lanes_in_use(part->body);

    for (int k = 0; k < part->n; k++) {
        const struct lk_piece_slot *s = &f->slots[part->slot[k]];
        unsigned lanes = lanes_in_use(s->joint);
        int row = row_of_slot(f, part->slot[k]);

        for (int r = 0; r < lk_planner_rows(s->kind) && (in_use & ~lanes) && !pl->failed; r++) {
            LK_PLANNER_ADD(pl, p->masks, p->n_masks,
                           (struct lk_batch_mask){
                               .at = lk_planner_reserve(p, 1), .row = row + r, .lanes = lanes});
            p->fronts[i].n_masks++;
        }
    }
}

void lk_planner_mask_front(struct lk_planner *pl, int i)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];

    pl->p->fronts[i].first_mask = pl->p->n_masks;
    for (int k = 0; k < f->n_parts; k++)
        if (f->parts[k].is_body)
            mask_part(pl, i, &f->parts[k]);
}

/* Describe part @from of front @f, which eliminates slot 0 and keeps slot @kept (-1: none). Return
 * 0 if the part has other slots or types. */
static int merge_part(struct lk_planner *pl, const struct lk_piece_front *f,
                      const struct lk_piece_part *from, int kept, struct lk_batch_part *ret)
{
    const int slot[2] = {0, kept};
    int n = kept < 0 ? 1 : 2, at[2] = {-1, -1};

    *ret = (struct lk_batch_part){.kind = f->slots[0].kind, .mask = -1};
    if (from->n != n)
        return 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (from->slot[i] == slot[k])
                at[k] = from->from[i];
    if (at[0] < 0 || (n == 2 && at[1] < 0))
        return 0;
    if (from->is_body) {
        ret->block = refer_bodies(pl, from->body, pl->p->nothing);
        for (int k = 0; k < n; k++) {
            ret->joint[k] = refer_joints(pl, f->slots[slot[k]].joint, pl->p->nothing);
            ret->side[k] = at[k];
            if (f->slots[slot[k]].kind != ret->kind)
                return 0;
        }
        unsigned lanes = kept < 0 ? ~0u : lanes_in_use(f->slots[kept].joint);
        if (lanes_in_use(from->body) & ~lanes) {
            ret->mask = lk_planner_reserve(pl->p, 1);
            LK_PLANNER_ADD(pl, pl->p->masks, pl->p->n_masks,
                           (struct lk_batch_mask){.at = ret->mask, .lanes = lanes});
        }
        return ret->kind == LK_KIND_SPHERICAL || ret->kind == LK_KIND_REVOLUTE ||
               lk_lane_is_pin(ret->kind);
    }
    return merge_child(pl, from, at, lk_planner_rows(f->slots[0].kind), ret);
}

/* Detect a merge: a front of two parts with one joint between them and at most one more joint at
 * each part, all with the same number of rows. The part that keeps a joint comes first. */
static void refer_merge(struct lk_planner *pl, int i)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];
    struct lk_batch_front *out = &pl->p->fronts[i];
    struct lk_batch_part part[2];
    int order[2] = {0, 1}, kept[2] = {-1, -1};

    out->merge = -1;
    out->n_kept = f->n_slots - 1;
    if (f->n_elim != 1 || f->n_parts != 2 || f->n_slots > 3 || pl->failed ||
        (out->e != 2 && out->e != 3 && out->e != 5 && out->e != 6))
        return;
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < f->parts[k].n; s++)
            if (f->parts[k].slot[s] > 0)
                kept[k] = f->parts[k].slot[s];
    for (int k = 1; k < f->n_slots; k++)
        if (lk_planner_rows(f->slots[k].kind) != out->e)
            return;
    if (kept[0] < 0) {
        order[0] = 1;
        order[1] = 0;
    }
    /* kept slots must have the order of the parts */
    if ((out->n_kept > 0 && kept[order[0]] != 1) || (out->n_kept > 1 && kept[order[1]] != 2) ||
        (out->n_kept < 2 && kept[order[1]] >= 0))
        return;
    for (int k = 0; k < 2; k++)
        if (!merge_part(pl, f, &f->parts[order[k]], kept[order[k]], &part[k]))
            return;
    out->merge = pl->p->n_parts;
    LK_PLANNER_ADD(pl, pl->p->parts, pl->p->n_parts, part[0]);
    LK_PLANNER_ADD(pl, pl->p->parts, pl->p->n_parts, part[1]);
}

void lk_planner_refer_front(struct lk_planner *pl, int i)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];
    struct lk_batches *p = pl->p;
    int ones = p->nothing + p->n_nothing;

    p->fronts[i].first_slot = p->n_slots;
    for (int k = 0; k < f->n_slots && !pl->failed; k++) {
        const struct lk_joint_kind *kind = lk_lane_kind(f->slots[k].kind);
        struct lk_batch_slot s = {.joint = refer_joints(pl, f->slots[k].joint, ones),
                                  .rows = lk_kind_rows(kind),
                                  .regular = lk_kind_regular(kind),
                                  .x = lk_kind_x(kind)};

        LK_PLANNER_ADD(pl, p->slots, p->n_slots, s);
    }
    p->fronts[i].first_element = p->n_elements;
    for (int k = 0; k < f->n_parts && !pl->failed; k++)
        if (f->parts[k].is_body)
            refer_element(pl, f, &f->parts[k]);
    p->fronts[i].n_elements = p->n_elements - p->fronts[i].first_element;
    p->fronts[i].first_child = p->n_children;
    for (int k = 0; k < f->n_parts && !pl->failed; k++)
        if (!f->parts[k].is_body)
            refer_child(pl, f, &f->parts[k]);
    p->fronts[i].n_children = p->n_children - p->fronts[i].first_child;
    refer_merge(pl, i);
}

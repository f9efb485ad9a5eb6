/* SPDX-License-Identifier: Apache-2.0 */
/* The program of batches (compile/batch/pieces.h, step/lanes/batch.h) for mechanisms of many shapes
 * and each number of lanes, without numerical values: the test tracks symbolically which bodies and
 * joints are combined in the sweeps up and down the tree.
 *
 * - pieces: each body is in one lane; each joint is eliminated once, after all its bodies have been
 *   assembled
 * - rows: the front of a body has the rows of all its joints; a child's entries go to their places
 * - places: no two live blocks overlap; the test simulates the stack of remainders
 * - order: children before parents; bodies before their joints, joints before their fronts
 * - tasks: no access to memory that another task uses in the same phase */
#include "cmocka_all.h"
#include "compile/batch/pieces.h"
#include "figure.h"
#include "sanitized.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** struct plan - one mechanism, its pieces and its program. @what: its name in messages */
struct plan {
    char what[120];
    int lanes;
    int n_bodies;
    int n_joints;
    int (*body)[LK_TREE_SIDES];
    int *n_rows;
    int *kind;
    struct lk_topology topology;
    struct lk_pieces pieces;
    struct lk_batches *p;
    struct spot *spot; /* the use of each vector of values */
    int *front_done;   /* index of each front among all operations */
    int *joint_op;     /* index of each block among all operations */
    int *body_op;
    int *front_op;
    int *task_of_op;
};

/** struct spot - the use of a vector. @owner: for a remainder, the front that wrote it last */
enum use { FREE, BODY, JOINT, FACTOR, REMAINDER, MASK, SCRATCH, GROUND, NOTHING, USES };
struct spot {
    enum use use;
    int index;
    int offset;
    int owner;
    int task;
};

static int most_tasks, n_plans, n_merges, n_masks, n_twins;

static void *zeros(size_t n, size_t size)
{
    void *ret = calloc(n + 1, size);

    assert_non_null(ret);
    return ret;
}

#define CHECK(plan, condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s, %d lanes: ", (plan)->what, (plan)->lanes);                            \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

static int rows_of(int kind)
{
    return lk_kind_rows(lk_lane_kind(kind));
}

static int kind_of(enum lk_joint_type type)
{
    switch (type) {
    case LK_JOINT_SPHERICAL:
        return LK_KIND_SPHERICAL;
    case LK_JOINT_REVOLUTE:
        return LK_KIND_REVOLUTE;
    case LK_JOINT_FIXED:
        return LK_KIND_FIXED;
    case LK_JOINT_UNIVERSAL:
        return LK_KIND_UNIVERSAL;
    case LK_JOINT_PRISMATIC:
        return LK_KIND_PRISMATIC;
    case LK_JOINT_CYLINDRICAL:
        return LK_KIND_CYLINDRICAL;
    case LK_JOINT_PLANAR:
        return LK_KIND_PLANAR;
    case LK_JOINT_GEAR:
        return LK_KIND_COUPLED;
    default:
        return LK_KIND_POINT_ON_LINE;
    }
}

/* Set the bodies of joint @j, for a gear those of both its joints, then the ground. */
static void set_sides(struct plan *pl, const struct mechanism *m, int j)
{
    const struct mechanism_joint *joint = &m->joint[j];
    int n = 0, is_gear = joint->type == LK_JOINT_GEAR;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        pl->body[j][s] = m->n_bodies;
    for (int k = 0; k < (is_gear ? 4 : 2); k++) {
        int body = is_gear ? m->joint[joint->joint[k / 2]].body[k % 2] : joint->body[k], known = 0;

        for (int s = 0; s < n; s++)
            known |= is_gear && pl->body[j][s] == body;
        /* a joint of two bodies has the ground at its own side; a gear has each body once and no
         * ground */
        if (is_gear ? body != LK_GROUND && !known : 1)
            pl->body[j][n++] = body == LK_GROUND ? m->n_bodies : body;
    }
}

static int bodies_of(const struct plan *pl, int j)
{
    int n = 0;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        n += pl->body[j][s] < pl->n_bodies;
    return n;
}

/* Set the topology. Hubs are not split here, so fronts are larger than in a system. */
static void set_topology(struct plan *pl, const struct mechanism *m)
{
    pl->n_bodies = m->n_bodies;
    pl->n_joints = m->n_joints;
    pl->body = zeros((size_t)m->n_joints, sizeof(*pl->body));
    pl->n_rows = zeros((size_t)m->n_joints, sizeof(int));
    pl->kind = zeros((size_t)m->n_joints, sizeof(int));
    for (int j = 0; j < m->n_joints; j++) {
        set_sides(pl, m, j);
        pl->kind[j] = kind_of(m->joint[j].type);
        pl->n_rows[j] = rows_of(pl->kind[j]);
    }
    pl->topology = (struct lk_topology){.n_bodies = m->n_bodies,
                                        .n_joints = m->n_joints,
                                        .body = (const int(*)[LK_TREE_SIDES])pl->body,
                                        .n_rows = pl->n_rows};
}

/* ---- pieces ---- */

/** struct crowd - the bodies that have been assembled in a lane of a front, as flags; NULL if the
 * lane is empty */
struct crowd {
    unsigned char *has;
    int is_taken; /* the parent has used the lane */
};

static int is_in(const struct plan *pl, const struct crowd *c, int body)
{
    return body < pl->n_bodies && c->has[body];
}

static void join_crowd(const struct plan *pl, struct crowd *to, int body, const struct crowd *from)
{
    if (!to->has)
        to->has = zeros((size_t)pl->n_bodies, 1);
    for (int b = 0; b < pl->n_bodies; b++)
        if (from ? from->has[b] : b == body) {
            CHECK(pl, !to->has[b], "body %d meets itself", b);
            to->has[b] = 1;
        }
}

/* Combine the bodies of all parts of a front. @taken: number of fronts that use each body
 * directly */
static void gather(const struct plan *pl, int front, int l, struct crowd *crowds, int *taken)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];
    struct crowd *to = &crowds[front * pl->lanes + l];

    for (int k = 0; k < f->n_parts; k++) {
        const struct lk_piece_part *part = &f->parts[k];

        if (part->is_body && part->body[l] >= 0) {
            taken[part->body[l]]++;
            join_crowd(pl, to, part->body[l], NULL);
        } else if (!part->is_body && part->child[l] >= 0 && part->lane[l] >= 0) {
            CHECK(pl, part->child[l] < front, "front %d before its child %d", front,
                  part->child[l]);
            struct crowd *child = &crowds[part->child[l] * pl->lanes + part->lane[l]];

            if (!child->has)
                continue;
            CHECK(pl, !child->is_taken, "front %d is taken twice", part->child[l]);
            child->is_taken = 1;
            join_crowd(pl, to, -1, child);
        }
    }
}

/* Return the number of bodies of a joint that are in the crowd. */
static int count_in(const struct plan *pl, const struct crowd *crowd, int joint)
{
    int in = 0;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        in += is_in(pl, crowd, pl->body[joint][s]);
    return in;
}

/* Return 1 if an earlier slot has the same joint. Only couplings may have such twins. */
static int is_twin(const struct plan *pl, const struct lk_piece_front *f, int slot, int l)
{
    int found = 0;

    for (int s = f->n_elim; s < slot; s++)
        found |= f->slots[s].joint[l] == f->slots[slot].joint[l];
    CHECK(pl, !found || bodies_of(pl, f->slots[slot].joint[l]) > 2, "joint %d has two rows",
          f->slots[slot].joint[l]);
    return found;
}

/* Check the joints that a front eliminates and keeps, and that none is missing. A joint to the
 * ground may be kept. */
static void check_slots(const struct plan *pl, int front, int l, const struct crowd *crowd,
                        int *eliminated)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];
    int kept = 0, left = 0;

    for (int s = 0; s < f->n_slots; s++) {
        int j = f->slots[s].joint[l];

        if (j < 0)
            continue;
        CHECK(pl, crowd->has, "front %d has joint %d in an empty lane", front, j);
        CHECK(pl, f->slots[s].kind == pl->kind[j], "front %d takes joint %d for another kind",
              front, j);
        int in = count_in(pl, crowd, j), all = bodies_of(pl, j);
        if (s < f->n_elim) {
            CHECK(pl, in == all && in > 0, "front %d eliminates joint %d too early", front, j);
            CHECK(pl, eliminated[j]++ == 0, "joint %d is eliminated twice", j);
        } else {
            CHECK(pl, in > 0 && (in < all || all == 1), "front %d keeps joint %d, which has met",
                  front, j);
            kept += !is_twin(pl, f, s, l);
        }
    }
    for (int j = 0; j < pl->n_joints && crowd->has; j++)
        left += !eliminated[j] && count_in(pl, crowd, j) > 0;
    CHECK(pl, kept == left, "front %d keeps %d joints, expected %d", front, kept, left);
}

/* Check the map from the rows of a front to the rows of one of its parts. */
static void check_part(const struct plan *pl, int front, const struct lk_piece_part *part, int l)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];

    for (int i = 0; i < part->n; i++) {
        int j = f->slots[part->slot[i]].joint[l];

        if (part->is_body && part->body[l] >= 0 && j >= 0)
            CHECK(pl, pl->body[j][part->from[i]] == part->body[l], "front %d: side of joint %d",
                  front, j);
        if (part->is_body || part->child[l] < 0 || part->lane[l] < 0)
            continue;
        const struct lk_piece_front *child = &pl->pieces.fronts[part->child[l]];
        CHECK(pl, part->from[i] < child->n_slots - child->n_elim, "front %d: slot of its child",
              front);
        int of_child = child->slots[child->n_elim + part->from[i]].joint[part->lane[l]];
        /* in this lane a coupling may belong to another part only: the child's rows are then
         * zero */
        CHECK(pl, of_child == j || (of_child < 0 && bodies_of(pl, j) > 2),
              "front %d takes joint %d from another slot of its child", front, j);
    }
}

static void check_lanes(const struct plan *pl)
{
    int *seen = zeros((size_t)pl->n_bodies, sizeof(int));

    for (int i = 0; i < pl->pieces.n_bodies; i++)
        for (int l = 0; l < LK_LANES_MAX; l++) {
            int b = pl->pieces.bodies[i].body[l];

            CHECK(pl, l < pl->lanes || b < 0, "body %d is in lane %d", b, l);
            CHECK(pl, b < 0 || seen[b]++ == 0, "body %d has two places", b);
        }
    for (int b = 0; b < pl->n_bodies; b++)
        CHECK(pl, seen[b] == 1, "body %d has no place", b);
    free(seen);
}

static void check_pieces(const struct plan *pl)
{
    size_t n = (size_t)(pl->pieces.n_fronts * pl->lanes);
    struct crowd *crowds = zeros(n, sizeof(*crowds));
    int *eliminated = zeros((size_t)pl->n_joints, sizeof(int));
    int *taken = zeros((size_t)pl->n_bodies, sizeof(int));

    check_lanes(pl);
    for (int i = 0; i < pl->pieces.n_fronts; i++)
        for (int l = 0; l < pl->lanes; l++) {
            const struct lk_piece_front *f = &pl->pieces.fronts[i];

            gather(pl, i, l, crowds, taken);
            check_slots(pl, i, l, &crowds[i * pl->lanes + l], eliminated);
            for (int k = 0; k < f->n_parts; k++)
                check_part(pl, i, &f->parts[k], l);
        }
    for (int j = 0; j < pl->n_joints; j++) {
        CHECK(pl, eliminated[j] == 1, "joint %d is not eliminated", j);
        for (int s = 0; s < LK_TREE_SIDES; s++)
            if (pl->body[j][s] < pl->n_bodies)
                CHECK(pl, taken[pl->body[j][s]] == 1, "body %d is in %d fronts", pl->body[j][s],
                      taken[pl->body[j][s]]);
    }
    for (size_t i = 0; i < n; i++)
        free(crowds[i].has);
    free(crowds);
    free(eliminated);
    free(taken);
}

/* ---- memory ---- */

static void occupy_place(struct plan *pl, int at, int size, enum use use, int index)
{
    CHECK(pl, at >= 0 && size >= 0 && at + size <= pl->p->n_values, "use %d of %d is outside", use,
          index);
    for (int i = 0; i < size; i++) {
        struct spot *s = &pl->spot[at + i];

        CHECK(pl, s->use == FREE, "use %d of %d overlaps use %d of %d", use, index, s->use,
              s->index);
        *s = (struct spot){.use = use, .index = index, .offset = i, .owner = -1, .task = -1};
    }
}

static int remainder_size(const struct lk_batch_front *f)
{
    int rest = f->n - f->e;

    return rest * (rest + 1) / 2 + rest;
}

static int factor_size(const struct lk_batch_front *f)
{
    return f->e * (f->e + 1) / 2 + f->e * (f->n - f->e);
}

/* Mark blocks that live as long as the program. The scratch memory of a task is sufficient for its
 * largest front that uses scratch. */
static void settle_all(struct plan *pl)
{
    const struct lk_batches *p = pl->p;

    for (int i = 0; i < p->n_bodies; i++)
        occupy_place(pl, p->bodies[i].at, LK_BODY_SIZE, BODY, i);
    for (int i = 0; i < p->n_joints; i++)
        occupy_place(pl, p->joints[i].at, lk_kind_size(lk_lane_kind(p->joints[i].kind)), JOINT, i);
    for (int i = 0; i < p->n_fronts; i++)
        occupy_place(pl, p->fronts[i].factor, factor_size(&p->fronts[i]), FACTOR, i);
    for (int i = 0; i < p->n_masks; i++)
        occupy_place(pl, p->masks[i].at, 1, MASK, i);
    occupy_place(pl, p->ground, LK_BODY_SIZE, GROUND, 0);
    occupy_place(pl, p->nothing, 2 * p->n_nothing, NOTHING, 0);
    for (int t = 0; t < p->n_tasks; t++) {
        int most = 0;

        for (int i = p->tasks[t].first_op; i < p->tasks[t].first_op + p->tasks[t].n_ops; i++) {
            const struct lk_batch_front *f = &p->fronts[p->ops[i].index];

            if (p->ops[i].what == LK_BATCH_FRONT && f->shape == LK_BATCH_SHAPE_ANY &&
                f->n * f->n + f->e > most)
                most = f->n * f->n + f->e;
        }
        occupy_place(pl, p->tasks[t].scratch, most, SCRATCH, t);
    }
}

/* Return the use of lane @l of a reference. @ret_lane: lane within the block */
static const struct spot *look_up(const struct plan *pl, struct lk_ref ref, int l, int *ret_lane)
{
    int at = ref.map < 0 || l >= ref.n ? ref.at * pl->lanes + l : pl->p->map[ref.map + l];

    CHECK(pl, ref.map < 0 || (ref.n <= pl->lanes && ref.map + ref.n <= pl->p->n_map),
          "a reference beyond the map");
    if (ref.map >= 0 && ref.one >= 0)
        CHECK(pl,
              at == (ref.live >> l & 1 ? ref.one * pl->lanes + pl->p->map[ref.map + ref.n + l]
                                       : ref.at * pl->lanes + l),
              "a reference to one block and to another");
    CHECK(pl, at >= 0 && at < pl->p->n_values * pl->lanes, "a reference to %d", at);
    *ret_lane = at % pl->lanes;
    return &pl->spot[at / pl->lanes];
}

/* Check that lane @l of @ref is joint @joint; -1: a block that nothing uses. */
static void check_joint_ref(const struct plan *pl, struct lk_ref ref, int l, int joint)
{
    int lane;
    const struct spot *s = look_up(pl, ref, l, &lane);
    int is_joint = s->use == JOINT && s->offset == 0;
    int found = is_joint ? pl->p->joints[s->index].joint[lane] : -1;

    CHECK(pl, joint < 0 || is_joint, "joint %d is sought at use %d", joint, s->use);
    CHECK(pl, is_joint || s->use == NOTHING, "no joint is sought at use %d", s->use);
    CHECK(pl, found == joint, "joint %d is taken for joint %d", found, joint);
}

/* Check that lane @l of @ref is body @body.
 * @body: index of the body; n_bodies for the ground, -1 for the ground or an unused block */
static void check_body_ref(const struct plan *pl, struct lk_ref ref, int l, int body)
{
    int lane;
    const struct spot *s = look_up(pl, ref, l, &lane);
    int is_body = s->use == BODY && s->offset == 0;
    int found = is_body ? pl->p->bodies[s->index].body[lane] : -1;

    if (body >= 0 && body < pl->n_bodies)
        CHECK(pl, found == body, "body %d is taken for body %d", found, body);
    else if (body == pl->n_bodies)
        CHECK(pl, s->use == GROUND && s->offset == 0, "the ground is sought at use %d", s->use);
    else
        CHECK(pl, found < 0 && s->offset == (s->use == NOTHING ? s->offset : 0),
              "nobody is taken for body %d", found);
}

/* ---- references ---- */

static void check_joints(const struct plan *pl)
{
    int *seen = zeros((size_t)pl->n_joints, sizeof(int));

    for (int i = 0; i < pl->p->n_joints; i++)
        for (int l = 0; l < LK_LANES_MAX; l++) {
            const struct lk_batch_joints *block = &pl->p->joints[i];
            int j = block->joint[l];

            CHECK(pl, l < pl->lanes || j < 0, "joint %d is in lane %d", j, l);
            CHECK(pl, j < 0 || seen[j]++ == 0, "joint %d has two places", j);
            CHECK(pl, j < 0 || pl->kind[j] == block->kind, "joint %d is of another kind", j);
            for (int s = 0; s < lk_kind_sides(lk_lane_kind(block->kind)) && l < pl->lanes; s++)
                check_body_ref(pl, block->body[s], l, j < 0 ? -1 : pl->body[j][s]);
        }
    for (int j = 0; j < pl->n_joints; j++)
        CHECK(pl, seen[j] == 1, "joint %d has no place", j);
    free(seen);
}

/* Check the sides of each body: as many as it has joints, and each is one side of a joint. */
static void check_sides(const struct plan *pl)
{
    int *sides = zeros((size_t)pl->n_joints, sizeof(int)), n = 0;

    for (int i = 0; i < pl->p->n_bodies; i++) {
        const struct lk_batch_bodies *b = &pl->p->bodies[i];

        for (int k = b->first_side; k < b->first_side + b->n_sides; k++)
            for (int l = 0; l < pl->lanes; l++) {
                const struct lk_batch_side *side = &pl->p->sides[k];
                int lane;
                const struct spot *s = look_up(pl, side->joint, l, &lane);
                int j = s->use == JOINT ? pl->p->joints[s->index].joint[lane] : -1;

                if (j < 0)
                    continue;
                CHECK(pl, b->body[l] >= 0 && pl->body[j][side->side] == b->body[l],
                      "body %d feels side %d of joint %d", b->body[l], side->side, j);
                CHECK(pl, !(sides[j] & 1 << side->side), "joint %d pulls twice", j);
                sides[j] |= 1 << side->side;
            }
    }
    for (int j = 0; j < pl->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            n += pl->body[j][s] < pl->n_bodies && !(sides[j] & 1 << s);
    CHECK(pl, n == 0, "%d sides pull at nothing", n);
    free(sides);
}

static int row_of(const struct lk_piece_front *f, int slot)
{
    int row = 0;

    for (int i = 0; i < slot; i++)
        row += rows_of(f->slots[i].kind);
    return row;
}

static void check_element(const struct plan *pl, int front, const struct lk_piece_part *part,
                          const struct lk_batch_element *el)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];

    CHECK(pl, el->n_blocks == part->n, "front %d: %d blocks of a body with %d", front, el->n_blocks,
          part->n);
    for (int l = 0; l < pl->lanes; l++)
        check_body_ref(pl, el->body, l, part->body[l]);
    for (int i = el->first_block; i < el->first_block + el->n_blocks; i++) {
        const struct lk_batch_block *b = &pl->p->blocks[i];
        int k = 0;

        CHECK(pl, i == el->first_block || pl->p->blocks[i - 1].at < b->at,
              "front %d: blocks out of order", front);
        while (k < part->n && row_of(f, part->slot[k]) != b->at)
            k++;
        CHECK(pl,
              k < part->n && b->side == part->from[k] && b->kind == f->slots[part->slot[k]].kind,
              "front %d: a block at row %d", front, b->at);
        for (int l = 0; l < pl->lanes; l++)
            check_joint_ref(pl, b->joint, l, f->slots[part->slot[k]].joint[l]);
    }
}

/* Check that rows which only some lanes of a body have are masked in all other lanes. */
static void check_masks(const struct plan *pl, int front, const struct lk_piece_part *part)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];
    const struct lk_batch_front *out = &pl->p->fronts[front];

    for (int i = 0; i < part->n; i++) {
        const struct lk_piece_slot *s = &f->slots[part->slot[i]];

        for (int l = 0; l < pl->lanes; l++)
            for (int r = 0; r < rows_of(s->kind) && part->body[l] >= 0; r++) {
                int row = row_of(f, part->slot[i]) + r, is_masked = 0;

                for (int k = out->first_mask; k < out->first_mask + out->n_masks; k++)
                    is_masked |= pl->p->masks[k].row == row && !(pl->p->masks[k].lanes >> l & 1);
                CHECK(pl, is_masked == (s->joint[l] < 0), "front %d: row %d of lane %d", front, row,
                      l);
            }
    }
}

/* Return the row of a front to which row @row of its child's remainder is added. */
static int row_in(const struct lk_piece_front *f, const struct lk_piece_part *part,
                  const struct lk_piece_front *child, int row)
{
    for (int i = 0; i < part->n; i++) {
        int first = row_of(child, child->n_elim + part->from[i]) - row_of(child, child->n_elim);

        if (row >= first && row < first + rows_of(f->slots[part->slot[i]].kind))
            return row_of(f, part->slot[i]) + row - first;
    }
    return -1;
}

/* Check the entries of a child's remainder: each is added once, at the place of its rows. If two
 * different rows become one row, an off-diagonal entry is added twice, because the matrix is
 * symmetric. */
static void check_entries(const struct plan *pl, int front, const struct lk_piece_part *part,
                          const struct lk_batch_child *c)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front], *child;
    const int *table = pl->p->table;
    int some = 0, at = 0;

    while (part->child[some] < 0 || part->lane[some] < 0)
        some++;
    child = &pl->pieces.fronts[part->child[some]];
    int rest = row_of(child, child->n_slots) - row_of(child, child->n_elim);
    int *place = zeros((size_t)(rest * (rest + 1) / 2), sizeof(int));
    int *times = zeros((size_t)(rest * (rest + 1) / 2), sizeof(int));
    int *in = zeros((size_t)rest, sizeof(int));
    for (int row = 0; row < rest; row++)
        in[row] = row_in(f, part, child, row);
    for (int col = 0; col < rest; col++)
        for (int row = col; row < rest; row++, at++) {
            int a = in[row], b = in[col], low = a > b ? a : b;

            times[at] = a < 0 || b < 0 ? 0 : row != col && a == b ? 2 : 1;
            place[at] = (a + b - low) * row_of(f, f->n_slots) + low;
            n_twins += times[at] == 2;
        }
    for (int k = 0; k < c->n_entries; k++) {
        int from = c->from_entry < 0 ? k : table[c->from_entry + k];

        times[from]--;
        CHECK(pl, table[c->places + k] == place[from], "front %d puts an entry elsewhere", front);
    }
    for (int k = 0; k < at; k++)
        CHECK(pl, times[k] == 0, "front %d takes an entry %d times less than it adds", front,
              times[k]);
    free(place);
    free(times);
    free(in);
}

static void check_front(const struct plan *pl, int front)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];
    const struct lk_batch_front *out = &pl->p->fronts[front];
    int element = out->first_element;

    CHECK(pl, out->n == row_of(f, f->n_slots) && out->e == row_of(f, f->n_elim),
          "front %d has %d rows, %d eliminated", front, out->n, out->e);
    CHECK(pl, out->n_slots == f->n_slots && out->n_elim == f->n_elim, "front %d: slots", front);
    for (int k = 0; k < f->n_slots; k++)
        for (int l = 0; l < pl->lanes; l++)
            check_joint_ref(pl, pl->p->slots[out->first_slot + k].joint, l, f->slots[k].joint[l]);
    for (int k = 0; k < f->n_parts; k++)
        if (f->parts[k].is_body) {
            check_element(pl, front, &f->parts[k], &pl->p->elements[element++]);
            check_masks(pl, front, &f->parts[k]);
        }
    CHECK(pl, element == out->first_element + out->n_elements, "front %d: elements", front);
    /* larger children use the same code */
    for (int k = 0, child = out->first_child; k < f->n_parts; k++)
        if (!f->parts[k].is_body && pl->p->children[child++].n_rows < 60)
            check_entries(pl, front, &f->parts[k], &pl->p->children[child - 1]);
}

/* ---- the program ---- */

/* Check that the remainder of lane @lane of front @child is still complete. @remainder: reference
 * to it */
static void check_remainder(const struct plan *pl, int front, int l, int child, int lane,
                            struct lk_ref remainder, struct lk_ref sums)
{
    const struct lk_batch_front *c = &pl->p->fronts[child];
    int rest = c->n - c->e, found;

    if (rest == 0)
        return;
    CHECK(pl, look_up(pl, remainder, l, &found) == &pl->spot[c->remainder] && found == lane,
          "front %d looks for the remainder of %d elsewhere", front, child);
    CHECK(pl, look_up(pl, sums, l, &found) == &pl->spot[c->sums] && found == lane,
          "front %d looks for the sums of %d elsewhere", front, child);
    CHECK(pl, c->sums == c->remainder + rest * (rest + 1) / 2, "front %d: sums", child);
    for (int i = 0; i < remainder_size(c); i++)
        CHECK(pl, pl->spot[c->remainder + i].owner == child,
              "front %d finds what front %d wrote over the remainder of %d", front,
              pl->spot[c->remainder + i].owner, child);
}

/* Check that a merge reads the same remainders from the same places, with its parts in either
 * order. */
static void check_merge(const struct plan *pl, int front, int l, int child, int lane)
{
    const struct lk_batch_front *out = &pl->p->fronts[front];
    int n = 0, found;

    for (int k = 0; k < 2 && out->merge >= 0; k++) {
        const struct lk_batch_part *part = &pl->p->parts[out->merge + k];

        n += part->form != LK_BATCH_BODY &&
             look_up(pl, part->block, l, &found) == &pl->spot[pl->p->fronts[child].remainder] &&
             found == lane &&
             look_up(pl, part->sums, l, &found) == &pl->spot[pl->p->fronts[child].sums] &&
             found == lane;
    }
    CHECK(pl, out->merge < 0 || n == 1, "front %d merges %d parts of front %d", front, n, child);
}

/* Check that kept rows of a body in a merge are masked in lanes without these rows. */
static void check_link_masks(const struct plan *pl, int front, int l)
{
    const struct lk_batch_front *out = &pl->p->fronts[front];

    for (int k = 0; k < 2 && out->merge >= 0; k++) {
        const struct lk_batch_part *part = &pl->p->parts[out->merge + k];
        int lane, kept = 1 + k, is_there = 1;
        const struct spot *s = look_up(pl, part->block, l, &lane);

        if (part->form != LK_BATCH_BODY || k >= out->n_kept || s->use != BODY ||
            pl->p->bodies[s->index].body[lane] < 0)
            continue;
        for (int i = 0; i < pl->p->n_masks && part->mask >= 0; i++)
            if (pl->p->masks[i].at == part->mask)
                is_there = pl->p->masks[i].lanes >> l & 1;
        CHECK(pl, is_there == (pl->pieces.fronts[front].slots[kept].joint[l] >= 0),
              "front %d: kept rows of lane %d", front, l);
    }
}

static int is_alive(const struct plan *pl, int front, int l)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];

    for (int k = 0; k < f->n_parts; k++) {
        const struct lk_piece_part *part = &f->parts[k];

        if (part->is_body && part->body[l] >= 0)
            return 1;
        if (!part->is_body && part->child[l] >= 0 && part->lane[l] >= 0 &&
            is_alive(pl, part->child[l], part->lane[l]))
            return 1;
    }
    return 0;
}

static void run_front(struct plan *pl, int front, int task)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[front];
    const struct lk_batch_front *out = &pl->p->fronts[front];
    int child = out->first_child;

    for (int k = 0; k < f->n_parts; k++) {
        const struct lk_piece_part *part = &f->parts[k];
        const struct lk_batch_child *c = &pl->p->children[child];

        if (part->is_body)
            continue;
        for (int l = 0; l < pl->lanes; l++) {
            if (part->child[l] < 0 || part->lane[l] < 0 ||
                !is_alive(pl, part->child[l], part->lane[l]))
                continue;
            CHECK(pl, pl->front_done[part->child[l]], "front %d before its child", front);
            check_remainder(pl, front, l, part->child[l], part->lane[l], c->remainder, c->sums);
            if (pl->p->fronts[part->child[l]].n > pl->p->fronts[part->child[l]].e)
                check_merge(pl, front, l, part->child[l], part->lane[l]);
        }
        child++;
    }
    CHECK(pl, child == out->first_child + out->n_children, "front %d: children", front);
    for (int l = 0; l < pl->lanes; l++)
        check_link_masks(pl, front, l);
    for (int i = 0; i < remainder_size(out); i++) {
        struct spot *s = &pl->spot[out->remainder + i];

        CHECK(pl, s->use == FREE || s->use == REMAINDER, "front %d leaves rows on use %d of %d",
              front, s->use, s->index);
        CHECK(pl, s->use == FREE || s->task == task, "front %d leaves rows in task %d", front,
              s->task);
        *s = (struct spot){.use = REMAINDER, .owner = front, .task = task, .offset = i};
    }
    pl->front_done[front] = 1;
}

/* Simulate the sweep up. The kernels write the remainder while they read the remainders of the
 * children, so these must not overlap: they must still be complete after the front. */
static void run_upwards(struct plan *pl)
{
    for (int t = 0; t < pl->p->n_tasks; t++)
        for (int i = 0; i < pl->p->tasks[t].n_ops; i++) {
            const struct lk_batch_op *op = &pl->p->ops[pl->p->tasks[t].first_op + i];

            if (op->what != LK_BATCH_FRONT)
                continue;
            run_front(pl, op->index, t);
            const struct lk_batch_front *f = &pl->p->fronts[op->index];
            for (int c = f->first_child; c < f->first_child + f->n_children; c++)
                for (int l = 0; l < pl->lanes; l++) {
                    int lane;
                    const struct spot *s = look_up(pl, pl->p->children[c].remainder, l, &lane);

                    CHECK(pl, s->use != REMAINDER || s->owner != op->index || f->n == f->e,
                          "front %d writes over its child", op->index);
                }
        }
    for (int i = 0; i < pl->p->n_fronts; i++)
        CHECK(pl, pl->front_done[i], "front %d is in no task", i);
}

/* ---- order and tasks ---- */

static void find_ops(struct plan *pl)
{
    const struct lk_batches *p = pl->p;
    int n = 0;

    for (int t = 0; t < p->n_tasks; t++) {
        CHECK(pl, p->tasks[t].first_op == n, "task %d does not follow the one before", t);
        for (int i = n; i < n + p->tasks[t].n_ops; i++) {
            int *of = p->ops[i].what == LK_BATCH_BODIES   ? pl->body_op
                      : p->ops[i].what == LK_BATCH_JOINTS ? pl->joint_op
                                                          : pl->front_op;

            CHECK(pl, of[p->ops[i].index] < 0, "an operation is there twice");
            of[p->ops[i].index] = i;
            pl->task_of_op[i] = t;
        }
        n += p->tasks[t].n_ops;
    }
    CHECK(pl, n == p->n_ops && n == p->n_bodies + p->n_joints + p->n_fronts,
          "%d operations for %d bodies, %d joints, %d fronts", n, p->n_bodies, p->n_joints,
          p->n_fronts);
}

/* Check two operations of which @later depends on @earlier in the sweep up, and the reverse in the
 * sweep down: they are in one task in this order, or @later is in the task of the top. */
static void check_order(const struct plan *pl, int earlier, int later, const char *what)
{
    int t = pl->task_of_op[earlier], u = pl->task_of_op[later];

    CHECK(pl, earlier < later, "%s: operation %d comes before %d", what, later, earlier);
    CHECK(pl, t == u || u == pl->p->n_tasks - 1, "%s: task %d needs task %d", what, u, t);
}

static int op_of_joint(const struct plan *pl, int joint)
{
    for (int i = 0; i < pl->p->n_joints; i++)
        for (int l = 0; l < pl->lanes; l++)
            if (pl->p->joints[i].joint[l] == joint)
                return pl->joint_op[i];
    return -1;
}

static int op_of_body(const struct plan *pl, int body)
{
    for (int i = 0; i < pl->p->n_bodies; i++)
        for (int l = 0; l < pl->lanes; l++)
            if (pl->p->bodies[i].body[l] == body)
                return pl->body_op[i];
    return -1;
}

/* Check that bodies come before joints, joints before the front that eliminates them, and this
 * front before the fronts that keep their rows (in the sweep down a front reads the rows that it
 * keeps). */
static void check_orders(const struct plan *pl)
{
    int *elim = zeros((size_t)pl->n_joints, sizeof(int));
    int *op = zeros((size_t)pl->n_joints, sizeof(int));

    for (int i = 0; i < pl->p->n_fronts; i++)
        for (int s = 0; s < pl->pieces.fronts[i].n_elim; s++)
            for (int l = 0; l < pl->lanes; l++)
                if (pl->pieces.fronts[i].slots[s].joint[l] >= 0)
                    elim[pl->pieces.fronts[i].slots[s].joint[l]] = pl->front_op[i];
    for (int j = 0; j < pl->n_joints; j++) {
        op[j] = op_of_joint(pl, j);
        check_order(pl, op[j], elim[j], "joint and front");
        for (int s = 0; s < LK_TREE_SIDES; s++)
            if (pl->body[j][s] < pl->n_bodies)
                check_order(pl, op_of_body(pl, pl->body[j][s]), op[j], "body and joint");
    }
    for (int i = 0; i < pl->p->n_fronts; i++) {
        const struct lk_piece_front *f = &pl->pieces.fronts[i];

        for (int s = f->n_elim; s < f->n_slots; s++)
            for (int l = 0; l < pl->lanes; l++)
                if (f->slots[s].joint[l] >= 0)
                    check_order(pl, pl->front_op[i], elim[f->slots[s].joint[l]], "kept rows");
        for (int k = 0; k < f->n_parts; k++)
            for (int l = 0; l < pl->lanes; l++) {
                const struct lk_piece_part *part = &f->parts[k];

                if (part->is_body && part->body[l] >= 0)
                    check_order(pl, op_of_body(pl, part->body[l]), pl->front_op[i],
                                "body and front");
                else if (!part->is_body && part->child[l] >= 0)
                    check_order(pl, pl->front_op[part->child[l]], pl->front_op[i],
                                "child and front");
            }
    }
    free(elim);
    free(op);
}

/* ---- all checks ---- */

static int *unknown(int n)
{
    int *ret = zeros((size_t)n, sizeof(int));

    for (int i = 0; i < n; i++)
        ret[i] = -1;
    return ret;
}

static void check_program(struct plan *pl)
{
    pl->spot = zeros((size_t)pl->p->n_values, sizeof(*pl->spot));
    pl->front_done = zeros((size_t)pl->p->n_fronts, sizeof(int));
    pl->joint_op = unknown(pl->p->n_joints);
    pl->body_op = unknown(pl->p->n_bodies);
    pl->front_op = unknown(pl->p->n_fronts);
    pl->task_of_op = zeros((size_t)pl->p->n_ops, sizeof(int));
    CHECK(pl, pl->p->n_fronts == pl->pieces.n_fronts, "%d fronts of %d", pl->p->n_fronts,
          pl->pieces.n_fronts);
    settle_all(pl);
    check_joints(pl);
    check_sides(pl);
    for (int i = 0; i < pl->p->n_fronts; i++)
        check_front(pl, i);
    find_ops(pl);
    run_upwards(pl);
    check_orders(pl);
    free(pl->spot);
    free(pl->front_done);
    free(pl->joint_op);
    free(pl->body_op);
    free(pl->front_op);
    free(pl->task_of_op);
}

static void check_plan(const struct mechanism *m, const char *what)
{
    static const int lanes[] = {1, 2, 4, 8};

    for (size_t i = 0; i < sizeof(lanes) / sizeof(*lanes); i++) {
        struct lk_engine engine = {.name = "none", .lanes = lanes[i]};
        struct plan pl = {.lanes = lanes[i]};

        snprintf(pl.what, sizeof(pl.what), "%s", what);
        set_topology(&pl, m);
        assert_int_equal(lk_pieces_init(&pl.topology, pl.kind, lanes[i], &pl.pieces), 0);
        assert_int_equal(lk_batches_new(&pl.topology, pl.kind, &engine, &lk_formulation_ali3_lanes,
                                        LK_ITERATIONS, false, false, &pl.p),
                         0);
        check_pieces(&pl);
        check_program(&pl);
        n_plans++;
        n_merges += pl.p->n_parts > 0;
        n_masks += pl.p->n_masks > 0;
        most_tasks = pl.p->n_tasks > most_tasks ? pl.p->n_tasks : most_tasks;
        lk_batches_free(pl.p);
        lk_pieces_fini(&pl.pieces);
        free(pl.body);
        free(pl.n_rows);
        free(pl.kind);
    }
}

static void test_figures(void **state)
{
    static const int sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 50, 97, 131, 350};

    (void)state;
    for (int figure = 0; figure < FIGURE_COUNT; figure++)
        for (int joints = 0; joints < FIGURE_JOINTS; joints++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i += SANITIZED ? 4 : 1) {
                struct mechanism *m;
                char what[120];

                /* the plan does not depend on directions */
                if (joints == FIGURE_PARALLEL || (sizes[i] > 100 && joints == FIGURE_REVOLUTE))
                    continue;
                m = figure_make((enum figure)figure, (enum figure_joints)joints, sizes[i], 1);
                snprintf(what, sizeof(what), "%s of %d, joints %d", figure_names[figure], sizes[i],
                         joints);
                check_plan(m, what);
                mechanism_free(m);
            }
}

static void test_random_mechanisms(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed += THINNED) {
        struct dice dice = {seed};
        int n = (int)dice_spread(&dice, 1, 121);
        struct mechanism *m = mechanism_make(seed, seed % 2 ? MECHANISM_MIXED : MECHANISM_FREE, n);
        char what[80];

        figure_tame(m, 0);
        snprintf(what, sizeof(what), "seed %d, %d bodies", (int)seed, n);
        check_plan(m, what);
        mechanism_free(m);
    }
}

/* gears between any joints */
static void test_gears(void **state)
{
    static const enum figure figures[] = {FIGURE_CHAIN, FIGURE_LIMBS, FIGURE_TERNARY, FIGURE_STAR};

    (void)state;
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        for (uint64_t seed = 0; seed < 60; seed += SANITIZED ? 14 : 3) {
            struct mechanism *m = figure_make(figures[i], FIGURE_REVOLUTE, 3 + (int)seed, seed);
            char what[120];

            figure_gear_apart(m, seed);
            snprintf(what, sizeof(what), "%s of %d with gears apart", figure_names[figures[i]],
                     m->n_bodies);
            check_plan(m, what);
            mechanism_free(m);
        }
}

/* Without tasks, merges, masks and twins most of the checks above would be vacuous. */
static void test_of_the_test(void **state)
{
    (void)state;
    assert_true(most_tasks > 8);
    assert_true(4 * n_merges > n_plans);
    assert_true(8 * n_masks > n_plans);
    assert_true(SANITIZED || n_twins > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_random_mechanisms),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_of_the_test),
    };
    int r = cmocka_run_group_tests(tests, NULL, NULL);

    printf("%d plans, %d with merges, %d with masks, at most %d tasks, %d pairs of twins\n",
           n_plans, n_merges, n_masks, most_tasks, n_twins);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the fronts of the top that are eliminated together as the root, see struct
 * lk_batch_root_row, and sets the references to their rows and to the remainders of their children.
 */
#include "compile/batch/planner.h"
#include <stdlib.h>

/* return whether front @i may join the root: it has no bodies, and no front outside of the root
 * uses it */
static int may_join(const struct lk_planner *pl, const char *is_used, int i)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];
    int may = !f->is_aligned && f->task == pl->pieces.n_tasks - 1 && !is_used[i];

    for (int k = 0; k < f->n_parts; k++)
        may &= !f->parts[k].is_body;
    return may;
}

static int rows_of(const struct lk_piece_front *f)
{
    int n = 0;

    for (int k = 0; k < f->n_elim; k++)
        for (int l = 0; l < LK_LANES_MAX; l++)
            n += f->slots[k].joint[l] >= 0 ? lk_planner_rows(f->slots[k].kind) : 0;
    return n;
}

static void mark_children(const struct lk_piece_front *f, char *is_used)
{
    for (int k = 0; k < f->n_parts; k++)
        for (int l = 0; l < LK_LANES_MAX && !f->parts[k].is_body; l++)
            if (f->parts[k].child[l] >= 0)
                is_used[f->parts[k].child[l]] = 1;
}

/* Choose the fronts of the root, from the last front down, with at most LK_ROOT_ROWS_MAX rows.
 * @ret_rows: number of rows that these fronts eliminate.
 * Return: number of fronts. */
static int choose_fronts(struct lk_planner *pl, char *is_in, char *is_used, int *ret_rows)
{
    int n = 0;

    *ret_rows = 0;
    for (int i = pl->pieces.n_fronts - 1; i >= 0; i--) {
        const struct lk_piece_front *f = &pl->pieces.fronts[i];
        int rows = rows_of(f);

        if (may_join(pl, is_used, i) && *ret_rows + rows <= LK_ROOT_ROWS_MAX) {
            is_in[i] = 1;
            *ret_rows += rows;
            n++;
        } else {
            mark_children(f, is_used);
        }
    }
    return n;
}

/* return the index of @field of row @r of a joint in the values */
static int joint_at(const struct lk_planner *pl, int joint, int field, int r)
{
    struct lk_spot spot = pl->joint[joint];

    return (pl->p->joints[spot.block].at + field + r) * pl->p->lanes + spot.lane;
}

static void add_joint(struct lk_planner *pl, int joint, int *first_row)
{
    const struct lk_joint_kind *kind = lk_lane_kind(pl->kind[joint]);

    first_row[joint] = pl->p->n_root_rows;
    for (int r = 0; r < lk_kind_rows(kind) && !pl->failed; r++)
        LK_PLANNER_ADD(pl, pl->p->root_rows, pl->p->n_root_rows,
                       (struct lk_batch_root_row){
                           .x = joint_at(pl, joint, lk_kind_x(kind), r),
                           .regular = joint_at(pl, joint, lk_kind_regular(kind), r),
                       });
}

/** struct left - remainder of front @front in lane @lane. @row: row of the root for each of its @n
 * rows, -1: none */
struct left {
    int front;
    int lane;
    int n;
    int *row;
};

static void find_rows(struct lk_planner *pl, const int *first_row, struct left *left)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[left->front];

    for (int k = f->n_elim; k < f->n_slots; k++)
        for (int r = 0; r < lk_planner_rows(f->slots[k].kind); r++) {
            int joint = f->slots[k].joint[left->lane];

            left->row[left->n++] = joint < 0 ? -1 : first_row[joint] + r;
        }
}

/* Add the entries of a remainder, column by column. An entry between two rows that map to one
 * row of the root is added twice. */
static void add_entries(struct lk_planner *pl, const struct left *left, int stride)
{
    int at = pl->p->fronts[left->front].remainder;

    for (int c = 0; c < left->n; c++)
        for (int r = c; r < left->n; r++, at++) {
            int a = left->row[r], b = left->row[c], low = a > b ? a : b;

            for (int i = 0; i < (r != c && a == b ? 2 : 1) && a >= 0 && b >= 0 && !pl->failed; i++)
                LK_PLANNER_ADD(pl, pl->p->root_entries, pl->p->n_root_entries,
                               (struct lk_batch_root_entry){
                                   .from = at * pl->p->lanes + left->lane,
                                   .to = (a + b - low) * stride + low,
                               });
        }
}

/* Add the right-hand sides of a remainder for row @row of the root. */
static void add_sums(struct lk_planner *pl, const struct left *left, int row)
{
    int at = pl->p->fronts[left->front].sums;

    for (int r = 0; r < left->n && !pl->failed; r++)
        if (left->row[r] == row)
            LK_PLANNER_ADD(pl, pl->p->root_sums, pl->p->n_root_sums,
                           (at + r) * pl->p->lanes + left->lane);
}

/* Find the children of the chosen fronts that are not chosen themselves. @ret: NULL: only count
 * these children */
static int find_left(struct lk_planner *pl, const char *is_in, const int *first_row,
                     struct left *ret)
{
    int n = 0;

    for (int i = 0; i < pl->pieces.n_fronts; i++)
        for (int k = 0; k < pl->pieces.fronts[i].n_parts && is_in[i]; k++)
            for (int l = 0; l < LK_LANES_MAX; l++) {
                const struct lk_piece_part *part = &pl->pieces.fronts[i].parts[k];
                int child = part->lane[l] < 0 ? -1 : part->child[l];

                if (child < 0 || is_in[child])
                    continue;
                if (ret != NULL) {
                    ret[n] = (struct left){.front = child, .lane = part->lane[l]};
                    ret[n].row = calloc((size_t)pl->p->fronts[child].n + 1, sizeof(int));
                    pl->failed |= ret[n].row == NULL;
                    if (!pl->failed)
                        find_rows(pl, first_row, &ret[n]);
                }
                n++;
            }
    return n;
}

static void refer_rows(struct lk_planner *pl, const char *is_in, int *first_row)
{
    int n_left = find_left(pl, is_in, first_row, NULL);
    struct left *left = calloc((size_t)n_left + 1, sizeof(*left));
    int stride = lk_root_stride(pl->p->lanes, pl->p->n_root_rows);

    pl->failed |= left == NULL;
    if (!pl->failed)
        find_left(pl, is_in, first_row, left);
    for (int i = 0; i < n_left && !pl->failed; i++)
        add_entries(pl, &left[i], stride);
    for (int row = 0; row < pl->p->n_root_rows && !pl->failed; row++) {
        int first = pl->p->n_root_sums;

        for (int i = 0; i < n_left; i++)
            add_sums(pl, &left[i], row);
        if (pl->failed)
            break;
        pl->p->root_rows[row].first_sum = first;
        pl->p->root_rows[row].n_sums = pl->p->n_root_sums - first;
    }
    for (int i = 0; i < n_left && left != NULL; i++)
        free(left[i].row);
    free(left);
}

static void add_rows(struct lk_planner *pl, const char *is_in, int *first_row)
{
    for (int i = 0; i < pl->pieces.n_fronts; i++) {
        const struct lk_piece_front *f = &pl->pieces.fronts[i];

        pl->p->fronts[i].root = is_in[i] ? LK_BATCH_IN_ROOT : LK_BATCH_BELOW_ROOT;
        for (int k = 0; k < f->n_elim && is_in[i]; k++)
            for (int l = 0; l < LK_LANES_MAX; l++)
                if (f->slots[k].joint[l] >= 0)
                    add_joint(pl, f->slots[k].joint[l], first_row);
    }
    for (int i = pl->pieces.n_fronts - 1; i >= 0; i--)
        if (is_in[i]) {
            pl->p->fronts[i].root = LK_BATCH_IS_ROOT;
            break;
        }
}

/* Return whether the root saves time. Factoring the root costs as much time as the root saves in
 * three to four solves. */
static int pays(const struct lk_batches *p)
{
    return p->effort.n_solves > 4 * p->effort.n_factors;
}

void lk_planner_refer_root(struct lk_planner *pl)
{
    char *is_in = calloc((size_t)pl->pieces.n_fronts + 1, 1);
    char *is_used = calloc((size_t)pl->pieces.n_fronts + 1, 1);
    int *first_row = calloc((size_t)pl->t->n_joints + 1, sizeof(int)), rows;

    pl->failed |= is_in == NULL || is_used == NULL || first_row == NULL;
    if (!pl->failed && pays(pl->p) && choose_fronts(pl, is_in, is_used, &rows) > 1) {
        int stride = lk_root_stride(pl->p->lanes, rows);

        pl->p->root = lk_planner_reserve(pl->p, LK_ROOT_MATRICES * rows * stride / pl->p->lanes +
                                                    LK_ROOT_VECTORS * stride / pl->p->lanes);
        add_rows(pl, is_in, first_row);
        refer_rows(pl, is_in, first_row);
    }
    free(is_in);
    free(is_used);
    free(first_row);
}

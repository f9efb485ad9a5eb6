/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a mechanism run side by side.
 *
 * The merges of the elimination tree (solve/tree.h) make assemblies of bodies. Two assemblies look
 * alike when their bodies are joined by the same kinds of joints in the same order; joints that
 * lead out of them, to other bodies or to the ground, do not count, since a lane may lack a row.
 * From the largest assemblies down, as many alike as there are lanes make a batch; others are taken
 * apart into what they were merged of. What is taken apart becomes the top of the tree, whose
 * fronts run side by side where they happen to have one shape.
 *
 * The result says what belongs together, by name of body and joint; plan.c gives it places. */
#ifndef LK_COMPILE_BATCH_PIECES_H
#define LK_COMPILE_BATCH_PIECES_H

#include "compile/batch/batches.h"
#include "compile/tree/plan.h"

/** struct lk_piece_slot - rows of a joint, the same in every lane. @joint: -1 in lanes without;
 * @key, @order, @side: what lanes are matched by at a body */
struct lk_piece_slot {
    int kind;
    int joint[LK_LANES_MAX];
    int side;
    int key;
    int order;
};

/** struct lk_piece_part - a body, or a child front, of a front.
 * @body:  per lane (@is_body);  @child, @lane: front of each lane and the lane in that front
 * @slot:  for each of its @n slots: which one of the front it is
 * @from:  side of the joint at the body, or slot of the child */
struct lk_piece_part {
    int is_body;
    int body[LK_LANES_MAX];
    int child[LK_LANES_MAX];
    int lane[LK_LANES_MAX];
    int n;
    int *slot;
    int *from;
};

/** struct lk_piece_front - slots, eliminated ones first. @is_aligned: part of a batch of alike
 * pieces, whose bodies and joints are in place;  @level: children have lower ones */
struct lk_piece_front {
    int n_slots;
    int n_elim;
    struct lk_piece_slot *slots;
    int n_parts;
    struct lk_piece_part parts[2];
    int is_aligned;
    int level;
    int task;
};

/** struct lk_piece_bodies - bodies side by side, with the slots of their sides. */
struct lk_piece_bodies {
    int body[LK_LANES_MAX];
    int task;
    int n_slots;
    struct lk_piece_slot *slots;
};

/** struct lk_pieces - all of it; fronts in an order in which children come first. Of a task, bodies
 * and fronts of the same piece come in that order too. Task n_tasks - 1 is the top. */
struct lk_pieces {
    int lanes;
    int n_fronts;
    struct lk_piece_front *fronts;
    int n_bodies;
    struct lk_piece_bodies *bodies;
    int n_tasks;
};

/** lk_pieces_init() - Return: 0, -ENOMEM, -ECANCELED. Release with lk_pieces_fini(). */
int lk_pieces_init(const struct lk_topology *topology, const int *kind, int lanes,
                   struct lk_pieces *ret);
void lk_pieces_fini(struct lk_pieces *pieces);

#endif

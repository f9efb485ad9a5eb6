/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the pieces of a mechanism: similar assemblies of bodies that share a batch.
 *
 * The merges of the elimination tree (solve/tree.h) make assemblies of bodies. Two assemblies are
 * similar if joints of the same types connect their bodies in the same order. Joints to outside
 * bodies or to the ground do not count, because a lane may lack a row. The search begins with the
 * largest assemblies: similar assemblies, one for each lane, make a batch; any other assembly is
 * split into its children. The assemblies that were split form the top of the tree. Fronts of the
 * top share lanes if their shapes happen to agree.
 *
 * The result refers to bodies and joints by index; plan.c lays out the result in memory. */
#ifndef LK_COMPILE_BATCH_PIECES_H
#define LK_COMPILE_BATCH_PIECES_H

#include "compile/batch/batches.h"
#include "compile/tree/plan.h"

/** struct lk_piece_slot - one joint in every lane, all with the same rows.
 * @joint: per lane, -1: none;  @key, @order, @side: keys used to match the joints of the lanes
 *         of a body */
struct lk_piece_slot {
    int kind;
    int joint[LK_LANES_MAX];
    int side;
    int key;
    int order;
};

/** struct lk_piece_part - one contribution to a front: a body or a child front.
 * @body:  per lane, if @is_body;  @child, @lane: otherwise, the child front for each lane, and the
 *         lane of the child
 * @slot:  for each of its @n slots, the slot of the front
 * @from:  for each slot, the side of the joint at the body, or the slot of the child */
struct lk_piece_part {
    int is_body;
    int body[LK_LANES_MAX];
    int child[LK_LANES_MAX];
    int lane[LK_LANES_MAX];
    int n;
    int *slot;
    int *from;
};

/** struct lk_piece_front - one front of a batch; its eliminated slots come first.
 * @is_aligned: the front is in a batch of similar pieces, so that its bodies and joints are already
 *              in their lanes
 * @level: height in the tree, greater than the levels of the children */
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

/** struct lk_piece_bodies - one body per lane, and the slots of the joints at these bodies. */
struct lk_piece_bodies {
    int body[LK_LANES_MAX];
    int task;
    int n_slots;
    struct lk_piece_slot *slots;
};

/** struct lk_pieces - all fronts, children before parents, and all bodies; within a task the bodies
 * and fronts of one piece keep that order. Task n_tasks - 1 is the top. */
struct lk_pieces {
    int lanes;
    int n_fronts;
    struct lk_piece_front *fronts;
    int n_bodies;
    struct lk_piece_bodies *bodies;
    int n_tasks;
};

/** lk_pieces_init() - choose the pieces. @kind: enum lk_kind of each joint. Return: 0, -ENOMEM,
 * -ECANCELED. Release with lk_pieces_fini(). */
int lk_pieces_init(const struct lk_topology *topology, const int *kind, int lanes,
                   struct lk_pieces *ret);
void lk_pieces_fini(struct lk_pieces *pieces);

#endif

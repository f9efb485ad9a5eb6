/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of pieces.c: the state that the choice of pieces (pieces.c), the fronts of pieces
 * and of the top (piece_fronts.c) and their distribution over lanes (piece_lanes.c) share. */
#ifndef LK_COMPILE_BATCH_PIECE_MAKER_H
#define LK_COMPILE_BATCH_PIECE_MAKER_H

#include "compile/batch/pieces.h"

/** struct lk_piece_assembly - a body or the result of a merge.
 * @part:  the two merged number of assemblies
 * @first, @size: range of the positions of its bodies in the order of struct lk_piece_maker.place
 * @class: equal for similar assemblies; -1: similar to no other
 * @root:  the largest assembly that contains this assembly
 * @front, @lane: its front and its lane in that front; -1: a body without a front */
struct lk_piece_assembly {
    int part[2];
    int parent;
    int root;
    int n_ground; /* for a root: number of joints to the ground */
    int first;
    int size;
    int class;
    int is_open; /* the assembly has no parent, or no batch contains the parent */
    int front;
    int lane;
};

/** struct lk_piece_maker - working state of the choice of pieces.
 * @joints: joints of all bodies; the joints of body b begin at first_joint[b]
 * @seen: a counter for each body;  @task: task of new bodies and fronts, -1: the last task
 * @is_over: the compilation was cancelled, see compile/effort.h */
struct lk_piece_maker {
    const struct lk_topology *t;
    const int *kind;
    int lanes;
    int n_bodies;
    int n;                       /* assemblies */
    struct lk_piece_assembly *a; /* bodies, then merges in their order */
    int *place;                  /* position of each body in the order of assemblies */
    int *first_joint;            /* first joint of each body, index into @joints */
    int *joints;
    int *seen;
    int failed; /* an allocation failed, or @is_over */
    bool is_over;
    int task;
    int root_first[LK_LANES_MAX]; /* first positions, and size, of the current pieces */
    int root_size;
    struct lk_pieces *out;
};

/* Return the number of bodies that joint @j connects, without the ground. */
static inline int lk_piece_bodies_of(const struct lk_topology *t, int j)
{
    int n = 0;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        n += t->body[j][s] < t->n_bodies;
    return n;
}

/* Return whether the mechanism of @body has a single joint to the ground. If so, that joint is not
 * eliminated with its body but kept up to the root, so that this body and every piece remain
 * similar to the others. */
static inline int lk_piece_hangs_on_one_joint(const struct lk_piece_maker *m, int body)
{
    int root = m->a[body].root;

    return m->a[root].n_ground == 1 && m->a[root].size > 1;
}

/* Return whether @body is one of the bodies of assembly @a. */
static inline int lk_piece_is_inside(const struct lk_piece_maker *m,
                                     const struct lk_piece_assembly *a, int body)
{
    return body < m->n_bodies && m->place[body] >= a->first && m->place[body] < a->first + a->size;
}

/* Return whether all bodies of joint @j are bodies of assembly @a. */
static inline int lk_piece_holds_joint(const struct lk_piece_maker *m,
                                       const struct lk_piece_assembly *a, int j)
{
    int holds = 1;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        holds &= m->t->body[j][s] >= m->n_bodies || lk_piece_is_inside(m, a, m->t->body[j][s]);
    return holds;
}

/** lk_piece_grow() - grow @array, which has @n elements of @size bytes, by room for one more.
 * Return: the array; after a failed allocation, @array unchanged, and @m->failed is set. */
void *lk_piece_grow(struct lk_piece_maker *m, void *array, int n, size_t size);

/** lk_piece_add_group() - add the bodies and fronts of similar assemblies and of all their
 * subassemblies. @assembly: assembly in each lane, -1: none
 * @share: largest number of bodies per lane of a task; larger assemblies are divided into tasks */
void lk_piece_add_group(struct lk_piece_maker *m, const int *assembly, int share);

/** lk_piece_add_loose_bodies() - distribute the bodies that are in no piece over the lanes, in
 * their order. */
void lk_piece_add_loose_bodies(struct lk_piece_maker *m);

/** lk_piece_add_top() - add the fronts of all assemblies that are in no piece, each in lane 0. */
void lk_piece_add_top(struct lk_piece_maker *m);

/** lk_piece_pack_top() - distribute the fronts of the top over the lanes. */
void lk_piece_pack_top(struct lk_piece_maker *m);

/** lk_piece_front_free() - release the lists of a front. */
void lk_piece_front_free(struct lk_piece_front *front);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the assembly: its fronts. assembly_plan.c lays them out, assembly.c uses
 * them. */
#ifndef LK_METHODS_RELATIVE_ASSEMBLY_FRONTS_H
#define LK_METHODS_RELATIVE_ASSEMBLY_FRONTS_H

#include "methods/relative/assembly.h"
#include "methods/relative/pseudo_inverse.h"
#include "methods/share.h"

/** struct lk_assembly_link - rows of a joint on one body in a front.
 * @block: block of the mechanics
 * @side:  side of the block
 * @at:    first row in the front */
struct lk_assembly_link {
    int block;
    int side;
    int at;
};

/** struct lk_assembly_front - one merge, or a body with joints to the ground.
 * @n:          number of rows
 * @e:          number of eliminated rows
 * @row:        indices of the rows in the mechanics, n numbers
 * @child:      fronts whose remaining rows are added to this front
 * @map:        position in this front of each remaining row of a child
 * @link:       rows that act on the bodies of this front
 * @first_link: first link of each body, n_bodies + 1 numbers
 * @matrix:     n * n; after elimination, xi of the remaining rows at its lower right
 * @weight:     e * (n - e), K^+ B^T
 * @x:          n numbers: right-hand side, then solution
 * @status:     0, LK_E_SINGULAR of the last factor */
struct lk_assembly_front {
    int n;
    int e;
    int n_children;
    int n_bodies;
    int *row;
    int child[2];
    int *map[2];
    int body[2];
    int first_link[3];
    struct lk_assembly_link *link;
    struct lk_pseudo_inverse K;
    double *matrix;
    double *weight;
    double *diagonal;
    double *x;
    int status;
};

/** struct lk_assembly - all fronts of a mechanics.
 * @diagonal: diagonal of Phi_q W Phi_q^T, n_rows numbers */
struct lk_assembly {
    struct lk_mechanics *mechanics;
    struct lk_mechanics_block *block;
    int n_fronts;
    struct lk_assembly_front *front;
    double *diagonal;
    struct lk_levels levels;
    void *memory;
};

#endif

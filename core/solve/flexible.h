/* SPDX-License-Identifier: Apache-2.0 */
/* A body with modes in the elimination: its inverse mass, the Jacobians of its nodes, and its
 * element s Phi W Phi^T.
 *
 * The body moves by its translation x (world), its rotation th (body axes) and n modal coordinates
 * q. With H the coupling of rotation and modes and D diagonal,
 *
 *     M = diag(m I, [J H; H^T D]),    (J - H D^-1 H^T) th = f_th - H D^-1 f_q,   D q = f_q - H^T th
 *
 * so that W f takes some 12 n operations. A node a moves by T_a (dx, dth, dq):
 *
 *     dx_a  = dx + turn dth + move dq  (world),     dth_a = spin dth + bend dq  (axes of the node)
 *
 * All are for the cycle, RT: yes. */
#ifndef LK_SOLVE_FLEXIBLE_H
#define LK_SOLVE_FLEXIBLE_H

#include "linkage/error.h"
#include "maths/hot.h"
#include "rows/joint.h"

/** struct lk_flexible_node - T of a node. @turn, @spin: 3 x 3, row by row
 * @move, @bend: three rows of @pad values each */
struct lk_flexible_node {
    double turn[9];
    double spin[9];
    double *move;
    double *bend;
};

/** struct lk_flexible - the scaled inverse mass s W of a body with modes, s = h^2 / 4.
 * @n:       number of modes;  @pad: rounded up to whole vectors of four; values beyond n are 0
 * @s:       h^2 / 4;  @mass: s / m;  @inertia: s (J - H D^-1 H^T)^-1
 * @weight:  diagonal of D^-1;  @coupling: H D^-1, three rows of @pad values
 * @node:    its nodes
 * @row:     scratch: 6 + n rows, each as long as the rows of the largest front, twice */
struct lk_flexible {
    int n;
    int pad;
    double s;
    double mass;
    double inertia[6];
    double *weight;
    double *coupling;
    struct lk_flexible_node *node;
    double *row;
};

/** struct lk_flexible_force - a force on, or a motion of, the coordinates. @q: n values */
struct lk_flexible_force {
    double v[3];
    double w[3];
    double *q;
};

/** lk_flexible_clear() - begin the element in a front whose columns are @stride values apart.
 * lk_flexible_take() - add the rows of one @side of a joint at @node, from row @at of the front on.
 * lk_flexible_add() - add s Phi W Phi^T to the lower triangle of the first @n columns of @F. */
LK_RT void lk_flexible_clear(const struct lk_flexible *body, int stride);
LK_RT void lk_flexible_take(const struct lk_flexible *body, const struct lk_side *side, int node,
                            int at, int stride);
LK_RT void lk_flexible_add(const struct lk_flexible *body, int n, double *F, int stride);

/** lk_flexible_gather() - add T^T of the force @on (world, body axes) of @node to @force. */
LK_RT void lk_flexible_gather(const struct lk_flexible *body, int node, const struct lk_twist *on,
                              struct lk_flexible_force *force);
/** lk_flexible_weigh() - compute s W @force in place. */
LK_RT void lk_flexible_weigh(const struct lk_flexible *body, struct lk_flexible_force *force);
/** lk_flexible_spread() - compute the motion T @motion of @node. */
LK_RT void lk_flexible_spread(const struct lk_flexible *body, int node,
                              const struct lk_flexible_force *motion, struct lk_twist *ret);

#endif

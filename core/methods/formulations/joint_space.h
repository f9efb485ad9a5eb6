/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the formulations dca and hdca share: the spanning tree, the assembly of its
 * bodies, and the computation of accelerations in joint coordinates by divide and conquer. */
#ifndef LK_METHODS_FORMULATIONS_JOINT_SPACE_H
#define LK_METHODS_FORMULATIONS_JOINT_SPACE_H

#include "methods/mechanics/equations.h"
#include "methods/relative/relative.h"

/** struct lk_joint_space - state that dca and hdca share.
 * @baumgarte:      alpha and beta of the cut rows [1/s]; 0: no stabilisation
 * @force, @motion: n_bodies, scratch: loads, and the velocities or accelerations that they cause
 * @rows:           n_rows, multipliers of the last lk_joint_space_accelerate()
 * @other:          n_rows, scratch
 * @nu, @nu_rate:   n_v */
struct lk_joint_space {
    struct lk_mechanics *mechanics;
    struct lk_relative *relative;
    struct lk_assembly *assembly;
    double baumgarte[2];
    int n_q;
    int n_v;
    struct lk_twist *force;
    struct lk_twist *motion;
    double *rows;
    double *other;
    double *nu;
    double *nu_rate;
    void *memory;
};

/** lk_joint_space_init() - build the tree and the assembly. Refuses bodies without inertia.
 * @name: name of the formulation, for the error message Not for the cycle. Release with
 *        lk_joint_space_fini().
 * Return: 0, -ENOMEM, LK_E_MODEL. */
int lk_joint_space_init(struct lk_joint_space *space, const char *name,
                        struct lk_mechanics *mechanics, struct lk_error *ret_error);
void lk_joint_space_fini(struct lk_joint_space *space);

/** lk_joint_space_accelerate() - compute @nu_rate = nu' and @rows = lambda at the last
 * lk_relative_place() and evaluation, with the last factor. First Phi_q W Phi_q^T lambda = Phi_q W
 * (Q - w x J w) + gamma is solved, then v' = W (Q - w x J w - Phi_q^T lambda) is computed, then nu'
 * from v' of both bodies of every joint.
 * RT: yes. */
LK_RT void lk_joint_space_accelerate(struct lk_joint_space *space);

#endif

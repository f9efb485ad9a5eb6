/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that dca and hdca share: the tree, the assembly over its bodies, and the
 * accelerations of a state in joint coordinates by divide and conquer. */
#ifndef LK_METHODS_FORMULATIONS_JOINT_SPACE_H
#define LK_METHODS_FORMULATIONS_JOINT_SPACE_H

#include "methods/mechanics/equations.h"
#include "methods/relative/relative.h"

/** struct lk_joint_space - state of dca and hdca
 * @baumgarte: alpha and beta of the cut rows [1/s], 0: none
 * @force, @motion: n_bodies, scratch: a load, and the motion it causes
 * @rows:   n_rows, multipliers of the last lk_joint_space_accelerate();  @other: n_rows, scratch
 * @nu, @nu_rate: n_v */
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

/** lk_joint_space_init() - build tree and assembly; refuses bodies without inertia.
 * @name: name of the formulation, for the error message
 * Not for the cycle. Return: 0, -ENOMEM, LK_E_MODEL. Release with lk_joint_space_fini(). */
int lk_joint_space_init(struct lk_joint_space *space, const char *name,
                        struct lk_mechanics *mechanics, struct lk_error *ret_error);
void lk_joint_space_fini(struct lk_joint_space *space);

/** lk_joint_space_accelerate() - compute @nu_rate and @rows = lambda at the last
 * lk_relative_place() and evaluation, with the last factor: Phi_q W Phi_q^T lambda = Phi_q W (Q - w
 * x J w) + gamma, v' = W (Q - w x J w - Phi_q^T lambda), nu' from both bodies of every joint. RT:
 * yes. */
LK_RT void lk_joint_space_accelerate(struct lk_joint_space *space);

#endif

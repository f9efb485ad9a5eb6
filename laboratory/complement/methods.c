/* SPDX-License-Identifier: Apache-2.0 */
/* The list of methods. A new method needs a function in the file of its family and a line here. */
#include "laboratory/complement/families.h"
#include <stddef.h>

/* X(name, basis, accelerations, inverts the mass matrix); the first method is the default */
#define METHODS(X)                                                                                 \
    X("qr", lk_complement_qr, lk_complement_project, 0)                                            \
    X("svd", lk_complement_svd, lk_complement_project, 0)                                          \
    X("zero-eigenvalue", lk_complement_zero_eigenvalue, lk_complement_project, 0)                  \
    X("schur", lk_complement_schur, lk_complement_project, 0)                                      \
    X("putd-h", lk_complement_putd_h, lk_complement_project, 0)                                    \
    X("putd-g", lk_complement_putd_g, lk_complement_project, 0)                                    \
    X("putd-h-explicit", lk_complement_putd_h_explicit, lk_complement_project, 0)                  \
    X("putd-g-explicit", lk_complement_putd_g_explicit, lk_complement_project, 0)                  \
    X("coordinate-partitioning", NULL, lk_complement_partition, 0)                                 \
    X("wang-huston", NULL, lk_complement_wang_huston, 1)                                           \
    X("wang-huston-fixed-rank", NULL, lk_complement_wang_huston_fixed, 1)

#define METHOD(name, basis, accelerations, divides) {name, basis, accelerations, divides},
const struct lk_complement_method lk_complement_methods[] = {METHODS(METHOD){NULL, NULL, NULL, 0}};

#define VARIANT(name, basis, accelerations, divides) name,
const char *const lk_complement_variants[] = {METHODS(VARIANT) NULL};

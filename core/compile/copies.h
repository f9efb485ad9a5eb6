/* SPDX-License-Identifier: Apache-2.0 */
/* Which systems may be copies side by side, and how they come to be; see step/copies.h. All:
 * thread: any; RT: no. */
#ifndef LK_COMPILE_COPIES_H
#define LK_COMPILE_COPIES_H

#include "step/copies.h"

/** lk_copies_lanes() - how many systems like @system may be side by side: 1 where it can only step
 * alone. @ret_why: of 1 why, else NULL; static text. */
int lk_copies_lanes(const struct lk_system *system, const char **ret_why);

/** lk_copies_fit() - whether two systems, each of which may have others beside it, may be beside
 * each other: they have one program and one step. */
bool lk_copies_fit(const struct lk_system *a, const struct lk_system *b);

/** lk_copies_new() - put @n systems that fit side by side, 1 to lk_copies_lanes(), each with the
 * state that it has. Until lk_copies_free() nothing else may step, reset or restore them.
 * Return: 0, -ENOMEM. */
int lk_copies_new(struct lk_system *const *systems, int n, struct lk_copies **ret_copies);

/** lk_copies_free() - the systems are on their own again, with the states that they have reached;
 * one that failed is to be reset before it steps. NULL is allowed. */
void lk_copies_free(struct lk_copies *copies);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that are what the programs need, whatever the limit of whoever started them (ulimit -s):
 * the C library takes it for the size of each thread's stack, and a process that needs more of its
 * own dies without a word. */
#ifndef LINKAGE_STACKS_H
#define LINKAGE_STACKS_H

#include "linkage/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_STACK_THREAD (1u << 20) /* bytes; where memory is locked all of it is, so not 8 MiB */
#define LK_STACK_LEAST  (1u << 20) /* of the first thread */
#define LK_STACK_WANTED (8u << 20) /* of the first thread, where the hard limit allows it */

/** lk_stacks_prepare() - raise the soft limit of the first thread's stack where it is small, and
 * give LK_STACK_THREAD to all threads that are made from now on, those of libraries included. First
 * of all in a program, in a function with few variables. Return: 0, LK_E_TEXT: the hard limit is
 * too small. */
int lk_stacks_prepare(struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif

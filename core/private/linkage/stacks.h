/* SPDX-License-Identifier: Apache-2.0 */
/* Stack sizes that do not depend on the limit of the calling shell (ulimit -s): the C library uses
 * that limit as the size of each thread's stack, and a process that exceeds its own stack dies
 * without a message. */
#ifndef LINKAGE_STACKS_H
#define LINKAGE_STACKS_H

#include "linkage/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_STACK_THREAD (1u << 20) /* bytes; locked memory includes all of it, hence not 8 MiB */
#define LK_STACK_LEAST  (1u << 20) /* smallest accepted stack of the first thread [bytes] */
#define LK_STACK_WANTED (8u << 20) /* stack of the first thread, if the hard limit allows it */

/** lk_stacks_prepare() - raise the soft limit of the first thread's stack if it is small, and set
 * the stack size of all later threads, including threads of libraries, to LK_STACK_THREAD. Call
 * this function first in a program, from a function with few variables. Return: 0, LK_E_TEXT: the
 * hard limit is too small. */
int lk_stacks_prepare(struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Count the heap calls of one thread, including those from libraries.
 *
 * The test's executable defines malloc() and its relatives, which take precedence over the C
 * library's in the whole process. They forward each call and count it for armed threads. */
#ifndef TEST_ALLOC_GUARD_H
#define TEST_ALLOC_GUARD_H

/** alloc_guard_arm() - Start to count the heap calls of this thread, from zero. */
void alloc_guard_arm(void);
/** alloc_guard_disarm() - Stop counting. Return: number of heap calls of this thread since
 * alloc_guard_arm(). */
unsigned long alloc_guard_disarm(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Count the heap calls of one thread, including those from libraries.
 *
 * The test's executable defines malloc() and its relatives, which take precedence over the C
 * library's in the whole process. They forward each call and count it for armed threads. */
#ifndef TEST_ALLOC_GUARD_H
#define TEST_ALLOC_GUARD_H

/** alloc_guard_arm() - start to count the heap calls of this thread, from zero. */
void alloc_guard_arm(void);
/** alloc_guard_disarm() - stop counting. Return: heap calls of this thread since it was armed. */
unsigned long alloc_guard_disarm(void);

#endif

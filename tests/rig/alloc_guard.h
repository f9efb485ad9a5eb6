/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the heap calls of one thread, those of every library included.
 *
 * The functions are defined in the test's executable, so the dynamic linker gives them to everybody
 * in the process; they pass everything on to the C library and count for armed threads. */
#ifndef TEST_ALLOC_GUARD_H
#define TEST_ALLOC_GUARD_H

/** alloc_guard_arm() - count the heap calls of this thread from now on, from zero. */
void alloc_guard_arm(void);
/** alloc_guard_disarm() - stop counting. Return: heap calls of this thread since it was armed. */
unsigned long alloc_guard_disarm(void);

#endif

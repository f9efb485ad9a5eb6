/* SPDX-License-Identifier: Apache-2.0 */
/* Under a sanitizer a step needs tens of times as long, and freed memory stays allocated. The
 * errors that a sanitizer detects appear already in the first of many similar cases and in the
 * first steps of a long run, so tests are shortened. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#define THINNED   10 /* ratio of a full test to the shortened one */
#else
#define SANITIZED false
#define THINNED   1
#endif

#endif

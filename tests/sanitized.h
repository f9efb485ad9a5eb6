/* SPDX-License-Identifier: Apache-2.0 */
/* Under a sanitizer a step takes tens of times as long, and memory that was given back is kept.
 * What it looks for is in the first of many alike cases, and in the first steps of a long run. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#define THINNED   10 /* one of so many */
#else
#define SANITIZED false
#define THINNED   1
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_ANY_IMPORT_H
#define FUZZ_ANY_IMPORT_H

#include <stddef.h>
#include <stdint.h>

/** import_any() - any bytes as a model of another program: refused with notes of one line each, or
 * written as YAML that our own reader understands; a number beyond its bounds is all that it may
 * refuse then. Anything else aborts. */
void import_any(const uint8_t *data, size_t size);

#endif

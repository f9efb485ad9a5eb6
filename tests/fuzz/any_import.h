/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_ANY_IMPORT_H
#define FUZZ_ANY_IMPORT_H

#include <stddef.h>
#include <stdint.h>

/** import_any() - Import any bytes as a model of another program. The importer must refuse them
 * with notes of one line each, or write YAML that our own reader accepts. Our reader may then
 * refuse only a number beyond its bounds. Any other result aborts. */
void import_any(const uint8_t *data, size_t size);

#endif

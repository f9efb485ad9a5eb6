/* SPDX-License-Identifier: Apache-2.0 */
/* A small recording in memory, made with the writer: for its tests and as a fuzz seed. */
#ifndef TEST_MCAP_FILE_H
#define TEST_MCAP_FILE_H

#include "mcap/schema.h"
#include "mcap/summary.h"

#define MCAP_FILE_CYCLES 20
#define MCAP_FILE_INPUTS 3
#define MCAP_FILE_VALUES 10

/** mcap_file_channels() - Return channels whose names collide as identifiers: scalars and a vector
 * of three components. */
const struct lk_channel *mcap_file_channels(int *ret_n);

/** mcap_file_value() - Return value @i of cycle @cycle. The values include zeros, infinities and
 * NaN. */
double mcap_file_value(unsigned int cycle, unsigned int i);

/** mcap_file_make() - Make a recording: MCAP_FILE_CYCLES cycles in two chunks, a model text "model:
 * text\n", two sets of metadata, and events. @crc: false: the CRC of chunks is 0, unknown
 * @ret_data_end: end of the second chunk and its indexes; NULL is allowed */
void mcap_file_make(struct lk_mcap_buffer *file, bool crc, size_t *ret_data_end);

#endif

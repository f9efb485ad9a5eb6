/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a file that is being written: where each record is, for the end of the file. */
#ifndef LK_MCAP_SUMMARY_H
#define LK_MCAP_SUMMARY_H

#include "chunk.h"

/** struct lk_mcap_summary - @offset: where the next byte of the file goes
 * @schemas, @channels: their records, once more;  @attachments, @metadata: records of their indexes
 * @chunk: @n_chunks, with room for @capacity
 * @messages: of each channel;  @first_ns, @last_ns: of all messages */
struct lk_mcap_summary {
    uint64_t offset;
    struct lk_mcap_buffer schemas;
    struct lk_mcap_buffer channels;
    struct lk_mcap_buffer attachments;
    struct lk_mcap_buffer metadata;
    uint16_t n_schemas;
    uint32_t n_channels;
    uint32_t n_attachments;
    uint32_t n_metadata;
    struct lk_mcap_chunk_index *chunk;
    size_t n_chunks;
    size_t capacity;
    uint64_t messages[LK_MCAP_CHANNELS_MAX + 1];
    uint64_t first_ns;
    uint64_t last_ns;
};

void lk_mcap_summary_init(struct lk_mcap_summary *summary);
void lk_mcap_summary_fini(struct lk_mcap_summary *summary);

/** lk_mcap_summary_front() - look through records that go to @summary->offset next: everything but
 * chunks, as lk_mcap_put_header() and its like have made them. Moves the offset.
 * Return: 0, -ENOMEM. */
int lk_mcap_summary_front(struct lk_mcap_summary *summary, const struct lk_mcap_buffer *records);

/** lk_mcap_summary_chunk() - a closed chunk goes to @summary->offset next. Moves the offset.
 * Return: 0, -ENOMEM. */
int lk_mcap_summary_chunk(struct lk_mcap_summary *summary, const struct lk_mcap_chunk_index *index);

/** lk_mcap_summary_close() - append what ends a file: end of the data, summary, footer, magic; it
 * goes to @summary->offset. A full buffer says that there was no memory. */
void lk_mcap_summary_close(const struct lk_mcap_summary *summary, struct lk_mcap_buffer *buffer);

/** lk_mcap_summary_size() - an upper bound of what that will append, with @more chunks. */
size_t lk_mcap_summary_size(const struct lk_mcap_summary *summary, size_t more);

#endif

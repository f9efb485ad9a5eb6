/* SPDX-License-Identifier: Apache-2.0 */
/* The summary section at the end of a file, collected while the file is written. */
#ifndef LK_MCAP_SUMMARY_H
#define LK_MCAP_SUMMARY_H

#include "chunk.h"

/** struct lk_mcap_summary - data for the summary.
 * @offset:             file offset of the next byte
 * @schemas, @channels: copies of the records
 * @attachments, @metadata: index records of attachments and metadata
 * @chunk:              entries of @n_chunks chunks, with room for @capacity
 * @messages:           number of messages of each channel
 * @first_ns, @last_ns: earliest and latest time of all messages */
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

/** lk_mcap_summary_front() - Register records that are written to @summary->offset next: any
 * records except chunks, made by the lk_mcap_put_*() functions. Advances the offset.
 * Return: 0, -ENOMEM. */
int lk_mcap_summary_front(struct lk_mcap_summary *summary, const struct lk_mcap_buffer *records);

/** lk_mcap_summary_chunk() - Register a closed chunk that is written to @summary->offset next.
 * Advances the offset.
 * Return: 0, -ENOMEM. */
int lk_mcap_summary_chunk(struct lk_mcap_summary *summary, const struct lk_mcap_chunk_index *index);

/** lk_mcap_summary_close() - Append the end of the file, to be written to @summary->offset:
 * DataEnd, summary, footer, magic. If memory is exhausted, @buffer->full is set. */
void lk_mcap_summary_close(const struct lk_mcap_summary *summary, struct lk_mcap_buffer *buffer);

/** lk_mcap_summary_size() - Return an upper bound of the bytes that lk_mcap_summary_close() appends
 * after @more further chunks. */
size_t lk_mcap_summary_size(const struct lk_mcap_summary *summary, size_t more);

#endif

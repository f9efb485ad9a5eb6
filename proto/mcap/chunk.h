/* SPDX-License-Identifier: Apache-2.0 */
/* An MCAP chunk: messages of several channels with a CRC, followed by a message index for each
 * channel. The whole chunk is built in one buffer, so that one write() stores it. */
#ifndef LK_MCAP_CHUNK_H
#define LK_MCAP_CHUNK_H

#include "write.h"

#define LK_MCAP_CHANNELS_MAX 9    /* channels of a writer, numbered from 1 */
#define LK_MCAP_ENTRIES_MAX  8192 /* messages of a chunk */

/** struct lk_mcap_entry - entry of a message index: log time of a message, and its offset in the
 * chunk. */
struct lk_mcap_entry {
    uint64_t time_ns;
    uint64_t offset;
};

/** struct lk_mcap_chunk - a chunk under construction.
 * @buffer:             the whole chunk
 * @begin:              offset of the messages in @buffer
 * @entry, @n_entry:    index entries of each channel
 * @n_entries:          number of entries of all channels
 * @n_indexed:          number of channels that have entries
 * @first_ns, @last_ns: earliest and latest log time */
struct lk_mcap_chunk {
    struct lk_mcap_buffer buffer;
    size_t begin;
    struct lk_mcap_entry *entry[LK_MCAP_CHANNELS_MAX + 1];
    size_t n_entry[LK_MCAP_CHANNELS_MAX + 1];
    size_t n_entries;
    size_t n_indexed;
    uint64_t first_ns;
    uint64_t last_ns;
};

/** struct lk_mcap_chunk_index - entry of the summary for a chunk. Sizes are in bytes.
 * @length:       size of the chunk
 * @index_length: size of the indexes after it
 * @records:      size of its messages
 * @index:        offset of each channel's index from the start of the chunk, 0: none
 * @messages:     number of each channel's messages */
struct lk_mcap_chunk_index {
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t offset;
    uint64_t length;
    uint64_t index_length;
    uint64_t records;
    uint32_t index[LK_MCAP_CHANNELS_MAX + 1];
    uint32_t messages[LK_MCAP_CHANNELS_MAX + 1];
};

/** lk_mcap_chunk_size() - Return the memory [bytes] for a chunk with @records bytes of messages. */
size_t lk_mcap_chunk_size(size_t records);

/** lk_mcap_chunk_init(), lk_mcap_chunk_fini() - Allocate and release the indexes, which successive
 * chunks reuse.
 * Return: 0, -ENOMEM. */
int lk_mcap_chunk_init(struct lk_mcap_chunk *chunk);
void lk_mcap_chunk_fini(struct lk_mcap_chunk *chunk);
/** lk_mcap_chunk_begin() - Start an empty chunk. @memory: @size bytes owned by the caller, at least
 * lk_mcap_chunk_size(0) */
void lk_mcap_chunk_begin(struct lk_mcap_chunk *chunk, void *memory, size_t size);

/** lk_mcap_chunk_fits() - Return true if @n messages with a total of @bytes, without their headers,
 * fit into the chunk. */
bool lk_mcap_chunk_fits(const struct lk_mcap_chunk *chunk, size_t n, size_t bytes);

/** lk_mcap_chunk_add() - Append a message. @channel: 1 to LK_MCAP_CHANNELS_MAX @size: size of its
 * data [bytes]
 * Return: destination of the data, to be written by the caller; NULL if they do not fit. */
unsigned char *lk_mcap_chunk_add(struct lk_mcap_chunk *chunk, uint16_t channel, uint32_t sequence,
                                 uint64_t log_ns, uint64_t publish_ns, size_t size);

/** lk_mcap_chunk_close() - Write CRC, lengths and indexes; afterwards @chunk->buffer is complete.
 * @ret_index: entry of the summary, with offset 0 */
void lk_mcap_chunk_close(struct lk_mcap_chunk *chunk, struct lk_mcap_chunk_index *ret_index);

#endif

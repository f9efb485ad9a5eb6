/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk: messages of several channels in one piece, with a CRC over them, and behind it an index
 * of each channel. All of it is built in one buffer, so that one write carries it out. */
#ifndef LK_MCAP_CHUNK_H
#define LK_MCAP_CHUNK_H

#include "write.h"

#define LK_MCAP_CHANNELS_MAX 4    /* channels that a writer has, their numbers from 1 */
#define LK_MCAP_ENTRIES_MAX  8192 /* messages of a chunk */

/** struct lk_mcap_entry - of an index: when a message was logged, where it begins within the chunk.
 */
struct lk_mcap_entry {
    uint64_t time_ns;
    uint64_t offset;
};

/** struct lk_mcap_chunk - @buffer: all of it;  @begin: of the messages in it
 * @entry, @n_entry: of each channel;  @n_entries, @n_indexed: of all
 * channels, and how many channels have some
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

/** struct lk_mcap_chunk_index - what the summary says about a chunk. Offsets of the indexes are
 * from the begin of the chunk, 0 where a channel has none.
 * @length: of the chunk;  @index_length: of what follows it;  @records: bytes of its messages
 * @messages: of each channel */
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

/** lk_mcap_chunk_size() - bytes of memory for a chunk with @records bytes of messages. */
size_t lk_mcap_chunk_size(size_t records);

/** lk_mcap_chunk_init(), lk_mcap_chunk_fini() - what chunks need beside their bytes; one after the
 * other can use it. Return: 0, -ENOMEM. */
int lk_mcap_chunk_init(struct lk_mcap_chunk *chunk);
void lk_mcap_chunk_fini(struct lk_mcap_chunk *chunk);
/** lk_mcap_chunk_begin() - an empty chunk. @memory: @size bytes, the caller's, at least
 * lk_mcap_chunk_size(0) */
void lk_mcap_chunk_begin(struct lk_mcap_chunk *chunk, void *memory, size_t size);

/** lk_mcap_chunk_fits() - room for @n messages of @bytes in all, their heads not counted? */
bool lk_mcap_chunk_fits(const struct lk_mcap_chunk *chunk, size_t n, size_t bytes);

/** lk_mcap_chunk_add() - a message.
 * @channel:   1 to LK_MCAP_CHANNELS_MAX
 * @size:      of its data
 * Return: where its data go; NULL when it does not fit. */
unsigned char *lk_mcap_chunk_add(struct lk_mcap_chunk *chunk, uint16_t channel, uint32_t sequence,
                                 uint64_t log_ns, uint64_t publish_ns, size_t size);

/** lk_mcap_chunk_close() - CRC, lengths and indexes: @chunk->buffer is ready to be written.
 * @ret_index: its offset is left 0 */
void lk_mcap_chunk_close(struct lk_mcap_chunk *chunk, struct lk_mcap_chunk_index *ret_index);

#endif

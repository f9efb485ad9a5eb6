/* SPDX-License-Identifier: Apache-2.0 */
#include "chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Size of the beginning of a chunk, before its messages: times, size, CRC, an empty text, and the
 * size again. */
#define HEAD (LK_MCAP_HEAD_SIZE + 8 + 8 + 8 + 4 + 4 + 8)
/* Size of the beginning of a message, before its data. */
#define MESSAGE_HEAD (LK_MCAP_HEAD_SIZE + 2 + 4 + 8 + 8)
/* Size of the beginning of a message index, before its entries. */
#define INDEX_HEAD (LK_MCAP_HEAD_SIZE + 2 + 4)
#define ENTRY      16

size_t lk_mcap_chunk_size(size_t records)
{
    return HEAD + records + LK_MCAP_CHANNELS_MAX * INDEX_HEAD + LK_MCAP_ENTRIES_MAX * ENTRY;
}

int lk_mcap_chunk_init(struct lk_mcap_chunk *chunk)
{
    struct lk_mcap_entry *all =
        calloc((LK_MCAP_CHANNELS_MAX + 1) * (size_t)LK_MCAP_ENTRIES_MAX, sizeof(*all));

    *chunk = (struct lk_mcap_chunk){0};
    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i <= LK_MCAP_CHANNELS_MAX; i++)
        chunk->entry[i] = all + i * LK_MCAP_ENTRIES_MAX;
    return 0;
}

void lk_mcap_chunk_fini(struct lk_mcap_chunk *chunk)
{
    free(chunk->entry[0]);
    *chunk = (struct lk_mcap_chunk){0};
}

void lk_mcap_chunk_begin(struct lk_mcap_chunk *chunk, void *memory, size_t size)
{
    chunk->buffer = (struct lk_mcap_buffer){.data = memory, .capacity = size};
    lk_mcap_begin(&chunk->buffer, LK_MCAP_CHUNK);
    lk_mcap_reserve(&chunk->buffer, HEAD - LK_MCAP_HEAD_SIZE);
    chunk->begin = chunk->buffer.size;
    memset(chunk->n_entry, 0, sizeof(chunk->n_entry));
    chunk->n_entries = chunk->n_indexed = 0;
    chunk->first_ns = chunk->last_ns = 0;
}

bool lk_mcap_chunk_fits(const struct lk_mcap_chunk *chunk, size_t n, size_t bytes)
{
    size_t indexes = LK_MCAP_CHANNELS_MAX * INDEX_HEAD + (chunk->n_entries + n) * ENTRY;

    return chunk->n_entries + n <= LK_MCAP_ENTRIES_MAX &&
           chunk->buffer.size + n * MESSAGE_HEAD + bytes + indexes <= chunk->buffer.capacity;
}

static void note_message(struct lk_mcap_chunk *chunk, uint16_t channel, uint64_t log_ns,
                         size_t offset)
{
    if (chunk->n_entries == 0 || log_ns < chunk->first_ns)
        chunk->first_ns = log_ns;
    if (log_ns > chunk->last_ns)
        chunk->last_ns = log_ns;
    if (chunk->n_entry[channel] == 0)
        chunk->n_indexed++;
    chunk->entry[channel][chunk->n_entry[channel]++] = (struct lk_mcap_entry){log_ns, offset};
    chunk->n_entries++;
}

unsigned char *lk_mcap_chunk_add(struct lk_mcap_chunk *chunk, uint16_t channel, uint32_t sequence,
                                 uint64_t log_ns, uint64_t publish_ns, size_t size)
{
    struct lk_mcap_buffer *b = &chunk->buffer;
    size_t offset = b->size - chunk->begin;

    if (channel < 1 || channel > LK_MCAP_CHANNELS_MAX || !lk_mcap_chunk_fits(chunk, 1, size))
        return NULL;
    note_message(chunk, channel, log_ns, offset);
    lk_mcap_put_u8(b, LK_MCAP_MESSAGE);
    lk_mcap_put_u64(b, MESSAGE_HEAD - LK_MCAP_HEAD_SIZE + size);
    lk_mcap_put_u16(b, channel);
    lk_mcap_put_u32(b, sequence);
    lk_mcap_put_u64(b, log_ns);
    lk_mcap_put_u64(b, publish_ns);
    return lk_mcap_reserve(b, size);
}

static void put_index(struct lk_mcap_chunk *chunk, uint16_t channel)
{
    struct lk_mcap_buffer *b = &chunk->buffer;
    size_t begin = lk_mcap_begin(b, LK_MCAP_MESSAGE_INDEX);

    lk_mcap_put_u16(b, channel);
    lk_mcap_put_u32(b, (uint32_t)(chunk->n_entry[channel] * ENTRY));
    for (size_t i = 0; i < chunk->n_entry[channel]; i++) {
        lk_mcap_put_u64(b, chunk->entry[channel][i].time_ns);
        lk_mcap_put_u64(b, chunk->entry[channel][i].offset);
    }
    lk_mcap_end(b, begin);
}

void lk_mcap_chunk_close(struct lk_mcap_chunk *chunk, struct lk_mcap_chunk_index *ret_index)
{
    struct lk_mcap_buffer *b = &chunk->buffer;
    size_t records = b->size - chunk->begin;
    unsigned char *at = b->data + LK_MCAP_HEAD_SIZE;

    *ret_index = (struct lk_mcap_chunk_index){
        .first_ns = chunk->first_ns,
        .last_ns = chunk->last_ns,
        .length = b->size,
        .records = records,
    };
    lk_mcap_end(b, LK_MCAP_HEAD_SIZE);
    lk_mcap_store_u64(at, chunk->first_ns);
    lk_mcap_store_u64(at + 8, chunk->last_ns);
    lk_mcap_store_u64(at + 16, records);
    lk_mcap_store_u32(at + 24, lk_mcap_crc(b->data + chunk->begin, records));
    lk_mcap_store_u32(at + 28, 0); /* no compression */
    lk_mcap_store_u64(at + 32, records);
    for (uint16_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++) {
        if (chunk->n_entry[c] == 0)
            continue;
        ret_index->index[c] = (uint32_t)b->size;
        ret_index->messages[c] = (uint32_t)chunk->n_entry[c];
        put_index(chunk, c);
    }
    ret_index->index_length = b->size - ret_index->length;
}

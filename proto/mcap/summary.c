/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Size of the chunk index record of a chunk with all channels. */
#define CHUNK_INDEX_SIZE                                                                           \
    (LK_MCAP_HEAD_SIZE + 8 + 8 + 8 + 8 + 4 + LK_MCAP_CHANNELS_MAX * (2 + 8) + 8 + 4 + 8 + 8)
/* upper bound of the size of statistics, summary offsets, end of data, footer and magic [bytes] */
#define OTHERS_SIZE 1024

void lk_mcap_summary_init(struct lk_mcap_summary *summary)
{
    *summary = (struct lk_mcap_summary){.schemas = {.grows = true},
                                        .channels = {.grows = true},
                                        .attachments = {.grows = true},
                                        .metadata = {.grows = true}};
}

void lk_mcap_summary_fini(struct lk_mcap_summary *summary)
{
    lk_mcap_buffer_fini(&summary->schemas);
    lk_mcap_buffer_fini(&summary->channels);
    lk_mcap_buffer_fini(&summary->attachments);
    lk_mcap_buffer_fini(&summary->metadata);
    free(summary->chunk);
    *summary = (struct lk_mcap_summary){0};
}

static uint64_t load(const unsigned char *from, size_t n)
{
    uint64_t value = 0;

    for (size_t i = n; i > 0; i--)
        value = value << 8 | from[i - 1];
    return value;
}

/* Add the index record of an attachment.
 * @record: the attachment record, including its head */
static void index_attachment(struct lk_mcap_summary *summary, const unsigned char *record,
                             size_t size)
{
    const unsigned char *content = record + LK_MCAP_HEAD_SIZE;
    size_t name = load(content + 16, 4), media = load(content + 20 + name, 4);
    struct lk_mcap_buffer *b = &summary->attachments;
    size_t begin = lk_mcap_begin(b, LK_MCAP_ATTACHMENT_INDEX);

    lk_mcap_put_u64(b, summary->offset);
    lk_mcap_put_u64(b, size);
    lk_mcap_put(b, content, 16); /* log time and create time */
    lk_mcap_put(b, content + 24 + name + media, 8);
    lk_mcap_put(b, content + 16, 8 + name + media); /* both texts, with their lengths */
    lk_mcap_end(b, begin);
    summary->n_attachments++;
}

static void index_metadata(struct lk_mcap_summary *summary, const unsigned char *record,
                           size_t size)
{
    const unsigned char *content = record + LK_MCAP_HEAD_SIZE;
    struct lk_mcap_buffer *b = &summary->metadata;
    size_t begin = lk_mcap_begin(b, LK_MCAP_METADATA_INDEX);

    lk_mcap_put_u64(b, summary->offset);
    lk_mcap_put_u64(b, size);
    lk_mcap_put(b, content, 4 + load(content, 4));
    lk_mcap_end(b, begin);
    summary->n_metadata++;
}

static void note_record(struct lk_mcap_summary *summary, const unsigned char *record, size_t size)
{
    switch (record[0]) {
    case LK_MCAP_SCHEMA:
        lk_mcap_put(&summary->schemas, record, size);
        summary->n_schemas++;
        break;
    case LK_MCAP_CHANNEL:
        lk_mcap_put(&summary->channels, record, size);
        summary->n_channels++;
        break;
    case LK_MCAP_ATTACHMENT:
        index_attachment(summary, record, size);
        break;
    case LK_MCAP_METADATA:
        index_metadata(summary, record, size);
        break;
    default:
        break;
    }
}

int lk_mcap_summary_front(struct lk_mcap_summary *summary, const struct lk_mcap_buffer *records)
{
    size_t at = 0;

    if (records->full)
        return -ENOMEM;
    if (summary->offset == 0) {
        at = LK_MCAP_MAGIC_SIZE;
        summary->offset += at;
    }
    while (at < records->size) {
        size_t size = LK_MCAP_HEAD_SIZE + load(records->data + at + 1, 8);

        note_record(summary, records->data + at, size);
        summary->offset += size;
        at += size;
    }
    return summary->schemas.full || summary->channels.full || summary->attachments.full ||
                   summary->metadata.full
               ? -ENOMEM
               : 0;
}

static int make_room(struct lk_mcap_summary *summary)
{
    size_t capacity = summary->capacity ? 2 * summary->capacity : 256;
    struct lk_mcap_chunk_index *chunk;

    if (summary->n_chunks < summary->capacity)
        return 0;
    chunk = realloc(summary->chunk, capacity * sizeof(*chunk));
    if (!chunk)
        return -ENOMEM;
    summary->chunk = chunk;
    summary->capacity = capacity;
    return 0;
}

int lk_mcap_summary_chunk(struct lk_mcap_summary *summary, const struct lk_mcap_chunk_index *index)
{
    struct lk_mcap_chunk_index *own;
    uint64_t n = 0;

    if (make_room(summary))
        return -ENOMEM;
    own = &summary->chunk[summary->n_chunks++];
    *own = *index;
    own->offset = summary->offset;
    summary->offset += index->length + index->index_length;
    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        n += index->messages[c];
    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        summary->messages[c] += index->messages[c];
    if (n > 0) {
        if (summary->last_ns == 0 || index->first_ns < summary->first_ns)
            summary->first_ns = index->first_ns;
        if (index->last_ns > summary->last_ns)
            summary->last_ns = index->last_ns;
    }
    return 0;
}

static void put_chunk_index(struct lk_mcap_buffer *b, const struct lk_mcap_chunk_index *chunk)
{
    size_t begin = lk_mcap_begin(b, LK_MCAP_CHUNK_INDEX), map;

    lk_mcap_put_u64(b, chunk->first_ns);
    lk_mcap_put_u64(b, chunk->last_ns);
    lk_mcap_put_u64(b, chunk->offset);
    lk_mcap_put_u64(b, chunk->length);
    lk_mcap_put_u32(b, 0);
    map = b->size;
    for (uint16_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        if (chunk->index[c] > 0) {
            lk_mcap_put_u16(b, c);
            lk_mcap_put_u64(b, chunk->offset + chunk->index[c]);
        }
    if (!b->full)
        lk_mcap_store_u32(b->data + map - 4, (uint32_t)(b->size - map));
    lk_mcap_put_u64(b, chunk->index_length);
    lk_mcap_put_text(b, "");
    lk_mcap_put_u64(b, chunk->records);
    lk_mcap_put_u64(b, chunk->records);
    lk_mcap_end(b, begin);
}

static void put_statistics(struct lk_mcap_buffer *b, const struct lk_mcap_summary *summary)
{
    size_t begin = lk_mcap_begin(b, LK_MCAP_STATISTICS), map;
    uint64_t n = 0;

    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        n += summary->messages[c];
    lk_mcap_put_u64(b, n);
    lk_mcap_put_u16(b, summary->n_schemas);
    lk_mcap_put_u32(b, summary->n_channels);
    lk_mcap_put_u32(b, summary->n_attachments);
    lk_mcap_put_u32(b, summary->n_metadata);
    lk_mcap_put_u32(b, (uint32_t)summary->n_chunks);
    lk_mcap_put_u64(b, summary->first_ns);
    lk_mcap_put_u64(b, summary->last_ns);
    lk_mcap_put_u32(b, 0);
    map = b->size;
    for (uint16_t c = 1; c <= LK_MCAP_CHANNELS_MAX && c <= summary->n_channels; c++) {
        lk_mcap_put_u16(b, c);
        lk_mcap_put_u64(b, summary->messages[c]);
    }
    if (!b->full)
        lk_mcap_store_u32(b->data + map - 4, (uint32_t)(b->size - map));
    lk_mcap_end(b, begin);
}

#define GROUPS 6

/* struct group - records of one type in the summary, from @begin to @end of the buffer. */
struct group {
    enum lk_mcap_op op;
    size_t begin;
    size_t end;
};

static void put_groups(struct lk_mcap_buffer *b, const struct lk_mcap_summary *summary,
                       struct group group[GROUPS])
{
    const struct lk_mcap_buffer *ready[GROUPS] = {&summary->schemas,     &summary->channels, NULL,
                                                  &summary->attachments, &summary->metadata, NULL};
    static const enum lk_mcap_op ops[GROUPS] = {LK_MCAP_SCHEMA,         LK_MCAP_CHANNEL,
                                                LK_MCAP_CHUNK_INDEX,    LK_MCAP_ATTACHMENT_INDEX,
                                                LK_MCAP_METADATA_INDEX, LK_MCAP_STATISTICS};

    for (int i = 0; i < GROUPS; i++) {
        group[i] = (struct group){ops[i], b->size, 0};
        if (ready[i])
            lk_mcap_put(b, ready[i]->data, ready[i]->size);
        for (size_t c = 0; ops[i] == LK_MCAP_CHUNK_INDEX && c < summary->n_chunks; c++)
            put_chunk_index(b, &summary->chunk[c]);
        if (ops[i] == LK_MCAP_STATISTICS)
            put_statistics(b, summary);
        group[i].end = b->size;
    }
}

static void put_offsets(struct lk_mcap_buffer *b, const struct group group[GROUPS], uint64_t zero)
{
    for (int i = 0; i < GROUPS; i++) {
        size_t begin;

        if (group[i].begin == group[i].end)
            continue;
        begin = lk_mcap_begin(b, LK_MCAP_SUMMARY_OFFSET);
        lk_mcap_put_u8(b, (uint8_t)group[i].op);
        lk_mcap_put_u64(b, zero + group[i].begin);
        lk_mcap_put_u64(b, group[i].end - group[i].begin);
        lk_mcap_end(b, begin);
    }
}

void lk_mcap_summary_close(const struct lk_mcap_summary *summary, struct lk_mcap_buffer *b)
{
    uint64_t zero = summary->offset - b->size; /* start of the file */
    struct group group[GROUPS];
    size_t begin = lk_mcap_begin(b, LK_MCAP_DATA_END), summary_at, offsets;

    lk_mcap_put_u32(b, 0); /* no CRC of the data: each chunk has its own */
    lk_mcap_end(b, begin);
    summary_at = b->size;
    put_groups(b, summary, group);
    offsets = b->size;
    put_offsets(b, group, zero);
    begin = lk_mcap_begin(b, LK_MCAP_FOOTER);
    lk_mcap_put_u64(b, zero + summary_at);
    lk_mcap_put_u64(b, zero + offsets);
    /* The CRC covers everything before itself, including the length of the footer record. So the
     * length is written first. */
    lk_mcap_put_u32(b, 0);
    lk_mcap_end(b, begin);
    if (!b->full)
        lk_mcap_store_u32(b->data + b->size - 4,
                          lk_mcap_crc(b->data + summary_at, b->size - 4 - summary_at));
    lk_mcap_put(b, LK_MCAP_MAGIC, LK_MCAP_MAGIC_SIZE);
}

size_t lk_mcap_summary_size(const struct lk_mcap_summary *summary, size_t more)
{
    return summary->schemas.size + summary->channels.size + summary->attachments.size +
           summary->metadata.size + (summary->n_chunks + more) * CHUNK_INDEX_SIZE + OTHERS_SIZE;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "books.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a chunk index with all channels. */
#define CHUNK_INDEX_SIZE                                                                           \
    (LK_MCAP_HEAD_SIZE + 8 + 8 + 8 + 8 + 4 + LK_MCAP_CHANNELS_MAX * (2 + 8) + 8 + 4 + 8 + 8)
/* Of statistics, summary offsets, end of data, footer, magic: some hundred bytes. */
#define OTHERS_SIZE 1024

void lk_mcap_books_init(struct lk_mcap_books *books)
{
    *books = (struct lk_mcap_books){.schemas = {.grows = true},
                                    .channels = {.grows = true},
                                    .attachments = {.grows = true},
                                    .metadata = {.grows = true}};
}

void lk_mcap_books_fini(struct lk_mcap_books *books)
{
    lk_mcap_buffer_fini(&books->schemas);
    lk_mcap_buffer_fini(&books->channels);
    lk_mcap_buffer_fini(&books->attachments);
    lk_mcap_buffer_fini(&books->metadata);
    free(books->chunk);
    *books = (struct lk_mcap_books){0};
}

static uint64_t load(const unsigned char *from, size_t n)
{
    uint64_t value = 0;

    for (size_t i = n; i > 0; i--)
        value = value << 8 | from[i - 1];
    return value;
}

/* @record: of an attachment, from its head on */
static void index_attachment(struct lk_mcap_books *books, const unsigned char *record, size_t size)
{
    const unsigned char *content = record + LK_MCAP_HEAD_SIZE;
    size_t name = load(content + 16, 4), media = load(content + 20 + name, 4);
    struct lk_mcap_buffer *b = &books->attachments;
    size_t begin = lk_mcap_begin(b, LK_MCAP_ATTACHMENT_INDEX);

    lk_mcap_put_u64(b, books->offset);
    lk_mcap_put_u64(b, size);
    lk_mcap_put(b, content, 16); /* log and create time */
    lk_mcap_put(b, content + 24 + name + media, 8);
    lk_mcap_put(b, content + 16, 8 + name + media); /* both texts with their lengths */
    lk_mcap_end(b, begin);
    books->n_attachments++;
}

static void index_metadata(struct lk_mcap_books *books, const unsigned char *record, size_t size)
{
    const unsigned char *content = record + LK_MCAP_HEAD_SIZE;
    struct lk_mcap_buffer *b = &books->metadata;
    size_t begin = lk_mcap_begin(b, LK_MCAP_METADATA_INDEX);

    lk_mcap_put_u64(b, books->offset);
    lk_mcap_put_u64(b, size);
    lk_mcap_put(b, content, 4 + load(content, 4));
    lk_mcap_end(b, begin);
    books->n_metadata++;
}

static void note_record(struct lk_mcap_books *books, const unsigned char *record, size_t size)
{
    switch (record[0]) {
    case LK_MCAP_SCHEMA:
        lk_mcap_put(&books->schemas, record, size);
        books->n_schemas++;
        break;
    case LK_MCAP_CHANNEL:
        lk_mcap_put(&books->channels, record, size);
        books->n_channels++;
        break;
    case LK_MCAP_ATTACHMENT:
        index_attachment(books, record, size);
        break;
    case LK_MCAP_METADATA:
        index_metadata(books, record, size);
        break;
    default:
        break;
    }
}

int lk_mcap_books_front(struct lk_mcap_books *books, const struct lk_mcap_buffer *records)
{
    size_t at = 0;

    if (records->full)
        return -ENOMEM;
    if (books->offset == 0) {
        at = LK_MCAP_MAGIC_SIZE;
        books->offset += at;
    }
    while (at < records->size) {
        size_t size = LK_MCAP_HEAD_SIZE + load(records->data + at + 1, 8);

        note_record(books, records->data + at, size);
        books->offset += size;
        at += size;
    }
    return books->schemas.full || books->channels.full || books->attachments.full ||
                   books->metadata.full
               ? -ENOMEM
               : 0;
}

static int make_room(struct lk_mcap_books *books)
{
    size_t capacity = books->capacity ? 2 * books->capacity : 256;
    struct lk_mcap_chunk_index *chunk;

    if (books->n_chunks < books->capacity)
        return 0;
    chunk = realloc(books->chunk, capacity * sizeof(*chunk));
    if (!chunk)
        return -ENOMEM;
    books->chunk = chunk;
    books->capacity = capacity;
    return 0;
}

int lk_mcap_books_chunk(struct lk_mcap_books *books, const struct lk_mcap_chunk_index *index)
{
    struct lk_mcap_chunk_index *own;
    uint64_t n = 0;

    if (make_room(books))
        return -ENOMEM;
    own = &books->chunk[books->n_chunks++];
    *own = *index;
    own->offset = books->offset;
    books->offset += index->length + index->index_length;
    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        n += index->messages[c];
    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        books->messages[c] += index->messages[c];
    if (n > 0) {
        if (books->last_ns == 0 || index->first_ns < books->first_ns)
            books->first_ns = index->first_ns;
        if (index->last_ns > books->last_ns)
            books->last_ns = index->last_ns;
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

static void put_statistics(struct lk_mcap_buffer *b, const struct lk_mcap_books *books)
{
    size_t begin = lk_mcap_begin(b, LK_MCAP_STATISTICS), map;
    uint64_t n = 0;

    for (size_t c = 1; c <= LK_MCAP_CHANNELS_MAX; c++)
        n += books->messages[c];
    lk_mcap_put_u64(b, n);
    lk_mcap_put_u16(b, books->n_schemas);
    lk_mcap_put_u32(b, books->n_channels);
    lk_mcap_put_u32(b, books->n_attachments);
    lk_mcap_put_u32(b, books->n_metadata);
    lk_mcap_put_u32(b, (uint32_t)books->n_chunks);
    lk_mcap_put_u64(b, books->first_ns);
    lk_mcap_put_u64(b, books->last_ns);
    lk_mcap_put_u32(b, 0);
    map = b->size;
    for (uint16_t c = 1; c <= LK_MCAP_CHANNELS_MAX && c <= books->n_channels; c++) {
        lk_mcap_put_u16(b, c);
        lk_mcap_put_u64(b, books->messages[c]);
    }
    if (!b->full)
        lk_mcap_store_u32(b->data + map - 4, (uint32_t)(b->size - map));
    lk_mcap_end(b, begin);
}

#define GROUPS 6

/* struct group - records of one kind in the summary, from @begin to @end of the buffer. */
struct group {
    enum lk_mcap_op op;
    size_t begin;
    size_t end;
};

static void put_groups(struct lk_mcap_buffer *b, const struct lk_mcap_books *books,
                       struct group group[GROUPS])
{
    const struct lk_mcap_buffer *ready[GROUPS] = {&books->schemas,     &books->channels, NULL,
                                                  &books->attachments, &books->metadata, NULL};
    static const enum lk_mcap_op ops[GROUPS] = {LK_MCAP_SCHEMA,         LK_MCAP_CHANNEL,
                                                LK_MCAP_CHUNK_INDEX,    LK_MCAP_ATTACHMENT_INDEX,
                                                LK_MCAP_METADATA_INDEX, LK_MCAP_STATISTICS};

    for (int i = 0; i < GROUPS; i++) {
        group[i] = (struct group){ops[i], b->size, 0};
        if (ready[i])
            lk_mcap_put(b, ready[i]->data, ready[i]->size);
        for (size_t c = 0; ops[i] == LK_MCAP_CHUNK_INDEX && c < books->n_chunks; c++)
            put_chunk_index(b, &books->chunk[c]);
        if (ops[i] == LK_MCAP_STATISTICS)
            put_statistics(b, books);
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

void lk_mcap_books_close(const struct lk_mcap_books *books, struct lk_mcap_buffer *b)
{
    uint64_t zero = books->offset - b->size; /* of the file, as seen from the buffer */
    struct group group[GROUPS];
    size_t begin = lk_mcap_begin(b, LK_MCAP_DATA_END), summary, offsets;

    lk_mcap_put_u32(b, 0); /* the chunks have CRCs of their own */
    lk_mcap_end(b, begin);
    summary = b->size;
    put_groups(b, books, group);
    offsets = b->size;
    put_offsets(b, group, zero);
    begin = lk_mcap_begin(b, LK_MCAP_FOOTER);
    lk_mcap_put_u64(b, zero + summary);
    lk_mcap_put_u64(b, zero + offsets);
    /* the CRC covers all up to itself, and the length of the record with it */
    lk_mcap_put_u32(b, 0);
    lk_mcap_end(b, begin);
    if (!b->full)
        lk_mcap_store_u32(b->data + b->size - 4,
                          lk_mcap_crc(b->data + summary, b->size - 4 - summary));
    lk_mcap_put(b, LK_MCAP_MAGIC, LK_MCAP_MAGIC_SIZE);
}

size_t lk_mcap_books_size(const struct lk_mcap_books *books, size_t more)
{
    return books->schemas.size + books->channels.size + books->attachments.size +
           books->metadata.size + (books->n_chunks + more) * CHUNK_INDEX_SIZE + OTHERS_SIZE;
}

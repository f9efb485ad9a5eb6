/* SPDX-License-Identifier: Apache-2.0 */
#include "write.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void lk_mcap_buffer_fini(struct lk_mcap_buffer *buffer)
{
    if (buffer->grows)
        free(buffer->data);
    *buffer = (struct lk_mcap_buffer){.grows = buffer->grows};
}

static bool grow_buffer(struct lk_mcap_buffer *buffer, size_t n)
{
    size_t capacity = buffer->capacity ? buffer->capacity : 4096;
    unsigned char *data;

    if (!buffer->grows || n > SIZE_MAX / 4 || buffer->size > SIZE_MAX / 4)
        return false;
    while (capacity < buffer->size + n)
        capacity *= 2;
    data = realloc(buffer->data, capacity);
    if (!data)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

unsigned char *lk_mcap_reserve(struct lk_mcap_buffer *buffer, size_t n)
{
    unsigned char *at;

    if (buffer->full || (n > buffer->capacity - buffer->size && !grow_buffer(buffer, n))) {
        buffer->full = true;
        return NULL;
    }
    at = buffer->data + buffer->size;
    buffer->size += n;
    return at;
}

void lk_mcap_put(struct lk_mcap_buffer *buffer, const void *data, size_t n)
{
    unsigned char *to = lk_mcap_reserve(buffer, n);

    if (to && n > 0)
        memcpy(to, data, n);
}

static void put_little(struct lk_mcap_buffer *buffer, uint64_t value, size_t n)
{
    unsigned char *to = lk_mcap_reserve(buffer, n);

    for (size_t i = 0; to && i < n; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

void lk_mcap_put_u8(struct lk_mcap_buffer *buffer, uint8_t value)
{
    put_little(buffer, value, 1);
}

void lk_mcap_put_u16(struct lk_mcap_buffer *buffer, uint16_t value)
{
    put_little(buffer, value, 2);
}

void lk_mcap_put_u32(struct lk_mcap_buffer *buffer, uint32_t value)
{
    put_little(buffer, value, 4);
}

void lk_mcap_put_u64(struct lk_mcap_buffer *buffer, uint64_t value)
{
    put_little(buffer, value, 8);
}

void lk_mcap_put_text(struct lk_mcap_buffer *buffer, const char *text)
{
    size_t n = strlen(text);

    lk_mcap_put_u32(buffer, (uint32_t)n);
    lk_mcap_put(buffer, text, n);
}

void lk_mcap_store_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

void lk_mcap_store_u64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

size_t lk_mcap_begin(struct lk_mcap_buffer *buffer, enum lk_mcap_op op)
{
    lk_mcap_put_u8(buffer, (uint8_t)op);
    lk_mcap_put_u64(buffer, 0);
    return buffer->size;
}

void lk_mcap_end(struct lk_mcap_buffer *buffer, size_t begin)
{
    if (!buffer->full)
        lk_mcap_store_u64(buffer->data + begin - 8, buffer->size - begin);
}

uint32_t lk_mcap_crc(const void *data, size_t n)
{
    return (uint32_t)crc32_z(0, data, n);
}

/* Write a map of strings, preceded by its length in bytes. */
static void put_map(struct lk_mcap_buffer *buffer, const struct lk_mcap_pair *pairs, size_t n)
{
    size_t begin;

    lk_mcap_put_u32(buffer, 0);
    begin = buffer->size;
    for (size_t i = 0; i < n; i++) {
        lk_mcap_put_text(buffer, pairs[i].key);
        lk_mcap_put_text(buffer, pairs[i].value);
    }
    if (!buffer->full)
        lk_mcap_store_u32(buffer->data + begin - 4, (uint32_t)(buffer->size - begin));
}

void lk_mcap_put_header(struct lk_mcap_buffer *buffer, const char *library)
{
    size_t begin;

    lk_mcap_put(buffer, LK_MCAP_MAGIC, LK_MCAP_MAGIC_SIZE);
    begin = lk_mcap_begin(buffer, LK_MCAP_HEADER);
    lk_mcap_put_text(buffer, ""); /* no profile */
    lk_mcap_put_text(buffer, library);
    lk_mcap_end(buffer, begin);
}

void lk_mcap_put_schema(struct lk_mcap_buffer *buffer, uint16_t id, const char *name,
                        const void *data, size_t size)
{
    size_t begin = lk_mcap_begin(buffer, LK_MCAP_SCHEMA);

    lk_mcap_put_u16(buffer, id);
    lk_mcap_put_text(buffer, name);
    lk_mcap_put_text(buffer, "protobuf");
    lk_mcap_put_u32(buffer, (uint32_t)size);
    lk_mcap_put(buffer, data, size);
    lk_mcap_end(buffer, begin);
}

void lk_mcap_put_channel(struct lk_mcap_buffer *buffer, uint16_t id, uint16_t schema,
                         const char *topic, const struct lk_mcap_pair *pairs, size_t n_pairs)
{
    size_t begin = lk_mcap_begin(buffer, LK_MCAP_CHANNEL);

    lk_mcap_put_u16(buffer, id);
    lk_mcap_put_u16(buffer, schema);
    lk_mcap_put_text(buffer, topic);
    lk_mcap_put_text(buffer, "protobuf");
    put_map(buffer, pairs, n_pairs);
    lk_mcap_end(buffer, begin);
}

void lk_mcap_put_attachment(struct lk_mcap_buffer *buffer, uint64_t time_ns, const char *name,
                            const char *media_type, const void *data, size_t size)
{
    size_t begin = lk_mcap_begin(buffer, LK_MCAP_ATTACHMENT);

    lk_mcap_put_u64(buffer, time_ns);
    lk_mcap_put_u64(buffer, time_ns);
    lk_mcap_put_text(buffer, name);
    lk_mcap_put_text(buffer, media_type);
    lk_mcap_put_u64(buffer, size);
    lk_mcap_put(buffer, data, size);
    lk_mcap_put_u32(buffer,
                    buffer->full ? 0 : lk_mcap_crc(buffer->data + begin, buffer->size - begin));
    lk_mcap_end(buffer, begin);
}

void lk_mcap_put_metadata(struct lk_mcap_buffer *buffer, const char *name,
                          const struct lk_mcap_pair *pairs, size_t n_pairs)
{
    size_t begin = lk_mcap_begin(buffer, LK_MCAP_METADATA);

    lk_mcap_put_text(buffer, name);
    put_map(buffer, pairs, n_pairs);
    lk_mcap_end(buffer, begin);
}

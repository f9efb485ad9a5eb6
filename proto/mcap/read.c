/* SPDX-License-Identifier: Apache-2.0 */
#include "read.h"
#include "linkage/file.h"
#include "linkage/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define FOOTER_SIZE 20
#define TAIL_SIZE   (LK_MCAP_HEAD_SIZE + FOOTER_SIZE + LK_MCAP_MAGIC_SIZE)

/* ---- bytes of the file ---- */

/* Read @n bytes at @offset. The caller has checked that the file has these bytes.
 * Return: 0, -EIO, negative errno. */
static int read_at(const struct lk_mcap_reader *reader, uint64_t offset, void *to, size_t n)
{
    if (reader->memory) {
        memcpy(to, reader->memory + offset, n);
        return 0;
    }
    while (n > 0) {
        ssize_t done = pread(reader->fd, to, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO; /* the file was truncated meanwhile */
        to = (unsigned char *)to + done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return 0;
}

static int read_block(struct lk_mcap_reader *reader, uint64_t offset, uint64_t n)
{
    if (n > SIZE_MAX / 2)
        return -ENOMEM;
    if (n > reader->capacity) {
        unsigned char *block = realloc(reader->block, (size_t)n);

        if (!block)
            return -ENOMEM;
        reader->block = block;
        reader->capacity = (size_t)n;
    }
    return n > 0 ? read_at(reader, offset, reader->block, (size_t)n) : 0;
}

static int check_magic(struct lk_mcap_reader *reader)
{
    unsigned char magic[LK_MCAP_MAGIC_SIZE];
    int r;

    if (reader->size < sizeof(magic))
        return -EINVAL;
    r = read_at(reader, 0, magic, sizeof(magic));
    if (r == 0 && memcmp(magic, LK_MCAP_MAGIC, sizeof(magic)) != 0)
        r = -EINVAL;
    reader->offset = reader->end = sizeof(magic);
    return r;
}

int lk_mcap_open_memory(const void *data, size_t size, struct lk_mcap_reader *ret_reader)
{
    *ret_reader = (struct lk_mcap_reader){.fd = -1, .memory = data, .size = size};
    return check_magic(ret_reader);
}

int lk_mcap_open(const char *path, struct lk_mcap_reader *ret_reader)
{
    struct lk_mcap_reader reader = {.fd = lk_file_open(path)};
    struct stat st;
    int r;

    if (reader.fd < 0)
        return reader.fd;
    r = fstat(reader.fd, &st) ? -errno : 0;
    reader.size = r ? 0 : (uint64_t)st.st_size;
    if (r == 0)
        r = check_magic(&reader);
    if (r)
        close(reader.fd);
    else
        *ret_reader = reader;
    return r;
}

void lk_mcap_close(struct lk_mcap_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->block);
    *reader = (struct lk_mcap_reader){.fd = -1};
}

/* ---- elements of a record; if bytes are missing, the result is zero and @bad is set ---- */

struct cursor {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static uint64_t take_number(struct cursor *c, size_t n)
{
    uint64_t value = 0;

    if (c->left < n) {
        c->bad = true;
        return 0;
    }
    for (size_t i = n; i > 0; i--)
        value = value << 8 | c->at[i - 1];
    c->at += n;
    c->left -= n;
    return value;
}

static struct lk_mcap_span take_span(struct cursor *c, size_t length_size)
{
    uint64_t n = take_number(c, length_size);
    struct lk_mcap_span span = {c->at, 0};

    if (n > c->left) {
        c->bad = true;
        return span;
    }
    if (n == 0) /* the pointer may be invalid then */
        return span;
    span.size = (size_t)n;
    c->at += n;
    c->left -= (size_t)n;
    return span;
}

bool lk_mcap_span_is(struct lk_mcap_span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

bool lk_mcap_map_next(struct lk_mcap_span *map, struct lk_mcap_span *ret_key,
                      struct lk_mcap_span *ret_value)
{
    struct cursor c = {map->data, map->size, false};

    if (map->size == 0)
        return false;
    *ret_key = take_span(&c, 4);
    *ret_value = take_span(&c, 4);
    *map = (struct lk_mcap_span){c.at, c.bad ? 0 : c.left};
    return !c.bad;
}

bool lk_mcap_map_get(struct lk_mcap_span map, const char *key, char *ret, size_t size)
{
    struct lk_mcap_span name, value;

    *ret = '\0';
    while (lk_mcap_map_next(&map, &name, &value)) {
        size_t n = value.size < size ? value.size : size - 1;

        if (!lk_mcap_span_is(name, key))
            continue;
        memcpy(ret, value.data, n);
        ret[n] = '\0';
        lk_text_clean(ret);
        return true;
    }
    return false;
}

/* ---- records ---- */

static void parse_schema(struct cursor *c, struct lk_mcap_item *item)
{
    item->kind = LK_MCAP_IS_SCHEMA;
    item->id = (uint16_t)take_number(c, 2);
    item->name = take_span(c, 4);
    item->encoding = take_span(c, 4);
    item->data = take_span(c, 4);
}

static void parse_channel(struct cursor *c, struct lk_mcap_item *item)
{
    item->kind = LK_MCAP_IS_CHANNEL;
    item->id = (uint16_t)take_number(c, 2);
    item->schema = (uint16_t)take_number(c, 2);
    item->name = take_span(c, 4);
    item->encoding = take_span(c, 4);
    item->map = take_span(c, 4);
}

static void parse_message(struct cursor *c, struct lk_mcap_item *item)
{
    item->kind = LK_MCAP_IS_MESSAGE;
    item->id = (uint16_t)take_number(c, 2);
    item->sequence = (uint32_t)take_number(c, 4);
    item->log_ns = take_number(c, 8);
    item->publish_ns = take_number(c, 8);
    item->data = (struct lk_mcap_span){c->at, c->left};
}

static void parse_attachment(struct cursor *c, struct lk_mcap_item *item)
{
    const unsigned char *begin = c->at;
    uint32_t crc;

    item->kind = LK_MCAP_IS_ATTACHMENT;
    item->log_ns = take_number(c, 8);
    take_number(c, 8);
    item->name = take_span(c, 4);
    item->encoding = take_span(c, 4);
    item->data = take_span(c, 8);
    crc = lk_mcap_crc(begin, (size_t)(c->at - begin));
    if (!c->bad) {
        uint64_t said = take_number(c, 4);

        c->bad = c->bad || (said != 0 && said != crc);
    }
}

static void parse_metadata(struct cursor *c, struct lk_mcap_item *item)
{
    item->kind = LK_MCAP_IS_METADATA;
    item->name = take_span(c, 4);
    item->map = take_span(c, 4);
}

/* Parse a record.
 * Return: 1: an item; 0: a record to be skipped. */
static int parse(struct lk_mcap_reader *reader, uint8_t op, struct lk_mcap_span content,
                 struct lk_mcap_item *item)
{
    struct cursor c = {content.data, content.size, false};

    switch (op) {
    case LK_MCAP_SCHEMA:
        parse_schema(&c, item);
        break;
    case LK_MCAP_CHANNEL:
        parse_channel(&c, item);
        break;
    case LK_MCAP_MESSAGE:
        parse_message(&c, item);
        break;
    case LK_MCAP_ATTACHMENT:
        parse_attachment(&c, item);
        break;
    case LK_MCAP_METADATA:
        parse_metadata(&c, item);
        break;
    default:
        return 0;
    }
    if (c.bad) {
        *item = (struct lk_mcap_item){.kind = LK_MCAP_DAMAGE, .offset = item->offset};
        reader->n_damaged++;
    }
    return 1;
}

static int damage(struct lk_mcap_reader *reader, struct lk_mcap_item *item)
{
    item->kind = LK_MCAP_DAMAGE;
    reader->n_damaged++;
    reader->left.size = 0;
    return 1;
}

/* Read a whole chunk.
 * Return: 0: its messages are next; 1: the chunk was damaged and skipped; -ENOTSUP. */
static int enter_chunk(struct lk_mcap_reader *reader, struct lk_mcap_span content,
                       struct lk_mcap_item *item)
{
    struct cursor c = {content.data, content.size, false};
    struct lk_mcap_span compression, records;
    uint64_t size, crc;

    take_number(&c, 16);
    size = take_number(&c, 8);
    crc = take_number(&c, 4);
    compression = take_span(&c, 4);
    records = take_span(&c, 8);
    if (!c.bad && compression.size > 0)
        return -ENOTSUP;
    if (c.bad || size != records.size ||
        (crc != 0 && crc != lk_mcap_crc(records.data, records.size)))
        return damage(reader, item);
    reader->left = records;
    return 0;
}

/* Read the next record within the chunk.
 * Return: 1: an item; 0: no record, or a record to be skipped. */
static int next_in_chunk(struct lk_mcap_reader *reader, struct lk_mcap_item *item)
{
    struct cursor c = {reader->left.data, reader->left.size, false};
    uint8_t op = (uint8_t)take_number(&c, 1);
    struct lk_mcap_span content = take_span(&c, 8);

    item->offset = reader->chunk;
    if (c.bad)
        return damage(reader, item);
    reader->left = (struct lk_mcap_span){c.at, c.left};
    return op == LK_MCAP_ATTACHMENT || op == LK_MCAP_METADATA ? 0
                                                              : parse(reader, op, content, item);
}

/* ---- the end ---- */

/* Compute the CRC of the summary and of the footer up to the CRC itself. */
static int check_summary(struct lk_mcap_reader *reader, uint64_t begin, uint64_t end, uint32_t *ret)
{
    unsigned char piece[4096];
    uLong crc = 0;

    while (begin < end) {
        size_t n = end - begin < sizeof(piece) ? (size_t)(end - begin) : sizeof(piece);
        int r = read_at(reader, begin, piece, n);

        if (r)
            return r;
        crc = crc32_z(crc, piece, n);
        begin += n;
    }
    *ret = (uint32_t)crc;
    return 0;
}

/* Check the end of the file, after the data that end at @offset. */
static int look_at_tail(struct lk_mcap_reader *reader, uint64_t offset)
{
    unsigned char tail[TAIL_SIZE];
    struct cursor c = {tail, sizeof(tail), false};
    uint64_t summary, said;
    uint32_t crc;
    int r;

    reader->ending = LK_MCAP_CUT;
    if (reader->size - offset < sizeof(tail))
        return 0;
    r = read_at(reader, reader->size - sizeof(tail), tail, sizeof(tail));
    if (r)
        return r;
    if (memcmp(tail + sizeof(tail) - LK_MCAP_MAGIC_SIZE, LK_MCAP_MAGIC, LK_MCAP_MAGIC_SIZE) != 0)
        return 0;
    reader->ending = LK_MCAP_BAD;
    if (take_number(&c, 1) != LK_MCAP_FOOTER || take_number(&c, 8) != FOOTER_SIZE)
        return 0;
    summary = take_number(&c, 8);
    take_number(&c, 8);
    said = take_number(&c, 4);
    if (summary != 0 && summary != offset)
        return 0;
    r = check_summary(reader, offset, reader->size - LK_MCAP_MAGIC_SIZE - 4, &crc);
    if (r)
        return r;
    if (said == 0 || said == crc)
        reader->ending = LK_MCAP_COMPLETE;
    return 0;
}

static int end_file(struct lk_mcap_reader *reader, enum lk_mcap_ending ending)
{
    reader->ending = ending;
    return 0;
}

/* ---- iteration ---- */

static bool is_read(uint8_t op)
{
    return op == LK_MCAP_SCHEMA || op == LK_MCAP_CHANNEL || op == LK_MCAP_MESSAGE ||
           op == LK_MCAP_CHUNK || op == LK_MCAP_ATTACHMENT || op == LK_MCAP_METADATA;
}

/* Read the next record of the file. Return: 1: an item; 0: no item, or the end; negative errno. */
static int next_record(struct lk_mcap_reader *reader, struct lk_mcap_item *item)
{
    unsigned char head[LK_MCAP_HEAD_SIZE];
    struct cursor c = {head, sizeof(head), false};
    uint64_t begin = reader->offset, room = reader->size - begin, n;
    uint8_t op;
    int r;

    reader->end = begin;
    if (room < sizeof(head))
        return end_file(reader, LK_MCAP_CUT);
    r = read_at(reader, begin, head, sizeof(head));
    if (r)
        return r;
    op = (uint8_t)take_number(&c, 1);
    n = take_number(&c, 8);
    if (op == 0) /* space that was reserved in the file system and never written */
        return end_file(reader, LK_MCAP_CUT);
    if (op == LK_MCAP_FOOTER)
        return end_file(reader, LK_MCAP_BAD); /* the record for the end of data is missing */
    if (n > room - sizeof(head))
        return end_file(reader, LK_MCAP_CUT);
    begin += sizeof(head);
    reader->offset = reader->end = begin + n;
    if (op == LK_MCAP_DATA_END)
        return look_at_tail(reader, reader->offset);
    if (!is_read(op))
        return 0;
    r = read_block(reader, begin, n);
    if (r)
        return r;
    item->offset = reader->chunk = begin - sizeof(head);
    if (op == LK_MCAP_CHUNK)
        return enter_chunk(reader, (struct lk_mcap_span){reader->block, (size_t)n}, item);
    return parse(reader, op, (struct lk_mcap_span){reader->block, (size_t)n}, item);
}

int lk_mcap_next(struct lk_mcap_reader *reader, struct lk_mcap_item *ret_item)
{
    int r = 0;

    *ret_item = (struct lk_mcap_item){0};
    while (r == 0 && reader->ending == LK_MCAP_OPEN)
        r = reader->left.size > 0 ? next_in_chunk(reader, ret_item) : next_record(reader, ret_item);
    return r;
}

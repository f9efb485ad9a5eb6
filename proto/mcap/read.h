/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of an MCAP file, from front to back.
 *
 * The file is not trusted: a length is checked against the remaining bytes before data are read or
 * memory is allocated, every CRC is checked, and a text may contain any bytes. A chunk with a wrong
 * CRC is skipped and reported; a truncated file is read up to its last whole record. */
#ifndef LK_MCAP_READ_H
#define LK_MCAP_READ_H

#include "write.h"

/** enum lk_mcap_kind - type of an item; LK_MCAP_DAMAGE: damaged data were skipped. */
enum lk_mcap_kind {
    LK_MCAP_IS_SCHEMA,
    LK_MCAP_IS_CHANNEL,
    LK_MCAP_IS_MESSAGE,
    LK_MCAP_IS_ATTACHMENT,
    LK_MCAP_IS_METADATA,
    LK_MCAP_DAMAGE,
};

/** struct lk_mcap_span - bytes of the file; not terminated. */
struct lk_mcap_span {
    const unsigned char *data;
    size_t size;
};

/** struct lk_mcap_item - one item of a file. Spans are valid until the next call.
 * @offset:   file offset of the record, or of the chunk that contains it
 * @id:       identifier of a schema or channel, or channel of a message
 * @schema:   schema of a channel, 0: none
 * @name:     name of a schema, an attachment or metadata; topic of a channel
 * @encoding: encoding of a schema, or of the messages of a channel; media type of an attachment
 * @data:     content of a schema, message or attachment
 * @map:      entries of a channel or metadata, see lk_mcap_map_next() */
struct lk_mcap_item {
    enum lk_mcap_kind kind;
    uint64_t offset;
    uint16_t id;
    uint16_t schema;
    uint32_t sequence;
    uint64_t log_ns;
    uint64_t publish_ns;
    struct lk_mcap_span name;
    struct lk_mcap_span encoding;
    struct lk_mcap_span data;
    struct lk_mcap_span map;
};

/** enum lk_mcap_ending - state of the end of the file.
 * LK_MCAP_OPEN: not reached yet. LK_MCAP_COMPLETE: the file has an end of data, a summary with the
 * right CRC, a footer and the magic. LK_MCAP_CUT: the file is truncated, because its writer was
 * stopped. LK_MCAP_BAD: malformed data. */
enum lk_mcap_ending { LK_MCAP_OPEN, LK_MCAP_COMPLETE, LK_MCAP_CUT, LK_MCAP_BAD };

/** struct lk_mcap_reader - a file that is being read.
 * @fd, @memory: file or memory from which the @size bytes are read
 * @offset:      offset of the next record
 * @chunk:       offset of the present chunk
 * @block:       the present record; @capacity bytes
 * @left:        messages of the present chunk that are still to be read
 * @ending:      LK_MCAP_OPEN until there are no more items
 * @end:         end of the last whole record, valid when there are no more items
 * @n_damaged:   number of chunks and attachments skipped */
struct lk_mcap_reader {
    int fd;
    const unsigned char *memory;
    uint64_t size;
    uint64_t offset;
    uint64_t chunk;
    unsigned char *block;
    size_t capacity;
    struct lk_mcap_span left;
    enum lk_mcap_ending ending;
    uint64_t end;
    uint64_t n_damaged;
};

/** lk_mcap_open() - Open a file for reading.
 * lk_mcap_open_memory() - Read from the @size bytes @data in memory, which the caller owns.
 * Return: 0, negative errno, see lk_file_open(); -EINVAL: no MCAP magic. */
int lk_mcap_open(const char *path, struct lk_mcap_reader *ret_reader);
int lk_mcap_open_memory(const void *data, size_t size, struct lk_mcap_reader *ret_reader);
void lk_mcap_close(struct lk_mcap_reader *reader);

/** lk_mcap_next() - Read the next item.
 * Return: 1; 0 at the end of the file; -EIO, -ENOMEM, -ENOTSUP (a compressed chunk). */
int lk_mcap_next(struct lk_mcap_reader *reader, struct lk_mcap_item *ret_item);

/** lk_mcap_span_is() - Return true if @span equals @text. */
bool lk_mcap_span_is(struct lk_mcap_span span, const char *text);
/** lk_mcap_map_next() - Remove the first entry of a map.
 * Return: true if the map had an entry. */
bool lk_mcap_map_next(struct lk_mcap_span *map, struct lk_mcap_span *ret_key,
                      struct lk_mcap_span *ret_value);
/** lk_mcap_map_get() - Copy the value of @key, truncated to @size - 1 bytes and terminated; control
 * characters are replaced.
 * Return: true if the map has @key; otherwise @ret is "". */
bool lk_mcap_map_get(struct lk_mcap_span map, const char *key, char *ret, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* An MCAP file from front to back.
 *
 * Nothing in the file is trusted: a length is compared with what is there before anything is read
 * or taken from memory, every CRC is checked, and a text may hold any bytes. A chunk whose CRC is
 * wrong is left out and reported; a file without an end is read up to its last whole record. */
#ifndef LK_MCAP_READ_H
#define LK_MCAP_READ_H

#include "write.h"

/** enum lk_mcap_kind - LK_MCAP_DAMAGE stands for something that was left out. */
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

/** struct lk_mcap_item - one thing out of a file. Spans last until the next call.
 * @offset:  where in the file its record begins, or the chunk that it is in
 * @id:      of a schema or channel, channel of a message;  @schema: of a channel, 0: none
 * @name:    of a schema, an attachment, metadata; topic of a channel
 * @encoding: of a schema, or of the messages of a channel; media type of an attachment
 * @data:    of a schema, message, attachment
 * @map:     of a channel or metadata, see lk_mcap_map_next() */
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

/** enum lk_mcap_ending - what was found behind the last item.
 * LK_MCAP_COMPLETE: end of data, summary with the right CRC, footer, magic
 * LK_MCAP_CUT:      the file ends in the middle: its writer was stopped
 * LK_MCAP_BAD:      something that is no such record */
enum lk_mcap_ending { LK_MCAP_OPEN, LK_MCAP_COMPLETE, LK_MCAP_CUT, LK_MCAP_BAD };

/** struct lk_mcap_reader - see above.
 * @fd or @memory: where the @size bytes are
 * @offset:  of the next record;  @chunk: where the one begins that items come from
 * @record:  content of the present record, in @block;  @left: of a chunk's messages
 * @ending, @end: known when there are no more items: where the last whole record ends
 * @n_damaged: chunks and attachments left out */
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

/** lk_mcap_open() - a file;  lk_mcap_open_memory() - @size bytes, the caller's.
 * Return: 0, negative errno, see lk_file_open(); -EINVAL: it does not begin as an MCAP file. */
int lk_mcap_open(const char *path, struct lk_mcap_reader *ret_reader);
int lk_mcap_open_memory(const void *data, size_t size, struct lk_mcap_reader *ret_reader);
void lk_mcap_close(struct lk_mcap_reader *reader);

/** lk_mcap_next() - Return: 1; 0 at the end; -EIO, -ENOMEM, -ENOTSUP (a compressed chunk). */
int lk_mcap_next(struct lk_mcap_reader *reader, struct lk_mcap_item *ret_item);

/** lk_mcap_span_is() - whether it is this text. */
bool lk_mcap_span_is(struct lk_mcap_span span, const char *text);
/** lk_mcap_map_next() - take an entry off the front of a map. Return: whether there was one. */
bool lk_mcap_map_next(struct lk_mcap_span *map, struct lk_mcap_span *ret_key,
                      struct lk_mcap_span *ret_value);
/** lk_mcap_map_get() - the value of @key, cut to @size - 1 bytes and terminated; control characters
 * are replaced. Return: whether it is there; "" else. */
bool lk_mcap_map_get(struct lk_mcap_span map, const char *key, char *ret, size_t size);

#endif

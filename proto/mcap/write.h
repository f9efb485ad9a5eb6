/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder of the records of an MCAP file, in memory; the caller writes them to the file.
 *
 * A failed call marks the buffer as full; later calls then do nothing, so that the caller needs
 * only one check after the last call. Integers are little-endian.
 * Thread: any but the cycle. */
#ifndef LK_MCAP_WRITE_H
#define LK_MCAP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_MCAP_MAGIC      "\x89MCAP0\r\n"
#define LK_MCAP_MAGIC_SIZE 8
#define LK_MCAP_HEAD_SIZE  9 /* size of opcode and length of a record */

/** enum lk_mcap_op - opcodes of records. */
enum lk_mcap_op {
    LK_MCAP_HEADER = 0x01,
    LK_MCAP_FOOTER = 0x02,
    LK_MCAP_SCHEMA = 0x03,
    LK_MCAP_CHANNEL = 0x04,
    LK_MCAP_MESSAGE = 0x05,
    LK_MCAP_CHUNK = 0x06,
    LK_MCAP_MESSAGE_INDEX = 0x07,
    LK_MCAP_CHUNK_INDEX = 0x08,
    LK_MCAP_ATTACHMENT = 0x09,
    LK_MCAP_ATTACHMENT_INDEX = 0x0a,
    LK_MCAP_STATISTICS = 0x0b,
    LK_MCAP_METADATA = 0x0c,
    LK_MCAP_METADATA_INDEX = 0x0d,
    LK_MCAP_SUMMARY_OFFSET = 0x0e,
    LK_MCAP_DATA_END = 0x0f,
};

/** struct lk_mcap_buffer - a buffer that may grow.
 * @grows: @data is on the heap and grows as needed; otherwise @data is @capacity bytes owned by the
 *         caller
 * @full:  some data did not fit and is missing */
struct lk_mcap_buffer {
    unsigned char *data;
    size_t size;
    size_t capacity;
    bool grows;
    bool full;
};

/** lk_mcap_buffer_fini() - Release the memory of a growing buffer. */
void lk_mcap_buffer_fini(struct lk_mcap_buffer *buffer);

/** lk_mcap_reserve() - Append @n bytes and return their address, so that the caller fills them;
 * NULL if they do not fit. */
unsigned char *lk_mcap_reserve(struct lk_mcap_buffer *buffer, size_t n);

void lk_mcap_put(struct lk_mcap_buffer *buffer, const void *data, size_t n);
void lk_mcap_put_u8(struct lk_mcap_buffer *buffer, uint8_t value);
void lk_mcap_put_u16(struct lk_mcap_buffer *buffer, uint16_t value);
void lk_mcap_put_u32(struct lk_mcap_buffer *buffer, uint32_t value);
void lk_mcap_put_u64(struct lk_mcap_buffer *buffer, uint64_t value);
void lk_mcap_put_text(struct lk_mcap_buffer *buffer, const char *text);

/** lk_mcap_store_u32(), lk_mcap_store_u64() - Store four or eight bytes at @to. */
void lk_mcap_store_u32(unsigned char *to, uint32_t value);
void lk_mcap_store_u64(unsigned char *to, uint64_t value);

/** lk_mcap_begin(), lk_mcap_end() - Begin and end a record; call them before and after writing its
 * content.
 * Return: offset of the content, for lk_mcap_end(). */
size_t lk_mcap_begin(struct lk_mcap_buffer *buffer, enum lk_mcap_op op);
void lk_mcap_end(struct lk_mcap_buffer *buffer, size_t begin);

/** lk_mcap_crc() - Return the CRC-32 (IEEE 802.3) of @n bytes. */
uint32_t lk_mcap_crc(const void *data, size_t n);

/** struct lk_mcap_pair - an entry of a map of strings. */
struct lk_mcap_pair {
    const char *key;
    const char *value;
};

/** lk_mcap_put_header() - Write magic and header, the start of a file.
 * @library: name of the program that writes the file */
void lk_mcap_put_header(struct lk_mcap_buffer *buffer, const char *library);
/** lk_mcap_put_schema() - Write a schema.
 * @id:   not 0
 * @name: name of the message type
 * @data: a FileDescriptorSet */
void lk_mcap_put_schema(struct lk_mcap_buffer *buffer, uint16_t id, const char *name,
                        const void *data, size_t size);
/** lk_mcap_put_channel() - Write a channel with messages of schema @schema. @pairs: @n_pairs
 * entries of metadata */
void lk_mcap_put_channel(struct lk_mcap_buffer *buffer, uint16_t id, uint16_t schema,
                         const char *topic, const struct lk_mcap_pair *pairs, size_t n_pairs);
/** lk_mcap_put_attachment() - Write an attached file. @time_ns: time of the addition, UTC */
void lk_mcap_put_attachment(struct lk_mcap_buffer *buffer, uint64_t time_ns, const char *name,
                            const char *media_type, const void *data, size_t size);
void lk_mcap_put_metadata(struct lk_mcap_buffer *buffer, const char *name,
                          const struct lk_mcap_pair *pairs, size_t n_pairs);

#endif

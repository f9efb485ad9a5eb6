/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded encoding and decoding of the messages in linkage.proto.
 *
 * A message from a socket may hold anything. Three bounds keep the price of looking at one fixed:
 * its size is checked before it is decoded, the decoder takes memory from an arena of fixed size
 * (a message that asks for more is refused, never served from the heap), and the messages do not
 * nest into themselves. What decodes is then checked for plausibility, so that a caller never sees
 * a name without end or a number that is not finite.
 *
 * Memory: a decoded message lives in the arena until the next decode or reset of that arena. There
 * is nothing to free. An arena belongs to one thread at a time.
 *
 * None of this is for the cycle thread. */
#ifndef LK_WIRE_H
#define LK_WIRE_H

#include "linkage.pb-c.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_WIRE_SAMPLE_MAX     (64u << 10)  /* bytes of an InputSample or OutputSample */
#define LK_WIRE_CONTROL_MAX    (4u << 20)   /* bytes of a ControlRequest or ControlReply */
#define LK_WIRE_SAMPLE_ARENA   (512u << 10) /* enough for any sample, also with unpacked doubles */
#define LK_WIRE_CONTROL_ARENA  (12u << 20)  /* enough for a model text of full size and its copy */
#define LK_WIRE_NAME_MAX       255          /* bytes of a name in a request, without its zero */
#define LK_WIRE_BUCKETS_MAX    4096         /* of a distribution in a reply */
#define LK_WIRE_CYCLES_MAX     4096         /* of each list of cycles in a reply */
#define LK_WIRE_CHANNELS_MAX   4096         /* of each list of channels, in requests and replies */
#define LK_WIRE_SCALARS_MAX    64   /* of one channel: units in a claim, values in a report */
#define LK_WIRE_INJECTIONS_MAX 64   /* of a request and of its reply */
#define LK_WIRE_CLAIMS_MAX     1024 /* benches in a reply */
#define LK_WIRE_NOTES_MAX      256  /* errors of a model in a reply, and warnings */
#define LK_WIRE_TOPIC_MAX      16   /* bytes of the topic of a stream */

/** enum lk_wire_status - positive return codes. */
enum lk_wire_status {
    LK_WIRE_OK = 0,
    LK_WIRE_E_TOO_LARGE = 1, /* beyond the size limit of its kind, or the buffer is too small */
    LK_WIRE_E_MALFORMED = 2, /* not such a message, or it asks for more memory than the arena has */
    LK_WIRE_E_LENGTH = 3,    /* wrong number of values */
    LK_WIRE_E_NOT_FINITE = 4, /* a value is not a finite number */
};

/** lk_wire_status_text() - a code in a few words, as "wrong number of values". Static text. */
const char *lk_wire_status_text(int status);

/** lk_wire_state_name() - a lower-case word, "running"; "unknown" for what this version does not
 * know. Static text. More words of this kind are in names.h. */
const char *lk_wire_state_name(Linkage__V1__State state);

/** struct lk_wire_arena - fixed memory that decoded messages live in.
 * @memory, @size: the block, taken once
 * @used:          bytes handed out since the last reset
 * @allocator:     how protobuf-c asks for memory; freeing does nothing */
struct lk_wire_arena {
    unsigned char *memory;
    size_t size;
    size_t used;
    ProtobufCAllocator allocator;
};

/** lk_wire_arena_init() - take @size bytes from the heap, once.
 * The arena must not move afterwards (the allocator points to it).
 * Return: 0, -ENOMEM. */
int lk_wire_arena_init(struct lk_wire_arena *arena, size_t size);

/** lk_wire_arena_fini() - release; a zeroed arena is allowed. */
void lk_wire_arena_fini(struct lk_wire_arena *arena);

/** lk_wire_arena_reset() - forget everything in it. */
void lk_wire_arena_reset(struct lk_wire_arena *arena);

/** lk_wire_arena_take() - @size zeroed bytes, aligned for anything; NULL when the arena is full.
 * Lets a caller build a message with the lifetime of a decoded one. */
void *lk_wire_arena_take(struct lk_wire_arena *arena, size_t size);

/** lk_wire_arena_format() - printf into the arena; NULL when it is full. */
char *lk_wire_arena_format(struct lk_wire_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lk_wire_decode_input() - decode an InputSample; the arena is reset first.
 * @data: @size bytes as received
 * Every value of the result is finite; their number is for the caller to compare with the model
 * (LK_WIRE_E_LENGTH, see lk_wire_check_values()). A heartbeat may have values all the same: they
 * mean nothing.
 * With LK_WIRE_E_NOT_FINITE, and with no other code, @ret_sample is written too: whoever counts
 * refusals wants to know whose sample it was and which channel it is about.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_decode_input(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__InputSample **ret_sample);

/** lk_wire_decode_output() - decode an OutputSample; the arena is reset first. Every value and the
 * time are finite.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE (nothing is written).
 */
int lk_wire_decode_output(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__OutputSample **ret_sample);

/** lk_wire_decode_stream() - decode a StreamSample; as lk_wire_decode_output(). There is a sample
 * in it. */
int lk_wire_decode_stream(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__StreamSample **ret_sample);

/** lk_wire_decode_heartbeat() - decode a Heartbeat of the daemon; the arena is reset first. Its
 * version is not empty and at most LK_WIRE_NAME_MAX bytes.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED. */
int lk_wire_decode_heartbeat(struct lk_wire_arena *arena, const void *data, size_t size,
                             const Linkage__V1__Heartbeat **ret_heartbeat);

/** enum lk_wire_kind - what a message on the outputs socket is, by its first byte. */
enum lk_wire_kind {
    LK_WIRE_UNKNOWN = 0, /* of a later version: to be passed over */
    LK_WIRE_OUTPUT = 0x08,
    LK_WIRE_STREAM = 0x09,
    LK_WIRE_HEARTBEAT = 0x0a,
};

/** lk_wire_kind() - look at the first byte of @size bytes. */
enum lk_wire_kind lk_wire_kind(const void *data, size_t size);

/** lk_wire_decode_request() - decode a ControlRequest; the arena is reset first.
 * The result has one command, or none: then it is one of a later version of the contract, or
 * nothing was asked; its id can be answered all the same. Names are at most LK_WIRE_NAME_MAX bytes
 * long, lists at most as long as the limits above, and the numbers of an injection are finite.
 * Values of a SetRequest and of the sample in a StepRequest are left unchecked: the daemon answers
 * them in more detail.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_decode_request(struct lk_wire_arena *arena, const void *data, size_t size,
                           const Linkage__V1__ControlRequest **ret_request);

/** lk_wire_decode_reply() - decode a ControlReply; the arena is reset first.
 * Channels of a description, a claim and a stream have as many units as components, offsets that
 * follow each other without a gap, and limits, rate and initial value that are numbers or infinite.
 * The topic of a stream has 1 to LK_WIRE_TOPIC_MAX bytes. The outputs after a StepRequest are
 * finite. Lists are at most as long as the limits above. Buckets of a distribution have as many
 * counts as upper bounds, at most LK_WIRE_BUCKETS_MAX, and the bounds rise; evidence has at most
 * LK_WIRE_CYCLES_MAX cycles a list. A trace is what fits into a reply.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_decode_reply(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__ControlReply **ret_reply);

/** lk_wire_check_values() - @n values against the number @expected and for being finite.
 * Return: 0, LK_WIRE_E_LENGTH, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_values(const double *values, size_t n, size_t expected);

/** lk_wire_encoded_size() - bytes that encoding @message takes. */
size_t lk_wire_encoded_size(const ProtobufCMessage *message);

/** lk_wire_encode() - encode any message; does not allocate.
 * @message: pass `&sample.base`
 * @buffer:  @size bytes
 * Return: 0, LK_WIRE_E_TOO_LARGE (@buffer is too small and untouched). */
int lk_wire_encode(const ProtobufCMessage *message, void *buffer, size_t size, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded encoding and decoding of the messages in linkage.proto.
 *
 * A message from a socket may contain anything. Three rules bound the cost of decoding one: its
 * size is checked first, the decoder takes memory from an arena of fixed size (a message that needs
 * more is refused; the heap is never used), and no message type is recursive. A decoded message is
 * then checked for plausibility, so that it never contains an overlong name or a number that is not
 * finite.
 *
 * Memory: a decoded message is in the arena until the next decode or reset of that arena. It need
 * not be freed. An arena belongs to one thread at a time, never to the cycle. */
#ifndef LK_WIRE_H
#define LK_WIRE_H

#include "linkage.pb-c.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_WIRE_SAMPLE_MAX     (64u << 10)  /* largest InputSample or OutputSample [bytes] */
#define LK_WIRE_CONTROL_MAX    (4u << 20)   /* largest ControlRequest or ControlReply [bytes] */
#define LK_WIRE_SAMPLE_ARENA   (512u << 10) /* enough for any sample, also with unpacked doubles */
#define LK_WIRE_CONTROL_ARENA  (12u << 20)  /* enough for a model text of full size and its copy */
#define LK_WIRE_NAME_MAX       255          /* bytes of a name in a request, without zero */
#define LK_WIRE_BUCKETS_MAX    4096         /* buckets of a distribution in a reply */
#define LK_WIRE_CYCLES_MAX     4096         /* cycles in each list of a reply */
#define LK_WIRE_CHANNELS_MAX   4096         /* channels in each list of a message */
#define LK_WIRE_SCALARS_MAX    64           /* scalars of a channel, in claims and reports */
#define LK_WIRE_SETTINGS_MAX   256          /* external values of a model, as LK_SETTINGS_MAX */
#define LK_WIRE_INJECTIONS_MAX 64           /* injections of a request or reply */
#define LK_WIRE_CLAIMS_MAX     1024         /* claims in a reply */
#define LK_WIRE_NOTES_MAX      256          /* errors or warnings of a model in a reply */
#define LK_WIRE_TOPIC_MAX      16           /* bytes of the topic of a stream */

/** enum lk_wire_status - positive return codes. */
enum lk_wire_status {
    LK_WIRE_OK = 0,
    LK_WIRE_E_TOO_LARGE =
        1, /* the message exceeds the size limit of its type, or the buffer is too small */
    LK_WIRE_E_MALFORMED =
        2, /* not a message of this type, or it needs more memory than the arena has */
    LK_WIRE_E_LENGTH = 3,     /* wrong number of values */
    LK_WIRE_E_NOT_FINITE = 4, /* a value is not a finite number */
    LK_WIRE_E_TEXT = 5,       /* a text has a zero byte */
};

/** lk_wire_status_text() - Return the meaning of a code, such as "wrong number of values", static
 * text. */
const char *lk_wire_status_text(int status);

/** lk_wire_state_name() - Return the state as a lower-case word such as "running"; "unknown" for a
 * state that this version does not define. Static text. names.h has the words of other
 * enumerations. */
const char *lk_wire_state_name(Linkage__V1__State state);

/** struct lk_wire_arena - fixed memory for decoded messages.
 * @memory, @size: the memory, allocated once
 * @used:          number of bytes allocated since the last reset
 * @allocator:     allocator for protobuf-c; freeing does nothing */
struct lk_wire_arena {
    unsigned char *memory;
    size_t size;
    size_t used;
    ProtobufCAllocator allocator;
};

/** lk_wire_arena_init() - Allocate @size bytes on the heap, once. The arena must not move
 * afterwards (the allocator points to it).
 * Return: 0, -ENOMEM. */
int lk_wire_arena_init(struct lk_wire_arena *arena, size_t size);

/** lk_wire_arena_fini() - Release @arena, which may be zeroed. */
void lk_wire_arena_fini(struct lk_wire_arena *arena);

/** lk_wire_arena_reset() - Release all memory taken from the arena, for reuse. */
void lk_wire_arena_reset(struct lk_wire_arena *arena);

/** lk_wire_arena_take() - Return @size zeroed bytes with maximum alignment; NULL if the arena is
 * full. Used to build a message that has the same lifetime as a decoded message. */
void *lk_wire_arena_take(struct lk_wire_arena *arena, size_t size);

/** lk_wire_arena_format() - Format a text in the arena like sprintf().
 * Return: NULL if the arena is full. */
char *lk_wire_arena_format(struct lk_wire_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lk_wire_decode_input() - Decode an InputSample; the arena is reset first. Every value and slope
 * of the result is finite. The caller compares the number of values with the model
 * (LK_WIRE_E_LENGTH, see lk_wire_check_values()), and ignores the values of a heartbeat.
 * @ret_sample is written on success and with LK_WIRE_E_NOT_FINITE, so that the caller can identify
 * the bench and the channel of a refused sample.
 * @data: @size received bytes
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_decode_input(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__InputSample **ret_sample);

/** lk_wire_decode_output() - Decode an OutputSample; the arena is reset first. Every value and the
 * time are finite.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE (nothing is
 * written). */
int lk_wire_decode_output(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__OutputSample **ret_sample);

/** lk_wire_decode_stream() - Decode a StreamSample, like lk_wire_decode_output(). Its field
 * `sample` is always present. */
int lk_wire_decode_stream(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__StreamSample **ret_sample);

/** lk_wire_decode_heartbeat() - Decode a Heartbeat of the daemon; the arena is reset first. Its
 * version is not empty and at most LK_WIRE_NAME_MAX bytes.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED. */
int lk_wire_decode_heartbeat(struct lk_wire_arena *arena, const void *data, size_t size,
                             const Linkage__V1__Heartbeat **ret_heartbeat);

/** enum lk_wire_kind - type of a message on the outputs socket: its first byte. */
enum lk_wire_kind {
    LK_WIRE_UNKNOWN = 0, /* a type of a later version: ignore the message */
    LK_WIRE_OUTPUT = 0x08,
    LK_WIRE_STREAM = 0x09,
    LK_WIRE_HEARTBEAT = 0x0a,
};

/** lk_wire_kind() - Return the type of a message of @size bytes, given by its first byte. */
enum lk_wire_kind lk_wire_kind(const void *data, size_t size);

/** lk_wire_decode_request() - Decode a ControlRequest; the arena is reset first. The result has at
 * most one command. Without a command the request is empty or of a later version of the protocol,
 * and can still be answered. Names are at most LK_WIRE_NAME_MAX bytes long, lists at most as long
 * as the limits above, and the numbers of an injection are finite. Values of a SetRequest and of
 * the sample in a StepRequest are not checked here: the daemon refuses bad values with a more
 * detailed answer. Texts have no zero byte. @ret_request is NULL unless a message was decoded. It
 * is also written if a check fails, so that the reply can have the id of the request.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE, LK_WIRE_E_TEXT. */
int lk_wire_decode_request(struct lk_wire_arena *arena, const void *data, size_t size,
                           const Linkage__V1__ControlRequest **ret_request);

/** lk_wire_decode_reply() - Decode a ControlReply; the arena is reset first. Channels of a
 * description, a claim and a stream have as many units as components, contiguous offsets, and
 * limits, rate and initial value that are not NaN. The topic of a stream has 1 to LK_WIRE_TOPIC_MAX
 * bytes. The outputs after a StepRequest are finite. Lists are at most as long as the limits above.
 * Buckets of a distribution have as many counts as upper bounds, at most LK_WIRE_BUCKETS_MAX, and
 * the bounds increase; evidence has at most LK_WIRE_CYCLES_MAX cycles per list. The length of a
 * trace is bounded by the size of the reply.
 * Return: 0, LK_WIRE_E_TOO_LARGE, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_decode_reply(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__ControlReply **ret_reply);

/** lk_wire_check_values() - Check that @n is @expected and that all values are finite.
 * Return: 0, LK_WIRE_E_LENGTH, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_values(const double *values, size_t n, size_t expected);

/** lk_wire_encoded_size() - Return the size of the encoded @message [bytes]. */
size_t lk_wire_encoded_size(const ProtobufCMessage *message);

/** lk_wire_encode() - Encode any message; does not allocate memory.
 * @message: pass `&sample.base`
 * @buffer:  @size bytes
 * Return: 0, LK_WIRE_E_TOO_LARGE (@buffer is too small and untouched). */
int lk_wire_encode(const ProtobufCMessage *message, void *buffer, size_t size, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif

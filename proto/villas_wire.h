/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded encoding and decoding of the messages in villas.proto.
 *
 * The bounds are those of wire.h: the size is checked before decoding, decoding takes memory from
 * an arena of fixed size, and a decoded message has passed all checks.
 * Thread: any but the cycle. */
#ifndef LK_VILLAS_WIRE_H
#define LK_VILLAS_WIRE_H

#include "villas.pb-c.h"
#include "wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_VILLAS_MESSAGE_MAX (64u << 10) /* bytes */
#define LK_VILLAS_ARENA       (1u << 20)  /* enough for any message of that size with real values */

/** enum lk_villas_status - positive return codes. */
enum lk_villas_status {
    LK_VILLAS_OK = 0,
    LK_VILLAS_E_TOO_LARGE =
        1, /* the message exceeds LK_VILLAS_MESSAGE_MAX, or the buffer is too small */
    LK_VILLAS_E_MALFORMED =
        2, /* not a Message, or the message needs more memory than the arena has */
    LK_VILLAS_E_NO_DATA =
        3, /* the message has no DATA sample: it is empty, or has only START and STOP */
    LK_VILLAS_E_KIND = 4,     /* a sample is neither DATA, START nor STOP */
    LK_VILLAS_E_SEQUENCE = 5, /* a DATA sample without a sequence number */
    LK_VILLAS_E_TIME = 6,     /* ts_origin has a second of more than 999999999 ns */
    LK_VILLAS_E_VALUE = 7,    /* a value that is complex, or none at all */
    LK_VILLAS_STATUSES,
};

/** lk_villas_status_text() - Return the meaning of a code in a few words, static text. */
const char *lk_villas_status_text(int status);

/** struct lk_villas_sample - content of a message.
 * @sequence, @origin_ns: sequence number and time of origin of its newest DATA sample; @origin_ns
 *           since 1970, 0: not set
 * @values:  @n_values values of that sample, in the arena; integers and booleans are converted
 * @older:   number of older DATA samples, ignored
 * @ignored: number of START and STOP samples, ignored */
struct lk_villas_sample {
    uint64_t sequence;
    uint64_t origin_ns;
    const double *values;
    size_t n_values;
    size_t older;
    size_t ignored;
};

/** lk_villas_decode() - Decode a message; the arena is reset first. If the message has several DATA
 * samples, only the one with the largest sequence number is used. The caller must check the number
 * of values and that they are finite.
 * @data:       @size bytes as received
 * @ret_sample: written on success, and for LK_VILLAS_E_NO_DATA; valid until the arena is reset
 * Return: 0, or the reason for the refusal, enum lk_villas_status. */
int lk_villas_decode(struct lk_wire_arena *arena, const void *data, size_t size,
                     struct lk_villas_sample *ret_sample);

/** struct lk_villas_frame - a message with one DATA sample, allocated once.
 * @value, @list: its values, and pointers to them */
struct lk_villas_frame {
    Linkage__Villas__Message message;
    Linkage__Villas__Sample sample;
    Linkage__Villas__Sample *samples[1];
    Linkage__Villas__Timestamp origin;
    Linkage__Villas__Value *value;
    Linkage__Villas__Value **list;
};

/** lk_villas_frame_init() - Allocate a frame for @n values. @frame must not move afterwards.
 * Return: 0, -ENOMEM. */
int lk_villas_frame_init(struct lk_villas_frame *frame, size_t n);
/** lk_villas_frame_fini() - Release @frame, which may be zeroed. */
void lk_villas_frame_fini(struct lk_villas_frame *frame);

/** lk_villas_encode() - Encode a message; does not allocate memory. Fill frame->value[i].f before
 * the call.
 * @origin_ns: time of origin since 1970
 * @buffer:    @size bytes
 * Return: 0, LK_VILLAS_E_TOO_LARGE (@buffer is untouched). */
int lk_villas_encode(struct lk_villas_frame *frame, uint64_t sequence, uint64_t origin_ns,
                     void *buffer, size_t size, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif

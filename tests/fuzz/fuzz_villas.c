/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a message of a gateway: it is refused, or decoded within the arena. A decoded
 * message that is encoded and decoded again must be the same. */
#include "villas_wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct lk_wire_arena arena, again_arena;
static unsigned char buffer[LK_VILLAS_MESSAGE_MAX];

static void check_again(const struct lk_villas_sample *found, const unsigned char *bytes,
                        size_t size)
{
    struct lk_villas_sample again;

    if (lk_villas_decode(&again_arena, bytes, size, &again) || again.sequence != found->sequence ||
        again.origin_ns != found->origin_ns || again.n_values != found->n_values ||
        again.older + again.ignored != 0)
        abort();
    /* compare bits, because a NaN is not equal to itself */
    if (memcmp(again.values, found->values, found->n_values * sizeof(double)) != 0)
        abort();
}

static void encode_again(const struct lk_villas_sample *found)
{
    struct lk_villas_frame frame;
    size_t size;

    if (lk_villas_frame_init(&frame, found->n_values))
        abort();
    for (size_t i = 0; i < found->n_values; i++)
        memcpy(&frame.value[i].f, &found->values[i], sizeof(double));
    if (lk_villas_encode(&frame, found->sequence, found->origin_ns, buffer, sizeof(buffer),
                         &size) == 0)
        check_again(found, buffer, size);
    lk_villas_frame_fini(&frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lk_villas_sample found;
    int r;

    if (!arena.memory && (lk_wire_arena_init(&arena, LK_VILLAS_ARENA) ||
                          lk_wire_arena_init(&again_arena, LK_VILLAS_ARENA)))
        abort();
    r = lk_villas_decode(&arena, data, size, &found);
    if (r < 0 || r >= LK_VILLAS_STATUSES || arena.used > arena.size)
        abort();
    if (r == 0)
        encode_again(&found);
    return 0;
}

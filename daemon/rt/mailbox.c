/* SPDX-License-Identifier: Apache-2.0 */
#include "mailbox.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A reader that is late by more than the depth minus this share of the depth skips the oldest
 * values. The writer is about to reuse the cells of these values. If it overwrote the cell that the
 * reader reads, all older values would be lost at once. */
#define SLACK_PART 8

static void *take_memory(size_t n, size_t stride)
{
    void *memory = n <= SIZE_MAX / 2 / stride ? aligned_alloc(LKD_CACHE_LINE, n * stride) : NULL;

    if (memory)
        memset(memory, 0, n * stride);
    return memory;
}

int lkd_mailbox_init(struct lkd_mailbox *mailbox, size_t size, uint32_t depth)
{
    size_t n = (size_t)depth + 2;

    *mailbox =
        (struct lkd_mailbox){.size = size, .depth = depth, .back = depth, .front = depth + 1};
    if (size > SIZE_MAX / 4)
        return -ENOMEM;
    mailbox->stride = (size / LKD_CACHE_LINE + 1) * LKD_CACHE_LINE;
    mailbox->slots = take_memory(n, mailbox->stride);
    mailbox->cell = calloc(depth, sizeof(*mailbox->cell));
    mailbox->number = calloc(n, sizeof(*mailbox->number));
    if (!mailbox->slots || !mailbox->cell || !mailbox->number) {
        lkd_mailbox_fini(mailbox);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < depth; i++)
        atomic_init(&mailbox->cell[i], i);
    return 0;
}

void lkd_mailbox_fini(struct lkd_mailbox *mailbox)
{
    free(mailbox->slots);
    free(mailbox->cell);
    free(mailbox->number);
    mailbox->slots = NULL;
    mailbox->cell = NULL;
    mailbox->number = NULL;
}

LK_RT void *lkd_mailbox_back(struct lkd_mailbox *mailbox)
{
    return mailbox->slots + mailbox->back * mailbox->stride;
}

static _Atomic uint32_t *cell_of(const struct lkd_mailbox *mailbox, uint64_t number)
{
    return &mailbox->cell[number & (mailbox->depth - 1)];
}

LK_RT void lkd_mailbox_publish(struct lkd_mailbox *mailbox)
{
    uint64_t number = atomic_load_explicit(&mailbox->written, memory_order_relaxed);

    mailbox->number[mailbox->back] = number;
    /* release: the contents of the slot are visible before its index. acquire: the reader has
     * finished with the slot that comes back before the writer overwrites it. */
    mailbox->back =
        atomic_exchange_explicit(cell_of(mailbox, number), mailbox->back, memory_order_acq_rel);
    /* release: the slot is in its cell before the count includes it */
    atomic_store_explicit(&mailbox->written, number + 1, memory_order_release);
}

LK_RT uint64_t lkd_mailbox_waiting(const struct lkd_mailbox *mailbox)
{
    uint64_t written = atomic_load_explicit(&mailbox->written, memory_order_acquire);

    /* @next can exceed @written: the reader may take a value after it is in its cell and before the
     * count includes it */
    return written > mailbox->next ? written - mailbox->next : 0;
}

/* Make the oldest of the last @most unread values the reader's slot; older values are lost. */
static bool take_one_of(struct lkd_mailbox *mailbox, uint64_t most)
{
    uint64_t waiting = lkd_mailbox_waiting(mailbox), number = mailbox->next;

    if (waiting == 0)
        return false;
    if (waiting > most)
        number += waiting - most;
    /* acquire: the contents of the writer's slot are complete. release: reads of the returned slot
     * are finished before the writer gets it. */
    mailbox->front =
        atomic_exchange_explicit(cell_of(mailbox, number), mailbox->front, memory_order_acq_rel);
    /* The value may be newer than @number, if the writer reused the cell meanwhile; older values
     * are skipped. */
    mailbox->next = mailbox->number[mailbox->front] + 1;
    return true;
}

LK_RT bool lkd_mailbox_take(struct lkd_mailbox *mailbox)
{
    return take_one_of(mailbox, mailbox->depth - mailbox->depth / SLACK_PART);
}

LK_RT bool lkd_mailbox_take_newest(struct lkd_mailbox *mailbox)
{
    return take_one_of(mailbox, 1);
}

LK_RT const void *lkd_mailbox_front(const struct lkd_mailbox *mailbox)
{
    return mailbox->slots + mailbox->front * mailbox->stride;
}

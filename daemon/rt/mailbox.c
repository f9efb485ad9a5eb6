/* SPDX-License-Identifier: Apache-2.0 */
#include "mailbox.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAILBOX_FRESH 4u
#define MAILBOX_INDEX 3u

int lkd_mailbox_init(struct lkd_mailbox *mailbox, size_t size)
{
    size_t stride;
    void *slots;

    if (size > SIZE_MAX / 4 - LKD_CACHE_LINE)
        return -ENOMEM;
    stride = (size + LKD_CACHE_LINE - 1) & ~(size_t)(LKD_CACHE_LINE - 1);
    slots = aligned_alloc(LKD_CACHE_LINE, 3 * (stride ? stride : LKD_CACHE_LINE));
    if (!slots)
        return -ENOMEM;
    memset(slots, 0, 3 * stride);

    *mailbox = (struct lkd_mailbox){
        .slots = slots,
        .stride = stride,
        .size = size,
        .back = 0,
        .front = 1,
    };
    atomic_init(&mailbox->middle, 2);
    return 0;
}

void lkd_mailbox_fini(struct lkd_mailbox *mailbox)
{
    free(mailbox->slots);
    mailbox->slots = NULL;
}

LK_RT void *lkd_mailbox_back(struct lkd_mailbox *mailbox)
{
    return mailbox->slots + mailbox->back * mailbox->stride;
}

LK_RT void lkd_mailbox_publish(struct lkd_mailbox *mailbox)
{
    /* release: what was written into the slot comes before its index is seen by the reader.
     * acquire: what the reader still read from the slot that comes back was read before we write */
    uint32_t old = atomic_exchange_explicit(&mailbox->middle, mailbox->back | MAILBOX_FRESH,
                                            memory_order_acq_rel);

    mailbox->back = old & MAILBOX_INDEX;
}

LK_RT bool lkd_mailbox_take(struct lkd_mailbox *mailbox)
{
    uint32_t old;

    /* Only a hint, so relaxed: nothing is read through it. Only the reader clears the mark, so
     * once seen it stays until the exchange below. */
    if (!(atomic_load_explicit(&mailbox->middle, memory_order_relaxed) & MAILBOX_FRESH))
        return false;

    /* acquire: see all of the writer's slot. release: our reads of the slot that goes back come
     * before the writer can get it */
    old = atomic_exchange_explicit(&mailbox->middle, mailbox->front, memory_order_acq_rel);
    mailbox->front = old & MAILBOX_INDEX;
    return true;
}

LK_RT const void *lkd_mailbox_front(const struct lkd_mailbox *mailbox)
{
    return mailbox->slots + mailbox->front * mailbox->stride;
}

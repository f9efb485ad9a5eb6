/* SPDX-License-Identifier: Apache-2.0 */
/* Latest-value mailbox between two threads: a triple buffer.
 *
 * Three slots of equal size. The writer owns one ("back"), the reader owns one ("front"), the third
 * waits in the middle. Publishing swaps back and middle, taking swaps middle and front; each is one
 * atomic exchange. Hence both sides are wait-free, the reader never sees a half-written slot, and
 * neither side can delay the other. Values that are overtaken before they are taken are lost: that
 * is the purpose.
 *
 * One writer and one reader at a time. Where a side moves from one thread to another, the caller
 * orders the move (a lock, or thread creation and join). */
#ifndef LKD_RT_MAILBOX_H
#define LKD_RT_MAILBOX_H

#include "linkage/error.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_CACHE_LINE 64

/** struct lkd_mailbox - see above; one cache line for each side, to avoid false sharing.
 * @slots:  three slots of @stride bytes each, @size of which are the caller's
 * @back:   slot of the writer;  @front: slot of the reader
 * @middle: slot in between, with MAILBOX_FRESH when it was published and not yet taken */
struct lkd_mailbox {
    unsigned char *slots;
    size_t stride;
    size_t size;
    alignas(LKD_CACHE_LINE) uint32_t back;
    alignas(LKD_CACHE_LINE) uint32_t front;
    alignas(LKD_CACHE_LINE) _Atomic uint32_t middle;
};

/** lkd_mailbox_init() - take memory for three zeroed slots of @size bytes, aligned to cache lines.
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_mailbox_init(struct lkd_mailbox *mailbox, size_t size);

/** lkd_mailbox_fini() - release; a zeroed mailbox is allowed.  RT: no. */
void lkd_mailbox_fini(struct lkd_mailbox *mailbox);

/** lkd_mailbox_back() - the writer's slot. It holds some older value, so write all of it.
 * Thread: writer.  RT: yes. */
LK_RT void *lkd_mailbox_back(struct lkd_mailbox *mailbox);

/** lkd_mailbox_publish() - make the writer's slot the newest value; the writer gets another slot.
 * Thread: writer.  RT: yes, one atomic exchange. */
LK_RT void lkd_mailbox_publish(struct lkd_mailbox *mailbox);

/** lkd_mailbox_take() - make the newest value the reader's slot.
 * Thread: reader.  RT: yes, at most one atomic exchange.
 * Return: whether there was a value that had not been taken yet. */
LK_RT bool lkd_mailbox_take(struct lkd_mailbox *mailbox);

/** lkd_mailbox_front() - the reader's slot: the value of the last take, zeroes before the first.
 * Unchanged until the next take.  Thread: reader.  RT: yes. */
LK_RT const void *lkd_mailbox_front(const struct lkd_mailbox *mailbox);

#endif

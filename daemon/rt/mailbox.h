/* SPDX-License-Identifier: Apache-2.0 */
/* Mailbox between two threads: the reader receives the last values published by the writer, in
 * order.
 *
 * A ring of @depth cells and @depth + 2 slots of equal size. The writer owns one slot ("back") and
 * the reader one ("front"); each cell contains the number of one of the remaining slots. To
 * publish, the writer exchanges its back slot with that of the next cell. To take a value, the
 * reader exchanges its front slot with that of the cell. Each exchange is one atomic operation.
 * Hence both sides are wait-free, the reader never sees a half-written slot, and neither side can
 * delay the other. With a depth of 1 the mailbox is a triple buffer: only the newest value is
 * available, and unread older values are lost by design. With a larger depth a late reader still
 * receives each value, up to @depth values; beyond that the oldest are lost.
 *
 * One writer and one reader at a time. If a side moves from one thread to another, the caller must
 * order the move (a lock, or thread creation and join). */
#ifndef LKD_RT_MAILBOX_H
#define LKD_RT_MAILBOX_H

#include "linkage/error.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_CACHE_LINE        64
#define LKD_MAILBOX_DEPTH_MAX 4096

/** struct lkd_mailbox - mailbox between two threads. The fields of each side are on a cache line of
 * their own, to avoid false sharing.
 * @slots:   slots of @stride bytes, of which the caller uses @size
 * @cell:    @depth slot numbers
 * @number:  number of the value in each slot, counted from 0
 * @back:    slot of the writer
 * @written: number of values published
 * @front:   slot of the reader
 * @next:    number of the next value to read */
struct lkd_mailbox {
    unsigned char *slots;
    size_t stride;
    size_t size;
    uint32_t depth;
    _Atomic uint32_t *cell;
    uint64_t *number;
    alignas(LKD_CACHE_LINE) uint32_t back;
    _Atomic uint64_t written;
    alignas(LKD_CACHE_LINE) uint32_t front;
    uint64_t next;
};

/** lkd_mailbox_init() - Allocate zeroed slots of @size bytes, aligned to cache lines.
 * @depth:  values stored for the reader, a power of two up to LKD_MAILBOX_DEPTH_MAX
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_mailbox_init(struct lkd_mailbox *mailbox, size_t size, uint32_t depth);

/** lkd_mailbox_fini() - Release @mailbox, which may be zeroed. RT: no. */
void lkd_mailbox_fini(struct lkd_mailbox *mailbox);

/** lkd_mailbox_back() - Return the writer's slot. It contains an older value, so the caller must
 * write the whole slot.
 * Thread: writer.  RT: yes. */
LK_RT void *lkd_mailbox_back(struct lkd_mailbox *mailbox);

/** lkd_mailbox_publish() - Publish the writer's slot as the newest value; the writer gets another
 * slot.
 * Thread: writer.  RT: yes, one atomic exchange. */
LK_RT void lkd_mailbox_publish(struct lkd_mailbox *mailbox);

/** lkd_mailbox_take() - Make the oldest unread value that is still available the reader's slot.
 * Thread: reader.  RT: yes, at most one atomic exchange.
 * Return: true if there was an unread value. */
LK_RT bool lkd_mailbox_take(struct lkd_mailbox *mailbox);

/** lkd_mailbox_take_newest() - Make the newest unread value the reader's slot; older values are
 * skipped. */
LK_RT bool lkd_mailbox_take_newest(struct lkd_mailbox *mailbox);

/** lkd_mailbox_waiting() - Return the number of published values that were neither read nor
 * skipped. It is a lower bound, because the writer may publish meanwhile.
 * Thread: reader.  RT: yes. */
LK_RT uint64_t lkd_mailbox_waiting(const struct lkd_mailbox *mailbox);

/** lkd_mailbox_front() - Return the reader's slot: the last value read, zeros before the first
 * value. The slot is unchanged until the next lkd_mailbox_take().
 * Thread: reader.  RT: yes. */
LK_RT const void *lkd_mailbox_front(const struct lkd_mailbox *mailbox);

#endif

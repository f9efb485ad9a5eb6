/* SPDX-License-Identifier: Apache-2.0 */
/* Mailbox between two threads: the last values that one of them published, for the other to take in
 * order.
 *
 * A ring of @depth cells and @depth + 2 slots of equal size. The writer owns one slot ("back"), the
 * reader owns one ("front"), each cell holds one of the others. Publishing swaps back with the next
 * cell in turn, taking swaps that cell with front; each is one atomic exchange. Hence both sides
 * are wait-free, the reader never sees a half-written slot, and neither side can delay the other.
 * With a depth of 1 that is a triple buffer: the newest value counts, values that are overtaken
 * before they are taken are lost, and that is the purpose. With a larger depth a late reader still
 * gets each value, until it is @depth values late: then the oldest are lost.
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

#define LKD_CACHE_LINE        64
#define LKD_MAILBOX_DEPTH_MAX 4096

/** struct lkd_mailbox - see above; one cache line for each side, to avoid false sharing.
 * @slots:   of @stride bytes each, @size of which are the caller's
 * @cell:    @depth numbers of slots;  @number: of the value in each slot, counted from 0
 * @back:    slot of the writer;  @written: values published
 * @front:   slot of the reader;  @next: number of the value to take */
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

/** lkd_mailbox_init() - take memory for zeroed slots of @size bytes, aligned to cache lines.
 * @depth:  values that wait for the reader, a power of two up to LKD_MAILBOX_DEPTH_MAX
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_mailbox_init(struct lkd_mailbox *mailbox, size_t size, uint32_t depth);

/** lkd_mailbox_fini() - release; a zeroed mailbox is allowed.  RT: no. */
void lkd_mailbox_fini(struct lkd_mailbox *mailbox);

/** lkd_mailbox_back() - the writer's slot. It holds some older value, so write all of it.
 * Thread: writer.  RT: yes. */
LK_RT void *lkd_mailbox_back(struct lkd_mailbox *mailbox);

/** lkd_mailbox_publish() - hand over the writer's slot as the newest value; the writer gets another
 * slot.
 * Thread: writer.  RT: yes, one atomic exchange. */
LK_RT void lkd_mailbox_publish(struct lkd_mailbox *mailbox);

/** lkd_mailbox_take() - make the next value the reader's slot: the oldest that is still there.
 * Thread: reader.  RT: yes, at most one atomic exchange.
 * Return: whether there was a value that had not been taken yet. */
LK_RT bool lkd_mailbox_take(struct lkd_mailbox *mailbox);

/** lkd_mailbox_take_newest() - the same with the newest value; those before it are passed over. */
LK_RT bool lkd_mailbox_take_newest(struct lkd_mailbox *mailbox);

/** lkd_mailbox_waiting() - values that were published and neither taken nor passed over; at least
 * as many are there by now.
 * Thread: reader.  RT: yes. */
LK_RT uint64_t lkd_mailbox_waiting(const struct lkd_mailbox *mailbox);

/** lkd_mailbox_front() - the reader's slot: the value of the last take, zeroes before the first.
 * Unchanged until the next take.  Thread: reader.  RT: yes. */
LK_RT const void *lkd_mailbox_front(const struct lkd_mailbox *mailbox);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The subscribed topics of streams, reported by the XPUB socket.
 *
 * The socket reports a topic when its first subscriber arrives and when its last one leaves. A
 * subscription may exist before its stream: a bench that reconnects after a restart of the daemon
 * subscribes to the topic of its former stream. Therefore all subscribed topics that could belong
 * to a stream are stored, up to a maximum number. Beyond it, a topic without a stream is
 * discarded. */
#ifndef LKD_IO_TOPICS_H
#define LKD_IO_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_TOPIC_SIZE   9 /* a tag byte (09) and the number of the stream */
#define LKD_TOPICS_MAX   1024
#define LKD_TOPIC_STREAM 0x09

/** struct lkd_topic - a prefix of topics.
 * @count: number of different subscribed topics with this prefix; 0: free
 * @used:  a stream has matched it */
struct lkd_topic {
    unsigned char bytes[LKD_TOPIC_SIZE];
    unsigned char size;
    bool used;
    uint32_t count;
};

/** struct lkd_topics - table of subscribed topics.
 * @n:         number of entries in use
 * @victim:    index at which the search for a topic to discard begins
 * @forgotten: number of discarded topics */
struct lkd_topics {
    int n;
    int victim;
    uint64_t forgotten;
    struct lkd_topic entry[LKD_TOPICS_MAX];
};

/** lkd_topics_hear() - Process a message from the XPUB socket: the byte 1 (subscribe) or 0
 * (unsubscribe) and a topic. Other messages and topics are ignored.
 * Return: true if a subscription to streams has changed. */
bool lkd_topics_hear(struct lkd_topics *topics, const unsigned char *message, size_t size);

/** lkd_topics_wanted() - Return true if there is a subscription to @topic or to a prefix of it. */
bool lkd_topics_wanted(struct lkd_topics *topics, const unsigned char topic[LKD_TOPIC_SIZE]);

#endif

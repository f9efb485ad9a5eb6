/* SPDX-License-Identifier: Apache-2.0 */
#include "topics.h"
#include <string.h>

/* Limit a topic to the length of a stream's topic. A longer topic matches some messages of a
 * stream, so it counts as a subscription to the stream. */
static size_t cut_size(size_t size)
{
    return size < LKD_TOPIC_SIZE ? size : LKD_TOPIC_SIZE;
}

static struct lkd_topic *find_topic(struct lkd_topics *topics, const unsigned char *bytes,
                                    size_t size)
{
    for (int i = 0; i < topics->n; i++) {
        struct lkd_topic *entry = &topics->entry[i];

        if (entry->size == size && memcmp(entry->bytes, bytes, size) == 0)
            return entry;
    }
    return NULL;
}

/* Make room for one more topic. A full table drops an entry that no stream has used; if all were
 * used, it drops the next entry in turn. */
static struct lkd_topic *make_room(struct lkd_topics *topics)
{
    if (topics->n < LKD_TOPICS_MAX)
        return &topics->entry[topics->n++];
    topics->forgotten++;
    for (int i = 0; i < LKD_TOPICS_MAX; i++) {
        topics->victim = (topics->victim + 1) % LKD_TOPICS_MAX;
        if (!topics->entry[topics->victim].used)
            break;
    }
    return &topics->entry[topics->victim];
}

static void add_topic(struct lkd_topics *topics, const unsigned char *bytes, size_t size)
{
    struct lkd_topic *entry = find_topic(topics, bytes, size);

    if (!entry) {
        entry = make_room(topics);
        *entry = (struct lkd_topic){.size = (unsigned char)size};
        memcpy(entry->bytes, bytes, size);
    }
    entry->count++;
}

static void drop_topic(struct lkd_topics *topics, const unsigned char *bytes, size_t size)
{
    struct lkd_topic *entry = find_topic(topics, bytes, size);

    if (entry && --entry->count == 0)
        *entry = topics->entry[--topics->n];
}

bool lkd_topics_hear(struct lkd_topics *topics, const unsigned char *message, size_t size)
{
    if (size < 1 || message[0] > 1)
        return false;
    if (size > 1 && message[1] != LKD_TOPIC_STREAM)
        return false;
    if (message[0] == 1)
        add_topic(topics, message + 1, cut_size(size - 1));
    else
        drop_topic(topics, message + 1, cut_size(size - 1));
    return true;
}

bool lkd_topics_wanted(struct lkd_topics *topics, const unsigned char topic[LKD_TOPIC_SIZE])
{
    bool wanted = false;

    for (int i = 0; i < topics->n; i++) {
        struct lkd_topic *entry = &topics->entry[i];

        if (memcmp(entry->bytes, topic, entry->size) == 0)
            wanted = entry->used = true;
    }
    return wanted;
}

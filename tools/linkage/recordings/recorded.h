/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of a recording of the daemon: metadata, topics, and messages in order. These functions
 * print the error messages about a file. */
#ifndef TOOLS_LINKAGE_RECORDED_H
#define TOOLS_LINKAGE_RECORDED_H

#include "mcap/read.h"
#include "mcap/recording.h"

#define TOPICS_MAX 64

/** struct recorded_topic - a topic; spans are on the heap.
 * @units:         metadata of its channel
 * @type, @schema: name and FileDescriptorSet of its message type
 * @n:             number of messages so far */
struct recorded_topic {
    uint16_t id;
    uint16_t schema_id;
    char name[64];
    struct lk_mcap_span units;
    struct lk_mcap_span type;
    struct lk_mcap_span schema;
    uint64_t n;
};

/** struct recorded - a recording.
 * @model, @begin, @end: text of the model, and metadata at begin and end; on the heap, empty if the
 *         recording lacks it
 * @first: the first message, kept until recorded_next() */
struct recorded {
    const char *path;
    struct lk_mcap_reader reader;
    struct recorded_topic topic[TOPICS_MAX];
    int n_topics;
    struct recorded_topic schema[TOPICS_MAX];
    int n_schemas;
    struct lk_mcap_span model;
    struct lk_mcap_span begin;
    struct lk_mcap_span end;
    struct lk_mcap_item first;
    bool has_first;
};

/** recorded_open() - Open a recording and read all records before the first message.
 * Return: false after an error message. */
bool recorded_open(const char *path, struct recorded *ret_recorded);
void recorded_close(struct recorded *recorded);

/** recorded_topic() - Find a topic by name, with or without its slash.
 * Return: NULL if the recording lacks it. */
struct recorded_topic *recorded_topic(struct recorded *recorded, const char *name);

/** recorded_next() - Read the next message, or detect damage. @ret_topic: topic of the message,
 * NULL for damage
 * Return: 1; 0: the end; -1 after an error message. */
int recorded_next(struct recorded *recorded, struct lk_mcap_item *ret_item,
                  struct recorded_topic **ret_topic);

/** recorded_fact() - Return the value of @key in the metadata at the start of the file; "" if
 * absent. */
void recorded_fact(const struct recorded *recorded, const char *key, char *ret, size_t size);

/** recorded_say_end() - Print a line if the file is damaged or truncated.
 * Return: true if the file is complete. */
bool recorded_say_end(const struct recorded *recorded);

#endif

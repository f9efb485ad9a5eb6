/* SPDX-License-Identifier: Apache-2.0 */
/* A recording of the daemon, for the subcommands that read one: what it says about itself, its
 * topics, and its messages one after the other. Whatever is wrong with a file is complained about
 * here. */
#ifndef TOOLS_LINKAGE_RECORDED_H
#define TOOLS_LINKAGE_RECORDED_H

#include "mcap/read.h"
#include "mcap/recording.h"

#define TOPICS_MAX 64

/** struct recorded_topic - @units: map of its channel;  @type, @schema: name and FileDescriptorSet.
 * Own memory. @n: messages so far */
struct recorded_topic {
    uint16_t id;
    uint16_t schema_id;
    char name[64];
    struct lk_mcap_span units;
    struct lk_mcap_span type;
    struct lk_mcap_span schema;
    uint64_t n;
};

/** struct recorded - @model, @begin, @end: text of the model, metadata; own memory, empty where
 * there is none
 * @first: the first message, kept until it is asked for */
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

/** recorded_open() - read everything before the first message. Return: false after a complaint. */
bool recorded_open(const char *path, struct recorded *ret_recorded);
void recorded_close(struct recorded *recorded);

/** recorded_topic() - by name, with or without its slash; NULL when there is none. */
struct recorded_topic *recorded_topic(struct recorded *recorded, const char *name);

/** recorded_next() - the next message, or damage. @ret_topic: of a message, NULL of damage
 * Return: 1; 0: the end; -1 after a complaint. */
int recorded_next(struct recorded *recorded, struct lk_mcap_item *ret_item,
                  struct recorded_topic **ret_topic);

/** recorded_fact() - of the metadata at the begin, "" where it is not there. */
void recorded_fact(const struct recorded *recorded, const char *key, char *ret, size_t size);

/** recorded_say_end() - a line about a file that is not whole; nothing about one that is.
 * Return: whether it is whole. */
bool recorded_say_end(const struct recorded *recorded);

#endif

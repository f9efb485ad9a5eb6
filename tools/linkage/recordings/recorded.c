/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"
#include "commands.h"
#include "linkage/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a copy of a span on the heap; empty if memory is exhausted. */
static struct lk_mcap_span copy_span(struct lk_mcap_span span)
{
    unsigned char *data = malloc(span.size + 1);

    if (data == NULL)
        return (struct lk_mcap_span){0};
    if (span.size > 0)
        memcpy(data, span.data, span.size);
    data[span.size] = '\0';
    return (struct lk_mcap_span){data, span.size};
}

static void let_go(struct lk_mcap_span *span)
{
    free((void *)(uintptr_t)span->data);
    *span = (struct lk_mcap_span){0};
}

static void replace_span(struct lk_mcap_span *span, struct lk_mcap_span by)
{
    let_go(span);
    *span = copy_span(by);
}

static struct recorded_topic *find_topic(struct recorded_topic *list, int n, uint16_t id)
{
    for (int i = 0; i < n; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

static void note_schema(struct recorded *r, const struct lk_mcap_item *item)
{
    struct recorded_topic *schema;

    if (r->n_schemas == TOPICS_MAX || find_topic(r->schema, r->n_schemas, item->id))
        return;
    schema = &r->schema[r->n_schemas++];
    schema->id = item->id;
    schema->type = copy_span(item->name);
    schema->schema = copy_span(item->data);
}

static void note_channel(struct recorded *r, const struct lk_mcap_item *item)
{
    struct recorded_topic *topic, *schema = find_topic(r->schema, r->n_schemas, item->schema);
    int n = item->name.size < sizeof(topic->name) ? (int)item->name.size : 63;

    if (r->n_topics == TOPICS_MAX || find_topic(r->topic, r->n_topics, item->id))
        return;
    topic = &r->topic[r->n_topics++];
    topic->id = item->id;
    snprintf(topic->name, sizeof(topic->name), "%.*s", n, (const char *)item->name.data);
    topic->units = copy_span(item->map);
    if (schema != NULL) { /* the entry of the schema owns these spans */
        topic->type = schema->type;
        topic->schema = schema->schema;
    }
}

/* Store metadata, topics and attachments.
 * Return: true if the item is a message or damage, which the caller should read. */
static bool note_item(struct recorded *r, const struct lk_mcap_item *item)
{
    if (item->kind == LK_MCAP_IS_SCHEMA)
        note_schema(r, item);
    else if (item->kind == LK_MCAP_IS_CHANNEL)
        note_channel(r, item);
    else if (item->kind == LK_MCAP_IS_ATTACHMENT && lk_mcap_span_is(item->name, LK_RECORDING_MODEL))
        replace_span(&r->model, item->data);
    else if (item->kind == LK_MCAP_IS_METADATA && lk_mcap_span_is(item->name, LK_RECORDING_BEGIN))
        replace_span(&r->begin, item->map);
    else if (item->kind == LK_MCAP_IS_METADATA && lk_mcap_span_is(item->name, LK_RECORDING_END))
        replace_span(&r->end, item->map);
    return item->kind == LK_MCAP_IS_MESSAGE || item->kind == LK_MCAP_DAMAGE;
}

static int advance_item(struct recorded *r, struct lk_mcap_item *item)
{
    int result;

    do {
        result = lk_mcap_next(&r->reader, item);
    } while (result == 1 && !note_item(r, item));
    if (result >= 0)
        return result;
    complain("%s: %s", r->path,
             result == -ENOTSUP ? "a chunk is compressed, which this tool does not read"
                                : strerror(-result));
    return -1;
}

bool recorded_open(const char *path, struct recorded *ret)
{
    int result;

    *ret = (struct recorded){.path = path};
    result = lk_mcap_open(path, &ret->reader);
    if (result != 0) {
        complain("%s: %s", path,
                 result == -EINVAL ? "this is no MCAP file" : lk_file_error(result));
        return false;
    }
    result = advance_item(ret, &ret->first);
    ret->has_first = result == 1;
    if (result < 0)
        recorded_close(ret);
    return result >= 0;
}

void recorded_close(struct recorded *r)
{
    for (int i = 0; i < r->n_topics; i++)
        let_go(&r->topic[i].units);
    for (int i = 0; i < r->n_schemas; i++) {
        let_go(&r->schema[i].type);
        let_go(&r->schema[i].schema);
    }
    let_go(&r->model);
    let_go(&r->begin);
    let_go(&r->end);
    lk_mcap_close(&r->reader);
}

struct recorded_topic *recorded_topic(struct recorded *r, const char *name)
{
    for (int i = 0; i < r->n_topics; i++)
        if (strcmp(r->topic[i].name, name) == 0 ||
            (r->topic[i].name[0] == '/' && strcmp(r->topic[i].name + 1, name) == 0))
            return &r->topic[i];
    return NULL;
}

int recorded_next(struct recorded *r, struct lk_mcap_item *ret_item,
                  struct recorded_topic **ret_topic)
{
    int result = 1;

    if (r->has_first)
        *ret_item = r->first;
    else
        result = advance_item(r, ret_item);
    r->has_first = false;
    *ret_topic = NULL;
    if (result == 1 && ret_item->kind == LK_MCAP_IS_MESSAGE)
        *ret_topic = find_topic(r->topic, r->n_topics, ret_item->id);
    if (*ret_topic != NULL)
        (*ret_topic)->n++;
    return result;
}

void recorded_fact(const struct recorded *r, const char *key, char *ret, size_t size)
{
    lk_mcap_map_get(r->begin, key, ret, size);
}

bool recorded_say_end(const struct recorded *r)
{
    if (r->reader.n_damaged > 0)
        printf("%" PRIu64 " damaged part(s) were left out: their CRC is wrong\n",
               r->reader.n_damaged);
    if (r->reader.ending == LK_MCAP_CUT)
        printf("the file has no end: its writer was stopped; it is whole up to byte %" PRIu64
               " of %" PRIu64 "\n",
               r->reader.end, r->reader.size);
    else if (r->reader.ending == LK_MCAP_BAD)
        printf("the file makes no sense from byte %" PRIu64 " on, of %" PRIu64 "\n", r->reader.end,
               r->reader.size);
    return r->reader.ending == LK_MCAP_COMPLETE && r->reader.n_damaged == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_file.h"
#include "commands.h"
#include "linkage/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (1u << 20) /* size of a chunk [bytes] */

_Static_assert(LK_RECORDING_LOG <= LK_MCAP_CHANNELS_MAX, "a chunk has room for each topic");

static void fail(struct scene_file *f, int fault)
{
    if (!f->failed)
        complain("%s: %s", f->path, strerror(fault));
    f->failed = true;
}

static void store(struct scene_file *f, const struct lk_mcap_buffer *b)
{
    size_t done = 0;

    if (b->full)
        fail(f, ENOMEM);
    while (done < b->size && !f->failed) {
        ssize_t n = write(f->fd, b->data + done, b->size - done);

        if (n < 0 && errno != EINTR)
            fail(f, errno);
        done += n > 0 ? (size_t)n : 0;
    }
}

/* ---- maps of strings ---- */

static char *text_of(struct lk_mcap_span span)
{
    return strndup((const char *)span.data, span.size);
}

/* Copy the entries of @map to the heap.
 * Return: number of entries. */
static size_t take_pairs(struct lk_mcap_span map, struct lk_mcap_pair **ret)
{
    struct lk_mcap_span key, value, rest = map;
    size_t n = 0;

    while (lk_mcap_map_next(&rest, &key, &value))
        n++;
    *ret = calloc(n + 1, sizeof(**ret));
    for (size_t i = 0; i < n && *ret != NULL; i++) {
        lk_mcap_map_next(&map, &key, &value);
        (*ret)[i] = (struct lk_mcap_pair){text_of(key), text_of(value)};
        if ((*ret)[i].key == NULL || (*ret)[i].value == NULL)
            return i;
    }
    return *ret != NULL ? n : 0;
}

static void drop_pairs(struct lk_mcap_pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free((void *)(uintptr_t)pairs[i].key);
        free((void *)(uintptr_t)pairs[i].value);
    }
    free(pairs);
}

static void put_facts(struct lk_mcap_buffer *to, const char *name, struct lk_mcap_span map)
{
    struct lk_mcap_pair *pairs;
    size_t n = take_pairs(map, &pairs);

    lk_mcap_put_metadata(to, name, pairs, n);
    drop_pairs(pairs, n);
}

/* ---- begin ---- */

static void put_topic(struct lk_mcap_buffer *front, const struct recorded_topic *topic)
{
    char type[256];
    struct lk_mcap_pair *pairs;
    size_t n = take_pairs(topic->units, &pairs);

    snprintf(type, sizeof(type), "%.*s", (int)(topic->type.size < 255 ? topic->type.size : 255),
             (const char *)topic->type.data);
    lk_mcap_put_schema(front, topic->id, type, topic->schema.data, topic->schema.size);
    lk_mcap_put_channel(front, topic->id, topic->id, topic->name, pairs, n);
    drop_pairs(pairs, n);
}

static void put_front(struct lk_mcap_buffer *front, const struct recorded *from, uint64_t now_ns)
{
    struct lk_mcap_buffer schema = {.grows = true};

    lk_mcap_put_header(front, "linkage");
    for (int i = 0; i < from->n_topics; i++)
        put_topic(front, &from->topic[i]);
    lk_foxglove_schema(&schema);
    front->full |= schema.full;
    lk_mcap_put_schema(front, LK_RECORDING_TF, LK_FOXGLOVE_TRANSFORMS, schema.data, schema.size);
    lk_mcap_put_schema(front, LK_RECORDING_SCENE, LK_FOXGLOVE_SCENE, schema.data, schema.size);
    lk_mcap_put_schema(front, LK_RECORDING_LOG, LK_FOXGLOVE_LOG, schema.data, schema.size);
    lk_mcap_buffer_fini(&schema);
    for (uint16_t i = LK_RECORDING_TF; i <= LK_RECORDING_LOG; i++)
        lk_mcap_put_channel(front, i, i, lk_recording_topic(i), NULL, 0);
    if (from->model.data != NULL)
        lk_mcap_put_attachment(front, now_ns, LK_RECORDING_MODEL, "application/yaml",
                               from->model.data, from->model.size);
    put_facts(front, LK_RECORDING_BEGIN, from->begin);
}

/* Check that the recording does not use the topic numbers reserved for this file. */
static bool fits(const struct recorded *from)
{
    for (int i = 0; i < from->n_topics; i++) {
        const struct recorded_topic *t = &from->topic[i];

        if (strcmp(t->name, "/tf") == 0 || strcmp(t->name, "/scene") == 0) {
            complain("%s: it has a scene already", from->path);
            return false;
        }
        if (t->id < 1 || t->id >= LK_RECORDING_TF) {
            complain("%s: topic '%s' is none of linkaged's", from->path, t->name);
            return false;
        }
    }
    return true;
}

static void begin_chunk(struct scene_file *f)
{
    lk_mcap_chunk_begin(&f->chunk, f->memory, f->size);
}

static bool prepare(struct scene_file *f, const struct lk_model *model)
{
    f->size = lk_mcap_chunk_size(CHUNK);
    f->memory = malloc(f->size);
    if (f->memory != NULL && lk_scene_new(model, &f->scene) == 0 &&
        lk_mcap_chunk_init(&f->chunk) == 0)
        f->poses = calloc((size_t)f->scene->n_bodies, LK_POSE_SIZE * sizeof(*f->poses));
    return f->poses != NULL;
}

bool scene_file_open(struct scene_file *f, const char *path, double rate,
                     const struct lk_model *model, struct recorded *from)
{
    struct lk_mcap_buffer front = {.grows = true};

    *f = (struct scene_file){.path = path, .fd = -1, .period_ns = (uint64_t)(1e9 / rate)};
    lk_mcap_summary_init(&f->summary);
    if (!fits(from))
        return false;
    if (!prepare(f, model)) {
        complain("out of memory");
        return false;
    }
    f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->fd < 0) {
        complain("%s: %s%s", path, strerror(errno), errno == EEXIST ? ", expected a new file" : "");
        return false;
    }
    put_front(&front, from, from->first.log_ns);
    store(f, &front);
    if (lk_mcap_summary_front(&f->summary, &front) != 0)
        fail(f, ENOMEM);
    lk_mcap_buffer_fini(&front);
    begin_chunk(f);
    return !f->failed;
}

/* ---- messages ---- */

static void flush(struct scene_file *f)
{
    struct lk_mcap_chunk_index index;

    if (f->chunk.n_entries == 0)
        return;
    lk_mcap_chunk_close(&f->chunk, &index);
    store(f, &f->chunk.buffer);
    if (lk_mcap_summary_chunk(&f->summary, &index) != 0)
        fail(f, ENOMEM);
    begin_chunk(f);
}

/* Provide a separate chunk for a large message. */
static void make_room(struct scene_file *f, size_t size)
{
    size_t wanted = lk_mcap_chunk_size(size + 64);
    unsigned char *memory;

    flush(f);
    if (wanted <= f->size)
        return;
    memory = realloc(f->memory, wanted);
    if (memory == NULL) {
        fail(f, ENOMEM);
        return;
    }
    f->memory = memory;
    f->size = wanted;
    begin_chunk(f);
}

static void add(struct scene_file *f, uint16_t channel, const struct lk_mcap_item *when,
                const void *data, size_t size)
{
    unsigned char *to;

    if (f->failed)
        return;
    if (!lk_mcap_chunk_fits(&f->chunk, 1, size))
        make_room(f, size);
    to =
        lk_mcap_chunk_add(&f->chunk, channel, when->sequence, when->log_ns, when->publish_ns, size);
    if (to != NULL)
        memcpy(to, data, size);
    else
        fail(f, ENOMEM);
}

static void add_buffer(struct scene_file *f, uint16_t channel, const struct lk_mcap_item *when,
                       struct lk_mcap_buffer *message)
{
    if (message->full)
        fail(f, ENOMEM);
    add(f, channel, when, message->data, message->size);
    lk_mcap_buffer_fini(message);
}

void scene_file_copy(struct scene_file *f, const struct lk_mcap_item *item, const char *topic)
{
    struct lk_mcap_buffer log = {.grows = true};
    struct lk_recording_event event;

    add(f, item->id, item, item->data.data, item->data.size);
    if (strcmp(topic, lk_recording_topic(LK_RECORDING_EVENTS)) != 0 ||
        !lk_recording_event_take(item->data.data, item->data.size, &event))
        return;
    lk_text_clean(event.id);
    lk_text_clean(event.text);
    lk_foxglove_log_recorded(&log, &event, item->log_ns);
    add_buffer(f, LK_RECORDING_LOG, item, &log);
}

void scene_file_step(struct scene_file *f, const struct lk_system *system,
                     const struct lk_mcap_item *item)
{
    struct lk_mcap_buffer transforms = {.grows = true}, shapes = {.grows = true},
                          spans = {.grows = true};

    if (f->failed || item->log_ns < f->next_ns)
        return;
    /* Pictures are on a fixed time grid. Cycles cannot be counted for this, because they pause. */
    f->next_ns += f->period_ns;
    if (f->next_ns <= item->log_ns)
        f->next_ns = item->log_ns + f->period_ns;
    lk_system_poses(system, f->poses);
    lk_foxglove_transforms(&transforms, f->scene, f->poses, item->log_ns);
    lk_foxglove_view(&transforms, &f->view, f->scene, f->poses, item->log_ns);
    add_buffer(f, LK_RECORDING_TF, item, &transforms);
    if (f->n++ == 0) {
        lk_foxglove_shapes(&shapes, f->scene, item->log_ns);
        add_buffer(f, LK_RECORDING_SCENE, item, &shapes);
    }
    if (lk_foxglove_spans(&spans, f->scene, f->poses, item->log_ns))
        add_buffer(f, LK_RECORDING_SCENE, item, &spans);
    else
        lk_mcap_buffer_fini(&spans);
}

/* ---- end ---- */

bool scene_file_close(struct scene_file *f, const struct recorded *from)
{
    struct lk_mcap_buffer tail = {.grows = true};

    if (f->fd >= 0) {
        flush(f);
        if (from->end.data != NULL)
            put_facts(&tail, LK_RECORDING_END, from->end);
        if (lk_mcap_summary_front(&f->summary, &tail) != 0)
            fail(f, ENOMEM);
        lk_mcap_summary_close(&f->summary, &tail);
        store(f, &tail);
        if (close(f->fd) != 0)
            fail(f, errno);
    }
    lk_mcap_buffer_fini(&tail);
    lk_mcap_chunk_fini(&f->chunk);
    lk_mcap_summary_fini(&f->summary);
    lk_scene_free(f->scene);
    free(f->poses);
    free(f->memory);
    return !f->failed;
}

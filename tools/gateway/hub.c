/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers parcels from the threads of the line to the web thread. */
#include "draft.h"
#include "foxglove/foxglove.h"
#include "gateway.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t gate_utc_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t gate_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void gate_sleep_ms(int ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

/* ---- parcels ---- */

struct gate_parcel *gate_parcel_new(enum gate_topic topic, uint32_t meaning, uint64_t ns,
                                    const void *data, size_t size)
{
    struct gate_parcel *parcel = malloc(sizeof(*parcel) + size);

    if (parcel == NULL)
        return NULL;
    *parcel = (struct gate_parcel){
        .n_holders = 1, .topic = topic, .meaning = meaning, .ns = ns, .size = size};
    if (data != NULL && size > 0)
        memcpy(parcel->data, data, size);
    return parcel;
}

struct gate_parcel *gate_parcel_end(enum gate_topic topic, uint32_t meaning, uint64_t ns,
                                    struct draft *draft)
{
    struct gate_parcel *parcel = NULL;

    if (draft_end(draft))
        parcel = gate_parcel_new(topic, meaning, ns, draft->text, draft->size);
    free(draft->text);
    return parcel;
}

struct gate_parcel *gate_parcel_hold(struct gate_parcel *parcel)
{
    atomic_fetch_add(&parcel->n_holders, 1);
    return parcel;
}

void gate_parcel_drop(struct gate_parcel *parcel)
{
    if (parcel != NULL && atomic_fetch_sub(&parcel->n_holders, 1) == 1)
        free(parcel);
}

struct gate_parcel *gate_queue_take(struct gate_queue *queue)
{
    struct gate_parcel *parcel;

    if (queue->n == 0)
        return NULL;
    parcel = queue->parcel[queue->first];
    queue->first = (queue->first + 1) % GATE_QUEUE;
    queue->n--;
    queue->bytes -= parcel->size;
    return parcel;
}

size_t gate_queue_put(struct gate_queue *queue, struct gate_parcel *parcel)
{
    size_t n = 0;

    if (parcel == NULL)
        return 0;
    while (queue->n == GATE_QUEUE || (queue->n > 0 && queue->bytes + parcel->size > GATE_BYTES)) {
        gate_parcel_drop(gate_queue_take(queue));
        n++;
    }
    queue->parcel[(queue->first + queue->n++) % GATE_QUEUE] = parcel;
    queue->bytes += parcel->size;
    return n;
}

struct gate_parcel *gate_queue_next(const struct gate_queue *queue, enum gate_topic topic,
                                    size_t *place)
{
    while (*place < queue->n) {
        struct gate_parcel *parcel = queue->parcel[(queue->first + (*place)++) % GATE_QUEUE];

        if (parcel->topic == topic)
            return parcel;
    }
    return NULL;
}

void gate_queue_clear(struct gate_queue *queue)
{
    while (queue->n > 0)
        gate_parcel_drop(gate_queue_take(queue));
}

/* ---- the hub ---- */

void gate_hub_init(struct gate_hub *hub)
{
    pthread_condattr_t clock;

    *hub = (struct gate_hub){.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&hub->asked, &clock);
    pthread_condattr_destroy(&clock);
}

void gate_hub_fini(struct gate_hub *hub)
{
    gate_queue_clear(&hub->queue);
    gate_meaning_drop(hub->meaning);
    for (int i = 0; i < hub->n_commands; i++)
        json_decref(hub->command[i]);
    pthread_cond_destroy(&hub->asked);
    pthread_mutex_destroy(&hub->lock);
}

void gate_hub_post(struct gate_hub *hub, struct gate_parcel *parcel)
{
    pthread_mutex_lock(&hub->lock);
    if (parcel != NULL)
        parcel->number = ++hub->n_parcels;
    gate_queue_put(&hub->queue, parcel);
    if (hub->wake != NULL)
        hub->wake(hub->web);
    pthread_mutex_unlock(&hub->lock);
}

struct gate_parcel *gate_hub_take(struct gate_hub *hub)
{
    struct gate_parcel *parcel;

    pthread_mutex_lock(&hub->lock);
    parcel = gate_queue_take(&hub->queue);
    pthread_mutex_unlock(&hub->lock);
    return parcel;
}

void gate_hub_set(struct gate_hub *hub, struct gate_meaning *meaning)
{
    struct gate_meaning *before;
    uint32_t number = 0;

    pthread_mutex_lock(&hub->lock);
    before = hub->meaning;
    hub->meaning = meaning;
    if (meaning != NULL)
        number = meaning->number = ++hub->n_meanings;
    pthread_mutex_unlock(&hub->lock);
    gate_meaning_drop(before);
    gate_hub_post(hub, gate_parcel_new(GATE_MEANING, number, gate_utc_ns(), NULL, 0));
}

struct gate_meaning *gate_hub_meaning(struct gate_hub *hub)
{
    struct gate_meaning *meaning;

    pthread_mutex_lock(&hub->lock);
    meaning = gate_meaning_hold(hub->meaning);
    pthread_mutex_unlock(&hub->lock);
    return meaning;
}

/* Post the event for pages. */
static void post_event(struct gate_hub *hub, enum gate_level level, const char *name,
                       const char *id, const char *text, uint64_t now_ns)
{
    struct draft draft;

    if (!draft_begin(&draft, "event"))
        return;
    lk_json_count(&draft.json, "level", (uint64_t)level);
    lk_json_text(&draft.json, "name", name);
    lk_json_text(&draft.json, "id", id);
    lk_json_text(&draft.json, "text", text);
    lk_json_number(&draft.json, "time", (double)now_ns / 1e9);
    gate_hub_post(hub, gate_parcel_end(GATE_EVENT, 0, now_ns, &draft));
}

void gate_hub_say(struct gate_hub *hub, enum gate_level level, const char *name, const char *id,
                  const char *format, ...)
{
    struct lk_mcap_buffer message = {.grows = true};
    uint64_t now_ns = gate_utc_ns();
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "linkage-gateway: %s: %s\n", name, text);
    lk_foxglove_log(&message, (enum lk_foxglove_level)level, name, id, text, now_ns);
    if (!message.full)
        gate_hub_post(hub, gate_parcel_new(GATE_EVENTS, 0, now_ns, message.data, message.size));
    lk_mcap_buffer_fini(&message);
    post_event(hub, level, name, id, text, now_ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "inject_queue.h"
#include "log.h"
#include <string.h>

static double *values_of(const struct lkd_injector *injector, const struct lkd_held *held)
{
    return injector->held_values +
           (size_t)(held - injector->held) * lkd_queue_width(injector->n_values);
}

void lkd_queue_copy(double *room, size_t n_values, struct lkd_sample *sample)
{
    if (sample->n_values > 0)
        memcpy(room, sample->values, sample->n_values * sizeof(double));
    if (sample->n_slopes > 0)
        memcpy(room + n_values, sample->slopes, sample->n_slopes * sizeof(double));
    sample->values = room;
    sample->slopes = room + n_values;
}

/* Return a free slot, or the slot of the oldest sample. */
static struct lkd_held *find_slot(struct lkd_injector *injector)
{
    struct lkd_held *oldest = &injector->held[0];

    for (size_t i = 0; i < injector->n_slots; i++) {
        if (!injector->held[i].used)
            return &injector->held[i];
        if (injector->held[i].order < oldest->order)
            oldest = &injector->held[i];
    }
    injector->lost++;
    injector->n_held--;
    lkd_log(LKD_C_INJECTING, "the queue of injected delays is full, the oldest sample is lost");
    return oldest;
}

void lkd_queue_keep(struct lkd_injector *injector, const struct lkd_sample *sample, int place,
                    int64_t due_ns, bool waiting)
{
    struct lkd_held *held = find_slot(injector);

    *held = (struct lkd_held){
        .used = true,
        .waiting = waiting,
        .place = place,
        .order = ++injector->order,
        .due_ns = due_ns,
        .sample = *sample,
    };
    lkd_queue_copy(values_of(injector, held), injector->n_values, &held->sample);
    injector->n_held++;
}

struct lkd_held *lkd_queue_waiting(struct lkd_injector *injector, int place)
{
    for (size_t i = 0; injector->n_held > 0 && i < injector->n_slots; i++)
        if (injector->held[i].used && injector->held[i].waiting && injector->held[i].place == place)
            return &injector->held[i];
    return NULL;
}

bool lkd_injector_next(struct lkd_injector *injector, int64_t now_ns, struct lkd_sample *ret_sample)
{
    struct lkd_held *next = NULL;

    for (size_t i = 0; injector->n_held > 0 && i < injector->n_slots; i++) {
        struct lkd_held *held = &injector->held[i];

        if (held->used && !held->waiting && held->due_ns <= now_ns &&
            (!next || held->due_ns < next->due_ns ||
             (held->due_ns == next->due_ns && held->order < next->order)))
            next = held;
    }
    if (!next)
        return false;
    *ret_sample = next->sample;
    ret_sample->received_ns = now_ns;
    lkd_queue_copy(injector->room, injector->n_values, ret_sample);
    next->used = false;
    injector->n_held--;
    return true;
}

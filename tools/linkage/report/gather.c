/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* flags of a cycle, enum Flag of linkage.proto */
#define DEGRADED 1
#define STALE    2
#define TRIPPED  4
#define INJECTED 16

static bool grow(void **list, size_t n, size_t size)
{
    void *more = realloc(*list, n * size);

    *list = more != NULL ? more : *list;
    return more != NULL;
}

static bool make_room(struct gathered *g)
{
    size_t more = g->room > 0 ? 2 * g->room : 4096;
    bool good = true;

    if (g->n < g->room)
        return true;
    for (int k = 0; k < GATHERED_KINDS; k++)
        good &= grow((void **)&g->value[k], more, sizeof(double));
    good &= grow((void **)&g->time, more, sizeof(double));
    g->room = good ? more : g->room;
    return good;
}

/* @before: the previous cycle, or NULL */
static bool take_miss(struct gathered *g, const struct lk_recording_cycle *c,
                      const struct lk_recording_cycle *before)
{
    bool behind = before != NULL && before->cycle + 1 == c->cycle &&
                  before->deadline_ns + (uint64_t)before->computed_ns > c->deadline_ns;

    if (g->n_missed++ >= MISSED_MAX)
        return true;
    if (!grow((void **)&g->missed, (size_t)g->n_missed, sizeof(*g->missed)))
        return false;
    g->missed[g->n_missed - 1] = (struct missed){*c, behind};
    return true;
}

/* Count a cycle as missed if its outputs were computed after the period, or if the daemon counted
 * an overrun after it, which the next cycle tells. */
static bool look_for_misses(struct gathered *g, const struct lk_recording_cycle *c)
{
    const struct lk_recording_cycle *last = g->n > 0 ? &g->last : NULL;
    bool known = last != NULL && (double)last->computed_ns * 1e-3 > g->period_us;

    if (last != NULL && c->overruns > last->overruns && !known && !take_miss(g, last, NULL))
        return false;
    return !((double)c->computed_ns * 1e-3 > g->period_us) || take_miss(g, c, last);
}

static bool take_cycle(struct gathered *g, const struct lk_mcap_item *item)
{
    struct lk_recording_cycle c;

    if (!lk_recording_cycle_take(item->data.data, item->data.size, &c))
        return true;
    if (!make_room(g) || !look_for_misses(g, &c))
        return false;
    g->value[GATHERED_WAKEUP][g->n] = (double)c.woken_ns * 1e-3;
    g->value[GATHERED_COMPUTATION][g->n] = (double)(c.computed_ns - c.woken_ns) * 1e-3;
    g->value[GATHERED_RESPONSE][g->n] = (double)c.computed_ns * 1e-3;
    g->time[g->n++] = c.time_s;
    g->n_degraded += (c.flags & DEGRADED) != 0;
    g->n_stale += (c.flags & STALE) != 0;
    g->n_tripped += (c.flags & TRIPPED) != 0;
    g->n_injected += (c.flags & INJECTED) != 0;
    g->n_fault += c.fault != 0;
    g->last = c;
    return true;
}

static bool take_event(struct gathered *g, const struct lk_mcap_item *item)
{
    struct gathered_event e = {.utc_ns = item->log_ns};

    if (!lk_recording_event_take(item->data.data, item->data.size, &e.event))
        return true;
    if (!grow((void **)&g->event, g->n_events + 1, sizeof(*g->event)))
        return false;
    g->event[g->n_events++] = e;
    return true;
}

static bool take(struct gathered *g, const struct recorded_topic *topic,
                 const struct lk_mcap_item *item)
{
    g->first_utc_ns = g->first_utc_ns == 0 ? item->log_ns : g->first_utc_ns;
    g->last_utc_ns = item->log_ns > g->last_utc_ns ? item->log_ns : g->last_utc_ns;
    if (strcmp(topic->name, "/cycle") == 0)
        return take_cycle(g, item);
    return strcmp(topic->name, "/events") != 0 || take_event(g, item);
}

bool gather(struct recorded *file, struct gathered *g)
{
    static const char *const dropped[] = {"dropped_cycles", "dropped_events",
                                          "dropped_platform_steps"};
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    char period[32];
    int result;

    *g = (struct gathered){0};
    recorded_fact(file, "period_ns", period, sizeof(period));
    recorded_fact(file, "mode", g->mode, sizeof(g->mode));
    g->period_us = strtod(period, NULL) * 1e-3;
    if (!(g->period_us > 0)) {
        complain("%s: the recording names no period", file->path);
        return false;
    }
    while ((result = recorded_next(file, &item, &topic)) == 1)
        if (topic != NULL && !take(g, topic, &item)) {
            complain("out of memory");
            return false;
        }
    if (result < 0)
        return false;
    for (int i = 0; i < 3; i++)
        lk_mcap_map_get(file->end, dropped[i], g->dropped[i], sizeof(g->dropped[i]));
    lk_mcap_map_get(file->end, "trouble", g->trouble, sizeof(g->trouble));
    g->is_whole = recorded_say_end(file);
    if (g->n == 0)
        complain("%s: there is no cycle in it", file->path);
    return g->n > 0;
}

void gathered_fini(struct gathered *g)
{
    for (int k = 0; k < GATHERED_KINDS; k++)
        free(g->value[k]);
    free(g->time);
    free(g->missed);
    free(g->event);
    *g = (struct gathered){0};
}

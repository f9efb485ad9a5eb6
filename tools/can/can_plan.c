/* SPDX-License-Identifier: Apache-2.0 */
#include "can_plan_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool can_refuse(struct maker *k, int line, int column, const char *format, ...)
{
    char text[LK_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    lk_error_set(k->error, "%s:%d:%d: %s", k->plan->dbc->name, line, column, text);
    k->result = LK_E_TEXT;
    return false;
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* List the scalars of a side, sorted by the names of matching signals. Return: false: no memory. */
static bool sort_side(const struct can_side *side, struct named **ret)
{
    struct named *list = calloc((size_t)side->n + 1, sizeof(*list));
    char text[2 * CAN_CHANNEL_SIZE + 2];

    *ret = list;
    for (int i = 0; list != NULL && i < side->n; i++) {
        can_scalar_name(&side->scalar[i], text, sizeof(text));
        can_name(text, list[i].name, sizeof(list[i].name));
        list[i].scalar = i;
    }
    if (list != NULL)
        qsort(list, (size_t)side->n, sizeof(*list), compare_names);
    return list != NULL;
}

/* Find a scalar by the name of a signal.
 * Return: index of the scalar; -1: none; -2: several. */
static int find_by_name(const struct named *list, int n, const char *name)
{
    struct named key = {.scalar = 0}, *found;

    if (strlen(name) >= sizeof(key.name))
        return -1;
    strcpy(key.name, name);
    found = bsearch(&key, list, (size_t)n, sizeof(*list), compare_names);
    if (found == NULL)
        return -1;
    if ((found > list && compare_names(found, found - 1) == 0) ||
        (found + 1 < list + n && compare_names(found, found + 1) == 0))
        return -2;
    return found->scalar;
}

/* Find the scalar whose displayed name is in the map. */
static int find_as_written(const struct can_side *side, const char *text)
{
    char name[2 * CAN_CHANNEL_SIZE + 2];

    for (int i = 0; i < side->n; i++) {
        can_scalar_name(&side->scalar[i], name, sizeof(name));
        if (strcmp(name, text) == 0)
            return i;
    }
    return -1;
}

/* ---- a signal and its channel ---- */

/* Find the channel of a signal according to the map. Return: false after a refusal. */
static bool take_mapped(struct maker *k, const struct can_side *side, bool is_sent,
                        const struct can_map_signal *entry, struct can_item *item)
{
    item->factor = entry->factor;
    item->offset = entry->offset;
    item->is_converted = entry->has_factor;
    if (entry->outside != CAN_OUTSIDE_DEFAULT)
        item->outside = entry->outside;
    if (*entry->channel == '\0' && lk_node_kind(entry->target) == LK_NODE_SCALAR)
        return true; /* no channel, by explicit choice */
    if (*entry->channel == '\0')
        return can_match(k, side, item);
    item->scalar = find_as_written(side, entry->channel);
    if (item->scalar >= 0)
        return true;
    k->result = lk_node_refuse(entry->target, k->error,
                               "the model has no %s '%s' of one number, expected "
                               "CHANNEL or CHANNEL.COMPONENT",
                               is_sent ? "output" : "input", entry->channel);
    return false;
}

bool can_match(struct maker *k, const struct can_side *side, struct can_item *item)
{
    const struct dbc *dbc = k->plan->dbc;
    const struct dbc_message *m = &dbc->message[k->message];
    const struct dbc_signal *s = &dbc->signal[item->signal];
    const struct named *list = side == &k->plan->channels->input ? k->inputs : k->outputs;
    char both[2 * DBC_NAME_SIZE + 2], name[2 * DBC_NAME_SIZE + 2];

    can_name(dbc_signal_name(s), name, sizeof(name));
    item->scalar = find_by_name(list, side->n, name);
    if (item->scalar == -1) {
        snprintf(both, sizeof(both), "%s_%s", dbc_message_name(m), dbc_signal_name(s));
        can_name(both, name, sizeof(name));
        item->scalar = find_by_name(list, side->n, name);
    }
    if (item->scalar == -2)
        return can_refuse(k, s->line, s->column,
                          "'%s' fits several channels, expected the map to say which one", s->name);
    return true;
}

static bool add_item(struct maker *k, int signal, const struct can_message *cm)
{
    struct can_plan *plan = k->plan;
    const struct can_map_message *entry = k->message_entry[k->message];
    const struct can_side *side = cm->is_sent ? &plan->channels->output : &plan->channels->input;
    struct can_item item = {.signal = signal, .scalar = -1, .factor = 1};

    item.outside = entry != NULL && entry->outside != CAN_OUTSIDE_DEFAULT ? entry->outside
                   : cm->is_sent                                          ? CAN_SATURATE
                                                                          : CAN_REFUSE;
    if (k->signal_entry[signal] != NULL
            ? !take_mapped(k, side, cm->is_sent, k->signal_entry[signal], &item)
            : !can_match(k, side, &item))
        return false;
    if (item.scalar < 0)
        return true;
    plan->is_used[signal] = true;
    plan->item[plan->n_items++] = item;
    return true;
}

/* ---- a message ---- */

/* Find a signal of the message that the map names. Return: false after a refusal. */
static bool take_named(struct maker *k, const struct can_map_message *entry, const char *name,
                       int *ret)
{
    *ret = -1;
    if (*name == '\0')
        return true;
    *ret = dbc_find_signal(k->plan->dbc, k->message, name);
    if (*ret >= 0) {
        k->plan->is_used[*ret] = true;
        return true;
    }
    k->result = lk_node_refuse(entry->node, k->error, "'%s' has no signal '%s', expected one of %s",
                               entry->name, name, k->plan->dbc->name);
    return false;
}

static bool take_counter(struct maker *k, const struct can_map_message *entry,
                         struct can_message *cm)
{
    const struct dbc_signal *s;

    if (!take_named(k, entry, entry->counter, &cm->counter) || cm->counter < 0)
        return k->result == 0;
    s = &k->plan->dbc->signal[cm->counter];
    if (s->bits > 32 || s->is_signed || s->kind != DBC_INTEGER || s->role == DBC_SELECTED) {
        k->result = lk_node_refuse(entry->node, k->error,
                                   "'%s' cannot count, expected an unsigned whole number of at "
                                   "most 32 bits, not multiplexed",
                                   s->name);
        return false;
    }
    cm->top = (UINT64_C(1) << s->bits) - 1;
    if (entry->top > (double)cm->top) {
        k->result =
            lk_node_refuse(entry->node, k->error, "top is %.0f, expected at most %.0f of '%s'",
                           entry->top, (double)cm->top, s->name);
        return false;
    }
    if (entry->top > 0)
        cm->top = (uint64_t)entry->top;
    return true;
}

static bool take_checksum(struct maker *k, const struct can_map_message *entry,
                          struct can_message *cm)
{
    const struct dbc_signal *s;

    if (!take_named(k, entry, entry->checksum, &cm->checksum) || cm->checksum < 0)
        return k->result == 0;
    s = &k->plan->dbc->signal[cm->checksum];
    cm->own = dbc_first_bit(s) / 8;
    cm->kind = entry->kind;
    cm->n_before = entry->n_before;
    memcpy(cm->before, entry->before, sizeof(cm->before));
    if (s->bits == 8 && dbc_first_bit(s) % 8 == 0 && s->kind == DBC_INTEGER &&
        s->role != DBC_SELECTED && cm->checksum != cm->counter)
        return true;
    k->result = lk_node_refuse(entry->node, k->error,
                               "'%s' cannot be a checksum, expected the 8 bits of a byte, not "
                               "multiplexed",
                               s->name);
    return false;
}

static bool share_a_time(const struct dbc_signal *a, const struct dbc_signal *b)
{
    return a->role != DBC_SELECTED || b->role != DBC_SELECTED || a->selection == b->selection;
}

/* Refuse a sent message with overlapping signals. */
static bool check_overlap(struct maker *k, const struct dbc_message *m)
{
    const struct dbc_signal *s = k->plan->dbc->signal;

    for (int a = m->signal; a < m->signal + m->n_signals; a++)
        for (int b = m->signal; b < a; b++) {
            uint8_t bits[DBC_BYTES_MAX] = {0};

            if (!share_a_time(&s[a], &s[b]))
                continue;
            can_bits_write(bits, &s[a], UINT64_MAX);
            if (can_bits_read(bits, &s[b]) != 0)
                return can_refuse(k, s[a].line, s[a].column,
                                  "'%s' and '%s' share bits, expected none of a message that is "
                                  "sent",
                                  s[a].name, s[b].name);
        }
    return true;
}

/* Find the direction of a message.
 * Return: the direction; CAN_NONE also after a refusal. */
static enum can_direction find_direction(struct maker *k, const struct dbc_message *m)
{
    const struct can_map_message *entry = k->message_entry[k->message];
    enum can_direction direction = entry != NULL ? entry->direction : CAN_BY_SENDER;

    if (direction == CAN_NONE)
        return CAN_NONE;
    if (m->passed_over != NULL) {
        if (entry != NULL && m->mistake == NULL)
            k->result = lk_node_refuse(entry->node, k->error, "%s, expected another message",
                                       m->passed_over);
        return CAN_NONE;
    }
    if (direction != CAN_BY_SENDER)
        return direction;
    return k->us != NULL && dbc_is_sent_by(k->plan->dbc, k->message, k->us) ? CAN_TRANSMIT
                                                                            : CAN_RECEIVE;
}

static bool take_signals(struct maker *k, const struct dbc_message *m, struct can_message *cm)
{
    cm->item = k->plan->n_items;
    for (int i = m->signal; i < m->signal + m->n_signals; i++)
        if (i != cm->counter && i != cm->checksum && !add_item(k, i, cm))
            return false;
    cm->n_items = k->plan->n_items - cm->item;
    return true;
}

/* Set the cycle time of a message. Without a cycle time it is not sent. If the map lists it, this
 * is an error. */
static bool take_cycle(struct maker *k, const struct dbc_message *m, struct can_message *cm,
                       bool *ret_is_sent)
{
    const struct can_map_message *entry = k->message_entry[k->message];

    cm->cycle_s = entry != NULL && entry->cycle_s > 0 ? entry->cycle_s : m->cycle_s;
    *ret_is_sent = cm->cycle_s > 0;
    if (*ret_is_sent)
        return check_overlap(k, m);
    if (entry == NULL)
        return true;
    k->result =
        lk_node_refuse(entry->node, k->error,
                       "'%s' has no cycle, expected GenMsgCycleTime, or cycle here", entry->name);
    return false;
}

/* Refuse a message with an error if the message is needed by the map or by a channel of the model.
 * If its sender could not be read, both sides of the model are checked. */
static bool refuse_wanted(struct maker *k, const struct dbc_message *m)
{
    const struct can_channels *channels = k->plan->channels;
    bool is_sent = k->us != NULL && dbc_is_sent_by(k->plan->dbc, k->message, k->us);
    bool is_wanted = k->message_entry[k->message] != NULL;

    for (int i = m->signal; i < m->signal + m->n_signals; i++)
        for (int side = 0; side < 2; side++) {
            struct can_item item = {.signal = i, .scalar = -1};

            if (*m->sender != '\0' && (side == 0) != is_sent)
                continue;
            if (!can_match(k, side == 0 ? &channels->output : &channels->input, &item))
                return false;
            is_wanted |= item.scalar >= 0 || k->signal_entry[i] != NULL;
        }
    if (is_wanted) {
        lk_error_set(k->error, "%s", m->mistake);
        k->result = LK_E_TEXT;
    }
    return !is_wanted;
}

static bool plan_message(struct maker *k)
{
    struct can_plan *plan = k->plan;
    const struct dbc_message *m = &plan->dbc->message[k->message];
    const struct can_map_message *entry = k->message_entry[k->message];
    enum can_direction direction = find_direction(k, m);
    struct can_message cm = {.message = k->message, .counter = -1, .checksum = -1, .claim = -1};
    bool is_wanted = true;

    if (k->result == 0 && m->mistake != NULL && (entry == NULL || entry->direction != CAN_NONE))
        return refuse_wanted(k, m);
    if (direction == CAN_NONE)
        return k->result == 0;
    cm.is_sent = direction == CAN_TRANSMIT;
    if (entry != NULL && (!take_counter(k, entry, &cm) || !take_checksum(k, entry, &cm)))
        return false;
    if (!take_signals(k, m, &cm))
        return false;
    if (cm.n_items == 0 && !(cm.is_sent && entry != NULL))
        return true;
    if (cm.is_sent && !take_cycle(k, m, &cm, &is_wanted))
        return false;
    if (m->selector >= 0)
        plan->is_used[m->selector] = true;
    if (is_wanted)
        plan->message[plan->n_messages++] = cm;
    return true;
}

/* ---- assignment of map entries ---- */

static bool note_signal(struct maker *k, const struct can_map_signal *entry)
{
    const struct dbc *dbc = k->plan->dbc;
    const char *dot = strchr(entry->name, '.');
    char message[DBC_NAME_SIZE] = "";
    int found = 0;

    if (dot != NULL && (size_t)(dot - entry->name) < sizeof(message))
        snprintf(message, sizeof(message), "%.*s", (int)(dot - entry->name), entry->name);
    for (int i = 0; i < dbc->n_messages; i++) {
        int signal;

        if (dot != NULL && strcmp(message, dbc->message[i].name) != 0 &&
            strcmp(message, dbc->message[i].long_name) != 0)
            continue;
        signal = dbc_find_signal(dbc, i, dot != NULL ? dot + 1 : entry->name);
        if (signal < 0)
            continue;
        found++;
        if (dot != NULL || k->signal_entry[signal] == NULL)
            k->signal_entry[signal] = entry;
    }
    if (found > 0)
        return true;
    k->result = lk_node_refuse(entry->node, k->error,
                               "%s has no signal '%s', expected SIGNAL or MESSAGE.SIGNAL",
                               dbc->name, entry->name);
    return false;
}

static bool note_message(struct maker *k, const struct can_map_message *entry)
{
    int i = dbc_find_message(k->plan->dbc, entry->name);

    if (i >= 0) {
        k->message_entry[i] = entry;
        return true;
    }
    k->result = lk_node_refuse(entry->node, k->error, "%s has no message '%s', expected one of it",
                               k->plan->dbc->name, entry->name);
    return false;
}

static bool note_entries(struct maker *k, const struct can_map *map)
{
    for (int i = 0; i < map->n_signals; i++)
        if (!note_signal(k, &map->signal[i]))
            return false;
    for (int i = 0; i < map->n_messages; i++)
        if (!note_message(k, &map->message[i]))
            return false;
    return true;
}

/* Set the name of the node that this process represents. It must be a node of the file. */
static bool take_node(struct maker *k, const struct can_map *map, const char *node)
{
    k->us = node != NULL ? node : *map->us != '\0' ? map->us : NULL;
    if (k->us == NULL || dbc_has_node(k->plan->dbc, k->us))
        return true;
    if (node == NULL)
        k->result =
            lk_node_refuse(map->us_node, k->error, "%s has no node '%s', expected one of BU_",
                           k->plan->dbc->name, k->us);
    else
        lk_error_set(k->error, "%s has no node '%s', expected one of BU_", k->plan->dbc->name,
                     k->us);
    k->result = LK_E_TEXT;
    return false;
}

/* ---- all of it ---- */

/* Distribute the messages of the same cycle time over different steps. A bus has room for one
 * message at a time, and the queue of an interface for about ten. */
static void spread_messages(struct can_plan *plan)
{
    for (int i = 0; i < plan->n_messages; i++) {
        struct can_message *cm = &plan->message[i];
        double step_s = plan->channels->step_s;
        int before = 0, slots;

        if (!cm->is_sent || !(step_s > 0))
            continue;
        for (int j = 0; j < i; j++)
            before += plan->message[j].is_sent && plan->message[j].cycle_s == cm->cycle_s;
        slots = (int)(cm->cycle_s / step_s * (1 + 1e-9));
        cm->phase_s = slots > 1 ? before % slots * step_s : 0;
    }
}

static bool make_room(struct maker *k)
{
    const struct dbc *dbc = k->plan->dbc;
    size_t messages = (size_t)dbc->n_messages + 1, signals = (size_t)dbc->n_signals + 1;

    k->plan->message = calloc(messages, sizeof(*k->plan->message));
    k->plan->item = calloc(signals, sizeof(*k->plan->item));
    k->plan->is_used = calloc(signals, sizeof(bool));
    k->plan->claim = calloc(CAN_CLAIMS_MAX, sizeof(*k->plan->claim));
    k->signal_entry = calloc(signals, sizeof(void *));
    k->message_entry = calloc(messages, sizeof(void *));
    return k->plan->message != NULL && k->plan->item != NULL && k->plan->is_used != NULL &&
           k->plan->claim != NULL && k->signal_entry != NULL && k->message_entry != NULL &&
           sort_side(&k->plan->channels->output, &k->outputs) &&
           sort_side(&k->plan->channels->input, &k->inputs);
}

int can_plan_make(const struct dbc *dbc, const struct can_map *map, const char *node,
                  const struct can_channels *channels, struct can_plan *ret_plan,
                  struct lk_error *ret_error)
{
    struct maker k = {.plan = ret_plan, .error = ret_error};
    bool good;

    *ret_plan = (struct can_plan){.dbc = dbc, .channels = channels};
    lk_error_set(ret_error, "no memory for a plan");
    good = make_room(&k);
    if (!good)
        k.result = -ENOMEM;
    good = good && take_node(&k, map, node) && note_entries(&k, map);
    for (; good && k.message < dbc->n_messages; k.message++)
        good = plan_message(&k);
    if (good && can_group_claims(&k))
        spread_messages(ret_plan);
    free(k.signal_entry);
    free(k.message_entry);
    free(k.outputs);
    free(k.inputs);
    return k.result;
}

void can_plan_fini(struct can_plan *plan)
{
    for (int i = 0; i < plan->n_claims; i++)
        free(plan->claim[i].channel);
    free(plan->message);
    free(plan->item);
    free(plan->claim);
    free(plan->is_used);
    *plan = (struct can_plan){0};
}

int can_plan_find(const struct can_plan *plan, uint32_t id, bool is_extended)
{
    for (int i = 0; i < plan->n_messages; i++) {
        const struct dbc_message *m = &plan->dbc->message[plan->message[i].message];

        if (!plan->message[i].is_sent && m->id == id && m->is_extended == is_extended)
            return i;
    }
    return -1;
}

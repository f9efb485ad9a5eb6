/* SPDX-License-Identifier: Apache-2.0 */
#include "can_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CYCLE_MIN_S 1e-4
#define CYCLE_MAX_S 1000

static const char *const outside_names[] = {"saturate", "refuse", NULL};
static const char *const direction_names[] = {"transmit", "receive", "none", NULL};

/* Read an optional word. If it is missing, @ret is unchanged. */
static int read_choice_or(struct lk_node map, const char *key, const char *const names[], int *ret,
                          struct lk_error *err)
{
    if (lk_node_get(map, key).index == 0)
        return 0;
    return lk_node_read_choice(map, key, names, ret, err);
}

static int read_outside(struct lk_node map, enum can_outside *ret, struct lk_error *err)
{
    int choice = CAN_OUTSIDE_DEFAULT;
    int result = read_choice_or(map, "outside", outside_names, &choice, err);

    *ret = (enum can_outside)choice;
    return result;
}

/* ---- signals ---- */

static int read_target(struct lk_node map, struct can_map_signal *s, struct lk_error *err)
{
    static const char *const keys[] = {"channel", "factor", "offset", "outside", NULL};
    int result = lk_node_check_keys(map, "a signal", keys, err);

    s->target = lk_node_get(map, "channel");
    result =
        lk_also(result, lk_node_read_text_or(map, "channel", sizeof(s->channel), s->channel, err));
    result = lk_also(result, lk_node_read_number_or(map, "factor", &s->factor, err));
    result = lk_also(result, lk_node_read_number_or(map, "offset", &s->offset, err));
    s->has_factor = lk_node_get(map, "factor").index != 0;
    if (result == 0 && s->factor == 0)
        result = lk_node_refuse(lk_node_get(map, "factor"), err,
                                "the factor is 0, expected signal = channel factor + offset");
    return lk_also(result, read_outside(map, &s->outside, err));
}

static int read_signal(struct lk_node key, struct lk_node value, void *entry, struct lk_error *err)
{
    struct can_map_signal *s = entry;

    *s = (struct can_map_signal){
        .factor = 1, .outside = CAN_OUTSIDE_DEFAULT, .node = key, .target = value};
    if (strlen(lk_node_text(key)) >= sizeof(s->name))
        return lk_node_refuse(key, err, "a long name, expected SIGNAL or MESSAGE.SIGNAL");
    strcpy(s->name, lk_node_text(key));
    if (lk_node_kind(value) == LK_NODE_MAP)
        return read_target(value, s, err);
    if (lk_node_kind(value) != LK_NODE_SCALAR || *lk_node_text(value) == '\0' ||
        strlen(lk_node_text(value)) >= sizeof(s->channel))
        return lk_node_refuse(value, err,
                              "expected a channel, CHANNEL or CHANNEL.COMPONENT, or none");
    if (strcmp(lk_node_text(value), "none") != 0)
        strcpy(s->channel, lk_node_text(value));
    return 0;
}

/* ---- messages ---- */

/* Read a signal: SIGNAL, or {signal: SIGNAL, ...}. */
static int read_signal_name(struct lk_node node, const char *what, const char *const keys[],
                            char ret[DBC_NAME_SIZE], struct lk_error *err)
{
    int result;

    if (lk_node_kind(node) == LK_NODE_MAP) {
        result = lk_node_check_keys(node, what, keys, err);
        return lk_also(result, lk_node_read_text(node, "signal", DBC_NAME_SIZE, ret, err));
    }
    if (lk_node_kind(node) != LK_NODE_SCALAR || *lk_node_text(node) == '\0' ||
        strlen(lk_node_text(node)) >= DBC_NAME_SIZE)
        return lk_node_refuse(node, err, "expected a signal of the message");
    strcpy(ret, lk_node_text(node));
    return 0;
}

static int read_counter(struct lk_node node, struct can_map_message *m, struct lk_error *err)
{
    static const char *const keys[] = {"signal", "top", NULL};
    long top = 0;
    int result;

    if (node.index == 0)
        return 0;
    result = read_signal_name(node, "a counter", keys, m->counter, err);
    if (lk_node_kind(node) == LK_NODE_MAP)
        result = lk_also(result, lk_node_read_int_or(node, "top", 1, 65535, &top, err));
    m->top = (double)top;
    return result;
}

static int read_before(struct lk_node list, struct can_map_message *m, struct lk_error *err)
{
    int n = lk_node_size(list), result = 0;
    double bytes[CAN_BEFORE_MAX];

    if (list.index == 0)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST || n > CAN_BEFORE_MAX)
        return lk_node_refuse(list, err, "expected a list of at most %d bytes", CAN_BEFORE_MAX);
    result = lk_node_numbers(list, "before", n, bytes, err);
    for (int i = 0; i < n && result == 0; i++) {
        if (!(bytes[i] >= 0 && bytes[i] <= 255) || bytes[i] != (uint8_t)bytes[i])
            return lk_node_refuse(lk_node_at(list, i), err, "expected a byte, from 0 to 255");
        m->before[i] = (uint8_t)bytes[i];
    }
    m->n_before = n;
    return result;
}

static int read_checksum(struct lk_node node, struct can_map_message *m, struct lk_error *err)
{
    static const char *const keys[] = {"signal", "kind", "before", NULL};
    int kind = CAN_XOR, result;

    if (node.index == 0)
        return 0;
    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_refuse(node, err, "expected {signal: SIGNAL, kind: %s}",
                              can_checksum_names[CAN_CRC8_J1850]);
    result = read_signal_name(node, "a checksum", keys, m->checksum, err);
    result = lk_also(result, lk_node_read_choice(node, "kind", can_checksum_names, &kind, err));
    m->kind = (enum can_checksum)kind;
    return lk_also(result, read_before(lk_node_get(node, "before"), m, err));
}

static int read_cycle(struct lk_node map, double *ret, struct lk_error *err)
{
    int result = lk_node_read_number_or(map, "cycle", ret, err);

    if (result == 0 && lk_node_get(map, "cycle").index != 0 &&
        !(*ret >= CYCLE_MIN_S && *ret <= CYCLE_MAX_S))
        return lk_node_refuse(lk_node_get(map, "cycle"), err,
                              "the cycle is %g, expected %g to %g s", *ret, CYCLE_MIN_S,
                              (double)CYCLE_MAX_S);
    return result;
}

static int read_message(struct lk_node key, struct lk_node map, void *entry, struct lk_error *err)
{
    struct can_map_message *m = entry;
    static const char *const keys[] = {"direction", "cycle",    "outside",
                                       "counter",   "checksum", NULL};
    int direction = CAN_BY_SENDER, result;

    *m = (struct can_map_message){.node = key};
    result = lk_node_check_keys(map, "a message", keys, err);
    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    if (strlen(lk_node_text(key)) >= sizeof(m->name))
        return lk_node_refuse(key, err, "a long name, expected one of a message");
    strcpy(m->name, lk_node_text(key));
    result = lk_also(result, read_choice_or(map, "direction", direction_names, &direction, err));
    m->direction = (enum can_direction)direction;
    result = lk_also(result, read_cycle(map, &m->cycle_s, err));
    result = lk_also(result, read_outside(map, &m->outside, err));
    result = lk_also(result, read_counter(lk_node_get(map, "counter"), m, err));
    return lk_also(result, read_checksum(lk_node_get(map, "checksum"), m, err));
}

/* ---- all of it ---- */

/* struct part - a section of the map: its key, the size of an entry, and the function that reads an
 * entry. */
struct part {
    const char *key;
    size_t size;
    int (*read)(struct lk_node key, struct lk_node value, void *entry, struct lk_error *err);
};

/* Read the entries of a section. Return: 0, LK_E_TEXT, -ENOMEM. */
static int read_part(struct lk_node root, const struct part *part, void **ret_array, int *ret_n,
                     struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, part->key);
    int n = lk_node_size(map), result = 0;
    char *array;

    if (map.index == 0)
        return 0;
    if (lk_node_kind(map) != LK_NODE_MAP || n > CAN_ENTRIES_MAX)
        return lk_node_refuse(map, err, "%s: expected a map of at most %d names", part->key,
                              CAN_ENTRIES_MAX);
    array = calloc((size_t)n + 1, part->size);
    if (array == NULL)
        return -ENOMEM;
    *ret_array = array;
    for (int i = 0; i < n && lk_node_goes_on(map, result); i++, (*ret_n)++)
        result = lk_also(result, part->read(lk_node_key_at(map, i), lk_node_at(map, i),
                                            array + (size_t)i * part->size, err));
    return result;
}

static int fill_map(struct lk_node root, struct can_map *map, struct lk_error *err)
{
    static const char *const keys[] = {"can", "node", "signals", "messages", NULL};
    static const char *const versions[] = {"1", NULL};
    static const struct part signals = {"signals", sizeof(*map->signal), read_signal},
                             messages = {"messages", sizeof(*map->message), read_message};
    void *array = NULL;
    int result, version;

    if (lk_node_kind(root) == LK_NODE_NONE)
        return lk_node_refuse(root, err, "the text is empty, expected a map of signals");
    result = lk_node_check_keys(root, "a map of signals", keys, err);
    if (lk_node_kind(root) != LK_NODE_MAP)
        return result;
    result = lk_also(result, lk_node_read_choice(root, "can", versions, &version, err));
    result = lk_also(result, lk_node_read_text_or(root, "node", sizeof(map->us), map->us, err));
    map->us_node = lk_node_get(root, "node");
    result = lk_also(result, read_part(root, &signals, &array, &map->n_signals, err));
    map->signal = array;
    if (result < 0)
        return result;
    array = NULL;
    result = lk_also(result, read_part(root, &messages, &array, &map->n_messages, err));
    map->message = array;
    return result;
}

int can_map_read_text(const char *name, const char *text, size_t size, struct can_map *ret_map,
                      struct lk_errors *ret_errors)
{
    struct lk_error error = {""};
    int result = lk_document_parse(name, text, size, &ret_map->document, &error);

    if (result == 0)
        result = fill_map(lk_document_root(ret_map->document), ret_map, &error);
    lk_document_errors(ret_map->document, result, &error, ret_errors);
    return result;
}

int can_map_read(const char *path, struct can_map *ret_map, struct lk_errors *ret_errors)
{
    struct lk_error error = {""};
    char *text = NULL;
    size_t size = 0;
    int result = lk_document_text(path, &text, &size, &error);

    if (result == 0)
        result = can_map_read_text(path, text, size, ret_map, ret_errors);
    else
        lk_document_errors(NULL, result, &error, ret_errors);
    free(text);
    return result;
}

void can_map_fini(struct can_map *map)
{
    free(map->signal);
    free(map->message);
    lk_document_free(map->document);
    *map = (struct can_map){0};
}

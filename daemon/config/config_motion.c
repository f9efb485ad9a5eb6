/* SPDX-License-Identifier: Apache-2.0 */
/* Section `motion`: a list of receivers of datagrams. */
#include "config_read.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* First slot and number of slots of each group, in the order of the datagram. */
static const struct {
    const char *name;
    int first;
    int size;
} groups[] = {
    {"pose", 0, 6},          {"velocity", 6, 6}, {"acceleration", 12, 6}, {"specific_force", 18, 3},
    {"angular_rate", 21, 3},
};

#define N_GROUPS (sizeof(groups) / sizeof(groups[0]))

int lkd_config_udp(struct lk_node node, const char *key, size_t size, char *ret_text,
                   struct sockaddr_in *ret_address, struct lk_error *error)
{
    struct lk_node value = lk_node_get(node, key);
    char host[64], *colon, *end;
    long port;
    int r;

    r = lk_node_read_text(node, key, size < sizeof(host) ? size : sizeof(host), ret_text, error);
    if (r)
        return r;
    if (strncmp(ret_text, "udp://", 6) != 0)
        return lk_node_refuse(value, error, "'%s' is no receiver, expected udp://127.0.0.1:5610",
                              ret_text);
    strcpy(host, ret_text + 6);
    colon = strrchr(host, ':');
    if (!colon)
        return lk_node_refuse(value, error, "no port, expected udp://127.0.0.1:5610");
    *colon = '\0';
    *ret_address = (struct sockaddr_in){.sin_family = AF_INET};
    if (inet_pton(AF_INET, host, &ret_address->sin_addr) != 1 || !ret_address->sin_addr.s_addr)
        return lk_node_refuse(value, error,
                              "'%s' is no numeric IPv4 address, expected one as 127.0.0.1", host);
    port = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || port < 1 || port > 65535)
        return lk_node_refuse(value, error, "no such port, expected 1 to 65535");
    ret_address->sin_port = htons((uint16_t)port);
    return 0;
}

/* Read a slot: an output with scale and offset; {} is the value 0. */
static int read_slot(struct lk_node node, const char *group, struct lkd_motion_slot *slot,
                     struct lk_error *error)
{
    static const char *const keys[] = {"channel", "component", "scale", "offset", NULL};
    int r;

    *slot = (struct lkd_motion_slot){.scale = 1};
    r = lk_node_check_keys(node, group, keys, error);
    if (r || lk_node_size(node) == 0)
        return r;
    r = lk_node_read_text(node, "channel", sizeof(slot->channel), slot->channel, error);
    r = lk_also(r, lk_node_read_text_or(node, "component", sizeof(slot->component), slot->component,
                                        error));
    r = lk_also(r, lk_node_read_number_or(node, "scale", &slot->scale, error));
    if (r)
        return r;
    return lk_node_read_number_or(node, "offset", &slot->offset, error);
}

static int read_group(struct lk_node node, size_t group, struct lkd_motion_config *motion,
                      struct lk_error *error)
{
    struct lk_node list = lk_node_get(node, groups[group].name);
    int n = lk_node_size(list), r = 0;

    if (lk_node_kind(list) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, error, "%s: expected a list of up to %d outputs",
                              groups[group].name, groups[group].size);
    if (n > groups[group].size)
        return lk_node_refuse(lk_node_at(list, groups[group].size), error,
                              "%d outputs in %s, expected at most %d", n, groups[group].name,
                              groups[group].size);
    for (int i = 0; i < n && lk_node_goes_on(list, r); i++)
        r = lk_also(r, read_slot(lk_node_at(list, i), groups[group].name,
                                 &motion->slot[groups[group].first + i], error));
    return r;
}

/* Check that a receiver with platform values is consistent with the other settings. The cycle
 * thread cannot send these values, because the exchange thread computes them. */
static int check_platform(struct lk_node node, bool cueing, const struct lkd_motion_config *motion,
                          struct lk_error *error)
{
    if (motion->platform && !cueing)
        return lk_node_refuse(lk_node_get(node, "platform"), error,
                              "platform without one, expected the section cueing");
    if (motion->platform && motion->from_cycle)
        return lk_node_refuse(lk_node_get(node, "send_from"), error,
                              "the cycle does not know the platform, expected send_from: exchange");
    return 0;
}

static int read_receiver(struct lk_node node, bool cueing, struct lkd_motion_config *motion,
                         struct lk_error *error)
{
    static const char *const keys[] = {
        "endpoint",     "divisor",        "send_from",    "format",   "pose", "velocity",
        "acceleration", "specific_force", "angular_rate", "platform", NULL};
    static const char *const from[] = {"exchange", "cycle", NULL};
    static const char *const formats[] = {"f32", "f64", NULL};
    int r, from_cycle = 0, wide = 0;
    long divisor = 1;

    *motion = (struct lkd_motion_config){0};
    r = lk_node_check_keys(node, "a receiver of motion", keys, error);
    r = lk_also(r, lkd_config_udp(node, "endpoint", sizeof(motion->endpoint), motion->endpoint,
                                  &motion->address, error));
    r = lk_also(r, lk_node_read_int_or(node, "divisor", 1, LKD_DIVISOR_MAX, &divisor, error));
    r = lk_also(r, lkd_config_choice_or(node, "send_from", from, &from_cycle, error));
    r = lk_also(r, lkd_config_choice_or(node, "format", formats, &wide, error));
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    for (size_t i = 0; i < N_GROUPS; i++)
        r = lk_also(r, read_group(node, i, motion, error));
    r = lk_also(r, lk_node_read_bool_or(node, "platform", &motion->platform, error));
    motion->divisor = (uint64_t)divisor;
    motion->from_cycle = from_cycle != 0;
    motion->wide = wide != 0;
    return r ? r : check_platform(node, cueing, motion, error);
}

int lkd_config_motion(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    struct lk_node list = lk_node_get(root, "motion");
    int n = lk_node_size(list), r = 0;

    if (lk_node_kind(list) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, error, "motion: expected a list of receivers");
    if (n > LKD_MOTION_MAX)
        return lk_node_refuse(lk_node_at(list, LKD_MOTION_MAX), error,
                              "%d receivers, expected at most %d", n, LKD_MOTION_MAX);
    for (config->n_motion = 0; config->n_motion < n && lk_node_goes_on(list, r); config->n_motion++)
        r = lk_also(r, read_receiver(lk_node_at(list, config->n_motion), config->cueing.present,
                                     &config->motion[config->n_motion], error));
    return r;
}

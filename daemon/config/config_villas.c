/* SPDX-License-Identifier: Apache-2.0 */
/* Section `villas`: a gateway that uses VILLASnode's sample format. */
#include "config_read.h"
#include <string.h>

/* Return the length of a model name: a letter or '_', then letters, digits, '_' or '-'. */
static size_t name_length(const char *text)
{
    static const char digits[] = "0123456789-";

    return *text == '\0' || strchr(digits, *text)
               ? 0
               : strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-");
}

/* Return true if @text has the form CHANNEL or CHANNEL.COMPONENT. */
static bool is_position(const char *text)
{
    size_t channel = name_length(text), component;

    if (channel == 0 || channel >= LK_NAME_SIZE)
        return false;
    if (text[channel] == '\0')
        return true;
    if (text[channel] != '.')
        return false;
    component = name_length(text + channel + 1);
    return component > 0 && component < LK_NAME_SIZE && text[channel + 1 + component] == '\0';
}

static int read_name(struct lk_node item, struct lkd_villas_names *names, bool once,
                     struct lk_error *error)
{
    const char *text = lk_node_text(item);

    if (lk_node_kind(item) != LK_NODE_SCALAR || !is_position(text))
        return lk_node_refuse(item, error,
                              "'%.70s' is no channel, expected CHANNEL or CHANNEL.COMPONENT", text);
    for (int i = 0; once && i < names->n; i++)
        if (strcmp(names->name[i], text) == 0)
            return lk_node_refuse(item, error, "'%s' has a position already, expected one", text);
    memcpy(names->name[names->n++], text, strlen(text) + 1);
    return 0;
}

static int read_names(struct lk_node node, const char *key, struct lkd_villas_names *names,
                      bool once, struct lk_error *error)
{
    struct lk_node list = lk_node_get(node, key);
    int n = lk_node_size(list), r = 0;

    if (lk_node_kind(list) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, error,
                              "expected a list of channels, in the order of positions");
    if (n > LKD_VILLAS_NAMES_MAX)
        return lk_node_refuse(list, error, "%d channels, expected at most %d", n,
                              LKD_VILLAS_NAMES_MAX);
    for (int i = 0; i < n && lk_node_goes_on(list, r); i++)
        r = lk_also(r, read_name(lk_node_at(list, i), names, once, error));
    return r;
}

/* Read an endpoint. The endpoints of a gateway have no keys. So an address that other machines can
 * reach needs an explicit permission. */
static int read_endpoint(struct lk_node node, const char *key, bool clear_text, char *ret,
                         struct lk_error *error)
{
    struct lk_error reason;
    int r = lk_node_read_text_or(node, key, LKD_ENDPOINT_SIZE, ret, error);

    if (r || lk_node_kind(lk_node_get(node, key)) == LK_NODE_NONE)
        return r;
    if (lkd_endpoint_check_keyed(ret, &reason))
        return lk_node_refuse(lk_node_get(node, key), error, "%s", reason.text);
    if (!clear_text && lkd_endpoint_check(ret, &reason))
        return lk_node_refuse(lk_node_get(node, key), error,
                              "%s: reachable from other machines, and this format is not "
                              "encrypted; expected 127.x.y.z, ipc, or clear_text: allow",
                              ret);
    return 0;
}

/* Refuse an endpoint without channels, and channels without an endpoint. */
static int check_pair(struct lk_node node, const char *endpoint_key, const char *endpoint,
                      const char *list_key, int n, struct lk_error *error)
{
    if (*endpoint && n == 0)
        return lk_node_refuse(lk_node_get(node, endpoint_key), error,
                              "an endpoint without channels, expected some in '%s'", list_key);
    if (!*endpoint && n > 0)
        return lk_node_refuse(lk_node_get(node, list_key), error,
                              "channels without an endpoint, expected one in '%s'", endpoint_key);
    return 0;
}

static bool is_taken(const struct lkd_config *config, const char *endpoint)
{
    return *endpoint &&
           (strcmp(endpoint, config->control) == 0 || strcmp(endpoint, config->inputs) == 0 ||
            strcmp(endpoint, config->outputs) == 0);
}

static int check_different(struct lk_node node, const struct lkd_config *config,
                           struct lk_error *error)
{
    const struct lkd_villas_config *villas = &config->villas;

    if (is_taken(config, villas->inputs) || is_taken(config, villas->outputs) ||
        (*villas->inputs && strcmp(villas->inputs, villas->outputs) == 0))
        return lk_node_refuse(node, error,
                              "an endpoint that is in use already, expected one of its own");
    return 0;
}

int lkd_config_villas(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"inputs",  "outputs",    "in", "out",
                                       "divisor", "clear_text", NULL};
    static const char *const choices[] = {"refuse", "allow", NULL};
    struct lkd_villas_config *villas = &config->villas;
    long divisor = (long)villas->divisor;
    struct lk_node node;
    int r, allow = villas->clear_text;

    r = lkd_config_section(root, "villas", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_choice_or(node, "clear_text", choices, &allow, error));
    r = lk_also(r, read_endpoint(node, "inputs", allow != 0, villas->inputs, error));
    r = lk_also(r, read_endpoint(node, "outputs", allow != 0, villas->outputs, error));
    r = lk_also(r, read_names(node, "in", &villas->in, true, error));
    r = lk_also(r, read_names(node, "out", &villas->out, false, error));
    r = lk_also(r, lk_node_read_int_or(node, "divisor", 1, 1000000, &divisor, error));
    if (r)
        return r;
    r = check_pair(node, "inputs", villas->inputs, "in", villas->in.n, error);
    r = lk_also(r, check_pair(node, "outputs", villas->outputs, "out", villas->out.n, error));
    r = lk_also(r, check_different(node, config, error));
    villas->divisor = (uint64_t)divisor;
    villas->clear_text = allow != 0;
    return r;
}

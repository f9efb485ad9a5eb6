/* SPDX-License-Identifier: Apache-2.0 */
/* The channels between the daemon and its line process, and the listening sockets. */
#include "line_private.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_channel(struct lkd_line *line, enum lkd_channel i, const char *endpoint, bool open,
                        struct lk_error *error)
{
    struct lkd_line_channel *channel = &line->channel[i];
    struct lkd_order_socket *wanted = &line->setup.socket[line->setup.n_sockets];
    int r;

    if (!endpoint || !*endpoint)
        return 0;
    r = lkd_endpoint_listen(endpoint, open, &channel->listener, error);
    if (r)
        return r;
    snprintf(channel->endpoint, sizeof(channel->endpoint), "%s", endpoint);
    channel->open = open;
    r = lkd_port_pair(channel->end);
    if (r == 0)
        r = lkd_port_init(&channel->port, channel->end[0], lkd_channel_size_max(i));
    if (r)
        return r;
    wanted->channel = i;
    snprintf(wanted->endpoint, sizeof(wanted->endpoint), "%s", endpoint);
    line->setup.n_sockets++;
    lkd_log(LKD_C_LISTENING, "listening on %s%s", endpoint,
            i >= LKD_CHANNEL_VILLAS_INPUTS ? " for VILLASnode" : "");
    return 0;
}

int lkd_line_open_channels(struct lkd_line *line, const struct lkd_line_options *options,
                           struct lk_error *error)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        bool gateway = i >= LKD_CHANNEL_VILLAS_INPUTS;

        r = open_channel(line, (enum lkd_channel)i, options->endpoint[i],
                         gateway ? options->clear_text : options->secret != NULL, error);
    }
    return r;
}

int lkd_line_renew_channels(struct lkd_line *line)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        int *end = line->channel[i].end, new[2];

        if (line->channel[i].listener < 0)
            continue;
        r = lkd_port_pair(new);
        if (r)
            break;
        if (dup3(new[0], end[0], O_CLOEXEC) < 0)
            r = -errno;
        close(new[0]);
        close(end[1]); /* wakes up a thread that polls the old end */
        end[1] = new[1];
    }
    return r;
}

int lkd_line_mend_listeners(struct lkd_line *line, struct lk_error *error)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        const struct lkd_line_channel *channel = &line->channel[i];

        if (channel->listener >= 0)
            r = lkd_endpoint_mend(channel->endpoint, channel->open, channel->listener, error);
    }
    return r;
}

bool lkd_line_has_shut_channel(const struct lkd_line *line)
{
    bool shut = false;

    for (int i = 0; i < LKD_N_CHANNELS; i++) {
        const struct lkd_line_channel *channel = &line->channel[i];

        shut = shut || (channel->listener >= 0 &&
                        (lkd_port_is_shut(channel->end[0]) || lkd_port_is_shut(channel->end[1]) ||
                         lkd_port_is_shut(channel->listener)));
    }
    return shut;
}

void lkd_line_shut_channels(struct lkd_line *line)
{
    for (int i = 0; i < LKD_N_CHANNELS; i++)
        if (line->channel[i].end[0] >= 0)
            shutdown(line->channel[i].end[0], SHUT_WR);
}

void lkd_line_close_channels(struct lkd_line *line)
{
    for (int i = 0; i < LKD_N_CHANNELS; i++) {
        struct lkd_line_channel *channel = &line->channel[i];

        lkd_port_fini(&channel->port);
        for (int end = 0; end < 2; end++)
            if (channel->end[end] >= 0)
                close(channel->end[end]);
        if (channel->listener >= 0)
            lkd_endpoint_close(channel->endpoint, channel->listener);
    }
}

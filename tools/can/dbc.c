/* SPDX-License-Identifier: Apache-2.0 */
#include "dbc.h"

#include <stdlib.h>
#include <string.h>

void dbc_free(struct dbc *dbc)
{
    if (dbc == NULL)
        return;
    for (int i = 0; i < dbc->n_messages; i++)
        free(dbc->message[i].mistake);
    for (int i = 0; i < dbc->n_notes; i++)
        free(dbc->note[i]);
    free(dbc->note);
    free(dbc->name);
    free(dbc->message);
    free(dbc->signal);
    free(dbc->node);
    free(dbc->sender);
    free(dbc);
}

static bool is_called(const char *name, const char *long_name, const char *wanted)
{
    return strcmp(name, wanted) == 0 || (*long_name != '\0' && strcmp(long_name, wanted) == 0);
}

int dbc_find_message(const struct dbc *dbc, const char *name)
{
    for (int i = 0; i < dbc->n_messages; i++)
        if (is_called(dbc->message[i].name, dbc->message[i].long_name, name))
            return i;
    return -1;
}

int dbc_find_signal(const struct dbc *dbc, int message, const char *name)
{
    const struct dbc_message *m = &dbc->message[message];

    for (int i = m->signal; i < m->signal + m->n_signals; i++)
        if (is_called(dbc->signal[i].name, dbc->signal[i].long_name, name))
            return i;
    return -1;
}

bool dbc_has_node(const struct dbc *dbc, const char *name)
{
    for (int i = 0; i < dbc->n_nodes; i++)
        if (strcmp(dbc->node[i], name) == 0)
            return true;
    return false;
}

bool dbc_is_sent_by(const struct dbc *dbc, int message, const char *node)
{
    if (strcmp(dbc->message[message].sender, node) == 0)
        return true;
    for (int i = 0; i < dbc->n_senders; i++)
        if (dbc->sender[i].message == message && strcmp(dbc->sender[i].node, node) == 0)
            return true;
    return false;
}

const char *dbc_message_name(const struct dbc_message *message)
{
    return *message->long_name != '\0' ? message->long_name : message->name;
}

const char *dbc_signal_name(const struct dbc_signal *signal)
{
    return *signal->long_name != '\0' ? signal->long_name : signal->name;
}

int dbc_first_bit(const struct dbc_signal *signal)
{
    return signal->is_motorola ? 8 * (signal->start / 8) + 7 - signal->start % 8 : signal->start;
}

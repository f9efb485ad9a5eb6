/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a beam in the mode file: both ends, named nodes, and all of them with --all-nodes. */
#include "flex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the name of node @i without that of its beam, or NULL if it is only numbered. */
static const char *word_of(const struct flex_beam *beam, const char *name, int i)
{
    const char *word = beam->name[i] + strlen(name) + 1;

    return word[strspn(word, "0123456789")] == '\0' ? NULL : word;
}

static bool is_taken(const struct flex_body *body, const char *name)
{
    for (int i = 0; i < body->n_places; i++)
        if (strcmp(body->place[i].name, name) == 0)
            return true;
    return false;
}

static void add_place(struct flex_body *body, const char *name, int node)
{
    struct flex_place *place = &body->place[body->n_places];
    int length;

    if (is_taken(body, name))
        return;
    length = snprintf(place->name, sizeof(place->name), "%.*s", LK_NAME_SIZE - 1, name);
    (void)length;
    place->node = node;
    memcpy(place->position, body->mass.position + 3 * (size_t)node, sizeof(place->position));
    body->n_places++;
}

int flex_beam_places(const struct flex_beam *beam, const char *name, bool has_all, bool *interface,
                     struct flex_body *body)
{
    char number[16];

    body->place = calloc(2 * (size_t)beam->n + 2, sizeof(*body->place));
    if (body->place == NULL)
        return -ENOMEM;
    interface[0] = interface[beam->n - 1] = true;
    for (int i = 0; i < beam->n; i++)
        if (word_of(beam, name, i) != NULL) {
            interface[i] = true;
            add_place(body, word_of(beam, name, i), i);
        }
    if (word_of(beam, name, 0) == NULL)
        add_place(body, "root", 0);
    if (word_of(beam, name, beam->n - 1) == NULL)
        add_place(body, "tip", beam->n - 1);
    for (int i = 0; i < beam->n && has_all; i++) {
        snprintf(number, sizeof(number), "n%d", i);
        add_place(body, number, i);
    }
    return 0;
}

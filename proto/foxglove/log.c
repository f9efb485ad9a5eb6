/* SPDX-License-Identifier: Apache-2.0 */
/* Events as foxglove.Log, from a live connection or from a recording. */
#include "mcap/protobuf.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

#define ID_SIZE sizeof("LK-2004")

static const struct lk_remedy *find_remedy(const char *id)
{
    for (size_t i = 0; id != NULL && i < lk_n_remedies; i++)
        if (strcmp(lk_remedies[i].id, id) == 0)
            return &lk_remedies[i];
    return NULL;
}

void lk_foxglove_log(struct lk_mcap_buffer *message, enum lk_foxglove_level level, const char *name,
                     const char *id, const char *text, uint64_t ns)
{
    const struct lk_remedy *known = level > LK_FOXGLOVE_INFO ? find_remedy(id) : NULL;
    char said[1536];

    snprintf(said, sizeof(said), "%s%s%s%s%s%s", text, id != NULL ? " (" : "", id != NULL ? id : "",
             id != NULL ? ")" : "", known != NULL ? "\n" : "", known != NULL ? known->remedy : "");
    lk_foxglove_put_time(message, 1, ns);
    lk_pb_put_number(message, 2, (uint64_t)level);
    lk_pb_put_text(message, 3, said);
    lk_pb_put_text(message, 4, name);
}

/* Split the text of an event. The text of a condition begins with its identifier: "LK-2009: ".
 * Return: the text after the identifier */
static const char *split_text(const char *text, char id[ID_SIZE])
{
    int end = 0;

    if (sscanf(text, "LK-%*4[0-9]: %n", &end) == 0 && end == (int)ID_SIZE + 1) {
        memcpy(id, text, ID_SIZE - 1);
        return text + end;
    }
    return text;
}

void lk_foxglove_log_recorded(struct lk_mcap_buffer *message,
                              const struct lk_recording_event *event, uint64_t ns)
{
    static const struct {
        const char *event;
        const char *id;
    } ids[] = {
        {"state", "LK-2003"},    {"fault", "LK-2004"},    {"run", "LK-2005"},
        {"snapshot", "LK-2017"}, {"restore", "LK-2017"},  {"trip", "LK-3008"},
        {"inject", "LK-3010"},   {"platform", "LK-4008"}, {"drop", "LK-7004"},
    };
    bool is_condition = strcmp(event->id, "condition") == 0;
    char id[ID_SIZE] = "";
    const char *text = is_condition ? split_text(event->text, id) : event->text;
    enum lk_foxglove_level level = is_condition ? LK_FOXGLOVE_WARNING : LK_FOXGLOVE_INFO;
    const struct lk_remedy *known;

    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
        if (strcmp(event->id, ids[i].event) == 0)
            memcpy(id, ids[i].id, ID_SIZE);
    known = find_remedy(id);
    lk_foxglove_log(message, known != NULL ? known->level : level, event->id,
                    *id != '\0' ? id : NULL, text, ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Output samples as a table, as a block that is redrawn in place, and as JSON. */
#include "fields_json.h"
#include "linkage/json.h"
#include "linkage/text.h"
#include "reply_json.h"
#include "watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_WIDTH   100
#define CELL_MIN      13 /* width of "-1.23457e-308" */
#define ROWS_A_HEADER 30

void watch_printer_init(struct watch_printer *ret_printer)
{
    struct winsize size = {0};
    bool terminal = isatty(STDOUT_FILENO);

    *ret_printer = (struct watch_printer){.width = USUAL_WIDTH, .in_place = terminal};
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        ret_printer->width = size.ws_col;
}

/* Format "channel.component [unit]" of scalar @j. */
static void name_scalar(const Linkage__V1__ChannelDescription *channel, size_t j, char *text,
                        size_t size)
{
    const char *component = channel->components[j];

    snprintf(text, size, "%s%s%s [%s]", channel->name, component[0] != '\0' ? "." : "", component,
             channel->units[j]);
    /* The names come from the daemon; remove control characters. */
    lk_text_clean(text);
}

static int cell_width(const Linkage__V1__ChannelDescription *channel, size_t j)
{
    char text[256];

    name_scalar(channel, j, text, sizeof(text));
    return (int)strlen(text) > CELL_MIN ? (int)strlen(text) : CELL_MIN;
}

static int table_width(const struct watch_selection *selection)
{
    int width = 10;

    for (size_t i = 0; i < selection->n; i++) {
        for (size_t j = 0; j < selection->channels[i]->n_components; j++)
            width += 2 + cell_width(selection->channels[i], j);
    }
    return width;
}

static void print_header(const struct watch_selection *selection)
{
    char text[256];

    printf("%10s", "time [s]");
    for (size_t i = 0; i < selection->n; i++) {
        for (size_t j = 0; j < selection->channels[i]->n_components; j++) {
            name_scalar(selection->channels[i], j, text, sizeof(text));
            printf("  %*s", cell_width(selection->channels[i], j), text);
        }
    }
    putchar('\n');
}

static void print_row(const struct watch_selection *selection,
                      const Linkage__V1__OutputSample *sample)
{
    char flags[LK_NAMES_FLAGS_SIZE];

    printf("%10.3f", sample->time_s);
    for (size_t i = 0; i < selection->n; i++) {
        const Linkage__V1__ChannelDescription *channel = selection->channels[i];

        for (size_t j = 0; j < channel->n_components; j++)
            printf("  %*.6g", cell_width(channel, j), sample->values[channel->offset + j]);
    }
    /* Print the flags of unusual conditions in every row. */
    if (sample->flags != 0)
        printf("  %s", lk_names_flags(sample->flags, flags));
    putchar('\n');
}

static void print_block(const struct watch_selection *selection,
                        const Linkage__V1__OutputSample *sample, bool in_place)
{
    char text[256];

    for (size_t i = 0; i < selection->n; i++) {
        const Linkage__V1__ChannelDescription *channel = selection->channels[i];

        for (size_t j = 0; j < channel->n_components; j++) {
            name_scalar(channel, j, text, sizeof(text));
            printf("  %-28s %12.6g%s\n", text, sample->values[channel->offset + j],
                   in_place ? "\033[K" : "");
        }
    }
}

void watch_print(struct watch_printer *printer, const struct watch_selection *selection,
                 const Linkage__V1__OutputSample *sample, const struct watch_gap *gap)
{
    char flags[LK_NAMES_FLAGS_SIZE];

    printer->lost += gap->lost;
    if (table_width(selection) <= printer->width) {
        if (gap->lost > 0)
            printf("-- %" PRIu64 " samples lost --\n", gap->lost);
        if (printer->rows % ROWS_A_HEADER == 0)
            print_header(selection);
        print_row(selection, sample);
    } else {
        if (printer->in_place && printer->rows > 0)
            printf("\033[%zuA", selection->n_scalars + 1);
        printf("t = %.3f s, step %" PRIu64 ", %s, %" PRIu64 " samples lost%s%s%s\n", sample->time_s,
               sample->step, lk_client_state_name(sample->state), printer->lost,
               sample->flags != 0 ? "; " : "", lk_names_flags(sample->flags, flags),
               printer->in_place ? "\033[K" : "");
        print_block(selection, sample, printer->in_place);
    }
    printer->rows++;
    fflush(stdout);
}

void watch_print_description_json(const struct watch_selection *selection)
{
    struct lk_json json = {.file = stdout};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "type", "description");
    lk_fields_json(&json, &selection->description->base, "name>model model_id period_ns step_s");
    lk_json_open(&json, "outputs", '[');
    for (size_t i = 0; i < selection->n; i++) {
        lk_json_open(&json, NULL, '{');
        lk_fields_json(&json, &selection->channels[i]->base, "name components units");
        lk_json_close(&json, '}');
    }
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

static void print_gap_json(const struct watch_gap *gap)
{
    struct lk_json json = {.file = stdout};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "type", "gap");
    lk_json_count(&json, "lost", gap->lost);
    lk_json_count(&json, "unpublished", gap->unpublished);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

void watch_print_sample_json(const struct watch_selection *selection,
                             const Linkage__V1__OutputSample *sample, const struct watch_gap *gap)
{
    struct lk_json json = {.file = stdout};

    if (gap->lost > 0 || gap->unpublished > 0)
        print_gap_json(gap);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "type", "sample");
    lk_fields_json(&json, &sample->base,
                   "sequence step time_s state deadline_ns computed_ns published_ns "
                   "input_sequence overruns degraded");
    lk_reply_flags_json(&json, "flags", sample->flags);
    lk_json_open(&json, "values", '{');
    for (size_t i = 0; i < selection->n; i++) {
        const Linkage__V1__ChannelDescription *channel = selection->channels[i];

        lk_json_open(&json, channel->name, '[');
        for (size_t j = 0; j < channel->n_components; j++)
            lk_json_number(&json, NULL, sample->values[channel->offset + j]);
        lk_json_close(&json, ']');
    }
    lk_json_close(&json, '}');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

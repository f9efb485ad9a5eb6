/* SPDX-License-Identifier: Apache-2.0 */
#include "dbc_write.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SYMBOL_MAX  32 /* longest name of the format; a longer name becomes an attribute */
#define FIRST_ID    0x100
#define CYCLE_MS    10
#define FLOAT_BYTES 4

/* struct page - distribution of signals to messages.
 * @name:  name of the messages, to which a number is appended
 * @per:   number of signals in each message
 * @first: number of the first message in the file */
struct page {
    const struct can_side *side;
    const char *name;
    const char *sender;
    const char *receiver;
    int per;
    int first;
};

static int pages_of(const struct page *page)
{
    return (page->side->n + page->per - 1) / page->per;
}

/* Return the identifier of message @i. Identifiers are consecutive. If 11 bits are not sufficient,
 * all identifiers have 29 bits. */
static unsigned int id_of(const struct page *page, int i, int n_messages)
{
    unsigned int id = (unsigned int)(FIRST_ID + page->first + i);

    return FIRST_ID + n_messages > 0x7ff ? id | 0x80000000u : id;
}

/* Make a name that is valid in the format. A truncated name ends with a number, so that it is
 * unique. */
static void symbol_of(const struct page *page, int i, char ret[SYMBOL_MAX + 1], char *ret_long,
                      size_t size)
{
    char name[2 * CAN_CHANNEL_SIZE + 2];

    can_scalar_name(&page->side->scalar[i], name, sizeof(name));
    can_name(name, ret_long, size);
    if (strlen(ret_long) <= SYMBOL_MAX)
        strcpy(ret, ret_long);
    else
        snprintf(ret, SYMBOL_MAX + 1, "%.26s_%05u", ret_long, (unsigned int)i % 100000u);
}

static void write_messages(const struct page *page, int n_messages, FILE *to)
{
    char name[SYMBOL_MAX + 1], long_name[DBC_NAME_SIZE];
    int n = page->side->n;

    for (int i = 0; i < n; i++) {
        const struct can_scalar *s = &page->side->scalar[i];
        bool has_limits = isfinite(s->low) && isfinite(s->high);

        if (i % page->per == 0)
            fprintf(to, "\nBO_ %u %s_%d: %d %s\n", id_of(page, i / page->per, n_messages),
                    page->name, i / page->per + 1,
                    FLOAT_BYTES * (n - i < page->per ? n - i : page->per), page->sender);
        symbol_of(page, i, name, long_name, sizeof(long_name));
        fprintf(to, " SG_ %s : %d|32@1- (1,0) [%.9g|%.9g] \"%s\" %s\n", name,
                8 * FLOAT_BYTES * (i % page->per), has_limits ? s->low : 0,
                has_limits ? s->high : 0, s->unit, page->receiver);
    }
}

/* Write the statements about single signals. */
static void write_signals(const struct page *page, int n_messages, const char *before,
                          const char *after, bool only_long, FILE *to)
{
    char name[SYMBOL_MAX + 1], long_name[DBC_NAME_SIZE];

    for (int i = 0; i < page->side->n; i++) {
        symbol_of(page, i, name, long_name, sizeof(long_name));
        if (only_long && strcmp(name, long_name) == 0)
            continue;
        fprintf(to, "%s%u %s%s", before, id_of(page, i / page->per, n_messages), name, after);
        if (only_long)
            fprintf(to, "%s\"", long_name);
        fputs(";\n", to);
    }
}

static const char head[] =
    "NS_ :\n\tCM_\n\tBA_DEF_\n\tBA_\n\tBA_DEF_DEF_\n\tSIG_VALTYPE_\n\nBS_:\n\n";
static const char definitions[] =
    "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 65535;\n"
    "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"ExtendedCAN\",\"StandardCAN_FD\","
    "\"ExtendedCAN_FD\";\n"
    "BA_DEF_ SG_ \"SystemSignalLongSymbol\" STRING;\n"
    "BA_DEF_ \"BusType\" STRING;\n"
    "BA_DEF_DEF_ \"GenMsgCycleTime\" 0;\n"
    "BA_DEF_DEF_ \"VFrameFormat\" \"StandardCAN\";\n"
    "BA_DEF_DEF_ \"SystemSignalLongSymbol\" \"\";\n"
    "BA_DEF_DEF_ \"BusType\" \"CAN\";\n";

static void write_attributes(const struct page *page, int n_messages, bool is_fd, int cycle_ms,
                             FILE *to)
{
    int format = (is_fd ? 2 : 0) + (FIRST_ID + n_messages > 0x7ff ? 1 : 0);

    for (int i = 0; i < pages_of(page); i++) {
        fprintf(to, "BA_ \"GenMsgCycleTime\" BO_ %u %d;\n", id_of(page, i, n_messages), cycle_ms);
        fprintf(to, "BA_ \"VFrameFormat\" BO_ %u %d;\n", id_of(page, i, n_messages), format);
    }
    write_signals(page, n_messages, "BA_ \"SystemSignalLongSymbol\" SG_ ", " \"", true, to);
}

int dbc_write(const struct can_channels *channels, const char *title, bool is_fd, FILE *to)
{
    int per = is_fd ? DBC_BYTES_MAX / FLOAT_BYTES : 2;
    struct page page[2] = {
        {&channels->output, "Outputs", DBC_WRITE_NODE, "Rig", per, 0},
        {&channels->input, "Inputs", "Rig", DBC_WRITE_NODE, per, 0},
    };
    int n = pages_of(&page[0]) + pages_of(&page[1]);
    int cycle_ms = (int)fmax(CYCLE_MS, ceil(1000 * channels->step_s));

    if (n > DBC_MESSAGES_MAX)
        return -E2BIG;
    page[1].first = pages_of(&page[0]);
    fprintf(to, "VERSION \"\"\n\n%sBU_: %s Rig\n", head, DBC_WRITE_NODE);
    for (int i = 0; i < 2; i++)
        write_messages(&page[i], n, to);
    fprintf(to, "\nCM_ \"The channels of the model %s, in the units of the model.\";\n%s", title,
            definitions);
    if (is_fd)
        fputs("BA_ \"BusType\" \"CAN FD\";\n", to);
    for (int i = 0; i < 2; i++)
        write_attributes(&page[i], n, is_fd, cycle_ms, to);
    for (int i = 0; i < 2; i++)
        write_signals(&page[i], n, "SIG_VALTYPE_ ", " : 1", false, to);
    return 0;
}

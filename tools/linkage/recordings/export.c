/* SPDX-License-Identifier: Apache-2.0 */
/* linkage export: writes a topic of a recording as CSV, MAT-file or MDF, or the A2L or DBC file of
 * a model. */
#include "a2l_file.h"
#include "commands.h"
#include "csv.h"
#include "dbc_file.h"
#include "linkage/text.h"
#include "mat_file.h"
#include "mdf_file.h"
#include "recorded.h"
#include "rows.h"
#include "scene_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- export ---- */

/* struct wanted - the command line.
 * @channels:       columns, separated by commas; NULL: all
 * @from, @to:      times of the first and last row [s];  @every: one row of so many
 * @scene:          file for the motion; NULL: export a topic as CSV
 * @roads:          folder of road files, see replay.c
 * @rate:           pictures per second
 * @a2l:            write the A2L file of the model @path
 * @address, @port: address of the XCP slave in the A2L file
 * @dbc:            write the DBC file of the model @path
 * @is_fd:          the DBC file has messages of CAN FD */
struct wanted {
    const char *path;
    const char *topic;
    const char *output;
    const char *channels;
    double from;
    double to;
    long every;
    const char *scene;
    const char *roads;
    double rate;
    bool a2l;
    const char *address;
    int port;
    bool dbc;
    bool is_fd;
};

static int take_address(const struct option_row *row, const char *text)
{
    struct in_addr ignored;

    *(const char **)row->data = text;
    return inet_pton(AF_INET, text, &ignored) == 1
               ? EXIT_DONE
               : refuse_value(row, text, "one like 192.168.7.1");
}

static int parse_options(int argc, char *argv[], struct wanted *e)
{
    const struct option_row rows[] = {
        {"topic", 't', .text = &e->topic},
        {"output", 'o', .text = &e->output},
        OUTPUT_FORCE_ROW,
        {"channels", 'c', .text = &e->channels},
        {"from", .number = &e->from, .low = -DBL_MAX, .high = DBL_MAX, .unit = "s"},
        {"to", .number = &e->to, .low = -DBL_MAX, .high = DBL_MAX, .unit = "s"},
        {"every", 'n', .whole = &e->every, .low = 1, .high = 1e9},
        {"scene", 's', .text = &e->scene},
        {"rate", .number = &e->rate, .low = 0.1, .high = 10000, .unit = "pictures a second"},
        {"roads", 'r', .text = &e->roads},
        {"a2l", .flag = &e->a2l},
        {"address", .take = take_address, .data = &e->address},
        {"port", .integer = &e->port, .low = 1, .high = 65535},
        {"dbc", .flag = &e->dbc},
        {"fd", .flag = &e->is_fd},
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows,
                         "export takes one recording, or with --a2l or --dbc one model", &e->path);
}

/* Print the events of a recording. They are texts, so they are not exported like columns of
 * numbers. */
static int print_events(struct recorded *file, FILE *to)
{
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    int result;

    fputs("utc_ns,step,id,text\n", to);
    while ((result = recorded_next(file, &item, &topic)) == 1) {
        struct lk_recording_event event;

        if (topic == NULL || strcmp(topic->name, "/events") != 0 ||
            !lk_recording_event_take(item.data.data, item.data.size, &event))
            continue;
        lk_text_clean(event.id);
        lk_text_clean(event.text);
        fprintf(to, "%" PRIu64 ",%" PRIu64 ",%s,\"", item.log_ns, event.step, event.id);
        for (const char *c = event.text; *c != '\0'; c++) {
            if (*c == '"')
                fputc('"', to);
            fputc(*c, to);
        }
        fputs("\"\n", to);
    }
    return result < 0 ? EXIT_REFUSED : EXIT_DONE;
}

static int export_events(struct recorded *file, const char *output)
{
    struct output *to = NULL;
    int fault = output_open(output, "utc_ns,", &to), code = EXIT_REFUSED;

    if (fault == 0) {
        code = print_events(file, output_file(to));
        fault = output_close(to, code == EXIT_DONE);
    }
    return told_output(output, fault) == EXIT_DONE ? code : EXIT_REFUSED;
}

/* struct chosen - columns and rows to write. @column: index of each column, @n of them, the time
 * first
 * @csv, @mat, @mdf: one of them receives the rows */
struct chosen {
    size_t *column;
    size_t n;
    double *values;
    struct lk_csv *csv;
    struct mat *mat;
    struct mdf *mdf;
};

/* Return whether @word is the name of a column, or of its channel. */
static bool is_of(const struct rows_name *name, const char *word, size_t size)
{
    char whole[2 * LK_COLUMN_NAME_SIZE];

    snprintf(whole, sizeof(whole), "%s%s%s", name->channel, *name->component ? "." : "",
             name->component);
    return (strlen(name->channel) == size && strncmp(name->channel, word, size) == 0) ||
           (strlen(whole) == size && strncmp(whole, word, size) == 0);
}

/* Choose the columns of one name. Return: false after an error message: there is none. */
static bool choose_name(const struct rows *rows, const char *word, size_t size,
                        struct chosen *chosen)
{
    struct rows_name name;
    size_t before = chosen->n;

    for (size_t i = 0; i < rows->n; i++) {
        rows_name(rows, i, &name);
        if (chosen->n <= rows->n && i != rows->time_at && is_of(&name, word, size))
            chosen->column[chosen->n++] = i;
    }
    if (chosen->n > before)
        return true;
    complain("%s: no column '%.*s' in %s; linkage export --topic %s FILE | head -1 lists them",
             rows->file->path, (int)size, word, rows->topic->name, rows->topic->name + 1);
    return false;
}

/* Choose the columns of @channels, names separated by commas; NULL: all. */
static bool choose(const struct rows *rows, const char *channels, struct chosen *ret)
{
    bool good = true;

    *ret = (struct chosen){.column = calloc(rows->n + 2, sizeof(*ret->column)),
                           .values = calloc(rows->n + 2, sizeof(*ret->values))};
    if (ret->column == NULL || ret->values == NULL) {
        complain("out of memory");
        return false;
    }
    if (channels != NULL)
        ret->column[ret->n++] = rows->time_at;
    for (size_t i = 0; i < rows->n && channels == NULL; i++)
        ret->column[ret->n++] = i;
    while (channels != NULL && good) {
        size_t size = strcspn(channels, ",");

        good = choose_name(rows, channels, size, ret);
        channels = channels[size] == ',' ? channels + size + 1 : NULL;
    }
    return good;
}

static int copy_rows(const struct wanted *e, struct rows *rows, const struct chosen *chosen)
{
    long k = 0;
    int result, fault = 0;

    while ((result = rows_next(rows)) == 1 && fault == 0) {
        double time = rows->values[rows->time_at];

        if (time < e->from || time > e->to || k++ % e->every != 0)
            continue;
        for (size_t i = 0; i < chosen->n; i++)
            chosen->values[i] = rows->values[chosen->column[i]];
        if (chosen->mat != NULL)
            fault = mat_add_row(chosen->mat, chosen->values) ? 0 : -ENOMEM;
        else if (chosen->mdf != NULL)
            fault = mdf_add_row(chosen->mdf, chosen->values) ? 0 : -ENOMEM;
        else
            fault = lk_csv_write_row(chosen->csv, chosen->values);
    }
    if (fault == -ENOMEM)
        complain("out of memory; expected fewer --channels, or --every");
    return fault == -ENOMEM ? -1 : result;
}

static int write_csv(const struct wanted *e, struct rows *rows, struct chosen *chosen)
{
    struct rows_name name, first;
    int result, fault;

    rows_name(rows, chosen->column[0], &first);
    fault = lk_csv_open(e->output, first.channel, &chosen->csv);
    if (told_output(e->output, fault) != EXIT_DONE)
        return EXIT_REFUSED;
    for (size_t i = 0; i < chosen->n; i++) {
        rows_name(rows, chosen->column[i], &name);
        lk_csv_add_column(chosen->csv, name.channel, name.component, name.unit);
    }
    result = copy_rows(e, rows, chosen);
    fault = told_output(e->output, lk_csv_close(chosen->csv));
    return result < 0 ? EXIT_REFUSED : fault;
}

static int write_mat(const struct wanted *e, struct rows *rows, struct chosen *chosen)
{
    char whole[2 * LK_COLUMN_NAME_SIZE];
    struct rows_name name;
    int code = EXIT_REFUSED;

    chosen->mat = mat_new(chosen->n);
    if (chosen->mat == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    for (size_t i = 0; i < chosen->n; i++) {
        rows_name(rows, chosen->column[i], &name);
        snprintf(whole, sizeof(whole), "%s%s%s", name.channel, *name.component ? "." : "",
                 name.component);
        mat_name(chosen->mat, i, whole, name.unit);
    }
    if (copy_rows(e, rows, chosen) >= 0)
        code = told_output(e->output, mat_write(chosen->mat, e->output));
    mat_free(chosen->mat);
    return code;
}

static int write_mdf(const struct wanted *e, struct rows *rows, struct chosen *chosen)
{
    char whole[2 * LK_COLUMN_NAME_SIZE];
    struct rows_name name;
    size_t time = 0;
    bool is_good;
    int code = EXIT_REFUSED;

    while (chosen->column[time] != rows->time_at)
        time++;
    chosen->mdf = mdf_new(chosen->n, time, rows->topic->name + 1);
    is_good = chosen->mdf != NULL;
    for (size_t i = 0; i < chosen->n && is_good; i++) {
        rows_name(rows, chosen->column[i], &name);
        snprintf(whole, sizeof(whole), "%s%s%s", name.channel, *name.component ? "." : "",
                 name.component);
        is_good = mdf_name(chosen->mdf, i, whole, name.unit);
    }
    if (!is_good)
        complain("out of memory");
    else if (copy_rows(e, rows, chosen) >= 0)
        code = told_output(e->output, mdf_write(chosen->mdf, e->output, rows->start_ns));
    mdf_free(chosen->mdf);
    return code;
}

static int write_rows(const struct wanted *e, struct rows *rows, struct chosen *chosen)
{
    const char *end = strrchr(e->output, '.');

    if (end != NULL && strcmp(end, ".mat") == 0)
        return write_mat(e, rows, chosen);
    if (end != NULL && (strcmp(end, ".mf4") == 0 || strcmp(end, ".mdf") == 0))
        return write_mdf(e, rows, chosen);
    return write_csv(e, rows, chosen);
}

static int export_rows(const struct wanted *e, struct recorded *file)
{
    struct chosen chosen = {0};
    struct rows rows;
    int code = EXIT_REFUSED;

    if (rows_begin(file, e->topic, &rows) && choose(&rows, e->channels, &chosen))
        code = write_rows(e, &rows, &chosen);
    free(chosen.column);
    free(chosen.values);
    rows_end(&rows);
    return code;
}

int command_export(int argc, char *argv[])
{
    struct wanted e = {.topic = "outputs",
                       .output = "-",
                       .rate = 60,
                       .address = "127.0.0.1",
                       .port = 5555,
                       .from = -INFINITY,
                       .to = INFINITY,
                       .every = 1};
    struct recorded file;
    int code = parse_options(argc, argv, &e);

    if (code != EXIT_DONE)
        return code;
    if (e.a2l)
        return a2l_file_write(e.path, e.output, e.address, e.port);
    if (e.dbc)
        return dbc_file_write(e.path, e.output, e.is_fd);
    if (e.scene != NULL)
        return replay_scene(e.path, e.roads, e.scene, e.rate);
    if (!recorded_open(e.path, &file))
        return EXIT_REFUSED;
    if (strcmp(e.topic + (*e.topic == '/'), "events") == 0)
        code = export_events(&file, e.output);
    else
        code = export_rows(&e, &file);
    recorded_close(&file);
    return code;
}

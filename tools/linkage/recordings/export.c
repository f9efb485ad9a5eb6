/* SPDX-License-Identifier: Apache-2.0 */
/* linkage export: writes a topic of a recording as CSV, or the A2L or DBC file of a model. linkage
 * info: prints the contents of a recording. */
#include "a2l_file.h"
#include "commands.h"
#include "csv.h"
#include "dbc_file.h"
#include "linkage/file.h"
#include "linkage/text.h"
#include "mcap/decode.h"
#include "recorded.h"
#include "scene_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- export ---- */

/* struct rows - export of a topic.
 * @time_s, @deadline_ns: simulated time of the last cycle, and its grid point
 * @with_time: a first column with the time is added
 * @values:    values of all columns */
struct rows {
    struct recorded file;
    struct recorded_topic *topic;
    struct lk_columns columns;
    struct lk_csv *csv;
    double *values;
    bool with_time;
    bool has_cycle;
    uint64_t deadline_ns;
    double time_s;
    uint64_t first_ns;
};

/* struct wanted - the command line.
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

static void add_column(struct rows *rows, const struct lk_column *column)
{
    char key[2 * LK_COLUMN_NAME_SIZE + 16], unit[64], name[LK_COLUMN_NAME_SIZE];

    snprintf(key, sizeof(key), "%s%s%s", column->field, *column->component ? "." : "",
             column->component);
    lk_mcap_map_get(rows->topic->units, key, unit, sizeof(unit));
    snprintf(key, sizeof(key), "name of %s", column->field);
    if (!lk_mcap_map_get(rows->topic->units, key, name, sizeof(name)))
        memcpy(name, column->field, sizeof(name));
    lk_csv_add_column(rows->csv, name, column->component, unit);
}

/* Prepare the columns of a topic and open the CSV file.
 * Return: false after an error message. */
static bool prepare_rows(struct rows *rows, const char *topic, const char *output)
{
    int result;

    rows->topic = recorded_topic(&rows->file, topic);
    if (rows->topic == NULL) {
        complain("%s: there is no topic '%s'; linkage info lists those that there are",
                 rows->file.path, topic);
        return false;
    }
    result = lk_columns_read(rows->topic->schema, rows->topic->type, &rows->columns);
    if (result != 0 || rows->columns.n == 0) {
        complain("%s: %s: %s", rows->file.path, rows->topic->name,
                 result != 0 ? "its schema cannot be read" : "there are no numbers in it");
        return false;
    }
    rows->values = calloc(rows->columns.n + 1, sizeof(double));
    result = rows->values == NULL ? -ENOMEM : lk_csv_open(output, OUTPUT_MARK_ROWS, &rows->csv);
    if (told_output(output, result) != EXIT_DONE)
        return false;
    rows->with_time = strcmp(rows->topic->name, "/cycle") != 0;
    if (rows->with_time)
        lk_csv_add_column(rows->csv, "time", "", "s");
    for (size_t i = 0; i < rows->columns.n; i++)
        add_column(rows, &rows->columns.column[i]);
    return true;
}

/* Return the time of a message: simulated time if the file has cycles, otherwise time since the
 * first message [s]. A message of a topic with its own steps, such as a platform, gets a time
 * between two cycles. */
static double time_of(struct rows *rows, const struct lk_mcap_item *item)
{
    if (rows->first_ns == 0)
        rows->first_ns = item->log_ns;
    if (rows->has_cycle)
        return rows->time_s + (double)(int64_t)(item->publish_ns - rows->deadline_ns) * 1e-9;
    return (double)(int64_t)(item->log_ns - rows->first_ns) * 1e-9;
}

static void note_cycle(struct rows *rows, const struct lk_mcap_item *item)
{
    struct lk_recording_cycle cycle;

    rows->has_cycle = lk_recording_cycle_take(item->data.data, item->data.size, &cycle);
    if (rows->has_cycle) {
        rows->deadline_ns = cycle.deadline_ns;
        rows->time_s = cycle.time_s;
    }
}

/* Write all messages of the topic as rows.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message. */
static int write_rows(struct rows *rows)
{
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    int result, fault = 0;

    while ((result = recorded_next(&rows->file, &item, &topic)) == 1 && fault == 0) {
        if (topic != NULL && strcmp(topic->name, "/cycle") == 0)
            note_cycle(rows, &item);
        if (topic == NULL || topic != rows->topic)
            continue;
        if (!lk_columns_decode(&rows->columns, item.data, rows->values + rows->with_time)) {
            complain("%s: a message of %s cannot be decoded", rows->file.path, topic->name);
            return EXIT_REFUSED;
        }
        if (rows->with_time)
            rows->values[0] = time_of(rows, &item);
        fault = lk_csv_write_row(rows->csv, rows->values);
    }
    return result < 0 ? EXIT_REFUSED : EXIT_DONE; /* closing reports CSV errors */
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

static int export_rows(struct rows *rows, const char *topic, const char *output)
{
    int code = prepare_rows(rows, topic, output) ? write_rows(rows) : EXIT_REFUSED;
    int fault = lk_csv_close(rows->csv);

    if (fault != 0) {
        complain("%s: %s", output, strerror(-fault));
        code = EXIT_REFUSED;
    }
    lk_columns_fini(&rows->columns);
    free(rows->values);
    return code;
}

int command_export(int argc, char *argv[])
{
    struct wanted e = {
        .topic = "outputs", .output = "-", .rate = 60, .address = "127.0.0.1", .port = 5555};
    struct rows rows = {0};
    int code = parse_options(argc, argv, &e);

    if (code != EXIT_DONE)
        return code;
    if (e.a2l)
        return a2l_file_write(e.path, e.output, e.address, e.port);
    if (e.dbc)
        return dbc_file_write(e.path, e.output, e.is_fd);
    if (e.scene != NULL)
        return replay_scene(e.path, e.roads, e.scene, e.rate);
    if (!recorded_open(e.path, &rows.file))
        return EXIT_REFUSED;
    if (strcmp(e.topic + (*e.topic == '/'), "events") == 0)
        code = export_events(&rows.file, e.output);
    else
        code = export_rows(&rows, e.topic, e.output);
    recorded_close(&rows.file);
    return code;
}

/* ---- info ---- */

static void print_facts(struct lk_mcap_span facts)
{
    struct lk_mcap_span key, value;
    char text[256];

    while (lk_mcap_map_next(&facts, &key, &value)) {
        char name[64];

        snprintf(name, sizeof(name), "%.*s", (int)(key.size < 63 ? key.size : 63),
                 (const char *)key.data);
        snprintf(text, sizeof(text), "%.*s", (int)(value.size < 255 ? value.size : 255),
                 (const char *)value.data);
        lk_text_clean(name);
        lk_text_clean(text);
        printf("  %-20s %s\n", name, text);
    }
}

int command_info(int argc, char *argv[])
{
    uint64_t first_ns = 0, last_ns = 0;
    struct recorded_topic *topic;
    struct recorded file;
    struct lk_mcap_item item;
    const char *path;
    int result = parse_command(argc, argv, only_help, "info takes one recording", &path);

    if (result != EXIT_DONE)
        return result;
    if (!recorded_open(path, &file))
        return EXIT_REFUSED;
    while ((result = recorded_next(&file, &item, &topic)) == 1) {
        if (topic == NULL)
            continue;
        first_ns = first_ns == 0 || item.log_ns < first_ns ? item.log_ns : first_ns;
        last_ns = item.log_ns > last_ns ? item.log_ns : last_ns;
    }
    printf("%s: %" PRIu64 " bytes, %.6g s\n", file.path, file.reader.size,
           (double)(last_ns - first_ns) * 1e-9);
    print_facts(file.begin);
    for (int i = 0; i < file.n_topics; i++)
        printf("  %-20s %" PRIu64 " messages\n", file.topic[i].name, file.topic[i].n);
    print_facts(file.end);
    if (result == 0 && recorded_say_end(&file))
        printf("the file is whole\n");
    recorded_close(&file);
    return result < 0 ? EXIT_REFUSED : EXIT_DONE;
}

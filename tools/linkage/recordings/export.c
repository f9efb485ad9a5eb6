/* SPDX-License-Identifier: Apache-2.0 */
/* linkage export: writes a topic of a recording as CSV, or the A2L or DBC file of a model. linkage
 * info: prints the contents of a recording. */
#include "a2l_file.h"
#include "commands.h"
#include "csv.h"
#include "dbc_file.h"
#include "linkage/text.h"
#include "recorded.h"
#include "rows.h"
#include "scene_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- export ---- */

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

static int write_rows(struct rows *rows, const char *output)
{
    struct lk_csv *csv = NULL;
    struct rows_name name;
    int result, fault = lk_csv_open(output, OUTPUT_MARK_ROWS, &csv);

    if (told_output(output, fault) != EXIT_DONE)
        return EXIT_REFUSED;
    for (size_t i = 0; i <= rows->n; i++) {
        rows_name(rows, i, &name);
        lk_csv_add_column(csv, name.channel, name.component, name.unit);
    }
    while ((result = rows_next(rows)) == 1 && fault == 0)
        fault = lk_csv_write_row(csv, rows->values);
    fault = told_output(output, lk_csv_close(csv));
    return result < 0 ? EXIT_REFUSED : fault;
}

static int export_rows(struct recorded *file, const char *topic, const char *output)
{
    struct rows rows;
    int code = rows_begin(file, topic, &rows) ? write_rows(&rows, output) : EXIT_REFUSED;

    rows_end(&rows);
    return code;
}

int command_export(int argc, char *argv[])
{
    struct wanted e = {
        .topic = "outputs", .output = "-", .rate = 60, .address = "127.0.0.1", .port = 5555};
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
        code = export_rows(&file, e.topic, e.output);
    recorded_close(&file);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* linkage info: prints the contents of a recording. */
#include "commands.h"
#include "linkage/json.h"
#include "linkage/text.h"
#include "recorded.h"

#include <inttypes.h>
#include <stdio.h>

/* Read an entry of metadata as clean text. Return: false at the end. */
static bool next_fact(struct lk_mcap_span *facts, char name[64], char text[256])
{
    struct lk_mcap_span key, value;

    if (!lk_mcap_map_next(facts, &key, &value))
        return false;
    snprintf(name, 64, "%.*s", (int)(key.size < 63 ? key.size : 63), (const char *)key.data);
    snprintf(text, 256, "%.*s", (int)(value.size < 255 ? value.size : 255),
             (const char *)value.data);
    lk_text_clean(name);
    lk_text_clean(text);
    return true;
}

static void print_facts(struct lk_mcap_span facts)
{
    char name[64], text[256];

    while (next_fact(&facts, name, text))
        printf("  %-20s %s\n", name, text);
}

static void print_text(const struct recorded *file, double duration_s, bool is_read)
{
    printf("%s: %" PRIu64 " bytes, %.6g s\n", file->path, file->reader.size, duration_s);
    print_facts(file->begin);
    for (int i = 0; i < file->n_topics; i++)
        printf("  %-20s %" PRIu64 " messages\n", file->topic[i].name, file->topic[i].n);
    print_facts(file->end);
    if (is_read && recorded_say_end(file))
        printf("the file is whole\n");
}

static void put_facts(struct lk_json *json, const char *key, struct lk_mcap_span facts)
{
    char name[64], text[256];

    lk_json_line(json, 2);
    lk_json_open(json, key, '{');
    while (next_fact(&facts, name, text)) {
        lk_json_line(json, 4);
        lk_json_text(json, name, text);
    }
    lk_json_close(json, '}');
}

static void put_topics(struct lk_json *json, const struct recorded *file)
{
    lk_json_line(json, 2);
    lk_json_open(json, "topics", '[');
    for (int i = 0; i < file->n_topics; i++) {
        lk_json_line(json, 4);
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", file->topic[i].name);
        lk_json_count(json, "messages", file->topic[i].n);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void print_json(const struct recorded *file, double duration_s)
{
    static const char *const endings[] = {[LK_MCAP_OPEN] = "unknown",
                                          [LK_MCAP_COMPLETE] = "whole",
                                          [LK_MCAP_CUT] = "cut",
                                          [LK_MCAP_BAD] = "bad"};
    struct lk_json json = {.file = stdout, .spaced = true};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "file", file->path);
    lk_json_count(&json, "bytes", file->reader.size);
    lk_json_number(&json, "duration_s", duration_s);
    lk_json_text(&json, "ending", endings[file->reader.ending]);
    lk_json_count(&json, "bytes_good", file->reader.end);
    lk_json_count(&json, "parts_damaged", file->reader.n_damaged);
    put_facts(&json, "begin", file->begin);
    put_topics(&json, file);
    put_facts(&json, "end", file->end);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

/* Read all messages. Return: 0, or the error of recorded_next(). */
static int read_all(struct recorded *file, double *ret_duration_s)
{
    uint64_t first_ns = 0, last_ns = 0;
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    int result;

    while ((result = recorded_next(file, &item, &topic)) == 1) {
        if (topic == NULL)
            continue;
        first_ns = first_ns == 0 || item.log_ns < first_ns ? item.log_ns : first_ns;
        last_ns = item.log_ns > last_ns ? item.log_ns : last_ns;
    }
    *ret_duration_s = (double)(last_ns - first_ns) * 1e-9;
    return result;
}

int command_info(int argc, char *argv[])
{
    bool is_json = false;
    const struct option_row rows[] = {
        {"json", 'j', .flag = &is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    struct recorded file;
    const char *path;
    double duration_s;
    int result = parse_command(argc, argv, rows, "info takes one recording", &path);

    if (result != EXIT_DONE)
        return result;
    if (!recorded_open(path, &file))
        return EXIT_REFUSED;
    result = read_all(&file, &duration_s);
    if (is_json)
        print_json(&file, duration_s);
    else
        print_text(&file, duration_s, result == 0);
    recorded_close(&file);
    return result < 0 ? EXIT_REFUSED : EXIT_DONE;
}

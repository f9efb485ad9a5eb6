/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `linkage compare`. */
#include "commands.h"
#include "compare.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Parse a list such as "a,b,c".
 * Return: EXIT_DONE, EXIT_REFUSED (no memory), EXIT_USAGE after an error message */
static int take_list(const struct option_row *row, const char *text)
{
    struct compare_list *ret = row->data;
    char *save = NULL;

    free(ret->text);
    *ret = (struct compare_list){.text = strdup(text)};
    if (ret->text == NULL)
        return EXIT_REFUSED;
    for (char *word = strtok_r(ret->text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (ret->n == COMPARE_LIST_MAX)
            return usage_error("%s is '%s', expected at most %d names", row->name, text,
                               COMPARE_LIST_MAX);
        ret->name[ret->n++] = word;
    }
    return ret->n > 0 ? EXIT_DONE : refuse_value(row, text, "names, separated by commas");
}

static int take_numbers(const struct option_row *row, const char *text)
{
    struct compare_numbers *ret = row->data;
    const char *at = text;
    double value;

    *ret = (struct compare_numbers){0};
    while (ret->n < COMPARE_LIST_MAX && take_value(&at, &value) && value >= row->low &&
           value <= row->high) {
        ret->value[ret->n++] = value;
        if (*at == '\0')
            return EXIT_DONE;
        at++;
    }
    return usage_error("%s is '%s', expected up to %d numbers from %g to %g, separated by commas",
                       row->name, text, COMPARE_LIST_MAX, row->low, row->high);
}

static int take_map(const struct option_row *row, const char *text)
{
    struct compare_options *o = row->data;

    o->maps[o->n_maps++] = text;
    return strchr(text, '=') != NULL ? EXIT_DONE : refuse_value(row, text, "COLUMN=TARGET");
}

static int parse_all(int argc, char *argv[], struct compare_options *o)
{
    const struct option_row rows[] = {
        {"formulations", .take = take_list, .data = &o->formulations},
        {"integrators", .take = take_list, .data = &o->integrators},
        {"tolerances", .take = take_numbers, .data = &o->tolerances, .low = TOLERANCE_MIN,
         .high = TOLERANCE_MAX},
        {"steps", .take = take_numbers, .data = &o->steps, .low = LK_STEP_MIN, .high = LK_STEP_MAX},
        {"orientations", .take = take_list, .data = &o->orientations},
        {"stabilisations", .take = take_list, .data = &o->stabilisations},
        {"baumgarte", .take = take_baumgarte, .data = o->baumgarte},
        {"duration", 'd', .number = &o->duration, .low = OPTIONS_ABOVE_0, .high = DBL_MAX,
         .expected = "seconds, more than 0"},
        {"reference", 'r', .text = &o->reference},
        {"map", .take = take_map, .data = o},
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"limit", 'l', .number = &o->limit_s, .low = OPTIONS_ABOVE_0, .high = 3600,
         .expected = "seconds, more than 0 and at most 3600"},
        {"set", .list = o->sets, .n = &o->n_sets},
        {"param", 'p', .take = take_param},
        {"json", 'j', .flag = &o->is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows, "compare takes one model", &o->path);
}

int compare_options_parse(int argc, char *argv[], struct compare_options *ret)
{
    struct compare_options *o = ret;
    int code;

    *o = (struct compare_options){.output = "compare-output", .limit_s = 2};
    o->maps = calloc((size_t)argc, sizeof(*o->maps));
    o->sets = calloc((size_t)argc, sizeof(*o->sets));
    if (o->maps == NULL || o->sets == NULL)
        return EXIT_REFUSED;
    code = parse_all(argc, argv, o);
    if (code == EXIT_DONE && o->n_maps > 0 && o->reference == NULL)
        return usage_error("a map names columns of a file, expected --reference with it");
    return code;
}

void compare_options_release(struct compare_options *o)
{
    free(o->formulations.text);
    free(o->integrators.text);
    free(o->orientations.text);
    free(o->stabilisations.text);
    free(o->maps);
    free(o->sets);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `linkage compare`. */
#include "commands.h"
#include "compare.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_S   2.0
#define LIMIT_MAX 3600.0

enum {
    FORMULATIONS = 256,
    INTEGRATORS,
    TOLERANCES,
    STEPS,
    ORIENTATIONS,
    STABILISATIONS,
    BAUMGARTE,
    MAP,
    SET,
};

static const struct option longs[] = {
    {"formulations", required_argument, NULL, FORMULATIONS},
    {"integrators", required_argument, NULL, INTEGRATORS},
    {"tolerances", required_argument, NULL, TOLERANCES},
    {"steps", required_argument, NULL, STEPS},
    {"orientations", required_argument, NULL, ORIENTATIONS},
    {"stabilisations", required_argument, NULL, STABILISATIONS},
    {"baumgarte", required_argument, NULL, BAUMGARTE},
    {"duration", required_argument, NULL, 'd'},
    {"reference", required_argument, NULL, 'r'},
    {"map", required_argument, NULL, MAP},
    {"output", required_argument, NULL, 'o'},
    {"limit", required_argument, NULL, 'l'},
    {"set", required_argument, NULL, SET},
    {"param", required_argument, NULL, 'p'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Return: EXIT_DONE, EXIT_REFUSED (memory), EXIT_USAGE after an error message */
static int parse_list(const char *what, const char *text, struct compare_list *ret)
{
    char *save = NULL;

    free(ret->text);
    *ret = (struct compare_list){.text = strdup(text)};
    if (ret->text == NULL)
        return EXIT_REFUSED;
    for (char *word = strtok_r(ret->text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (ret->n == COMPARE_LIST_MAX)
            return usage_error("%s is '%s', expected at most %d names", what, text,
                               COMPARE_LIST_MAX);
        ret->name[ret->n++] = word;
    }
    return ret->n > 0 ? EXIT_DONE
                      : usage_error("%s is '%s', expected names, separated by commas", what, text);
}

static int parse_numbers(const char *what, const char *text, double min, double max,
                         struct compare_numbers *ret)
{
    const char *at = text;
    double value;

    *ret = (struct compare_numbers){0};
    while (ret->n < COMPARE_LIST_MAX && take_value(&at, &value) && value >= min && value <= max) {
        ret->value[ret->n++] = value;
        if (*at == '\0')
            return EXIT_DONE;
        at++;
    }
    return usage_error("%s is '%s', expected up to %d numbers from %g to %g, separated by commas",
                       what, text, COMPARE_LIST_MAX, min, max);
}

static int parse_limit(const char *text, double *ret)
{
    if (!parse_number(text, ret) || *ret <= 0 || *ret > LIMIT_MAX)
        return usage_error("limit is '%s', expected seconds, more than 0 and at most %g", text,
                           LIMIT_MAX);
    return EXIT_DONE;
}

static int take_list(int option, const char *text, struct compare_options *o)
{
    switch (option) {
    case FORMULATIONS:
        return parse_list("formulations", text, &o->formulations);
    case INTEGRATORS:
        return parse_list("integrators", text, &o->integrators);
    case ORIENTATIONS:
        return parse_list("orientations", text, &o->orientations);
    case STABILISATIONS:
        return parse_list("stabilisations", text, &o->stabilisations);
    case TOLERANCES:
        return parse_numbers("tolerances", text, TOLERANCE_MIN, TOLERANCE_MAX, &o->tolerances);
    case STEPS:
        return parse_numbers("steps", text, LK_STEP_MIN, LK_STEP_MAX, &o->steps);
    case BAUMGARTE:
        return parse_baumgarte(text, o->baumgarte);
    default: /* getopt has printed the error */
        return EXIT_USAGE;
    }
}

static int take_option(int option, const char *text, struct compare_options *o)
{
    switch (option) {
    case 'd':
        if (parse_number(text, &o->duration) && o->duration > 0)
            return EXIT_DONE;
        return usage_error("duration is '%s', expected seconds, more than 0", text);
    case 'r':
        o->reference = text;
        return EXIT_DONE;
    case 'o':
        o->output = text;
        return EXIT_DONE;
    case 'l':
        return parse_limit(text, &o->limit_s);
    case MAP:
        o->maps[o->n_maps++] = text;
        return strchr(text, '=') != NULL ? EXIT_DONE
                                         : usage_error("map is '%s', expected COLUMN=TARGET", text);
    case SET:
        o->sets[o->n_sets++] = text;
        return EXIT_DONE;
    case 'p':
        return take_param(text);
    case 'j':
        o->is_json = true;
        return EXIT_DONE;
    case 'h':
        o->is_help = true;
        return EXIT_DONE;
    default:
        return take_list(option, text, o);
    }
}

int compare_options_parse(int argc, char *argv[], struct compare_options *ret)
{
    struct compare_options *o = ret;
    int option, code = EXIT_DONE;

    *o = (struct compare_options){.output = "compare-output", .limit_s = LIMIT_S};
    o->maps = calloc((size_t)argc, sizeof(*o->maps));
    o->sets = calloc((size_t)argc, sizeof(*o->sets));
    if (o->maps == NULL || o->sets == NULL)
        return EXIT_REFUSED;
    while (code == EXIT_DONE && !o->is_help &&
           (option = getopt_long(argc, argv, "d:r:o:l:p:jh", longs, NULL)) != -1)
        code = take_option(option, optarg, o);
    if (code != EXIT_DONE || o->is_help)
        return code;
    if (optind != argc - 1)
        return usage_error("compare takes one model");
    if (o->n_maps > 0 && o->reference == NULL)
        return usage_error("a map names columns of a file, expected --reference with it");
    o->path = argv[optind];
    return EXIT_DONE;
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

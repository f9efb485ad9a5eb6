/* SPDX-License-Identifier: Apache-2.0 */
/* linkage params: lists the numbers of a model with their paths. Also option --param of the other
 * subcommands. */
#include "commands.h"
#include "linkage/document.h"
#include "linkage/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lk_settings given; /* values of --param, in the order of the command line */

int take_param(const struct option_row *row, const char *text)
{
    char path[LK_PATH_SIZE];
    struct lk_error error;
    double value = 0;
    int result = lk_setting_parse(text, path, &value, &error);

    (void)row;
    if (result == 0)
        result = lk_settings_add(&given, path, value);
    if (result == 0)
        return EXIT_DONE;
    if (result == -E2BIG)
        return usage_error("more than %d parameters, expected at most so many", LK_SETTINGS_MAX);
    if (result < 0) {
        complain("%s", strerror(-result));
        return EXIT_REFUSED;
    }
    return usage_error("%s", error.text);
}

bool give_params(const char *text, struct lk_error *ret_error)
{
    int result = lk_settings_read(text, &given, ret_error);

    if (result < 0)
        lk_error_set(ret_error, "%s", strerror(-result));
    return result == 0;
}

int given_params(const struct lk_setting **ret_list)
{
    *ret_list = given.list;
    return given.n;
}

struct lk_model *load_model(const char *path)
{
    return load_model_with(path, given.list, given.n);
}

struct lk_model *load_model_with(const char *path, const struct lk_setting *settings, int n)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;
    int result = lk_model_read_file_with(path, settings, n, &model, &errors);

    if (result == 0)
        return model;
    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", path, strerror(-result));
    return NULL;
}

/* struct options - options of `params`. */
struct options {
    const char *path;
    bool is_json;
};

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"json", 'j', .flag = &o->is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows, "params takes one model", &o->path);
}

/* ---- text ---- */

/* Print "name = value unit", with the fewest digits from which the same bits can be read. */
static void print_value(const char *name, double value, const char *unit)
{
    printf("%s = ", name);
    print_shortest(stdout, value);
    if (unit[0] != '\0' && strcmp(unit, "1") != 0 && strcmp(unit, "?") != 0)
        printf(" %s", unit);
}

static void print_limits(const struct lk_parameter *p)
{
    if (!isinf(p->low) || !isinf(p->high))
        printf(", %g to %g", p->low, p->high);
}

static void print_text(const struct lk_parameter *parameters, int n_parameters,
                       const struct lk_number *numbers, int n)
{
    for (int i = 0; i < n_parameters; i++) {
        const struct lk_parameter *p = &parameters[i];

        print_value(p->name, p->value, p->unit);
        print_limits(p);
        printf("%s: %s\n", p->is_tunable ? ", tunable" : "", *p->acts ? p->acts : "in expressions");
    }
    for (int i = 0; i < n; i++) {
        const struct lk_number *x = &numbers[i];

        print_value(x->path, x->value, x->unit);
        printf("%s%s%s\n", x->may_be_tuned ? ", may be tunable" : "",
               x->parameter[0] != '\0' ? ", by " : "", x->parameter);
    }
}

/* ---- JSON ---- */

static void print_parameter(struct lk_json *json, const struct lk_parameter *p)
{
    lk_json_line(json, 2);
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", p->name);
    lk_json_number(json, "value", p->value);
    lk_json_text(json, "unit", p->unit);
    lk_json_number(json, "low", p->low);
    lk_json_number(json, "high", p->high);
    lk_json_bool(json, "tunable", p->is_tunable);
    lk_json_text(json, "acts", p->acts);
    lk_json_close(json, '}');
}

static void print_number(struct lk_json *json, const struct lk_number *x)
{
    lk_json_line(json, 2);
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "path", x->path);
    lk_json_number(json, "value", x->value);
    lk_json_text(json, "unit", x->unit);
    lk_json_bool(json, "may_be_tuned", x->may_be_tuned);
    lk_json_text(json, "parameter", x->parameter);
    lk_json_close(json, '}');
}

static void print_json(const struct lk_parameter *parameters, int n_parameters,
                       const struct lk_number *numbers, int n)
{
    struct lk_json json = {.file = stdout, .spaced = true};

    lk_json_open(&json, NULL, '{');
    lk_json_open(&json, "parameters", '[');
    for (int i = 0; i < n_parameters; i++)
        print_parameter(&json, &parameters[i]);
    lk_json_close(&json, ']');
    lk_json_open(&json, "numbers", '[');
    for (int i = 0; i < n; i++)
        print_number(&json, &numbers[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

static int read_numbers(const char *path, struct lk_numbers **ret)
{
    struct lk_errors errors = {0};
    struct lk_error error = {""};
    size_t size = 0;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
    char *text = NULL;
    int result = folder == NULL ? -ENOMEM : lk_document_text(path, &text, &size, &error);

    if (result == 0)
        result = lk_numbers_new_in(folder, path, text, size, given.list, given.n, ret, &errors);
    free(folder);
    free(text);
    if (result == 0)
        return EXIT_DONE;
    file_error("%s", result < 0     ? strerror(-result)
                     : errors.n > 0 ? errors.line[0].text
                                    : error.text);
    return EXIT_REFUSED;
}

int command_params(int argc, char *argv[])
{
    struct options o = {0};
    struct lk_numbers *numbers = NULL;
    struct lk_model *model;
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    model = load_model(o.path);
    code = model == NULL ? EXIT_REFUSED : read_numbers(o.path, &numbers);
    if (code == EXIT_DONE) {
        int n_parameters, n;
        const struct lk_parameter *parameters = lk_model_parameters(model, &n_parameters);
        const struct lk_number *list = lk_numbers_list(numbers, &n);

        (o.is_json ? print_json : print_text)(parameters, n_parameters, list, n);
    }
    lk_numbers_free(numbers);
    lk_model_free(model);
    return code;
}

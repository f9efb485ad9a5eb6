/* SPDX-License-Identifier: Apache-2.0 */
/* Command `param`: prints the parameters of the model, and sets tunable parameters while the model
 * runs. A tunable parameter is an input channel. Its acting value is the value that the cycle
 * reports for the channel. */
#include "ctl.h"
#include "fields_json.h"
#include "linkage/json.h"
#include "linkage/nearest.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 24

/* struct acting - acting values of all inputs with one value, with the names of the inputs; on the
 * heap. */
struct acting {
    char (*name)[LK_WIRE_NAME_MAX + 1];
    double *value;
    size_t n;
};

int ctl_check_param(const struct ctl_options *options, int n, char **args)
{
    char *end = NULL;

    (void)options;
    if (n == 0 || (n == 1 && strcmp(args[0], "list") == 0) ||
        (n == 2 && strcmp(args[0], "get") == 0))
        return CTL_OK;
    if (n != 3 || strcmp(args[0], "set") != 0)
        return ctl_usage("param: expected list, get NAME or set NAME VALUE");
    strtod(args[2], &end);
    return end != args[2] && *end == '\0' ? CTL_OK
                                          : ctl_usage("param: '%s' is not a number", args[2]);
}

static void release_acting(struct acting *acting)
{
    free(acting->name);
    free(acting->value);
}

/* Request the acting values.
 * Return: an exit status; release @ret in any case. */
static int find_acting(const struct ctl_options *options, struct lk_client *client,
                       struct acting *ret)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    *ret = (struct acting){0};
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->inputs == NULL)
        return ctl_show_reply(options, reply);
    ret->name = calloc(reply->inputs->n_inputs + 1, sizeof(*ret->name));
    ret->value = calloc(reply->inputs->n_inputs + 1, sizeof(*ret->value));
    if (ret->name == NULL || ret->value == NULL)
        return CTL_FAILED;
    for (size_t i = 0; i < reply->inputs->n_inputs; i++) {
        const Linkage__V1__InputReport *input = reply->inputs->inputs[i];

        if (input->n_acting != 1)
            continue;
        snprintf(ret->name[ret->n], sizeof(ret->name[0]), "%s", input->channel);
        ret->value[ret->n++] = input->acting[0];
    }
    return CTL_OK;
}

static double acts(const struct acting *acting, const Linkage__V1__ParameterDescription *p)
{
    for (size_t i = 0; i < acting->n && p->tunable; i++)
        if (strcmp(acting->name[i], p->name) == 0)
            return acting->value[i];
    return p->value;
}

static void show_text(const struct acting *acting, const Linkage__V1__ParameterDescription *p)
{
    int n = (int)strlen(p->name);

    lk_report_put(stdout, p->name);
    printf("%*s%.15g", n < NAME_WIDTH ? NAME_WIDTH - n : 1, "", acts(acting, p));
    if (p->unit[0] != '\0' && strcmp(p->unit, "1") != 0) {
        putchar(' ');
        lk_report_put(stdout, p->unit);
    }
    if (!isinf(p->low) || !isinf(p->high))
        printf(", %g to %g", p->low, p->high);
    if (p->tunable)
        printf(", tunable, loaded as %.15g", p->value);
    for (size_t i = 0; i < p->n_acts; i++) {
        printf(i == 0 ? ": " : " ");
        lk_report_put(stdout, p->acts[i]);
    }
    putchar('\n');
}

static void show_json(struct lk_json *json, const struct acting *acting,
                      const Linkage__V1__ParameterDescription *p)
{
    lk_json_open(json, NULL, '{');
    lk_fields_json(json, &p->base, "name");
    lk_json_number(json, "value", acts(acting, p));
    lk_fields_json(json, &p->base, "unit low high tunable value>loaded acts");
    lk_json_close(json, '}');
}

static void show_all(const struct ctl_options *options, const struct acting *acting,
                     const Linkage__V1__ModelDescription *d)
{
    struct lk_json json;

    if (!options->json) {
        if (d->n_parameters == 0)
            printf("the model has no section parameters, and none was given with it\n");
        for (size_t i = 0; i < d->n_parameters; i++)
            show_text(acting, d->parameters[i]);
        return;
    }
    json = ctl_begin_json();
    lk_json_open(&json, "parameters", '[');
    for (size_t i = 0; i < d->n_parameters; i++)
        show_json(&json, acting, d->parameters[i]);
    lk_json_close(&json, ']');
    ctl_end_json(&json);
}

/* Find the parameter @name of the model. Print an error if there is none. */
static const Linkage__V1__ParameterDescription *
find_parameter(const struct ctl_options *options, const Linkage__V1__ModelDescription *d,
               const char *name)
{
    const char **names = calloc(d->n_parameters + 1, sizeof(*names)), *nearest;
    struct lk_error error;

    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < d->n_parameters; i++) {
        names[i] = d->parameters[i]->name;
        if (strcmp(names[i], name) == 0) {
            free(names);
            return d->parameters[i];
        }
    }
    nearest = lk_nearest(name, names);
    if (nearest != NULL)
        lk_error_set(&error, "there is no parameter '%s', did you mean '%s'?", name, nearest);
    else
        lk_error_set(&error, "there is no parameter '%s', linkagectl param lists them", name);
    free(names);
    ctl_fail(options, &error);
    return NULL;
}

static int show_one(const struct ctl_options *options, const struct acting *acting,
                    const Linkage__V1__ModelDescription *d, const char *name)
{
    const Linkage__V1__ParameterDescription *p = find_parameter(options, d, name);
    struct lk_json json = {.file = stdout};

    if (p == NULL)
        return CTL_FAILED;
    if (options->json) {
        show_json(&json, acting, p);
        lk_json_end(&json);
    } else {
        show_text(acting, p);
    }
    return CTL_OK;
}

static int set_one(const struct ctl_options *options, struct lk_client *client,
                   const Linkage__V1__ModelDescription *d, const char *name, double value)
{
    const Linkage__V1__ParameterDescription *p = find_parameter(options, d, name);
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int status;

    if (p == NULL)
        return CTL_FAILED;
    if (!p->tunable) {
        lk_error_set(&error,
                     "parameter '%s' is not tunable: load the model again with --param %s=%.15g",
                     name, name, value);
        return ctl_fail(options, &error);
    }
    status = ctl_set_channel(options, client, name, &value, 1, &reply);
    return status == CTL_OK ? ctl_show_reply(options, reply) : status;
}

int ctl_param(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__ControlReply *reply;
    struct acting acting;
    int status = find_acting(options, client, &acting);

    if (status == CTL_OK)
        status = ctl_ask(options, client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply);
    if (status == CTL_OK) {
        if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->description == NULL)
            status = ctl_show_reply(options, reply);
        else if (n == 3)
            status = set_one(options, client, reply->description, args[1], strtod(args[2], NULL));
        else if (n == 2)
            status = show_one(options, &acting, reply->description, args[1]);
        else
            show_all(options, &acting, reply->description);
    }
    release_acting(&acting);
    return status == CTL_OK && ferror(stdout) ? CTL_FAILED : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about the model and its run, which call the functions of rig.h. */
#include "commands.h"
#include "linkage/parameters.h"
#include "reply.h"
#include "trace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_MAX (LK_WIRE_CONTROL_MAX - 4096) /* bytes; the rest is for the reply */

/* Write a trace of the last @cycles cycles as text.
 * Return: 0, -ENOMEM, -E2BIG (too long; no text was made). */
static int make_trace(const struct lkd_rig *rig, uint32_t cycles, char **ret_text, size_t *ret_size)
{
    FILE *file = open_memstream(ret_text, ret_size);

    if (!file)
        return -ENOMEM;
    lkd_trace_write(file, rig->loaded->cycle, rig->exchange, cycles);
    if (fclose(file))
        return -ENOMEM;
    if (*ret_size <= TRACE_MAX)
        return 0;
    free(*ret_text);
    *ret_text = NULL;
    return -E2BIG;
}

/* Add a trace to the reply. The number of cycles is halved until the text fits, because a trace
 * with workers has more events per cycle. */
static int add_trace(struct lkd_call *call, uint32_t cycles)
{
    char *text = NULL;
    size_t size = 0;
    int r = -E2BIG;

    if (cycles == 0 || cycles > LKD_TRACE_CYCLES_MAX)
        cycles = LKD_TRACE_CYCLES_MAX;
    for (; cycles > 0 && r == -E2BIG; cycles /= 2)
        r = make_trace(call->rig, cycles, &text, &size);
    if (r == 0)
        call->reply->trace.data = lk_wire_arena_take(call->arena, size);
    if (call->reply->trace.data) {
        memcpy(call->reply->trace.data, text, size);
        call->reply->trace.len = size;
    }
    free(text);
    return call->reply->trace.data ? 0 : -ENOMEM;
}

/* Check that a model is loaded.
 * Return: true if it is; otherwise the refusal is in the answer. */
static bool has_model(struct lkd_call *call, const char *command)
{
    if (call->rig->loaded)
        return true;
    lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                   "%s is not allowed in state %s", command,
                   lkd_rig_state_name(lkd_rig_shown_state(call->rig)));
    return false;
}

int lkd_command_status(struct lkd_call *call)
{
    return lkd_call_add_status(call, call->request->status->with_histograms);
}

int lkd_command_describe(struct lkd_call *call)
{
    Linkage__V1__ModelDescription *description;

    if (!has_model(call, "describe"))
        return 0;
    description = lk_wire_arena_take(call->arena, sizeof(*description));
    if (!description)
        return -ENOMEM;
    call->reply->description = description;
    return lkd_reply_description(call->rig, call->arena, description);
}

static int add_settings(struct lkd_call *call, const struct lk_settings *given,
                        Linkage__V1__ModelText *model)
{
    Linkage__V1__Setting *all;

    if (given->n == 0)
        return 0;
    all = lkd_call_list(call, (size_t)given->n, sizeof(*all), &model->settings);
    if (!all)
        return -ENOMEM;
    for (int i = 0; i < given->n; i++) {
        linkage__v1__setting__init(&all[i]);
        all[i].path = lk_wire_arena_format(call->arena, "%s", given->list[i].path);
        all[i].value = given->list[i].value;
        if (!all[i].path)
            return -ENOMEM;
    }
    model->n_settings = (size_t)given->n;
    return 0;
}

int lkd_command_model(struct lkd_call *call)
{
    const struct lkd_loaded *loaded = call->rig->loaded;
    Linkage__V1__ModelText *model;
    struct lk_settings given = {0};
    struct lk_error ignored;
    int r;

    if (!has_model(call, "model"))
        return 0;
    model = lk_wire_arena_take(call->arena, sizeof(*model));
    if (!model)
        return -ENOMEM;
    linkage__v1__model_text__init(model);
    model->name = (char *)loaded->name;
    /* The text remains valid until another model is loaded, which happens after the reply is
     * sent. */
    model->text = (ProtobufCBinaryData){loaded->text_size, (uint8_t *)loaded->text};
    model->model_id = loaded->model_id;
    call->reply->model = model;
    r = lk_settings_read(loaded->values, &given, &ignored);
    if (r == 0)
        r = add_settings(call, &given, model);
    lk_settings_fini(&given);
    return r ? -ENOMEM : 0;
}

int lkd_command_evidence(struct lkd_call *call)
{
    Linkage__V1__Evidence *evidence;

    if (!has_model(call, "evidence"))
        return 0;
    evidence = lk_wire_arena_take(call->arena, sizeof(*evidence));
    if (!evidence)
        return -ENOMEM;
    call->reply->evidence = evidence;
    return lkd_reply_evidence(call->rig, call->request->evidence, call->arena, evidence);
}

int lkd_command_trace(struct lkd_call *call)
{
    return has_model(call, "trace") ? add_trace(call, call->request->trace->cycles) : 0;
}

/* Format the external values of a load request as a text on the heap.
 * Return: the text; NULL: the refusal is in the answer, or memory is exhausted. */
static char *values_of(struct lkd_call *call, const Linkage__V1__LoadRequest *load)
{
    struct lk_settings given = {0};
    char *text = NULL;
    int r = 0;

    for (size_t i = 0; i < load->n_settings && r == 0; i++) {
        r = lk_settings_add(&given, load->settings[i]->path, load->settings[i]->value);
        if (r == -EINVAL)
            lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                           "parameter '%s': expected a path such as bodies.arm.mass",
                           load->settings[i]->path);
    }
    if (r == 0)
        r = lk_settings_write(&given, &text);
    if (r && r != -EINVAL)
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_INTERNAL, "%s", strerror(-r));
    lk_settings_fini(&given);
    return text;
}

int lkd_command_load(struct lkd_call *call)
{
    const Linkage__V1__LoadRequest *load = call->request->load;
    char *values = values_of(call, load);

    if (values)
        call->is_later = lkd_rig_load(call->rig, load->name, (const char *)load->text.data,
                                      load->text.len, values, call->answer);
    free(values);
    return 0;
}

static int add_errors(struct lkd_call *call)
{
    const struct lk_errors *errors = &call->rig->load_errors;
    char **list = lk_wire_arena_take(call->arena, (size_t)errors->n * sizeof(*list));

    if (!list)
        return -ENOMEM;
    for (int i = 0; i < errors->n; i++)
        list[i] = (char *)errors->line[i].text;
    call->reply->errors = list;
    call->reply->n_errors = (size_t)errors->n;
    return 0;
}

/* Add the warnings of the model to the reply. Their texts exist as long as the model. */
static int add_warnings(struct lkd_call *call)
{
    const struct lk_findings *found = &call->rig->loaded->warnings;
    Linkage__V1__Warning *warning;

    if (found->n == 0)
        return 0;
    warning = lkd_call_list(call, (size_t)found->n, sizeof(*warning), &call->reply->warnings);
    if (!warning)
        return -ENOMEM;
    for (int i = 0; i < found->n; i++) {
        linkage__v1__warning__init(&warning[i]);
        warning[i].id = (char *)found->list[i].id;
        warning[i].where = found->list[i].where;
        warning[i].text = found->list[i].text;
    }
    call->reply->n_warnings = (size_t)found->n;
    return 0;
}

int lkd_call_add_notes(struct lkd_call *call)
{
    if (call->answer->result == LINKAGE__V1__RESULT__RESULT_BAD_MODEL)
        return add_errors(call);
    if (call->answer->result == LINKAGE__V1__RESULT__RESULT_OK && call->rig->loaded)
        return add_warnings(call);
    return 0;
}

int lkd_command_arm(struct lkd_call *call)
{
    const Linkage__V1__ArmRequest *arm = call->request->arm;
    enum lkd_mode mode = call->rig->config->mode;

    switch ((int)arm->mode) {
    case LINKAGE__V1__MODE__MODE_UNSPECIFIED:
        break;
    case LINKAGE__V1__MODE__MODE_REALTIME:
        mode = LKD_MODE_REALTIME;
        break;
    case LINKAGE__V1__MODE__MODE_LOCKSTEP:
        mode = LKD_MODE_LOCKSTEP;
        break;
    case LINKAGE__V1__MODE__MODE_ASAP:
        mode = LKD_MODE_ASAP;
        break;
    default:
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "unknown mode %d, expected realtime, lockstep or asap", (int)arm->mode);
        return 0;
    }
    lkd_rig_arm(call->rig, mode, arm->allow_degraded, arm->steps, call->answer);
    return 0;
}

int lkd_command_start(struct lkd_call *call)
{
    lkd_rig_start(call->rig, call->request->start->steps, call->answer);
    return 0;
}

int lkd_command_pause(struct lkd_call *call)
{
    lkd_rig_pause(call->rig, call->answer);
    return 0;
}

int lkd_command_stop(struct lkd_call *call)
{
    lkd_rig_stop(call->rig, call->answer);
    return 0;
}

int lkd_command_reset(struct lkd_call *call)
{
    lkd_rig_reset(call->rig, call->answer);
    return 0;
}

int lkd_command_set(struct lkd_call *call)
{
    const Linkage__V1__SetRequest *set = call->request->set;

    lkd_rig_set(call->rig, set->channel, set->values, set->n_values, set->force, call->answer);
    return 0;
}

int lkd_command_shutdown(struct lkd_call *call)
{
    call->commands->shutdown = true;
    return 0;
}

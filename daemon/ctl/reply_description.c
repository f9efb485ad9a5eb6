/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of a model as messages of linkage.proto. */
#include "identity.h"
#include "linkage/drives.h"
#include "linkage/parameters.h"
#include "outgoing.h"
#include "reply.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static int fill_fail_safe(const struct lkd_guarded *guarded, struct lk_wire_arena *arena,
                          Linkage__V1__ChannelDescription *d)
{
    const struct lkd_rule *rule = &guarded->stale;

    d->fail_safe = lk_wire_arena_take(arena, sizeof(*d->fail_safe));
    if (!d->fail_safe)
        return -ENOMEM;
    linkage__v1__fail_safe__init(d->fail_safe);
    d->fail_safe->timeout_steps = guarded->timeout_steps;
    d->fail_safe->action = lkd_outgoing_action(rule->action);
    d->fail_safe->value = isnan(rule->value) ? guarded->initial : rule->value;
    d->fail_safe->ramp_s = rule->ramp_s;
    return 0;
}

int lkd_reply_channel(const struct lk_channel *channel, const struct lkd_guarded *guarded,
                      struct lk_wire_arena *arena, Linkage__V1__ChannelDescription *d)
{
    size_t n = (size_t)channel->size;

    linkage__v1__channel_description__init(d);
    d->name = (char *)channel->name;
    d->offset = (uint32_t)channel->offset;
    d->components = lk_wire_arena_take(arena, n * sizeof(char *));
    d->units = lk_wire_arena_take(arena, n * sizeof(char *));
    if (!d->components || !d->units)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        d->components[i] = (char *)channel->component[i];
        d->units[i] = (char *)channel->unit[i];
    }
    d->n_components = d->n_units = n;
    d->type = (char *)channel->type;
    d->frame = (char *)channel->frame;
    d->low = channel->low;
    d->high = channel->high;
    d->rate = channel->rate;
    d->initial = channel->initial;
    d->ahead_s = channel->ahead;
    if (!guarded)
        return 0;
    d->horizon_s = guarded->horizon;
    return fill_fail_safe(guarded, arena, d);
}

static int make_channels(const struct lk_channel *channels, const struct lkd_guarded *guarded,
                         size_t n, struct lk_wire_arena *arena,
                         Linkage__V1__ChannelDescription ***ret_channels)
{
    Linkage__V1__ChannelDescription **list, *all;

    list = lk_wire_arena_take(arena, n * sizeof(*list));
    all = lk_wire_arena_take(arena, n * sizeof(*all));
    if (!list || !all)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int r = lkd_reply_channel(&channels[i], guarded ? &guarded[i] : NULL, arena, &all[i]);

        if (r)
            return r;
        list[i] = &all[i];
    }
    *ret_channels = list;
    return 0;
}

/* Fill in the paths that the parameter @p acts on. */
static int fill_acts(const struct lk_parameter *p, struct lk_wire_arena *arena,
                     Linkage__V1__ParameterDescription *d)
{
    char *text = lk_wire_arena_format(arena, "%s", p->acts), *rest = NULL;
    size_t n = 1;

    for (const char *at = p->acts; *at; at++)
        n += *at == ' ';
    d->acts = lk_wire_arena_take(arena, n * sizeof(char *));
    if (!text || !d->acts)
        return -ENOMEM;
    for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
        d->acts[d->n_acts++] = at;
    return 0;
}

/* List the parameters of the model, then the paths that have an external value. */
static int make_parameters(const struct lkd_loaded *loaded, struct lk_wire_arena *arena,
                           Linkage__V1__ModelDescription *ret)
{
    int n, r = 0;
    const struct lk_parameter *list = lk_model_parameters(loaded->model, &n);
    struct lk_settings given = {0};
    Linkage__V1__ParameterDescription *all;

    if (lk_settings_read(loaded->values, &given, NULL))
        return -ENOMEM;
    all = lk_wire_arena_take(arena, ((size_t)n + (size_t)given.n) * sizeof(*all));
    ret->parameters =
        lk_wire_arena_take(arena, ((size_t)n + (size_t)given.n) * sizeof(*ret->parameters));
    if (!all || !ret->parameters)
        r = -ENOMEM;
    for (int i = 0; i < n + given.n && r == 0; i++) {
        const struct lk_setting *s = i < n ? NULL : &given.list[i - n];

        if (s && !strchr(s->path, '.')) /* a parameter of the model, listed above */
            continue;
        linkage__v1__parameter_description__init(&all[i]);
        all[i].name = lk_wire_arena_format(arena, "%s", s ? s->path : list[i].name);
        all[i].unit = (char *)(s ? "" : list[i].unit);
        all[i].low = s ? -INFINITY : list[i].low;
        all[i].high = s ? INFINITY : list[i].high;
        all[i].value = s ? s->value : list[i].value;
        all[i].tunable = s ? false : list[i].is_tunable;
        r = all[i].name ? s ? 0 : fill_acts(&list[i], arena, &all[i]) : -ENOMEM;
        ret->parameters[ret->n_parameters++] = &all[i];
    }
    lk_settings_fini(&given);
    return r;
}

int lkd_reply_description(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                          Linkage__V1__ModelDescription *ret_description)
{
    const struct lkd_loaded *loaded = rig->loaded;
    const struct lk_channel *inputs, *outputs;
    int n_inputs, n_outputs, r;

    inputs = lk_system_input_channels(loaded->system, &n_inputs);
    outputs = lk_system_output_channels(loaded->system, &n_outputs);
    linkage__v1__model_description__init(ret_description);
    ret_description->name = (char *)loaded->name;
    ret_description->model_id = loaded->model_id;
    ret_description->period_ns = (uint64_t)loaded->cycle->period_ns;
    ret_description->step_s = lk_system_step_size(loaded->system);
    ret_description->mode = lkd_outgoing_mode(rig->mode);
    ret_description->daemon_id = lkd_daemon_id();
    ret_description->engine = (char *)lk_system_engine(loaded->system);
    ret_description->n_inputs = (size_t)n_inputs;
    ret_description->n_outputs = (size_t)n_outputs;
    r = make_parameters(loaded, arena, ret_description);
    if (r)
        return r;
    r = make_channels(inputs, loaded->cycle->guard.channel, (size_t)n_inputs, arena,
                      &ret_description->inputs);
    if (r)
        return r;
    for (int i = 0; i < n_inputs; i++) {
        ret_description->inputs[i]->period_s = lk_system_input_period(loaded->system, i);
        ret_description->inputs[i]->delay_s = lk_system_input_delay(loaded->system, i);
    }
    return make_channels(outputs, NULL, (size_t)n_outputs, arena, &ret_description->outputs);
}

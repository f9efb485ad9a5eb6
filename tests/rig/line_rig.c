/* SPDX-License-Identifier: Apache-2.0 */
#include "line_rig.h"
#include "arm.h"
#include "no_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] =
    RIG_ARM("line", "", ", rate: 500",
            "  tip: {type: point-position, body: rod, point: [2, 0, 0]}\n", "0.001");

static const struct lkd_placement placement = {.n_workers = 1, .core = {LKD_CORE_NONE}};
static struct lkd_config config;
static struct lk_wire_arena arena;

struct lkd_inputs line_inputs;
struct lkd_rig line_rig;
struct lkd_commands line_commands;

static void set_policy(struct lkd_policy *policy)
{
    policy->timeout_steps = 5;
    policy->rule[LKD_CONDITION_RANGE].action = LKD_ACTION_HOLD;
    policy->rule[LKD_CONDITION_NOT_FINITE].action = LKD_ACTION_ZERO;
    policy->n_channels = 2;
    policy->channel[0] = (struct lkd_channel_rule){"push", 3, {LKD_ACTION_ZERO, 0, 0.01}};
    policy->channel[1] = (struct lkd_channel_rule){"motor", 8, {LKD_ACTION_HOLD, 0, 0}};
}

static void load(void)
{
    struct lkd_answer answer;

    lkd_config_default(&config);
    set_policy(&config.cycle.policy);
    lkd_inputs_init(&line_inputs);
    lkd_rig_init(&line_rig, &config, &line_inputs, no_exchange(), &placement, 0);
    if (lkd_commands_init(&line_commands, &line_rig) ||
        lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA))
        abort();
    if (lkd_rig_load(&line_rig, "line", model, strlen(model), "", &answer))
        while (!lkd_rig_load_outcome(&line_rig, &answer))
            lkd_rig_follow_load(&line_rig);
    if (answer.result != LINKAGE__V1__RESULT__RESULT_OK) {
        fprintf(stderr, "%s\n", answer.text);
        abort();
    }
}

void line_rig_fresh(void)
{
    struct lkd_cycle *cycle;

    if (!arena.memory)
        load();
    cycle = line_rig.loaded->cycle;
    line_rig.state = LINKAGE__V1__STATE__STATE_READY;
    lkd_exchange_load(line_rig.exchange, cycle);
    if (lkd_inputs_attach(&line_inputs, cycle, line_rig.loaded->model_id))
        abort();
    lkd_guard_begin(&cycle->guard, NULL);
}

bool line_rig_is_safe(const Linkage__V1__ControlRequest *request)
{
    switch ((int)request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_START:
        return false;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM: /* only the proof of a budget needs a thread */
        return (int)request->arm->mode != LINKAGE__V1__MODE__MODE_UNSPECIFIED &&
               (int)request->arm->mode != LINKAGE__V1__MODE__MODE_REALTIME;
    default:
        return true;
    }
}

const Linkage__V1__ControlReply *line_rig_request(Linkage__V1__Role role, const uint8_t *data,
                                                  size_t size)
{
    const struct lkd_peer peer = {.role = role};
    const Linkage__V1__ControlRequest *request;
    const Linkage__V1__ControlReply *reply;

    if (lk_wire_decode_request(&arena, data, size, &request) == 0 && !line_rig_is_safe(request))
        return NULL;
    if (lkd_commands_handle(&line_commands, &peer, data, size, &reply))
        abort();
    if (reply->result == LINKAGE__V1__RESULT__RESULT_UNSPECIFIED)
        abort();
    return reply;
}

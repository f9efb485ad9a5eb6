/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a request through the daemon's own state machine, without a model and with one. The
 * same bytes as a reply, decoded like in a client. No run is started: a fuzzer that makes real-time
 * threads tests only the scheduler. */
#include "commands.h"
#include "line_rig.h"
#include "no_exchange.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct lkd_placement placement = {.n_workers = 1, .core = {LKD_CORE_NONE}};
static struct lkd_config config;
static struct lkd_inputs inputs;
static struct lkd_rig rig;
static struct lkd_commands commands;
static struct lk_wire_arena arena;

static void set_up(void)
{
    lkd_config_default(&config);
    lkd_inputs_init(&inputs);
    lkd_rig_init(&rig, &config, &inputs, no_exchange(), &placement, 0);
    if (lkd_commands_init(&commands, &rig) || lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA))
        abort();
}

/* Return true for a load request. Such requests are not executed here, because they would compile
 * any text (fuzz_model does that). Only a load ends the state EMPTY. */
static bool is_load(const uint8_t *data, size_t size)
{
    const Linkage__V1__ControlRequest *request;

    return lk_wire_decode_request(&arena, data, size, &request) == 0 &&
           request->command_case == LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
}

static void check_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            abort();
}

/* Print @evidence like a client. */
static void print(const Linkage__V1__Evidence *evidence)
{
    static FILE *nowhere;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        abort();
    lk_report_json(nowhere, evidence);
    lk_report_text(nowhere, evidence);
    lk_report_histogram(nowhere, evidence, 300);
}

static void check_reply(const Linkage__V1__ControlReply *reply, size_t size)
{
    if (reply->evidence)
        print(reply->evidence);
    if (!reply->description)
        return;
    for (size_t i = 0; i < reply->description->n_outputs; i++)
        if (strlen(reply->description->outputs[i]->name) > size)
            abort();
}

static void with_model(const uint8_t *data, size_t size)
{
    const Linkage__V1__ControlReply *reply;

    line_rig_fresh();
    reply = line_rig_request(LINKAGE__V1__ROLE__ROLE_CONTROL, data, size);
    if (reply)
        check_text(reply->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Linkage__V1__ControlReply *reply;

    if (!arena.memory)
        set_up();
    if (!is_load(data, size)) {
        const struct lkd_peer peer = {.role = LINKAGE__V1__ROLE__ROLE_CONTROL};

        if (lkd_commands_handle(&commands, &peer, data, size, &reply))
            abort();
        if (reply->result == LINKAGE__V1__RESULT__RESULT_UNSPECIFIED)
            abort();
        check_text(reply->text);
    }
    with_model(data, size);
    if (lk_wire_decode_reply(&arena, data, size, &reply) == 0)
        check_reply(reply, size);
    return 0;
}

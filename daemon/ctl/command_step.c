/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep command: accept an input, execute steps, and return the outputs after them in one
 * reply. */
#include "clock.h"
#include "commands.h"
#include "outgoing.h"
#include "reply.h"
#include "segments.h"
#include <errno.h>

#define STEPS_MAX 10000

static bool is_plausible(const Linkage__V1__StepRequest *step, struct lkd_answer *answer)
{
    if (step->steps < 1 || step->steps > STEPS_MAX) {
        lkd_rig_answer(answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%u steps, expected 1 to %d in a request", step->steps, STEPS_MAX);
        return false;
    }
    if (step->number == 0) {
        lkd_rig_answer(answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "a request without a number, expected one that differs from the one before");
        return false;
    }
    return true;
}

/* Accept the input of a step request. The input of a repeated request was accepted the first time.
 * Return: true if the steps may be executed. */
static bool take_input(struct lkd_call *call, const Linkage__V1__StepRequest *step)
{
    int status;

    if (!step->input || step->number == call->rig->stepped)
        return true;
    status = lkd_inputs_offer_message(call->rig->inputs, step->input, call->peer, lkd_clock_ns());
    if (status == LKD_INPUT_OK)
        return true;
    lkd_rig_answer(call->answer,
                   status == LKD_INPUT_E_TOKEN       ? LINKAGE__V1__RESULT__RESULT_BAD_TOKEN
                   : status == LKD_INPUT_E_UNCLAIMED ? LINKAGE__V1__RESULT__RESULT_CLAIMED
                   : status == LKD_INPUT_E_ROLE      ? LINKAGE__V1__RESULT__RESULT_FORBIDDEN
                                                     : LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                   "the input of the step: %s", lkd_input_status_text(status));
    return false;
}

static int add_outputs(struct lkd_call *call)
{
    struct lkd_cycle *cycle = call->rig->loaded->cycle;
    const struct lkd_run_facts facts = {call->rig->loaded->model_id, LKD_MODE_LOCKSTEP, false};
    struct lkd_outgoing *outgoing = lk_wire_arena_take(call->arena, sizeof(*outgoing));
    struct lkd_wall_clock clock = {0};
    const struct lkd_output *output;

    if (!outgoing)
        return -ENOMEM;
    lkd_mailbox_take(&cycle->answer); /* no new value if the request is repeated */
    output = lkd_mailbox_front(&cycle->answer);
    lkd_wall_clock_refresh(&clock, lkd_clock_ns());
    lkd_outgoing_fill(outgoing, output, cycle->n_outputs, &facts, call->rig->state, &clock);
    lkd_outgoing_stamp(outgoing, call->request->step->number);
    call->reply->outputs = &outgoing->sample;
    lkd_segments_shown(call->rig->inputs->segments, output->stamp, output->n_stamps,
                       output->figures.computed_ns, outgoing->sample.sequence,
                       (int64_t)outgoing->sample.published_ns);
    return 0;
}

int lkd_command_step(struct lkd_call *call)
{
    const Linkage__V1__StepRequest *step = call->request->step;

    /* Accept the input last, because the input of a refused request must not act later. */
    if (!is_plausible(step, call->answer) ||
        !lkd_rig_may_step(call->rig, step->number, step->steps, call->answer) ||
        !take_input(call, step))
        return 0;
    lkd_rig_step(call->rig, step->number, step->steps, call->answer);
    return call->answer->result == LINKAGE__V1__RESULT__RESULT_OK ? add_outputs(call) : 0;
}

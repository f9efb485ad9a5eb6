/* SPDX-License-Identifier: Apache-2.0 */
/* Arming: the daemon replies immediately and then works for seconds. A client that wants to start a
 * run must wait for the result of the proof, which is in the status. */
#include "client.h"

#include <errno.h>
#include <time.h>

#define ASK_AGAIN_NS 100000000

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = ASK_AGAIN_NS}, NULL);
}

static int ask_status(struct lk_client *client, const Linkage__V1__ControlReply **ret_reply,
                      struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &status;
    return lk_client_call(client, &request, ret_reply, ret_error);
}

static bool is_arming(const Linkage__V1__ControlReply *reply)
{
    return reply->result == LINKAGE__V1__RESULT__RESULT_OK && reply->status != NULL &&
           reply->status->state == LINKAGE__V1__STATE__STATE_ARMING;
}

int lk_client_arm(struct lk_client *client, Linkage__V1__ArmRequest *arm, int patience_ms,
                  lk_client_progress *progress, void *data,
                  const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    int64_t deadline_ns = lk_client_now_ns() + (int64_t)patience_ms * 1000000;
    int code;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = arm;
    code = lk_client_call(client, &request, ret_reply, ret_error);
    while (code == 0 && patience_ms > 0 && is_arming(*ret_reply)) {
        const Linkage__V1__Proof *proof = (*ret_reply)->status->proof;

        if (progress != NULL)
            progress(data, proof != NULL ? proof->progress : 0);
        if (lk_client_now_ns() >= deadline_ns) {
            lk_error_set(ret_error, "the daemon is still arming after %.0f s; a stop ends it",
                         patience_ms / 1e3);
            return LK_CLIENT_E_BUSY;
        }
        pause_briefly();
        code = ask_status(client, ret_reply, ret_error);
    }
    return code;
}

bool lk_client_is_armed(const Linkage__V1__ControlReply *reply, const char **ret_text)
{
    const Linkage__V1__Status *status = reply->status;
    bool answered = reply->result == LINKAGE__V1__RESULT__RESULT_OK && status != NULL;

    *ret_text = reply->text;
    if (!answered)
        return false;
    if (status->proof != NULL && status->proof->text[0] != '\0')
        *ret_text = status->proof->text;
    switch (status->state) {
    case LINKAGE__V1__STATE__STATE_ARMED:
    case LINKAGE__V1__STATE__STATE_RUNNING: /* another client has started a run meanwhile */
    case LINKAGE__V1__STATE__STATE_PAUSED:
        return true;
    case LINKAGE__V1__STATE__STATE_FAULT:
        *ret_text = status->fault;
        return false;
    default:
        return false;
    }
}

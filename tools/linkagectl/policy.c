/* SPDX-License-Identifier: Apache-2.0 */
/* Command `policy`: table of the actions for each condition, and their counts. */
#include "ctl.h"
#include "linkage/json.h"
#include "reply_json.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Format a ramp, such as "to 0 in 0.1 s" or "to its initial value in 0.1 s"; empty if the action is
 * no ramp. */
static void describe_ramp(const Linkage__V1__PolicyRow *row, char *text, size_t size)
{
    text[0] = '\0';
    if (row->action != LINKAGE__V1__ACTION__ACTION_RAMP)
        return;
    if (isnan(row->value))
        snprintf(text, size, "to its initial value in %g s", row->ramp_s);
    else
        snprintf(text, size, "to %g in %g s", row->value, row->ramp_s);
}

static void show_policy(const Linkage__V1__Policy *policy)
{
    printf("%-12s%-18s%-8s%-32s%12s%12s  %s\n", "condition", "channel", "action", "", "count",
           "last step", "limit");
    for (size_t i = 0; i < policy->n_rows; i++) {
        const Linkage__V1__PolicyRow *row = policy->rows[i];
        char ramp[80];

        describe_ramp(row, ramp, sizeof(ramp));
        printf("%-12s%-18s%-8s%-32s%12" PRIu64 "%12" PRIu64 "  ",
               lk_names_condition(row->condition), row->channel[0] != '\0' ? row->channel : "-",
               lk_names_action(row->action), ramp, row->count, row->last_step);
        lk_report_put(stdout, row->limit);
        putchar('\n');
    }
    printf("an input acts again after %" PRIu32 " good samples in a row\n",
           policy->recover_samples);
}

int ctl_policy(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PolicyRequest policy = LINKAGE__V1__POLICY_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    (void)n;
    (void)args;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_POLICY;
    request.policy = &policy;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->policy == NULL)
        return ctl_show_reply(options, reply);
    if (options->json) {
        struct lk_json json = ctl_begin_json();

        lk_reply_policy_json(&json, reply->policy);
        ctl_end_json(&json);
    } else {
        show_policy(reply->policy);
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Command `inject`: injects faults, to test the policy. */
#include "ctl.h"
#include "linkage/json.h"
#include "reply_json.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

static void show_injections(const Linkage__V1__InjectReport *report)
{
    if (report->n_injections == 0) {
        printf("no faults are injected\n");
        return;
    }
    printf("%4s  %-9s%-20s%10s%8s%9s%9s%9s%12s  %s\n", "", "kind", "target", "amount", "share",
           "every", "after", "for", "touched", "state");
    for (size_t i = 0; i < report->n_injections; i++) {
        const Linkage__V1__Injection *injection = report->injections[i];

        printf("%4" PRIu32 "  %-9s%-20s%10.6g%8.4g%9.4g%9.4g%9.4g%12" PRIu64 "  %s\n",
               injection->number, lk_names_injection(injection->kind),
               injection->target[0] != '\0' ? injection->target : "all", injection->amount,
               injection->share, injection->every_s, injection->after_s, injection->for_s,
               injection->count, injection->active ? "active" : "not active");
    }
}

int ctl_check_inject(const struct ctl_options *options, int n, char **args)
{
    static const char kinds[] = "delay, drop, reorder, freeze, spike or stall";

    if (n == 0 && (options->given & (CTL_INJECTION | CTL_EVERY)) != 0 && !options->clear)
        return ctl_usage("inject: say which kind: %s", kinds);
    if (n > 0 &&
        lk_names_to_injection(args[0]) == LINKAGE__V1__INJECTION_KIND__INJECTION_UNSPECIFIED)
        return ctl_usage("inject %s: expected %s", args[0], kinds);
    return CTL_OK;
}

int ctl_inject(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;
    Linkage__V1__Injection injection = options->injection;
    Linkage__V1__Injection *list[] = {&injection};
    const Linkage__V1__ControlReply *reply;
    int status;

    if (n > 0) {
        injection.kind = lk_names_to_injection(args[0]);
        inject.add = list;
        inject.n_add = 1;
    }
    injection.every_s = options->every;
    inject.clear = options->clear;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request.inject = &inject;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->injections == NULL)
        return ctl_show_reply(options, reply);
    if (options->json) {
        struct lk_json json = ctl_begin_json();

        lk_reply_injections_json(&json, reply->injections);
        ctl_end_json(&json);
    } else {
        show_injections(reply->injections);
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

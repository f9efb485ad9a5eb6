/* SPDX-License-Identifier: Apache-2.0 */
/* Command `platform`: sends an order to the motion platform, and prints its state. */
#include "ctl.h"
#include "linkage/json.h"
#include "message.h"
#include "reply_json.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const orders[] = {"show", "engage", "park", "emergency", "release"};

#define N_ORDERS (sizeof(orders) / sizeof(orders[0]))

static size_t find_order(const char *word)
{
    size_t i = 0;

    while (i < N_ORDERS && strcmp(orders[i], word) != 0)
        i++;
    return i;
}

int ctl_check_platform(const struct ctl_options *options, int n, char **args)
{
    struct lk_error error;

    (void)options;
    if (n == 0 || find_order(args[0]) < N_ORDERS)
        return CTL_OK;
    lk_error_set(&error, "'%s' is no order, expected engage, park, emergency, release or show",
                 args[0]);
    complain("platform: %s", error.text);
    return CTL_USAGE;
}

static void print_values(const char *title, const double *values, size_t n, double unit)
{
    printf("%-12s", title);
    for (size_t i = 0; i < n; i++)
        printf("%10.1f", unit * values[i]);
    putchar('\n');
}

static void show_platform(const Linkage__V1__Platform *p)
{
    printf("%-12s%s%s\n", "platform", p->state, p->emergency ? ", emergency" : "");
    if (p->cause[0] != '\0') {
        printf("%-12s", "last end");
        lk_report_put(stdout, p->cause);
        putchar('\n');
    }
    printf("%-12s%s\n", "report", !p->heard ? "none" : p->ready ? "ready" : "not ready");
    print_values("pose", p->pose, p->n_pose, 1e3);
    print_values("actuators", p->actuators, p->n_actuators, 1e3);
    printf("%-12smm and mrad from neutral; the guard has changed %" PRIu64 " steps\n", "",
           p->limited);
}

int ctl_platform(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PlatformRequest platform = LINKAGE__V1__PLATFORM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    platform.order = (Linkage__V1__PlatformOrder)(n > 0 ? find_order(args[0]) : 0);
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_PLATFORM;
    request.platform = &platform;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->platform == NULL)
        return ctl_show_reply(options, reply);
    if (options->json) {
        struct lk_json json = ctl_begin_json();

        lk_reply_platform_json(&json, reply->platform);
        ctl_end_json(&json);
    } else {
        show_platform(reply->platform);
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

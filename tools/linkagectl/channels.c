/* SPDX-License-Identifier: Apache-2.0 */
/* Command `channels`: inputs and outputs of the model, with all properties that a bench needs. */
#include "ctl.h"
#include "fields_json.h"
#include "linkage/json.h"
#include "reply_json.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 20

static void put_name(const char *name)
{
    int n = (int)strlen(name);

    printf("  ");
    lk_report_put(stdout, name);
    printf("%*s", n < NAME_WIDTH ? NAME_WIDTH - n : 1, "");
}

/* Print components and units in the form "x y z [m] qw qx qy qz [1]". Consecutive components with
 * the same unit share one unit text. */
static void put_scalars(const Linkage__V1__ChannelDescription *c)
{
    for (size_t k = 0; k < c->n_components && k < c->n_units; k++) {
        bool last = k + 1 == c->n_components || strcmp(c->units[k], c->units[k + 1]) != 0;

        if (c->components[k][0] != '\0') {
            lk_report_put(stdout, c->components[k]);
            putchar(' ');
        }
        if (last) {
            putchar('[');
            lk_report_put(stdout, c->units[k]);
            putchar(']');
            if (k + 1 < c->n_components)
                printf("  ");
        }
    }
}

/* Print a limit in a column; "none" if it is infinite. */
static void put_bound(double value)
{
    if (isfinite(value))
        printf("%12.6g", value);
    else
        printf("%12s", "none");
}

static void put_fail_safe(const Linkage__V1__FailSafe *f)
{
    if (f == NULL || f->timeout_steps == 0) {
        printf("  never stale");
        return;
    }
    printf("  %s after %" PRIu64 " steps", lk_names_action(f->action), f->timeout_steps);
}

static void show_inputs(const Linkage__V1__ModelDescription *d)
{
    if (d->n_inputs == 0) {
        printf("inputs: none\n");
        return;
    }
    printf("inputs: limits, rate a second and start are of each scalar; a sample acts fully after "
           "the delay\n");
    printf("  %-*s%12s%12s%12s%12s%12s%12s\n", NAME_WIDTH, "channel", "low", "high", "rate",
           "start", "period [s]", "delay [s]");
    for (size_t i = 0; i < d->n_inputs; i++) {
        const Linkage__V1__ChannelDescription *c = d->inputs[i];

        put_name(c->name);
        put_bound(c->low);
        put_bound(c->high);
        put_bound(c->rate);
        put_bound(c->initial);
        printf("%12.6g%12.6g  ", c->period_s > 0 ? c->period_s : d->step_s, c->delay_s);
        put_scalars(c);
        put_fail_safe(c->fail_safe);
        putchar('\n');
    }
}

static void show_outputs(const Linkage__V1__ModelDescription *d)
{
    printf("outputs%s\n", d->n_outputs == 0 ? ": none" : "");
    for (size_t i = 0; i < d->n_outputs; i++) {
        const Linkage__V1__ChannelDescription *c = d->outputs[i];

        put_name(c->name);
        put_scalars(c);
        if (c->frame[0] != '\0') {
            printf(", axes of ");
            lk_report_put(stdout, c->frame);
        }
        if (c->ahead_s > 0)
            printf(", %g s ahead", c->ahead_s);
        putchar('\n');
    }
}

static void show_engine(const Linkage__V1__ModelDescription *d)
{
    if (d->engine[0] == '\0') /* older daemons do not report the engine */
        return;
    printf("stepped by ");
    lk_report_put(stdout, d->engine);
    putchar('\n');
}

/* ---- JSON ---- */

static void show_json(const Linkage__V1__ModelDescription *d)
{
    struct lk_json json = ctl_begin_json();

    lk_fields_json(&json, &d->base, "name>model model_id period_ns step_s engine");
    lk_reply_channels_json(&json, d);
    ctl_end_json(&json);
}

int ctl_channels(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__ControlReply *reply;
    int status = ctl_ask(options, client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply);

    (void)n;
    (void)args;
    if (status != CTL_OK)
        return status;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->description == NULL)
        return ctl_show_reply(options, reply);
    if (options->json) {
        show_json(reply->description);
    } else {
        show_inputs(reply->description);
        show_outputs(reply->description);
        show_engine(reply->description);
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

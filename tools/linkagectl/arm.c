/* SPDX-License-Identifier: Apache-2.0 */
/* Commands `arm`, and `run`, which loads, arms and starts. */
#include "ctl.h"
#include "report.h"
#include "tone.h"

#include <stdio.h>
#include <unistd.h>

/* Longest wait for the proof. Its duration is configured in the daemon; the default is ten
 * seconds. */
#define PATIENCE_MS 120000
#define BAR_WIDTH   40

static void draw_bar(void *data, double progress)
{
    static const char bar[] = "########################################";
    bool *drawn = data;
    double fraction = progress > 0 ? (progress < 1 ? progress : 1) : 0;

    fprintf(stderr, "\rarming [%-*.*s] %3.0f %%\033[K", BAR_WIDTH, (int)(fraction * BAR_WIDTH), bar,
            100 * fraction);
    *drawn = true;
}

static int wait_armed(const struct ctl_options *options, struct lk_client *client,
                      const Linkage__V1__ControlReply **ret_reply)
{
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;
    bool terminal = isatty(STDERR_FILENO) == 1 && !options->json;
    bool drawn = false;
    struct lk_error error;
    int code;

    arm.allow_degraded = options->allow_degraded;
    arm.steps = options->steps;
    arm.mode = options->mode;
    code = lk_client_arm(client, &arm, options->no_wait ? 0 : PATIENCE_MS,
                         terminal ? draw_bar : NULL, &drawn, ret_reply, &error);
    if (drawn)
        fputs("\r\033[K", stderr);
    return code == 0 ? CTL_OK : ctl_report(options, code, &error);
}

/* Print the outcome of arming as JSON, in the format of any other reply. A failed proof has the
 * result NO_BUDGET. */
static int show_outcome_json(const struct ctl_options *options,
                             const Linkage__V1__ControlReply *reply, bool armed, const char *text)
{
    Linkage__V1__ControlReply outcome = *reply;

    if (!armed && outcome.result == LINKAGE__V1__RESULT__RESULT_OK)
        outcome.result = LINKAGE__V1__RESULT__RESULT_NO_BUDGET;
    outcome.text = (char *)text;
    return ctl_show_reply(options, &outcome);
}

static int show_outcome(const struct ctl_options *options, const Linkage__V1__ControlReply *reply)
{
    const char *text;
    bool armed = lk_client_is_armed(reply, &text);

    if (options->json)
        return show_outcome_json(options, reply, armed, text);
    if (!armed) {
        fprintf(stderr, "%slinkagectl: not armed: ", tone_begin(stderr, TONE_ERROR));
        lk_report_put(stderr, text[0] != '\0' ? text : "the daemon does not say why");
        fprintf(stderr, "%s\n", tone_end(stderr));
        return CTL_FAILED;
    }
    fputs("armed: ", stdout);
    lk_report_put(stdout, text);
    putchar('\n');
    for (size_t i = 0; i < reply->status->n_degraded; i++) {
        fputs("degraded: ", stdout);
        lk_report_put(stdout, reply->status->degraded[i]);
        putchar('\n');
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

int ctl_arm(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__ControlReply *reply;
    int status = wait_armed(options, client, &reply);

    (void)n;
    (void)args;
    if (status != CTL_OK)
        return status;
    return options->no_wait ? ctl_show_reply(options, reply) : show_outcome(options, reply);
}

int ctl_run(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    int status = ctl_load_file(options, client, args[0]);

    if (status == CTL_OK)
        status = ctl_arm(options, client, n, args);
    return status == CTL_OK ? ctl_start_run(options, client) : status;
}

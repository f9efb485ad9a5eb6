/* SPDX-License-Identifier: Apache-2.0 */
/* Process of the daemon: configuration, start and end. rig_run.c sends requests to the daemon. */
#include "rig_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_NS  INT64_C(30000000000) /* time for a daemon to start */
#define ASK_MS    500   /* time limit of a request to a daemon that may not have started yet */
#define ANSWER_MS 30000 /* time limit of an answer on a machine under load */
#define END_MS    5000

static int write_config(const struct lat_rig_setup *setup, const struct lat_rig *rig)
{
    FILE *file = fopen(rig->config, "w");

    if (file == NULL)
        return -errno;
    fprintf(file, "linkaged: 1\nendpoints:\n  control: %s\n  inputs: %s\n  outputs: %s\n",
            rig->endpoint[0], rig->endpoint[1], rig->endpoint[2]);
    /* all daemons exist at the same time and use the core alternately */
    fprintf(file,
            "realtime:\n  core: %d\n  priority: %d\n  lock_memory: %s\n  wake: %s\n"
            "  degraded: allow\n  share_core: true\n",
            setup->core, setup->priority, setup->lock_memory ? "true" : "false",
            lat_wake_name(rig->wake));
    return fclose(file) == 0 ? 0 : -errno;
}

static void name_files(const struct lat_rig_setup *setup, struct lat_rig *rig)
{
    static const char *const sockets[] = {"control", "inputs", "outputs"};
    const char *wake = lat_wake_name(rig->wake);

    for (int i = 0; i < 3; i++)
        snprintf(rig->endpoint[i], sizeof(rig->endpoint[i]), "ipc://%s/%s-%s", setup->folder, wake,
                 sockets[i]);
    snprintf(rig->config, sizeof(rig->config), "%s/linkaged-%s.yaml", setup->folder, wake);
    snprintf(rig->log, sizeof(rig->log), "%s/linkaged-%s.log", setup->output, wake);
    unlink(rig->log);
}

static int start_process(const struct lat_rig_setup *setup, struct lat_rig *rig,
                         struct lk_error *error)
{
    struct lat_spawn spawn = {.arguments = {setup->daemon, "--config", rig->config},
                              .cpus = setup->cpus,
                              .log = rig->log};
    int code = write_config(setup, rig);

    if (code != 0) {
        lk_error_set(error, "%s: %s", rig->config, strerror(-code));
        return code;
    }
    return lat_process_start(&spawn, &rig->process, error);
}

/* Wait for the first answer of the daemon, which needs time to start. Stop waiting if the process
 * has ended. */
static int await_answer(struct lat_rig *rig, struct lk_error *error)
{
    int64_t until_ns = lk_client_now_ns() + START_NS;
    const Linkage__V1__ControlReply *reply;
    int code = lk_client_open(rig->endpoint[0], ASK_MS, &rig->client, error), status;

    while (code == 0) {
        code = lk_client_command(rig->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply,
                                 error);
        if (code == 0)
            return 0;
        if (lat_interrupted())
            return -EINTR;
        status = lat_process_wait(&rig->process, 0);
        if (status >= 0 || lk_client_now_ns() > until_ns) {
            lk_error_set(error, "linkaged (wake: %s) %s, see %s", lat_wake_name(rig->wake),
                         status >= 0 ? "ended at once" : "does not answer", rig->log);
            return 1;
        }
        code = code == LK_CLIENT_E_NO_ANSWER || code == LK_CLIENT_E_SILENT ? 0 : code;
    }
    return code;
}

static int connect_client(struct lat_rig *rig, struct lk_error *error)
{
    int code = await_answer(rig, error);

    if (code != 0)
        return code;
    lk_client_close(rig->client);
    rig->client = NULL;
    return lk_client_open(rig->endpoint[0], ANSWER_MS, &rig->client, error);
}

int lat_rig_open(const struct lat_rig_setup *setup, enum lat_wake wake, struct lat_rig *rig,
                 struct lk_error *ret_error)
{
    int code;

    *rig = (struct lat_rig){.wake = wake};
    name_files(setup, rig);
    code = start_process(setup, rig, ret_error);
    if (code == 0)
        code = connect_client(rig, ret_error);
    if (code == 0)
        code = lat_rig_load(rig, setup->model_name, setup->model_text, ret_error);
    if (code == 0)
        code = lat_rig_arm(rig, setup->arm_steps, ret_error);
    return code;
}

void lat_rig_close(struct lat_rig *rig)
{
    lk_client_close(rig->client);
    rig->client = NULL;
    lat_process_stop(&rig->process, END_MS);
    if (rig->config[0] != '\0')
        unlink(rig->config);
    for (int i = 0; i < 3 && rig->endpoint[i][0] != '\0'; i++)
        unlink(rig->endpoint[i] + strlen("ipc://"));
}

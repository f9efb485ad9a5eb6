/* SPDX-License-Identifier: Apache-2.0 */
#include "cyclictest.h"
#include "client.h"
#include "histogram_text.h"
#include "process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_S 20 /* time limit [s] beyond the slice, for start, end and load */

static int start_cyclictest(const struct lat_cyclictest *setup, double slice_s,
                            struct lat_process *ret_process, struct lk_error *error)
{
    struct lat_spawn spawn = {.cpus = setup->cpus, .log = setup->log, .piped = true};
    char core[16], priority[16], period[16], loops[32], limit[16];
    const char *const rest[] = {"-a", core,  "-t", "1",  "-i", period,
                                "-l", loops, "-q", "-h", limit};
    int n = 0;

    snprintf(core, sizeof(core), "%d", setup->core);
    snprintf(priority, sizeof(priority), "%d", setup->priority);
    snprintf(period, sizeof(period), "%d", setup->period_us);
    snprintf(loops, sizeof(loops), "%.0f", fmax(slice_s * 1e6 / setup->period_us, 1));
    snprintf(limit, sizeof(limit), "%d", LAT_TEXT_LIMIT_US);
    spawn.arguments[n++] = setup->path;
    if (setup->lock_memory)
        spawn.arguments[n++] = "-m";
    if (setup->priority > 0) {
        spawn.arguments[n++] = "-p";
        spawn.arguments[n++] = priority;
    }
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
        spawn.arguments[n++] = rest[i];
    return lat_process_start(&spawn, ret_process, error);
}

static int collect_text(struct lat_process *process, double slice_s, const char *log,
                        struct lat_histogram *ret_late, struct lk_error *error)
{
    int64_t until_ns = lk_client_now_ns() + (int64_t)((slice_s + PATIENCE_S) * 1e9);
    struct lk_error reason;
    char *text = NULL;
    int code = lat_process_read(process, until_ns, &text), status = 0;

    if (code == 0 && (status = lat_process_wait(process, 1000 * PATIENCE_S)) != 0) {
        lk_error_set(error, "cyclictest ended with status %d, see %s", status, log);
        code = 1;
    }
    if (code == 0 && lat_text_parse(text, ret_late, &reason) != 0) {
        lk_error_set(error, "%s", reason.text);
        code = 1;
    }
    if (code == -ETIMEDOUT)
        lk_error_set(error, "cyclictest did not end");
    free(text);
    return code;
}

int lat_cyclictest_run(const struct lat_cyclictest *setup, double slice_s,
                       struct lat_histogram *ret_late, struct lk_error *ret_error)
{
    struct lat_process process = {0};
    int code = start_cyclictest(setup, slice_s, &process, ret_error);

    if (code != 0)
        return code;
    code = collect_text(&process, slice_s, setup->log, ret_late, ret_error);
    lat_process_stop(&process, 500);
    return code;
}

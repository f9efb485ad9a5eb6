/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration: it is read completely, or refused with one line that begins with
 * the place, and then nothing is changed. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[32];
static int fd = -1;

static void write_file(const uint8_t *data, size_t size)
{
    if (fd < 0) {
        fd = memfd_create("configuration", 0);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
}

static void check_read(const struct lkd_config *config)
{
    const struct lkd_settings *s = &config->cycle;

    if (!(s->budget_share > 0 && s->budget_share < 1) || !(s->policy.residual_limit > 0) ||
        !(s->late_wakeup_share > 0 && s->late_wakeup_share <= 1))
        abort();
    if (s->overrun.in_window > LKD_OVERRUN_WINDOW_MAX || s->overrun.catch_up < 1 ||
        s->margin_ns < 0 || config->proof_steps < 1 || config->proof_time_ns < 1)
        abort();
    if (config->autostart && !*config->model)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lkd_config config, before;
    struct lk_error error = {0};
    int r;

    memset(&config, 0x5a, sizeof(config));
    before = config;
    write_file(data, size);
    r = lkd_config_read(path, &config, &error);
    if (r == 0)
        check_read(&config);
    else if (memcmp(&config, &before, sizeof(config)) != 0 || strchr(error.text, '\n') ||
             (r > 0 && strncmp(error.text, path, strlen(path)) != 0))
        abort();
    return 0;
}

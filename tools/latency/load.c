/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "client.h"
#include "linkage/host.h"

#include <stdio.h>
#include <stdlib.h>

#define SETTLE_NS INT64_C(1000000000)

int lat_load_start(const struct lat_stress *setup, enum lat_load load,
                   struct lat_process *ret_process, struct lk_error *ret_error)
{
    struct lat_spawn spawn = {.log = setup->log};
    char cores[1024], n_cores[16], timeout[32];
    /* arithmetic, memory access, process switches, and network interrupts */
    const char *const arguments[] = {
        setup->path,  "--quiet", "--temp-path", "/tmp",  "--taskset", cores,
        "--timeout",  timeout,   "--cpu",       n_cores, "--vm",      "1",
        "--vm-bytes", "64M",     "--switch",    "1",     "--udp",     "1"};
    int code;

    CPU_ZERO(&spawn.cpus);
    CPU_SET(setup->core, &spawn.cpus);
    if (load == LAT_HOUSEKEEPING)
        spawn.cpus = setup->cpus;
    lk_host_format_cpus(&spawn.cpus, cores, sizeof(cores));
    snprintf(n_cores, sizeof(n_cores), "%d", CPU_COUNT(&spawn.cpus));
    snprintf(timeout, sizeof(timeout), "%.0fs", setup->time_s);
    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
        spawn.arguments[i] = arguments[i];
    code = lat_process_start(&spawn, ret_process, ret_error);
    if (code != 0)
        return code;
    lat_wait_until(lk_client_now_ns() + SETTLE_NS);
    if (lat_process_wait(ret_process, 0) >= 0) {
        lk_error_set(ret_error, "stress-ng ended at once, see %s", setup->log);
        return 1;
    }
    return 0;
}

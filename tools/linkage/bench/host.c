/* SPDX-License-Identifier: Apache-2.0 */
/* Processor, kernel and caches: conditions of the measured times. */
#include "bench.h"

#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Assumed cache sizes if the real ones are unknown: the minimum of small cores. */
#define L1_ASSUMED (32L << 10)
#define L2_ASSUMED (256L << 10)

/* Read the name of the processor from /proc/cpuinfo, without control characters. */
static bool read_processor(char *text, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];
    bool found = false;

    if (f == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), f) != NULL) {
        const char *value = strchr(line, ':');

        found = value != NULL && strncmp(line, "model name", 10) == 0;
        if (found)
            snprintf(text, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    fclose(f);
    return found;
}

/* Read one short line of a file in /sys. */
static bool read_line(const char *path, char line[64])
{
    FILE *f = fopen(path, "re");
    bool ok = f != NULL && fgets(line, 64, f) != NULL;

    if (f != NULL)
        fclose(f);
    return ok;
}

/* Return the size of the data cache of @level of the first processor [bytes], 0: unknown. */
static long read_cache(int level)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu0/cache/index";
    char path[96], type[64], text[64];
    long kib;
    int at;

    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof(path), "%s%d/level", folder, i);
        if (!read_line(path, text) || sscanf(text, "%d", &at) != 1 || at != level)
            continue;
        snprintf(path, sizeof(path), "%s%d/type", folder, i);
        if (!read_line(path, type) || strncmp(type, "Instruction", 11) == 0)
            continue;
        snprintf(path, sizeof(path), "%s%d/size", folder, i);
        if (read_line(path, text) && sscanf(text, "%ldK", &kib) == 1 && kib > 0)
            return kib << 10;
    }
    return 0;
}

static long cache_size(int level, int name, long assumed, bool *is_known)
{
    long size = read_cache(level);

    if (size <= 0)
        size = sysconf(name);
    *is_known &= size > 0;
    return size > 0 ? size : assumed;
}

void bench_host_read(struct bench_host *ret)
{
    struct utsname name;
    cpu_set_t set;

    *ret = (struct bench_host){.caches_known = true, .n_cpus = 1};
    if (uname(&name) != 0)
        memset(&name, 0, sizeof(name));
    snprintf(ret->kernel, sizeof(ret->kernel), "%.60s %.60s", name.sysname, name.release);
    if (!read_processor(ret->processor, sizeof(ret->processor)))
        snprintf(ret->processor, sizeof(ret->processor), "%.60s", name.machine);
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        ret->n_cpus = CPU_COUNT(&set);
    ret->l1_bytes = cache_size(1, _SC_LEVEL1_DCACHE_SIZE, L1_ASSUMED, &ret->caches_known);
    ret->l2_bytes = cache_size(2, _SC_LEVEL2_CACHE_SIZE, L2_ASSUMED, &ret->caches_known);
}

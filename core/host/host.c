/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of proc and sys, each independently: if a file is missing, empty or malformed,
 * only its own field is unknown. */
#include "linkage/host.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static FILE *open_below(const char *root, const char *path)
{
    char full[PATH_MAX];
    int n = snprintf(full, sizeof(full), "%s/%s", root, path);

    if (n < 0 || (size_t)n >= sizeof(full)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return fopen(full, "re");
}

int lk_host_read_text(const char *root, const char *path, char *ret_text, size_t size)
{
    FILE *file = open_below(root, path);
    int error = 0;

    ret_text[0] = '\0';
    if (file == NULL)
        return -errno;
    /* a folder and some files of the kernel can be opened but not read */
    if (fgets(ret_text, (int)size, file) == NULL) {
        error = ferror(file) ? errno : 0;
        ret_text[0] = '\0';
    }
    fclose(file);
    ret_text[strcspn(ret_text, "\n")] = '\0';
    return error ? -error : (int)strlen(ret_text);
}

/* Parse a number that consists of digits only. Return false for other text, and for values
 * that exceed a long. */
static bool parse_cpu(const char **at, long *ret_cpu)
{
    char *end;

    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *ret_cpu = strtol(*at, &end, 10);
    *at = end;
    return errno == 0;
}

int lk_host_parse_cpus(const char *text, cpu_set_t *ret_cpus)
{
    long first, last;

    CPU_ZERO(ret_cpus);
    for (const char *at = text; parse_cpu(&at, &first); at++) {
        last = first;
        if (*at == '-') {
            at++;
            if (!parse_cpu(&at, &last))
                break;
        }
        for (long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, ret_cpus);
        if (*at != ',')
            break;
    }
    return CPU_COUNT(ret_cpus);
}

void lk_host_format_cpus(const cpu_set_t *cpus, char *ret_text, size_t size)
{
    size_t used = 0;

    ret_text[0] = '\0';
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int first = i;

        if (!CPU_ISSET(i, cpus))
            continue;
        while (i + 1 < CPU_SETSIZE && CPU_ISSET(i + 1, cpus))
            i++;
        if (used + 12 > size)
            return; /* a list that was cut short ends at the last whole item */
        used += (size_t)snprintf(ret_text + used, size - used, i > first ? "%s%d-%d" : "%s%d",
                                 used ? "," : "", first, i);
    }
}

static long read_number(const char *root, const char *path, long unknown)
{
    char text[64], *end;
    long value;

    if (lk_host_read_text(root, path, text, sizeof(text)) <= 0)
        return unknown;
    errno = 0;
    value = strtol(text, &end, 10);
    return errno || end == text || *end != '\0' ? unknown : value;
}

/* Find the first line "@key : value" of a file of such lines and copy its value; "" and
 * false if there is none. */
static bool find_value(const char *root, const char *path, const char *key, char *text, size_t size)
{
    FILE *file = open_below(root, path);
    char line[8192]; /* flags of a processor are one long line */
    size_t n = strlen(key);
    bool found = false;

    text[0] = '\0';
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        const char *value = line + n;

        if (strncmp(line, key, n) != 0)
            continue;
        value += strspn(value, " \t");
        found = *value == ':';
        value += found ? 1 + strspn(value + 1, " \t") : 0;
        if (found)
            snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
    fclose(file);
    return found;
}

static void read_kernel(const char *root, struct lk_host *host)
{
    char release[LK_HOST_TEXT - 8];
    struct utsname name;

    if (lk_host_read_text(root, "proc/sys/kernel/osrelease", release, sizeof(release)) <= 0 &&
        root[0] == '\0' && uname(&name) == 0)
        snprintf(release, sizeof(release), "%s", name.release);
    if (sscanf(release, "%d.%d", &host->kernel_major, &host->kernel_minor) != 2)
        host->kernel_major = host->kernel_minor = -1;
    if (release[0] != '\0')
        snprintf(host->kernel, sizeof(host->kernel), "Linux %s", release);
}

/* Return whether the kernel is PREEMPT_RT. The file sys/kernel/realtime exists with the PREEMPT_RT
 * patches, but mainline kernels got it later than PREEMPT_RT itself. So the version text is
 * checked, too. */
static enum lk_host_known read_realtime(const char *root)
{
    char text[512];
    long flag = read_number(root, "sys/kernel/realtime", -1);

    if (flag == 0 || flag == 1)
        return flag == 1 ? LK_HOST_YES : LK_HOST_NO;
    if (lk_host_read_text(root, "proc/version", text, sizeof(text)) <= 0 ||
        strstr(text, "Linux version") == NULL)
        return LK_HOST_UNKNOWN;
    return strstr(text, "PREEMPT_RT") != NULL || strstr(text, "PREEMPT RT") != NULL ? LK_HOST_YES
                                                                                    : LK_HOST_NO;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

bool lk_host_has_flag(const char *root, const char *flag)
{
    char flags[8192];

    find_value(root, "proc/cpuinfo", "flags", flags, sizeof(flags));
    return has_word(flags, flag);
}

/* Return whether a hypervisor is present. A missing flag means "no" only if the processor lists
 * flags. */
static enum lk_host_known read_virtual(const char *root)
{
    char text[8192];

    if (lk_host_read_text(root, "sys/hypervisor/type", text, sizeof(text)) > 0)
        return LK_HOST_YES;
    find_value(root, "proc/cpuinfo", "flags", text, sizeof(text));
    if (text[0] == '\0')
        return LK_HOST_UNKNOWN;
    return has_word(text, "hypervisor") ? LK_HOST_YES : LK_HOST_NO;
}

static void read_processor(const char *root, struct lk_host *host)
{
    struct utsname name;

    if (!find_value(root, "proc/cpuinfo", "model name", host->processor, LK_HOST_TEXT) &&
        root[0] == '\0' && uname(&name) == 0)
        snprintf(host->processor, LK_HOST_TEXT, "%s", name.machine);
}

static int count_online(const char *root)
{
    char text[1024];
    cpu_set_t online;
    long n;

    if (lk_host_read_text(root, "sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
        lk_host_parse_cpus(text, &online) > 0)
        return CPU_COUNT(&online);
    n = root[0] == '\0' ? sysconf(_SC_NPROCESSORS_ONLN) : -1;
    return n > 0 ? (int)n : -1;
}

/* Read the isolated cores. Cores are isolated from the scheduler by the kernel's command line, and
 * since Linux 6.7 by a cpuset partition; both keep other tasks away. */
static void read_cores(const char *root, struct lk_host *host)
{
    char text[1024];
    cpu_set_t partition;

    lk_host_read_text(root, "sys/devices/system/cpu/isolated", text, sizeof(text));
    lk_host_parse_cpus(text, &host->isolated);
    lk_host_read_text(root, "sys/fs/cgroup/cpuset.cpus.isolated", text, sizeof(text));
    lk_host_parse_cpus(text, &partition);
    CPU_OR(&host->isolated, &host->isolated, &partition);
    lk_host_read_text(root, "sys/devices/system/cpu/nohz_full", text, sizeof(text));
    lk_host_parse_cpus(text, &host->nohz_full);
}

/* find the setting in brackets in "always [madvise] never" */
static void read_huge_pages(const char *root, struct lk_host *host)
{
    char text[128];
    const char *open, *close;

    lk_host_read_text(root, "sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text));
    open = strchr(text, '[');
    close = open != NULL ? strchr(open, ']') : NULL;
    if (close != NULL)
        snprintf(host->huge_pages, sizeof(host->huge_pages), "%.*s", (int)(close - open - 1),
                 open + 1);
}

static long read_swap(const char *root)
{
    char text[64];
    long kib;

    if (!find_value(root, "proc/meminfo", "SwapTotal", text, sizeof(text)) ||
        sscanf(text, "%ld", &kib) != 1)
        return -1;
    return kib >= 0 ? kib : -1;
}

void lk_host_read(const char *root, struct lk_host *ret_host)
{
    memset(ret_host, 0, sizeof(*ret_host));
    read_kernel(root, ret_host);
    read_processor(root, ret_host);
    ret_host->n_cpus = count_online(root);
    ret_host->realtime = read_realtime(root);
    ret_host->virtual_machine = read_virtual(root);
    read_cores(root, ret_host);
    lk_host_read_text(root, "sys/devices/system/clocksource/clocksource0/current_clocksource",
                      ret_host->clocksource, sizeof(ret_host->clocksource));
    ret_host->rt_runtime_us = read_number(root, "proc/sys/kernel/sched_rt_runtime_us", -2);
    ret_host->rt_period_us = read_number(root, "proc/sys/kernel/sched_rt_period_us", -1);
    read_huge_pages(root, ret_host);
    ret_host->swap_kib = read_swap(root);
}

void lk_host_governor(const char *root, int cpu, char *ret_text, size_t size)
{
    char path[96];

    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    lk_host_read_text(root, path, ret_text, size);
}

void lk_host_siblings(const char *root, int cpu, cpu_set_t *ret_cpus)
{
    char path[96], text[256];

    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    lk_host_read_text(root, path, text, sizeof(text));
    lk_host_parse_cpus(text, ret_cpus);
}

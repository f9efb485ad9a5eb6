/* SPDX-License-Identifier: Apache-2.0 */
/* The subject of the checks: conditions of the machine, judged cores, and limits of this
 * account. */
#include "doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CAPABILITY_IPC_LOCK 14 /* bit numbers in CapEff, linux/capability.h */
#define CAPABILITY_SYS_NICE 23

void text_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static int read_formatted(const struct doctor *doctor, char *text, size_t size, const char *format,
                          va_list arguments)
{
    char path[256];

    vsnprintf(path, sizeof(path), format, arguments);
    return lk_host_read_text(doctor->root, path, text, size);
}

long doctor_number(const struct doctor *doctor, const char *format, ...)
{
    char text[64], *end;
    va_list arguments;
    long value;
    int n;

    va_start(arguments, format);
    n = read_formatted(doctor, text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n <= 0)
        return DOCTOR_UNKNOWN;
    errno = 0;
    value = strtol(text, &end, 10);
    return errno || end == text || *end != '\0' ? DOCTOR_UNKNOWN : value;
}

bool doctor_list(const struct doctor *doctor, cpu_set_t *ret_cpus, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    read_formatted(doctor, text, sizeof(text), format, arguments);
    va_end(arguments);
    return lk_host_parse_cpus(text, ret_cpus) > 0;
}

bool doctor_missing(const struct doctor *doctor, const cpu_set_t *set, char list[DOCTOR_LIST])
{
    cpu_set_t missing;

    CPU_XOR(&missing, &doctor->cores, set);
    CPU_AND(&missing, &missing, &doctor->cores);
    lk_host_format_cpus(&missing, list, DOCTOR_LIST);
    return CPU_COUNT(&missing) > 0;
}

int doctor_next_core(const struct doctor *doctor, int core)
{
    for (int i = core + 1; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &doctor->cores))
            return i;
    return -1;
}

bool doctor_is_read(const struct doctor *doctor)
{
    return doctor->host.kernel[0] != '\0';
}

/* Return the rest of the line of proc/self/@file that begins with @key; "" if no line does. */
static void read_own(const char *root, const char *file, const char *key, char *text, size_t size)
{
    char path[512], line[1024];
    FILE *f;

    text[0] = '\0';
    snprintf(path, sizeof(path), "%.400s/proc/self/%s", root, file);
    f = fopen(path, "re");
    if (f == NULL)
        return;
    while (text[0] == '\0' && fgets(line, sizeof(line), f) != NULL) {
        const char *value = line + strlen(key);

        if (strncmp(line, key, strlen(key)) == 0)
            snprintf(text, size, "%s", value + strspn(value, " \t"));
    }
    fclose(f);
}

/* Read a limit from a line such as "Max locked memory 8388608 8388608 bytes".
 * @column: 0 (soft) or 1 (hard) */
static long read_limit(const char *root, const char *key, int column)
{
    char text[256], words[2][32];
    long value;

    read_own(root, "limits", key, text, sizeof(text));
    if (sscanf(text, "%31s %31s", words[0], words[1]) != 2)
        return DOCTOR_UNKNOWN;
    if (strcmp(words[column], "unlimited") == 0)
        return DOCTOR_UNLIMITED;
    return sscanf(words[column], "%ld", &value) == 1 ? value : DOCTOR_UNKNOWN;
}

/* Read the limits of this account. For locked memory the hard limit counts, because the daemon
 * raises its soft limit. It does not raise that of priority. */
static void read_limits(const char *root, struct doctor_limits *limits)
{
    char text[64];
    unsigned long long capabilities;

    limits->rtprio = read_limit(root, "Max realtime priority", 0);
    limits->memlock_bytes = read_limit(root, "Max locked memory", 1);
    read_own(root, "status", "CapEff:", text, sizeof(text));
    capabilities = strtoull(text, NULL, 16);
    limits->may_lock = capabilities >> CAPABILITY_IPC_LOCK & 1;
    limits->may_prioritise = capabilities >> CAPABILITY_SYS_NICE & 1;
}

/* Choose the cores to check: the requested cores, otherwise the isolated cores, otherwise the core
 * that the daemon chooses for `core: auto`. */
static void choose_cores(struct doctor *doctor)
{
    const cpu_set_t *from = CPU_COUNT(&doctor->allowed) > 0 ? &doctor->allowed : &doctor->online;
    int last = CPU_SETSIZE - 1;

    doctor->cores = doctor->options->cores;
    if (CPU_COUNT(&doctor->cores) == 0)
        doctor->cores = doctor->host.isolated;
    if (CPU_COUNT(&doctor->cores) > 0)
        return;
    while (last > 0 && !CPU_ISSET(last, from))
        last--;
    CPU_SET(last, &doctor->cores);
}

static void read_cores(struct doctor *doctor)
{
    char text[1024];

    if (!doctor_list(doctor, &doctor->online, "sys/devices/system/cpu/online"))
        for (int i = 0; i < doctor->host.n_cpus; i++)
            CPU_SET(i, &doctor->online);
    read_own(doctor->root, "status", "Cpus_allowed_list:", text, sizeof(text));
    lk_host_parse_cpus(text, &doctor->allowed);
    choose_cores(doctor);
    CPU_XOR(&doctor->others, &doctor->online, &doctor->cores);
    CPU_AND(&doctor->others, &doctor->others, &doctor->online);
    lk_host_format_cpus(&doctor->cores, doctor->cores_text, DOCTOR_LIST);
    lk_host_format_cpus(&doctor->others, doctor->others_text, DOCTOR_LIST);
    if (doctor->others_text[0] == '\0')
        strcpy(doctor->others_text, "0"); /* suggested commands need at least one core */
}

void doctor_read_machine(const struct doctor_options *options, struct doctor *ret_doctor)
{
    memset(ret_doctor, 0, sizeof(*ret_doctor));
    ret_doctor->options = options;
    ret_doctor->root = options->root;
    lk_host_read(options->root, &ret_doctor->host);
    read_cores(ret_doctor);
    read_limits(options->root, &ret_doctor->limits);
}

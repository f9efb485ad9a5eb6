/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts: permitted cores, actual cores, and interrupts during the probe. */
#include "doctor.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define REMEDY_MANAGED                                                                             \
    "; those that refuse are managed by their driver: boot with isolcpus=managed_irq,domain,%s"

/* Parse a mask of cores such as "ff,00000003": groups of 32 cores in hexadecimal, the group of the
 * lowest cores last. */
static bool parse_mask(const char *text, cpu_set_t *ret_cpus)
{
    int bit = 0;

    CPU_ZERO(ret_cpus);
    for (size_t i = strlen(text); i-- > 0;) {
        const char digits[] = "0123456789abcdef";
        const char *digit = strchr(digits, text[i]);

        if (text[i] == ',')
            continue;
        if (digit == NULL)
            return false;
        for (int k = 0; k < 4; k++, bit++)
            if ((digit - digits) >> k & 1 && bit < CPU_SETSIZE)
                CPU_SET(bit, ret_cpus);
    }
    return bit > 0;
}

static bool shares_core(const struct doctor *d, const cpu_set_t *set)
{
    cpu_set_t both;

    CPU_AND(&both, &d->cores, set);
    return CPU_COUNT(&both) > 0;
}

void check_irq_default(const struct doctor *d, struct doctor_finding *f)
{
    char text[1024];
    cpu_set_t mask;

    lk_host_read_text(d->root, "proc/irq/default_smp_affinity", text, sizeof(text));
    if (!parse_mask(text, &mask))
        return;
    if (shares_core(d, &mask))
        found(f, DOCTOR_WARN, "any core, core %s too", d->cores_text);
    else
        found(f, DOCTOR_OK, "not to core %s", d->cores_text);
    costs(f, "a device that is started later may interrupt the cycle, for some ten microseconds "
             "each time");
    mend(f,
         "add irqaffinity=%s to GRUB_CMDLINE_LINUX in /etc/default/grub, then: sudo update-grub "
         "&& sudo reboot",
         d->others_text);
}

/* Read the name of the handler of an interrupt, which is the name of a folder. An interrupt without
 * a handler never occurs. */
static bool read_handler(const struct doctor *d, int irq, char *name, size_t size)
{
    char path[512];
    struct dirent *entry;
    DIR *folder;

    name[0] = '\0';
    snprintf(path, sizeof(path), "%.400s/proc/irq/%d", d->root, irq);
    folder = opendir(path);
    while (folder != NULL && name[0] == '\0' && (entry = readdir(folder)) != NULL)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            snprintf(name, size, "%.40s", entry->d_name);
    if (folder != NULL)
        closedir(folder);
    return name[0] != '\0';
}

struct routed {
    int n;
    int first;
    char names[200];
};

static void see_irq(const struct doctor *d, int irq, struct routed *routed)
{
    cpu_set_t cores;
    char name[48];

    if (!doctor_list(d, &cores, "proc/irq/%d/effective_affinity_list", irq) &&
        !doctor_list(d, &cores, "proc/irq/%d/smp_affinity_list", irq))
        return;
    if (!shares_core(d, &cores) || !read_handler(d, irq, name, sizeof(name)))
        return;
    if (routed->n++ == 0)
        routed->first = irq;
    if (routed->n <= DOCTOR_WORST)
        text_add(routed->names, sizeof(routed->names), "%s%d %s", routed->n > 1 ? ", " : "", irq,
                 name);
}

void check_irq_affinity(const struct doctor *d, struct doctor_finding *f)
{
    char path[512];
    struct routed routed = {0};
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof(path), "%.400s/proc/irq", d->root);
    folder = opendir(path);
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            see_irq(d, (int)strtol(entry->d_name, NULL, 10), &routed);
    closedir(folder);
    if (routed.n == 0) {
        found(f, DOCTOR_OK, "none to core %s", d->cores_text);
        return;
    }
    found(f, DOCTOR_WARN, "%d to core %s: %s%s", routed.n, d->cores_text, routed.names,
          routed.n > DOCTOR_WORST ? ", ..." : "");
    costs(f, "each of them stops the cycle for some ten microseconds, and its driver's work after "
             "it for longer");
    mend(f,
         "for each: echo %s | sudo tee /proc/irq/%d/smp_affinity_list (and stop "
         "irqbalance)" REMEDY_MANAGED,
         d->others_text, routed.first, d->cores_text);
}

static void add_worst(char *text, size_t size, const struct doctor_interrupt *worst, int n)
{
    for (int i = 0; i < n; i++)
        text_add(text, size, "%s%s %ld", i > 0 ? ", " : "", worst[i].name, worst[i].count);
}

void check_interrupts(const struct doctor *d, struct doctor_finding *f)
{
    const struct doctor_interrupts *in = &d->probes.interrupts;

    if (!d->probes.known || !in->known) {
        found(f, DOCTOR_NOT_KNOWN, "not counted: no probe was run");
        return;
    }
    if (in->devices == 0) {
        found(f, DOCTOR_OK, "none of a device in %.3g s, %ld of the kernel itself%s", in->seconds,
              in->all, in->all > 0 ? ": " : "");
        add_worst(f->value, sizeof(f->value), in->worst, in->n_worst);
        return;
    }
    found(f, DOCTOR_WARN, "%ld of devices in %.3g s: ", in->devices, in->seconds);
    add_worst(f->value, sizeof(f->value), in->worst_devices, in->n_worst_devices);
    costs(f, "each of them stops the cycle for some ten microseconds, and its driver's work after "
             "it for longer");
    mend(f, "echo %s | sudo tee /proc/irq/NUMBER/smp_affinity_list" REMEDY_MANAGED, d->others_text,
         d->cores_text);
}

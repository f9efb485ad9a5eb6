/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction of the behaviour of linkaged on this machine. */
#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOCK_MIN (256L << 20) /* with a lower limit linkaged locks no memory */

static int memory_error(const struct doctor *d)
{
    long limit = d->limits.memlock_bytes;

    if (!d->probes.known)
        return 0;
    if (limit >= 0 && limit < LOCK_MIN && !d->limits.may_lock)
        return -EPERM;
    return -d->probes.lock;
}

/* List the cores that the daemon would use. Without --core it reserves a core only if another one
 * remains. */
static int list_cores(const struct doctor *d, int *ret_core)
{
    int n = 0;

    if (CPU_COUNT(&d->options->cores) == 0 && CPU_COUNT(&d->online) < 2) {
        ret_core[n++] = -1;
        return n;
    }
    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i))
        ret_core[n++] = i;
    return n;
}

static void find_holder(struct doctor *d)
{
    char holder[256];

    d->holder[0] = '\0';
    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        if (lk_host_core_holder(d->root, i, holder, sizeof(holder)) != LK_HOST_LOCKED) {
            d->holder[0] = '\0';
            return;
        }
        snprintf(d->holder, sizeof(d->holder), "core %d is taken by %s", i, holder);
    }
}

void doctor_ask_daemon(struct doctor *doctor)
{
    int core[CPU_SETSIZE];
    struct lk_host_facts facts = {
        .root = doctor->root,
        .host = &doctor->host,
        .memory_error = memory_error(doctor),
        .threads = true,
        .priority = doctor->options->priority,
        .priority_error = -doctor->probes.fifo,
        .core = core,
        .n_cores = list_cores(doctor, core),
        .core_wished = true,
        .core_error = -doctor->probes.pin,
    };

    doctor->lacks.n = 0;
    doctor->holder[0] = '\0';
    if (!doctor_is_read(doctor))
        return;
    for (int k = 0; k < facts.n_cores; k++)
        if (core[k] == doctor->probes.pin_core)
            facts.core_worker = k;
    lk_host_judge(&facts, &doctor->lacks);
    find_holder(doctor);
}

bool doctor_is_refused(const struct doctor *doctor)
{
    return doctor->lacks.n > 0 || doctor->holder[0] != '\0';
}

void doctor_print_daemon(FILE *file, const struct doctor *doctor)
{
    if (doctor->holder[0] != '\0') {
        fprintf(file, "the daemon does not start: %s\n", doctor->holder);
    } else if (doctor->lacks.n > 0) {
        fputs("the daemon refuses to arm without --allow-degraded: ", file);
        for (int i = 0; i < doctor->lacks.n; i++)
            fprintf(file, "%s%s", i > 0 ? "; " : "", doctor->lacks.text[i]);
        putc('\n', file);
    } else if (doctor_is_read(doctor)) {
        fprintf(file, "the daemon arms%s\n",
                doctor->probes.known ? "" : ", if it is granted what was not tried here");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that report what the probes measured: speed of recording, interruptions of a core, library
 * versions. */
#include "doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <string.h>

#define FREE_MIN_BYTES ((uint64_t)1 << 30)
#define GAP_BAD_S      100e-6
#define GAPS_BAD       10.0 /* gaps per second */

void check_io_uring(const struct doctor *d, struct doctor_finding *f)
{
    if (!d->probes.known) {
        found(f, DOCTOR_NOT_KNOWN, "not tried: this is another root");
        return;
    }
    if (d->probes.uring == 0)
        found(f, DOCTOR_OK, "usable");
    else
        found(f, DOCTOR_WARN, "refused: %s", strerror(d->probes.uring));
    costs(f, "recordings are written with plain system calls, more of them and by a thread that "
             "waits for the disk");
    mend(f, "sudo sysctl kernel.io_uring_disabled=0; a service must not filter io_uring_setup "
            "(@system-service allows it)");
}

void check_directory(const struct doctor *d, struct doctor_finding *f)
{
    const struct doctor_probes *p = &d->probes;
    const char *path = d->options->directory;
    double gib = (double)p->free_bytes / (double)((uint64_t)1 << 30);

    if (path == NULL || !p->known) {
        found(f, DOCTOR_NOT_KNOWN,
              path == NULL ? "not asked for: --directory DIR" : "not tried: this is another root");
        return;
    }
    if (p->directory != 0) {
        found(f, DOCTOR_FAIL, "%s: %s", path, strerror(p->directory));
        costs(f, "evidence of a run is lost");
        /* An existing folder may belong to another user on purpose, so no command is suggested that
         * changes its owner. */
        if (p->directory == ENOENT)
            mend(f, "sudo install -d -o linkaged -g linkaged %s (or another account that runs it)",
                 path);
        else
            mend(f, "evidence: {directory: PATH} in the configuration, with a folder that this "
                    "account may write to");
        return;
    }
    found(f, p->directory_is_remote || p->free_bytes < FREE_MIN_BYTES ? DOCTOR_WARN : DOCTOR_OK,
          "%s: %s, %.1f GiB free", path, p->file_system, gib);
    costs(f, p->directory_is_remote
                 ? "a network that hangs holds up the recording, and samples are "
                   "dropped"
                 : "a long recording fills it and is cut off");
    mend(f, "evidence: {directory: PATH} in the configuration, with a folder on a local disk with "
            "room (df -h)");
}

static void describe_spin(const struct doctor_spin *s, char *text, size_t size)
{
    text_add(text, size, "%score %d: largest gap %.0f us, %.0f a second above %.0f us",
             text[0] != '\0' ? "; " : "", s->core, s->largest_s * 1e6,
             s->seconds > 0.0 ? (double)s->gaps / s->seconds : 0.0, DOCTOR_GAP_S * 1e6);
    if (s->throttles > 0)
        text_add(text, size, ", %ld of 40 to 60 ms (throttling)", s->throttles);
    if (s->preempted > 0)
        text_add(text, size, ", %ld times another task", s->preempted);
}

static bool is_bad(const struct doctor_spin *s)
{
    return s->error != 0 || s->largest_s > GAP_BAD_S || (double)s->gaps > GAPS_BAD * s->seconds;
}

/* Check the results of the spin probe. Bad cores are listed first, because the text has room for a
 * few cores only. */
void check_spin(const struct doctor *d, struct doctor_finding *f)
{
    const struct doctor_probes *p = &d->probes;
    bool preempted = false;
    int bad = 0;

    if (!p->known || p->n_spins == 0) {
        found(f, DOCTOR_NOT_KNOWN, "no probe was run%s",
              p->known && d->options->probe_s <= 0.0 ? ": --probe 0" : "");
        return;
    }
    found(f, DOCTOR_OK, "%s", "");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < p->n_spins; i++) {
            if (is_bad(&p->spins[i]) != (pass == 0))
                continue;
            bad += pass == 0;
            preempted |= p->spins[i].preempted > 0;
            if (p->spins[i].error != 0)
                text_add(f->value, sizeof(f->value), "core %d: %s", p->spins[i].core,
                         strerror(p->spins[i].error));
            else
                describe_spin(&p->spins[i], f->value, sizeof(f->value));
        }
    f->verdict = bad > 0 ? DOCTOR_WARN : DOCTOR_OK;
    costs(f, preempted ? "other tasks had the core; SCHED_FIFO keeps most of them out, not what "
                         "they do in the kernel"
                       : "nothing else ran there: interrupts, firmware or a hypervisor took the "
                         "time, and will take it from the cycle");
    mend(f, preempted ? "isolate the core (check isolated), then look longer: linkage doctor "
                        "--probe 60"
                      : "see interrupts, nohz_full and virtual_machine; in the firmware turn off "
                        "power saving and legacy USB; then look longer: linkage doctor --probe 60");
}

/* Return true if the library @name can be loaded in the way in which linkaged loads it.
 * @ask: function that writes the version of the library to @text */
static bool load(const char *name, const char *symbol, void (*ask)(void *function, char text[32]),
                 char text[32])
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    void *function = library != NULL ? dlsym(library, symbol) : NULL;

    text[0] = '\0';
    if (function != NULL)
        ask(function, text);
    if (library != NULL)
        dlclose(library);
    return function != NULL;
}

static void ask_zmq(void *function, char text[32])
{
    void (*version)(int *, int *, int *);
    int v[3] = {0};

    memcpy(&version, &function, sizeof(version)); /* as required by POSIX */
    version(&v[0], &v[1], &v[2]);
    snprintf(text, 32, "%d.%d.%d", v[0], v[1], v[2]);
}

static void ask_protobuf(void *function, char text[32])
{
    const char *(*version)(void);

    memcpy(&version, &function, sizeof(version));
    snprintf(text, 32, "%s", version());
}

static void add_library(struct doctor_finding *f, const char *name, const char *built, bool loaded,
                        const char *runs)
{
    text_add(f->value, sizeof(f->value), ", %s %s", name, loaded ? runs : "is missing");
    if (loaded && strcmp(runs, built) != 0)
        text_add(f->value, sizeof(f->value), " (built with %s)", built);
    if (!loaded)
        f->verdict = DOCTOR_FAIL;
    else if (strverscmp(runs, built) < 0 && f->verdict == DOCTOR_OK)
        f->verdict = DOCTOR_WARN;
}

void check_libraries(const struct doctor *d, struct doctor_finding *f)
{
    char zmq[32], protobuf[32];
    bool has_zmq, has_protobuf;

    if (!d->probes.known) {
        found(f, DOCTOR_NOT_KNOWN, "not tried: this is another root");
        return;
    }
    has_zmq = load("libzmq.so.5", "zmq_version", ask_zmq, zmq);
    has_protobuf = load("libprotobuf-c.so.1", "protobuf_c_version", ask_protobuf, protobuf);
    found(f, DOCTOR_OK, "glibc %s", gnu_get_libc_version());
    add_library(f, "libzmq", BUILT_ZMQ, has_zmq, zmq);
    add_library(f, "protobuf-c", BUILT_PROTOBUF_C, has_protobuf, protobuf);
    text_add(f->value, sizeof(f->value), "; built with libyaml %s, libsystemd %s", BUILT_YAML,
             BUILT_SYSTEMD);
    costs(f, f->verdict == DOCTOR_FAIL ? "linkaged does not start"
                                       : "faults that were mended since may be there again");
    mend(f, "sudo apt install --only-upgrade libzmq5 libprotobuf-c1 (or without --only-upgrade "
            "where they are missing)");
}

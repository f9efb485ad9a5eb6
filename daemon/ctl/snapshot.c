/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"
#include "linkage/file.h"
#include "linkage/hash.h"
#include "linkage/state.h"
#include "log.h"
#include "recorder.h"
#include "rig_run.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX      ".snapshot"
#define PATIENCE_NS INT64_C(200000000) /* time limit, in addition to two periods */

/* struct head - header of a file. The commanded values, the acting values and the state follow it.
 * @sum: lk_hash() of these data */
struct head {
    char magic[8];
    uint64_t n_inputs;
    uint64_t state_size;
    uint64_t sum;
};

static const char magic[8] = {'L', 'K', 'S', 'N', 'A', 'P', '0', '1'};

static size_t size_of_values(const struct lkd_cycle *cycle)
{
    return 2 * (size_t)cycle->n_inputs * sizeof(double);
}

static size_t size_of_file(const struct lkd_cycle *cycle)
{
    return sizeof(struct head) + size_of_values(cycle) + cycle->snapshot.size;
}

int lkd_snapshot_bytes(const struct lkd_cycle *cycle, unsigned char **ret_bytes, size_t *ret_size)
{
    const struct lkd_snapshot *s = &cycle->snapshot;
    size_t half = size_of_values(cycle) / 2, size = size_of_file(cycle);
    unsigned char *bytes = malloc(size), *values = bytes + sizeof(struct head);
    struct head head = {.n_inputs = (uint64_t)cycle->n_inputs, .state_size = s->size};

    if (!bytes)
        return -ENOMEM;
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(values, s->commanded, half);
    memcpy(values + half, s->acting, half);
    head.sum = lk_hash(LK_HASH_BEGIN, values, 2 * half);
    memcpy(bytes, &head, sizeof(head));
    memcpy(values + 2 * half, s->state, s->size);
    lk_state_seal(values + 2 * half, s->size);
    *ret_bytes = bytes;
    *ret_size = size;
    return 0;
}

const double *lkd_snapshot_commanded(const struct lkd_cycle *cycle, const unsigned char *bytes)
{
    (void)cycle;
    return (const double *)(const void *)(bytes + sizeof(struct head));
}

/* Return the error in the data before the state, as static text; NULL: there is none. */
static const char *fault_of_values(const struct lkd_cycle *cycle, const unsigned char *bytes,
                                   size_t size)
{
    const double *values = lkd_snapshot_commanded(cycle, bytes);
    struct head head;

    if (size < sizeof(head) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return "not a snapshot of linkaged";
    memcpy(&head, bytes, sizeof(head));
    if (head.n_inputs != (uint64_t)cycle->n_inputs || head.state_size != cycle->snapshot.size ||
        size != size_of_file(cycle))
        return "it is of another model, or cut off";
    if (lk_hash(LK_HASH_BEGIN, values, size_of_values(cycle)) != head.sum)
        return "it is damaged";
    for (int i = 0; i < 2 * cycle->n_inputs; i++) { /* commanded and acting values */
        int k = i % cycle->n_inputs;

        if (!isfinite(values[i]) || values[i] < cycle->low[k] || values[i] > cycle->high[k])
            return "its inputs are beyond the limits of the model";
    }
    return NULL;
}

static const unsigned char *state_in(const struct lkd_cycle *cycle, const unsigned char *bytes)
{
    return bytes + sizeof(struct head) + size_of_values(cycle);
}

int lkd_snapshot_check(struct lkd_cycle *cycle, const unsigned char *bytes, size_t size,
                       struct lk_error *ret_error)
{
    const char *fault = fault_of_values(cycle, bytes, size);

    if (fault) {
        lk_error_set(ret_error, "%s", fault);
        return LK_E_STATE;
    }
    return lk_system_state_set(cycle->system, state_in(cycle, bytes), cycle->snapshot.size,
                               ret_error);
}

void lkd_snapshot_apply(struct lkd_cycle *cycle, const unsigned char *bytes)
{
    lkd_cycle_resume(cycle, state_in(cycle, bytes), cycle->snapshot.size,
                     lkd_snapshot_commanded(cycle, bytes) + cycle->n_inputs, NULL);
}

/* ---- files ---- */

/* Make the path of a snapshot.
 * Return: true if the name is allowed; otherwise the refusal is in the answer. */
static bool make_path(const struct lkd_rig *rig, const char *name, char path[PATH_MAX],
                      struct lkd_answer *a)
{
    size_t n = strlen(name), end = strlen(SUFFIX);
    bool has_suffix = n > end && strcmp(name + n - end, SUFFIX) == 0;

    if (!*rig->config->snapshots)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT,
                       "no folder for snapshots, expected snapshots: {directory: PATH} in the "
                       "configuration");
    else if (!lkd_recorder_name_fits(name))
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT,
                       "'%.80s' is no name for a snapshot, expected a file name without a folder",
                       name);
    else if (snprintf(path, PATH_MAX, "%s/%s%s", rig->config->snapshots, name,
                      has_suffix ? "" : SUFFIX) >= PATH_MAX)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT, "the path is too long");
    else
        return true;
    return false;
}

/* Write a new file. If this fails, the incomplete file is removed.
 * Return: 0, negative errno. */
static int write_file(const char *path, const unsigned char *bytes, size_t size)
{
    int file = lk_file_create(path, 0644);
    int r = file < 0 ? file : lk_file_write(file, bytes, size);

    if (file < 0)
        return r;
    if (close(file) && r == 0)
        r = -errno;
    if (r)
        unlink(path);
    return r;
}

/* Wait for the copy that the cycle makes at its next grid point. If no run is active, make the copy
 * here.
 * Return: true if the copy is complete. */
static bool await_copy(struct lkd_rig *rig)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;
    const struct timespec nap = {.tv_nsec = 200000};
    int64_t until_ns = lkd_clock_ns() + 2 * cycle->period_ns + PATIENCE_NS;
    int wanted = LKD_SNAPSHOT_WANTED;

    if (!lkd_run_is_live(rig)) {
        lkd_mailbox_take(&cycle->inputs);
        lkd_snapshot_fill(cycle);
        return true;
    }
    atomic_store_explicit(&cycle->snapshot.turn, LKD_SNAPSHOT_WANTED, memory_order_release);
    while (atomic_load_explicit(&cycle->snapshot.turn, memory_order_acquire) !=
               LKD_SNAPSHOT_READY &&
           lkd_clock_ns() < until_ns)
        nanosleep(&nap, NULL);
    return !atomic_compare_exchange_strong(&cycle->snapshot.turn, &wanted, LKD_SNAPSHOT_IDLE);
}

static bool allows_copy(const struct lkd_rig *rig, struct lkd_answer *a)
{
    return lkd_rig_allows(rig, "snapshot", IN(READY) | IN(ARMED) | IN(RUNNING) | IN(PAUSED), a);
}

/* Have a copy made. Return: false: the refusal is in the answer. */
static bool make_copy(struct lkd_rig *rig, struct lkd_answer *a)
{
    if (await_copy(rig))
        return true;
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
                   "the cycle has not come to its next grid point; ask again");
    return false;
}

Linkage__V1__StateCopy *lkd_snapshot_copy(struct lkd_rig *rig, struct lk_wire_arena *arena,
                                          struct lkd_answer *a)
{
    Linkage__V1__StateCopy *copy = NULL;
    const struct lkd_cycle *cycle;
    struct lkd_snapshot *s;

    if (!allows_copy(rig, a) || !make_copy(rig, a))
        return NULL;
    cycle = rig->loaded->cycle;
    s = &rig->loaded->cycle->snapshot;
    copy = lk_wire_arena_take(arena, sizeof(*copy));
    if (copy) {
        linkage__v1__state_copy__init(copy);
        copy->copied_ns = (uint64_t)lkd_clock_ns();
        copy->model_id = rig->loaded->model_id;
        copy->n_acting = (size_t)cycle->n_inputs;
        copy->acting = lk_wire_arena_take(arena, ((size_t)cycle->n_inputs + 1) * sizeof(double));
        copy->state.len = s->size;
        copy->state.data = lk_wire_arena_take(arena, s->size);
    }
    if (copy && copy->acting && copy->state.data) {
        memcpy(copy->acting, s->acting, (size_t)cycle->n_inputs * sizeof(double));
        memcpy(copy->state.data, s->state, s->size);
        lk_state_seal(copy->state.data, s->size);
    } else {
        copy = NULL;
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "out of memory");
    }
    atomic_store_explicit(&s->turn, LKD_SNAPSHOT_IDLE, memory_order_release);
    return copy;
}

void lkd_snapshot_take(struct lkd_rig *rig, const char *name, struct lkd_answer *a)
{
    unsigned char *bytes = NULL;
    char path[PATH_MAX];
    size_t size;
    int r;

    if (!allows_copy(rig, a) || !make_path(rig, name, path, a) || !make_copy(rig, a))
        return;
    r = lkd_snapshot_bytes(rig->loaded->cycle, &bytes, &size);
    atomic_store_explicit(&rig->loaded->cycle->snapshot.turn, LKD_SNAPSHOT_IDLE,
                          memory_order_release);
    if (r == 0)
        r = write_file(path, bytes, size);
    free(bytes);
    if (r) {
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT, "%s: %s", name, strerror(-r));
        return;
    }
    if (rig->recorder)
        lkd_recorder_event(rig->recorder, rig->figures.step, "snapshot", "into %s", name);
    lkd_log(LKD_C_SNAPSHOT, "snapshot %s written", name);
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK, "snapshot %s written, %zu bytes", name, size);
}

/* ---- going on ---- */

void lkd_snapshot_forget(struct lkd_rig *rig)
{
    if (rig->resume)
        free(rig->resume->bytes);
    free(rig->resume);
    rig->resume = NULL;
}

/* Read a snapshot file, if its size fits the model.
 * Return: the snapshot; NULL: the refusal is in the answer. */
static struct lkd_resume *read_file(struct lkd_rig *rig, const char *name, struct lkd_answer *a)
{
    struct lkd_resume *resume = calloc(1, sizeof(*resume));
    char path[PATH_MAX], *bytes = NULL;
    int r = resume ? 0 : -ENOMEM;

    if (!make_path(rig, name, path, a)) {
        free(resume);
        return NULL;
    }
    if (r == 0)
        r = lk_file_read(path, size_of_file(rig->loaded->cycle) + 1, &bytes, &resume->size);
    if (r) {
        free(resume);
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT, "%s: %s", name,
                       lk_file_error(r));
        return NULL;
    }
    resume->bytes = (unsigned char *)bytes;
    snprintf(resume->name, sizeof(resume->name), "%s", name);
    return resume;
}

/* Check that the cycle does not step and will not step without a request. */
static bool stands_still(const struct lkd_rig *rig, struct lkd_answer *a)
{
    if (rig->state != PAUSED || rig->figures.state == LKD_CYCLE_PAUSED)
        return true;
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                   "the cycle has not come to its pause yet; ask again");
    return false;
}

/* End the present run like a reset, and take ownership of @resume. */
static void take_over(struct lkd_rig *rig, struct lkd_resume *resume, struct lkd_answer *a)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;
    Linkage__V1__State next = rig->state == READY ? READY : ARMED;

    if (lkd_run_end(rig, next)) {
        lkd_rig_answer_stuck(rig, a);
        free(resume->bytes);
        free(resume);
        return;
    }
    lkd_snapshot_forget(rig);
    rig->resume = resume;
    lkd_inputs_clear(rig->inputs);
    lkd_inputs_set(rig->inputs, 0, lkd_snapshot_commanded(cycle, resume->bytes),
                   (size_t)cycle->n_inputs, true, NULL);
    lkd_run_rewind(rig);
    lkd_snapshot_apply(cycle, resume->bytes);
    resume->step = lk_system_step_count(rig->loaded->system);
    lkd_run_show(rig);
    if (rig->state != next)
        lkd_rig_enter(rig, next);
    lkd_log(LKD_C_SNAPSHOT, "restored from %s, step %" PRIu64, resume->name, resume->step);
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK, "the next start goes on from step %" PRIu64,
                   resume->step);
}

void lkd_snapshot_restore(struct lkd_rig *rig, const char *name, struct lkd_answer *a)
{
    struct lkd_resume *resume;
    struct lk_error error;

    if (!lkd_rig_allows(rig, "restore", IN(READY) | IN(ARMED) | IN(PAUSED), a) ||
        !stands_still(rig, a))
        return;
    resume = read_file(rig, name, a);
    if (!resume)
        return;
    if (lkd_snapshot_check(rig->loaded->cycle, resume->bytes, resume->size, &error) == 0) {
        take_over(rig, resume, a);
        return;
    }
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT, "%s: %s", name, error.text);
    free(resume->bytes);
    free(resume);
}

void lkd_snapshot_begin(struct lkd_rig *rig)
{
    struct lkd_resume *resume = rig->resume;

    if (!resume)
        return;
    lkd_snapshot_apply(rig->loaded->cycle, resume->bytes);
    lkd_run_show(rig);
}

void lkd_snapshot_begun(struct lkd_rig *rig)
{
    if (rig->resume && rig->recorder)
        lkd_recorder_event(rig->recorder, rig->resume->step, "restore", "the run goes on from %s",
                           rig->resume->name);
    lkd_snapshot_forget(rig);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/rec with a queue that the test fills, and with a simulated disk that is slow, full or
 * broken on demand. */
#include "../cmocka_all.h"
#include "../skip.h"
#include "mcap/read.h"
#include "mcap_file.h"
#include "recorder.h"
#include "take.h"
#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define N_OUTPUTS 200 /* so that a chunk of 64 KiB has some thirty cycles */

/* ---- the simulated disk ---- */

ssize_t __real_pwrite64(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset);
int __real_fallocate64(int fd, int mode, off_t offset, off_t length);
int __wrap_fallocate64(int fd, int mode, off_t offset, off_t length);

/* Properties of the disk.
 * @nap_ms: duration of each write
 * @fail_from, @fail_to: numbers of the first and the last write that fails with @error
 * @cut_at: number of the write during which the file is truncated
 * @room:   bytes left on the disk, 0: no limit
 * @closed: while it is true, no write returns */
static struct {
    _Atomic int nap_ms;
    _Atomic int n_writes;
    int fail_from;
    int fail_to;
    int error;
    int cut_at;
    off_t room;
    _Atomic bool closed;
} disk;

static void nap_ms(int ms)
{
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&nap, NULL);
}

ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset)
{
    int number = ++disk.n_writes;

    while (disk.closed)
        nap_ms(5);
    if (disk.nap_ms)
        nap_ms(disk.nap_ms);
    if (disk.fail_from && number >= disk.fail_from && number <= disk.fail_to) {
        errno = disk.error;
        return -1;
    }
    if (number == disk.cut_at)
        assert_int_equal(ftruncate(fd, 0), 0);
    return __real_pwrite64(fd, data, size, offset);
}

int __wrap_fallocate64(int fd, int mode, off_t offset, off_t length)
{
    if (disk.room && offset + length > disk.room) {
        errno = ENOSPC;
        return -1;
    }
    return __real_fallocate64(fd, mode, offset, length);
}

/* ---- memory ---- */

void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);

static _Atomic int reallocs_left = INT_MAX; /* number of calls before the single one that fails */

void *__wrap_realloc(void *data, size_t size)
{
    return reallocs_left-- == 0 ? NULL : __real_realloc(data, size);
}

/* ---- a recorder ---- */

struct bench {
    struct lkd_record_config config;
    struct lkd_recorder *recorder;
    struct lkd_spsc queue;
    struct lkd_take_source source;
    struct lk_channel inputs[1];
    struct lk_channel outputs[N_OUTPUTS];
    uint64_t pushed;
    uint64_t missed;
    int64_t longest_ns;
};

static void open_bench(struct bench *b, enum lkd_record_io io)
{
    char folder[] = "/tmp/linkaged-rec-XXXXXX";

    memset(&disk, 0, sizeof(disk));
    *b = (struct bench){.config = {.chunk = 64 * 1024, .flush_ns = 50000000, .io = io}};
    assert_non_null(mkdtemp(folder));
    snprintf(b->config.directory, sizeof(b->config.directory), "%s", folder);
    b->inputs[0] = (struct lk_channel){.name = "in", .size = 1, .component = {""}, .unit = {"N"}};
    for (int i = 0; i < N_OUTPUTS; i++) {
        b->outputs[i] =
            (struct lk_channel){.size = 1, .offset = i, .component = {""}, .unit = {"m"}};
        snprintf(b->outputs[i].name, sizeof(b->outputs[i].name), "out%d", i);
    }
    b->source = (struct lkd_take_source){.model = "test",
                                         .step_s = 0.001,
                                         .inputs = b->inputs,
                                         .n_inputs = 1,
                                         .outputs = b->outputs,
                                         .n_outputs = N_OUTPUTS,
                                         .text = "text",
                                         .text_size = 4};
    assert_int_equal(lkd_spsc_init(&b->queue, 1, N_OUTPUTS), 0);
    assert_int_equal(lkd_recorder_new(&b->config, &b->recorder), 0);
}

static void path_of(const struct bench *b, const char *name, char *ret)
{
    snprintf(ret, PATH_MAX, "%.200s/%s.mcap", b->config.directory, name);
}

static void close_bench(struct bench *b)
{
    static const char *const names[] = {"a", "b"};
    char path[PATH_MAX];

    lkd_recorder_free(b->recorder);
    lkd_spsc_fini(&b->queue);
    for (size_t i = 0; i < 2; i++) {
        path_of(b, names[i], path);
        unlink(path);
    }
    assert_int_equal(rmdir(b->config.directory), 0);
}

static void begin(struct bench *b, const char *name)
{
    struct lk_error error = {""};

    if (lkd_recorder_begin(b->recorder, name, &b->queue, &b->source, &error))
        fail_msg("%s", error.text);
}

/* Return how often this thread has given up its core to wait. Preemption is not counted. */
static long waits(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

/* Push @n frames as the cycle does. If this thread waited meanwhile, note the longest duration. */
static void push(struct bench *b, int n)
{
    for (int i = 0; i < n; i++) {
        long before = waits();
        int64_t begin_ns = lkd_clock_ns(), ns;
        struct lkd_frame *frame = lkd_spsc_back(&b->queue);

        if (frame) {
            frame->cycle = b->pushed;
            frame->step = b->pushed + 1;
            frame->stepped = true;
            frame->state = LKD_CYCLE_RUNNING;
            frame->record.deadline_ns = frame->record.computed_ns = begin_ns;
            frame->values[0] = (double)b->pushed;
            for (int k = 0; k < N_OUTPUTS; k++)
                frame->values[1 + k] = (double)(b->pushed * 1000 + (unsigned int)k);
            lkd_spsc_push(&b->queue);
        } else {
            b->missed++;
        }
        b->pushed++;
        ns = lkd_clock_ns() - begin_ns;
        if (waits() != before && ns > b->longest_ns)
            b->longest_ns = ns;
    }
}

static struct lkd_recording recording_of(struct bench *b)
{
    struct lkd_recording recording;

    lkd_recorder_state(b->recorder, &recording);
    return recording;
}

static void await_end(struct bench *b)
{
    for (int i = 0; i < 4000 && recording_of(b).active; i++)
        nap_ms(5);
    assert_false(recording_of(b).active);
}

/* ---- the recorded file ---- */

struct contents {
    uint64_t cycles;
    uint64_t events;
    enum lk_mcap_ending ending;
    char dropped[24];
    char trouble[200];
};

/* Read a file and check that each recorded cycle has its own values and that cycles are in
 * order. */
static struct contents read_file(const struct bench *b, const char *name)
{
    struct contents c = {0};
    double values[N_OUTPUTS];
    struct lk_mcap_type type;
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;
    char path[PATH_MAX];
    uint32_t last = 0;
    int r;

    path_of(b, name, path);
    assert_int_equal(lk_mcap_type_init(&type, "test", "Outputs", b->outputs, N_OUTPUTS), 0);
    r = lk_mcap_open(path, &reader);
    assert_int_equal(r, 0);
    while ((r = lk_mcap_next(&reader, &item)) == 1) {
        assert_int_not_equal(item.kind, LK_MCAP_DAMAGE);
        if (item.kind == LK_MCAP_IS_METADATA && lk_mcap_span_is(item.name, LK_RECORDING_END)) {
            lk_mcap_map_get(item.map, "dropped_cycles", c.dropped, sizeof(c.dropped));
            lk_mcap_map_get(item.map, "trouble", c.trouble, sizeof(c.trouble));
        }
        if (item.kind != LK_MCAP_IS_MESSAGE)
            continue;
        c.events += item.id == LK_RECORDING_EVENTS;
        if (item.id != LK_RECORDING_OUTPUTS)
            continue;
        assert_true(lk_mcap_type_take(&type, item.data.data, item.data.size, values));
        assert_true(c.cycles == 0 || item.sequence > last);
        last = item.sequence;
        c.cycles++;
        for (int k = 0; k < N_OUTPUTS; k++)
            assert_true(values[k] == (double)(item.sequence * UINT64_C(1000) + (unsigned int)k));
    }
    assert_int_equal(r, 0);
    c.ending = reader.ending;
    lk_mcap_close(&reader);
    lk_mcap_type_fini(&type);
    return c;
}

static void everything_arrives(enum lkd_record_io io, bool sync)
{
    struct contents c;
    struct bench b;

    open_bench(&b, io);
    b.config.sync = sync;
    begin(&b, "a");
    for (int i = 0; i < 20; i++) {
        push(&b, 50);
        lkd_recorder_event(b.recorder, b.pushed, "state", "event %d", i);
        nap_ms(3);
    }
    assert_true(lkd_recorder_end(b.recorder));
    c = read_file(&b, "a");
    assert_int_equal(b.missed, 0);
    assert_int_equal(c.cycles, b.pushed);
    assert_int_equal(c.events, 20);
    assert_int_equal(c.ending, LK_MCAP_COMPLETE);
    assert_string_equal(c.dropped, "0");
    assert_int_equal(recording_of(&b).cycles, b.pushed);
    assert_string_equal(recording_of(&b).trouble, "");
    close_bench(&b);
}

static void everything_arrives_by_pwrite(void **state)
{
    (void)state;
    everything_arrives(LKD_RECORD_IO_PWRITE, false);
    everything_arrives(LKD_RECORD_IO_PWRITE, true);
}

static void everything_arrives_by_io_uring(void **state)
{
    struct io_uring ring;

    (void)state;
    if (io_uring_queue_init(2, &ring, 0)) {
        skip_because("io_uring is not allowed here",
                     "allow it: kernel.io_uring_disabled=0, and a container that does");
    }
    io_uring_queue_exit(&ring);
    everything_arrives(LKD_RECORD_IO_URING, false);
    everything_arrives(LKD_RECORD_IO_URING, true);
}

/* ---- a platform beside the cycle ---- */

/* Push steps @from to @to of a platform. Value 0 is the step; value 1 requests the complete state
 * at step @moved. */
static void push_platform(struct lkd_spsc *queue, uint64_t from, uint64_t to, uint64_t moved)
{
    for (uint64_t i = from; i <= to; i++) {
        struct lkd_frame *frame = lkd_spsc_back(queue);

        assert_non_null(frame);
        *frame = (struct lkd_frame){.cycle = i};
        frame->values[0] = frame->values[2] = (double)i;
        frame->values[1] = i == moved;
        lkd_spsc_push(queue);
    }
}

/* Return the number of messages of @topic.
 * @ret_last: step of the last one */
static uint64_t count_platform(const struct bench *b, uint16_t topic, uint64_t *ret_last)
{
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;
    char path[PATH_MAX];
    uint64_t n = 0;

    path_of(b, "a", path);
    assert_int_equal(lk_mcap_open(path, &reader), 0);
    while (lk_mcap_next(&reader, &item) == 1)
        if (item.kind == LK_MCAP_IS_MESSAGE && item.id == topic) {
            *ret_last = item.sequence;
            n++;
        }
    assert_int_equal(reader.ending, LK_MCAP_COMPLETE);
    lk_mcap_close(&reader);
    return n;
}

/* All steps of the platform are recorded. Its complete state is recorded with the first step, after
 * each thousand steps, after a gap and on request. */
static void the_platform_is_recorded_beside(void **state)
{
    struct lk_channel step[2], whole[1];
    struct lkd_spsc queue;
    uint64_t last = 0;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    memcpy(step, b.outputs, sizeof(step));
    memcpy(whole, b.outputs, sizeof(whole));
    assert_int_equal(lkd_spsc_init(&queue, 2, 1), 0);
    b.source.platform = (struct lkd_take_platform){&queue, step, 2, whole, 1, 1};
    begin(&b, "a");
    push(&b, 10);
    push_platform(&queue, 5, 2504, 77);
    push(&b, 10);
    push_platform(&queue, 2600, 2610, 0);
    assert_true(lkd_recorder_end(b.recorder));
    assert_null(lkd_spsc_back(&queue));
    assert_int_equal(read_file(&b, "a").cycles, 20);
    assert_int_equal(count_platform(&b, LK_RECORDING_PLATFORM, &last), 2500 + 11);
    assert_int_equal(last, 2610);
    /* steps 5 (the first); 77 (requested); 1077 and 2077 (each thousandth); 2600 (after a gap) */
    assert_int_equal(count_platform(&b, LK_RECORDING_PLATFORM_STATE, &last), 5);
    assert_int_equal(last, 2600);
    close_bench(&b);
    lkd_spsc_fini(&queue);
}

static void what_was_flushed_is_readable_before_the_end(void **state)
{
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    begin(&b, "a");
    push(&b, 10);
    for (int i = 0; i < 100; i++) { /* a busy machine needs more than one */
        nap_ms(200);
        c = read_file(&b, "a");
        if (c.cycles == 10)
            break;
    }
    assert_int_equal(c.cycles, 10);
    assert_int_equal(c.ending, LK_MCAP_CUT);
    close_bench(&b);
}

static void a_slow_disk_costs_cycles_of_the_recording_only(void **state)
{
    uint64_t dropped;
    char said[24];
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    begin(&b, "a");
    disk.nap_ms = 100;
    for (int i = 0; i < 60; i++) {
        push(&b, 500);
        nap_ms(1);
    }
    assert_true(b.missed > 0);
    assert_true(b.longest_ns < 50000000); /* half a write: no frame waited for one */
    disk.nap_ms = 0;
    assert_true(lkd_recorder_end(b.recorder));
    c = read_file(&b, "a");
    /* frames are dropped if the queue or the buffers behind it are full */
    dropped = recording_of(&b).dropped;
    assert_true(dropped >= b.missed);
    snprintf(said, sizeof(said), "%" PRIu64, dropped);
    assert_string_equal(c.dropped, said);
    assert_int_equal(c.cycles + dropped, b.pushed);
    assert_int_equal(c.ending, LK_MCAP_COMPLETE);
    assert_true(c.events > 0);
    assert_non_null(strstr(recording_of(&b).trouble, "the disk does not follow"));
    close_bench(&b);
}

static void where_time_is_not_real_a_slow_disk_costs_nothing(void **state)
{
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    atomic_store(&b.queue.wait, true);
    begin(&b, "a");
    disk.nap_ms = 2;
    push(&b, 15000);
    /* wait for the queue here, because the end waits for it for a limited time only */
    for (int i = 0; i < 12000 && recording_of(&b).cycles < b.pushed; i++)
        nap_ms(5);
    assert_true(lkd_recorder_end(b.recorder));
    c = read_file(&b, "a");
    assert_int_equal(b.missed, 0);
    assert_int_equal(c.cycles, b.pushed);
    close_bench(&b);
}

/* Disk space for the end of the file was reserved, so the file is complete, only shorter. */
static void a_full_disk_ends_the_recording_in_order(void **state)
{
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.room = 1000000;
    begin(&b, "a");
    for (int i = 0; i < 50; i++) {
        push(&b, 50);
        nap_ms(2);
    }
    await_end(&b);
    assert_non_null(strstr(recording_of(&b).trouble, "No space left"));
    assert_false(atomic_load(&b.queue.on));
    c = read_file(&b, "a");
    assert_int_equal(c.ending, LK_MCAP_COMPLETE);
    assert_true(c.cycles > 0 && c.cycles < b.pushed);
    assert_non_null(strstr(c.trouble, "No space left"));
    close_bench(&b);
}

static void a_failed_write_ends_the_recording_before_it(void **state)
{
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.fail_from = disk.fail_to = 4; /* the header and two chunks are intact */
    disk.error = EIO;
    begin(&b, "a");
    push(&b, 2000);
    await_end(&b);
    assert_non_null(strstr(recording_of(&b).trouble, "Input/output error"));
    c = read_file(&b, "a");
    assert_int_equal(c.ending, LK_MCAP_COMPLETE);
    assert_true(c.cycles > 0 && c.cycles < 200);
    close_bench(&b);
}

static void a_disk_that_is_gone_leaves_what_it_has(void **state)
{
    struct contents c;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.fail_from = 4;
    disk.fail_to = 1000000;
    disk.error = EIO;
    begin(&b, "a");
    push(&b, 2000);
    await_end(&b);
    c = read_file(&b, "a");
    assert_int_equal(c.ending, LK_MCAP_CUT);
    assert_true(c.cycles > 0);
    disk.fail_from = 0;
    begin(&b, "b"); /* the recorder can record again */
    push(&b, 10);
    assert_true(lkd_recorder_end(b.recorder));
    assert_int_equal(read_file(&b, "b").cycles, 10);
    close_bench(&b);
}

/* Check that a recording is refused with @words and leaves no file. */
static void refused(struct bench *b, const char *name, const char *words)
{
    struct lk_error error = {""};
    char path[PATH_MAX];

    assert_int_equal(lkd_recorder_begin(b->recorder, name, &b->queue, &b->source, &error),
                     LK_E_TEXT);
    if (!strstr(error.text, words))
        fail_msg("'%s' lacks '%s'", error.text, words);
    await_end(b);
    assert_false(atomic_load(&b->queue.on));
    path_of(b, name, path);
    assert_int_equal(access(path, F_OK), -1);
}

/* A recording is confirmed to its client only when the file exists with everything that precedes
 * its messages. */
static void a_disk_that_cannot_begin_leaves_no_file(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.room = 1;
    refused(&b, "a", "No space left");
    disk.room = 0;
    disk.fail_from = disk.fail_to = 1;
    disk.error = EFBIG; /* a limit of the file size, for example */
    refused(&b, "a", "File too large");
    begin(&b, "a");
    assert_int_equal(read_file(&b, "a").ending, LK_MCAP_CUT);
    assert_true(recording_of(&b).active);
    close_bench(&b);
}

static void a_disk_that_does_not_answer_begins_nothing(void **state)
{
    struct lk_error error = {""};
    int64_t begin_ns;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.closed = true;
    begin_ns = lkd_clock_ns();
    assert_int_equal(lkd_recorder_begin(b.recorder, "a", &b.queue, &b.source, &error), LK_E_TEXT);
    assert_true(lkd_clock_ns() - begin_ns < INT64_C(30000000000));
    assert_non_null(strstr(error.text, "the disk does not answer"));
    assert_false(atomic_load(&b.queue.on));
    assert_int_equal(lkd_recorder_begin(b.recorder, "b", &b.queue, &b.source, &error), -EBUSY);
    assert_non_null(strstr(error.text, "the disk does not answer"));
    assert_false(recording_of(&b).active);
    disk.closed = false;
    for (int i = 0; i < 6000 && lkd_recorder_begin(b.recorder, "a", &b.queue, &b.source, &error);
         i++)
        nap_ms(10); /* until the first recording has ended */
    assert_true(recording_of(&b).active);
    push(&b, 10);
    assert_true(lkd_recorder_end(b.recorder));
    assert_int_equal(read_file(&b, "a").cycles, 10);
    close_bench(&b);
}

/* ---- a file that another program modifies ---- */

static void remove_it(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void cut_it(const char *path)
{
    assert_int_equal(truncate(path, 100), 0);
}

static void move_it(const char *path)
{
    char other[PATH_MAX + 8];

    snprintf(other, sizeof(other), "%.*s/b.mcap", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(rename(path, other), 0);
}

static void replace_it(const char *path)
{
    move_it(path);
    close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0644));
}

static const struct {
    void (*harm)(const char *path);
    const char *words;
    enum lk_mcap_ending ending;
    const char *left;
} harms[] = {
    {remove_it, "was removed", 0, NULL},
    {cut_it, "was cut", LK_MCAP_CUT, "a"},
    {move_it, "is not at its place any more", LK_MCAP_COMPLETE, "b"},
    {replace_it, "is not at its place any more", LK_MCAP_COMPLETE, "b"},
};

/* Harm to the file is detected at the next flush. The queue is released, and the next recording is
 * intact.
 * @busy: frames are pushed all the time, otherwise none */
static void harm_is_noticed(size_t i, bool busy)
{
    char path[PATH_MAX];
    struct bench b;

    open_bench(&b, LKD_RECORD_IO_PWRITE);
    begin(&b, "a");
    path_of(&b, "a", path);
    push(&b, 10);
    nap_ms(100);
    harms[i].harm(path);
    for (int n = 0; n < 6000 && recording_of(&b).active; n++) {
        if (busy)
            push(&b, 5);
        nap_ms(10);
    }
    assert_false(recording_of(&b).active);
    if (!strstr(recording_of(&b).trouble, harms[i].words))
        fail_msg("'%s' lacks '%s'", recording_of(&b).trouble, harms[i].words);
    assert_false(atomic_load(&b.queue.on));
    if (harms[i].left) {
        struct contents c = read_file(&b, harms[i].left);

        assert_int_equal(c.ending, harms[i].ending);
        assert_true(c.ending == LK_MCAP_CUT || c.cycles >= 10);
    }
    unlink(path);
    begin(&b, "a");
    push(&b, 10);
    assert_true(lkd_recorder_end(b.recorder));
    assert_int_equal(read_file(&b, "a").cycles, 10);
    close_bench(&b);
}

static void a_file_that_is_harmed_ends_the_recording(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(harms) / sizeof(harms[0]); i++) {
        harm_is_noticed(i, true);
        harm_is_noticed(i, false);
    }
}

/* The file is truncated during a write, which extends it again. The hole is found at the end. */
static void a_file_cut_under_a_write_is_noticed(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    disk.cut_at = 3;
    begin(&b, "a");
    for (int i = 0; i < 20; i++) {
        push(&b, 20);
        nap_ms(2);
    }
    lkd_recorder_end(b.recorder);
    await_end(&b);
    assert_non_null(strstr(recording_of(&b).trouble, "was cut"));
    close_bench(&b);
}

/* ---- an io_uring that refuses requests ---- */

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);

static struct {
    int n;
    int fail_from;
    int fail_to;
    int error;
} ring_calls;

int __wrap_io_uring_submit(struct io_uring *ring)
{
    int number = ++ring_calls.n;

    if (number >= ring_calls.fail_from && number <= ring_calls.fail_to)
        return -ring_calls.error;
    return __real_io_uring_submit(ring);
}

/* A request that io_uring refuses is written with pwrite(), and no buffer is written twice. */
static void what_io_uring_refuses_is_written_plainly(void **state)
{
    static const int errors[] = {EAGAIN, EBUSY, EINTR, ENOMEM};
    struct io_uring ring;
    struct contents c;
    struct bench b;

    (void)state;
    if (io_uring_queue_init(2, &ring, 0))
        skip_because("io_uring is not allowed here",
                     "allow it: kernel.io_uring_disabled=0, and a container that does");
    io_uring_queue_exit(&ring);
    for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++) {
        memset(&ring_calls, 0, sizeof(ring_calls));
        ring_calls.fail_from = 3;
        ring_calls.fail_to = k % 2 ? 1000 : 5;
        ring_calls.error = errors[k];
        open_bench(&b, LKD_RECORD_IO_URING);
        begin(&b, "a");
        for (int i = 0; i < 20; i++) {
            push(&b, 50);
            nap_ms(3);
        }
        assert_true(lkd_recorder_end(b.recorder));
        assert_true(ring_calls.n > 5);
        assert_string_equal(recording_of(&b).trouble, "");
        c = read_file(&b, "a");
        assert_int_equal(c.ending, LK_MCAP_COMPLETE);
        assert_int_equal(c.cycles, b.pushed - b.missed);
        close_bench(&b);
    }
}

/* The end of a recording returns within its time limit although the disk does not answer. The file
 * is completed when the disk answers again. */
static void a_disk_that_does_not_answer_holds_nobody(void **state)
{
    int64_t begin_ns;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    begin(&b, "a");
    push(&b, 10);
    nap_ms(20);
    disk.closed = true;
    push(&b, 3000);
    begin_ns = lkd_clock_ns();
    assert_false(lkd_recorder_end(b.recorder));
    assert_true(lkd_clock_ns() - begin_ns < INT64_C(8000000000));
    assert_true(recording_of(&b).active);
    assert_true(recording_of(&b).dropped > 0);
    disk.closed = false;
    await_end(&b);
    assert_int_equal(read_file(&b, "a").ending, LK_MCAP_COMPLETE);
    close_bench(&b);
}

static void a_largest_size_is_kept(void **state)
{
    char path[PATH_MAX];
    struct bench b;
    int fd;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    b.config.max_size = 300000;
    begin(&b, "a");
    for (int i = 0; i < 30 && recording_of(&b).active; i++) {
        push(&b, 20);
        while (recording_of(&b).active && recording_of(&b).cycles < b.pushed)
            nap_ms(1);
    }
    await_end(&b);
    assert_non_null(strstr(recording_of(&b).trouble, "largest size"));
    path_of(&b, "a", path);
    fd = open(path, O_RDONLY);
    assert_in_range(lseek(fd, 0, SEEK_END), 200000, 400000);
    close(fd);
    assert_int_equal(read_file(&b, "a").ending, LK_MCAP_COMPLETE);
    close_bench(&b);
}

static void names_stay_in_the_folder(void **state)
{
    static const char *const bad[] = {"",   ".",    "..",   ".a",    "a/b",
                                      "/a", "a\nb", "../a", "a\xff", "\xc2\x9b"};
    struct lk_error error;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(lkd_recorder_begin(b.recorder, bad[i], &b.queue, &b.source, &error),
                         LK_E_TEXT);
    begin(&b, "a");
    assert_int_equal(lkd_recorder_begin(b.recorder, "b", &b.queue, &b.source, &error), -EBUSY);
    assert_true(lkd_recorder_end(b.recorder));
    assert_int_equal(lkd_recorder_begin(b.recorder, "a", &b.queue, &b.source, &error), -EEXIST);
    assert_int_equal(lkd_recorder_begin(b.recorder, "a.mcap", &b.queue, &b.source, &error),
                     -EEXIST);
    begin(&b, "b");
    close_bench(&b); /* ends the recording */
}

/* A recording whose file header cannot be built completely does not begin, whichever allocation
 * fails. */
static void test_no_memory(void **state)
{
    struct lkd_take *take;
    int failed = 0, r;
    struct bench b;

    (void)state;
    open_bench(&b, LKD_RECORD_IO_PWRITE);
    for (;;) {
        reallocs_left = failed;
        r = lkd_take_new(&b.source, &b.config, &take);
        if (reallocs_left >= 0)
            break; /* all allocations have failed once */
        assert_int_equal(r, -ENOMEM);
        failed++;
    }
    reallocs_left = INT_MAX;
    assert_int_equal(r, 0);
    lkd_take_free(take);
    assert_true(failed >= 3); /* the header and two schemas at least */
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(everything_arrives_by_pwrite),
        cmocka_unit_test(everything_arrives_by_io_uring),
        cmocka_unit_test(the_platform_is_recorded_beside),
        cmocka_unit_test(what_was_flushed_is_readable_before_the_end),
        cmocka_unit_test(a_slow_disk_costs_cycles_of_the_recording_only),
        cmocka_unit_test(where_time_is_not_real_a_slow_disk_costs_nothing),
        cmocka_unit_test(a_full_disk_ends_the_recording_in_order),
        cmocka_unit_test(a_failed_write_ends_the_recording_before_it),
        cmocka_unit_test(a_disk_that_is_gone_leaves_what_it_has),
        cmocka_unit_test(a_disk_that_cannot_begin_leaves_no_file),
        cmocka_unit_test(a_disk_that_does_not_answer_begins_nothing),
        cmocka_unit_test(a_file_that_is_harmed_ends_the_recording),
        cmocka_unit_test(a_file_cut_under_a_write_is_noticed),
        cmocka_unit_test(what_io_uring_refuses_is_written_plainly),
        cmocka_unit_test(a_disk_that_does_not_answer_holds_nobody),
        cmocka_unit_test(a_largest_size_is_kept),
        cmocka_unit_test(names_stay_in_the_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a real daemon, read by `linkage replay` and `linkage export`. */
#include "../decay.h"
#include "../skip.h"
#include "benches.h"
#include "freeze.h"
#include "linkage/build.h"
#include "mcap/read.h"
#include "mcap/recording.h"
#include "mcap/schema.h"
#include "model/road_file.h"
#include "runs.h"
#include "step/lanes/batch.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define EASY                                                                                       \
    "realtime: {degraded: allow, priority: 0, core: none, lock_memory: false}\n"                   \
    "budget: {steps: 1000, time: 0.05, share: 0.95}\n"                                             \
    "overrun: {fault_in_a_row: 0}\n"

/* number of steps of a run without a clock. It is more than the recorder's queue can store. Each
 * run is replayed, which is slow under a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASAP_STEPS      9000
#define ASAP_STEPS_TEXT "9000"
#define BY_TWO          "replay --workers 2 --limit 500"
#else
#define ASAP_STEPS      40000
#define ASAP_STEPS_TEXT "40000"
#define BY_TWO          "replay --workers 2"
#endif

static const char *linkage;
static const char *model;
static char output[16384];

/* Run `linkage ...` on a recording of @h. The output is stored in output.
 * Return: its exit status */
static int run_linkage(const struct harness *h, const char *before, const char *name,
                       const char *after)
{
    char command[512];
    size_t n;
    FILE *pipe;

    snprintf(command, sizeof(command), "%s %s %s/rec/%s %s 2>&1", linkage, before, h->folder, name,
             after);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(output, 1, sizeof(output) - 1, pipe);
    output[n] = '\0';
    while (fgetc(pipe) != EOF)
        ;
    return WEXITSTATUS(pclose(pipe));
}

static void demand_replay(const struct harness *h, const char *name, int status, const char *words)
{
    int got = run_linkage(h, "replay", name, "");

    if (got != status || !strstr(output, words))
        fail_msg("replay: exit status %d, expected %d and '%s':\n%s", got, status, words, output);
}

static void open_daemon(struct harness *h, const char *record, const char *more)
{
    char config[1024], path[128];

    snprintf(config, sizeof(config), EASY "record: {directory: rec, %s}\n%s", record, more);
    harness_open(h, config);
    snprintf(path, sizeof(path), "%s/rec", h->folder);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void close_daemon(struct harness *h)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/rec", h->folder);
    umount(path); /* the small disk of the test */
    harness_close(h);
}

/* Return the name of the only recording. */
static void find_recording(const struct harness *h, char ret[256])
{
    char path[128];
    struct dirent *entry;
    int n = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/rec", h->folder);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(ret, 256, "%s", entry->d_name);
            n++;
        }
    closedir(dir);
    assert_int_equal(n, 1);
}

static const Linkage__V1__ControlReply *ask_record(struct harness *h, const char *name, bool stop)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__RecordRequest record = LINKAGE__V1__RECORD_REQUEST__INIT;

    record.name = (char *)name;
    record.stop = stop;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RECORD;
    request.record = &record;
    return harness_ask(h, &request);
}

static void record(struct harness *h, const char *name)
{
    const Linkage__V1__ControlReply *reply = ask_record(h, name, false);

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_true(reply->status->recording->active);
}

/* Wait until @cycles cycles are recorded. The count begins with the recording, not with the run. */
static void await_recorded(struct harness *h, uint64_t cycles)
{
    time_t until = time(NULL) + PATIENCE_MS / 1000;

    while (harness_command(h, STATUS)->status->recording->cycles < cycles) {
        if (time(NULL) > until)
            fail_msg("%d cycles recorded only", (int)h->reply->status->recording->cycles);
        runs_nap();
    }
}

/* Stop a run that ends without a command after @steps. All steps must be recorded first, because a
 * stop waits at most two seconds for queued data. */
static void stop_recorded(struct harness *h, uint64_t steps)
{
    runs_await_state(h, STATE(PAUSED));
    await_recorded(h, steps);
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
}

static void arm_mode(struct harness *h, Linkage__V1__Mode mode)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;

    arm.mode = mode;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &arm;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
    assert_int_equal(h->reply->status->state, STATE(ARMED));
}

static void set_motor(struct harness *h, double value)
{
    assert_int_equal(harness_set(h, "motor", &value, 1)->result, RESULT(OK));
}

/* Check that a run with the inputs of a recording ends with the same values as the recording. The
 * CSV values have 17 digits, so they are equal bit for bit. */
static void demand_run(const struct harness *h, const char *name, uint64_t steps)
{
    const double step_s = harness_step_s(1e-3);
    char command[1024], end[2][4096];

    for (int i = 0; i < 2; i++) {
        size_t n;
        FILE *pipe;

        if (i == 0)
            snprintf(command, sizeof(command),
                     "%s run %s -s %.17g -d %.17g --inputs %s/rec/%s -o - 2>/dev/null | tail -n 1",
                     linkage, model, step_s, (double)steps * step_s, h->folder, name);
        else
            snprintf(command, sizeof(command), "%s export %s/rec/%s | tail -n 1", linkage,
                     h->folder, name);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        n = fread(end[i], 1, sizeof(end[i]) - 1, pipe);
        end[i][n] = '\0';
        assert_int_equal(pclose(pipe), 0);
        assert_true(n > 0);
    }
    assert_string_equal(end[0], end[1]);
}

/* Replay a run with changing inputs and a pause from its first step. */
static void replay_of_a_run(const char *options)
{
    struct harness h;
    const Linkage__V1__Recording *r;
    char said[64];

    open_daemon(&h, options, "");
    harness_load_model(&h);
    record(&h, "run");
    harness_go(&h);
    for (int i = 0; i < 10; i++) {
        set_motor(&h, 0.5 * i - 1.7);
        runs_await_cycles(&h, 50u / THINNED * (unsigned int)(i + 1));
    }
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    runs_nap();
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    runs_await_cycles(&h, 800 / THINNED);
    r = harness_expect(&h, STOP, RESULT(OK), STATE(ARMED))->recording;
    assert_false(r->active);
    assert_string_equal(r->file, "run.mcap");
    assert_string_equal(r->trouble, "");
    assert_int_equal(r->dropped, 0);
    assert_int_equal(r->begins_at_step, 0);
    assert_int_equal(r->cycles, h.reply->status->cycles);
    snprintf(said, sizeof(said), "%" PRIu64 " steps, every bit the same", h.reply->status->step);
    demand_replay(&h, "run.mcap", 0, said);
    assert_non_null(strstr(output, "made no step"));
    demand_run(&h, "run.mcap", h.reply->status->step);
    assert_int_equal(run_linkage(&h, "info", "run.mcap", ""), 0);
    assert_non_null(strstr(output, "the file is whole"));
    assert_int_equal(run_linkage(&h, "export --topic events", "run.mcap", ""), 0);
    assert_non_null(strstr(output, "\"RUNNING -> PAUSED\""));
    close_daemon(&h);
}

static const char road_text[] =
    "linkage: 1\nname: roller\n"
    "bodies:\n  wheel: {mass: 20, inertia: [1, 1.7, 1], position: [0, 0, 0.34]}\n"
    "  fork: {mass: 30, inertia: [1, 1, 1], position: [0, 0, 0.34]}\n"
    "joints:\n"
    "  guide: {type: planar, bodies: [ground, fork], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  axle: {type: revolute, bodies: [fork, wheel], point: [0, 0, 0.34], axis: [0, 1, 0]}\n"
    "roads:\n  hill: {type: grid, file: hill.road}\n"
    "forces:\n"
    "  tyre: {type: tyre, joint: axle, road: hill, side: left, radius: 0.35, width: 0.2, "
    "stiffness: "
    "2e5,\n"
    "    damping: 500, carcass: {length: [0.1, 0.2]}, law: {type: fiala, slip_stiffness: 2e5,\n"
    "    cornering_stiffness: 5e4, friction: [0.6, 1]}}\n"
    "outputs:\n  force: {type: tyre, force: tyre}\n"
    "solver: {step: 0.001}\n";

static const char port_text[] =
    "linkage: 1\nname: port\n"
    "bodies:\n  mass: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n"
    "  far: {mass: 4, inertia: [1, 1, 1], position: [9, 0, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, bodies: [ground, mass], point: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  end: {type: prismatic, bodies: [ground, far], point: [9, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  pipe: {type: line, joints: [guide, end], impedance: 40, delay: 0.007, load: 3}\n"
    "  port: {type: impedance, joint: guide, force: {input: push}, stiffness: {input: k},\n"
    "    damping: {input: c}, rest: {input: rest}}\n"
    "inputs:\n  push: {type: signal}\n  k: {type: signal, rate: 1e5}\n  c: {type: signal}\n"
    "  rest: {type: signal, rate: 2}\n"
    "outputs:\n  x: {type: joint-position, joint: guide}\n"
    "  mobility: {type: mobility, force: port}\n  work: {type: port-work, force: port}\n"
    "  ends: {type: force, force: pipe}\n"
    "solver: {step: 0.001}\n";

/* Replay an impedance port and a line to another mass with waves under way. The port's values
 * change at any time, as fast as its rates allow, and its slopes act between samples. */
static void a_port_is_replayed_bit_for_bit(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "io: auto", "");
    assert_int_equal(harness_load(&h, "port.yaml", port_text)->result, RESULT(OK));
    record(&h, "run");
    harness_go(&h);
    for (int i = 1; i <= 20; i++) {
        const double values[] = {i, 1e4 * (i % 3), 5 * (i % 2), 0.01 * i};

        harness_send_slopes(&h, (uint64_t)i, values, (const double[]){3, 1e3 * i, -10, -0.1}, 4);
        runs_await_cycles(&h, 20 * (uint64_t)i);
    }
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    demand_replay(&h, "run.mcap", 0, "every bit the same");
    close_daemon(&h);
}

static const char blocks_text[] =
    "linkage: 1\nname: blocks\n"
    "bodies:\n  mass: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, bodies: [ground, mass], point: [0, 0, 0], axis: [1, 0, 0]}\n"
    "inputs:\n  demand: {type: signal, limits: [-1, 1], rate: 30}\n"
    "blocks:\n"
    "  error: {type: sum, inputs: [demand, {position: guide}], signs: \"+-\"}\n"
    "  late: {type: delay, input: error, time: 0.0743}\n"
    "  valve: {type: lag, input: late, gain: 3, time: 1e-5, limits: [-0.5, 0.5]}\n"
    "  flow: {type: product, inputs: [valve, 400]}\n"
    "  filter: {type: transfer-function, input: flow, num: [1], den: [1e-4, 0.01, 1], unit: N}\n"
    "forces:\n  push: {type: impedance, joint: guide, force: {block: filter}}\n"
    "  drag: {type: joint-spring-damper, joint: guide, damping: 30}\n"
    "outputs:\n  x: {type: joint-position, joint: guide}\n"
    "  force: {type: force, force: push}\n  filter: {type: block, block: filter}\n"
    "  valve: {type: block, block: valve}\n  work: {type: work}\n"
    "solver: {step: 0.001}\n";

/* Blocks with states of all kinds: `linkage replay` gives the bits of the daemon. */
static void blocks_are_replayed_bit_for_bit(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "io: auto", "");
    assert_int_equal(harness_load(&h, "blocks.yaml", blocks_text)->result, RESULT(OK));
    record(&h, "run");
    harness_go(&h);
    for (int i = 1; i <= 20; i++) {
        const double demand = i % 3 - 1;

        harness_send_slopes(&h, (uint64_t)i, &demand, (const double[]){0}, 1);
        runs_await_cycles(&h, 20u / THINNED * (unsigned int)i);
    }
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    demand_replay(&h, "run.mcap", 0, "every bit the same");
    close_daemon(&h);
}

static const char tuned_text[] =
    "linkage: 1\nname: tuned\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  coil: {type: joint-spring-damper, joint: pin, stiffness: 20, damping: 0.1}\n"
    "outputs:\n  angle: {type: joint-position, joint: pin}\n  work: {type: work}\n"
    "parameters:\n  coil: {acts: forces.coil.stiffness, limits: [0, 100], tunable: true}\n"
    "  pull: {acts: gravity.3, limits: [-20, 0], tunable: true}\n"
    "solver: {step: 0.001}\n";

/* `linkagectl param set` changes parameters during the run. The changes act and are recorded, and a
 * replay needs no other data. */
static void tuned_parameters_are_replayed_bit_for_bit(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "io: auto", "");
    assert_int_equal(harness_load(&h, "tuned.yaml", tuned_text)->result, RESULT(OK));
    record(&h, "run");
    harness_go(&h);
    for (int i = 1; i <= 10; i++) {
        const double coil = 20 + 5 * i, pull = -9.81 - 0.5 * i, beyond = 101;

        assert_int_equal(harness_set(&h, "coil", &coil, 1)->result, RESULT(OK));
        assert_int_equal(harness_set(&h, "pull", &pull, 1)->result, RESULT(OK));
        assert_int_equal(harness_set(&h, "coil", &beyond, 1)->result, RESULT(BAD_VALUE));
        runs_await_cycles(&h, 20 * (uint64_t)i);
    }
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    demand_replay(&h, "run.mcap", 0, "every bit the same");
    assert_int_equal(run_linkage(&h, "export --topic inputs", "run.mcap", "| sed -n '1p;2p;$p'"),
                     0);
    runs_says(output, "coil");
    runs_says(output, ",70,-14.81");
    close_daemon(&h);
}

static double tilted(void *context, const double place[2])
{
    return *(const double *)context * place[0];
}

/* Write a field with this slope as FOLDER/rec/hill.road. */
static void write_road(const struct harness *h, double slope)
{
    const struct lk_road_grid like = {
        .origin = {-8, -8}, .step = {0.5, 0.5}, .cells = {32, 32}, .quantum = 1e-6};
    struct lk_road_file road;
    char path[256];
    void *bytes;
    size_t size;
    FILE *f;

    assert_int_equal(lk_road_file_build(&like, tilted, &slope, &road, NULL), 0);
    assert_int_equal(lk_road_file_bytes(&road.grid, 0, NULL, &bytes, &size), 0);
    snprintf(path, sizeof(path), "%s/rec/hill.road", h->folder);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    free(bytes);
    lk_road_file_free(&road);
}

/* A daemon reads road files only below its configured folder. A replay needs the same files. */
static void the_files_of_roads_are_part_of_a_recording(void **state)
{
    const Linkage__V1__ControlReply *reply;
    struct harness h;
    char path[256];

    (void)state;
    open_daemon(&h, "io: auto", "");
    reply = harness_load(&h, "roller.yaml", road_text);
    assert_int_equal(reply->result, RESULT(BAD_MODEL));
    assert_non_null(strstr(reply->text, "expected a folder for roads"));
    close_daemon(&h);

    open_daemon(&h, "io: auto", "roads: {directory: rec}\n");
    reply = harness_load(&h, "roller.yaml", road_text);
    assert_int_equal(reply->result, RESULT(BAD_MODEL));
    assert_non_null(strstr(reply->text, "hill.road': No such file"));
    write_road(&h, 0.1);
    reply = harness_load(&h, "roller.yaml", road_text);
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    record(&h, "run");
    harness_go(&h);
    runs_await_cycles(&h, 100);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    demand_replay(&h, "run.mcap", 0, "every bit the same");
    assert_int_equal(run_linkage(&h, "info", "run.mcap", ""), 0);
    assert_non_null(strstr(output, "roads_crc32"));
    write_road(&h, 0.1001);
    demand_replay(&h, "run.mcap", 1, "the files of its roads have the checksum");
    snprintf(path, sizeof(path), "%s/rec/hill.road", h.folder);
    unlink(path);
    demand_replay(&h, "run.mcap", 1, "the file 'hill.road': No such file");
    close_daemon(&h);
}

/** struct ride - a car and its inputs
 * @n:      number of inputs
 * @values: values of the inputs in the first, second and third part of a ride */
struct ride {
    const char *car;
    size_t n;
    double values[3][5];
};

/* Cars with a driveline and TMeasy, with MF 5.2 and with Calspan. The states of the tyres are part
 * of the recorded state, and the inputs come from a bench. */
static void cars_are_replayed_bit_for_bit(void **state)
{
    static const struct ride rides[] = {
        {"sedan", 5, {{0.4, 1, 0, 1, 5}, {-0.8, 0.2, 0.1, 0.7, -10}, {0, 0, 1, 1, 0}}},
        {"strut-car", 5, {{0.05, 0, 1, 300, 200}, {-0.1, 0.3, 0.6, 0, -50}, {0.2, 1, 1, 0, 0}}},
        {"iltis", 1, {{0.002}, {-0.004}, {0}}},
    };

    (void)state;
    if (SANITIZED)
        skip_because("a step of a car under a sanitizer is longer than its period",
                     "see the release build");
    for (size_t i = 0; i < sizeof(rides) / sizeof(*rides); i++) {
        const struct ride *ride = &rides[i];
        struct harness h;

        open_daemon(&h, "io: auto", "");
        runs_load_file_as_it_is(&h, ride->car);
        record(&h, "ride");
        harness_go(&h);
        for (uint64_t k = 0; k < 12; k++) {
            harness_send(&h, k + 1, h.reply->status->model_id, ride->values[k / 4], ride->n);
            harness_await_counts(&h, k + 1, 0);
            runs_await_cycles(&h, 40 / THINNED * (k + 1));
        }
        harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
        demand_replay(&h, "ride.mcap", 0, "every bit the same");
        close_daemon(&h);
    }
}

static void a_run_is_replayed_bit_for_bit(void **state)
{
    (void)state;
    replay_of_a_run("io: auto");
    replay_of_a_run("io: pwrite, chunk: 65536, flush: 0.02");
}

static unsigned char *read_all(const struct harness *h, const char *name, size_t *ret_size)
{
    char path[400];
    struct stat st;
    unsigned char *data;
    FILE *in;

    snprintf(path, sizeof(path), "%s/rec/%s", h->folder, name);
    in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &st), 0);
    data = malloc((size_t)st.st_size);
    *ret_size = fread(data, 1, (size_t)st.st_size, in);
    assert_int_equal(*ret_size, st.st_size);
    fclose(in);
    return data;
}

static void write_all(const struct harness *h, const char *name, const void *data, size_t size)
{
    char path[400];
    FILE *out;

    snprintf(path, sizeof(path), "%s/rec/%s", h->folder, name);
    out = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

/* Flip the lowest bit of the last number of /outputs of @cycle.
 * @keep_crc: keep the CRC of its chunk; otherwise the file declares none */
static void flip(unsigned char *data, size_t size, uint32_t cycle, bool keep_crc)
{
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;
    bool done = false;

    assert_int_equal(lk_mcap_open_memory(data, size, &reader), 0);
    while (!done && lk_mcap_next(&reader, &item) == 1) {
        uint64_t at;

        if (item.kind != LK_MCAP_IS_MESSAGE || item.id != LK_RECORDING_OUTPUTS ||
            item.sequence != cycle)
            continue;
        /* the reader copied the chunk: the offset within the copy is that in the file */
        at = item.offset + LK_MCAP_HEAD_SIZE + (uint64_t)(item.data.data - reader.block);
        data[at + item.data.size - 8] ^= 1;
        if (!keep_crc)
            memset(data + item.offset + LK_MCAP_HEAD_SIZE + 24, 0, 4);
        done = true;
    }
    lk_mcap_close(&reader);
    assert_true(done);
}

static void a_wrong_bit_is_found_at_its_step(void **state)
{
    unsigned char *data;
    struct harness h;
    size_t size;

    (void)state;
    open_daemon(&h, "autostart: true, chunk: 65536", "");
    harness_load_model(&h);
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    assert_int_equal(runs_ask_start(&h, 1000)->result, RESULT(OK));
    stop_recorded(&h, 1000);
    {
        char name[256];

        find_recording(&h, name);
        data = read_all(&h, name, &size);
    }
    flip(data, size, 700, false);
    write_all(&h, "wrong.mcap", data, size);
    demand_replay(&h, "wrong.mcap", 1, "step 701 differs: residual.increment [m]");
    assert_non_null(strstr(output, "recorded  "));
    assert_non_null(strstr(output, "0x"));
    assert_non_null(strstr(output, "700 steps before were the same"));
    assert_int_equal(run_linkage(&h, "replay --limit 700", "wrong.mcap", ""), 0);
    assert_non_null(strstr(output, "700 steps, every bit the same"));
    /* with the old CRC the whole chunk is rejected */
    flip(data, size, 100, true);
    write_all(&h, "damaged.mcap", data, size);
    demand_replay(&h, "damaged.mcap", 1, "their CRC is wrong");
    free(data);
    close_daemon(&h);
}

static void a_recording_from_the_middle_is_no_replay(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "io: auto", "");
    harness_load_model(&h);
    harness_go(&h);
    runs_await_cycles(&h, 100 / THINNED);
    record(&h, "middle");
    await_recorded(&h, 50 / THINNED);
    assert_int_equal(ask_record(&h, "", true)->result, RESULT(OK));
    assert_false(h.reply->status->recording->active);
    assert_true(h.reply->status->recording->begins_at_step >= 100 / THINNED);
    assert_int_equal(h.reply->status->state, STATE(RUNNING));
    demand_replay(&h, "middle.mcap", 1, "the recording begins at step");
    assert_int_equal(run_linkage(&h, "export", "middle.mcap", "| head -1"), 0);
    assert_non_null(strstr(output, "time [s],crank_angle [rad]"));
    close_daemon(&h);
}

/* Return the number of cycles in the recording that are readable now. */
static uint64_t cycles_in(const struct harness *h, const char *name)
{
    run_linkage(h, "info", name, "| grep /cycle");
    return strtoull(output + strcspn(output, "0123456789"), NULL, 10);
}

static void killed_it_is_readable_up_to_the_last_flush(void **state)
{
    static const char *const options[] = {"autostart: true, flush: 0.05, io: auto",
                                          "autostart: true, flush: 0.05, io: pwrite"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        time_t until = time(NULL) + PATIENCE_MS / 1000;
        struct harness h;
        char name[256];

        open_daemon(&h, options[i], "");
        harness_load_model(&h);
        harness_go(&h);
        find_recording(&h, name);
        while (cycles_in(&h, name) < 200 / THINNED && time(NULL) < until)
            runs_nap();
        kill(h.pid, SIGKILL);
        assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 128 + SIGKILL);
        h.pid = 0;
        demand_replay(&h, name, 0, "the file has no end");
        assert_non_null(strstr(output, "every bit the same"));
        assert_true(strtoull(strstr(output, "of ") + 3, NULL, 10) > 0);
        assert_true(cycles_in(&h, name) >= 200 / THINNED);
        close_daemon(&h);
    }
}

/* A full disk of 4 MiB ends the recording. The run continues, and the file is valid. */
static void a_full_disk_ends_the_recording_not_the_run(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;
    char path[256];

    (void)state;
    open_daemon(&h, "autostart: true, chunk: 65536", "");
    snprintf(path, sizeof(path), "%s/rec", h.folder);
    if (mount("tmpfs", path, "tmpfs", 0, "size=4m")) {
        close_daemon(&h);
        skip_because("a small disk cannot be mounted here",
                     "run it as root, in a container with CAP_SYS_ADMIN");
    }
    harness_load_model(&h);
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    do {
        runs_nap();
        status = harness_command(&h, STATUS)->status;
    } while (status->recording->active);
    assert_non_null(strstr(status->recording->trouble, "No space left"));
    assert_true(status->recording->bytes > 2000000);
    status = runs_await_cycles(&h, status->cycles + 100);
    assert_int_equal(status->state, STATE(RUNNING));
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    find_recording(&h, path);
    demand_replay(&h, path, 0, "every bit the same");
    assert_null(strstr(output, "no end"));
    close_daemon(&h);
}

static void limit_files(const struct harness *h, rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};

    assert_int_equal(prlimit(h->pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

/* A file size limit acts like a full disk and needs no mount. Its SIGXFSZ must not end the daemon.
 * Without space for the header the request is refused. If the space ends later, the recording
 * ends. */
static void a_limit_of_files_ends_the_recording_not_the_run(void **state)
{
    static const char *const options[] = {"chunk: 65536, io: pwrite", "chunk: 65536, io: auto"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const Linkage__V1__Status *status;
        struct harness h;
        char name[256];

        open_daemon(&h, options[i], "");
        harness_load_model(&h);
        arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
        assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
        limit_files(&h, 100);
        assert_int_equal(ask_record(&h, "none", false)->result, RESULT(NO_RECORDER));
        assert_non_null(strstr(h.reply->text, "none.mcap: File too large"));
        assert_false(h.reply->status->recording->active);
        limit_files(&h, 1000000);
        record(&h, "short");
        do {
            runs_nap();
            status = harness_command(&h, STATUS)->status;
        } while (status->recording->active);
        assert_non_null(strstr(status->recording->trouble, "File too large"));
        assert_int_equal(status->state, STATE(RUNNING));
        status = runs_await_cycles(&h, status->cycles + 100);
        assert_int_equal(status->state, STATE(RUNNING));
        harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
        limit_files(&h, RLIM_INFINITY);
        find_recording(&h, name);
        assert_string_equal(name, "short.mcap");
        assert_int_equal(run_linkage(&h, "info", name, ""), 0);
        close_daemon(&h);
    }
}

/* A removed file also ends a recording that has no data yet, because a recording may wait for its
 * run. */
static void a_file_that_is_removed_ends_the_recording(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;
    char path[256];

    (void)state;
    open_daemon(&h, "flush: 0.05", "");
    harness_load_model(&h);
    record(&h, "gone");
    snprintf(path, sizeof(path), "%s/rec/gone.mcap", h.folder);
    assert_int_equal(unlink(path), 0);
    do {
        runs_nap();
        status = harness_command(&h, STATUS)->status;
    } while (status->recording->active);
    assert_string_equal(status->recording->trouble, "the file was removed");
    assert_true(harness_log_has(h.folder, "log", "LK-7003"));
    close_daemon(&h);
}

/* The recording names a trip with the words of the contract, like the log and every tool. */
static void a_trip_is_told_in_the_words_of_the_contract(void **state)
{
    const double good = 1, bad = NAN;
    struct harness h;
    uint64_t id;

    (void)state;
    open_daemon(
        &h, "flush: 0.05",
        "policy: {not_finite: hold, stale: count, residual: {action: count, limit: 1e-30}}\n");
    id = harness_load_model(&h);
    record(&h, "trip");
    harness_go(&h);
    harness_send(&h, 1, id, &good, 1);
    harness_await_counts(&h, 1, 0);
    harness_send(&h, 2, id, &bad, 1);
    harness_await_counts(&h, 1, 1);
    harness_await_log(&h, "[LK-3008]", 1);
    assert_int_equal(benches_injections(&h)->result, RESULT(OK)); /* a query is no event */
    assert_int_equal(benches_clear(&h)->result, RESULT(OK));
    runs_await_cycles(&h, harness_command(&h, STATUS)->status->cycles + 200 / THINNED);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_int_equal(run_linkage(&h, "export --topic events", "trip.mcap", ""), 0);
    if (strstr(output, "\"0 injections") || !strstr(output, "\"cleared; 0 injections"))
        fail_msg("a look at the injections among the events, or no end of them: %s", output);
    if (!strstr(output, "motor: hold, because of: not-finite"))
        fail_msg("no trip in %s", output);
    if (!strstr(output, ",condition,\"LK-2009: a joint is violated"))
        fail_msg("no condition with its identifier in %s", output);
    close_daemon(&h);
}

static void without_a_clock_nothing_is_lost(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "chunk: 65536, sync: true", "");
    runs_load_file(&h, "pendulum", "0.001");
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    record(&h, "asap");
    assert_int_equal(runs_ask_start(&h, ASAP_STEPS)->result, RESULT(OK));
    stop_recorded(&h, ASAP_STEPS);
    assert_int_equal(h.reply->status->recording->dropped, 0);
    demand_replay(&h, "asap.mcap", 0, ASAP_STEPS_TEXT " steps, every bit the same");
    assert_int_equal(run_linkage(&h, BY_TWO, "asap.mcap", ""), 0);
    close_daemon(&h);
}

/* Denormal numbers are zero in the daemon and also in the tool. */
static void a_motion_that_dies_out_has_the_same_bits(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "chunk: 65536", "");
    assert_int_equal(harness_load(&h, "decay", decay_text)->result, RESULT(OK));
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    record(&h, "decay");
    assert_int_equal(runs_ask_start(&h, 8000)->result, RESULT(OK));
    stop_recorded(&h, 8000);
    demand_replay(&h, "decay.mcap", 0, "8000 steps, every bit the same");
    close_daemon(&h);
}

/* A replay uses the engine of the recording, even if another one is its default here. */
static void the_engine_of_a_recording_is_taken(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    int i = 0;

    (void)state;
    lk_engines_here(here);
    do {
        struct harness h;

        setenv("LINKAGE_ENGINE", here[i] ? here[i]->name : "none", 1);
        open_daemon(&h, "chunk: 65536", "");
        unsetenv("LINKAGE_ENGINE");
        runs_load_file(&h, "chain-8", "0.005");
        arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
        record(&h, "chain");
        assert_int_equal(runs_ask_start(&h, 2000)->result, RESULT(OK));
        stop_recorded(&h, 2000);
        demand_replay(&h, "chain.mcap", 0, "2000 steps, every bit the same");
        assert_null(strstr(output, "recorded by build"));
        close_daemon(&h);
    } while (here[i++]);
}

/* Replace the last letter of each occurrence of @words in @data.
 * Return: number of occurrences */
static int forge(unsigned char *data, size_t size, const char *words)
{
    size_t n = strlen(words);
    int found = 0;

    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(data + i, words, n) == 0) {
            data[i + n - 1] = 'x';
            found++;
        }
    return found;
}

static void a_replay_says_that_the_build_is_another(void **state)
{
    unsigned char *data;
    struct harness h;
    size_t size;

    (void)state;
    open_daemon(&h, "chunk: 65536", "");
    harness_load_model(&h);
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    record(&h, "own");
    assert_int_equal(runs_ask_start(&h, 200)->result, RESULT(OK));
    stop_recorded(&h, 200);
    demand_replay(&h, "own.mcap", 0, "200 steps, every bit the same");
    assert_null(strstr(output, "last bits may differ"));
    assert_int_equal(run_linkage(&h, "info", "own.mcap", ""), 0);
    assert_non_null(strstr(output, lk_build_id()));
    assert_non_null(strstr(output, "-ffp-contract="));
    data = read_all(&h, "own.mcap", &size);
    assert_true(forge(data, size, lk_build_id()) > 0);
    write_all(&h, "other.mcap", data, size);
    free(data);
    demand_replay(&h, "other.mcap", 0, "last bits may differ");
    assert_non_null(strstr(output, "recorded by build "));
    assert_non_null(strstr(output, "200 steps, every bit the same"));
    close_daemon(&h);
}

/* A run without a clock also waits for a recorder that was started before arming, when this mode
 * was not yet set. The recording lacks no cycle. */
static void begun_before_arming_it_waits_too(void **state)
{
    const struct timespec nap = {.tv_nsec = 300000000};
    struct harness h;
    pid_t recorder;

    (void)state;
    open_daemon(&h, "chunk: 65536", "");
    runs_load_file(&h, "pendulum", "0.001");
    record(&h, "asap");
    arm_mode(&h, LINKAGE__V1__MODE__MODE_ASAP);
    recorder = freeze_seize(&h, "lkd-recorder");
    if (recorder == 0) {
        close_daemon(&h);
        skip_because("the recorder's thread cannot be frozen here",
                     "allow ptrace: as root, or with kernel.yama.ptrace_scope below 2");
    }
    freeze_waiting(&h, recorder);
    assert_int_equal(runs_ask_start(&h, ASAP_STEPS)->result, RESULT(OK));
    nanosleep(&nap, NULL);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step < ASAP_STEPS);
    freeze_let_go(recorder);
    stop_recorded(&h, ASAP_STEPS);
    assert_int_equal(h.reply->status->recording->dropped, 0);
    demand_replay(&h, "asap.mcap", 0, ASAP_STEPS_TEXT " steps, every bit the same");
    close_daemon(&h);
}

static void lockstep_is_recorded_step_by_step(void **state)
{
    struct harness h;

    (void)state;
    open_daemon(&h, "io: auto", "");
    harness_load_model(&h);
    arm_mode(&h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    record(&h, "lockstep");
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    for (uint64_t k = 1; k <= 100; k++) {
        set_motor(&h, (double)k * 0.01);
        assert_int_equal(runs_ask_step(&h, k, (uint32_t)(k % 5 + 1), NULL)->result, RESULT(OK));
    }
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    demand_replay(&h, "lockstep.mcap", 0, "300 steps, every bit the same");
    close_daemon(&h);
}

static void expect_refusal(struct harness *h, const char *name, bool stop,
                           Linkage__V1__Result result, const char *words)
{
    const Linkage__V1__ControlReply *reply = ask_record(h, name, stop);

    assert_int_equal(reply->result, result);
    if (!strstr(reply->text, words))
        fail_msg("'%s', expected '%s'", reply->text, words);
}

static void what_is_refused_says_why(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, EASY);
    expect_refusal(&h, "", false, RESULT(WRONG_STATE), "load a model first");
    harness_load_model(&h);
    expect_refusal(&h, "", false, RESULT(NO_RECORDER), "no folder for recordings");
    expect_refusal(&h, "", true, RESULT(WRONG_STATE), "nothing is being recorded");
    harness_close(&h);

    open_daemon(&h, "io: auto", "");
    harness_load_model(&h);
    expect_refusal(&h, "../run", false, RESULT(NO_RECORDER), "is no name for a recording");
    expect_refusal(&h, ".run", false, RESULT(NO_RECORDER), "is no name for a recording");
    expect_refusal(&h, "-rf", false, RESULT(NO_RECORDER), "is no name for a recording");
    expect_refusal(&h, "run\xe2\x80\xaepacm", false, RESULT(NO_RECORDER),
                   "is no name for a recording");
    record(&h, "run");
    expect_refusal(&h, "other", false, RESULT(NO_RECORDER), "stop it first");
    assert_int_equal(ask_record(&h, "", true)->result, RESULT(OK));
    expect_refusal(&h, "run", false, RESULT(NO_RECORDER), "File exists");
    record(&h, ""); /* ends with the load of a model */
    harness_load_model(&h);
    assert_false(harness_command(&h, STATUS)->status->recording->active);
    close_daemon(&h);
}

/* With autostart each run has its own recording, and a fault ends the recording. */
static void a_fault_ends_the_recording(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;
    char name[256];

    (void)state;
    open_daemon(&h, "autostart: true", "policy: {residual: {limit: 1e-15, action: fault}}\n");
    harness_load_model(&h);
    harness_go(&h);
    runs_await_state(&h, STATE(FAULT));
    status = harness_command(&h, STATUS)->status;
    assert_false(status->recording->active);
    find_recording(&h, name);
    assert_int_equal(run_linkage(&h, "export -t events", name, ""), 0);
    assert_non_null(strstr(output, ",fault,"));
    run_linkage(&h, "replay", name, "");
    assert_non_null(strstr(output, "the run ended in a fault"));
    close_daemon(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_replayed_bit_for_bit),
        cmocka_unit_test(the_files_of_roads_are_part_of_a_recording),
        cmocka_unit_test(a_port_is_replayed_bit_for_bit),
        cmocka_unit_test(blocks_are_replayed_bit_for_bit),
        cmocka_unit_test(tuned_parameters_are_replayed_bit_for_bit),
        cmocka_unit_test(cars_are_replayed_bit_for_bit),
        cmocka_unit_test(a_wrong_bit_is_found_at_its_step),
        cmocka_unit_test(a_recording_from_the_middle_is_no_replay),
        cmocka_unit_test(killed_it_is_readable_up_to_the_last_flush),
        cmocka_unit_test(a_full_disk_ends_the_recording_not_the_run),
        cmocka_unit_test(a_limit_of_files_ends_the_recording_not_the_run),
        cmocka_unit_test(a_file_that_is_removed_ends_the_recording),
        cmocka_unit_test(a_trip_is_told_in_the_words_of_the_contract),
        cmocka_unit_test(without_a_clock_nothing_is_lost),
        cmocka_unit_test(a_motion_that_dies_out_has_the_same_bits),
        cmocka_unit_test(the_engine_of_a_recording_is_taken),
        cmocka_unit_test(a_replay_says_that_the_build_is_another),
        cmocka_unit_test(begun_before_arming_it_waits_too),
        cmocka_unit_test(lockstep_is_recorded_step_by_step),
        cmocka_unit_test(what_is_refused_says_why),
        cmocka_unit_test(a_fault_ends_the_recording),
    };

    harness_init(argc, argv);
    if (argc < 4)
        return 2;
    linkage = argv[3];
    model = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}

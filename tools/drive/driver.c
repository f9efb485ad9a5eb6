/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-driver: a bench that drives a car along a road of an OpenDRIVE file (driver_model.h).
 *
 * It is a stand-in: where another bench claims the inputs, a driver at the page for example, it
 * waits until they are free again. */
#include "bench.h"
#include "driver_model.h"
#include "linkage/file.h"
#include "message.h"
#include "option_table.h"
#include "service.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PERIOD_S  0.01 /* of the samples, while the model has steps of 1 ms */
#define DIVISOR   10
#define SILENT_MS 100  /* longest wait for a sample */
#define RATIO     0.02 /* curvature for each angle of the steering wheel of a car [1/(rad m)] */
#define SEEN      13   /* values of a pose and a velocity */

static int read_driver(const char *file, const struct driver_limits *limits, struct driver *ret)
{
    struct notes notes = {.path = file};
    struct xodr xodr = {.n = 0};
    char *text;
    size_t size;
    bool is_good;
    int result = lk_file_read(file, XODR_SIZE_MAX, &text, &size);

    if (result != 0) {
        complain("%s: %s", file, lk_file_error(result));
        return 1;
    }
    is_good = xodr_read(text, size, &xodr, &notes);
    free(text);
    notes_print(&notes, stderr);
    notes_free(&notes);
    if (is_good && !driver_new(&xodr, limits, RATIO, ret)) {
        complain("%s: its first road is too short", file);
        is_good = false;
    }
    xodr_free(&xodr);
    return is_good ? 0 : 1;
}

/* Drive until a signal. While the inputs are those of somebody else, the car may go anywhere. */
static void run(struct driver *d, struct lk_client_bench *bench)
{
    double before_s = 0;

    while (!service_ends()) {
        const Linkage__V1__OutputSample *sample;
        struct lk_client_bench_view view;
        struct driver_car car;
        double values[DRIVER_VALUES], dt;

        int result = lk_client_bench_receive(bench, SILENT_MS, NULL, &sample);

        lk_client_bench_read_state(bench, &view);
        service_tell(result == 0 && sample->n_values != SEEN
                         ? "the outputs chassis and motion are not a body-pose and a body-velocity"
                         : view.text);
        if (result != 0)
            continue;
        dt = fmin(fmax(sample->time_s - before_s, 0), 10 * PERIOD_S);
        before_s = sample->time_s;
        if (view.state != LK_CLIENT_BENCH_CONNECTED || sample->n_values != SEEN ||
            sample->state != LINKAGE__V1__STATE__STATE_RUNNING) {
            driver_forget(d);
            continue;
        }
        car = driver_see(sample->values);
        driver_act(d, &car, dt, values);
        lk_client_bench_send(bench, values, DRIVER_VALUES, NULL);
    }
}

static int open_bench(const char *const endpoint[3], struct lk_client_bench **ret)
{
    char chassis[] = "chassis", motion[] = "motion", *const outputs[] = {chassis, motion};
    static const struct lk_client_bench_channel channels[DRIVER_VALUES] = {
        [DRIVER_STEER] = {"steer", "rad"},
        [DRIVER_THROTTLE] = {"throttle", "1"},
        [DRIVER_BRAKE] = {"brake", "1"}};
    const struct lk_client_bench_setup setup = {
        .control = endpoint[0],
        .inputs = endpoint[1],
        .outputs = endpoint[2],
        .name = "linkage-driver",
        .channels = channels,
        .n_channels = DRIVER_VALUES,
        .selection = outputs,
        .n_selection = 2,
        .divisor = DIVISOR,
        .yields = true,
    };
    struct lk_error error;

    if (lk_client_bench_open(&setup, ret, &error) == 0)
        return 0;
    complain("%s", error.text);
    return 1;
}

static const char usage[] =
    "usage: linkage-driver FILE.xodr [options]\n"
    "Drives a car with the inputs steer, throttle, brake and the outputs chassis, motion along "
    "the\n"
    "first road of FILE, as long as no other bench claims these inputs.\n"
    "  -t, --aside M        t of its path, left of the line [m]; default -1.75\n"
    "  -v, --speed V        at most [m/s]; default 30\n"
    "  -y, --lateral A      acceleration in bends on dry road, at most [m/s^2]; default 3.5\n"
    "  -x, --braking A      the same of braking; default 3\n"
    "      --control E --inputs E --outputs E   endpoints of the daemon\n";

int main(int argc, char *argv[])
{
    const char *endpoint[3] = {LK_CLIENT_CONTROL, LK_CLIENT_INPUTS, LK_CLIENT_OUTPUTS};
    struct driver_limits limits = {.aside = -1.75, .speed = 30, .a_x = 3, .a_y = 3.5};
    const struct option_row rows[] = {
        {"aside", 't', .number = &limits.aside, .low = -100, .high = 100, .unit = "m"},
        {"speed", 'v', .number = &limits.speed, .low = 1, .high = 100, .unit = "m/s"},
        {"lateral", 'y', .number = &limits.a_y, .low = 0.1, .high = 20, .unit = "m/s^2"},
        {"braking", 'x', .number = &limits.a_x, .low = 0.1, .high = 20, .unit = "m/s^2"},
        {"control", .text = &endpoint[0]},
        {"inputs", .text = &endpoint[1]},
        {"outputs", .text = &endpoint[2]},
        {"help", 'h', .print = usage},
        {NULL},
    };
    const struct option_table table = {.rows = rows};
    struct lk_client_bench *bench;
    struct driver driver = {.n = 0};
    int code = options_parse(argc, argv, &table);

    if (code != 0)
        return options_status(code);
    if (optind != argc - 1) {
        fputs(usage, stderr);
        return OPTIONS_USAGE;
    }
    if (!service_begin())
        return 1;
    code = read_driver(argv[optind], &limits, &driver);
    if (code == 0)
        code = open_bench(endpoint, &bench);
    if (code == 0) {
        run(&driver, bench);
        lk_client_bench_close(bench);
    }
    driver_free(&driver);
    return code;
}

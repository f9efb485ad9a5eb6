/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-ground: a bench that answers where a wheel is with the ground under it, as the world of
 * another simulator does for a road of type `external`. It is the reference for such benches.
 *
 * For each wheel it sees the contact point in a tyre-contact output, and sends its plane there: the
 * point of the ground above or below it, and the slopes along x and y. It answers every sample; an
 * answer acts from the next step on or the one after it. On a plane a late answer is exact, because
 * the plane is known beyond the point for which it was asked. */
#include "bench.h"
#include "message.h"
#include "model/road_file.h"
#include "option_table.h"
#include "service.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHEELS_MAX 16
#define SILENT_MS  100 /* longest wait for a sample */
#define ANSWER     5   /* values of an input of type ground */
#define SEEN       7   /* values of a tyre-contact, of which the last three are the point */

/** struct world - the ground: a height field, or waves along x, level without an amplitude [m]. */
struct world {
    struct lk_road_file road;
    double level;
    double amplitude;
    double length;
};

/* compute the answer for a contact point; where a height field has a hole, the level [m] */
static void answer(const struct world *w, const double place[3], double ret[ANSWER])
{
    double phase = w->amplitude != 0 ? 2 * M_PI * place[0] / w->length : 0;
    struct lk_road_height h = {.z = w->level};

    if (w->road.grid.n_tiles > 0) {
        if (!lk_road_grid_at(&w->road.grid, place, &h))
            h = (struct lk_road_height){.z = w->level};
    } else if (w->amplitude != 0) {
        h.z += w->amplitude * sin(phase);
        h.slope[0] = w->amplitude * cos(phase) * 2 * M_PI / w->length;
    }
    memcpy(ret, (const double[ANSWER]){place[0], place[1], h.z, h.slope[0], h.slope[1]},
           ANSWER * sizeof(double));
}

static void run(const struct world *w, struct lk_client_bench *bench, size_t wheels)
{
    double values[WHEELS_MAX * ANSWER];

    while (!service_ends()) {
        const Linkage__V1__OutputSample *sample;

        struct lk_client_bench_view view;

        if (lk_client_bench_receive(bench, SILENT_MS, NULL, &sample) != 0) {
            lk_client_bench_read_state(bench, &view);
            service_tell(view.text);
            continue;
        }
        if (sample->n_values != wheels * SEEN) {
            service_tell("an OUTPUT is not of type tyre-contact, nothing is answered");
            continue;
        }
        service_tell("");
        for (size_t i = 0; i < wheels; i++)
            answer(w, sample->values + i * SEEN + 4, values + i * ANSWER);
        lk_client_bench_send(bench, values, wheels * ANSWER, NULL);
    }
}

/* Take the wheels from words INPUT=OUTPUT, which are changed. Return: their number, 0: a mistake */
static size_t take_wheels(int n, char *words[], struct lk_client_bench_channel *channels,
                          char **outputs)
{
    for (int i = 0; i < n; i++) {
        char *sign = strchr(words[i], '=');

        if (sign == NULL || i == WHEELS_MAX) {
            complain("'%s': expected at most %d times INPUT=OUTPUT, as ground_fl=contact_fl",
                     words[i], WHEELS_MAX);
            return 0;
        }
        *sign = '\0';
        channels[i] = (struct lk_client_bench_channel){.name = words[i]};
        outputs[i] = sign + 1;
    }
    return (size_t)n;
}

static const char usage[] =
    "usage: linkage-ground [options] [INPUT=OUTPUT...]\n"
    "Tells the ground under the wheels of a model with a road of type external: INPUT of type\n"
    "ground, OUTPUT of type tyre-contact. Default: ground_fl=contact_fl, and fr, rl, rr.\n"
    "  -r, --road FILE.road   the ground is a height field\n"
    "  -a, --amplitude M -l, --length M   else waves along x [m]; default: none\n"
    "  -z, --level Z          height of the waves, and where the file has no road [m]; default 0\n"
    "      --control E --inputs E --outputs E   endpoints of the daemon\n";

int main(int argc, char *argv[])
{
    static char four[4][32] = {"ground_fl=contact_fl", "ground_fr=contact_fr",
                               "ground_rl=contact_rl", "ground_rr=contact_rr"};
    char *sedan[4] = {four[0], four[1], four[2], four[3]}, *outputs[WHEELS_MAX];
    const char *endpoint[3] = {LK_CLIENT_CONTROL, LK_CLIENT_INPUTS, LK_CLIENT_OUTPUTS};
    const char *file = NULL;
    struct world world = {.length = 10};
    const struct option_row rows[] = {
        {"road", 'r', .text = &file},
        {"amplitude", 'a', .number = &world.amplitude, .low = 0, .high = 10, .unit = "m"},
        {"length", 'l', .number = &world.length, .low = 0.1, .high = 1e4, .unit = "m"},
        {"level", 'z', .number = &world.level, .low = -1e4, .high = 1e4, .unit = "m"},
        {"control", .text = &endpoint[0]},
        {"inputs", .text = &endpoint[1]},
        {"outputs", .text = &endpoint[2]},
        {"help", 'h', .print = usage},
        {NULL},
    };
    const struct option_table table = {.rows = rows};
    struct lk_client_bench_channel channels[WHEELS_MAX];
    struct lk_client_bench_setup setup = {.name = "linkage-ground", .channels = channels};
    struct lk_client_bench *bench;
    struct lk_error error;
    int code = options_parse(argc, argv, &table);
    bool is_given = optind < argc;

    if (code != 0)
        return options_status(code);
    setup.n_channels = setup.n_selection = take_wheels(
        is_given ? argc - optind : 4, is_given ? argv + optind : sedan, channels, outputs);
    if (setup.n_channels == 0)
        return OPTIONS_USAGE;
    setup.selection = outputs;
    setup.control = endpoint[0];
    setup.inputs = endpoint[1];
    setup.outputs = endpoint[2];
    if (!service_begin())
        return 1;
    if (file != NULL && lk_road_file_read(file, &world.road, &error) != 0) {
        complain("the file '%s': %s", file, error.text);
        return 1;
    }
    code = lk_client_bench_open(&setup, &bench, &error);
    if (code == 0) {
        run(&world, bench, setup.n_channels);
        lk_client_bench_close(bench);
    } else {
        complain("%s", error.text);
    }
    lk_road_file_free(&world.road);
    return code != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A bench that sends an impedance, in C, with the library tools/client: a wall of 1e5 N/m at x =
 * 0.1 m. A force computed by the bench would act too late. Therefore the bench sends the impedance
 * of the wall, and the model solves for the force within its step (doc/bench.md). The model is
 * wall.yaml.
 *
 * usage: impedance SECONDS [CONTROL INPUTS OUTPUTS] */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE     0.1 /* position of the wall [m] */
#define STIFFNESS 1e5 /* [N/m] */
#define DAMPING   20  /* [N s/m] */

enum { X, V, WORK }; /* indices of the outputs, in the order of the selection */

int main(int argc, char **argv)
{
    /* the units that this bench expects; the claim is refused if the model has other units */
    const struct lk_client_bench_channel channels[] = {
        {"stiffness", "N/m"}, {"damping", "N s/m"}, {"rest", "m"}};
    char *selection[] = {(char *)"x", (char *)"v", (char *)"work"};
    struct lk_client_bench_setup setup = {.name = "C wall",
                                          .channels = channels,
                                          .n_channels = 3,
                                          .selection = selection,
                                          .n_selection = 3};
    double deepest = 0, work = 0;
    int touched = 0, inside = 0;
    struct lk_client_bench *bench;
    struct lk_error error;
    int64_t end_ns;

    if (argc != 2 && argc != 5) {
        fprintf(stderr, "usage: impedance SECONDS [CONTROL INPUTS OUTPUTS]\n");
        return 2;
    }
    if (argc == 5) {
        setup.control = argv[2];
        setup.inputs = argv[3];
        setup.outputs = argv[4];
    }
    if (lk_client_bench_open(&setup, &bench, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    end_ns = lk_client_now_ns() + (int64_t)(atof(argv[1]) * 1e9);
    while (lk_client_now_ns() < end_ns) {
        const Linkage__V1__OutputSample *sample;
        double said[3] = {0, 0, PLACE};
        int was_inside = inside;

        if (lk_client_bench_receive(bench, 100, NULL, &sample) != 0)
            continue;
        inside = sample->values[X] > PLACE;
        touched += inside && !was_inside;
        deepest = fmax(deepest, sample->values[X] - PLACE);
        work = sample->values[WORK];
        if (inside) { /* without contact the spring and the damper are zero */
            said[0] = STIFFNESS;
            said[1] = DAMPING;
        }
        (void)lk_client_bench_send(bench, said, 3, NULL); /* may fail; retried later */
    }
    lk_client_bench_close(bench);
    printf("touched %d times, deepest %.2f mm, work %.3g J\n", touched, 1e3 * deepest, work);
    return touched > 0 ? 0 : 1;
}

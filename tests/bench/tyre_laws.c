/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time per call of each tyre law, the minimum of many rounds. Run by hand:
 *
 *     tyre_laws [ROUNDS]    200 rounds of 2000 calls at slips spread over driving
 *
 * Laws alternate, so that a disturbance of the machine affects all of them. */
#include "tyre_sets.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS 2000

static const char *const names[LK_TYRE_LAWS] = {"fiala", "mf52", "mf61", "tmeasy", "calspan"};
static void (*const sets[LK_TYRE_LAWS])(struct lk_tyre_law *) = {
    tyre_set_fiala, tyre_set_a, tyre_set_b, tyre_set_c, tyre_set_calspan};

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Return a random number from -1 to 1. */
static double draw(uint64_t *dice)
{
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*dice / 9.3e18;
}

/* Return the time of a round. @ret_sum is the sum of all forces, so that the compiler cannot remove
 * a call. */
static double time_round(const struct lk_tyre_law *law, const struct lk_tyre_slip *slips,
                         double *ret_sum)
{
    double start = processor_ns();

    for (int i = 0; i < CALLS; i++) {
        struct lk_tyre_forces f;

        lk_tyre_evaluate(law, &slips[i], &f);
        *ret_sum += f.fx + f.fy + f.mz;
    }
    return (processor_ns() - start) / CALLS;
}

int main(int argc, char **argv)
{
    static struct lk_tyre_slip slips[CALLS];
    static struct lk_tyre_law law[LK_TYRE_LAWS];
    double least[LK_TYRE_LAWS], sum = 0;
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    uint64_t dice = 1;

    for (int i = 0; i < CALLS; i++)
        slips[i] = (struct lk_tyre_slip){.load = 4000 + 3000 * draw(&dice),
                                         .kappa = 0.2 * draw(&dice),
                                         .slope = 0.2 * draw(&dice),
                                         .camber = 0.05 * draw(&dice),
                                         .speed = 25,
                                         .friction = 1};
    for (int k = 0; k < LK_TYRE_LAWS; k++) {
        sets[k](&law[k]);
        least[k] = INFINITY;
    }
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < LK_TYRE_LAWS; k++)
            least[k] = fmin(least[k], time_round(&law[k], slips, &sum));
    for (int k = 0; k < LK_TYRE_LAWS; k++)
        printf("%-8s %6.0f ns a call\n", names[k], least[k]);
    return isfinite(sum) ? 0 : 1;
}

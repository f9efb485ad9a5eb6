/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of a record. */
#include "demo.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Compute quantiles. A quantile is the smallest value that is not exceeded by at least this
 * fraction of all values.
 * @values: sorted */
static struct demo_quantiles quantiles(const double *values, size_t n)
{
    if (n == 0)
        return (struct demo_quantiles){0};
    return (struct demo_quantiles){
        .n = n,
        .p50 = values[(size_t)ceil(0.50 * (double)n) - 1],
        .p99 = values[(size_t)ceil(0.99 * (double)n) - 1],
        .max = values[n - 1],
    };
}

/* Compute the round trips: from sending a sample to the first received output that contains its
 * effect or the effect of a later sample. Both sequences are ascending, so a single pass is
 * sufficient. */
static void find_round_trips(const struct demo_record *record, struct demo_figures *figures)
{
    size_t r = 0;

    for (size_t s = 0; s < record->n_sent; s++) {
        while (r < record->n_received &&
               record->received[r].input_sequence < record->first_sequence + s)
            r++;
        if (r == record->n_received)
            break;
        figures->round_trip_us[figures->n_round_trips++] =
            (double)(record->received[r].received_ns - record->sent[s].sent_ns) * 1e-3;
    }
    figures->n_missing = record->n_sent - figures->n_round_trips;
    qsort(figures->round_trip_us, figures->n_round_trips, sizeof(double), compare_doubles);
    figures->round_trip = quantiles(figures->round_trip_us, figures->n_round_trips);
}

/* Check that every grid point between the first and the last received sample is a step or a skipped
 * point. */
static void check_grid(const struct demo_record *record, uint64_t period_ns, uint64_t skipped,
                       struct demo_figures *figures)
{
    const struct demo_received *first = &record->received[0];
    const struct demo_received *last = &record->received[record->n_received - 1];
    uint64_t messages;
    uint64_t steps;
    uint64_t points;

    if (record->n_received == 0)
        return;
    messages = last->sequence - first->sequence + 1;
    steps = last->step - first->step + 1;
    points =
        (uint64_t)llround((double)(last->deadline_ns - first->deadline_ns) / (double)period_ns) + 1;
    figures->n_lost = messages - record->n_received;
    /* Steps before the first received sample were published before the bench subscribed, or not at
     * all. They count as unpublished. */
    figures->n_unpublished = steps - messages + first->step - 1;
    if (points < steps)
        figures->grid_misfit = steps - points;
    else if (points - steps > skipped)
        figures->grid_misfit = points - steps - skipped;
}

/* Bound on the energy that the integrator may lose or gain.
 *
 * The trapezoidal rule with projections is of order 2: the relative error of the energy exchanged
 * in a step is C (W h)^2, with W the angular frequency of the motion. A crank that turns with up to
 * W contains frequencies up to a few W; C is at most 1/12 for the rule itself, so C = 1 covers
 * frequencies up to 3 W. The exchanged energy is the work of the motor and of the damper, and the
 * change of kinetic energy, each summed by absolute value. The second term is round-off: 2^-52 of
 * the energy in each step, with a factor of 100 for the elimination. */
static double energy_bound(const struct demo_record *record, const struct demo_layout *layout,
                           const Linkage__V1__Status *status)
{
    double h = layout->description->step_s;
    double exchanged = fabs(status->dissipated);
    double rate_max = 0;
    double energy_max = fabs(status->energy_start) + fabs(status->kinetic);

    for (size_t i = 1; i < record->n_received; i++) {
        const double *last = demo_record_values(record, layout, i - 1);
        const double *now = demo_record_values(record, layout, i);

        exchanged +=
            fabs(demo_record_torque(record, i) * (now[layout->angle] - last[layout->angle]));
        if (layout->kinetic >= 0)
            exchanged += fabs(now[layout->kinetic] - last[layout->kinetic]);
        rate_max = fmax(rate_max, fabs(now[layout->rate]));
    }
    return exchanged * (rate_max * h) * (rate_max * h) +
           100 * 2.3e-16 * energy_max * (double)record->n_received;
}

static void balance_energy(const struct demo_record *record, const struct demo_layout *layout,
                           const Linkage__V1__Status *status, struct demo_figures *figures)
{
    figures->gained = status->kinetic + status->potential - status->energy_start;
    figures->remainder = status->work_input - status->dissipated - figures->gained;
    figures->remainder_bound = energy_bound(record, layout, status);
    figures->work_complete = record->n_received > 0 && figures->n_lost == 0 &&
                             figures->n_unpublished == 0 &&
                             record->received[record->n_received - 1].step == status->step;
    for (size_t i = 1; i < record->n_received; i++) {
        double turn = demo_record_values(record, layout, i)[layout->angle] -
                      demo_record_values(record, layout, i - 1)[layout->angle];

        figures->work_bench += demo_record_torque(record, i) * turn;
    }
}

int demo_figures_compute(const struct demo_record *record, const struct demo_layout *layout,
                         const Linkage__V1__Status *status, struct demo_figures *ret_figures)
{
    struct demo_figures figures = {0};

    figures.round_trip_us = calloc(record->n_sent + 1, sizeof(double));
    if (figures.round_trip_us == NULL)
        return -ENOMEM;
    find_round_trips(record, &figures);
    check_grid(record, layout->description->period_ns, status->skipped, &figures);
    balance_energy(record, layout, status, &figures);
    *ret_figures = figures;
    return 0;
}

void demo_figures_fini(struct demo_figures *figures)
{
    free(figures->round_trip_us);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of results, and the list of failed checks. */
#include "demo.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Limits of the violation of joints [m or rad] and of its rate [m/s or rad/s]. A step that ends
 * near an aligned pose of the four-bar has up to 4e-10 and 8e-6. */
#define VIOLATION_MAX 1e-9
#define RATE_MAX      1e-4

static void print_conditions(double duration_s, const Linkage__V1__Status *status)
{
    struct utsname host;

    printf("%s, %.4g s at %.6g Hz, torque sent %d times a second\n", status->model, duration_s,
           1e9 / (double)status->period_ns, DEMO_RATE_HZ);
    if (uname(&host) == 0)
        printf("%s %s, %s, %ld processors\n", host.sysname, host.release, host.machine,
               sysconf(_SC_NPROCESSORS_ONLN));
    if (status->n_degraded == 0)
        printf("real-time priority, core and locked memory: granted\n");
    for (size_t i = 0; i < status->n_degraded; i++)
        printf("NOT REAL-TIME: %s\n", status->degraded[i]);
}

static void print_count(const char *label, uint64_t value)
{
    printf("%-36s %10" PRIu64 "\n", label, value);
}

static void print_quantiles(const char *label, const struct demo_quantiles *q, double scale)
{
    if (q->n == 0)
        printf("%-36s %10s %10s %10s\n", label, "-", "-", "-");
    else
        printf("%-36s %10.2f %10.2f %10.2f\n", label, q->p50 * scale, q->p99 * scale,
               q->max * scale);
}

static struct demo_quantiles of_daemon(const Linkage__V1__Durations *d)
{
    if (d == NULL)
        return (struct demo_quantiles){0};
    return (struct demo_quantiles){
        .n = d->count,
        .p50 = (double)d->p50_ns * 1e-3,
        .p99 = (double)d->p99_ns * 1e-3,
        .max = (double)d->max_ns * 1e-3,
    };
}

static void print_timing(const struct demo_figures *figures, const Linkage__V1__Status *status)
{
    struct demo_quantiles wakeup = of_daemon(status->wakeup);
    struct demo_quantiles compute = of_daemon(status->compute);

    printf("\n%-36s %10s %10s %10s\n", "", "p50", "p99", "max");
    print_quantiles("wake-up latency [us]", &wakeup, 1);
    print_quantiles("step time [us]", &compute, 1);
    print_quantiles("bench round trip [us]", &figures->round_trip, 1);
    print_quantiles("bench round trip [cycles]", &figures->round_trip,
                    1e3 / (double)status->period_ns);
}

static void print_samples(const struct demo_record *record, const struct demo_figures *figures,
                          const Linkage__V1__Status *status)
{
    printf("\n");
    print_count("input samples sent", record->n_sent);
    print_count("  accepted by the daemon", status->inputs_accepted);
    print_count("  refused by the daemon", status->inputs_refused);
    print_count("  effect never seen", figures->n_missing);
    print_count("output samples received", record->n_received);
    print_count("  published, but lost", figures->n_lost);
    print_count("  steps never published", figures->n_unpublished);
}

static void print_physics(const struct demo_figures *figures, const Linkage__V1__Status *status)
{
    printf("\n");
    printf("%-36s %10.2e m or rad\n", "largest constraint violation", status->residual_position);
    printf("%-36s %10.2e m/s or rad/s\n", "  its rate", status->residual_velocity);
    printf("%-36s %10.5f J\n", "work put in by the motor", status->work_input);
    printf("%-36s %10.5f J (%s)\n", "  by the bench's own record", figures->work_bench,
           figures->work_complete ? "every step seen" : "some steps not seen");
    printf("%-36s %10.5f J\n", "dissipated in the bearing", status->dissipated);
    printf("%-36s %10.5f J\n", "energy gained", figures->gained);
    printf("%-36s %10.2e J (bound %.2e J)\n", "remainder", figures->remainder,
           figures->remainder_bound);
}

/* Print a failed check and count it. */
__attribute__((format(printf, 2, 3))) static void wrong(int *n, const char *format, ...)
{
    va_list args;

    printf("%sWRONG: ", *n == 0 ? "\n" : "");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    ++*n;
}

/* Compare the daemon's count of grid points with the time between the requests that began and ended
 * the run. The bench measures both times. The run is within the longer span. It begins at most
 * START_MAX after the confirmation of the start, and ends at most one cycle before the request of
 * the stop. */
static void judge_cycles(const struct demo_span *span, const Linkage__V1__Status *status, int *n)
{
    const double start_max_cycles = 100;
    double period_ns = (double)status->period_ns;
    double points = (double)(status->cycles + status->skipped);
    double most = (double)(span->stopped_ns - span->asked_start_ns) / period_ns + 2;
    double least =
        (double)(span->asked_stop_ns - span->started_ns) / period_ns - 2 - start_max_cycles;

    if (points > most || points < least)
        wrong(n, "%.0f cycles and skipped grid points, but %.0f to %.0f passed by the clock",
              points, least, most);
}

static void judge_samples(const struct demo_record *record, const struct demo_figures *figures,
                          const Linkage__V1__Status *status, int *n)
{
    if (record->n_received == 0)
        wrong(n, "no output sample was received");
    if (record->n_dropped > 0)
        wrong(n, "%zu output samples could not be used", record->n_dropped);
    if (figures->grid_misfit > 0)
        wrong(n, "%" PRIu64 " grid points are neither a step nor counted as skipped",
              figures->grid_misfit);
    if (figures->n_missing > 0)
        wrong(n, "the effect of %zu inputs was never seen", figures->n_missing);
    if (status->inputs_refused > 0)
        wrong(n, "%" PRIu64 " inputs were refused", status->inputs_refused);
}

static void judge_physics(const struct demo_figures *figures, const Linkage__V1__Status *status,
                          int *n)
{
    if (status->state == LINKAGE__V1__STATE__STATE_FAULT)
        wrong(n, "fault: %s", status->fault);
    if (!(status->residual_position <= VIOLATION_MAX))
        wrong(n, "the joints were violated by more than %.0e m or rad", VIOLATION_MAX);
    if (!(status->residual_velocity <= RATE_MAX))
        wrong(n, "the joints were violated at a rate of more than %.0e m/s or rad/s", RATE_MAX);
    if (!(fabs(figures->remainder) <= figures->remainder_bound))
        wrong(n, "the energy does not balance within the bound");
    if (figures->work_complete &&
        !(fabs(figures->work_bench - status->work_input) <= figures->remainder_bound))
        wrong(n, "the daemon's work and the bench's differ by more than the bound");
}

int demo_report(const struct demo_record *record, const struct demo_figures *figures,
                const struct demo_span *span, double duration_s, const Linkage__V1__Status *status)
{
    int n_wrong = 0;

    print_conditions(duration_s, status);
    printf("\n");
    print_count("cycles run", status->cycles);
    print_count("  overruns", status->overruns);
    print_count("  grid points skipped", status->skipped);
    print_timing(figures, status);
    print_samples(record, figures, status);
    print_physics(figures, status);

    judge_cycles(span, status, &n_wrong);
    judge_samples(record, figures, status, &n_wrong);
    judge_physics(figures, status, &n_wrong);
    fflush(stdout);
    return n_wrong;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a method, in a separate process. So the comparison continues even if a solver crashes,
 * and a time limit ends a run that never returns. The process writes its results to shared
 * memory. */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_FACTOR 1.5 /* a run is killed at this multiple of its limit */
#define KILL_MORE_S 0.5

/** struct compare_shared - results of a run in shared memory.
 * @outputs: scratch memory for the outputs of the model
 * @values:  one row of all columns per sample
 * @course:  report at each sample */
struct compare_shared {
    size_t size;
    enum compare_outcome outcome;
    struct lk_error error;
    double reached;
    struct lk_lab_report report;
    int n_samples;
    double *outputs;
    struct lk_lab_report *course;
    double *values;
};

bool compare_shared_new(struct compare *compare)
{
    const struct compare_reference *r = &compare->reference;
    size_t times = (size_t)r->n_times, columns = (size_t)r->n_columns;
    size_t outputs = (size_t)lk_system_output_size(compare->system) + 1;
    size_t size = sizeof(struct compare_shared) + outputs * sizeof(double) +
                  times * sizeof(struct lk_lab_report) + times * columns * sizeof(double);
    struct compare_shared *s =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (s == MAP_FAILED)
        return false;
    s->size = size;
    s->course = (struct lk_lab_report *)(s + 1);
    s->values = (double *)(s->course + times);
    s->outputs = s->values + times * columns;
    compare->shared = s;
    return true;
}

void compare_shared_free(struct compare *compare)
{
    if (compare->shared != NULL)
        munmap(compare->shared, compare->shared->size);
    compare->shared = NULL;
}

bool compare_samples_fit(const struct compare *compare, struct compare_run *run)
{
    const struct compare_reference *r = &compare->reference;
    double h = run->method.step;

    for (int k = 1; k < r->n_times; k++) {
        if (fabs(remainder(r->time[k], h)) <= 1e-9 * fmax(r->time[k], 1))
            continue;
        run->outcome = COMPARE_MISFIT;
        snprintf(run->reason, sizeof(run->reason),
                 "steps of %g s do not meet the sample at t = %g s, expected a part of %g s", h,
                 r->time[k], r->time[1] - r->time[0]);
        return false;
    }
    return true;
}

/* ---- in the process of the run ---- */

/* Let SIGPROF end the process after KILL_FACTOR times the limit. */
static void set_alarm(double limit_s)
{
    double at = KILL_FACTOR * limit_s + KILL_MORE_S;
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)at, .tv_usec = (suseconds_t)(1e6 * (at - floor(at)))}};

    setitimer(ITIMER_PROF, &timer, NULL);
}

static void keep_sample(const struct compare *compare, const struct lk_laboratory *lab, int k)
{
    const struct compare_reference *r = &compare->reference;
    struct compare_shared *s = compare->shared;

    lk_laboratory_report(lab, &s->report);
    s->course[k] = s->report;
    s->reached = lk_laboratory_time(lab);
    compare_columns_read(lk_laboratory_system(lab), r->columns, r->n_columns, s->outputs,
                         s->values + (size_t)k * (size_t)r->n_columns);
    s->n_samples = k + 1;
}

static enum compare_outcome go_through(const struct compare *compare, struct lk_laboratory *lab,
                                       double limit_s)
{
    const struct compare_reference *r = &compare->reference;
    struct compare_shared *s = compare->shared;
    int fault = 0;

    lk_laboratory_keep_inputs(lab);
    keep_sample(compare, lab, 0);
    for (int k = 1; k < r->n_times; k++) {
        fault = lk_laboratory_advance(lab, r->time[k], compare->inputs, &s->error);
        if (fault != 0)
            return COMPARE_FAILED;
        keep_sample(compare, lab, k);
        if (s->report.cpu_s > limit_s && k + 1 < r->n_times)
            return COMPARE_LIMIT;
    }
    return COMPARE_DONE;
}

static void run_here(const struct compare *compare, const struct compare_run *run, double limit_s)
{
    struct compare_shared *s = compare->shared;
    struct lk_method method = run->method;
    struct lk_laboratory *lab = NULL;
    int fault;

    method.all_rows = compare->all_rows;
    fault = lk_laboratory_open(compare->model, &method, &lab, &s->error);

    if (fault < 0)
        lk_error_set(&s->error, "%s", strerror(-fault));
    s->outcome = fault == 0            ? go_through(compare, lab, limit_s)
                 : fault == LK_E_MODEL ? COMPARE_MISFIT
                                       : COMPARE_FAILED;
    lk_laboratory_close(lab);
}

/* ---- in the parent process ---- */

static void explain_end(const struct compare_shared *s, int status, double limit_s,
                        struct compare_run *run)
{
    size_t size = sizeof(run->reason);

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
        run->outcome = COMPARE_LIMIT;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        run->outcome = COMPARE_FAILED;
        snprintf(run->reason, size, "the process of the run ended with %s %d after t = %.4g s",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), s->reached);
        return;
    } else {
        run->outcome = s->outcome;
    }
    if (run->outcome == COMPARE_LIMIT)
        snprintf(run->reason, size, "over the limit of %g s at t = %.4g s", limit_s, s->reached);
    else
        snprintf(run->reason, size, "%s", s->error.text);
}

/* Copy the course of a run from shared memory.
 * Return: false: no memory */
static bool keep_course(const struct compare_shared *s, struct compare_run *run)
{
    size_t n = (size_t)s->n_samples;

    run->n_samples = s->n_samples;
    run->reached = s->reached;
    run->report = s->report;
    free(run->course);
    free(run->error);
    run->course = calloc(n + 1, sizeof(*run->course));
    run->error = calloc(n + 1, sizeof(*run->error));
    if (run->course == NULL || run->error == NULL)
        return false;
    memcpy(run->course, s->course, n * sizeof(*run->course));
    return true;
}

bool compare_run_make(struct compare *compare, struct compare_run *run, double limit_s,
                      const double **ret_values)
{
    struct compare_shared *s = compare->shared;
    pid_t parent = getpid(), child;
    int status;

    s->n_samples = 0;
    s->reached = 0;
    s->outcome = COMPARE_FAILED;
    s->report = (struct lk_lab_report){0};
    lk_error_set(&s->error, "%s", "");
    fflush(NULL);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        set_alarm(limit_s);
        run_here(compare, run, limit_s);
        _exit(0);
    }
    if (child < 0)
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    explain_end(s, status, limit_s, run);
    *ret_values = s->values;
    return keep_course(s, run);
}

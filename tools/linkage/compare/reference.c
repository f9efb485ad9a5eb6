/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: times, columns and numbers of a CSV file. Without a file, the reference is the run
 * of an accurate method at a tolerance near round-off. Its accuracy is its difference from a second
 * method with other equations and another integrator. */
#include "commands.h"
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES     25
#define DURATION_S  1.0
#define TIGHT       1e-12 /* tolerance of a reference */
#define REFERENCE_S 5.0   /* minimum CPU time limit of a reference run [s] */
#define FINER       8     /* ratio of the shortest compared step to that of a reference */
#define AGREED      1e-7  /* [m] if two methods agree this closely, no third one is run */
#define DOUBTFUL    1e-4  /* [m] two methods that differ by more confirm nothing */

void compare_reference_release(struct compare_reference *r)
{
    free(r->time);
    free(r->columns);
    free(r->value);
}

/* ---- even samples ---- */

/* Distribute the sample times evenly, on the grid of the longest step. */
static int spread_times(struct compare *compare)
{
    struct compare_reference *r = &compare->reference;
    double duration = compare->options->duration > 0 ? compare->options->duration : DURATION_S;
    double longest = 0, apart;

    for (int i = 0; i < compare->n_runs; i++)
        longest = fmax(longest, compare->runs[i].method.step);
    apart = longest * fmax(ceil(duration / (SAMPLES * longest) - 1e-9), 1);
    r->n_times = (int)floor(duration / apart + 1e-9) + 1;
    r->time = calloc((size_t)r->n_times + 1, sizeof(*r->time));
    r->columns = compare_columns_all(compare->system, &r->n_columns);
    r->value = calloc((size_t)r->n_times * (size_t)r->n_columns + 1, sizeof(*r->value));
    if (r->time == NULL || r->columns == NULL || r->value == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    if (r->n_times < 2) {
        complain("duration is %g s, expected at least the longest step, %g s", duration, longest);
        return EXIT_REFUSED;
    }
    for (int k = 0; k < r->n_times; k++)
        r->time[k] = k * apart;
    return EXIT_DONE;
}

int compare_reference_times(struct compare *compare)
{
    return compare->options->reference != NULL ? compare_table_read(compare)
                                               : spread_times(compare);
}

/* ---- two methods ---- */

/** struct candidate - a method that may serve as reference.
 * @is_own: a step of the library. These methods share their projections, so two of them cannot
 *          confirm each other */
struct candidate {
    struct lk_method method;
    bool is_own;
};

#define TIGHTLY(f, s)                                                                              \
    {                                                                                              \
        {                                                                                          \
            .formulation = f, .integrator = "dormand-prince", .stabilisation = s,                  \
            .tolerance = TIGHT                                                                     \
        }                                                                                          \
    }
#define FINELY(f)                                                                                  \
    {                                                                                              \
        {.formulation = f}, true                                                                   \
    }
static const struct candidate candidates[] = {
    FINELY("ali3:order-4"),
    TIGHTLY("absolute", "projection"),
    TIGHTLY("hdca", NULL),
    TIGHTLY("recursive", NULL),
    TIGHTLY("absolute", NULL),
    FINELY("rk4"),
    FINELY("ali3"),
    FINELY("rattle:exact-contact"),
};
#define N_CANDIDATES (int)(sizeof(candidates) / sizeof(*candidates))

/* Return the step of a reference: a fraction of the time between samples, shorter than all compared
 * steps. */
static double fine_step(const struct compare *compare)
{
    const struct compare_reference *r = &compare->reference;
    double shortest = LK_STEP_MAX, apart = r->time[1] - r->time[0];

    for (int i = 0; i < compare->n_runs; i++)
        shortest = fmin(shortest, compare->runs[i].method.step);
    return fmax(apart / ceil(apart / (shortest / FINER) - 1e-9), LK_STEP_MIN);
}

/** struct result - result of a candidate. @values: NULL: the run failed */
struct result {
    char name[COMPARE_NAME + COMPARE_CELL];
    double *values;
};

/* Run a candidate.
 * Return: false: no memory. */
static bool try_candidate(struct compare *compare, const struct candidate *c, struct result *ret,
                          char reason[COMPARE_TEXT])
{
    size_t n = (size_t)compare->reference.n_times * (size_t)compare->reference.n_columns;
    struct compare_run run = {.method = c->method};
    const double *values;
    bool made;

    run.method.step = fine_step(compare);
    compare_describe(&run);
    made = compare_run_make(compare, &run, fmax(REFERENCE_S, compare->options->limit_s), &values);
    if (made && run.outcome == COMPARE_DONE) {
        snprintf(ret->name, sizeof(ret->name), "%.150s at %.20s", run.name, run.setting);
        ret->values = malloc((n + 1) * sizeof(*values));
        made = ret->values != NULL;
        if (made)
            memcpy(ret->values, values, n * sizeof(*values));
    } else {
        snprintf(reason, COMPARE_TEXT, "%s", run.reason);
    }
    free(run.course);
    free(run.error);
    return made;
}

/** struct pair - two candidates that confirm each other; index -1: none. */
struct pair {
    int first;
    int second;
    double apart[COMPARE_QUANTITIES];
};

/* Compare the new result @i with all earlier results of methods of the other type, and update the
 * best pair. */
static void meet_earlier(const struct compare_reference *r, const struct result *results, int i,
                         struct pair *best)
{
    double apart[COMPARE_QUANTITIES];

    for (int k = 0; k < i; k++) {
        if (results[k].values == NULL || candidates[k].is_own == candidates[i].is_own)
            continue;
        compare_distance(r, results[i].values, results[k].values, apart);
        if (best->second >= 0 && !(apart[COMPARE_POSITION] < best->apart[COMPARE_POSITION]))
            continue;
        *best = (struct pair){.first = k, .second = i};
        memcpy(best->apart, apart, sizeof(apart));
    }
    if (best->first < 0)
        best->first = i;
}

/* Append the difference of the two methods in each available quantity to @text. */
static void tell_distances(const struct compare_reference *r, char *text, size_t size)
{
    static const char *const units[COMPARE_QUANTITIES] = {"m", "m/s", "N"};
    size_t at = strlen(text);

    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        if (isfinite(r->trust[q]))
            at += (size_t)snprintf(text + at, size - at, "%s %.1e %s", q > 0 ? "," : "",
                                   r->trust[q], units[q]);
}

static void set_reference(struct compare_reference *r, const struct result *results,
                          const struct pair *pair)
{
    size_t n = (size_t)r->n_times * (size_t)r->n_columns;

    memcpy(r->value, results[pair->first].values, n * sizeof(double));
    memcpy(r->trust, pair->apart, sizeof(r->trust));
    snprintf(r->name, sizeof(r->name), "%s", results[pair->first].name);
    if (pair->second < 0) {
        snprintf(r->confirmed, sizeof(r->confirmed),
                 "no second method confirms it: distances, not errors");
        return;
    }
    snprintf(r->confirmed, sizeof(r->confirmed), "%s is within", results[pair->second].name);
    tell_distances(r, r->confirmed, sizeof(r->confirmed));
    n = strlen(r->confirmed);
    snprintf(r->confirmed + n, sizeof(r->confirmed) - n, ": %s",
             r->trust[COMPARE_POSITION] < DOUBTFUL ? "errors below that say nothing"
                                                   : "they do not agree, so nothing is known");
}

/* Run candidates until two of them agree that have different equations and integrators. If none
 * agree, use the closest pair and report its difference. */
int compare_reference_make(struct compare *compare)
{
    struct compare_reference *r = &compare->reference;
    struct result results[N_CANDIDATES] = {0};
    struct pair best = {-1, -1, {NAN, NAN, NAN}};
    char reason[COMPARE_TEXT] = "";
    bool made = true;

    for (int i = 0; i < N_CANDIDATES && made && !(best.apart[COMPARE_POSITION] < AGREED); i++) {
        made = try_candidate(compare, &candidates[i], &results[i], reason);
        if (made && results[i].values != NULL)
            meet_earlier(r, results, i, &best);
    }
    if (!made)
        complain("out of memory");
    else if (best.first < 0)
        complain("%s: no method goes through, so there is nothing to compare with: %s",
                 compare->options->path, reason);
    else
        set_reference(r, results, &best);
    for (int i = 0; i < N_CANDIDATES; i++)
        free(results[i].values);
    return made && best.first >= 0 ? EXIT_DONE : EXIT_REFUSED;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a comparison, 80 columns wide. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDENT "  "
#define WIDTH  79

static const char *const legend =
    "errors      x of positions [m], quaternions counted too, v of velocities [m/s, rad/s],\n"
    "            F of reactions [N, N m]; at the end, and the largest of all samples\n"
    "drift       of joints, their rates and accelerations, of energy [J]; largest\n"
    "work        evaluations of the right-hand side or residual, steps, processor time [ms]\n";

const char *compare_number(double value, int digits, char ret[COMPARE_CELL])
{
    char text[COMPARE_CELL], *e, *end;

    if (!isfinite(value))
        return strcpy(ret, "-");
    if (value == 0)
        return strcpy(ret, "0");
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    e = strchr(text, 'e');
    for (end = e; strchr(text, '.') != NULL && end[-1] == '0';)
        end--;
    end -= end[-1] == '.';
    snprintf(ret, COMPARE_CELL, "%.*se%ld", (int)(end - text), text, strtol(e + 1, NULL, 10));
    return ret;
}

/* Print a number in at most six characters: two digits, or one if the exponent has two. */
static void print_small(FILE *f, double value)
{
    char cell[COMPARE_CELL];

    fprintf(f, " %6s", compare_number(value, fabs(value) < 9.5e-10 ? 1 : 2, cell));
}

static void print_count(FILE *f, unsigned long long n)
{
    char cell[COMPARE_CELL];

    if (n < 10000)
        snprintf(cell, sizeof(cell), "%llu", n);
    else if (n < 1000000)
        snprintf(cell, sizeof(cell), "%lluk", n / 1000);
    else
        snprintf(cell, sizeof(cell), "%lluM", n / 1000000);
    fprintf(f, " %4s", cell);
}

static void print_milliseconds(FILE *f, double s)
{
    double ms = 1e3 * s;

    fprintf(f, " %4.*f", ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0, ms);
}

/* Print @text from column @at on, in lines that end before the last column. */
static void print_wrapped(FILE *f, int at, const char *text)
{
    while ((int)strlen(text) > WIDTH - at) {
        int n = WIDTH - at;

        while (n > 1 && text[n] != ' ')
            n--;
        fprintf(f, "%.*s\n%*s", n, text, at, "");
        text += n + (text[n] == ' ');
    }
    fprintf(f, "%s\n", text);
}

static void print_run(FILE *f, const struct compare_run *run)
{
    fprintf(f, INDENT "%-7s", run->setting);
    if (run->outcome != COMPARE_DONE) {
        fputc(' ', f);
        print_wrapped(f, 10, run->reason);
        return;
    }
    print_small(f, run->end[COMPARE_POSITION]);
    print_small(f, run->worst[COMPARE_POSITION]);
    print_small(f, run->worst[COMPARE_VELOCITY]);
    print_small(f, run->worst[COMPARE_REACTION]);
    print_small(f, run->report.position);
    print_small(f, run->report.velocity);
    print_small(f, run->report.acceleration);
    print_small(f, run->report.energy);
    print_count(f, run->report.rates);
    print_count(f, run->report.steps);
    print_milliseconds(f, run->report.cpu_s);
    fputc('\n', f);
}

static void print_head(FILE *f, const struct compare *c)
{
    const struct compare_reference *r = &c->reference;

    fprintf(f, "%s, %g s, %d samples\n", lk_model_name(c->model), r->time[r->n_times - 1],
            r->n_times);
    fprintf(f, "reference   ");
    print_wrapped(f, 12, r->name);
    fprintf(f, "            ");
    print_wrapped(f, 12, r->confirmed);
    if (r->ignored[0] != '\0') {
        fprintf(f, "ignored     ");
        print_wrapped(f, 12, r->ignored);
    }
    fputs(legend, f);
    fprintf(f, "\n%9s %6s %6s %6s %6s %6s %6s %6s %6s %4s %4s %4s\n", "", "x end", "x max", "v max",
            "F max", "Phi", "Phi'", "Phi''", "energy", "rhs", "step", "CPU");
}

static bool is_misfit(const struct compare_run *run)
{
    return run->outcome == COMPARE_MISFIT;
}

static void print_runs(FILE *f, const struct compare *c)
{
    int number = -1;

    for (int i = 0; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];

        if (is_misfit(run))
            continue;
        if (run->number != number)
            fprintf(f, "%s\n", run->name);
        number = run->number;
        print_run(f, run);
    }
}

static bool is_first_of_its_reason(const struct compare *c, int i)
{
    for (int k = 0; k < i; k++)
        if (is_misfit(&c->runs[k]) && strcmp(c->runs[k].reason, c->runs[i].reason) == 0)
            return false;
    return true;
}

/* Print the names of the methods that were refused for the same reason as run @first, in lines that
 * end before the last column. */
static void print_names(FILE *f, const struct compare *c, int first)
{
    int at = 0, number = -1;

    for (int i = first; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];

        if (!is_misfit(run) || run->number == number ||
            strcmp(run->reason, c->runs[first].reason) != 0)
            continue;
        number = run->number;
        if (at > 0 && at + 2 + (int)strlen(run->name) >= WIDTH)
            at = 0;
        if (at == 0 && i > first)
            fprintf(f, ";\n");
        at += fprintf(f, at > 0 ? "; %s" : INDENT INDENT "%s", run->name);
    }
    fputc('\n', f);
}

static void print_misfits(FILE *f, const struct compare *c)
{
    bool begun = false;

    for (int i = 0; i < c->n_runs; i++) {
        if (!is_misfit(&c->runs[i]) || !is_first_of_its_reason(c, i))
            continue;
        fprintf(f, begun ? INDENT : "\ndo not fit\n" INDENT);
        begun = true;
        print_wrapped(f, 2, c->runs[i].reason);
        print_names(f, c, i);
    }
}

const struct compare_run *compare_cheapest(const struct compare *c, double error)
{
    const struct compare_run *best = NULL;

    for (int i = 0; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];

        if (run->outcome == COMPARE_DONE && run->worst[COMPARE_POSITION] <= error &&
            (best == NULL || run->report.cpu_s < best->report.cpu_s))
            best = run;
    }
    return best;
}

static void print_cheapest(FILE *f, const struct compare *c)
{
    static const double errors[] = {1e-3, 1e-4, 1e-6, 1e-8, 1e-10};
    char cell[COMPARE_CELL];
    bool begun = false;

    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
        const struct compare_run *best = compare_cheapest(c, errors[i]);

        if (best == NULL || !(errors[i] > c->reference.trust[COMPARE_POSITION]))
            continue;
        if (!begun)
            fprintf(f, "\nleast processor time\n");
        begun = true;
        fprintf(f, INDENT "x max %6s", compare_number(errors[i], 1, cell));
        print_milliseconds(f, best->report.cpu_s);
        fprintf(f, " ms  %s, %s\n", best->name, best->setting);
    }
}

void compare_print(FILE *f, const struct compare *c)
{
    print_head(f, c);
    print_runs(f, c);
    print_cheapest(f, c);
    print_misfits(f, c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a comparison: compare.csv with a line per run, drift.csv with a line per sample, and
 * the pictures. */
#include "commands.h"
#include "compare.h"
#include "plot_page.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define WIDTH 1600 /* of a picture [pixels] */

/* Write a quoted text of a CSV file, RFC 4180. */
static void write_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; text != NULL && *text != '\0'; text++)
        fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', f);
}

static void write_texts(FILE *f, const struct compare_run *run)
{
    const struct lk_method *m = &run->method;
    const char *texts[] = {m->formulation, m->integrator, m->orientation, m->stabilisation,
                           compare_outcome_name(run->outcome)};

    fprintf(f, "%d,", run->number);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        write_text(f, texts[i]);
        fputc(',', f);
    }
}

static void write_numbers(FILE *f, const struct compare_run *run)
{
    const struct lk_lab_report *r = &run->report;

    fprintf(f, "%.9g,%.9g,%.9g", run->method.step, run->method.tolerance, run->reached);
    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        fprintf(f, ",%.9g,%.9g", run->end[q], run->worst[q]);
    fprintf(f, ",%.9g,%.9g,%.9g,%.9g", r->position, r->velocity, r->acceleration, r->energy);
    fprintf(f, ",%llu,%llu,%llu,%llu,%llu,%llu,%.9g,", r->rates, r->steps, r->rejected,
            r->jacobians, r->factorisations, r->iterations, r->cpu_s);
}

static void write_runs(FILE *f, const struct compare *c)
{
    fprintf(f, "method,formulation,integrator,orientation,stabilisation,outcome,step [s],tolerance,"
               "reached [s],position error at the end [m],position error [m],"
               "velocity error at the end [m/s],velocity error [m/s],"
               "reaction error at the end [N],reaction error [N],"
               "drift of joints [m],drift of rates [m/s],drift of accelerations [m/s^2],"
               "drift of energy [J],right-hand sides,steps,steps rejected,jacobians,"
               "factorisations,iterations,processor time [s],reason\n");
    for (int i = 0; i < c->n_runs; i++) {
        write_texts(f, &c->runs[i]);
        write_numbers(f, &c->runs[i]);
        write_text(f, c->runs[i].reason);
        fputc('\n', f);
    }
}

/* Return true if the run is the last completed run of its method, which has the finest setting.
 * Only these runs are drawn. */
static bool is_drawn(const struct compare *c, int i)
{
    const struct compare_run *runs = c->runs;

    if (runs[i].outcome != COMPARE_DONE)
        return false;
    for (int k = i + 1; k < c->n_runs && runs[k].number == runs[i].number; k++)
        if (runs[k].outcome == COMPARE_DONE)
            return false;
    return true;
}

static void write_drift(FILE *f, const struct compare *c)
{
    fprintf(f, "method,setting,time [s],position error [m],drift of joints [m],"
               "drift of rates [m/s],drift of accelerations [m/s^2],drift of energy [J]\n");
    for (int i = 0; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];

        for (int k = 1; k < run->n_samples && is_drawn(c, i); k++) {
            const struct lk_lab_report *r = &run->course[k];

            fprintf(f, "%d,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", run->number, run->setting,
                    c->reference.time[k], run->error[k], r->position, r->velocity, r->acceleration,
                    r->energy);
        }
    }
}

static int write_file(const struct compare *c, const char *name, const char *mark,
                      void (*write)(FILE *, const struct compare *))
{
    struct output *to = NULL;
    char path[PATH_MAX];
    int fault;

    snprintf(path, sizeof(path), "%s/%s", c->options->output, name);
    fault = output_open(path, mark, &to);
    if (fault == 0) {
        write(output_file(to), c);
        fault = output_close(to, true);
    }
    return told_output(path, fault);
}

/* ---- pictures ---- */

/* The processor time of a short run may be below the resolution of its clock. */
#define CPU_LEAST_S 1e-9

static double work_of(const struct compare_run *run)
{
    return (double)run->report.rates;
}

static double time_of(const struct compare_run *run)
{
    return fmax(run->report.cpu_s, CPU_LEAST_S);
}

/* Add a line through the completed runs of the method of run @last: error over @effort. */
static bool add_precision(const struct compare *c, int last,
                          double (*effort)(const struct compare_run *), struct plot_panel *panel)
{
    struct plot_curve *curve = plot_add_curve(panel, c->runs[last].name, (size_t)c->n_runs);

    if (curve == NULL)
        return false;
    curve->style = PLOT_MARKED_LINES;
    curve->n = 0;
    for (int i = 0; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];

        if (run->number != c->runs[last].number || run->outcome != COMPARE_DONE)
            continue;
        curve->x[curve->n] = effort(run);
        curve->y[curve->n++] = run->worst[COMPARE_POSITION];
    }
    return true;
}

/* Add a line at the error of the reference itself, over the range of all other curves. */
static bool add_trust(const struct compare *c, struct plot_panel *panel)
{
    double trust = c->reference.trust[COMPARE_POSITION], least = INFINITY, most = 0;
    struct plot_curve *curve;

    for (int k = 0; k < panel->n_curves; k++)
        for (size_t i = 0; i < panel->curve[k].n; i++) {
            least = fmin(least, panel->curve[k].x[i]);
            most = fmax(most, panel->curve[k].x[i]);
        }
    if (!isfinite(trust) || !(trust > 0) || !(most > 0))
        return true;
    curve = plot_add_curve(panel, "error of the reference", 2);
    if (curve == NULL)
        return false;
    curve->x[0] = least;
    curve->x[1] = most;
    curve->y[0] = curve->y[1] = trust;
    return true;
}

static bool add_work(const struct compare *c, const char *label,
                     double (*effort)(const struct compare_run *), struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, label, "position error [m]");

    panel->is_log_x = panel->is_log_y = true;
    for (int i = 0; i < c->n_runs; i++)
        if (is_drawn(c, i) && !add_precision(c, i, effort, panel))
            return false;
    return add_trust(c, panel);
}

static bool add_works(const struct compare *c, struct plot_page *page)
{
    return add_work(c, "evaluations of the right-hand side", work_of, page) &&
           add_work(c, "processor time [s]", time_of, page);
}

/* Add the largest value so far of field @at [bytes] of the reports of each drawn run. */
static bool add_drift(const struct compare *c, const char *label, size_t at, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "", label);

    panel->is_log_y = true;
    for (int i = 0; i < c->n_runs; i++) {
        const struct compare_run *run = &c->runs[i];
        struct plot_curve *curve;

        if (!is_drawn(c, i))
            continue;
        curve = plot_add_curve(panel, run->name, (size_t)run->n_samples);
        if (curve == NULL)
            return false;
        for (int k = 0; k < run->n_samples; k++) {
            curve->x[k] = c->reference.time[k];
            memcpy(&curve->y[k], (const char *)&run->course[k] + at, sizeof(double));
        }
    }
    return true;
}

static bool add_drifts(const struct compare *c, struct plot_page *page)
{
    bool good =
        add_drift(c, "joints [m]", offsetof(struct lk_lab_report, position), page) &&
        add_drift(c, "rates [m/s]", offsetof(struct lk_lab_report, velocity), page) &&
        add_drift(c, "accelerations [m/s^2]", offsetof(struct lk_lab_report, acceleration), page) &&
        add_drift(c, "energy [J]", offsetof(struct lk_lab_report, energy), page);

    if (good)
        strcpy(page->panel[page->n_panels - 1].x_label, "simulated time [s]");
    return good;
}

static bool draw(const struct compare *c, const char *name, const char *title,
                 bool (*add)(const struct compare *, struct plot_page *))
{
    struct plot_page page = {.width = WIDTH};
    char path[PATH_MAX];
    bool good;

    snprintf(path, sizeof(path), "%s/%s", c->options->output, name);
    snprintf(page.title, sizeof(page.title), "%s: %s", lk_model_name(c->model), title);
    good = add(c, &page) && plot_draw(&page, path);
    plot_page_fini(&page);
    return good;
}

int compare_files(const struct compare *c, bool *ret_is_drawn)
{
    bool any = false;
    int code;

    if (mkdir(c->options->output, 0777) != 0 && errno != EEXIST) {
        complain("%s: %s", c->options->output, strerror(errno));
        return EXIT_REFUSED;
    }
    for (int i = 0; i < c->n_runs; i++)
        any |= is_drawn(c, i);
    code = write_file(c, "compare.csv", "method,", write_runs);
    if (code == EXIT_DONE)
        code = write_file(c, "drift.csv", "method,", write_drift);
    if (code == EXIT_DONE)
        *ret_is_drawn = any && draw(c, "work-precision.png", "error against work", add_works) &&
                        draw(c, "drift.png", "drift, largest so far", add_drifts);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a comparison: compare.csv with a line per run, drift.csv with a line per sample, and
 * the pictures. gnuplot draws the pictures with a script that is written to the same folder. */
#include "commands.h"
#include "compare.h"
#include "linkage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Generated from plot.gp by the build. */
static const char *const plot_lines[] = {
#include "compare/plot_lines.h"
};

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

/* Write the gnuplot script. It contains the numbers and names of the methods, so that it can be run
 * again by hand. */
static void write_script(FILE *f, const struct compare *c)
{
    double trust = c->reference.trust[COMPARE_POSITION];
    int n = 0;

    for (int i = 0; i < c->n_runs; i++)
        n += is_drawn(c, i);
    fprintf(f, "model = \"%s\"\ntrust = %.9g\n", lk_model_name(c->model),
            isfinite(trust) ? trust : 0);
    fprintf(f, "n = %d\narray number[%d]\narray name[%d]\n", n, n + 1, n + 1);
    for (int i = 0, k = 1; i < c->n_runs; i++)
        if (is_drawn(c, i)) {
            fprintf(f, "number[%d] = %d; name[%d] = \"%s\"\n", k, c->runs[i].number, k,
                    c->runs[i].name);
            k++;
        }
    for (size_t i = 0; i < sizeof(plot_lines) / sizeof(plot_lines[0]); i++)
        fprintf(f, "%s\n", plot_lines[i]);
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

/* Run gnuplot with its messages in the file @log.
 * Return: exit status of gnuplot; -1: it could not be started. */
static int run_gnuplot(char *directory, char *script, const char *log)
{
    char program[] = "gnuplot", option[] = "-e";
    char *arguments[] = {program, option, directory, script, NULL};
    posix_spawn_file_actions_t actions;
    int status, result;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    result = posix_spawnp(&pid, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0)
        return -1;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

/* Draw the pictures.
 * Return: note about missing pictures, or "" */
static const char *draw_pictures(const struct compare *c)
{
    char directory[PATH_MAX + 16], script[PATH_MAX + 16], log[PATH_MAX + 16];
    int status;

    if (strpbrk(c->options->output, "'\\") != NULL)
        return "no pictures: the name of the folder has quotes in it";
    snprintf(directory, sizeof(directory), "directory='%s'", c->options->output);
    snprintf(script, sizeof(script), "%s/plot.gp", c->options->output);
    snprintf(log, sizeof(log), "%s/plot.log", c->options->output);
    status = run_gnuplot(directory, script, log);
    if (status == 0 || status == -1)
        unlink(log);
    return status == 0    ? ""
           : status == -1 ? "no pictures: gnuplot is not installed"
                          : "no pictures: gnuplot failed, see plot.log";
}

int compare_files(const struct compare *c, const char **ret_note)
{
    bool any = false;
    int code = EXIT_DONE;

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
        code = write_file(c, "plot.gp", "model = ", write_script);
    if (code == EXIT_DONE)
        *ret_note = any ? draw_pictures(c) : "no pictures: no run went through";
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the files in the output folder of the measurement. */
#include "csv.h"
#include "histogram_text.h"
#include "message.h"
#include "output.h"
#include "plot_page.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_A_DECADE 24
#define DECADE_LEAST     (-3) /* lower end of the axis as a power of ten [us]: 1 ns */
#define DECADE_MOST      5    /* upper end of the axis as a power of ten [us]: 100 ms */
#define COLUMNS_MAX      (2 + 2 * (LAT_METHODS_MAX + LAT_N_TRIPS))
#define CLASSES          ((DECADE_MOST - DECADE_LEAST) * CLASSES_A_DECADE)

/* ---- distributions ---- */

/* List the distributions under one load that have samples, and their names.
 * Return: number of distributions. */
static int list_distributions(const struct lat_report *report, const struct lat_round *total,
                              const char *ret_names[], const struct lat_histogram *ret_histograms[])
{
    static const char *const trips[LAT_N_TRIPS] = {"round trip", "ping-pong"};
    int n = 0;

    for (int m = 0; m <= report->options.n_wakes; m++) {
        ret_names[n] = lat_report_method(report, m);
        ret_histograms[n] = &total->wakeups[m].late;
        n += ret_histograms[n]->count > 0;
    }
    for (int t = 0; t < LAT_N_TRIPS; t++) {
        ret_names[n] = trips[t];
        ret_histograms[n] = &total->trips[t].time;
        n += ret_histograms[n]->count > 0;
    }
    return n;
}

static void write_rows(struct lk_csv *csv, const struct lat_histogram *const histograms[], int n)
{
    double row[COLUMNS_MAX];

    for (int i = DECADE_LEAST * CLASSES_A_DECADE; i < DECADE_MOST * CLASSES_A_DECADE; i++) {
        row[0] = pow(10, (double)i / CLASSES_A_DECADE);
        row[1] = pow(10, (double)(i + 1) / CLASSES_A_DECADE);
        for (int k = 0; k < n; k++) {
            double above = lat_histogram_above(histograms[k], row[0]);
            double beyond = lat_histogram_above(histograms[k], row[1]);

            row[2 + 2 * k] = 100 * (above - beyond);
            row[3 + 2 * k] = 100 * above;
        }
        lk_csv_write_row(csv, row);
    }
}

int lat_report_distribution(const char *path, const struct lat_report *report,
                            const struct lat_load_result *result)
{
    const char *names[LAT_METHODS_MAX + LAT_N_TRIPS];
    const struct lat_histogram *histograms[LAT_METHODS_MAX + LAT_N_TRIPS];
    int n = list_distributions(report, &result->total, names, histograms);
    struct lk_csv *csv;
    int code = lk_csv_open(path, "from", &csv);

    if (code != 0)
        return code;
    lk_csv_add_column(csv, "from", NULL, "us");
    lk_csv_add_column(csv, "to", NULL, "us");
    for (int k = 0; k < n; k++) {
        lk_csv_add_column(csv, names[k], NULL, "%");
        lk_csv_add_column(csv, names[k], "above", "%");
    }
    write_rows(csv, histograms, n);
    return lk_csv_close(csv);
}

/* ---- the files of a load ---- */

/* Write the path "FOLDER/KIND-LOAD.END". */
static void name_file(const struct lat_report *report, char ret_path[PATH_MAX], const char *kind,
                      enum lat_load load, const char *end)
{
    snprintf(ret_path, PATH_MAX, "%s/%s-%s.%s", report->options.output, kind, lat_load_name(load),
             end);
}

static int write_histogram(const char *path, const struct lat_histogram *histogram)
{
    struct output *to = NULL;
    int code = output_open(path, "# Histogram", &to);

    if (code != 0)
        return code;
    code = lat_text_write(output_file(to), histogram);
    return code != 0 ? (output_close(to, false), code) : output_close(to, true);
}

static int write_load(const struct lat_report *report, const struct lat_load_result *result)
{
    char path[PATH_MAX], kind[64];
    int code = 0;

    for (int m = 0; m <= report->options.n_wakes && code == 0; m++) {
        if (result->total.wakeups[m].late.count == 0)
            continue;
        snprintf(kind, sizeof(kind), "hist-%s", lat_report_method(report, m));
        name_file(report, path, kind, result->load, "txt");
        code = write_histogram(path, &result->total.wakeups[m].late);
    }
    if (code == 0 && result->n_rounds > 0) {
        name_file(report, path, "distribution", result->load, "csv");
        code = lat_report_distribution(path, report, result);
    }
    return code;
}

/* ---- the picture ---- */

/* Add the shares of a distribution in each class, and above the lower end of each class. */
static bool add_distribution(const struct lat_histogram *histogram, const char *name, bool is_trip,
                             struct plot_panel *in, struct plot_panel *above)
{
    struct plot_curve *share = is_trip ? NULL : plot_add_curve(in, name, CLASSES);
    struct plot_curve *tail = plot_add_curve(above, name, CLASSES);

    if (tail == NULL || (share == NULL && !is_trip))
        return false;
    for (int i = 0; i < CLASSES; i++) {
        double from = pow(10, DECADE_LEAST + (double)i / CLASSES_A_DECADE);
        double to = pow(10, DECADE_LEAST + (double)(i + 1) / CLASSES_A_DECADE);

        tail->x[i] = from;
        tail->y[i] = 100 * lat_histogram_above(histogram, from);
        if (is_trip)
            continue;
        share->style = PLOT_STEPS;
        share->x[i] = from;
        share->y[i] = tail->y[i] - 100 * lat_histogram_above(histogram, to);
    }
    return true;
}

static bool add_load(const struct lat_report *report, const struct lat_load_result *result,
                     struct plot_page *page)
{
    const char *names[LAT_METHODS_MAX + LAT_N_TRIPS];
    const struct lat_histogram *histograms[LAT_METHODS_MAX + LAT_N_TRIPS];
    int n = list_distributions(report, &result->total, names, histograms);
    struct plot_panel *in, *above;
    char label[PLOT_TITLE_SIZE];
    bool good = true;

    snprintf(label, sizeof(label), "load %s: in class [%%]", lat_load_name(result->load));
    in = plot_add_panel(page, "wake-up latency [us]", label);
    snprintf(label, sizeof(label), "load %s: above [%%]", lat_load_name(result->load));
    above = plot_add_panel(page, "latency, time of a trip [us]", label);
    in->is_log_x = in->is_log_y = above->is_log_x = above->is_log_y = true;
    for (int k = 0; k < n && good; k++)
        good = add_distribution(histograms[k], names[k],
                                histograms[k] == &result->total.trips[LAT_STREAM].time ||
                                    histograms[k] == &result->total.trips[LAT_PING_PONG].time,
                                in, above);
    return good;
}

static void draw_picture(struct lat_report *report)
{
    struct plot_page page = {.title = "latencies of linkaged and cyclictest"};
    char path[PATH_MAX];
    bool good = true;

    snprintf(path, sizeof(path), "%s/plot.png", report->options.output);
    for (int i = 0; i < report->n_loads && good; i++)
        good = report->loads[i].n_rounds == 0 || add_load(report, &report->loads[i], &page);
    if (!good || !plot_draw(&page, path))
        lat_report_note(report, "no picture: gnuplot is not installed, or failed");
    plot_page_fini(&page);
}

/* ---- the report ---- */

static int write_report(const struct lat_report *report, const char *name, const char *mark,
                        void (*write)(FILE *, const struct lat_report *))
{
    struct output *to = NULL;
    char path[PATH_MAX];
    int code;

    snprintf(path, sizeof(path), "%s/%s", report->options.output, name);
    code = output_open(path, mark, &to);
    if (code != 0)
        return code;
    write(output_file(to), report);
    return output_close(to, true);
}

int lat_report_files(struct lat_report *report)
{
    int n_rounds = 0, code = 0;

    for (int i = 0; i < report->n_loads && code == 0; i++) {
        n_rounds += report->loads[i].n_rounds;
        code = write_load(report, &report->loads[i]);
    }
    if (code == 0 && n_rounds > 0)
        draw_picture(report);
    if (code == 0)
        code = write_report(report, "table.txt", "core ", lat_report_table);
    if (code == 0)
        code = write_report(report, "report.json", "{", lat_report_json);
    if (code != 0)
        complain("writing to %s failed: %s", report->options.output, output_error(code));
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run, in CSV. */
#include "csv.h"
#include "demo.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_A_DECADE 12
#define CLASS_LEAST_US   0.1
#define COLUMNS_BEHIND   8

static int open_file(const char *directory, const char *name, const char *mark,
                     struct lk_csv **ret_csv)
{
    char path[DEMO_PATH_SIZE];
    int size = snprintf(path, sizeof(path), "%s/%s", directory, name);

    return size < (int)sizeof(path) ? lk_csv_open(path, mark, ret_csv) : -ENAMETOOLONG;
}

static void add_columns(struct lk_csv *csv, const struct demo_layout *layout)
{
    const Linkage__V1__ModelDescription *description = layout->description;

    lk_csv_add_column(csv, "time", NULL, "s");
    for (size_t i = 0; i < description->n_outputs; i++) {
        const Linkage__V1__ChannelDescription *channel = description->outputs[i];

        for (size_t j = 0; j < channel->n_components; j++)
            lk_csv_add_column(csv, channel->name, channel->components[j], channel->units[j]);
    }
    lk_csv_add_column(csv, "motor", NULL, "N m");
    lk_csv_add_column(csv, "step", NULL, "1");
    lk_csv_add_column(csv, "sequence", NULL, "1");
    lk_csv_add_column(csv, "input_sequence", NULL, "1");
    /* "deadline" counts from the grid point of the first row, the other times from the grid point
     * of their own row. */
    lk_csv_add_column(csv, "deadline", NULL, "s");
    lk_csv_add_column(csv, "computed_after_deadline", NULL, "us");
    lk_csv_add_column(csv, "published_after_deadline", NULL, "us");
    lk_csv_add_column(csv, "received_after_deadline", NULL, "us");
}

static void fill_row(double *row, const struct demo_record *record,
                     const struct demo_layout *layout, size_t i)
{
    const struct demo_received *r = &record->received[i];
    double *behind = row + 1 + layout->n_outputs;

    row[0] = r->time_s;
    memcpy(row + 1, demo_record_values(record, layout, i), layout->n_outputs * sizeof(double));
    behind[0] = demo_record_torque(record, i);
    behind[1] = (double)r->step;
    behind[2] = (double)r->sequence;
    behind[3] = (double)r->input_sequence;
    behind[4] = (double)(r->deadline_ns - record->received[0].deadline_ns) * 1e-9;
    behind[5] = (double)(r->computed_ns - r->deadline_ns) * 1e-3;
    behind[6] = (double)(r->published_ns - r->deadline_ns) * 1e-3;
    behind[7] = (double)(r->received_ns - r->deadline_ns) * 1e-3;
}

int demo_write_recording(const char *directory, const struct demo_record *record,
                         const struct demo_layout *layout)
{
    double *row = calloc(1 + layout->n_outputs + COLUMNS_BEHIND, sizeof(*row));
    struct lk_csv *csv;
    int code =
        row != NULL ? open_file(directory, "recording.csv", OUTPUT_MARK_ROWS, &csv) : -ENOMEM;

    if (code == 0) {
        add_columns(csv, layout);
        for (size_t i = 0; i < record->n_received; i++) {
            fill_row(row, record, layout, i);
            lk_csv_write_row(csv, row);
        }
        code = lk_csv_close(csv);
    }
    free(row);
    return code;
}

/* Return the lower bound of class @i [us]. */
static double class_edge(size_t i)
{
    return CLASS_LEAST_US * pow(10, (double)i / CLASSES_A_DECADE);
}

/* Return the class of a duration. Durations outside of the range are in the first or the last
 * class. */
static size_t class_of(double us)
{
    double class = floor(log10(fmax(us, CLASS_LEAST_US) / CLASS_LEAST_US) * CLASSES_A_DECADE);

    return class < DEMO_CLASSES ? (size_t) class : DEMO_CLASSES - 1;
}

static void sort_durations(const Linkage__V1__Durations *durations, double shares[DEMO_CLASSES])
{
    if (durations == NULL)
        return;
    for (size_t i = 0; i < durations->n_bucket_upper_ns && i < durations->n_bucket_count; i++) {
        /* A bucket is 3 % wide. Its middle is its upper end minus half of its width. */
        double us = (double)durations->bucket_upper_ns[i] * 1e-3 * 0.985;

        shares[class_of(us)] +=
            100.0 * (double)durations->bucket_count[i] / (double)durations->count;
    }
}

void demo_latencies_sort(const struct demo_figures *figures, const Linkage__V1__Status *status,
                         struct demo_latencies *ret_latencies)
{
    *ret_latencies = (struct demo_latencies){0};
    sort_durations(status->wakeup, ret_latencies->wakeup);
    sort_durations(status->compute, ret_latencies->compute);
    for (size_t i = 0; i < figures->n_round_trips; i++)
        ret_latencies->round_trip[class_of(figures->round_trip_us[i])] +=
            100.0 / (double)figures->n_round_trips;
}

int demo_write_latencies(const char *directory, const struct demo_latencies *latencies)
{
    struct lk_csv *csv;
    int code = open_file(directory, "latency.csv", "from", &csv);

    if (code != 0)
        return code;
    lk_csv_add_column(csv, "from", NULL, "us");
    lk_csv_add_column(csv, "to", NULL, "us");
    lk_csv_add_column(csv, "wakeup", NULL, "%");
    lk_csv_add_column(csv, "compute", NULL, "%");
    lk_csv_add_column(csv, "round_trip", NULL, "%");
    for (size_t i = 0; i < DEMO_CLASSES; i++) {
        double row[] = {class_edge(i), class_edge(i + 1), latencies->wakeup[i],
                        latencies->compute[i], latencies->round_trip[i]};

        lk_csv_write_row(csv, row);
    }
    return lk_csv_close(csv);
}

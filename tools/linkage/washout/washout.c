/* SPDX-License-Identifier: Apache-2.0 */
/* linkage washout: options and configuration; drive.c makes the steps, print.c the output. */
#include "washout.h"
#include "commands.h"
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

/* struct options - the command line. @sensor: instead of that of the configuration, or NULL */
struct options {
    const char *path;
    const char *config;
    const char *sensor;
    const char *topic;
    const char *output;
    bool is_json;
};

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"config", 'c', .text = &o->config},
        {"sensor", 's', .text = &o->sensor},
        {"topic", 't', .text = &o->topic},
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"json", 'j', .flag = &o->is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, "washout takes one recording or CSV", &o->path);

    if (code == EXIT_DONE && o->config == NULL)
        return usage_error("washout needs --config FILE, a configuration with a section cueing");
    return code;
}

/* ---- configuration ---- */

static int read_section(const struct lk_document *document, const char *path,
                        struct lk_cueing_names *names, struct lk_ride_config *ride,
                        struct lk_error *error)
{
    struct lk_node node = lk_node_get(lk_document_root(document), "cueing");

    if (lk_node_kind(node) == LK_NODE_MAP)
        return lk_cueing_read(node, names, ride, error);
    lk_error_set(error, "%s: there is no section cueing", path);
    return LK_E_TEXT;
}

static bool read_config(const char *path, struct lk_cueing_names *names,
                        struct lk_ride_config *ride)
{
    struct lk_document *document = NULL;
    struct lk_errors errors = {0};
    struct lk_error error = {""};
    int r = lk_document_read(path, &document, &error);

    if (r == 0) {
        r = read_section(document, path, names, ride, &error);
        lk_document_errors(document, r, &error, &errors);
    }
    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (r != 0 && errors.n == 0)
        file_error("%s", r > 0 ? error.text : strerror(-r));
    lk_document_free(document);
    return r == 0;
}

/* ---- columns ---- */

/* Return the column of a name, -1: there is none. */
static int find_column(const struct lk_csv_table *t, const char *name)
{
    for (int c = 0; c < t->n; c++)
        if (strcmp(t->name[c], name) == 0)
            return c;
    return -1;
}

/* Find the six columns of the sensor. Return: the first one, -1 after an error message. */
static int find_sensor(const struct lk_csv_table *t, const char *path, const char *sensor)
{
    static const char *const part[] = {"fx", "fy", "fz", "wx", "wy", "wz"};
    char name[2 * LK_NAME_SIZE];
    int first = -1;

    for (int k = 0; k < 6; k++) {
        int column;

        snprintf(name, sizeof(name), "%s.%s", sensor, part[k]);
        column = find_column(t, name);
        first = k == 0 ? column : first;
        if (column >= 0 && column == first + k)
            continue;
        complain("%s: no column '%s' of an output of type inertial-sensor; expected --sensor NAME",
                 path, name);
        return -1;
    }
    return first;
}

static bool find_columns(const struct options *o, const struct lk_cueing_names *names,
                         struct drive *drive)
{
    drive->sensor_at =
        find_sensor(drive->table, o->path, o->sensor != NULL ? o->sensor : names->sensor);
    for (int i = 0; i < LK_WASHOUT_VALUES; i++) {
        const char *name = names->gain[i];

        drive->gain_at[i] = *name != '\0' ? find_column(drive->table, name) : -1;
        if (*name != '\0' && drive->gain_at[i] < 0)
            caution("%s: no column '%s': its gain stays as configured", o->path, name);
    }
    return drive->sensor_at >= 0;
}

/* ---- the command ---- */

static int drive_through(const struct options *o, struct drive *drive)
{
    struct drive_result result;
    int fault = 0;

    if (o->output != NULL) {
        fault = lk_csv_open(o->output, OUTPUT_MARK_ROWS, &drive->curves);
        if (fault == 0)
            fault = drive_columns(drive->curves, &drive->ride.platform);
    }
    if (fault == 0)
        drive_run(drive, &result);
    if (o->output != NULL && drive->curves != NULL)
        fault = lk_csv_close(drive->curves);
    if (told_output(o->output, fault) != EXIT_DONE)
        return EXIT_REFUSED;
    drive->curves = NULL;
    (o->is_json ? drive_print_json : drive_print_text)(drive, o->path, &result);
    return EXIT_DONE;
}

int command_washout(int argc, char *argv[])
{
    struct options o = {.topic = "outputs"};
    struct lk_csv_table table = {0};
    struct drive drive = {.table = &table, .scale = 1};
    struct lk_cueing_names names;
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    code = EXIT_REFUSED;
    if (read_config(o.config, &names, &drive.ride) && plot_read(o.path, o.topic, &table)) {
        if (table.n_rows < 2)
            complain("%s: expected at least two rows", o.path);
        else if (find_columns(&o, &names, &drive))
            code = drive_through(&o, &drive);
    }
    lk_csv_table_release(&table);
    return code;
}

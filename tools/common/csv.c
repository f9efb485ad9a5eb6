/* SPDX-License-Identifier: Apache-2.0 */
/* CSV writer on a stdio stream with a large buffer. A row of a recording has some hundred bytes;
 * one system call per row would cost more than formatting it. */
#include "csv.h"
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE (1u << 20)

struct lk_csv {
    struct output *output;
    FILE *file;
    char *buffer;
    int n_columns;
    bool header_done;
    int fault; /* first negative errno, 0: none */
};

/* Store the error of a failed stdio call, if it is the first. */
static int note_fault(struct lk_csv *csv)
{
    if (csv->fault == 0)
        csv->fault = errno != 0 ? -errno : -EIO;
    return csv->fault;
}

static int write_text(struct lk_csv *csv, const char *text, size_t size)
{
    if (csv->fault == 0 && fwrite(text, 1, size, csv->file) != size)
        note_fault(csv);
    return csv->fault;
}

int lk_csv_open(const char *path, const char *mark, struct lk_csv **ret_csv)
{
    struct lk_csv *csv = calloc(1, sizeof(*csv));
    int fault = -ENOMEM;

    if (csv != NULL)
        csv->buffer = malloc(BUFFER_SIZE);
    if (csv != NULL && csv->buffer != NULL)
        fault = output_open(path, mark, &csv->output);
    if (fault != 0) {
        if (csv != NULL)
            free(csv->buffer);
        free(csv);
        return fault;
    }
    csv->file = output_file(csv->output);
    setvbuf(csv->file, csv->buffer, _IOFBF, BUFFER_SIZE);
    *ret_csv = csv;
    return 0;
}

static void put_quoted(struct lk_csv *csv, const char *field)
{
    write_text(csv, "\"", 1);
    for (; *field != '\0'; field++)
        write_text(csv, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    write_text(csv, "\"", 1);
}

int lk_csv_add_column(struct lk_csv *csv, const char *channel, const char *component,
                      const char *unit)
{
    bool parts = component != NULL && component[0] != '\0';
    bool units = unit != NULL && unit[0] != '\0';
    char field[256];

    if (csv->header_done)
        return csv->fault = csv->fault != 0 ? csv->fault : -EINVAL;
    snprintf(field, sizeof(field), "%s%s%s%s%s%s", channel, parts ? "." : "",
             parts ? component : "", units ? " [" : "", units ? unit : "", units ? "]" : "");
    if (csv->n_columns++ > 0)
        write_text(csv, ",", 1);
    if (strpbrk(field, ",\"\r\n") != NULL)
        put_quoted(csv, field);
    else
        write_text(csv, field, strlen(field));
    return csv->fault;
}

static void end_header(struct lk_csv *csv)
{
    if (!csv->header_done)
        write_text(csv, "\n", 1);
    csv->header_done = true;
}

int lk_csv_write_row(struct lk_csv *csv, const double *values)
{
    char number[32];

    end_header(csv);
    for (int i = 0; i < csv->n_columns && csv->fault == 0; i++) {
        int size = snprintf(number, sizeof(number), i > 0 ? ",%.17g" : "%.17g", values[i]);

        write_text(csv, number, (size_t)size);
    }
    return write_text(csv, "\n", 1);
}

int lk_csv_close(struct lk_csv *csv)
{
    int fault;

    if (csv == NULL)
        return 0;
    end_header(csv);
    fault = output_close(csv->output, csv->fault == 0);
    if (csv->file == stdout)
        setvbuf(stdout, NULL, _IONBF, 0); /* the buffer is freed, but the stream remains open */
    fault = csv->fault != 0 ? csv->fault : fault;
    free(csv->buffer);
    free(csv);
    return fault;
}

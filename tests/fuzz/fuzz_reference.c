/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the reference values of a comparison: they are refused with one line, or accepted
 * number by number. An accepted file is read here a second time, field by field, and must give the
 * same numbers. */
#include "commands.h"
#include "compare/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIELDS_MAX 4096

static const char model_text[] =
    "linkage: 1\nname: arm\nbodies:\n  bob: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, bob], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "outputs:\n  angle: {type: joint-position, joint: pin}\n"
    "solver: {step: 0.001}\n";

static struct lk_model *the_model; /* freed with the system */
static struct lk_system *the_system;
static int n_complaints;

/* Count a complaint. This function replaces that of the tool, which prints. */
void complain(const char *format, ...)
{
    char text[8192];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    n_complaints++;
}

static void make_system(void)
{
    struct lk_error error;

    if (lk_model_read_text("model", model_text, sizeof(model_text) - 1, &the_model, &error) ||
        lk_system_new(the_model, NULL, &the_system, &error))
        abort();
}

/* Return the next field of @line, without blanks around it.
 * Return: NULL at the end of the line */
static char *next_field(char **line)
{
    char *field = *line, *end;

    if (!field)
        return NULL;
    end = field + strcspn(field, ",");
    *line = *end ? end + 1 : NULL;
    *end = '\0';
    field += strspn(field, " ");
    while (end > field && end[-1] == ' ')
        *--end = '\0';
    return field;
}

/* Remove "[unit]" from the end of @name. */
static void cut_unit(char *name)
{
    char *unit = strrchr(name, '[');

    if (!unit || unit == name || name[strlen(name) - 1] != ']')
        return;
    while (unit > name + 1 && unit[-1] == ' ')
        unit--;
    *unit = '\0';
}

/* Find the column of @r for each field, -1 for none.
 * Return: number of fields */
static int read_names(const struct compare_reference *r, char *line, int *ret_place)
{
    struct compare_column column;
    int n = 0, n_columns = 0;

    for (char *name; n < FIELDS_MAX && (name = next_field(&line)); n++) {
        cut_unit(name);
        ret_place[n] = -1;
        if (n > 0 && compare_columns_find(the_system, name, &column))
            ret_place[n] = n_columns++;
    }
    if (n < FIELDS_MAX && n_columns != r->n_columns)
        abort();
    return n;
}

static void check_row(const struct compare_reference *r, int row, char *line, const int *place,
                      int n)
{
    int i = 0;

    for (char *field; (field = next_field(&line)); i++) {
        double value = strtod(field, NULL);

        if (i >= n || !isfinite(value) || (i == 0 && value != r->time[row]) ||
            (place[i] >= 0 && value != r->value[row * r->n_columns + place[i]]))
            abort();
    }
    if (i != n)
        abort();
}

/* Check an accepted file against its text.
 * @text: text of the file */
static void check(const struct compare_reference *r, char *text)
{
    static int place[FIELDS_MAX];
    int n = -1, row = 0;

    for (char *line = text, *next; line && row < r->n_times; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        for (size_t end = strlen(line); end > 0 && line[end - 1] == '\r';)
            line[--end] = '\0';
        if (n < 0) {
            line += strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
            n = read_names(r, line, place);
        } else if (line[strspn(line, " ")] != '\0') {
            check_row(r, row++, line, place, n);
        }
        if (n >= FIELDS_MAX)
            return;
    }
    if (row != r->n_times)
        abort();
}

static void read_table(struct compare *compare, const uint8_t *data, size_t size)
{
    struct compare_reference *r = &compare->reference;
    char *text;

    n_complaints = 0;
    if (compare_table_read(compare) != EXIT_DONE) {
        if (n_complaints != 1)
            abort();
        return;
    }
    if (n_complaints != 0 || r->n_times < 2 || r->n_columns < 1 || r->time[0] != 0)
        abort();
    text = strndup((const char *)data, size);
    if (text && !strpbrk(text, "\";\t")) /* other dialects are unknown to this reader */
        check(r, text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    const struct compare_options options = {.reference = path};
    struct compare compare = {.options = &options};
    int fd = memfd_create("reference", 0);

    if (!the_system)
        make_system();
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    compare.system = the_system;
    read_table(&compare, data, size);
    free(compare.reference.time);
    free(compare.reference.columns);
    free(compare.reference.value);
    close(fd);
    return 0;
}

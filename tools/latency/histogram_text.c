/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* struct summary - numbers from the summary of the text; -1: missing. */
struct summary {
    int64_t total;
    int64_t max_us;
    int64_t overflows;
};

/* Read a whole number at *@at, before @end, and advance *@at.
 * Return: true on success. */
static bool take_count(const char **at, const char *end, int64_t *ret_value)
{
    int64_t value = 0;
    const char *s = *at;

    while (s < end && *s >= '0' && *s <= '9' && value < INT64_MAX / 100)
        value = 10 * value + (*s++ - '0');
    if (s == *at || (s < end && *s >= '0' && *s <= '9'))
        return false;
    *at = s;
    *ret_value = value;
    return true;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* Read a line "MICROSECONDS COUNT". */
static int parse_class(const char *at, const char *end, struct lat_histogram *histogram,
                       struct lk_error *error)
{
    int64_t value = 0, count = 0;
    bool ok = take_count(&at, end, &value) && at < end && (*at == ' ' || *at == '\t');

    at = skip_blanks(at, end);
    ok = ok && take_count(&at, end, &count) && skip_blanks(at, end) == end;
    if (!ok) {
        lk_error_set(error, "expected a latency and one count, as cyclictest -t 1 -h prints them");
        return LK_E_TEXT;
    }
    if (histogram->n > 0 && (double)value < histogram->classes[histogram->n - 1].to_us) {
        lk_error_set(error, "latency %" PRId64 " does not follow the one before", value);
        return LK_E_TEXT;
    }
    return lat_histogram_add(histogram, (double)value, (double)value + 1, (uint64_t)count);
}

/* Read a line such as "# Total: 000001000". Skip lines with other words. */
static int parse_remark(const char *at, const char *end, struct summary *summary,
                        struct lk_error *error)
{
    const struct {
        const char *key;
        int64_t *value;
    } known[] = {{"# Total:", &summary->total},
                 {"# Max Latencies:", &summary->max_us},
                 {"# Histogram Overflows:", &summary->overflows}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t n = strlen(known[i].key);

        if ((size_t)(end - at) < n || strncmp(at, known[i].key, n) != 0)
            continue;
        at = skip_blanks(at + n, end);
        if (take_count(&at, end, known[i].value) && skip_blanks(at, end) == end)
            return 0;
        lk_error_set(error, "expected one number after '%s'", known[i].key);
        return LK_E_TEXT;
    }
    return 0;
}

static int parse_lines(const char *text, struct lat_histogram *histogram, struct summary *summary,
                       struct lk_error *error)
{
    struct lk_error reason = {0};
    int code = 0;

    for (int line = 1; *text != '\0' && code == 0; line++) {
        const char *end = text + strcspn(text, "\n");
        const char *at = skip_blanks(text, end);

        if (at < end && *at == '#')
            code = parse_remark(at, end, summary, &reason);
        else if (at < end)
            code = parse_class(at, end, histogram, &reason);
        if (code == LK_E_TEXT)
            lk_error_set(error, "cyclictest's histogram, line %d: %s", line, reason.text);
        text = *end == '\n' ? end + 1 : end;
    }
    return code;
}

/* Remove the empty classes, which are most of them. */
static void drop_empty(struct lat_histogram *histogram)
{
    size_t n = 0;

    for (size_t i = 0; i < histogram->n; i++) {
        if (histogram->classes[i].count > 0)
            histogram->classes[n++] = histogram->classes[i];
    }
    histogram->n = n;
}

/* Check that the classes agree with the summary, and add the samples beyond the last class. */
static int check_summary(struct lat_histogram *histogram, const struct summary *summary,
                         struct lk_error *error)
{
    double end_us = histogram->n > 0 ? histogram->classes[histogram->n - 1].to_us : 0;

    if (histogram->n == 0 || summary->total < 0 || summary->max_us < 0) {
        lk_error_set(error, "cyclictest's histogram ends early: %s",
                     histogram->n == 0 ? "there are no classes"
                                       : "there is no total or no maximum");
        return LK_E_TEXT;
    }
    if ((uint64_t)summary->total != histogram->count) {
        lk_error_set(error,
                     "cyclictest's histogram has %" PRIu64 " samples, its total says %" PRId64,
                     histogram->count, summary->total);
        return LK_E_TEXT;
    }
    drop_empty(histogram);
    histogram->max_us = (double)summary->max_us + 0.5; /* middle, as the value is truncated */
    if (summary->overflows <= 0)
        return 0;
    return lat_histogram_add(histogram, end_us, fmax((double)summary->max_us, end_us) + 1,
                             (uint64_t)summary->overflows);
}

int lat_text_parse(const char *text, struct lat_histogram *ret_histogram,
                   struct lk_error *ret_error)
{
    struct summary summary = {-1, -1, -1};
    struct lat_histogram histogram = {0};
    int code = parse_lines(text, &histogram, &summary, ret_error);

    if (code == 0)
        code = check_summary(&histogram, &summary, ret_error);
    if (code != 0)
        lat_histogram_fini(&histogram);
    else
        *ret_histogram = histogram;
    return code;
}

static double middle_us(const struct lat_class *c)
{
    return 0.5 * (c->from_us + c->to_us);
}

/* Write the classes.
 * Return: number of samples beyond the last class. */
static uint64_t write_classes(FILE *file, const struct lat_histogram *histogram)
{
    uint64_t overflows = 0;
    size_t i = 0;

    for (int us = 0; us < LAT_TEXT_LIMIT_US && i < histogram->n; us++) {
        uint64_t count = 0;

        for (; i < histogram->n && middle_us(&histogram->classes[i]) < us + 1; i++)
            count += histogram->classes[i].count;
        fprintf(file, "%06d %06" PRIu64 "\n", us, count);
    }
    for (; i < histogram->n; i++)
        overflows += histogram->classes[i].count;
    return overflows;
}

int lat_text_write(FILE *file, const struct lat_histogram *histogram)
{
    double mean = histogram->count > 0 ? lat_histogram_lower_mean(histogram, 1) : 0;
    double least = histogram->n > 0 ? histogram->classes[0].from_us : 0;
    uint64_t overflows;

    fprintf(file, "# Histogram\n");
    overflows = write_classes(file, histogram);
    fprintf(file, "# Total: %09" PRIu64 "\n", histogram->count - overflows);
    fprintf(file, "# Min Latencies: %05.0f\n", floor(least));
    fprintf(file, "# Avg Latencies: %05.0f\n", floor(mean));
    fprintf(file, "# Max Latencies: %05.0f\n", floor(histogram->max_us));
    fprintf(file, "# Histogram Overflows: %05" PRIu64 "\n", overflows);
    fprintf(file, "# Histogram Overflow at cycle number:\n# Thread 0:\n");
    return ferror(file) ? -EIO : 0;
}

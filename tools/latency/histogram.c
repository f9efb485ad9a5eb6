/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_PART 128 /* classes per power of two, for single values */

void lat_histogram_fini(struct lat_histogram *histogram)
{
    free(histogram->classes);
    *histogram = (struct lat_histogram){0};
}

/* Return the index of the first class that does not begin below @from_us. */
static size_t find_class(const struct lat_histogram *histogram, double from_us)
{
    size_t low = 0, high = histogram->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (histogram->classes[middle].from_us < from_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int make_room(struct lat_histogram *histogram)
{
    size_t size = histogram->size > 0 ? 2 * histogram->size : 64;
    struct lat_class *classes;

    if (histogram->n < histogram->size)
        return 0;
    classes = realloc(histogram->classes, size * sizeof(*classes));
    if (classes == NULL)
        return -ENOMEM;
    histogram->classes = classes;
    histogram->size = size;
    return 0;
}

int lat_histogram_add(struct lat_histogram *histogram, double from_us, double to_us, uint64_t count)
{
    size_t at = find_class(histogram, from_us);

    /* classes with the same beginning but different ends may overlap, and are separate classes */
    while (at < histogram->n && histogram->classes[at].from_us <= from_us &&
           histogram->classes[at].to_us < to_us)
        at++;
    if (at == histogram->n || histogram->classes[at].from_us > from_us ||
        histogram->classes[at].to_us > to_us) {
        if (make_room(histogram) != 0)
            return -ENOMEM;
        memmove(histogram->classes + at + 1, histogram->classes + at,
                (histogram->n - at) * sizeof(*histogram->classes));
        histogram->classes[at] = (struct lat_class){.from_us = from_us, .to_us = to_us};
        histogram->n++;
    }
    histogram->classes[at].count += count;
    histogram->count += count;
    return 0;
}

int lat_histogram_add_value(struct lat_histogram *histogram, double value_us)
{
    int exponent;
    double mantissa = frexp(fmax(value_us, 1e-3), &exponent); /* mantissa: 0.5 to 1 */
    double from = floor(mantissa * 2 * CLASS_PART) / (2 * CLASS_PART);

    histogram->max_us = fmax(histogram->max_us, value_us);
    return lat_histogram_add(histogram, ldexp(from, exponent),
                             ldexp(from + 0.5 / CLASS_PART, exponent), 1);
}

int lat_histogram_merge(struct lat_histogram *histogram, const struct lat_histogram *more)
{
    int code = 0;

    for (size_t i = 0; i < more->n && code == 0; i++)
        code = lat_histogram_add(histogram, more->classes[i].from_us, more->classes[i].to_us,
                                 more->classes[i].count);
    histogram->max_us = fmax(histogram->max_us, more->max_us);
    return code;
}

double lat_histogram_quantile(const struct lat_histogram *histogram, double q)
{
    double rank = q * (double)histogram->count;
    double below = 0;

    if (histogram->count == 0)
        return NAN;
    for (size_t i = 0; i < histogram->n; i++) {
        const struct lat_class *c = &histogram->classes[i];
        double count = (double)c->count;

        if (count > 0 && below + count >= rank)
            return fmin(c->from_us + (c->to_us - c->from_us) * (rank - below) / count,
                        histogram->max_us);
        below += count;
    }
    return histogram->max_us;
}

double lat_histogram_lower_mean(const struct lat_histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    double left = wanted, sum = 0;

    if (wanted <= 0)
        return NAN;
    for (size_t i = 0; i < histogram->n && left > 0; i++) {
        const struct lat_class *c = &histogram->classes[i];
        double taken = fmin((double)c->count, left);
        double part = c->count > 0 ? taken / (double)c->count : 0;

        /* if a class counts only in part, use its lower part */
        sum += taken * (c->from_us + 0.5 * part * (c->to_us - c->from_us));
        left -= taken;
    }
    return sum / wanted;
}

double lat_histogram_above(const struct lat_histogram *histogram, double value_us)
{
    double above = 0;

    if (histogram->count == 0)
        return NAN;
    for (size_t i = 0; i < histogram->n; i++) {
        const struct lat_class *c = &histogram->classes[i];
        double part = (c->to_us - value_us) / (c->to_us - c->from_us);

        above += (double)c->count * fmin(fmax(part, 0), 1);
    }
    return above / (double)histogram->count;
}

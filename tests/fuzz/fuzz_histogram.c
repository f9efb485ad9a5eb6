/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as cyclictest's histogram: it is refused with one line, or has ordered classes whose
 * samples add up and whose figures lie among them. A histogram that was written again must be
 * readable. */
#include "histogram_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double quantiles[] = {0, 0.5, 0.99, 0.999, 1};

static void check_classes(const struct lat_histogram *h)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < h->n; i++) {
        const struct lat_class *c = &h->classes[i];

        if (!(c->from_us < c->to_us) || c->count == 0 || sum + c->count < sum ||
            (i > 0 && h->classes[i - 1].from_us > c->from_us))
            abort();
        sum += c->count;
    }
    if (sum != h->count)
        abort();
}

static void check_figures(const struct lat_histogram *h)
{
    double before = 0;

    if (h->count == 0)
        return;
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        double q = lat_histogram_quantile(h, quantiles[i]);

        if (!isfinite(q) || q < before || q > h->max_us)
            abort();
        before = q;
    }
    if (!isfinite(lat_histogram_lower_mean(h, 0.9)) || !isfinite(lat_histogram_above(h, 10)))
        abort();
}

static void check_again(const struct lat_histogram *h)
{
    struct lat_histogram again;
    struct lk_error error = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out || lat_text_write(out, h) || fclose(out))
        abort();
    if (h->n > 0 && h->classes[0].from_us < LAT_TEXT_LIMIT_US) {
        if (lat_text_parse(text, &again, &error) || again.count != h->count)
            abort();
        lat_histogram_fini(&again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lat_histogram histogram;
    struct lk_error error = {0};
    char *text = malloc(size + 1);
    int r;

    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    r = lat_text_parse(text, &histogram, &error);
    if (r == LK_E_TEXT) {
        if (!*error.text || strchr(error.text, '\n'))
            abort();
    } else if (r != 0) {
        abort();
    } else {
        check_classes(&histogram);
        check_figures(&histogram);
        check_again(&histogram);
        lat_histogram_fini(&histogram);
    }
    free(text);
    return 0;
}

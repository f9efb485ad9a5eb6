/* SPDX-License-Identifier: Apache-2.0 */
/* Collect differences between results and a reference for a table of figures. The table has
 * Markdown lines on the standard output, written only if the environment variable COMPARED is set
 * (tests/bench/compared). */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** struct compared - a quantity at the place of its largest difference
 * @reference: reference value
 * @ours:      value of this library
 * @off:       difference, relative to a size if the caller gives one
 * @where:     the place, a time or a name */
struct compared {
    double reference;
    double ours;
    double off;
    char where[32];
};

/** compared_see() - Replace @worst if this difference is larger. NaN replaces every number and is
 * never replaced.
 * @where: a time or a name, copied */
static inline void compared_see(struct compared *worst, double reference, double ours, double size,
                                const char *where)
{
    double off = fabs(ours - reference) / size;

    if (isnan(worst->off) || (off <= worst->off && worst->where[0] != '\0'))
        return;
    *worst = (struct compared){.reference = reference, .ours = ours, .off = off};
    snprintf(worst->where, sizeof(worst->where), "%s", where);
}

/** compared_say() - Print a line of the table: case, quantity, reference, ours, difference. */
static inline void compared_say(const char *of, const char *what, const struct compared *c)
{
    if (getenv("COMPARED") == NULL)
        return;
    printf("| %s | %s%s%s | %.8g | %.8g | %.1e |\n", of, what, c->where[0] != '\0' ? ", " : "",
           c->where, c->reference, c->ours, c->off);
    fflush(stdout);
}

/** compared_one() - Print the line of a quantity with a single value. */
static inline void compared_one(const char *of, const char *what, double reference, double ours)
{
    struct compared c = {0};

    compared_see(&c, reference, ours, 1, "");
    compared_say(of, what, &c);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a test compares with a reference, for a table of figures: lines of Markdown on the standard
 * output where the environment has COMPARED (tests/bench/compared). */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** struct compared - a quantity where it is off most.
 * @off: difference, relative to a size where the caller says so */
struct compared {
    double reference;
    double ours;
    double off;
    char where[32];
};

/** compared_see() - keeps the worse of what is kept and this, and what is not a number for good.
 * @where: a time or a name, kept as text */
static inline void compared_see(struct compared *worst, double reference, double ours, double size,
                                const char *where)
{
    double off = fabs(ours - reference) / size;

    if (isnan(worst->off) || (off <= worst->off && worst->where[0] != '\0'))
        return;
    *worst = (struct compared){.reference = reference, .ours = ours, .off = off};
    snprintf(worst->where, sizeof(worst->where), "%s", where);
}

/** compared_say() - a line of the table: case, quantity, reference, ours, difference. */
static inline void compared_say(const char *of, const char *what, const struct compared *c)
{
    if (getenv("COMPARED") == NULL)
        return;
    printf("| %s | %s%s%s | %.8g | %.8g | %.1e |\n", of, what, c->where[0] != '\0' ? ", " : "",
           c->where, c->reference, c->ours, c->off);
    fflush(stdout);
}

/** compared_one() - the line of a quantity that there is one of. */
static inline void compared_one(const char *of, const char *what, double reference, double ours)
{
    struct compared c = {0};

    compared_see(&c, reference, ours, 1, "");
    compared_say(of, what, &c);
}

#endif

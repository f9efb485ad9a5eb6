/* SPDX-License-Identifier: Apache-2.0 */
#include "tone.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colors(FILE *to)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fileno(to)) == 1 && (no == NULL || *no == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

const char *tone_begin(FILE *to, enum tone tone)
{
    static const char *const sequences[] = {[TONE_PLAIN] = "",
                                            [TONE_GOOD] = "\033[32m",
                                            [TONE_WARNING] = "\033[33m",
                                            [TONE_ERROR] = "\033[31m",
                                            [TONE_HEAD] = "\033[1m"};

    return has_colors(to) ? sequences[tone] : "";
}

const char *tone_end(FILE *to)
{
    return has_colors(to) ? "\033[0m" : "";
}

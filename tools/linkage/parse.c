/* SPDX-License-Identifier: Apache-2.0 */
/* Option values that several subcommands share. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>

int parse_step(const char *text, double *ret_step)
{
    if (!parse_number(text, ret_step) || *ret_step < LK_STEP_MIN || *ret_step > LK_STEP_MAX)
        return usage_error("step is '%s', expected %g to %g s", text, LK_STEP_MIN, LK_STEP_MAX);
    return EXIT_DONE;
}

int parse_duration(const char *text, double *ret_duration)
{
    if (!parse_number(text, ret_duration) || *ret_duration < 0)
        return usage_error("duration is '%s', expected a number of seconds", text);
    return EXIT_DONE;
}

int parse_tolerance(const char *text, double *ret_tolerance)
{
    if (!parse_number(text, ret_tolerance) || *ret_tolerance < TOLERANCE_MIN ||
        *ret_tolerance > TOLERANCE_MAX)
        return usage_error("tolerance is '%s', expected %g to %g", text, TOLERANCE_MIN,
                           TOLERANCE_MAX);
    return EXIT_DONE;
}

int parse_baumgarte(const char *text, double ret[2])
{
    const char *at = text;

    if (take_value(&at, &ret[0]) && *at++ == ',' && take_value(&at, &ret[1]) && *at == '\0' &&
        ret[0] > 0 && ret[1] > 0)
        return EXIT_DONE;
    return usage_error("baumgarte is '%s', expected ALPHA,BETA, both more than 0 per second", text);
}

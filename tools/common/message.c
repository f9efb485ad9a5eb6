/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"
#include "tone.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static void say(enum tone tone, bool is_named, const char *format, va_list arguments)
{
    fputs(tone_begin(stderr, tone), stderr);
    if (is_named)
        fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "%s\n", tone_end(stderr));
}

void complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(TONE_ERROR, true, format, arguments);
    va_end(arguments);
}

void caution(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(TONE_WARNING, true, format, arguments);
    va_end(arguments);
}

void file_warning(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(TONE_WARNING, false, format, arguments);
    va_end(arguments);
}

void file_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(TONE_ERROR, false, format, arguments);
    va_end(arguments);
}

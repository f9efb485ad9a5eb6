/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"
#include "tone.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Print a line at once, so that those of several threads do not mix. */
static void say(enum tone tone, bool is_named, const char *format, va_list arguments)
{
    char *text = NULL;

    if (vasprintf(&text, format, arguments) < 0)
        return;
    fprintf(stderr, "%s%s%s%s%s\n", tone_begin(stderr, tone),
            is_named ? program_invocation_short_name : "", is_named ? ": " : "", text,
            tone_end(stderr));
    free(text);
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

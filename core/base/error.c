/* SPDX-License-Identifier: Apache-2.0 */
/* One line for people, made safe to print and to send: names and values in it come from files and
 * sockets. The result is UTF-8 without control characters, also where a sequence was cut. */
#include "linkage/error.h"
#include "linkage/text.h"

#include <stdarg.h>
#include <stdio.h>

void lk_error_set(struct lk_error *error, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
        error->text[0] = '\0';
    va_end(arguments);
    lk_text_clean(error->text);
}

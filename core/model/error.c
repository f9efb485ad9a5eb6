/* SPDX-License-Identifier: Apache-2.0 */
/* One line for people, made safe to print and to send: names and values in it come from files and
 * sockets. The result is UTF-8 without control characters, also where a sequence was cut. */
#include "linkage/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 sequence at @s, 0 if it is malformed, overlong, a surrogate or cut. */
static int sequence_size(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int size = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    uint32_t code = size == 1 ? s[0] : s[0] & (0x7fu >> size);

    for (int i = 1; i < size; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (size > 1 && (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)))
        return 0;
    return size;
}

/* Control characters are those below space, DEL and U+0080 to U+009F (terminals obey these too). */
static bool is_control(const unsigned char *s, int size)
{
    return size == 1 ? s[0] < 0x20 || s[0] == 0x7f : size == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

void lk_error_set(struct lk_error *error, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
        error->text[0] = '\0';
    va_end(arguments);

    for (unsigned char *s = (unsigned char *)error->text; *s != '\0';) {
        int size = sequence_size(s);

        if (size > 0 && !is_control(s, size)) {
            s += size;
            continue;
        }
        for (int i = 0; i < (size > 0 ? size : 1); i++)
            *s++ = '?';
    }
}

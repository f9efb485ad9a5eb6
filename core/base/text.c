/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/text.h"

#include <stdint.h>
#include <string.h>

int lk_text_sequence(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
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

/* Return whether a character ends a line or changes the direction of text (Unicode 15, 9.2), so
 * that the displayed text would differ from the actual one. @s: 3 bytes */
static bool turns(const unsigned char *s)
{
    return s[0] == 0xe2 &&
           ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

/* Return the length of the sequence at @text; @ret_clean: whether it is clean text. */
static int look_at(const char *text, bool *ret_clean)
{
    const unsigned char *s = (const unsigned char *)text;
    int size = lk_text_sequence(text);

    *ret_clean = size == 1   ? s[0] >= 0x20 && s[0] != 0x7f
                 : size == 2 ? (s[0] != 0xc2 || s[1] >= 0xa0) && !(s[0] == 0xd8 && s[1] == 0x9c)
                 : size == 3 ? !turns(s)
                             : size > 0;
    return size > 0 ? size : 1;
}

void lk_text_clean(char *text)
{
    bool clean;

    for (int size; *text != '\0'; text += size) {
        size = look_at(text, &clean);
        if (!clean)
            memset(text, '?', (size_t)size);
    }
}

bool lk_text_is_clean(const char *text)
{
    bool clean = true;

    while (clean && *text != '\0')
        text += look_at(text, &clean);
    return clean;
}

void lk_text_print(FILE *file, const char *text)
{
    bool clean;

    for (int size; *text != '\0'; text += size) {
        size = look_at(text, &clean);
        if (clean)
            fwrite(text, 1, (size_t)size, file);
        else
            fprintf(file, "%.*s", size, "????");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_number(const char *text, double *ret_value)
{
    char *end;
    double value;

    if (strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

bool take_value(const char **text, double *ret_value)
{
    char number[64];
    size_t size = strcspn(*text, ",");

    if (size == 0 || size >= sizeof(number))
        return false;
    memcpy(number, *text, size);
    number[size] = '\0';
    *text += size;
    return parse_number(number, ret_value);
}

void print_shortest(FILE *file, double value)
{
    char text[32];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, file);
}

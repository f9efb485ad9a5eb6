/* SPDX-License-Identifier: Apache-2.0 */
#include "fmu.h"

#include <stdlib.h>
#include <string.h>

const char *const fmu_bases[FMU_BASES] = {"kg", "m", "s", "A", "K", "rad"};

static const struct {
    const char *symbol;
    struct fmu_unit unit;
} symbols[] = {
    {"1", {{0}}},
    {"kg", {{[FMU_KG] = 1}}},
    {"m", {{[FMU_M] = 1}}},
    {"s", {{[FMU_S] = 1}}},
    {"A", {{[FMU_A] = 1}}},
    {"K", {{[FMU_K] = 1}}},
    {"rad", {{[FMU_RAD] = 1}}},
    {"Hz", {{[FMU_S] = -1}}},
    {"N", {{[FMU_KG] = 1, [FMU_M] = 1, [FMU_S] = -2}}},
    {"J", {{[FMU_KG] = 1, [FMU_M] = 2, [FMU_S] = -2}}},
    {"W", {{[FMU_KG] = 1, [FMU_M] = 2, [FMU_S] = -3}}},
    {"Pa", {{[FMU_KG] = 1, [FMU_M] = -1, [FMU_S] = -2}}},
    {"V", {{[FMU_KG] = 1, [FMU_M] = 2, [FMU_S] = -3, [FMU_A] = -1}}},
};

/* Parse a factor such as "m^2" at @text, and add its exponents times @sign.
 * Return: the rest of the text; NULL: unknown unit. */
static const char *take(const char *text, int sign, struct fmu_unit *u)
{
    size_t size = strcspn(text, " /^");

    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        char *end;
        long power = 1;

        if (strlen(symbols[i].symbol) != size || strncmp(symbols[i].symbol, text, size) != 0)
            continue;
        text += size;
        if (*text == '^') {
            power = strtol(text + 1, &end, 10);
            if (end == text + 1 || labs(power) > 9)
                return NULL;
            text = end;
        }
        for (int b = 0; b < FMU_BASES; b++)
            u->power[b] += sign * (int)power * symbols[i].unit.power[b];
        return text;
    }
    return NULL;
}

/* All factors after a slash are divisors. */
bool fmu_unit_parse(const char *text, struct fmu_unit *ret)
{
    int sign = 1;

    *ret = (struct fmu_unit){{0}};
    for (;;) {
        text = take(text, sign, ret);
        if (text == NULL || *text == '\0')
            return text != NULL;
        if (*text == '/' && sign < 0)
            return false;
        sign = *text == '/' ? -1 : sign;
        text++;
    }
}

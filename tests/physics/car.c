/* SPDX-License-Identifier: Apache-2.0 */
#include "car.h"
#include "cmocka_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void car_read(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    size_t n;

    assert_non_null(file);
    n = fread(text, 1, CAR_TEXT - 1, file);
    assert_true(n < CAR_TEXT - 1);
    text[n] = '\0';
    fclose(file);
}

void car_replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    size_t length = strlen(to), rest;

    if (at == NULL)
        fail_msg("no '%s' in the model", from);
    rest = strlen(at + strlen(from)) + 1;
    assert_true((size_t)(at - text) + length + rest <= CAR_TEXT);
    memmove(at + length, at + strlen(from), rest);
    memcpy(at, to, length);
}

void car_stand_iltis(char *text)
{
    static const char *const turning[] = {"rate: 54.8960406", "rate: 54.8960406",
                                          "rate: 54.9734478", "rate: 54.9734478"};

    car_replace(text, "{input: rack, period: 0.005}", "{harmonic: {amplitude: 0, omega: 1}}");
    car_replace(text, "inputs:\n  rack: {type: drive, limits: [-0.05, 0.05], rate: 0.5}\n", "");
    car_replace(text, "A: [2625, 14.47, 12930, 2.29, 18175]", "A: [1e-9, 0, 12930, 0, 18175]");
    for (size_t i = 0; i < sizeof(turning) / sizeof(*turning); i++)
        car_replace(text, turning[i], "rate: 0");
}

int car_offset(const struct lk_system *sys, const char *name)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(sys, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0)
            return channels[i].offset;
    fail_msg("no output '%s'", name);
    return 0;
}

void car_angles(const double q[4], double ret[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];

    ret[0] = atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
    ret[1] = -asin(2 * (y * z - w * x));
    ret[2] = atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
}

int car_read_row(FILE *file, int n, double *row)
{
    char line[512];
    char *at = line;

    if (!fgets(line, sizeof(line), file))
        return 0;
    for (int i = 0; i < n; i++) {
        row[i] = strtod(at, &at);
        at += *at == ',';
    }
    return 1;
}

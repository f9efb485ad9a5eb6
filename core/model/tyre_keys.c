/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table of the parameters from their list in core/tyre. */
#include "tyre_keys.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_MAX 300 /* most bytes of the names that a message lists */

const struct lk_tyre_key lk_tyre_keys[] = {
#define ENTRY(name, fallback) {#name, offsetof(struct lk_tyre_magic, name), fallback},
    LK_MAGIC_KEYS(ENTRY)
#undef ENTRY
        {NULL, 0, 0},
};

/* parameters that must be positive: divisors, and parameters whose sign would reverse a force */
static const char *const positive[] = {"UNLOADED_RADIUS",
                                       "WIDTH",
                                       "FNOMIN",
                                       "LONGVL",
                                       "VERTICAL_STIFFNESS",
                                       "PCX1",
                                       "PDX1",
                                       "PCY1",
                                       "PDY1",
                                       "PKX1",
                                       "PKY2",
                                       "LFZO",
                                       "LMUX",
                                       "LMUY",
                                       "LCX",
                                       "LCY",
                                       "LKX",
                                       "LKY",
                                       NULL};

const struct lk_tyre_key *lk_tyre_key_find(const char *name)
{
    for (const struct lk_tyre_key *key = lk_tyre_keys; key->name != NULL; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

double *lk_tyre_key_value(struct lk_tyre_magic *magic, const struct lk_tyre_key *key)
{
    return (double *)(void *)((char *)magic + key->offset);
}

void lk_tyre_keys_begin(struct lk_tyre_magic *magic)
{
    for (const struct lk_tyre_key *key = lk_tyre_keys; key->name != NULL; key++)
        *lk_tyre_key_value(magic, key) = key->fallback;
    magic->pressure = 0;
}

static int refuse_missing(struct lk_tyre_magic *magic, struct lk_error *err)
{
    char names[LIST_MAX + 40] = "";
    int n = 0;

    for (const struct lk_tyre_key *key = lk_tyre_keys; key->name != NULL; key++) {
        size_t used = strlen(names);

        if (!isnan(*lk_tyre_key_value(magic, key)))
            continue;
        if (used < LIST_MAX)
            snprintf(names + used, sizeof(names) - used, "%s%s", n > 0 ? ", " : "", key->name);
        n++;
    }
    if (n == 0)
        return 0;
    lk_error_set(err, "the key%s %s %s missing, expected a number", n > 1 ? "s" : "", names,
                 n > 1 ? "are" : "is");
    return LK_E_TEXT;
}

static int refuse_senseless(struct lk_tyre_magic *magic, struct lk_error *err)
{
    for (int i = 0; positive[i] != NULL; i++) {
        double value = *lk_tyre_key_value(magic, lk_tyre_key_find(positive[i]));

        if (!(value > 0)) {
            lk_error_set(err, "%s is %g, expected more than 0", positive[i], value);
            return LK_E_TEXT;
        }
    }
    if (magic->PKY1 < 0)
        return 0;
    lk_error_set(err, "PKY1 is %g, expected less than 0: side forces oppose the slip (ISO axes, W)",
                 magic->PKY1);
    return LK_E_TEXT;
}

static void turn(double *const values[], int n)
{
    for (int i = 0; i < n; i++)
        *values[i] = -*values[i];
}

/* Normalise the signs that several parameters share. D sin(C atan(B x - E (B x - atan(B x))))
 * with B = K / (C D) is the same curve with -D, or with -C; the sign matters because D also
 * scales the side force due to braking slip (RVY), and B C widens the residual moment (QBZ10).
 * PKY1 sin(PKY4 atan(Fz / PKY2)) is the same if both PKY1 and PKY2 change sign. */
static void choose_signs(struct lk_tyre_magic *m)
{
    if (m->PDX1 < 0)
        turn((double *const[]){&m->PDX1, &m->PDX2}, 2);
    if (m->PDY1 < 0)
        turn((double *const[]){&m->PDY1, &m->PDY2, &m->RVY1, &m->RVY2, &m->RVY3, &m->QBZ10}, 6);
    if (m->PKY2 < 0)
        turn((double *const[]){&m->PKY1, &m->PKY2, &m->PKY5}, 3);
    m->PCX1 = fabs(m->PCX1);
    m->PCY1 = fabs(m->PCY1);
}

int lk_tyre_keys_end(struct lk_tyre_magic *magic, struct lk_error *err)
{
    int result = refuse_missing(magic, err);

    choose_signs(magic);
    if (result == 0)
        result = refuse_senseless(magic, err);
    magic->pressure = magic->INFLPRES > 0 ? magic->INFLPRES : magic->NOMPRES;
    return result;
}

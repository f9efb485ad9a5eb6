/* SPDX-License-Identifier: Apache-2.0 */
#include "ros2.h"

#include <stdio.h>
#include <string.h>

#define HEAD   4            /* size of the header, which indicates plain CDR, little-endian */
#define NESTED "linkage/T_" /* prefix of the type of a field, followed by the field's name */

static void put(struct lk_mcap_buffer *text, const char *word)
{
    lk_mcap_put(text, word, strlen(word));
}

static void put_name(struct lk_mcap_buffer *text, const char *name, size_t size)
{
    if (*name == '_')
        put(text, "n");
    lk_mcap_put(text, name, size);
}

/* Return the length of the field's name in a key such as "pose" or "pose.x". */
static size_t measure_field(const char *key)
{
    return strcspn(key, ".");
}

static bool is_of_field(const char *key, const char *other)
{
    size_t size = measure_field(key);

    return size == measure_field(other) && memcmp(key, other, size) == 0;
}

/* Return the next key of a value, NULL: none. The list has one key for each value, in their order.
 * Keys that contain a space are no values: they contain the original names of renamed fields. */
static const char *next_key(const struct lk_mcap_type *type, size_t *place)
{
    while (*place < type->n_units) {
        const char *key = type->unit[(*place)++].key;

        if (strchr(key, ' ') == NULL)
            return key;
    }
    return NULL;
}

static void put_components(struct lk_mcap_buffer *text, const struct lk_mcap_type *type)
{
    const char *key, *before = "";
    size_t place = 0;

    while ((key = next_key(type, &place)) != NULL) {
        const char *component = key + measure_field(key);

        if (*component == '\0')
            continue;
        if (!is_of_field(key, before)) {
            put(text,
                "================================================================\nMSG: " NESTED);
            lk_mcap_put(text, key, measure_field(key));
            put(text, "\n");
        }
        put(text, "float64 ");
        put_name(text, component + 1, strlen(component + 1));
        put(text, "\n");
        before = key;
    }
}

void ros2_name(const struct lk_mcap_type *type, char *ret, size_t size)
{
    int package = (int)measure_field(type->name);

    snprintf(ret, size, "%.*s/msg/%s", package, type->name, type->name + package + 1);
}

void ros2_schema(struct lk_mcap_buffer *text, const struct lk_mcap_type *type)
{
    const char *key, *before = "";
    size_t place = 0;

    while ((key = next_key(type, &place)) != NULL) {
        if (is_of_field(key, before))
            continue;
        if (key[measure_field(key)] == '\0') {
            put(text, "float64 ");
        } else {
            put(text, NESTED);
            lk_mcap_put(text, key, measure_field(key));
            put(text, " ");
        }
        put_name(text, key, measure_field(key));
        put(text, "\n");
        before = key;
    }
    put_components(text, type);
}

size_t ros2_size(const struct lk_mcap_type *type)
{
    return HEAD + type->n_values * sizeof(double);
}

void ros2_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to)
{
    memcpy(to, "\0\1\0\0", HEAD);
    for (size_t i = 0; i < type->n_values; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof(bits));
        lk_mcap_store_u64(to + HEAD + i * sizeof(bits), bits);
    }
}

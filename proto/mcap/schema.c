/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"
#include "descriptor.h"
#include "identifiers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest field number: numbers from 19000 on are reserved. */
#define FIELDS_MAX 18999
/* Size of a key: the name of a field with the prefix "name of " or with a component. */
#define KEY_SIZE (2 * LK_IDENTIFIER_SIZE)

/* struct draft - a message type under construction.
 * @names:   names of fields and nested types in use
 * @message: descriptor of the type
 * @form:    template of a message */
struct draft {
    struct lk_mcap_type *type;
    struct lk_identifiers names;
    struct lk_mcap_buffer message;
    struct lk_mcap_buffer form;
    char full_name[200];
};

static void note_unit(struct lk_mcap_type *type, const char *field, const char *component,
                      const char *unit)
{
    char *key = type->texts + type->n_units * KEY_SIZE;

    snprintf(key, KEY_SIZE, "%s%s%s", field, *component ? "." : "", component);
    type->unit[type->n_units++] = (struct lk_mcap_pair){key, unit};
}

static void note_name(struct lk_mcap_type *type, const char *field, const char *name)
{
    char *key = type->texts + type->n_units * KEY_SIZE;

    if (strcmp(field, name) == 0)
        return;
    snprintf(key, KEY_SIZE, "name of %s", field);
    type->unit[type->n_units++] = (struct lk_mcap_pair){key, name};
}

/* Add a double to the template, and store the offset of its eight bytes in @place. */
static void form_value(struct lk_mcap_type *type, struct lk_mcap_buffer *form, uint32_t number)
{
    lk_pb_put_tag(form, number, LK_PB_64);
    type->place[type->n_values++] = (uint32_t)form->size;
    lk_mcap_put_u64(form, 0);
}

static void add_scalar(struct draft *draft, const struct lk_channel *channel, const char *field,
                       uint32_t number)
{
    lk_descriptor_put_field(&draft->message, field, number, LK_PB_DOUBLE, NULL);
    form_value(draft->type, &draft->form, number);
    note_unit(draft->type, field, "", channel->unit[0]);
}

/* Add a channel with several components as a nested message. The names of components have their own
 * scope. The name of the nested type shares a scope with the fields of the outer message. */
static void add_vector(struct draft *draft, const struct lk_channel *channel, const char *field,
                       uint32_t number)
{
    struct lk_mcap_buffer nested = {.grows = true}, form = {.grows = true};
    char type_name[LK_IDENTIFIER_SIZE], stem[LK_IDENTIFIER_SIZE], path[400];
    size_t first = draft->type->n_values;

    snprintf(stem, sizeof(stem), "%.60s_t", field);
    lk_identifiers_add(&draft->names, stem, type_name);
    lk_descriptor_put_name(&nested, type_name);
    for (int i = 0; i < channel->size; i++) {
        char component[LK_IDENTIFIER_SIZE];

        lk_identifier(channel->component[i], component);
        lk_descriptor_put_field(&nested, component, (uint32_t)i + 1, LK_PB_DOUBLE, NULL);
        form_value(draft->type, &form, (uint32_t)i + 1);
        note_unit(draft->type, field, component, channel->unit[i]);
    }
    snprintf(path, sizeof(path), ".%s.%s", draft->full_name, type_name);
    lk_descriptor_put_field(&draft->message, field, number, LK_PB_MESSAGE, path);
    lk_descriptor_put_nested(&draft->message, &nested);

    lk_pb_put_tag(&draft->form, number, LK_PB_BYTES);
    lk_pb_put_varint(&draft->form, form.size);
    for (size_t i = first; i < draft->type->n_values; i++)
        draft->type->place[i] += (uint32_t)draft->form.size;
    lk_mcap_put(&draft->form, form.data, form.size);
    draft->form.full = draft->form.full || form.full;
    lk_mcap_buffer_fini(&form);
}

static int take_memory(struct draft *draft, const struct lk_channel *channels, int n)
{
    struct lk_mcap_type *type = draft->type;
    size_t values = 0;

    for (int i = 0; i < n; i++)
        values += (size_t)channels[i].size;
    type->place = calloc(values + 1, sizeof(*type->place));
    type->unit = calloc(values + (size_t)n + 1, sizeof(*type->unit));
    type->texts = calloc(values + (size_t)n + 1, KEY_SIZE);
    if (!type->place || !type->unit || !type->texts)
        return -ENOMEM;
    return lk_identifiers_init(&draft->names, 2 * (size_t)n + 2);
}

/* Add all channels. The names of fields are assigned first, so that a nested type never gets the
 * name of a channel. */
static int add_channels(struct draft *draft, const struct lk_channel *channels, int n)
{
    char(*field)[LK_IDENTIFIER_SIZE] = calloc((size_t)n + 1, sizeof(*field));

    if (!field)
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        lk_identifiers_add(&draft->names, channels[i].name, field[i]);
    for (int i = 0; i < n; i++) {
        if (channels[i].size == 1)
            add_scalar(draft, &channels[i], field[i], (uint32_t)i + 1);
        else
            add_vector(draft, &channels[i], field[i], (uint32_t)i + 1);
        note_name(draft->type, field[i], channels[i].name);
    }
    free(field);
    return 0;
}

static int finish_type(struct draft *draft, const char *package, const char *message)
{
    struct lk_mcap_type *type = draft->type;
    char file[200];

    snprintf(file, sizeof(file), "%s/%s.proto", package, message);
    lk_descriptor_put_file(&type->descriptor, file, package, &draft->message);
    type->form = draft->form.data;
    type->size = draft->form.size;
    draft->form.data = NULL;
    return type->descriptor.full || draft->form.full ? -ENOMEM : 0;
}

int lk_mcap_type_init(struct lk_mcap_type *type, const char *model, const char *message,
                      const struct lk_channel *channels, int n_channels)
{
    struct draft draft = {.type = type, .message = {.grows = true}, .form = {.grows = true}};
    char package[LK_IDENTIFIER_SIZE];
    int r;

    *type = (struct lk_mcap_type){.descriptor = {.grows = true}};
    if (n_channels > FIELDS_MAX)
        return -E2BIG;
    lk_identifier(model, package);
    snprintf(type->name, sizeof(type->name), "%s.%s", package, message);
    snprintf(draft.full_name, sizeof(draft.full_name), "%s", type->name);
    lk_descriptor_put_name(&draft.message, message);
    r = take_memory(&draft, channels, n_channels);
    if (r == 0)
        r = add_channels(&draft, channels, n_channels);
    if (r == 0)
        r = finish_type(&draft, package, message);
    lk_identifiers_fini(&draft.names);
    lk_mcap_buffer_fini(&draft.message);
    lk_mcap_buffer_fini(&draft.form);
    if (r)
        lk_mcap_type_fini(type);
    return r;
}

void lk_mcap_type_fini(struct lk_mcap_type *type)
{
    lk_mcap_buffer_fini(&type->descriptor);
    free(type->form);
    free(type->place);
    free(type->unit);
    free(type->texts);
    *type = (struct lk_mcap_type){0};
}

void lk_mcap_type_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to)
{
    if (type->size > 0)
        memcpy(to, type->form, type->size);
    for (size_t i = 0; i < type->n_values; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof(bits));
        lk_mcap_store_u64(to + type->place[i], bits);
    }
}

bool lk_mcap_type_take(const struct lk_mcap_type *type, const void *data, size_t size,
                       double *values)
{
    const unsigned char *from = data;
    size_t at = 0;

    if (size != type->size)
        return false;
    for (size_t i = 0; i < type->n_values; i++) {
        uint64_t bits = 0;

        if (memcmp(from + at, type->form + at, type->place[i] - at) != 0)
            return false;
        for (int k = 7; k >= 0; k--)
            bits = bits << 8 | from[type->place[i] + (size_t)k];
        memcpy(&values[i], &bits, sizeof(bits));
        at = type->place[i] + 8;
    }
    return true;
}

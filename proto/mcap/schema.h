/* SPDX-License-Identifier: Apache-2.0 */
/* The message type of a set of channels, and messages of it.
 *
 * A channel of one scalar is a field of type double; a channel of several is a message with a field
 * for each component. All are always written, zeros too, so that every message has the same length
 * and the same bytes between its numbers: a template, in which the numbers are put in their places.
 * The type goes into the file as a FileDescriptorSet, so that programs can name the curves. */
#ifndef LK_MCAP_SCHEMA_H
#define LK_MCAP_SCHEMA_H

#include "linkage/linkage.h"
#include "write.h"

/** struct lk_mcap_type - @name: "four_bar.Outputs"
 * @descriptor:  FileDescriptorSet
 * @form:        the template, @size bytes
 * @place:       of each of @n_values doubles in it
 * @unit:        @n_units: key is the field, "crank_angle" or "pose.x", value its unit; and for a
 *               name that had to be changed, "name of FIELD" is what it was
 * @texts:       memory of the keys */
struct lk_mcap_type {
    char name[192];
    struct lk_mcap_buffer descriptor;
    unsigned char *form;
    size_t size;
    uint32_t *place;
    size_t n_values;
    struct lk_mcap_pair *unit;
    size_t n_units;
    char *texts;
};

/** lk_mcap_type_init() - for @n_channels channels, which stay the caller's and must outlive it.
 * @model: its name;  @message: "Inputs"
 * Return: 0, -ENOMEM, -E2BIG (more channels than a message may have fields). */
int lk_mcap_type_init(struct lk_mcap_type *type, const char *model, const char *message,
                      const struct lk_channel *channels, int n_channels);
/** lk_mcap_type_fini() - release; a zeroed type is allowed. */
void lk_mcap_type_fini(struct lk_mcap_type *type);

/** lk_mcap_type_fill() - a message. @values: n_values;  @to: @type->size bytes */
void lk_mcap_type_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to);
/** lk_mcap_type_take() - the values of a message that was made so, bit for bit.
 * Return: whether it was. */
bool lk_mcap_type_take(const struct lk_mcap_type *type, const void *data, size_t size,
                       double *values);

#endif

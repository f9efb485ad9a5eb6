/* SPDX-License-Identifier: Apache-2.0 */
/* The protobuf message type of a set of channels, and its messages.
 *
 * A channel with one scalar is a field of type double; a channel with several scalars is a message
 * with a field for each component. All fields are always written, including zeros. Therefore all
 * messages have the same length and differ only in their doubles. To encode a message, a template
 * is copied and the doubles are stored in the copy. The type is written to the file as a
 * FileDescriptorSet, so that other programs can read it. */
#ifndef LK_MCAP_SCHEMA_H
#define LK_MCAP_SCHEMA_H

#include "linkage/linkage.h"
#include "write.h"

/** struct lk_mcap_type - a message type.
 * @name:       name such as "four_bar.Outputs"
 * @descriptor: FileDescriptorSet
 * @form:       template of a message, @size bytes
 * @place:      offset of each of the @n_values doubles in @form
 * @unit:       @n_units pairs: the key is a field, "crank_angle" or "pose.x", and the value its
 *              unit. If a name had to be changed, a pair with key "name of FIELD" contains the
 *              original name
 * @texts:      memory of the keys */
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

/** lk_mcap_type_init() - Create the message type of @n_channels channels, which must outlive the
 * type.
 * @model:   name of the model
 * @message: name such as "Inputs"
 * Return: 0, -ENOMEM, -E2BIG (more channels than a message may have fields). */
int lk_mcap_type_init(struct lk_mcap_type *type, const char *model, const char *message,
                      const struct lk_channel *channels, int n_channels);
/** lk_mcap_type_fini() - Release @type, which may be zeroed. */
void lk_mcap_type_fini(struct lk_mcap_type *type);

/** lk_mcap_type_fill() - Encode a message.
 * @values: @type->n_values values
 * @to:     @type->size bytes */
void lk_mcap_type_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to);
/** lk_mcap_type_take() - Decode a message of lk_mcap_type_fill(), bit for bit.
 * Return: false if the bytes are no such message. */
bool lk_mcap_type_take(const struct lk_mcap_type *type, const void *data, size_t size,
                       double *values);

#endif

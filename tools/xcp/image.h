/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a master of XCP sees: numbers of a model at fixed addresses, and the A2L file
 * that describes them. The image made from the model equals the one made from a daemon's
 * description of it, so that an exported file fits a daemon that has loaded the model.
 *
 *     xcp_image_begin()  xcp_image_rig()
 *     xcp_image_channel() ...  xcp_image_parameter() ...
 *     xcp_image_end()    then @bytes may be read and written; xcp_a2l_make()
 *     xcp_image_fini()
 *
 * All numbers are little-endian; an address counts bytes. A region stores its numbers consecutively
 * in the order of the model, so that an address is that of the region plus 8 times the index. */
#ifndef TOOLS_XCP_IMAGE_H
#define TOOLS_XCP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XCP_NAME_SIZE   128
#define XCP_SAYS_SIZE   128
#define XCP_EPK_SIZE    25     /* "linkage-", 16 digits, zero */
#define XCP_EPK_ADDRESS 0x1000 /* address of the text that a master compares with its file */
#define XCP_SCALARS_MAX 8192   /* scalars of a region, as many as a sample of the daemon */

/** enum xcp_region - region of a number. */
enum xcp_region {
    XCP_RIG,        /* time, step, state: see struct xcp_rig */
    XCP_OUTPUTS,    /* of the model */
    XCP_ACTING,     /* inputs: values that act, after policy and rate limit */
    XCP_INPUTS,     /* inputs and tunable parameters: the commanded values; also writable */
    XCP_PARAMETERS, /* parameters that the model reads only when it is loaded */
    XCP_REGIONS
};

/** struct xcp_rig - layout of the region XCP_RIG. @state: as in linkage.proto */
struct xcp_rig {
    double time_s;
    uint64_t step;
    uint64_t overruns;
    uint32_t state;
    uint32_t flags;
};

/** enum xcp_type - type of an item. */
enum xcp_type { XCP_F64, XCP_U64, XCP_U32 };

/** struct xcp_item - a number with a name, "outputs.pose.x".
 * @place: offset in its region [bytes];  @low, @high: limits, infinite if there is none @tunable: a
 *         tunable parameter among the inputs */
struct xcp_item {
    enum xcp_region region;
    enum xcp_type type;
    uint32_t place;
    bool tunable;
    char name[XCP_NAME_SIZE];
    char says[XCP_SAYS_SIZE];
    char unit[16];
    double low;
    double high;
};

/** struct xcp_input - a whole input channel, set by one request. @place: index of its first number
 * @low, @high: of each of its @n numbers */
struct xcp_input {
    char name[XCP_NAME_SIZE];
    int place;
    int n;
    double low;
    double high;
};

/** struct xcp_memory - @bytes: content at @address, @size bytes on the heap; NULL if @size is 0. */
struct xcp_memory {
    uint32_t address;
    uint8_t *bytes;
    size_t size;
};

/** struct xcp_image - the image; initialise with {0}. @epk: identifier computed from names,
 * addresses, units and limits
 * @a2l: text of the file, @a2l_size bytes; NULL before xcp_a2l_make() */
struct xcp_image {
    char title[XCP_NAME_SIZE];
    char epk[XCP_EPK_SIZE];
    double step_s;
    struct xcp_item *item;
    int n;
    int room;
    struct xcp_input *input;
    int n_inputs;
    struct xcp_memory region[XCP_REGIONS];
    char *a2l;
    size_t a2l_size;
    bool failed;
};

/** struct xcp_channel - a channel of a model, common to both sources.
 * @component, @unit: names and units of its @n numbers, "" for the component of a single number
 *                    @says: displayed description
 * @tunable: this input is a tunable parameter, with its own @says and @unit */
struct xcp_channel {
    const char *name;
    int n;
    const char *const *component;
    const char *const *unit;
    const char *says;
    double low;
    double high;
    double initial;
    bool tunable;
};

/** xcp_image_begin() - Begin an image; xcp_image_end() reports failures. @title: name of the model;
 * @step_s: its step.
 */
void xcp_image_begin(struct xcp_image *image, const char *title, double step_s);
/** xcp_image_channel() - Add the next channel of @region: XCP_OUTPUTS, or XCP_INPUTS, which adds it
 * to XCP_ACTING as well. */
void xcp_image_channel(struct xcp_image *image, enum xcp_region region,
                       const struct xcp_channel *channel);
/** xcp_image_parameter() - Add the next parameter that is not tunable. @value: value when the model
 * was loaded. A name with dots (a number set by its path) is ignored, because the model alone does
 * not contain it. */
void xcp_image_parameter(struct xcp_image *image, const char *name, const char *unit,
                         const char *says, double low, double high, double value);
/** xcp_image_say() - Write a description: the type of a channel, such as "joint-torque", and the
 * axes of its vectors. */
void xcp_image_say(char ret[XCP_SAYS_SIZE], const char *type, const char *frame);
/** xcp_image_end() - Complete the image. Return: 0, -ENOMEM, -E2BIG (XCP_SCALARS_MAX); call
 * xcp_image_fini() in any case. */
int xcp_image_end(struct xcp_image *image);
void xcp_image_fini(struct xcp_image *image);

/** xcp_image_at() - Return the @size bytes at @address, NULL if these bytes are not all in one
 * region. @ret_region: region of the bytes; XCP_REGIONS: the text of XCP_EPK_ADDRESS. */
uint8_t *xcp_image_at(struct xcp_image *image, uint32_t address, size_t size,
                      enum xcp_region *ret_region);

/** xcp_image_value(), xcp_image_put() - Read or write number @place of a region of doubles. */
double xcp_image_value(const struct xcp_image *image, enum xcp_region region, int place);
void xcp_image_put(struct xcp_image *image, enum xcp_region region, int place, double value);

/** xcp_a2l_make() - Write the text of the file (ASAM MCD-2 MC 1.6.1) into @image.
 * @address, @port: address at which the slave listens. Return: 0, -ENOMEM. */
int xcp_a2l_make(struct xcp_image *image, const char *address, int port);

#endif

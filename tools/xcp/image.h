/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an XCP master accesses: numbers of a model at fixed addresses, and the A2L file
 * that describes them. An image made from the model is equal to an image made from a daemon's
 * description of the model. Therefore an exported file is valid for a daemon that has loaded the
 * model.
 *
 *     xcp_image_begin()  xcp_image_rig()
 *     xcp_image_channel() ...  xcp_image_parameter() ...
 *     xcp_image_end()    then @bytes may be read and written; xcp_a2l_make()
 *     xcp_image_fini()
 *
 * All numbers are little-endian; an address counts bytes. A region stores its numbers consecutively
 * in the order of the model: the address of a number is the address of the region plus 8 times the
 * index of the number. */
#ifndef TOOLS_XCP_IMAGE_H
#define TOOLS_XCP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XCP_NAME_SIZE   128
#define XCP_SAYS_SIZE   128
#define XCP_EPK_SIZE    25     /* length of "linkage-", 16 digits and a zero */
#define XCP_EPK_ADDRESS 0x1000 /* address of the EPK, which masters compare with their file */
#define XCP_SCALARS_MAX 8192   /* scalars of a region, as in a sample of the daemon */

/** enum xcp_region - region of a number. */
enum xcp_region {
    XCP_RIG,        /* time, step, state: see struct xcp_rig */
    XCP_OUTPUTS,    /* outputs of the model */
    XCP_ACTING,     /* inputs: values that act, after policy and rate limit */
    XCP_INPUTS,     /* inputs and tunable parameters: commanded values; writable */
    XCP_PARAMETERS, /* parameters that act only when the model is loaded */
    XCP_REGIONS
};

/** struct xcp_rig - layout of the region XCP_RIG.
 * @state: number of the state, as in linkage.proto */
struct xcp_rig {
    double time_s;
    uint64_t step;
    uint64_t overruns;
    uint32_t state;
    uint32_t flags;
};

/** enum xcp_type - type of an item. */
enum xcp_type { XCP_F64, XCP_U64, XCP_U32 };

/** struct xcp_item - a number with a name, such as "outputs.pose.x".
 * @place:      offset in its region [bytes]
 * @tunable:    the item is a tunable parameter in the region of inputs
 * @says:       description
 * @low, @high: limits; infinite: no limit */
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

/** struct xcp_input - an input channel, whose numbers are set together.
 * @place:      index of its first number
 * @low, @high: limits of each of its @n numbers */
struct xcp_input {
    char name[XCP_NAME_SIZE];
    int place;
    int n;
    double low;
    double high;
};

/** struct xcp_memory - a region.
 * @address: address of the first byte
 * @bytes:   content of @size bytes, on the heap; NULL if @size is 0 */
struct xcp_memory {
    uint32_t address;
    uint8_t *bytes;
    size_t size;
};

/** struct xcp_image - the image; initialise with {0}.
 * @title:  name of the model
 * @epk:    identifier computed from names, addresses, units and limits
 * @item:   @n items; memory is allocated for @room items
 * @failed: memory was exhausted, or there were too many numbers
 * @a2l:    text of the A2L file, @a2l_size bytes; NULL before xcp_a2l_make() */
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

/** struct xcp_channel - a channel of a model, from a model or from a daemon's description.
 * @component, @unit: names and units of its @n numbers; the name of a single number is ""
 * @says:             description
 * @tunable:          this input is a tunable parameter, with its own @says and @unit */
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

/** xcp_image_begin() - Begin an image. Errors are reported by xcp_image_end().
 * @title:  name of the model
 * @step_s: step of the model [s] */
void xcp_image_begin(struct xcp_image *image, const char *title, double step_s);
/** xcp_image_channel() - Add the next channel.
 * @region: XCP_OUTPUTS, or XCP_INPUTS, which adds the channel to XCP_ACTING as well */
void xcp_image_channel(struct xcp_image *image, enum xcp_region region,
                       const struct xcp_channel *channel);
/** xcp_image_parameter() - Add the next parameter that is not tunable. A name with dots is ignored:
 * it is a number set by its path, which the model alone does not contain.
 * @value: value when the model was loaded */
void xcp_image_parameter(struct xcp_image *image, const char *name, const char *unit,
                         const char *says, double low, double high, double value);
/** xcp_image_say() - Write a description of a channel: its type, such as "joint-torque", and the
 * axes of its vectors. */
void xcp_image_say(char ret[XCP_SAYS_SIZE], const char *type, const char *frame);
/** xcp_image_end() - Complete the image. Call xcp_image_fini() in any case.
 * Return: 0, -ENOMEM, -E2BIG (more than XCP_SCALARS_MAX numbers in a region). */
int xcp_image_end(struct xcp_image *image);
void xcp_image_fini(struct xcp_image *image);

/** xcp_image_at() - Return the @size bytes at @address; NULL if they are not all in one region.
 * @ret_region: region of the bytes; XCP_REGIONS: the text at XCP_EPK_ADDRESS */
uint8_t *xcp_image_at(struct xcp_image *image, uint32_t address, size_t size,
                      enum xcp_region *ret_region);

/** xcp_image_value(), xcp_image_put() - Read or write the number at index @place of a region of
 * doubles. */
double xcp_image_value(const struct xcp_image *image, enum xcp_region region, int place);
void xcp_image_put(struct xcp_image *image, enum xcp_region region, int place, double value);

/** xcp_a2l_make() - Write the text of the A2L file (ASAM MCD-2 MC 1.6.1) into @image.
 * @address, @port: address of the slave
 * Return: 0, -ENOMEM. */
int xcp_a2l_make(struct xcp_image *image, const char *address, int port);

#endif

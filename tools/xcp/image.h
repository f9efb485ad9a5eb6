/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a master of XCP sees: numbers of a model at fixed addresses, and the A2L file
 * that describes them. Made from the model, or from the description that a daemon gives of it:
 * either way the same, so that a file that was exported fits the daemon that has loaded the model.
 *
 *     xcp_image_begin()  xcp_image_rig()
 *     xcp_image_channel() ...  xcp_image_parameter() ...
 *     xcp_image_end()    then @bytes may be read and written; xcp_a2l_make()
 *     xcp_image_fini()
 *
 * All numbers are little-endian; an address counts bytes. A region has one number after another, in
 * the order of the model, so that an address is that of the region and 8 times the place. */
#ifndef TOOLS_XCP_IMAGE_H
#define TOOLS_XCP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XCP_NAME_SIZE   128
#define XCP_SAYS_SIZE   128
#define XCP_EPK_SIZE    25     /* "linkage-", 16 digits, zero */
#define XCP_EPK_ADDRESS 0x1000 /* of the text that a master compares with its file */
#define XCP_SCALARS_MAX 8192   /* of a region; a sample of the daemon has no more */

/** enum xcp_region - what a number is of. */
enum xcp_region {
    XCP_RIG,        /* time, step, state: see struct xcp_rig */
    XCP_OUTPUTS,    /* of the model */
    XCP_ACTING,     /* inputs: the values that act, after policy and rate */
    XCP_INPUTS,     /* inputs and tunable parameters: the values that are commanded; written, too */
    XCP_PARAMETERS, /* of the model that act only when it is loaded */
    XCP_REGIONS
};

/** struct xcp_rig - the region XCP_RIG as it lies there. @state: as in the contract */
struct xcp_rig {
    double time_s;
    uint64_t step;
    uint64_t overruns;
    uint32_t state;
    uint32_t flags;
};

/** enum xcp_type - of an item. */
enum xcp_type { XCP_F64, XCP_U64, XCP_U32 };

/** struct xcp_item - a number with a name, "outputs.pose.x".
 * @place: bytes from the begin of its region;  @low, @high: infinite where there is none
 * @tunable: a tunable parameter among the inputs */
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

/** struct xcp_input - an input as a whole: what is set at once. @place: its first number
 * @low, @high: of each of its @n numbers */
struct xcp_input {
    char name[XCP_NAME_SIZE];
    int place;
    int n;
    double low;
    double high;
};

/** struct xcp_memory - @bytes: @size of them at @address, on the heap; NULL where @size is 0. */
struct xcp_memory {
    uint32_t address;
    uint8_t *bytes;
    size_t size;
};

/** struct xcp_image - {0} at first. @epk: follows from names, addresses, units and limits
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

/** struct xcp_channel - of a model, as both sources of it say it.
 * @component, @unit: @n of each, "" for the component of a single number
 * @says: what it is, for people
 * @tunable: the parameter that this input is, or NULL; @says and @unit are its own */
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

/** xcp_image_begin() - @title: of the model;  @step_s: its step. Failures are kept until the end.
 */
void xcp_image_begin(struct xcp_image *image, const char *title, double step_s);
/** xcp_image_channel() - the next channel of @region: XCP_OUTPUTS, or XCP_INPUTS, which stands for
 * XCP_ACTING as well. */
void xcp_image_channel(struct xcp_image *image, enum xcp_region region,
                       const struct xcp_channel *channel);
/** xcp_image_parameter() - the next one that is not tunable. @value: as it was loaded; a name with
 * dots, of a number that was set by its path, is passed over: the model alone does not tell it. */
void xcp_image_parameter(struct xcp_image *image, const char *name, const char *unit,
                         const char *says, double low, double high, double value);
/** xcp_image_say() - what a channel is, "joint-torque", and the axes of its vectors, as text. */
void xcp_image_say(char ret[XCP_SAYS_SIZE], const char *type, const char *frame);
/** xcp_image_end() - Return: 0, -ENOMEM, -E2BIG (XCP_SCALARS_MAX); xcp_image_fini() in any case. */
int xcp_image_end(struct xcp_image *image);
void xcp_image_fini(struct xcp_image *image);

/** xcp_image_at() - @size bytes at @address. Return: NULL: not all of them are there.
 * @ret_region: where they are; XCP_REGIONS: in the text of XCP_EPK_ADDRESS. */
uint8_t *xcp_image_at(struct xcp_image *image, uint32_t address, size_t size,
                      enum xcp_region *ret_region);

/** xcp_image_value(), xcp_image_put() - number @place of a region of doubles. */
double xcp_image_value(const struct xcp_image *image, enum xcp_region region, int place);
void xcp_image_put(struct xcp_image *image, enum xcp_region region, int place, double value);

/** xcp_a2l_make() - the text of the file (ASAM MCD-2 MC 1.6.1) into @image.
 * @address, @port: where the slave listens. Return: 0, -ENOMEM. */
int xcp_a2l_make(struct xcp_image *image, const char *address, int port);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Printing for `watch`: the selected channels of a sample. */
#ifndef TOOLS_LINKAGECTL_WATCH_H
#define TOOLS_LINKAGECTL_WATCH_H

#include "client.h"
#include "linkage/json.h"
#include <stdbool.h>

/** struct watch_selection - the output channels to print, and their positions in a sample.
 * @description: description of the model; belongs to the client
 * @channels:    @n pointers into the description, in the order of printing
 * @n_scalars:   number of scalars of these channels
 * @n_values:    number of values in a sample of this model */
struct watch_selection {
    const Linkage__V1__ModelDescription *description;
    const Linkage__V1__ChannelDescription **channels;
    size_t n;
    size_t n_scalars;
    size_t n_values;
};

/** watch_select_all() - Select all outputs of @description. @selection must be zeroed or a former
 * result. Release it with free(@channels).
 * Return: 0, -ENOMEM. */
int watch_select_all(struct watch_selection *selection,
                     const Linkage__V1__ModelDescription *description);

/** struct watch_gap - missing messages and steps between two samples.
 * @lost:        messages that were published and did not arrive
 * @unpublished: steps that the daemon did not publish */
struct watch_gap {
    uint64_t lost;
    uint64_t unpublished;
};

/** struct watch_printer - state of the text output.
 * @width:    columns of the terminal, or a default if the output is no terminal
 * @in_place: each block overwrites the previous one
 * @rows:     number of rows printed so far
 * @lost:     samples lost so far */
struct watch_printer {
    int width;
    bool in_place;
    unsigned long rows;
    uint64_t lost;
};

/** watch_printer_init() - Initialise @printer for the standard output. */
void watch_printer_init(struct watch_printer *ret_printer);

/** watch_print() - Print one sample as text: as a row of a table if the row fits, otherwise as a
 * block with one line per channel. */
void watch_print(struct watch_printer *printer, const struct watch_selection *selection,
                 const Linkage__V1__OutputSample *sample, const struct watch_gap *gap);

/** watch_print_description_json(), watch_print_sample_json() - Print a description or a sample as
 * JSON. */
void watch_print_description_json(const struct watch_selection *selection);
void watch_print_sample_json(const struct watch_selection *selection,
                             const Linkage__V1__OutputSample *sample, const struct watch_gap *gap);

#endif

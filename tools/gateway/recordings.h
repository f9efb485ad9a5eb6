/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a daemon on this machine, for pages: a list, and one file to download.
 *
 * The folder is set by --recordings; without this option the list is empty. A requested name must
 * be a regular file in that folder that ends in .mcap. The file is opened below the folder without
 * following links. A logged-in connection requests a download and receives a ticket. The ticket is
 * valid for one request within TICKET_S, so that the address of a file is not sufficient for
 * access. Thread: web. */
#ifndef TOOLS_GATEWAY_RECORDINGS_H
#define TOOLS_GATEWAY_RECORDINGS_H

#include "page.h"

/** recordings_text() - List the newest recordings. Return: a parcel, NULL: no memory. */
struct gate_parcel *recordings_text(const struct gate_options *options);

/** recordings_ticket() - Make a ticket for one download of the file @name. Return: a parcel for the
 * page: an address, or the reason of a refusal. */
struct gate_parcel *recordings_ticket(struct gate_web *web, const char *name);

/** recordings_open() - Open the file of the ticket in @path; the ticket is consumed. Return: its
 * descriptor, -1: there is none. @ret_name: @size bytes */
int recordings_open(struct gate_web *web, const char *path, char *ret_name, size_t size);

/** recordings_forget() - Discard all tickets. */
void recordings_forget(struct gate_web *web);

#endif

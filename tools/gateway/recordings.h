/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a daemon on this machine, for pages: a list, and one file to download.
 *
 * The folder is what --recordings says; without it there are none. What a page asks for is compared
 * with the names of the regular files there that end in .mcap, and only a name of the list is
 * opened, below the folder and through no link. A download is asked for by the connection that has
 * logged in; it gets a ticket, good for one request within TICKET_S, so that an address alone opens
 * nothing. Thread: web. */
#ifndef TOOLS_GATEWAY_RECORDINGS_H
#define TOOLS_GATEWAY_RECORDINGS_H

#include "page.h"

/** recordings_text() - the newest ones. Return: a parcel, NULL: no memory. */
struct gate_parcel *recordings_text(const struct gate_options *options);

/** recordings_ticket() - for one download of the file @name. Return: a parcel for the page: an
 * address, or why not. */
struct gate_parcel *recordings_ticket(struct gate_web *web, const char *name);

/** recordings_open() - the file of the ticket in @path, which is used up. Return: its descriptor,
 * -1: there is none. @ret_name: @size bytes */
int recordings_open(struct gate_web *web, const char *path, char *ret_name, size_t size);

/** recordings_forget() - all tickets. */
void recordings_forget(struct gate_web *web);

#endif

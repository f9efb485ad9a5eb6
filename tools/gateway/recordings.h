/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a daemon on this machine, for pages: the list, and downloads.
 *
 * The folder is set with --recordings; without this option the list is empty. A requested name must
 * be a regular file in that folder with the suffix .mcap. The file is opened relative to the
 * folder, without following links. A page with a login requests a download and receives a ticket.
 * The ticket is valid for one request within TICKET_S, so that the address of a file alone does not
 * permit access.
 * Thread: web. */
#ifndef TOOLS_GATEWAY_RECORDINGS_H
#define TOOLS_GATEWAY_RECORDINGS_H

#include "page.h"

/** recordings_text() - List the newest recordings. Return: a parcel, NULL: no memory. */
struct gate_parcel *recordings_text(const struct gate_options *options);

/** recordings_ticket() - Make a ticket for one download of the file @name.
 * Return: a parcel for the page, with the address of the download or the reason of a refusal. */
struct gate_parcel *recordings_ticket(struct gate_web *web, const char *name);

/** recordings_open() - Open the file of the ticket in @path, and invalidate the ticket.
 * @ret_name: name of the file, an array of @size bytes
 * Return: file descriptor; -1: the ticket or the file does not exist. */
int recordings_open(struct gate_web *web, const char *path, char *ret_name, size_t size);

/** recordings_forget() - Discard all tickets. */
void recordings_forget(struct gate_web *web);

#endif

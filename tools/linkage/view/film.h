/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as a page that plays it (linkage view FILE.mcap --html). */
#ifndef TOOLS_LINKAGE_FILM_H
#define TOOLS_LINKAGE_FILM_H

#include <stdbool.h>

/** film_is_recording() - Return whether @path is an MCAP file by its first bytes. */
bool film_is_recording(const char *path);

/** film_view() - Write the page @html with the motion of the recording @path.
 * @roads: folder of road files, NULL: folder of the recording
 * Return: EXIT_DONE; EXIT_REFUSED after an error message. If the recording is damaged, the page has
 * the motion before the damage. */
int film_view(const char *path, const char *roads, const char *html);

#endif

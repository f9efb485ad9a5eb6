/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the tools write. All outputs with a name from the command line are opened here, so
 * that no command destroys a file that it reads, or a file that no tool of this project wrote.
 *
 * An output becomes visible under its name only when it is complete. Until then it has no name, or,
 * where the file system does not support this, a name of its own beside the path. Pipes, devices and
 * empty files are written directly: whoever made an empty file may have it open.
 * Thread: main. */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** output_force - replace any file that is not an input of this command: option --force. */
extern bool output_force;

#define OUTPUT_FORCE_ROW                                                                           \
    {                                                                                              \
        "force", .flag = &output_force                                                             \
    } /* row of the option table */

/* First bytes of the files of each kind, see output_check(). */
#define OUTPUT_MARK_ROWS "time"
#define OUTPUT_MARK_SVG  "<svg xmlns=\"http://www.w3.org/2000/svg\" "
#define OUTPUT_MARK_HTML "<!doctype html>\n<html lang=\"en\">\n<!-- SPDX"
#define OUTPUT_MARK_PNG  "\x89PNG"
#define OUTPUT_MARK_ZIP  "PK"

/** output_check() - return whether the file @path may be written.
 * @mark: text at the beginning of every output of this kind; NULL: any regular file. A file that
 *        begins with other bytes is only replaced with output_force; an empty file always
 * Return: 0; -ETXTBSY: this program has read the file; -EEXIST: it begins with other bytes; or
 * another negative errno, see output_error(). */
int output_check(const char *path, const char *mark);

struct output;

/** output_open() - begin an output.
 * @path: "-": the standard output;  @mark: see output_check()
 * Return: 0, or negative errno, see output_error(). End it with output_close(). */
int output_open(const char *path, const char *mark, struct output **ret_output);

/** output_file() - return the stream of an output. */
FILE *output_file(struct output *output);

/** output_close() - end an output: give it its name if @is_good and all was written, or discard it.
 * An older file of that name then remains as it was. NULL does nothing.
 * Return: 0, or negative errno: the output is discarded. */
int output_close(struct output *output, bool is_good);

/** output_write() - write a whole file. Return: 0, or negative errno, see output_error(). */
int output_write(const char *path, const char *mark, const void *bytes, size_t size);

/** output_error() - return a text for users about a negative errno of these functions. */
const char *output_error(int fault);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The DBC file of a model, usable by linkage-can without changes. */
#ifndef TOOLS_LINKAGE_DBC_FILE_H
#define TOOLS_LINKAGE_DBC_FILE_H

#include <stdbool.h>

/** dbc_file_write() - @path: of the model;  @output: of the file, "-": standard output
 * @is_fd: messages of CAN FD. Return: an exit status, after a message. */
int dbc_file_write(const char *path, const char *output, bool is_fd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of the DBC file of a model, which linkage-can can use without changes. */
#ifndef TOOLS_LINKAGE_DBC_FILE_H
#define TOOLS_LINKAGE_DBC_FILE_H

#include <stdbool.h>

/** dbc_file_write() - Write the DBC file of a model.
 * @path:   path of the model
 * @output: path of the DBC file, "-": standard output
 * @is_fd:  use messages of CAN FD
 * Return: an exit status, after a message. */
int dbc_file_write(const char *path, const char *output, bool is_fd);

#endif

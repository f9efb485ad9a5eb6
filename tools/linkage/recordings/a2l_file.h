/* SPDX-License-Identifier: Apache-2.0 */
/* The A2L file of a model, as linkage-xcp has it for a daemon with that model. */
#ifndef TOOLS_LINKAGE_A2L_FILE_H
#define TOOLS_LINKAGE_A2L_FILE_H

/** a2l_file_write() - @path: of the model;  @output: of the file, "-": standard output
 * @address, @port: where linkage-xcp is to be reached. Return: an exit status, after a message. */
int a2l_file_write(const char *path, const char *output, const char *address, int port);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The A2L file of a model, equal to that of linkage-xcp for a daemon with that model. */
#ifndef TOOLS_LINKAGE_A2L_FILE_H
#define TOOLS_LINKAGE_A2L_FILE_H

/** a2l_file_write() - @path: of the model;  @output: of the file, "-": standard output
 * @address, @port: of linkage-xcp. Return: an exit status, after a message. */
int a2l_file_write(const char *path, const char *output, const char *address, int port);

#endif

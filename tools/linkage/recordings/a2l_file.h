/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of the A2L file of a model, equal to the file that linkage-xcp makes for a daemon with
 * that model. */
#ifndef TOOLS_LINKAGE_A2L_FILE_H
#define TOOLS_LINKAGE_A2L_FILE_H

/** a2l_file_write() - Write the A2L file of a model.
 * @path:           path of the model
 * @output:         path of the A2L file, "-": standard output
 * @address, @port: address of linkage-xcp
 * Return: an exit status, after a message. */
int a2l_file_write(const char *path, const char *output, const char *address, int port);

#endif

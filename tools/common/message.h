/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on the standard error, in colours where tone.h has some. Thread: any. */
#ifndef TOOLS_COMMON_MESSAGE_H
#define TOOLS_COMMON_MESSAGE_H

/** complain() - Print the name of the program (program_invocation_short_name), ": ", the formatted
 * text as an error, and a line feed. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** caution() - Print a warning in the same way. */
void caution(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** file_error(), file_warning() - Print an error or a warning that begins with the name of a
 * file, and a line feed. */
void file_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void file_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that run until they are told to end. */
#ifndef TOOLS_COMMON_SERVICE_H
#define TOOLS_COMMON_SERVICE_H

#include <stdbool.h>

/** service_begin() - Prepare stacks of a known size, and note SIGINT and SIGTERM. Thread: main.
 * Return: false after an error message. */
bool service_begin(void);

/** service_ends() - Return whether one of these signals has come. Thread: any. */
bool service_ends(void);

/** service_tell() - Print why the program waits, on the standard error, each time the reason
 * changes.
 * @reason: one line; "": none, and the same reason is printed again if it returns. Thread: main. */
void service_tell(const char *reason);

#endif

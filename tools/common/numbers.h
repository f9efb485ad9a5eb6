/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text. Thread: any. */
#ifndef TOOLS_COMMON_NUMBERS_H
#define TOOLS_COMMON_NUMBERS_H

#include <stdbool.h>
#include <stdio.h>

/** parse_number() - parse all of @text as a finite decimal number. Return: whether it is one. */
bool parse_number(const char *text, double *ret_value);
/** take_value() - the same from the start of *@text up to a comma or the end; advances *@text
 * to it. */
bool take_value(const char **text, double *ret_value);
/** print_shortest() - print @value with the fewest digits, at least six, that read back to the same
 * bits. */
void print_shortest(FILE *file, double value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text. Thread: any. */
#ifndef TOOLS_COMMON_NUMBERS_H
#define TOOLS_COMMON_NUMBERS_H

#include <stdbool.h>
#include <stdio.h>

/** parse_number() - Parse the whole @text as a finite decimal number.
 * Return: true if @text is such a number. */
bool parse_number(const char *text, double *ret_value);
/** take_value() - Parse the part of *@text before a comma, or before its end, as a finite decimal
 * number. Advances *@text to the comma or the end. */
bool take_value(const char **text, double *ret_value);
/** print_shortest() - Print @value with the fewest digits, at least six, from which the same bits
 * are read back. */
void print_shortest(FILE *file, double value);

#endif

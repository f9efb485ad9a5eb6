/* SPDX-License-Identifier: Apache-2.0 */
/* Table-driven command line options. A row of the table describes an option, and getopt_long()
 * reads the command line. So all programs share its rules (abbreviations, order) and its messages.
 * Thread: main. */
#ifndef TOOLS_COMMON_OPTION_TABLE_H
#define TOOLS_COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_MAX     48 /* rows of a table */
#define OPTIONS_USAGE   2  /* exit status of a wrong command line */
#define OPTIONS_END     (-1)
#define OPTIONS_ABOVE_0 4.9406564584124654e-324 /* as @low: the smallest number above 0 */

/** struct option_row - an option, for example {"step", 's', .number = &step, .low = 1, .high = 9}.
 * Exactly one destination or action is set and defines the type of the option.
 * @name:   long name without dashes; NULL: only @letter
 * @letter: short name; 0: none
 * @flag:   destination of an option without a value
 * @text:   destination of a text
 * @list:   destination of a repeated text, with room for @most, 0: for as many as the line has
 * @n:      number of texts in @list
 * @number: destination of a finite decimal number
 * @integer, @whole, @count: destination of a whole number
 * @take:   callback for any other value, which reports errors itself. @text: NULL if there is none.
 *          Return: 0, or an exit status that ends the reading
 * @data:   for @take
 * @print, @end: text for the standard output, or callback;  @program: its name and version, with
 * the commit. They end the reading with OPTIONS_END
 * @bare, @optional: @take is called without a value, or the value may be absent
 * @low, @high: range of a number; equal: any
 * @unit: text after the range in an error message, or NULL @expected: text in an error message
 *        instead of range and @unit, or NULL
 * @mark:   bits added to @given of the table if the option is present */
struct option_row {
    const char *name;
    char letter;
    bool *flag;
    const char **text;
    const char **list;
    int *n;
    int most;
    double *number;
    int *integer;
    long *whole;
    uint64_t *count;
    int (*take)(const struct option_row *row, const char *text);
    void *data;
    const char *print;
    const char *program;
    int (*end)(void);
    bool bare;
    bool optional;
    double low;
    double high;
    const char *unit;
    const char *expected;
    unsigned int mark;
};

/** struct option_table - options of a program.
 * @rows:    end with a row without names
 * @refuse: prints the error message about a value. @expected: description of the allowed values;
 *           NULL: the option was given more than @most times. Return: an exit status
 * @unknown: prints the error message about an option that getopt_long() refuses; @c: '?', or ':' if
 *           a value is missing; @word: the last word read. Return: an exit status. NULL:
 *           OPTIONS_USAGE, the message of getopt_long() is enough
 * @order:   first characters of getopt's string of letters, or NULL
 * @given:   bits of the options that are present, or NULL */
struct option_table {
    const struct option_row *rows;
    int (*refuse)(const struct option_row *row, const char *text, const char *expected);
    int (*unknown)(int c, const char *word);
    const char *order;
    unsigned int *given;
};

/** options_parse() - Read the options of a command line; the other words begin at optind. Return:
 * 0; OPTIONS_END: the program has nothing else to do; an exit status after an error message. */
int options_parse(int argc, char *argv[], const struct option_table *table);

/** options_status() - Return the exit status of a program that ends with a given result of
 * options_parse(). */
static inline int options_status(int result)
{
    return result == OPTIONS_END ? 0 : result;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Table-driven command line options. A row of the table describes an option, and getopt_long()
 * reads the command line. So all programs have the same rules (abbreviations, order) and messages.
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
 * @name:            long name without dashes; NULL: only @letter
 * @letter:          short name; 0: none
 * @flag:            destination of an option without a value
 * @text:            destination of a text
 * @list:            destination of a repeated text, an array of @most entries; @most 0: as many as
 *                   the command line has
 * @n:               number of texts in @list
 * @number:          destination of a finite decimal number
 * @integer, @whole, @count: destination of a whole number
 * @take:            callback for any other value, which reports errors itself. Its argument is NULL
 *                   if there is no value. It returns 0, or an exit status that ends the reading
 * @data:            argument for @take
 * @print, @end:     text for the standard output, or callback; they end the reading with
 *                   OPTIONS_END
 * @program:         name of the program, printed with version and commit; likewise
 * @bare, @optional: @take is called without a value, or the value may be absent
 * @low, @high:      range of a number; equal: any number
 * @unit:            text after the range in an error message, or NULL
 * @expected:        text in an error message instead of range and @unit, or NULL
 * @mark:            bits added to @given of the table if the option is present */
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
 * @rows:    rows; a row without names ends them
 * @refuse:  callback that prints the error message about a value. Its last argument describes the
 *           allowed values; NULL: the option was given more than @most times. It returns an exit
 *           status
 * @unknown: callback that prints the error message about an option that getopt_long() refuses. Its
 *           arguments are '?', or ':' if a value is missing, and the last word read. It returns an
 *           exit status. NULL: the message of getopt_long() is printed, and the status is
 *           OPTIONS_USAGE
 * @order:   first characters of getopt's string of letters, or NULL
 * @given:   bits of the options that are present, or NULL */
struct option_table {
    const struct option_row *rows;
    int (*refuse)(const struct option_row *row, const char *text, const char *expected);
    int (*unknown)(int c, const char *word);
    const char *order;
    unsigned int *given;
};

/** options_parse() - Read the options of a command line; the other words begin at optind.
 * Return: 0; OPTIONS_END: the program must end with success; an exit status after an error
 * message. */
int options_parse(int argc, char *argv[], const struct option_table *table);

/** options_status() - Return the exit status of a program that ends with a given result of
 * options_parse(). */
static inline int options_status(int result)
{
    return result == OPTIONS_END ? 0 : result;
}

#endif

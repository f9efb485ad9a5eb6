/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for the command lines of the subcommands. */
#include "commands.h"

#include <getopt.h>

int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    return usage_error("%s is '%s', expected %s", row->name, text, expected);
}

int parse_command(int argc, char *argv[], const struct option_row *rows, const char *expected,
                  const char **ret_path)
{
    const struct option_table table = {rows, .refuse = refuse_value};
    int code = options_parse(argc, argv, &table);

    if (code == EXIT_DONE && optind != argc - 1)
        return usage_error("%s", expected);
    if (code == EXIT_DONE)
        *ret_path = argv[optind];
    return code;
}

int take_baumgarte(const struct option_row *row, const char *text)
{
    const char *at = text;
    double *ret = row->data;

    if (take_value(&at, &ret[0]) && *at++ == ',' && take_value(&at, &ret[1]) && *at == '\0' &&
        ret[0] > 0 && ret[1] > 0)
        return EXIT_DONE;
    return refuse_value(row, text, "ALPHA,BETA, both more than 0 per second");
}

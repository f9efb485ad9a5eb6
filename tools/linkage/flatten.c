/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flatten: the text of a model without parts and expressions. */
#include "commands.h"
#include "linkage/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "# flat text of "

static int write_flat(const char *path, const char *output, const char *flat, size_t size)
{
    const char *slash = strrchr(path, '/');
    char *all = NULL;
    int head = asprintf(&all, MARK "%s\n%.*s", slash != NULL ? slash + 1 : path, (int)size, flat);
    int code = EXIT_REFUSED;

    if (head >= 0)
        code = write_output(output, MARK, all, (size_t)head);
    else
        complain("out of memory");
    free(head >= 0 ? all : NULL);
    return code;
}

static void print_errors(int result, const struct lk_errors *errors, const struct lk_error *error)
{
    if (result < 0)
        complain("%s", strerror(-result));
    else if (errors->n == 0)
        file_error("%s", error->text);
    for (int i = 0; result > 0 && i < errors->n; i++)
        file_error("%s", errors->line[i].text);
}

static int flatten(const char *path, const char *output)
{
    const char *slash = strrchr(path, '/');
    const struct lk_setting *settings;
    struct lk_errors errors = {0};
    struct lk_error error = {""};
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
    char *text = NULL, *flat = NULL;
    size_t size = 0, flat_size = 0;
    int n = given_params(&settings), code = EXIT_REFUSED;
    int result = folder == NULL ? -ENOMEM : lk_document_text(path, &text, &size, &error);

    if (result == 0)
        result =
            lk_model_flatten(folder, path, text, size, settings, n, &flat, &flat_size, &errors);
    if (result == 0)
        code = write_flat(path, output, flat, flat_size);
    else
        print_errors(result, &errors, &error);
    free(folder);
    free(text);
    free(flat);
    return code;
}

int command_flatten(int argc, char *argv[])
{
    const char *path = NULL, *output = "-";
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"output", 'o', .text = &output},
        OUTPUT_FORCE_ROW,
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, "flatten takes one model", &path);

    return code == EXIT_DONE ? flatten(path, output) : code;
}

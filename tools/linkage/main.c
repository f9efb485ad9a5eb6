/* SPDX-License-Identifier: Apache-2.0 */
/* linkage and linkage-laboratory: offline work with models. Each subcommand has its own file; a
 * table lists them. */
#include "commands.h"
#include "laboratory.h"
#include "linkage/commit.h"
#include "linkage/document.h"
#include "linkage/errors.h"
#include "linkage/nearest.h"
#include "linkage/stacks.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBCOMMANDS_MAX 64

int write_output(const char *output, const char *mark, const char *text, size_t size)
{
    return told_output(output, output_write(output, mark, text, size));
}

int told_output(const char *output, int fault)
{
    if (fault != 0)
        complain("%s: %s", output, output_error(fault));
    return fault == 0 ? EXIT_DONE : EXIT_REFUSED;
}

int usage_error(const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    complain("%s; linkage --help shows the usage", text);
    return EXIT_USAGE;
}

const char *engine_wanted(void)
{
    return getenv("LINKAGE_ENGINE");
}

/* Print why a model was not compiled. If it is 'start: equilibrium' of the file, print the line of
 * that, too. The compiler has no lines. */
static void print_refusal(const char *path, int result, const char *text)
{
    struct lk_document *document = NULL;
    struct lk_error error;
    struct lk_node start = {0};

    if (result == LK_E_ASSEMBLY && strstr(text, "equilibrium") != NULL &&
        lk_document_read(path, &document, &error) == 0)
        start = lk_node_get(lk_document_root(document), "start");
    if (start.index != 0 && strcmp(lk_node_text(start), "equilibrium") == 0)
        file_error("%s:%d:%d: %s", path, lk_node_line(start), lk_node_column(start), text);
    else
        file_error("%s: %s", path, text);
    lk_document_free(document);
}

struct lk_system *compile_model(const char *path, const struct lk_model *model,
                                const struct lk_options *options)
{
    struct lk_system *system = NULL;
    struct lk_options own = options != NULL ? *options : (struct lk_options){0};
    struct lk_error error = {""};
    int result;

    if (own.engine == NULL)
        own.engine = engine_wanted();
    result = lk_system_new(model, &own, &system, &error);

    if (result == 0)
        return system;
    print_refusal(path, result, result > 0 ? error.text : strerror(-result));
    return NULL;
}

static int refuse_subcommand(const char *name)
{
    const char *words[SUBCOMMANDS_MAX + 1] = {NULL}, *nearest;

    for (int i = 0; commands[i].name != NULL && i < SUBCOMMANDS_MAX; i++)
        words[i] = commands[i].name;
    nearest = lk_nearest(name, words);
    return nearest != NULL ? usage_error("'%s' is no subcommand, did you mean '%s'?", name, nearest)
                           : usage_error("'%s' is no subcommand", name);
}

/* Name of linkage and linkage-laboratory in all messages, also in those of getopt_long(). */
static char program_name[] = "linkage";

static int run_main(int argc, char *argv[])
{
    if (argc < 2)
        return usage_error("a subcommand is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("linkage %s\n", lk_version_text());
        return EXIT_DONE;
    }
    for (const struct command *c = commands; c->name != NULL; c++) {
        if (strcmp(argv[1], c->name) == 0) {
            argv[1] = program_name;
            help_is_about(c->name);
            return options_status(c->run(argc - 1, argv + 1));
        }
    }
    return refuse_subcommand(argv[1]);
}

int main(int argc, char *argv[])
{
    struct lk_error error;
    int code;

    program_invocation_short_name = program_name;
    if (lk_stacks_prepare(&error) != 0) {
        complain("%s", error.text);
        return EXIT_REFUSED;
    }
    code = run_main(argc, argv);
    /* Check that the output was written; the disk may be full. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("the output could not be written: %s", strerror(errno));
        return code > EXIT_REFUSED ? code : EXIT_REFUSED;
    }
    return code;
}

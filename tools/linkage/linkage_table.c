/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of linkage, and those of linkage-laboratory. */
#include "commands.h"
#include "laboratory.h"
#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "linkage-laboratory"
#define REMEDY  "./tools/quickstart build laboratory adds it"

/* Write the path of the other program, which is in the same folder as this one.
 * Return: true if it exists. */
static bool find_laboratory(char path[PATH_MAX])
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
    char *slash;

    own[n > 0 ? n : 0] = '\0';
    slash = strrchr(own, '/');
    n = slash == NULL ? 0 : slash + 1 - own;
    return snprintf(path, PATH_MAX, "%.*s" PROGRAM, (int)n, own) < PATH_MAX &&
           access(path, X_OK) == 0;
}

/* Replace this process by the other program. Returns only after an error message. */
static int hand_over(const char *command, int argc, char *argv[])
{
    char **arguments = calloc((size_t)argc + 2, sizeof(*arguments));
    char path[PATH_MAX], name[16];

    if (!find_laboratory(path)) {
        complain("%s needs the laboratory, and %s is not there; " REMEDY, command, path);
    } else if (arguments != NULL) {
        arguments[0] = path;
        arguments[1] = strcpy(name, command);
        memcpy(arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof(*argv));
        execv(path, arguments);
        complain("%s: %s", path, strerror(errno));
    }
    free(arguments);
    return EXIT_REFUSED;
}

static int compare_there(int argc, char *argv[])
{
    return hand_over("compare", argc, argv);
}

static int list_methods_there(int argc, char *argv[])
{
    return hand_over("methods", argc, argv);
}

int run_method(const struct lk_model *model, const struct run_options *options)
{
    (void)model; /* the other program reads the model itself */
    return hand_over("run", options->argc, options->argv);
}

/* clang-format off */
const struct command commands[] = {
    {"run", command_run},
    {"check", command_check},
    {"sweep", command_sweep},
    {"params", command_params},
    {"flatten", command_flatten},
    {"compare", compare_there},
    {"methods", list_methods_there},
    {"modes", command_modes},
    {"kc", command_kc},
    {"flex", command_flex},
    {"plot", command_plot},
    {"bench", command_bench},
    {"doctor", command_doctor},
    {"replay", command_replay},
    {"export", command_export},
    {"info", command_info},
    {"report", command_report},
    {"tyre", command_tyre},
    {"road", command_road},
    {"equilibrium", command_equilibrium},
    {"view", command_view},
    {"washout", command_washout},
    {"import", command_import},
    {"fmu", command_fmu},
    {NULL, NULL},
};
/* clang-format on */

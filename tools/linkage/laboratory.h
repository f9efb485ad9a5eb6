/* SPDX-License-Identifier: Apache-2.0 */
/* Two programs with a common set of subcommands. `linkage` does not link SUNDIALS, because SUNDIALS
 * brings in PETSc and MPI. Code that needs SUNDIALS is in `linkage-laboratory`, a separate program
 * in the same folder. `linkage` executes it (exec) for such a subcommand.
 *
 * It is a program rather than a plug-in for three reasons: the two share no state; a test can check
 * what each of them links; and `compare`, which forks a process for each run, loads no library at
 * its start that could create threads.
 *
 *     linkage_table.c      linkage: its subcommands, the exec, the message if the other is missing
 *     laboratory_table.c   linkage-laboratory: its subcommands
 *
 * Both files define the objects that this header declares. */
#ifndef TOOLS_LINKAGE_LABORATORY_H
#define TOOLS_LINKAGE_LABORATORY_H

/** struct command - a subcommand of one of the programs. @run: see commands.h */
struct command {
    const char *name;
    int (*run)(int argc, char *argv[]);
};

/** commands - subcommands of the linked program; the name of the last entry is NULL. */
extern const struct command commands[];

struct lk_model;
struct run_options;

/** run_method() - Execute `linkage run` with a method of the laboratory; write outputs and summary.
 * Return: enum exit_code. */
int run_method(const struct lk_model *model, const struct run_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Two programs from one set of subcommands. `linkage` links neither OpenBLAS nor SUNDIALS; what
 * needs them is in `linkage-laboratory`, a program of its own in the same folder, which `linkage`
 * becomes (exec) when it is asked for such a thing. A program and no plug-in: it shares no state
 * with the one that starts it, a test can see what each of them links, and compare, which gives
 * each run a process, has one that loads nothing at its start that could have threads.
 *
 *   linkage_table.c      linkage: its subcommands, the hand-over, the line where there is no other
 *   laboratory_table.c   linkage-laboratory: the subcommands that it has
 *
 * Both define what is declared here. */
#ifndef TOOLS_LINKAGE_LABORATORY_H
#define TOOLS_LINKAGE_LABORATORY_H

/** struct command - a subcommand of one of the programs. @run: see commands.h */
struct command {
    const char *name;
    int (*run)(int argc, char *argv[]);
};

/** commands - what the program that is linked can do; the last one has no name. */
extern const struct command commands[];

struct findings;
struct lk_model;
struct run_options;

/** run_method() - linkage run with a method of the laboratory, its outputs and its summary.
 * Return: enum exit_code. */
int run_method(const struct lk_model *model, const struct run_options *options);

/** find_rank() - rank and pose of a model, into @findings: has_mobility, has_pose, or left_out.
 * Return: 0, also when the loops are too large to be examined; negative errno. */
int find_rank(struct findings *findings);
void release_rank(struct findings *findings);

#endif

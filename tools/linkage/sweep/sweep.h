/* SPDX-License-Identifier: Apache-2.0 */
/* linkage sweep: common declarations of its files.
 *
 *     study.c      the study file; quantities.c: varied quantities; measures.c: results
 *     sample.c     random numbers, each computed from the seed, a name and an index
 *     plan.c       combination of study and model: columns, checks, early errors
 *     case.c       one case, from its values to its row
 *     crew.c       processes that run cases and may crash
 *     journal.c    completed rows, to continue after a kill
 *     table.c      rows of one or several journals in the order of the cases
 *     shard.c      cases that the launcher assigns to this process
 *     ranks.c      distribution of cases to several machines, by a module (ranks.h, mpi/)
 *     all.c        all cases: journals, crew, table
 *     sweep.c      the command */
#ifndef TOOLS_LINKAGE_SWEEP_H
#define TOOLS_LINKAGE_SWEEP_H

#include "commands.h"
#include "ranks.h"
#include "run/run.h"
#include "study.h"

#include <stdio.h>

/** enum outcome - outcome of a case in the table. */
enum outcome {
    OUTCOME_PASSED,  /* passed all checks, or there are none */
    OUTCOME_FAILED,  /* failed a check */
    OUTCOME_REFUSED, /* the model with these numbers, or an input, was refused */
    OUTCOME_FAULTED, /* a step failed */
    OUTCOME_CRASHED, /* the process died twice */
};

/** outcome_name() - Return the name of an outcome, such as "passed". */
const char *outcome_name(enum outcome outcome);

/** struct target - a number in the row of a case.
 * @scalar:  index in the outputs
 * @measure: its entry in the study */
struct target {
    int scalar;
    const char *unit;
    const struct measure *measure;
};

/** struct plan - a study that fits its model.
 * @text, @size: text of the model, read once
 * @folder:      folder of its files
 * @prototype:   system compiled with the numbers of the file
 * @offset:      for each quantity that is an input, its index in the inputs
 * @header:      header of the table, without a line feed
 * @identity:    everything on which the bits of the table depend, one line without a line feed */
struct plan {
    const struct study *study;
    char *text;
    size_t size;
    char *folder;
    struct lk_model *model;
    struct lk_system *prototype;
    int *offset;
    int n_columns;
    struct target *column;
    int n_checks;
    struct target *check;
    char *header;
    char *identity;
};

/** plan_new() - Make the plan of a study. Return: NULL after error messages. */
struct plan *plan_new(const struct study *study);
void plan_free(struct plan *plan);
/** plan_options() - Return the options of lk_system_new() for all cases. */
struct lk_options plan_options(const struct study *study);

/** put_field() - Write a field of a CSV file, quoted if necessary (RFC 4180). */
void put_field(FILE *file, const char *text);

/** case_run() - Run case @i, from 0.
 * @csv_path: file for all outputs over time, as written by `linkage run --output`; NULL: none
 * @ret_row:  on the heap, without a line feed
 * Return: outcome of the case; negative errno. */
int case_run(struct plan *plan, uint64_t i, const char *csv_path, char **ret_row);
/** case_crashed() - Make the row of case @i, whose process was terminated by @signal.
 * Return: an outcome; -ENOMEM. */
int case_crashed(const struct plan *plan, uint64_t i, int signal, char **ret_row);
/** case_print() - Print the command line of `linkage run` that repeats the case. */
void case_print(const struct plan *plan, uint64_t i, FILE *to);

/* ---- journal.c ---- */

/** struct journal - a journal that is open for appending and locked.
 * @done:   one bit per case
 * @n_done: number of completed cases
 * @n_bad:  number of completed cases that did not pass */
struct journal {
    const char *path;
    int fd;
    uint64_t cases;
    unsigned char *done;
    uint64_t n_done;
    uint64_t n_bad;
    double synced_s;
};

/** journal_open() - Create a journal, or continue the existing journal of the same study; an
 * incomplete last row is removed.
 * @fresh: discard an existing journal
 * Return: false after an error message. */
bool journal_open(const struct plan *plan, const char *path, bool fresh, struct journal *journal);
/** journal_look() - Mark the cases in the journal @path of the same study as done in @journal; a
 * journal that is just being created has none.
 * Return: false after an error message. */
bool journal_look(const struct plan *plan, const char *path, struct journal *journal);
bool journal_has(const struct journal *journal, uint64_t i);
/** journal_add() - Append a row to the journal. Return: false after an error message. */
bool journal_add(struct journal *journal, uint64_t i, int outcome, const char *row);
void journal_close(struct journal *journal);

/** struct record - a row in a journal.
 * @size: size of @row; 0: there is no row */
struct record {
    const char *row;
    size_t size;
    int outcome;
};

/** struct pages - a journal open for reading.
 * @head:  number of bytes of its first three lines
 * @cases: number of cases of the study */
struct pages {
    const char *text;
    size_t size;
    size_t head;
    uint64_t cases;
};

/** pages_open() - Open a journal for reading.
 * Return: 0; negative errno; LK_E_TEXT: the file is no journal. Call pages_close() only after 0. */
int pages_open(const char *path, struct pages *ret_pages);
/** pages_next() - Read the record at @at and advance @at; damaged records are skipped.
 * @ret_case: number of the case, from 0
 * Return: false at the end. */
bool pages_next(const struct pages *pages, size_t *at, uint64_t *ret_case, struct record *ret);
void pages_close(struct pages *pages);

/* ---- table.c ---- */

/** table_write() - Write the rows of @n journals, which must belong to one study and contain all
 * its cases.
 * @ret_bad: number of cases that did not pass
 * Return: EXIT_DONE, EXIT_REFUSED after a message. */
int table_write(const char *const *paths, int n, const char *output, uint64_t *ret_cases,
                uint64_t *ret_bad);

/** struct table_counts - numbers of cases of a study. @n_rows: cases of which there are rows;
 * @n_bad of them did not pass, or unknown as long as there is no table */
struct table_counts {
    uint64_t cases;
    uint64_t n_rows;
    uint64_t n_bad;
};

/** table_say() - Print a summary of a table, which is incomplete if rows are missing.
 * @is_json: as JSON */
void table_say(const char *output, const struct table_counts *counts, bool is_json);

/* ---- shard.c ---- */

/** struct shard - the cases whose number is @index modulo @count.
 * @by: launcher that defined the shard; NULL: the command line, or none */
struct shard {
    long index;
    long count;
    const char *by;
};

/** shard_parse() - Parse "K/N", K from 1. Return: EXIT_DONE, EXIT_USAGE after a message. */
int shard_parse(const char *text, struct shard *ret);
/** struct place - rank of a process among those launched together, from 0. @size: 0: there are no
 * ranks */
struct place {
    long rank;
    long size;
};

/** shard_find() - Read the shard from a Slurm array, and the place from Open MPI ranks, in the
 * environment. */
int shard_find(struct shard *ret, struct place *ret_place);
/** shard_split() - Reduce @shard to the share of one rank, for ranks that have no common stock of
 * cases. */
void shard_split(struct shard *shard, const struct place *place);

/** struct stock - cases of a shard that are missing in its journal.
 * @next: first case that may be assigned
 * @left: number of remaining cases */
struct stock {
    struct shard shard;
    const struct journal *journal;
    uint64_t next;
    uint64_t left;
};

void stock_open(const struct shard *shard, const struct journal *journal, struct stock *ret);
/** stock_next() - Assign a case. Return: false if none is left. */
bool stock_next(struct stock *stock, uint64_t *ret);

/* ---- ranks.c ---- */

/** struct ranks - this process as one of the ranks that share a stock. Rank 0 owns the stock. The
 * other ranks request several cases at a time, fewer towards the end.
 * @queue:     on ranks other than 0: @n assigned cases from @at on
 * @has_asked: a request is pending
 * @is_over:   no cases remain
 * @n_told:    on rank 0: number of ranks informed that no cases remain */
struct ranks {
    const struct ranks_ops *ops;
    int rank;
    int size;
    uint64_t queue[RANKS_WORDS_MAX];
    int n;
    int at;
    bool has_asked;
    bool is_over;
    int n_told;
};

/** ranks_load() - Load the module if this process was launched as one of several ranks.
 * Return: the functions of the module; NULL: there are no ranks, or the module cannot be loaded
 * (after a message). */
const struct ranks_ops *ranks_load(const struct place *place);
/** ranks_begin() - Initialise all ranks collectively, with the same @plan.
 * @journal: cases done on any rank are marked as done on rank 0, which assigns the cases
 * Return: false after an error message. */
bool ranks_begin(struct ranks *ranks, const struct plan *plan, struct journal *journal);
/** ranks_next() - Return a case for this rank. Return: false if none is available now. */
bool ranks_next(struct ranks *ranks, struct stock *stock, uint64_t *ret);
/** ranks_look() - Process messages and send requests of this rank, without waiting.
 * Return: false if no more messages are expected. */
bool ranks_look(struct ranks *ranks, struct stock *stock);

/** ranks_end() - Wait for the other ranks after all cases; if this rank has failed, end all of
 * them.
 * Return: @is_well. */
bool ranks_end(struct ranks *ranks, bool is_well);

/* ---- crew.c ---- */

/** crew_run() - Run all cases of @shard missing in @journal, @n at a time.
 * @ranks: ranks that share the cases; initialised by this function after it has created the worker
 *         processes. NULL: none
 * Return: false after an error message. */
bool crew_run(struct plan *plan, const struct shard *shard, int n, struct journal *journal,
              struct ranks *ranks);

/* ---- all.c ---- */

/** struct job - all cases of a study.
 * @n_jobs:   number of worker processes; 0: one for each core
 * @place:    its size is 0 without ranks
 * @is_fresh: discard existing journals
 * @is_json:  the summary is JSON; progress goes to the standard error */
struct job {
    const char *output;
    long n_jobs;
    struct shard shard;
    struct place place;
    bool is_fresh;
    bool is_json;
};

/** run_all() - Run all cases of a study. Return: enum exit_code, after messages. */
int run_all(struct plan *plan, const struct job *job);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* linkage sweep: common declarations of its files.
 *
 *   study.c      the study file: quantities.c what varies, measures.c what is kept
 *   sample.c     random numbers that depend on what they are for
 *   plan.c       study and model put together: columns, checks, what is refused at once
 *   case.c       one case, from its values to its row
 *   crew.c       processes that run cases, each of which may die
 *   journal.c    rows as they are finished, for whoever goes on after a kill
 *   table.c      rows of one or several journals in the order of the cases
 *   shard.c      which cases are this process's, as whoever launched it says
 *   ranks.c      cases dealt among processes of several machines, by a module (ranks.h, mpi/)
 *   all.c        all cases: journals, crew, table
 *   sweep.c      the command
 */
#ifndef TOOLS_LINKAGE_SWEEP_H
#define TOOLS_LINKAGE_SWEEP_H

#include "commands.h"
#include "ranks.h"
#include "run/run.h"
#include "study.h"

#include <stdio.h>

/** enum outcome - how a case ended, as the table says. */
enum outcome {
    OUTCOME_PASSED,  /* all checks, or there are none */
    OUTCOME_FAILED,  /* one of them */
    OUTCOME_REFUSED, /* the model with these numbers, or an input */
    OUTCOME_FAULTED, /* a step */
    OUTCOME_CRASHED, /* the process died, twice */
};

/** outcome_name() - "passed". */
const char *outcome_name(enum outcome outcome);

/** struct target - a number of a case. @scalar: of the outputs;  @measure: of the study */
struct target {
    int scalar;
    const char *unit;
    const struct measure *measure;
};

/** struct plan - a study that fits its model. @text, @size: of the model, read once;  @folder: of
 * its files;  @prototype: compiled with the numbers of its file
 * @offset: of each quantity that is an input, among the inputs
 * @header: of the table, without a line feed;  @identity: what the bits of the table depend on, one
 * line without a line feed */
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

/** plan_new() - Return: NULL after error messages. */
struct plan *plan_new(const struct study *study);
void plan_free(struct plan *plan);
/** plan_options() - of lk_system_new(), for all cases. */
struct lk_options plan_options(const struct study *study);

/** put_field() - a field of a CSV file, quoted where it has to be (RFC 4180). */
void put_field(FILE *file, const char *text);

/** case_run() - case @i, from 0.
 * @csv_path: for all outputs over time, as of `linkage run --output`; NULL: none
 * @ret_row: on the heap, without a line feed
 * Return: its outcome; negative errno. */
int case_run(struct plan *plan, uint64_t i, const char *csv_path, char **ret_row);
/** case_crashed() - the row of case @i whose process died by @signal. Return: an outcome; -ENOMEM.
 */
int case_crashed(const struct plan *plan, uint64_t i, int signal, char **ret_row);
/** case_print() - how `linkage run` repeats it. */
void case_print(const struct plan *plan, uint64_t i, FILE *to);

/* ---- journal.c ---- */

/** struct journal - open for appending, and locked. @done: a bit a case;  @n_done: of them, those
 * that did not pass: @n_bad */
struct journal {
    const char *path;
    int fd;
    uint64_t cases;
    unsigned char *done;
    uint64_t n_done;
    uint64_t n_bad;
    double synced_s;
};

/** journal_open() - begin one, or go on with that of the same study: what a kill has left of a last
 * row is cut off. @fresh: what is there is of no use. Return: false after an error message. */
bool journal_open(const struct plan *plan, const char *path, bool fresh, struct journal *journal);
/** journal_look() - what the journal @path of the same study has counts as done in @journal; one
 * that is just being begun has nothing. Return: false after an error message. */
bool journal_look(const struct plan *plan, const char *path, struct journal *journal);
bool journal_has(const struct journal *journal, uint64_t i);
/** journal_add() - Return: false after an error message. */
bool journal_add(struct journal *journal, uint64_t i, int outcome, const char *row);
void journal_close(struct journal *journal);

/** struct record - a row in a journal. @size: 0: none */
struct record {
    const char *row;
    size_t size;
    int outcome;
};

/** struct pages - a journal that is looked at. @head: bytes of its first three lines;
 * @cases: of the study */
struct pages {
    const char *text;
    size_t size;
    size_t head;
    uint64_t cases;
};

/** pages_open() - Return: 0, negative errno, LK_E_TEXT: it is no journal; close after 0. */
int pages_open(const char *path, struct pages *ret_pages);
/** pages_next() - the record at @at, which moves behind it; what is damaged is passed over.
 * @ret_case: from 0. Return: false at the end. */
bool pages_next(const struct pages *pages, size_t *at, uint64_t *ret_case, struct record *ret);
void pages_close(struct pages *pages);

/* ---- table.c ---- */

/** table_write() - the rows of @n journals, which have to be of one study and to have all its
 * cases. @ret_bad: those that did not pass. Return: EXIT_DONE, EXIT_REFUSED after a message. */
int table_write(const char *const *paths, int n, const char *output, uint64_t *ret_cases,
                uint64_t *ret_bad);

/** table_say() - what a table has. */
void table_say(const char *output, uint64_t cases, uint64_t bad);

/* ---- shard.c ---- */

/** struct shard - of all cases those whose number is @index modulo @count. @by: who says so; NULL:
 * the command line, or nobody */
struct shard {
    long index;
    long count;
    const char *by;
};

/** shard_parse() - "K/N", K from 1. Return: EXIT_DONE, EXIT_USAGE after a message. */
int shard_parse(const char *text, struct shard *ret);
/** struct place - of a process among the ranks that were launched together, from 0. @size: 0: there
 * are none */
struct place {
    long rank;
    long size;
};

/** shard_find() - what the environment says of arrays of Slurm and of ranks of Open MPI. */
int shard_find(struct shard *ret, struct place *ret_place);
/** shard_split() - of @shard the part of a rank where none of them deals. */
void shard_split(struct shard *shard, const struct place *place);

/** struct stock - cases of a shard that its journal does not have. @next: the first that may be
 * given out;  @left: how many there are */
struct stock {
    struct shard shard;
    const struct journal *journal;
    uint64_t next;
    uint64_t left;
};

void stock_open(const struct shard *shard, const struct journal *journal, struct stock *ret);
/** stock_next() - @ret: a case. Return: false: none is left. */
bool stock_next(struct stock *stock, uint64_t *ret);

/* ---- ranks.c ---- */

/** struct ranks - this process among those that share a stock, which rank 0 has: the others ask it
 * for some cases at a time, the fewer the fewer are left.
 * @queue: of another rank, @n cases from @at on;  @has_asked, @is_over: it has asked for more;
 * there are no more;  @n_told: of rank 0, ranks that know that */
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

/** ranks_load() - the module, where this process was launched as one of several ranks.
 * Return: NULL: there is none; after a message, where it is there and cannot be loaded. */
const struct ranks_ops *ranks_load(const struct place *place);
/** ranks_begin() - all ranks come together, with the same @plan. @journal: what any of them has
 * done is done for rank 0, which deals. Return: false after an error message. */
bool ranks_begin(struct ranks *ranks, const struct plan *plan, struct journal *journal);
/** ranks_next() - @ret: a case for this rank. Return: false: none at hand. */
bool ranks_next(struct ranks *ranks, struct stock *stock, uint64_t *ret);
/** ranks_look() - answer or ask, without waiting. Return: false: there is nothing more to answer,
 * or to come. */
bool ranks_look(struct ranks *ranks, struct stock *stock);

/** ranks_end() - after all cases: wait for the others; if this rank is not well, end all of them.
 * Return: @is_well. */
bool ranks_end(struct ranks *ranks, bool is_well);

/* ---- crew.c ---- */

/** crew_run() - run all cases of @shard that @journal does not have, @n of them at a time.
 * @ranks: with whom they are shared, begun here, after the processes; NULL: with nobody
 * Return: false after an error message. */
bool crew_run(struct plan *plan, const struct shard *shard, int n, struct journal *journal,
              struct ranks *ranks);

/* ---- all.c ---- */

/** struct job - all cases of a study. @n_jobs: 0: one for each core;  @place: its size is 0 where
 * there are no ranks;  @is_fresh: journals that are there are of no use */
struct job {
    const char *output;
    long n_jobs;
    struct shard shard;
    struct place place;
    bool is_fresh;
};

/** run_all() - Return: enum exit_code, after messages. */
int run_all(struct plan *plan, const struct job *job);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs all cases of a study, or the share of this process. It uses its own journal and those of
 * other processes, and writes the table. */
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct journals - the journals of one table. @rank: number of the rank, from 1; 0: no rank */
struct journals {
    char **path;
    long *rank;
    int n;
};

static void free_journals(struct journals *j)
{
    for (int i = 0; i < j->n; i++)
        free(j->path[i]);
    free(j->path);
    free(j->rank);
}

/* Return the common beginning of the names of the journals of shard @index. */
static char *stem_of(const struct job *job, long index)
{
    char *stem;
    int n = job->shard.count == 1
                ? asprintf(&stem, "%s", job->output)
                : asprintf(&stem, "%s.%ld-of-%ld", job->output, index + 1, job->shard.count);

    return n < 0 ? NULL : stem;
}

/* Return the path of the journal of this process: TABLE.csv.journal, or TABLE.csv.rank-3.journal
 * for a rank. */
static char *own_path(const struct job *job, bool has_ranks)
{
    char *stem = stem_of(job, job->shard.index), *path = NULL;
    int n = stem == NULL ? -1
            : has_ranks  ? asprintf(&path, "%s.rank-%ld.journal", stem, job->place.rank + 1)
                         : asprintf(&path, "%s.journal", stem);

    free(stem);
    return n < 0 ? NULL : path;
}

/* Return true if @stem is followed by ".journal" or ".rank-3.journal". @ret_rank: number of the
 * rank, from 1; 0: no rank */
static bool is_journal(const char *name, const char *stem, long *ret_rank)
{
    size_t size = strlen(stem);
    const char *at = name + size;
    char *end;

    *ret_rank = 0;
    if (strncmp(name, stem, size) != 0)
        return false;
    if (strncmp(at, ".rank-", 6) == 0 && at[6] >= '1' && at[6] <= '9') {
        *ret_rank = strtol(at + 6, &end, 10);
        at = end;
    }
    return strcmp(at, ".journal") == 0;
}

static int add_journal(struct journals *j, const char *folder, const char *name, long rank)
{
    char **path = realloc(j->path, (size_t)(j->n + 1) * sizeof(*path));
    long *ranks = realloc(j->rank, (size_t)(j->n + 1) * sizeof(*ranks));

    j->path = path != NULL ? path : j->path;
    j->rank = ranks != NULL ? ranks : j->rank;
    if (path == NULL || ranks == NULL || asprintf(&path[j->n], "%s/%s", folder, name) < 0)
        return -ENOMEM;
    ranks[j->n++] = rank;
    return 0;
}

/* Add the existing journals of shard @index. Return: 0, negative errno. */
static int find_journals(const struct job *job, long index, struct journals *j)
{
    char *stem = stem_of(job, index), *slash = stem != NULL ? strrchr(stem, '/') : NULL;
    const char *base = slash != NULL ? slash + 1 : stem;
    char *folder = slash == NULL ? strdup(".") : strndup(stem, (size_t)(slash + 1 - stem));
    DIR *dir = stem != NULL && folder != NULL ? opendir(folder) : NULL;
    int result = dir != NULL ? 0 : stem == NULL || folder == NULL ? -ENOMEM : -errno;
    long rank;

    for (const struct dirent *d; result == 0 && (d = readdir(dir)) != NULL;)
        if (is_journal(d->d_name, base, &rank))
            result = add_journal(j, folder, d->d_name, rank);
    if (dir != NULL)
        closedir(dir);
    free(folder);
    free(stem);
    return result;
}

/* ---- before and after ---- */

/* Mark cases done by earlier processes of this shard. With --fresh no cases are marked. Instead,
 * journals that no present rank will overwrite are removed.
 * Return: false after an error message. */
static bool look_at_others(const struct plan *plan, const struct job *job, bool has_ranks,
                           struct journal *journal)
{
    struct journals others = {0};
    int result = find_journals(job, job->shard.index, &others);
    bool is_well = result == 0;

    if (!is_well)
        complain("%s: %s", job->output, strerror(-result));
    for (int i = 0; i < others.n && is_well; i++) {
        long rank = others.rank[i];

        if (rank == (has_ranks ? job->place.rank + 1 : 0))
            continue; /* skip its own journal, because closing it here would release the lock */
        if (!job->is_fresh)
            is_well = journal_look(plan, others.path[i], journal);
        else if (!has_ranks || (job->place.rank == 0 && (rank == 0 || rank > job->place.size)))
            unlink(others.path[i]);
    }
    free_journals(&others);
    return is_well;
}

/* Count the cases that the journals contain, each case once.
 * Return: as find_journals(). */
static int count_rows(const struct journals *j, uint64_t cases, uint64_t *ret)
{
    unsigned char *done = calloc((size_t)cases, 1);

    if (done == NULL)
        return -ENOMEM;
    *ret = 0;
    for (int i = 0; i < j->n; i++) {
        struct pages pages;
        struct record record;
        uint64_t k;

        if (pages_open(j->path[i], &pages) != 0)
            continue;
        for (size_t at = pages.head; pages_next(&pages, &at, &k, &record);)
            if (k < cases && done[k]++ == 0)
                ++*ret;
        pages_close(&pages);
    }
    free(done);
    return 0;
}

/* Write the table if all shards are complete. The process that ends last does this.
 * Return: EXIT_DONE, also if shards are incomplete. */
static int finish(const struct job *job, uint64_t cases)
{
    struct journals all = {0};
    struct table_counts counts = {.cases = cases};
    int code = EXIT_REFUSED, result = 0;

    for (long k = 0; k < job->shard.count && result == 0; k++)
        result = find_journals(job, k, &all);
    if (result == 0)
        result = count_rows(&all, cases, &counts.n_rows);
    if (result != 0)
        complain("%s: %s", job->output, strerror(-result));
    else if (counts.n_rows < cases)
        code = EXIT_DONE;
    else
        code = table_write((const char *const *)all.path, all.n, job->output, &counts.cases,
                           &counts.n_bad);
    if (code == EXIT_DONE)
        table_say(job->output, &counts, job->is_json);
    if (code == EXIT_DONE && counts.n_bad > 0)
        code = EXIT_WARNED;
    free_journals(&all);
    return code;
}

/* Return the number of worker processes. Under Open MPI it is one, because each rank is already a
 * separate process. */
static int count_jobs(const struct job *job)
{
    cpu_set_t cores;

    if (job->n_jobs > 0)
        return (int)job->n_jobs;
    if (job->place.size > 0)
        return 1;
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

static void say_where(const struct job *job, bool has_ranks, const struct journal *journal)
{
    const struct shard *s = &job->shard;
    FILE *to = job->is_json ? stderr : stdout;

    if (s->count > 1)
        fprintf(to, "shard %ld of %ld%s%s\n", s->index + 1, s->count, s->by != NULL ? ", by " : "",
                s->by != NULL ? s->by : "");
    if (has_ranks)
        fprintf(to, "rank %ld of %ld, which share the cases as they go\n", job->place.rank + 1,
                job->place.size);
    if (journal->n_done > 0)
        fprintf(to, "%s has %" PRIu64 " cases already\n", journal->path, journal->n_done);
    fflush(to);
}

/* ---- all of it ---- */

/* Run the cases of this process.
 * Return: false after an error message. */
static bool run_cases(struct plan *plan, const struct job *job, const char *path,
                      struct ranks *ranks)
{
    struct journal journal = {.fd = -1};
    bool is_well = journal_open(plan, path, job->is_fresh, &journal);
    FILE *to = job->is_json ? stderr : stdout;
    uint64_t n_begin;

    if (!is_well)
        return false;
    say_where(job, ranks != NULL, &journal);
    n_begin = journal.n_done;
    is_well = look_at_others(plan, job, ranks != NULL, &journal);
    if (is_well && journal.n_done > n_begin)
        fprintf(to, "journals beside it have %" PRIu64 " others\n", journal.n_done - n_begin);
    n_begin = journal.n_done;
    is_well = is_well && crew_run(plan, &job->shard, count_jobs(job), &journal, ranks);
    if (is_well && ranks != NULL)
        fprintf(to, "rank %ld of %ld has run %" PRIu64 " cases\n", job->place.rank + 1,
                job->place.size, journal.n_done - n_begin);
    journal_close(&journal);
    return is_well;
}

int run_all(struct plan *plan, const struct job *given)
{
    struct job job = *given;
    struct ranks ranks = {.ops = ranks_load(&job.place)};
    bool has_ranks = ranks.ops != NULL, is_well;
    char *path;

    if (!has_ranks)
        shard_split(&job.shard, &job.place);
    path = own_path(&job, has_ranks);
    if (path == NULL)
        complain("out of memory");
    is_well = path != NULL && run_cases(plan, &job, path, has_ranks ? &ranks : NULL);
    free(path);
    if (has_ranks && !ranks_end(&ranks, is_well))
        return EXIT_REFUSED;
    if (has_ranks && ranks.rank > 0)
        return EXIT_DONE;
    return is_well ? finish(&job, plan->study->cases) : EXIT_REFUSED;
}

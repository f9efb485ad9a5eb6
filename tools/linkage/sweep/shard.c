/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the cases of this process. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MAX 1000000

static bool is_whole(double value, double low, double high)
{
    return value == floor(value) && value >= low && value <= high;
}

int shard_parse(const char *text, struct shard *ret)
{
    char number[32] = "";
    const char *slash = strchr(text, '/');
    double k, n;

    if (slash != NULL && slash - text < (long)sizeof(number)) {
        memcpy(number, text, (size_t)(slash - text));
        if (parse_number(number, &k) && parse_number(slash + 1, &n) && is_whole(n, 1, SHARDS_MAX) &&
            is_whole(k, 1, n)) {
            *ret = (struct shard){(long)k - 1, (long)n, NULL};
            return EXIT_DONE;
        }
    }
    return usage_error("shard is '%s', expected K/N such as 3/8, 1 to %d", text, SHARDS_MAX);
}

/* Read a whole number from a variable of the environment.
 * Return: EXIT_DONE, EXIT_USAGE after a message. */
static int read_variable(const char *name, double low, double high, double otherwise, double *ret)
{
    const char *text = getenv(name);

    *ret = otherwise;
    if (text == NULL || (parse_number(text, ret) && is_whole(*ret, low, high)))
        return EXIT_DONE;
    return usage_error("%s in the environment is '%s', expected a whole number, %g to %g", name,
                       text, low, high);
}

/* Compute the index of this task in a Slurm array. The task numbers begin at SLURM_ARRAY_TASK_MIN
 * and may have gaps. */
static int find_array(double *ret_index, double *ret_count)
{
    double id, first, step;
    int code = read_variable("SLURM_ARRAY_TASK_ID", 0, 4e9, 0, &id);

    if (code == EXIT_DONE)
        code = read_variable("SLURM_ARRAY_TASK_COUNT", 1, SHARDS_MAX, 1, ret_count);
    if (code == EXIT_DONE)
        code = read_variable("SLURM_ARRAY_TASK_MIN", 0, 4e9, 0, &first);
    if (code == EXIT_DONE)
        code = read_variable("SLURM_ARRAY_TASK_STEP", 1, 4e9, 1, &step);
    if (code != EXIT_DONE)
        return code;
    *ret_index = (id - first) / step;
    if (!is_whole(*ret_index, 0, *ret_count - 1))
        return usage_error("SLURM_ARRAY_TASK_ID is %g of %g tasks from %g in steps of %g, expected "
                           "an array like 1-8, or --shard K/N",
                           id, *ret_count, first, step);
    return EXIT_DONE;
}

int shard_find(struct shard *ret, struct place *ret_place)
{
    bool has_array = getenv("SLURM_ARRAY_TASK_ID") != NULL,
         has_ranks = getenv("OMPI_COMM_WORLD_RANK") != NULL;
    double index = 0, count = 1, rank = 0, size = 0;
    int code = has_array ? find_array(&index, &count) : EXIT_DONE;

    if (code == EXIT_DONE && has_ranks)
        code = read_variable("OMPI_COMM_WORLD_SIZE", 1, SHARDS_MAX, 1, &size);
    if (code == EXIT_DONE && has_ranks)
        code = read_variable("OMPI_COMM_WORLD_RANK", 0, size - 1, 0, &rank);
    if (code != EXIT_DONE)
        return code;
    *ret = (struct shard){(long)index, (long)count, has_array ? "Slurm" : NULL};
    *ret_place = (struct place){(long)rank, (long)size};
    return EXIT_DONE;
}

void shard_split(struct shard *shard, const struct place *place)
{
    if (place->size > 1)
        *shard = (struct shard){shard->index * place->size + place->rank,
                                shard->count * place->size, "Open MPI"};
}

/* ---- remaining cases ---- */

static bool is_left(const struct stock *s, uint64_t i)
{
    return i % (uint64_t)s->shard.count == (uint64_t)s->shard.index && !journal_has(s->journal, i);
}

void stock_open(const struct shard *shard, const struct journal *journal, struct stock *ret)
{
    struct stock s = {.shard = *shard, .journal = journal};

    for (uint64_t i = 0; i < journal->cases; i++)
        s.left += is_left(&s, i);
    *ret = s;
}

bool stock_next(struct stock *s, uint64_t *ret)
{
    while (s->next < s->journal->cases && !is_left(s, s->next))
        s->next++;
    if (s->next >= s->journal->cases)
        return false;
    *ret = s->next++;
    s->left--;
    return true;
}

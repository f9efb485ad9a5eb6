/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of cases to ranks.
 *
 * Rank 0 owns the stock and also runs cases; the other ranks request several cases at a time with a
 * message of one word, and get their number and indices. A batch is half of a rank's share of the
 * remaining cases, so that there are few messages at first and single cases at the end (guided
 * self-scheduling, C. D. Polychronopoulos, D. J. Kuck, 1987). The order of requests affects only
 * which rank runs a case. */
#include "sweep.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define MODULE   "linkage-mpi.so"
#define PART_MAX (RANKS_WORDS_MAX - 1)

const struct ranks_ops *ranks_load(const struct place *place)
{
    char path[PATH_MAX];
    const struct ranks_ops *ops;
    void *library;

    /* PMIX_RANK is set by a launcher that connects the ranks. Without it the ranks exist only as
     * numbers in the environment. */
    if (place->size < 2 || getenv("PMIX_RANK") == NULL || !find_part(MODULE, path))
        return NULL;
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* global for modules of Open MPI */
    ops = library != NULL ? dlsym(library, RANKS_SYMBOL) : NULL;
    if (ops == NULL)
        complain("%s; the ranks are shards", dlerror());
    else if (ops->version != RANKS_VERSION)
        complain("%s is of another version; the ranks are shards", path);
    return ops != NULL && ops->version == RANKS_VERSION ? ops : NULL;
}

bool ranks_begin(struct ranks *r, const struct plan *plan, struct journal *journal)
{
    bool is_same, is_all;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* otherwise its journal could stay locked */
    r->ops->begin(&r->rank, &r->size);
    is_same = r->ops->agree(plan->identity, &is_all);
    if (!is_same)
        complain(
            "rank %d has another study, model, file, build or engine than rank 1, expected the "
            "same: %s",
            r->rank + 1, plan->identity);
    else if (!is_all && r->rank == 0)
        complain("rank 1 has %s", plan->identity);
    if (!is_all) { /* all ranks have the same result and end by themselves */
        r->ops->end();
        r->size = 0;
        return false;
    }
    r->ops->unite(journal->done, (size_t)(journal->cases / 8) + 1);
    return true;
}

bool ranks_next(struct ranks *r, struct stock *stock, uint64_t *ret)
{
    if (r->rank == 0)
        return stock_next(stock, ret);
    if (r->at == r->n)
        return false;
    *ret = r->queue[r->at++];
    return true;
}

static void answer(struct ranks *r, struct stock *stock, int from)
{
    uint64_t words[RANKS_WORDS_MAX] = {0}, part = stock->left / (2 * (uint64_t)r->size);

    part = part < 1 ? 1 : part > PART_MAX ? PART_MAX : part;
    while (words[0] < part && stock_next(stock, &words[1 + words[0]]))
        words[0]++;
    r->n_told += words[0] == 0;
    r->ops->send(from, words, 1 + (int)words[0]);
}

static void fill_queue(struct ranks *r)
{
    uint64_t words[RANKS_WORDS_MAX];
    int from, n = r->ops->take(&from, words);

    if (n == 0)
        return;
    r->has_asked = false;
    r->is_over = words[0] == 0;
    r->at = 0;
    r->n = n - 1;
    memcpy(r->queue, words + 1, (size_t)r->n * sizeof(*words));
}

bool ranks_look(struct ranks *r, struct stock *stock)
{
    uint64_t words[RANKS_WORDS_MAX] = {0};
    int from;

    if (r->rank == 0) {
        while (r->ops->take(&from, words) > 0)
            answer(r, stock, from);
        return r->n_told < r->size - 1;
    }
    if (r->at == r->n && !r->is_over && !r->has_asked) {
        r->ops->send(0, words, 1);
        r->has_asked = true;
    }
    if (r->has_asked)
        fill_queue(r);
    return !r->is_over;
}

bool ranks_end(struct ranks *r, bool is_well)
{
    if (r->size == 0) /* ranks were not initialised, or have ended */
        return is_well;
    if (is_well)
        r->ops->meet();
    else
        r->ops->abandon(EXIT_REFUSED);
    r->ops->end();
    return is_well;
}

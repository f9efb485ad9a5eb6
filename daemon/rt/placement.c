/* SPDX-License-Identifier: Apache-2.0 */
#include "placement.h"
#include "realtime.h"
#include <stdio.h>

/* Format cores as "0-3,6", like taskset and the kernel; truncated if too long. */
static const char *describe_cores(const cpu_set_t *set, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int first = i;

        if (!CPU_ISSET(i, set))
            continue;
        while (i + 1 < CPU_SETSIZE && CPU_ISSET(i + 1, set))
            i++;
        if (n + 12 > size)
            break;
        n += (size_t)snprintf(text + n, size - n, i > first ? "%s%d-%d" : "%s%d", n ? "," : "",
                              first, i);
    }
    return text;
}

/* Return the highest core of @set that no worker has, or LKD_CORE_NONE. */
static int find_free(const cpu_set_t *set, const struct lkd_placement *placement, int n)
{
    for (int i = CPU_SETSIZE - 1; i >= 0; i--) {
        bool taken = false;

        for (int k = 0; k < n; k++)
            taken = taken || placement->core[k] == i;
        if (CPU_ISSET(i, set) && !taken)
            return i;
    }
    return LKD_CORE_NONE;
}

static int wished_core(const struct lkd_wish *wish, int worker)
{
    if (worker == 0)
        return wish->core;
    return worker <= wish->n_cores ? wish->worker_core[worker - 1] : LKD_CORE_AUTO;
}

/* Prefer isolated cores, on which the kernel starts no process. */
static int choose_core(const cpu_set_t *allowed, const cpu_set_t *quiet,
                       const struct lkd_placement *p, int n)
{
    int core = find_free(quiet, p, n);

    return core >= 0 ? core : find_free(allowed, p, n);
}

/* Choose the core of a single worker. It may share a core if there is only one core or the
 * requested core does not exist. It may not if other rigs have locked the cores. */
static int place_one(const struct lkd_wish *wish, const cpu_set_t *free, const cpu_set_t *quiet,
                     bool any_taken, int *ret_core, struct lk_error *error)
{
    const struct lkd_placement none = {0};

    if (wish->core != LKD_CORE_AUTO) {
        *ret_core = wish->core;
        return 0;
    }
    if (CPU_COUNT(quiet) > 0 || CPU_COUNT(free) >= 2) {
        *ret_core = choose_core(free, quiet, &none, 0);
        return 0;
    }
    *ret_core = LKD_CORE_NONE;
    if (!any_taken)
        return 0;
    lk_error_set(error, "realtime: core: auto finds no free core, besides one that is left to all "
                        "others; expected a core by its number, or priority: 0");
    return LK_E_MODEL;
}

/* Assign cores requested by number first, so that `auto` avoids them. */
static void assign(const struct lkd_wish *wish, const cpu_set_t *allowed, const cpu_set_t *quiet,
                   struct lkd_placement *p)
{
    for (int k = 0; k < p->n_workers; k++)
        p->core[k] = wished_core(wish, k);
    for (int k = 0; k < p->n_workers; k++)
        if (p->core[k] == LKD_CORE_AUTO)
            p->core[k] = choose_core(allowed, quiet, p, p->n_workers);
}

static int check_reachable(const struct lkd_placement *p, const cpu_set_t *reachable,
                           struct lk_error *error)
{
    char cores[128];

    for (int k = 0; k < p->n_workers; k++) {
        if (p->core[k] < 0 || (p->core[k] < CPU_SETSIZE && CPU_ISSET(p->core[k], reachable)))
            continue;
        lk_error_set(error, "realtime: no core %d for worker %d, this process may use cores %s",
                     p->core[k], k + 1, describe_cores(reachable, cores, sizeof(cores)));
        return LK_E_MODEL;
    }
    return 0;
}

static int check_shared(const struct lkd_placement *p, const cpu_set_t *reachable,
                        struct lk_error *error)
{
    char cores[128];

    for (int k = 1; k < p->n_workers; k++)
        for (int i = 0; i < k; i++)
            if (p->core[k] >= 0 && p->core[k] == p->core[i]) {
                lk_error_set(error,
                             "realtime: workers %d and %d share core %d, expected a core for "
                             "each, this process may use cores %s",
                             i + 1, k + 1, p->core[k],
                             describe_cores(reachable, cores, sizeof(cores)));
                return LK_E_MODEL;
            }
    return 0;
}

/* Check that every real-time worker is pinned, and that one core without a worker remains for all
 * other threads. */
static int check_realtime(const struct lkd_wish *wish, const struct lkd_placement *p,
                          const cpu_set_t *allowed, const cpu_set_t *reachable,
                          struct lk_error *error)
{
    cpu_set_t rest = *allowed;
    bool pinned = true;
    char cores[128];

    if (wish->core == LKD_CORE_NONE) {
        lk_error_set(error,
                     "realtime: core: none with %d real-time workers, which would meet on "
                     "one core, expected auto or a number",
                     p->n_workers);
        return LK_E_MODEL;
    }
    for (int k = 0; k < p->n_workers; k++) {
        pinned = pinned && p->core[k] >= 0;
        if (p->core[k] >= 0)
            CPU_CLR(p->core[k], &rest);
    }
    if (pinned && CPU_COUNT(&rest) > 0)
        return 0;
    lk_error_set(error,
                 "realtime: %d real-time workers need a core each and one that they leave to "
                 "others, this process may use cores %s; expected fewer workers, or priority: 0",
                 p->n_workers, describe_cores(reachable, cores, sizeof(cores)));
    return LK_E_MODEL;
}

/* Return the largest number of workers for `auto`. One core remains free for other threads. Workers
 * that are not pinned could meet on one core, so `core: none` allows only one. */
static int most_workers(const struct lkd_wish *wish, const cpu_set_t *allowed,
                        const cpu_set_t *quiet)
{
    cpu_set_t all;
    int n;

    CPU_OR(&all, allowed, quiet);
    n = CPU_COUNT(&all) - 1;
    if (wish->core == LKD_CORE_NONE || n < 1)
        return 1;
    n = n < LKD_WORKERS_AUTO_MAX ? n : LKD_WORKERS_AUTO_MAX;
    return wish->n_cores > 0 ? wish->n_cores + 1 : n;
}

/* Leave workers without a requested core unpinned if there are too few cores. Threads of normal
 * priority can time-share a core. */
static void unpin(const struct lkd_wish *wish, struct lkd_placement *p)
{
    bool enough = true;

    for (int k = 0; k < p->n_workers; k++)
        enough = enough && p->core[k] >= 0;
    for (int k = 0; k < p->n_workers && !enough; k++)
        if (wished_core(wish, k) == LKD_CORE_AUTO)
            p->core[k] = LKD_CORE_NONE;
}

static void remove_taken(cpu_set_t *set, const cpu_set_t *taken)
{
    cpu_set_t both;

    CPU_AND(&both, set, taken);
    CPU_XOR(set, set, &both);
}

int lkd_place(const struct lkd_wish *wish, const struct lkd_cores *cores,
              struct lkd_placement *ret_placement, struct lk_error *ret_error)
{
    struct lkd_placement p = {.n_workers = wish->workers};
    cpu_set_t quiet, free = cores->allowed;
    int r;

    CPU_AND(&quiet, &cores->isolated, &cores->reachable);
    remove_taken(&quiet, &cores->taken);
    remove_taken(&free, &cores->taken);
    if (wish->workers == LKD_WORKERS_AUTO) {
        p.n_workers = most_workers(wish, &free, &quiet);
        p.chosen_by_model = p.n_workers > 1;
    }
    if (p.n_workers == 1) {
        r = place_one(wish, &free, &quiet, CPU_COUNT(&cores->taken) > 0, &p.core[0], ret_error);
        if (r == 0)
            *ret_placement = p;
        return r;
    }
    assign(wish, &free, &quiet, &p);
    r = check_reachable(&p, &cores->reachable, ret_error);
    if (r == 0)
        r = check_shared(&p, &cores->reachable, ret_error);
    if (r == 0 && wish->priority > 0)
        r = check_realtime(wish, &p, &free, &cores->reachable, ret_error);
    if (r)
        return r;
    unpin(wish, &p);
    *ret_placement = p;
    return 0;
}

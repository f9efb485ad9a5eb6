/* SPDX-License-Identifier: Apache-2.0 */
#include "cores.h"
#include "linkage/host.h"
#include "log.h"
#include "realtime.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_wished(const struct lkd_wish *wish, int core)
{
    bool wished = core == wish->core;

    for (int k = 0; k < wish->n_cores; k++)
        wished = wished || core == wish->worker_core[k];
    return wished;
}

/* Refuse a core that the configuration requests by number and that another process has locked. */
static int refuse_core(const char *section, int core, struct lk_error *error)
{
    char holder[256];

    if (lk_host_core_holder("", core, holder, sizeof(holder)) != LK_HOST_LOCKED)
        strcpy(holder, "another process");
    lk_error_set(error, "%s: core %d is taken by %s; expected another core, or auto", section, core,
                 holder);
    return LK_E_MODEL;
}

/* Append the processes that have locked cores to the error of lkd_place(). */
static void name_holders(const cpu_set_t *taken, struct lk_error *error)
{
    struct lk_error line = *error;
    char holder[256];

    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, taken) &&
            lk_host_core_holder("", i, holder, sizeof(holder)) == LK_HOST_LOCKED) {
            lk_error_set(error, "%s; core %d is taken by %s", line.text, i, holder);
            line = *error;
        }
}

/* struct locks - locks of the cores of a placement. @n: number of acquired locks */
struct locks {
    int n;
    int fd[LK_POOL_MAX];
};

static void release_locks(struct locks *locks)
{
    while (locks->n > 0)
        if (locks->fd[--locks->n] >= 0)
            close(locks->fd[locks->n]);
}

static void say_not_locked(int core, int error)
{
    char holder[256];

    if (error == EPERM &&
        lk_host_core_holder("", core, holder, sizeof(holder)) == LK_HOST_OBSTRUCTED)
        lkd_log(LKD_C_CORE_NOT_LOCKED,
                "core %d is not locked, another rig may take it, too: the lock of %s does not "
                "count, but is in the way; end that process and start the rig again",
                core, holder);
    else
        lkd_log(LKD_C_CORE_NOT_LOCKED, "core %d is not locked, another rig may take it, too: %s",
                core, strerror(error));
}

/* Lock all cores of a placement.
 * Return: the first core of @p that another process has locked; then no core is locked.
 * LKD_CORE_NONE: success. */
static int lock_all(const struct lkd_placement *p, enum lk_host_share share, struct locks *locks)
{
    locks->n = 0;
    for (int k = 0; k < p->n_workers; k++) {
        int fd = p->core[k] < 0 ? -1 : lk_host_lock_core("", p->core[k], share);

        if (fd == -EWOULDBLOCK) {
            release_locks(locks);
            return p->core[k];
        }
        if (fd < 0 && p->core[k] >= 0)
            say_not_locked(p->core[k], -fd);
        locks->fd[locks->n++] = fd;
    }
    return LKD_CORE_NONE;
}

static int read_cores(struct lkd_cores *cores)
{
    struct lk_host host;

    memset(cores, 0, sizeof(*cores));
    lk_host_read("", &host);
    cores->isolated = host.isolated;
    return lkd_realtime_cores(&cores->allowed, &cores->reachable);
}

/* Refuse the core of a worker as the core of the exchange thread. The exchange threads of several
 * rigs may share a core. */
static int part_exchange(const struct lkd_thread_wish *wish, const struct lkd_placement *p,
                         struct lk_error *error)
{
    for (int k = 0; k < p->n_workers && wish->core >= 0; k++)
        if (p->core[k] == wish->core) {
            lk_error_set(error, "exchange: core %d is the cycle's, expected auto or another one",
                         wish->core);
            return LK_E_MODEL;
        }
    return 0;
}

static int take_for_exchange(const struct lkd_thread_wish *wish, struct lk_error *error)
{
    if (wish->core < 0 || wish->priority <= 0)
        return 0;
    if (lk_host_lock_core("", wish->core, LK_HOST_SHARED) != -EWOULDBLOCK)
        return 0;
    return refuse_core("exchange", wish->core, error);
}

/** struct seeking - search for a placement whose cores are all free.
 * @first_taken: return the first core of @placement that another process has locked, or
 *               LKD_CORE_NONE
 * @note:        @size bytes, see lkd_cores_check()
 * @ran_out:     `auto` would find a core if other processes had locked none */
struct seeking {
    const struct lkd_config *config;
    int (*first_taken)(struct seeking *seeking, const struct lkd_placement *placement);
    char *note;
    size_t size;
    bool ran_out;
};

static int lock_cores(struct seeking *seeking, const struct lkd_placement *placement)
{
    struct locks locks;

    return lock_all(placement, seeking->config->share_core ? LK_HOST_SHARED : LK_HOST_ALONE,
                    &locks);
}

/* Return true if another rig has locked the core. A process started with the same configuration
 * file counts as the same rig. */
static bool is_foreign(struct seeking *seeking, int core)
{
    const char *source = seeking->config->source;
    char holder[256];

    if (core < 0 || lk_host_core_holder("", core, holder, sizeof(holder)) != LK_HOST_LOCKED)
        return false;
    if (!*source || !strstr(holder, source))
        return true;
    snprintf(seeking->note, seeking->size, "core %d has a rig of this configuration: %s", core,
             holder);
    return false;
}

static int look_at_cores(struct seeking *seeking, const struct lkd_placement *placement)
{
    for (int k = 0; k < placement->n_workers; k++)
        if (is_foreign(seeking, placement->core[k]))
            return placement->core[k];
    return LKD_CORE_NONE;
}

static int seek_cores(struct seeking *seeking, struct lkd_placement *ret_placement,
                      struct lk_error *ret_error)
{
    const struct lkd_wish *wish = &seeking->config->wish;
    struct lkd_placement placement;
    struct lkd_cores cores;
    int r = read_cores(&cores), core;

    if (r)
        return r;
    for (;;) {
        r = lkd_place(wish, &cores, &placement, ret_error);
        if (r) {
            name_holders(&cores.taken, ret_error);
            seeking->ran_out = CPU_COUNT(&cores.taken) > 0;
            return r;
        }
        core = wish->priority > 0 ? seeking->first_taken(seeking, &placement) : LKD_CORE_NONE;
        if (core < 0)
            break;
        if (is_wished(wish, core))
            return refuse_core("realtime", core, ret_error);
        CPU_SET((size_t)core, &cores.taken);
    }
    *ret_placement = placement;
    return part_exchange(&seeking->config->exchange, &placement, ret_error);
}

int lkd_cores_take(const struct lkd_config *config, struct lkd_placement *ret_placement,
                   struct lk_error *ret_error)
{
    struct seeking seeking = {.config = config, .first_taken = lock_cores};
    int r = seek_cores(&seeking, ret_placement, ret_error);

    return r ? r : take_for_exchange(&config->exchange, ret_error);
}

/* Return true if a core remains for the exchange thread, to which no worker of the cycle is
 * pinned. */
static bool has_core_beside(const struct lkd_cores *cores, const struct lkd_placement *placement)
{
    cpu_set_t beside = cores->allowed;

    for (int k = 0; k < placement->n_workers; k++)
        if (placement->core[k] >= 0)
            CPU_CLR((size_t)placement->core[k], &beside);
    /* an unpinned cycle needs one of the remaining cores itself */
    return CPU_COUNT(&beside) > (placement->core[0] < 0);
}

int lkd_cores_settle_exchange(const struct lkd_config *config,
                              const struct lkd_placement *placement, struct lkd_thread_wish *wish,
                              char *ret_why, size_t size)
{
    int priority = config->wish.priority / 2, r;
    struct lk_error error;
    struct lkd_cores cores;

    ret_why[0] = '\0';
    if (wish->priority != LKD_PRIORITY_AUTO)
        return 0;
    wish->priority = 0;
    r = read_cores(&cores);
    if (r)
        return r;
    if (priority == 0) {
        snprintf(ret_why, size, "the cycle has no priority above it");
    } else if (wish->core < 0 && !has_core_beside(&cores, placement)) {
        snprintf(ret_why, size, "there is no core beside the cycle's");
    } else if ((r = lkd_realtime_try_fifo(priority)) != 0) {
        snprintf(ret_why, size, "SCHED_FIFO %d refused: %s", priority, strerror(-r));
    } else {
        wish->priority = priority;
        if (take_for_exchange(wish, &error)) {
            snprintf(ret_why, size, "%s", error.text);
            wish->priority = 0;
        }
    }
    return 0;
}

/* Refuse a core number that does not exist or is outside of the cpuset. lkd_place() does not check
 * this, so the error would appear only at arming. */
static int expect_reachable(const char *key, int core, const struct lkd_cores *cores,
                            struct lk_error *error)
{
    if (core < 0 || (core < CPU_SETSIZE && CPU_ISSET((size_t)core, &cores->reachable)))
        return 0;
    lk_error_set(error,
                 "%s: there is no core %d that this process may use, expected another core, "
                 "or auto",
                 key, core);
    return LK_E_MODEL;
}

static int expect_wished(const struct lkd_config *config, struct lk_error *error)
{
    const struct lkd_wish *wish = &config->wish;
    struct lkd_cores cores;
    int r = read_cores(&cores);

    if (r == 0)
        r = expect_reachable("realtime", wish->core, &cores, error);
    for (int k = 0; r == 0 && k < wish->n_cores; k++)
        r = expect_reachable("realtime", wish->worker_core[k], &cores, error);
    return r ? r : expect_reachable("exchange", config->exchange.core, &cores, error);
}

int lkd_cores_check(const struct lkd_config *config, char *ret_note, size_t size,
                    struct lk_error *ret_error)
{
    struct seeking seeking = {
        .config = config, .first_taken = look_at_cores, .note = ret_note, .size = size};
    const struct lkd_thread_wish *wish = &config->exchange;
    struct lkd_placement placement;
    int r;

    ret_note[0] = '\0';
    r = expect_wished(config, ret_error);
    if (r)
        return r;
    r = seek_cores(&seeking, &placement, ret_error);
    if (r == 0 && wish->priority > 0 && is_foreign(&seeking, wish->core))
        return refuse_core("exchange", wish->core, ret_error);
    if (r <= 0 || !seeking.ran_out)
        return r;
    snprintf(ret_note, size, "%s", ret_error->text);
    return 0;
}

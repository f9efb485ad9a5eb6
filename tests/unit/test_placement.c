/* SPDX-License-Identifier: Apache-2.0 */
/* The assignment of workers to cores on simulated machines, and the combinations that are
 * refused. */
#include "placement.h"
#include "realtime.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Return the set of cores @first to @last. */
static cpu_set_t cores(int first, int last)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = first; i <= last; i++)
        CPU_SET(i, &set);
    return set;
}

static struct lkd_placement place(const struct lkd_wish *wish, cpu_set_t allowed)
{
    struct lkd_placement placement;
    struct lk_error error = {0};

    if (lkd_place(wish, &(struct lkd_cores){.allowed = allowed, .reachable = allowed}, &placement,
                  &error))
        fail_msg("%s", error.text);
    return placement;
}

static void refused(const struct lkd_wish *wish, cpu_set_t allowed, const char *line)
{
    struct lkd_placement placement = {.n_workers = -1};
    struct lk_error error = {0};

    assert_int_equal(lkd_place(wish, &(struct lkd_cores){.allowed = allowed, .reachable = allowed},
                               &placement, &error),
                     LK_E_MODEL);
    assert_string_equal(error.text, line);
    assert_int_equal(placement.n_workers, -1);
}

static void test_one(void **state)
{
    struct lkd_wish wish = {.workers = 1, .core = 1023, .priority = 80};
    struct lkd_placement p = place(&wish, cores(0, 1));

    (void)state;
    assert_int_equal(p.n_workers, 1);
    assert_int_equal(p.core[0], 1023); /* checked later: only degraded runs may use it */
    wish.core = LKD_CORE_NONE;
    assert_int_equal(place(&wish, cores(0, 1)).core[0], LKD_CORE_NONE);
}

static void test_auto(void **state)
{
    struct lkd_wish wish = {.workers = LKD_WORKERS_AUTO, .core = LKD_CORE_AUTO, .priority = 80};
    struct lkd_placement p;

    (void)state;
    /* a single worker may share its core; with several workers, one core is left to all other
     * threads */
    p = place(&wish, cores(0, 1));
    assert_int_equal(p.n_workers, 1);
    assert_false(p.chosen_by_model);
    assert_int_equal(place(&wish, cores(0, 0)).n_workers, 1);
    p = place(&wish, cores(0, 2));
    assert_int_equal(p.n_workers, 2);
    assert_true(p.chosen_by_model);
    assert_int_equal(p.core[0], 2);
    assert_int_equal(p.core[1], 1);
    assert_int_equal(place(&wish, cores(0, 63)).n_workers, LKD_WORKERS_AUTO_MAX);
    wish.core = LKD_CORE_NONE;
    assert_int_equal(place(&wish, cores(0, 7)).n_workers, 1);
}

static void test_numbers(void **state)
{
    struct lkd_wish wish = {.workers = 3, .core = LKD_CORE_AUTO, .priority = 80};
    struct lkd_placement p = place(&wish, cores(0, 3));

    (void)state;
    assert_int_equal(p.n_workers, 3);
    assert_false(p.chosen_by_model);
    assert_int_equal(p.core[0], 3);
    assert_int_equal(p.core[1], 2);
    assert_int_equal(p.core[2], 1);

    /* cores that are given by number are not assigned to `auto` */
    wish.core = 2;
    p = place(&wish, cores(0, 3));
    assert_int_equal(p.core[0], 2);
    assert_int_equal(p.core[1], 3);
    assert_int_equal(p.core[2], 1);

    wish.core = LKD_CORE_AUTO;
    wish.n_cores = 2;
    wish.worker_core[0] = 3;
    wish.worker_core[1] = 0;
    p = place(&wish, cores(0, 3));
    assert_int_equal(p.core[0], 2);
    assert_int_equal(p.core[1], 3);
    assert_int_equal(p.core[2], 0);
}

static void test_refusals(void **state)
{
    struct lkd_wish wish = {.workers = 2, .core = LKD_CORE_AUTO, .priority = 80};

    (void)state;
    refused(
        &wish, cores(0, 1),
        "realtime: 2 real-time workers need a core each and one that they leave to others, this "
        "process may use cores 0-1; expected fewer workers, or priority: 0");
    refused(
        &wish, cores(5, 5),
        "realtime: 2 real-time workers need a core each and one that they leave to others, this "
        "process may use cores 5; expected fewer workers, or priority: 0");
    wish.core = LKD_CORE_NONE;
    refused(&wish, cores(0, 7),
            "realtime: core: none with 2 real-time workers, which would meet on one core, expected "
            "auto or a number");
    wish.core = 3;
    wish.n_cores = 1;
    wish.worker_core[0] = 3;
    refused(&wish, cores(0, 7),
            "realtime: workers 1 and 2 share core 3, expected a core for each, this process may "
            "use cores 0-7");
    wish.worker_core[0] = 8;
    refused(&wish, cores(0, 7), "realtime: no core 8 for worker 2, this process may use cores 0-7");
}

/* Normal threads may run on all cores, and there may be fewer cores than threads. */
static void test_normal_priority(void **state)
{
    struct lkd_wish wish = {.workers = 2, .core = LKD_CORE_AUTO, .priority = 0};
    struct lkd_placement p = place(&wish, cores(0, 1));

    (void)state;
    assert_int_equal(p.core[0], 1);
    assert_int_equal(p.core[1], 0);
    wish.workers = 3;
    p = place(&wish, cores(0, 1));
    for (int k = 0; k < 3; k++)
        assert_int_equal(p.core[k], LKD_CORE_NONE);
}

static int place_within(const struct lkd_wish *wish, const cpu_set_t *allowed,
                        const cpu_set_t *reachable, const cpu_set_t *isolated,
                        struct lkd_placement *ret)
{
    struct lkd_cores all = {.allowed = *allowed, .reachable = *reachable};

    if (isolated)
        all.isolated = *isolated;
    return lkd_place(wish, &all, ret, NULL);
}

/* An isolated core is not in the initial affinity of the process, but may be given by number. */
static void test_isolated(void **state)
{
    struct lkd_wish wish = {
        .workers = 2, .core = 2, .n_cores = 1, .worker_core = {3}, .priority = 1};
    cpu_set_t allowed = cores(0, 1), reachable = cores(0, 3);
    struct lkd_placement p;

    (void)state;
    assert_int_equal(place_within(&wish, &allowed, &reachable, NULL, &p), 0);
    assert_int_equal(p.core[0], 2);
    assert_int_equal(p.core[1], 3);
}

static void test_cores_of_this_process(void **state)
{
    cpu_set_t allowed, reachable, after, both;

    (void)state;
    assert_int_equal(lkd_realtime_cores(&allowed, &reachable), 0);
    assert_true(CPU_COUNT(&allowed) > 0);
    CPU_AND(&both, &allowed, &reachable);
    assert_true(CPU_EQUAL(&both, &allowed));
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_true(CPU_EQUAL(&after, &allowed));
}

/* Isolated cores are not in the initial affinity of a process, and are used first. */
static void test_isolated_first(void **state)
{
    struct lkd_wish wish = {.workers = 1, .core = LKD_CORE_AUTO, .priority = 80};
    cpu_set_t allowed = cores(0, 0), reachable = cores(0, 1), isolated = cores(1, 1);
    struct lkd_placement p;

    (void)state;
    assert_int_equal(place_within(&wish, &allowed, &reachable, &isolated, &p), 0);
    assert_int_equal(p.core[0], 1);
    allowed = cores(2, 5); /* use core 1: isolated and within reach, unlike core 0 */
    reachable = cores(1, 5);
    isolated = cores(0, 1);
    assert_int_equal(place_within(&wish, &allowed, &reachable, &isolated, &p), 0);
    assert_int_equal(p.core[0], 1);
    wish.workers = 2;
    assert_int_equal(place_within(&wish, &allowed, &reachable, &isolated, &p), 0);
    assert_int_equal(p.core[0], 1);
    assert_int_equal(p.core[1], 5);
    wish.workers = LKD_WORKERS_AUTO;
    allowed = cores(0, 0);
    reachable = cores(0, 2);
    isolated = cores(1, 2);
    assert_int_equal(place_within(&wish, &allowed, &reachable, &isolated, &p), 0);
    assert_int_equal(p.n_workers, 2);
    assert_int_equal(p.core[0], 2);
    assert_int_equal(p.core[1], 1);
}

/* Cores of other rigs are avoided by `auto`, but a rig never uses the last core that is left for
 * all other threads. */
static void test_taken(void **state)
{
    struct lkd_wish wish = {.workers = 1, .core = LKD_CORE_AUTO, .priority = 80};
    struct lkd_cores all = {.allowed = cores(0, 2), .reachable = cores(0, 2), .taken = cores(2, 2)};
    struct lkd_placement p;
    struct lk_error error;

    (void)state;
    assert_int_equal(lkd_place(&wish, &all, &p, &error), 0);
    assert_int_equal(p.core[0], 1);
    all.taken = cores(1, 2);
    assert_int_equal(lkd_place(&wish, &all, &p, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "core: auto finds no free core"));
    all.isolated = cores(0, 0);
    assert_int_equal(lkd_place(&wish, &all, &p, &error), 0);
    assert_int_equal(p.core[0], 0);
    all.isolated = all.taken; /* the only isolated core is taken */
    assert_int_equal(lkd_place(&wish, &all, &p, &error), LK_E_MODEL);
    wish.core = 1; /* a given core is checked elsewhere */
    assert_int_equal(lkd_place(&wish, &all, &p, &error), 0);

    wish = (struct lkd_wish){.workers = LKD_WORKERS_AUTO, .core = LKD_CORE_AUTO, .priority = 80};
    all = (struct lkd_cores){cores(0, 3), cores(0, 3), cores(9, 8), cores(2, 2)};
    assert_int_equal(lkd_place(&wish, &all, &p, &error), 0);
    assert_int_equal(p.n_workers, 2);
    assert_int_equal(p.core[0], 3);
    assert_int_equal(p.core[1], 1);
    wish.workers = 3;
    assert_int_equal(lkd_place(&wish, &all, &p, &error), LK_E_MODEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_isolated_first),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_normal_priority),
        cmocka_unit_test(test_isolated),
        cmocka_unit_test(test_cores_of_this_process),
        cmocka_unit_test(test_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

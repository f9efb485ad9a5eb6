/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule simulator against times that can be worked out by hand, and against bounds that no
 * schedule can beat. Costs are whole or halves of whole numbers, so times are exact. */
#include "../cmocka_all.h"
#include "simulate.h"

#include <errno.h>
#include <stdlib.h>

#define LEAVES 8
#define NODES  (LEAVES + 1)
#define CHAIN  32
#define RANDOM 200

/* eight leaves under one root: leaves 10 up and 6 down, root 2 up and 1 down */
static const int star_parent[NODES] = {8, 8, 8, 8, 8, 8, 8, 8, -1};
static const double star_up[NODES] = {10, 10, 10, 10, 10, 10, 10, 10, 2};
static const double star_down[NODES] = {6, 6, 6, 6, 6, 6, 6, 6, 1};
#define STAR_WORK (LEAVES * 16 + 3.0)

static struct simulate_step star(struct simulate_sweep *sweep, int times, double meeting_ns)
{
    *sweep = (struct simulate_sweep){star_up, star_down, times};
    return (struct simulate_step){.n_nodes = NODES,
                                  .parent = star_parent,
                                  .n_sweeps = 1,
                                  .sweeps = sweep,
                                  .meeting_ns = meeting_ns};
}

static struct simulate_result schedule(const struct simulate_step *step, int n_workers)
{
    struct simulate_result result = {0};

    assert_int_equal(simulate_schedule(step, n_workers, &result), 0);
    return result;
}

static void a_chain_gains_nothing_from_workers(void **state)
{
    int parent[CHAIN];
    double cost[CHAIN];
    struct simulate_sweep sweep = {cost, cost, 3};
    struct simulate_step step = {CHAIN, parent, 1, &sweep, 0.5, 7};

    (void)state;
    for (int i = 0; i < CHAIN; i++) {
        parent[i] = i + 1 < CHAIN ? i + 1 : -1;
        cost[i] = 4;
    }
    for (int w = 1; w <= SIMULATE_WORKERS_MAX; w *= 2) {
        struct simulate_result result = schedule(&step, w);

        assert_true(result.step_ns == 7 + 3 * 2 * 4 * CHAIN);
        assert_int_equal(result.n_workers, 1);
    }
}

/* the way of a worker but the first: it is sent off, goes through its leaves, tells the root,
 * learns of it, goes down its leaves, and is waited for: four meetings */
static void equal_subtrees_are_shared_out_evenly(void **state)
{
    struct simulate_sweep sweep;

    (void)state;
    for (double meeting = 0; meeting <= 1; meeting += 0.5) {
        struct simulate_step step = star(&sweep, 1, meeting);

        assert_true(schedule(&step, 1).step_ns == STAR_WORK);
        assert_true(schedule(&step, 2).step_ns == 4 * 16 + 3 + 4 * meeting);
        assert_true(schedule(&step, 4).step_ns == 2 * 16 + 3 + 4 * meeting);
        assert_true(schedule(&step, 8).step_ns == 16 + 3 + 4 * meeting);
        assert_int_equal(schedule(&step, 8).n_subtrees, LEAVES);
        /* a ninth has nothing to do */
        assert_true(schedule(&step, 64).step_ns == 16 + 3 + 4 * meeting);
        assert_int_equal(schedule(&step, 64).n_workers, 8);
    }
}

/* between two sweeps nobody has to meet: two meetings a sweep, and two around all of them */
static void sweeps_follow_each_other_without_a_meeting(void **state)
{
    struct simulate_sweep sweep;
    struct simulate_step step = star(&sweep, 5, 0.5);

    (void)state;
    assert_true(schedule(&step, 8).step_ns == 5 * (16 + 3 + 2 * 0.5) + 2 * 0.5);
}

static void kinds_of_sweeps_add_up(void **state)
{
    struct simulate_sweep sweeps[2];
    struct simulate_step step = star(sweeps, 2, 0);

    (void)state;
    sweeps[1] = (struct simulate_sweep){star_down, star_down, 3};
    step.n_sweeps = 2;
    step.serial_ns = 11;
    assert_true(schedule(&step, 1).step_ns == 11 + 2 * STAR_WORK + 3 * 2 * (6 * LEAVES + 1.0));
    assert_true(schedule(&step, 8).step_ns == 11 + 2 * (16 + 3) + 3 * (2 * (6 + 1)));
}

/* two workers save half of the leaves and pay four meetings */
static void meetings_that_cost_too_much_are_avoided(void **state)
{
    struct simulate_sweep sweep;
    struct simulate_step step = star(&sweep, 1, 15.5);

    (void)state;
    assert_int_equal(schedule(&step, 2).n_workers, 2);
    assert_true(schedule(&step, 2).step_ns == 4 * 16 + 3 + 4 * 15.5);
    step.meeting_ns = 16.5;
    assert_int_equal(schedule(&step, 2).n_workers, 1);
    assert_true(schedule(&step, 2).step_ns == STAR_WORK);
    step.meeting_ns = 1e9;
    assert_true(schedule(&step, 64).step_ns == STAR_WORK);
}

static void serial_work_stays(void **state)
{
    struct simulate_sweep sweep;
    struct simulate_step step = star(&sweep, 1, 0);

    (void)state;
    step.serial_ns = 100;
    assert_true(schedule(&step, 8).step_ns == 100 + 16 + 3);
}

static void trees_side_by_side_have_no_crown(void **state)
{
    const int parent[] = {-1, -1, -1, -1};
    const double cost[] = {3, 1, 2, 2};
    const struct simulate_sweep sweep = {cost, cost, 1};
    const struct simulate_step step = {4, parent, 1, &sweep, 0.5, 0};

    (void)state;
    /* {3, 1} and {2, 2}: sent off and waited for */
    assert_true(schedule(&step, 2).step_ns == 8 + 2 * 0.5);
    assert_int_equal(schedule(&step, 2).n_subtrees, 4);
}

static void a_step_without_tree_is_serial(void **state)
{
    const struct simulate_step step = {.serial_ns = 42};

    (void)state;
    assert_true(schedule(&step, 8).step_ns == 42);
    assert_int_equal(schedule(&step, 8).n_workers, 1);
}

/* a chain handed from one to the other at every node pays at every node, up and down */
static void a_given_split_is_played_as_it_is(void **state)
{
    const int parent[] = {1, 2, 3, -1}, turns[] = {0, 1, 0, 1}, alone[] = {0, 0, 0, 0};
    const double cost[] = {5, 5, 5, 5};
    const struct simulate_sweep sweep = {cost, cost, 1};
    const struct simulate_step step = {4, parent, 1, &sweep, 2, 0};
    double time = 0;

    (void)state;
    assert_int_equal(simulate_owned(&step, turns, &time), 0);
    assert_true(time == 8 * 5 + 6 * 2);
    assert_int_equal(simulate_owned(&step, alone, &time), 0);
    assert_true(time == 8 * 5);
}

/* a worker does its own subtrees before it waits for a node above them */
static void nobody_waits_with_work_left(void **state)
{
    const int parent[] = {2, 2, 4, 4, -1}, owner[] = {0, 1, 0, 0, 0};
    const double up[] = {1, 9, 1, 6, 1}, down[] = {0, 0, 0, 0, 0};
    const struct simulate_sweep sweep = {up, down, 1};
    const struct simulate_step step = {5, parent, 1, &sweep, 0, 0};
    double time = 0;

    (void)state;
    assert_int_equal(simulate_owned(&step, owner, &time), 0);
    assert_true(time == 9 + 1 + 1);
}

static double longest_path(const struct simulate_step *step)
{
    double path[RANDOM] = {0}, longest = 0;

    for (int i = 0; i < step->n_nodes; i++) {
        int parent = step->parent[i];

        path[i] += step->sweeps[0].up_ns[i] + step->sweeps[0].down_ns[i];
        if (parent >= 0 && path[i] > path[parent])
            path[parent] = path[i];
        longest = path[i] > longest ? path[i] : longest;
    }
    return longest;
}

/* never faster than the work shared evenly or than the longest path, never slower than one worker
 */
static void random_trees_keep_the_bounds(void **state)
{
    (void)state;
    srand(1);
    for (int trial = 0; trial < 50; trial++) {
        int parent[RANDOM];
        double up[RANDOM], down[RANDOM], work = 0;
        struct simulate_sweep sweep = {up, down, 1};
        struct simulate_step step = {RANDOM, parent, 1, &sweep, rand() % 5, 0};

        for (int i = 0; i < RANDOM; i++) {
            parent[i] = i + 1 < RANDOM ? i + 1 + rand() % (RANDOM - i - 1) : -1;
            up[i] = rand() % 100;
            down[i] = rand() % 100;
            work += up[i] + down[i];
        }
        for (int w = 1; w <= SIMULATE_WORKERS_MAX; w++) {
            double time = schedule(&step, w).step_ns;

            assert_true(time <= work && time >= work / w && time >= longest_path(&step));
            assert_true(schedule(&step, w).n_workers <= w);
        }
    }
}

static void nonsense_is_refused(void **state)
{
    const int below[] = {-1, 0}, self[] = {0, -1}, beyond[] = {2, -1}, owner[] = {0, 64};
    const double cost[] = {1, 1};
    const struct simulate_sweep sweep = {cost, cost, 1};
    struct simulate_step step = {2, below, 1, &sweep, 0, 0};
    struct simulate_result result = {.n_workers = -7};
    const int good[] = {1, -1};
    double time = -7;

    (void)state;
    assert_int_equal(simulate_schedule(&step, 2, &result), -EINVAL);
    step.parent = self;
    assert_int_equal(simulate_schedule(&step, 2, &result), -EINVAL);
    step.parent = beyond;
    assert_int_equal(simulate_schedule(&step, 2, &result), -EINVAL);
    step.parent = good;
    assert_int_equal(simulate_schedule(&step, 0, &result), -EINVAL);
    assert_int_equal(simulate_schedule(&step, SIMULATE_WORKERS_MAX + 1, &result), -EINVAL);
    assert_int_equal(simulate_owned(&step, owner, &time), -EINVAL);
    assert_int_equal(result.n_workers, -7);
    assert_true(time == -7);
}

/* two phases of four tasks each, 10 and 20 before them, 5 after */
static const double task_ns[] = {1, 2, 3, 4};
static const struct simulate_phase phases[] = {{10, 4, task_ns}, {20, 4, task_ns}};

static double shared(const struct simulate_shared *step, int n_workers)
{
    double time = -1;

    assert_int_equal(simulate_shared(step, n_workers, &time), 0);
    return time;
}

static void phases_go_to_workers_as_the_engine_deals_them(void **state)
{
    const struct simulate_shared step = {.n_phases = 2, .phases = phases, .after_ns = 5};

    (void)state;
    assert_true(shared(&step, 1) == 35 + 2 * 10);
    /* {1, 2} and {3, 4} */
    assert_true(shared(&step, 2) == 35 + 2 * 7);
    /* {1}, {2}, {3, 4} */
    assert_true(shared(&step, 3) == 35 + 2 * 7);
    assert_true(shared(&step, 4) == 35 + 2 * 4);
    assert_true(shared(&step, 64) == 35 + 2 * 4);
}

/* the first worker is not held up by a fork but waits for its end */
static void forks_and_hands_are_paid_in_every_phase(void **state)
{
    struct simulate_shared step = {
        .n_phases = 2, .phases = phases, .fork_ns = 2, .more_ns = 0.5, .hand_ns = 1};
    static const double uneven[] = {9, 1};
    static const struct simulate_phase one = {0, 2, uneven};

    (void)state;
    assert_true(shared(&step, 1) == 30 + 2 * 10);
    assert_true(shared(&step, 2) == 30 + 2 * (7 + 2 + 1 + 1));
    assert_true(shared(&step, 4) == 30 + 2 * (4 + 2 + 2 * 0.5 + 1 + 1));
    step.n_phases = 1;
    step.phases = &one;
    /* the second is back before the first is through */
    assert_true(shared(&step, 2) == 9 + 1);
}

static void phases_of_one_task_are_not_shared(void **state)
{
    static const struct simulate_phase small[] = {{3, 1, task_ns}, {4, 0, NULL}};
    const struct simulate_shared step = {
        .n_phases = 2, .phases = small, .after_ns = 5, .fork_ns = 100, .hand_ns = 100};

    (void)state;
    for (int w = 1; w <= SIMULATE_WORKERS_MAX; w++)
        assert_true(shared(&step, w) == 3 + 1 + 4 + 5);
}

static void nonsense_in_phases_is_refused(void **state)
{
    static const struct simulate_phase bad = {0, -1, NULL};
    struct simulate_shared step = {.n_phases = 2, .phases = phases};
    double time = -7;

    (void)state;
    assert_int_equal(simulate_shared(&step, 0, &time), -EINVAL);
    assert_int_equal(simulate_shared(&step, SIMULATE_WORKERS_MAX + 1, &time), -EINVAL);
    step.n_phases = -1;
    assert_int_equal(simulate_shared(&step, 2, &time), -EINVAL);
    step.n_phases = 1;
    step.phases = &bad;
    assert_int_equal(simulate_shared(&step, 2, &time), -EINVAL);
    assert_true(time == -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_gains_nothing_from_workers),
        cmocka_unit_test(equal_subtrees_are_shared_out_evenly),
        cmocka_unit_test(sweeps_follow_each_other_without_a_meeting),
        cmocka_unit_test(kinds_of_sweeps_add_up),
        cmocka_unit_test(meetings_that_cost_too_much_are_avoided),
        cmocka_unit_test(serial_work_stays),
        cmocka_unit_test(trees_side_by_side_have_no_crown),
        cmocka_unit_test(a_step_without_tree_is_serial),
        cmocka_unit_test(a_given_split_is_played_as_it_is),
        cmocka_unit_test(nobody_waits_with_work_left),
        cmocka_unit_test(random_trees_keep_the_bounds),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(phases_go_to_workers_as_the_engine_deals_them),
        cmocka_unit_test(forks_and_hands_are_paid_in_every_phase),
        cmocka_unit_test(phases_of_one_task_are_not_shared),
        cmocka_unit_test(nonsense_in_phases_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parcels between the threads of linkage-gateway: queues bounded in number and in bytes, reference
 * counts of parcels, and the order of posted parcels. */
#include "cmocka_all.h"
#include "draft.h"
#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gate_hub hub;
static int n_woken;

static void wake(void *web)
{
    assert_ptr_equal(web, &hub);
    n_woken++;
}

static int begin(void **state)
{
    (void)state;
    gate_hub_init(&hub);
    hub.wake = wake;
    hub.web = &hub;
    n_woken = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    gate_hub_fini(&hub);
    return 0;
}

static struct gate_parcel *parcel_of(enum gate_topic topic, int i, size_t size)
{
    struct gate_parcel *parcel = gate_parcel_new(topic, 3, (uint64_t)i, NULL, size);

    assert_non_null(parcel);
    assert_true(parcel->topic == topic && parcel->meaning == 3 && parcel->size == size);
    return parcel;
}

static void expect_first(struct gate_queue *queue, int i)
{
    struct gate_parcel *parcel = gate_queue_take(queue);

    assert_non_null(parcel);
    assert_int_equal(parcel->ns, i);
    gate_parcel_drop(parcel);
}

/* A full queue drops its oldest parcels; the ring buffer wraps around repeatedly. */
static void queues_are_bounded_in_number(void **state)
{
    struct gate_queue queue = {0};

    (void)state;
    assert_null(gate_queue_take(&queue));
    assert_int_equal(gate_queue_put(&queue, NULL), 0);
    for (int i = 0; i < 2 * GATE_QUEUE + 5; i++) {
        assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, i, 8)), i >= GATE_QUEUE);
        assert_int_equal(queue.n, i < GATE_QUEUE ? i + 1 : GATE_QUEUE);
        assert_int_equal(queue.bytes, 8 * queue.n);
    }
    for (int i = GATE_QUEUE + 5; i < 2 * GATE_QUEUE + 5; i++)
        expect_first(&queue, i);
    assert_null(gate_queue_take(&queue));
    assert_int_equal(queue.bytes, 0);
}

static void queues_are_bounded_in_bytes(void **state)
{
    struct gate_queue queue = {0};
    const size_t third = GATE_BYTES / 3;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, i, third)), 0);
    assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, 3, GATE_BYTES - 3 * third)), 0);
    assert_int_equal(queue.bytes, GATE_BYTES); /* all bytes may be used */
    assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, 4, third + 1)), 2);
    assert_int_equal(queue.n, 3);
    expect_first(&queue, 2);
    assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, 5, GATE_BYTES + 1)), 2);
    assert_int_equal(queue.n, 1); /* a larger parcel is alone in the queue */
    assert_int_equal(gate_queue_put(&queue, parcel_of(GATE_TF, 6, 0)), 1);
    gate_queue_clear(&queue);
    assert_true(queue.n == 0 && queue.bytes == 0);
}

static void a_topic_is_found_in_its_order(void **state)
{
    struct gate_queue queue = {0};
    size_t place = 0;
    int n = 0;

    (void)state;
    for (int i = 0; i < GATE_QUEUE + 3; i++) /* wraps around */
        gate_queue_put(&queue, parcel_of(i % 3 == 0 ? GATE_EVENT : GATE_EVENTS, i, 1));
    for (const struct gate_parcel *p; (p = gate_queue_next(&queue, GATE_EVENT, &place)) != NULL;
         n++)
        assert_int_equal(p->ns, 3 + 3 * n);
    assert_int_equal(n, (GATE_QUEUE + 2) / 3);
    assert_null(gate_queue_next(&queue, GATE_EVENT, &place));
    place = 0;
    assert_null(gate_queue_next(&queue, GATE_TF, &place));
    gate_queue_clear(&queue);
}

/* The last holder frees a parcel; if not, a sanitizer reports a leak. */
static void a_parcel_has_holders(void **state)
{
    struct gate_parcel *parcel = gate_parcel_new(GATE_STATUS, 0, 1, "abc", 3);

    (void)state;
    assert_memory_equal(parcel->data, "abc", 3);
    assert_ptr_equal(gate_parcel_hold(parcel), parcel);
    assert_int_equal(parcel->n_holders, 2);
    gate_parcel_drop(parcel);
    assert_int_equal(parcel->n_holders, 1);
    gate_parcel_drop(parcel);
    gate_parcel_drop(NULL);
}

static void what_is_posted_is_numbered_and_wakes(void **state)
{
    struct gate_parcel *parcel;

    (void)state;
    assert_null(gate_hub_take(&hub));
    for (int i = 0; i < 3; i++)
        gate_hub_post(&hub, parcel_of(GATE_STATUS, 10 + i, 1));
    gate_hub_post(&hub, NULL); /* allocation failed */
    assert_int_equal(n_woken, 4);
    for (int i = 0; i < 3; i++) {
        parcel = gate_hub_take(&hub);
        assert_true(parcel->ns == (uint64_t)(10 + i) && parcel->number == (uint64_t)(1 + i));
        gate_parcel_drop(parcel);
    }
    assert_null(gate_hub_take(&hub));
    hub.wake = NULL;
    gate_hub_post(&hub, parcel_of(GATE_STATUS, 1, 1)); /* no viewer is connected yet */
}

static void ask(const char *op, const char *order)
{
    json_t *command = json_pack("{s:s, s:s}", "op", op, "order", order);

    assert_int_equal(gate_operator_ask(&hub, command), 0);
    json_decref(command);
}

static void expect_waiting(const char *const *ops)
{
    int n = 0;

    for (; ops[n] != NULL; n++)
        assert_string_equal(json_string_value(json_object_get(hub.command[n], "op")), ops[n]);
    assert_int_equal(hub.n_commands, n);
}

/* Stop waits for nothing, and what waits to start something does not start it afterwards. */
static void a_stop_goes_first(void **state)
{
    static const char *const kept[] = {"stop", "record", "claim", NULL};
    static const char *const both[] = {"platform", "stop", "record", "claim", NULL};
    int n_answers = 0;

    (void)state;
    ask("record", "");
    ask("load", "");
    ask("claim", "");
    ask("arm", "");
    ask("start", "");
    ask("stop", "");
    expect_waiting(kept);
    ask("platform", "emergency");
    expect_waiting(both);
    while (hub.n_commands < GATE_COMMANDS)
        ask("set", "");
    ask("stop", ""); /* there is always room for it */
    assert_int_equal(hub.n_commands, GATE_COMMANDS);
    assert_string_equal(json_string_value(json_object_get(hub.command[0], "op")), "stop");
    for (struct gate_parcel *p; (p = gate_hub_take(&hub)) != NULL; gate_parcel_drop(p))
        n_answers += p->topic == GATE_ANSWER;
    assert_int_equal(n_answers, 3 + 1);
    for (int i = 0; i < hub.n_commands; i++)
        json_decref(hub.command[i]);
    hub.n_commands = 0;
}

/* An event is sent as a message to viewers and as another to pages, and is a line of the log. */
static void an_event_is_said_to_all(void **state)
{
    struct gate_parcel *parcel;
    uint64_t ns;

    (void)state;
    gate_hub_say(&hub, GATE_WARNING, "name", "LK-1", "%d of %s", 7, "x");
    parcel = gate_hub_take(&hub);
    assert_true(parcel->topic == GATE_EVENTS && parcel->meaning == 0 && parcel->size > 0);
    ns = parcel->ns;
    gate_parcel_drop(parcel);
    parcel = gate_hub_take(&hub);
    assert_true(parcel->topic == GATE_EVENT && parcel->ns == ns);
    assert_non_null(memmem(parcel->data, parcel->size, "7 of x", 6));
    assert_non_null(memmem(parcel->data, parcel->size, "LK-1", 4));
    gate_parcel_drop(parcel);
    assert_null(gate_hub_take(&hub));
}

static struct gate_meaning *new_meaning(void)
{
    struct gate_meaning *meaning = calloc(1, sizeof(*meaning));

    assert_non_null(meaning);
    meaning->n_holders = 1;
    return meaning;
}

static void expect_meaning(uint32_t number)
{
    struct gate_parcel *parcel = gate_hub_take(&hub);
    struct gate_meaning *meaning = gate_hub_meaning(&hub);

    assert_true(parcel != NULL && parcel->topic == GATE_MEANING && parcel->meaning == number);
    assert_true((meaning == NULL) == (number == 0));
    if (meaning != NULL)
        assert_true(meaning->number == number && meaning->n_holders == 2);
    gate_meaning_drop(meaning);
    gate_parcel_drop(parcel);
}

/* Models are numbered from 1. Setting a model frees the one before, unless it still has a
 * holder. */
static void models_are_numbered(void **state)
{
    struct gate_meaning *held;

    (void)state;
    assert_null(gate_hub_meaning(&hub));
    gate_hub_set(&hub, new_meaning());
    expect_meaning(1);
    held = gate_hub_meaning(&hub);
    gate_hub_set(&hub, new_meaning());
    expect_meaning(2);
    assert_true(held->number == 1 && held->n_holders == 1);
    gate_meaning_drop(held);
    gate_hub_set(&hub, NULL);
    expect_meaning(0);
    gate_hub_set(&hub, new_meaning());
    expect_meaning(3);
}

static void the_clock_of_ages_goes_on(void **state)
{
    uint64_t utc_ns = gate_utc_ns(), clock_ns = gate_clock_ns();

    (void)state;
    gate_sleep_ms(1002);
    assert_true(gate_clock_ns() - clock_ns >= 1002000000);
    assert_true(utc_ns > UINT64_C(1600000000000000000)); /* 2020 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_are_bounded_in_number),
        cmocka_unit_test(queues_are_bounded_in_bytes),
        cmocka_unit_test(a_topic_is_found_in_its_order),
        cmocka_unit_test(a_parcel_has_holders),
        cmocka_unit_test_setup_teardown(what_is_posted_is_numbered_and_wakes, begin, end),
        cmocka_unit_test_setup_teardown(a_stop_goes_first, begin, end),
        cmocka_unit_test_setup_teardown(an_event_is_said_to_all, begin, end),
        cmocka_unit_test_setup_teardown(models_are_numbered, begin, end),
        cmocka_unit_test(the_clock_of_ages_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The input table: what is refused leaves the last good values acting. */
#include "inputs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define N 3

/* Only the mailbox and the number of inputs of a cycle are used by the table. */
static struct lkd_cycle cycle;
static struct lkd_inputs inputs;
static double low[N] = {-INFINITY, -INFINITY, -2}, high[N] = {INFINITY, INFINITY, 1000};

static int attach(void **state)
{
    (void)state;
    cycle.n_inputs = N;
    cycle.low = low;
    cycle.high = high;
    if (lkd_mailbox_init(&cycle.inputs, sizeof(struct lkd_input) + N * sizeof(double)))
        return -1;
    lkd_inputs_init(&inputs);
    return lkd_inputs_attach(&inputs, &cycle, 77);
}

static int detach(void **state)
{
    (void)state;
    lkd_inputs_fini(&inputs);
    lkd_mailbox_fini(&cycle.inputs);
    return 0;
}

static const struct lkd_input *newest(void)
{
    lkd_mailbox_take(&cycle.inputs);
    return lkd_mailbox_front(&cycle.inputs);
}

static int offer(uint64_t sequence, const double *values, size_t n)
{
    return lkd_inputs_offer(&inputs, &(struct lkd_sample){
                                         .sequence = sequence,
                                         .origin_ns = sequence * 1000,
                                         .received_ns = 5,
                                         .values = values,
                                         .n_values = n,
                                     });
}

static void check_counts(uint64_t accepted, uint64_t refused)
{
    uint64_t a, r;

    lkd_inputs_counts(&inputs, &a, &r);
    assert_int_equal(a, accepted);
    assert_int_equal(r, refused);
}

static void check_values(double a, double b, double c)
{
    const struct lkd_input *input = newest();

    assert_true(input->values[0] == a);
    assert_true(input->values[1] == b);
    assert_true(input->values[2] == c);
}

static void test_accepted(void **state)
{
    const double values[N] = {1, 2, 3};

    (void)state;
    check_values(0, 0, 0);
    assert_int_equal(offer(10, values, N), LKD_INPUT_OK);
    check_values(1, 2, 3);
    assert_int_equal(newest()->sequence, 10);
    assert_int_equal(newest()->origin_ns, 10000);
    assert_int_equal(newest()->received_ns, 5);
    check_counts(1, 0);
}

static void test_refused(void **state)
{
    const double good[N] = {1, 2, 3}, bad[N] = {4, NAN, 6}, large[N] = {4, 5, -INFINITY};
    struct lkd_sample foreign = {.sequence = 99, .model_id = 78, .values = large, .n_values = N};

    (void)state;
    assert_int_equal(offer(10, good, N), LKD_INPUT_OK);
    assert_int_equal(offer(11, good, N - 1), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(12, NULL, 0), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(13, bad, N), LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(offer(14, large, N), LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(offer(10, good, N), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(offer(9, good, N), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(lkd_inputs_offer(&inputs, &foreign), LKD_INPUT_E_OTHER_MODEL);
    lkd_inputs_refuse(&inputs);
    check_values(1, 2, 3);
    assert_int_equal(newest()->sequence, 10);
    check_counts(1, 8);

    /* refused sequence numbers are not remembered */
    assert_int_equal(offer(11, good, N), LKD_INPUT_OK);
}

/* One value beyond the limits of its channel: the sample is refused whole, a set too. */
static void test_limits(void **state)
{
    const double good[N] = {1e9, -1e9, -2}, low_c[N] = {1, 2, -2.001}, high_c[N] = {1, 2, 1001};

    (void)state;
    assert_int_equal(offer(1, good, N), LKD_INPUT_OK);
    assert_int_equal(offer(2, low_c, N), LKD_INPUT_E_LIMITS);
    assert_int_equal(offer(3, high_c, N), LKD_INPUT_E_LIMITS);
    check_values(1e9, -1e9, -2);
    check_counts(1, 2);
    assert_int_equal(lkd_inputs_set(&inputs, 2, &high_c[2], 1), LKD_INPUT_E_LIMITS);
    assert_int_equal(lkd_inputs_set(&inputs, 1, &high_c[2], 1), LKD_INPUT_OK);
    check_values(1e9, 1001, -2);
}

static void test_own_model_id(void **state)
{
    const double values[N] = {1, 2, 3};
    struct lkd_sample own = {.sequence = 1, .model_id = 77, .values = values, .n_values = N};

    (void)state;
    assert_int_equal(lkd_inputs_offer(&inputs, &own), LKD_INPUT_OK);
}

/* A bench that was started again counts from its own beginning. */
static void test_silence(void **state)
{
    const double values[N] = {1, 2, 3};
    struct lkd_sample sample = {.sequence = 1, .values = values, .n_values = N};

    (void)state;
    assert_int_equal(offer(1000, values, N), LKD_INPUT_OK);
    sample.received_ns = 5 + LKD_INPUT_SILENCE_NS - 1;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample), LKD_INPUT_E_NOT_NEWER);
    sample.received_ns++;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample), LKD_INPUT_OK);
    assert_int_equal(newest()->sequence, 1);
}

static void test_set(void **state)
{
    const double two[] = {8, 9}, bad[] = {NAN};
    const double values[N] = {1, 2, 3};

    (void)state;
    assert_int_equal(lkd_inputs_set(&inputs, 1, two, 2), LKD_INPUT_OK);
    check_values(0, 8, 9);
    assert_int_equal(newest()->sequence, 0);
    assert_int_equal(lkd_inputs_set(&inputs, 2, two, 2), LKD_INPUT_E_LENGTH);
    assert_int_equal(lkd_inputs_set(&inputs, 4, two, 0), LKD_INPUT_E_LENGTH);
    assert_int_equal(lkd_inputs_set(&inputs, 0, values, N + 1), LKD_INPUT_E_LENGTH);
    assert_int_equal(lkd_inputs_set(&inputs, 0, bad, 1), LKD_INPUT_E_NOT_FINITE);
    check_values(0, 8, 9);
    check_counts(0, 0);

    /* a sample overwrites, a set keeps the stamps of the sample */
    assert_int_equal(offer(3, values, N), LKD_INPUT_OK);
    assert_int_equal(lkd_inputs_set(&inputs, 0, two, 1), LKD_INPUT_OK);
    check_values(8, 2, 3);
    assert_int_equal(newest()->sequence, 3);
}

static void test_clear_and_begin(void **state)
{
    const double values[N] = {1, 2, 3};

    (void)state;
    assert_int_equal(offer(50, values, N), LKD_INPUT_OK);
    lkd_inputs_begin(&inputs);
    check_counts(0, 0);
    check_values(1, 2, 3);
    assert_int_equal(offer(1, values, N), LKD_INPUT_OK);

    lkd_inputs_clear(&inputs);
    check_values(0, 0, 0);
    assert_int_equal(newest()->sequence, 0);
    check_counts(1, 0);
    assert_int_equal(offer(1, values, N), LKD_INPUT_OK);
}

static void test_without_model(void **state)
{
    const double values[N] = {1, 2, 3};

    (void)state;
    assert_int_equal(lkd_inputs_attach(&inputs, NULL, 0), 0);
    assert_int_equal(offer(1, values, N), LKD_INPUT_E_NO_MODEL);
    assert_int_equal(offer(1, NULL, 0), LKD_INPUT_E_NO_MODEL);
    assert_int_equal(lkd_inputs_set(&inputs, 0, values, 1), LKD_INPUT_E_NO_MODEL);
    lkd_inputs_clear(&inputs);
    check_counts(0, 2);
    for (int r = LKD_INPUT_OK; r <= LKD_INPUT_E_LIMITS + 1; r++)
        assert_non_null(lkd_input_status_text(r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_accepted, attach, detach),
        cmocka_unit_test_setup_teardown(test_refused, attach, detach),
        cmocka_unit_test_setup_teardown(test_limits, attach, detach),
        cmocka_unit_test_setup_teardown(test_own_model_id, attach, detach),
        cmocka_unit_test_setup_teardown(test_silence, attach, detach),
        cmocka_unit_test_setup_teardown(test_set, attach, detach),
        cmocka_unit_test_setup_teardown(test_clear_and_begin, attach, detach),
        cmocka_unit_test_setup_teardown(test_without_model, attach, detach),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

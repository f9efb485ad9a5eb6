/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of input channels by benches: which claims are granted, when they are lost, and what the
 * cycle is told. */
#include "bench_rig.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void says(const char *words)
{
    if (!strstr(said.text, words))
        fail_msg("'%s' does not say '%s'", said.text, words);
}

static void refused(Linkage__V1__Result expected, const char *words, const char *bench,
                    const char *a, const char *b)
{
    uint64_t token;
    Linkage__V1__Result result = claim(bench, a, b, NULL, 0, &token);

    if (result != expected)
        fail_msg("result %d, expected %d: %s", (int)result, (int)expected, said.text);
    assert_int_equal(token, 0);
    says(words);
}

/* Values are assigned to the channels of the claim in its order. Each bench has its own stamps. */
static void test_two_benches(void **state)
{
    const double left[] = {7, 1, 2, 3};
    uint64_t a = claimed("left", "motor", "push", NULL);
    uint64_t b = claimed("right", "torque", NULL, NULL);

    (void)state;
    assert_true(a != b);
    assert_int_equal(lkd_inputs_n_claims(&inputs), 2);
    for (int i = 0; i < 3; i++)
        assert_true(news_of(i)->watched); /* a claimed channel is watched */
    values_are(1, 0, 0, 0, 0);
    assert_int_equal(offer(a, 5, left, 4), LKD_INPUT_OK);
    values_are(1, 1, 2, 3, 7);
    now_ns += MS;
    assert_int_equal(offer1(b, 90, -4), LKD_INPUT_OK);
    values_are(-4, 1, 2, 3, 7);
    assert_int_equal(newest()->n_stamps, 3);
    assert_int_equal(newest()->newest, 2);
    assert_int_equal(newest()->stamp[0].sequence, 0);
    assert_int_equal(newest()->stamp[1].sequence, 5);
    assert_int_equal(newest()->stamp[1].claim, 1);
    assert_int_equal(newest()->stamp[2].sequence, 90);
    assert_int_equal(newest()->stamp[2].claim, 2);
    assert_int_equal(news_of(0)->heard, 1);
    assert_int_equal(news_of(1)->heard, 1);
    /* the sequence numbers of one bench do not affect those of another */
    assert_int_equal(offer1(b, 91, 1), LKD_INPUT_OK);
    assert_int_equal(offer(a, 6, left, 4), LKD_INPUT_OK);
    assert_int_equal(newest()->newest, 1);
    assert_int_equal(offer(a, 7, left, 3), LKD_INPUT_E_LENGTH);
    assert_int_equal(claim_now(a).refused, 1);
    assert_int_equal(claim_now(a).accepted, 2);
    assert_int_equal(lkd_inputs_claimed(&inputs, a, 0), 2);
    assert_int_equal(lkd_inputs_claimed(&inputs, a, 1), 1);
    assert_int_equal(lkd_inputs_claimed(&inputs, a, 2), -1);
}

/* A claim is granted for all its channels or for none; each refusal has its own message. */
static void test_refusals(void **state)
{
    char long_name[LKD_BENCH_NAME_SIZE + 1];

    (void)state;
    claimed("left", "torque", NULL, NULL);
    now_ns += 250 * MS;
    refused(RESULT(CLAIMED), "'torque' belongs to bench 'left', silent for 0.25 s", "right", "push",
            "torque");
    refused(RESULT(UNKNOWN_CHANNEL), "no input named 'pusch', did you mean 'push'?", "right",
            "push", "pusch");
    refused(RESULT(BAD_VALUE), "'push' is named twice", "right", "push", "push");
    refused(RESULT(BAD_VALUE), "no channels", "right", NULL, NULL);
    refused(RESULT(BAD_VALUE), "name of a bench", "", "push", NULL);
    refused(RESULT(BAD_VALUE), "name of a bench", "ri\nght", "push", NULL);
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    refused(RESULT(BAD_VALUE), "63", long_name, "push", NULL);
    assert_int_equal(lkd_inputs_n_claims(&inputs), 1);
    assert_false(news_of(1)->watched);
    claimed("right", "push", NULL, NULL);
}

static Linkage__V1__Result claim_units(const char *channel, const char *const *units, size_t n)
{
    const struct lkd_channel_wish wish_channel = {channel, units, n};
    const struct lkd_claim_wish wish = {"right", &wish_channel, 1, 0, 0, ""};
    struct lkd_claim_grant grant;

    return lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said);
}

static void test_units(void **state)
{
    static const char *const newton[] = {"N", "N", "N"}, *const mixed[] = {"N", "N m", "N"};

    (void)state;
    assert_int_equal(claim_units("push", mixed, 3), RESULT(BAD_UNIT));
    says("'push' y is in N, not in N m");
    assert_int_equal(claim_units("push", newton, 2), RESULT(BAD_UNIT));
    says("2 units for 'push', expected 3");
    assert_int_equal(claim_units("torque", newton, 1), RESULT(BAD_UNIT));
    says("'torque' is in N m, not in N");
    assert_int_equal(lkd_inputs_n_claims(&inputs), 0);
    assert_int_equal(claim_units("push", newton, 3), RESULT(OK));
}

static void test_models(void **state)
{
    const struct lkd_channel_wish channel = {.name = "torque"};
    struct lkd_claim_wish wish = {"b", &channel, 1, 0, MODEL_ID + 1, ""};
    struct lkd_claim_grant grant;
    uint64_t token;

    (void)state;
    assert_int_equal(lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said), RESULT(BAD_VALUE));
    says("another model");
    wish.model_id = MODEL_ID;
    assert_int_equal(lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said), RESULT(OK));
    assert_int_equal(grant.model_id, MODEL_ID);
    assert_int_equal(grant.number, 1);
    assert_int_equal(grant.n_values, 1);
    assert_int_equal(grant.lease_ns, SECOND);

    /* claims survive the end of a run and are removed with the model */
    lkd_inputs_begin(&inputs);
    assert_int_equal(offer1(grant.token, 1, 5), LKD_INPUT_OK);
    lkd_inputs_clear(&inputs);
    values_are(1, 0, 0, 0, 0);
    assert_true(news_of(0)->watched);
    assert_int_equal(newest()->n_stamps, 0);
    assert_int_equal(offer1(grant.token, 1, 5), LKD_INPUT_OK); /* sequence numbers are reset */
    assert_int_equal(lkd_inputs_attach(&inputs, loaded->cycle, MODEL_ID + 1), 0);
    assert_int_equal(offer1(grant.token, 2, 5), LKD_INPUT_E_TOKEN);
    assert_false(news_of(0)->watched);
    assert_int_equal(lkd_inputs_attach(&inputs, NULL, 0), 0);
    assert_int_equal(claim("b", "torque", NULL, NULL, 0, &token), RESULT(WRONG_STATE));
    says("load");
}

/* A bench that is silent for longer than the lease is marked as lost, even if no message arrives at
 * all. Its next message revives the claim. */
static void test_lost_and_back(void **state)
{
    uint64_t token = claimed("left", "torque", NULL, NULL),
             other = claimed("r", "push", NULL, NULL);

    (void)state;
    assert_int_equal(offer1(token, 1, 5), LKD_INPUT_OK);
    for (int i = 0; i < 9; i++) {
        pass(100 * MS);
        assert_int_equal(beat(other), LKD_INPUT_OK);
    }
    pass(100 * MS);
    assert_false(news_of(0)->lost);
    pass(10 * MS);
    assert_true(news_of(0)->lost);
    assert_false(news_of(1)->lost);
    assert_true(claim_now(token).lost);
    values_are(5, 0, 0, 0, 0); /* unchanged: the guard decides what acts */
    /* a heartbeat proves that the bench is alive, but contains no value */
    assert_int_equal(beat(token), LKD_INPUT_OK);
    assert_false(news_of(0)->lost);
    assert_int_equal(news_of(0)->heard, 1);
    assert_int_equal(claim_now(token).heartbeats, 1);
    /* a refused sample also proves that the bench is alive */
    pass(1100 * MS);
    assert_true(news_of(0)->lost);
    assert_int_equal(offer1(token, 2, 1e6), LKD_INPUT_E_LIMITS);
    assert_false(news_of(0)->lost);
    assert_int_equal(offer1(token, 3, 6), LKD_INPUT_OK);
    values_are(6, 0, 0, 0, 0);
}

/* If a bench never sends a message, the lease begins with the claim. */
static void test_never_heard(void **state)
{
    uint64_t token = claimed("left", "torque", NULL, NULL);

    (void)state;
    assert_int_equal(claim_now(token).heard_ns, 0);
    pass(1010 * MS);
    assert_true(news_of(0)->lost);
    claimed("right", "torque", NULL, NULL);
    assert_false(news_of(0)->lost);
}

/* A lost claim is released as a whole when another bench claims one of its channels. Released
 * channels return to their initial value. Channels that change owner keep their value until the new
 * owner sends. */
static void test_take_over(void **state)
{
    const double values[] = {5, 1, 2, 3};
    uint64_t old = claimed("left", "torque", "push", NULL), new;

    (void)state;
    assert_int_equal(offer(old, 1, values, 4), LKD_INPUT_OK);
    now_ns += SECOND;
    refused(RESULT(CLAIMED), "more than 1 s", "right", "push", NULL);
    now_ns += MS;
    new = claimed("right", "push", "motor", NULL);
    values_are(1, 1, 2, 3, 0);
    assert_false(news_of(0)->watched);
    assert_true(news_of(1)->watched && news_of(2)->watched);
    assert_false(news_of(1)->lost);
    assert_int_equal(newest()->n_stamps, 0); /* none of the former owner */
    assert_int_equal(offer(old, 2, values, 4), LKD_INPUT_E_TOKEN);
    assert_int_equal(lkd_inputs_release(&inputs, old, "", &said), RESULT(BAD_TOKEN));
    assert_int_equal(offer(new, 1, values, 4), LKD_INPUT_OK);
    values_are(1, 5, 1, 2, 3);
    assert_int_equal(lkd_inputs_n_claims(&inputs), 1);
}

/* A bench that restarts and presents its old token need not wait for the lease to expire, and keeps
 * its claim number. */
static void test_claim_again(void **state)
{
    const double values[] = {5, 1, 2, 3};
    uint64_t first = claimed("other", "motor", NULL, NULL);
    uint64_t old = claimed("left", "torque", "push", NULL), new;

    (void)state;
    assert_int_equal(offer(old, 1000, values, 4), LKD_INPUT_OK);
    assert_int_equal(claim("left", "torque", NULL, NULL, old, &new), RESULT(OK));
    assert_true(new != old);
    assert_int_equal(claim_now(new).number, 2);
    values_are(5, 0, 0, 0, 0);
    assert_int_equal(offer1(old, 1001, 3), LKD_INPUT_E_TOKEN);
    assert_int_equal(offer1(new, 1, 3), LKD_INPUT_OK); /* sequence numbers start again */
    values_are(3, 0, 0, 0, 0);
    /* if a new claim is refused, the bench keeps its old claim */
    assert_int_equal(claim("left", "torque", "motor", NULL, new, &old), RESULT(CLAIMED));
    assert_int_equal(offer1(new, 2, 4), LKD_INPUT_OK);
    /* a token that was never issued in this session is ignored */
    assert_int_equal(claim("third", "push", NULL, NULL, 12345, &old), RESULT(OK));
    assert_int_equal(claim_now(old).number, 3);
    assert_int_equal(claim_now(first).number, 1);
}

static void test_release(void **state)
{
    uint64_t a = claimed("left", "torque", NULL, NULL), b = claimed("right", "motor", NULL, NULL);

    (void)state;
    assert_int_equal(offer1(a, 1, 5), LKD_INPUT_OK);
    now_ns += MS;
    assert_int_equal(offer1(b, 1, 6), LKD_INPUT_OK);
    assert_int_equal(lkd_inputs_release(&inputs, b, "", &said), RESULT(OK));
    values_are(5, 0, 0, 0, 0);
    assert_false(news_of(2)->watched);
    assert_int_equal(newest()->n_stamps, 2);
    assert_int_equal(newest()->newest, 1);
    assert_int_equal(lkd_inputs_release(&inputs, b, "", &said), RESULT(BAD_TOKEN));
    says("token");
    assert_int_equal(lkd_inputs_release(&inputs, 0, "", &said), RESULT(BAD_TOKEN));
    assert_int_equal(offer1(b, 2, 6), LKD_INPUT_E_TOKEN);
    /* a released number is used again, without the stamps and values of its former owner */
    b = claimed("third", "motor", NULL, NULL);
    assert_int_equal(claim_now(b).number, 2);
    assert_int_equal(newest()->n_stamps, 2);
    assert_int_equal(claim_now(b).accepted, 0);
}

static Linkage__V1__Result claim_as(const char *peer, uint64_t token, uint64_t *ret_token)
{
    const struct lkd_channel_wish channel = {.name = "torque"};
    const struct lkd_claim_wish wish = {"b", &channel, 1, token, 0, peer};
    struct lkd_claim_grant grant = {0};
    Linkage__V1__Result result = lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said);

    *ret_token = grant.token;
    return result;
}

static int offer_as(const char *name, uint64_t token, uint64_t sequence, bool heartbeat)
{
    struct lkd_peer peer = {.role = LINKAGE__V1__ROLE__ROLE_CONTROL};
    const double value = 5;
    const struct lkd_sample sample = {
        .sequence = sequence,
        .token = token,
        .heartbeat = heartbeat,
        .received_ns = now_ns,
        .values = &value,
        .n_values = heartbeat ? 0 : 1,
    };

    snprintf(peer.name, sizeof(peer.name), "%s", name);
    return lkd_inputs_offer(&inputs, &sample, &peer);
}

/* A token is valid only together with the key that was used for the claim. */
static void test_keys(void **state)
{
    uint64_t token, other;

    (void)state;
    assert_int_equal(claim_as("alice", 0, &token), RESULT(OK));
    assert_int_equal(offer_as("alice", token, 1, false), LKD_INPUT_OK);
    now_ns += MS;
    assert_int_equal(offer_as("bob", token, 2, false), LKD_INPUT_E_TOKEN);
    assert_int_equal(offer_as("", token, 2, false), LKD_INPUT_E_TOKEN);
    assert_int_equal(offer_as("bob", token, 2, true), LKD_INPUT_E_TOKEN);
    assert_int_equal(claim_now(token).refused, 0);            /* not counted for this bench */
    assert_int_equal(claim_now(token).heard_ns, now_ns - MS); /* nor does it extend the lease */
    assert_int_equal(lkd_inputs_release(&inputs, token, "bob", &said), RESULT(BAD_TOKEN));
    assert_int_equal(claim_as("bob", token, &other), RESULT(CLAIMED));
    assert_int_equal(offer_as("alice", token, 2, false), LKD_INPUT_OK);
    assert_int_equal(claim_as("alice", token, &token), RESULT(OK));
    /* after the lease has expired anybody may claim the channels */
    now_ns += SECOND + MS;
    assert_int_equal(claim_as("bob", token, &other), RESULT(OK));
    assert_int_equal(lkd_inputs_release(&inputs, other, "bob", &said), RESULT(OK));
}

static void test_gaps(void **state)
{
    uint64_t token = claimed("left", "torque", NULL, NULL);
    struct lkd_sample heartbeat = {.token = token, .heartbeat = true};

    (void)state;
    assert_int_equal(offer1(token, 100, 5), LKD_INPUT_OK); /* the first number is arbitrary */
    assert_int_equal(claim_now(token).gaps, 0);
    assert_int_equal(offer1(token, 101, 5), LKD_INPUT_OK);
    assert_int_equal(offer1(token, 105, 5), LKD_INPUT_OK);
    assert_int_equal(claim_now(token).gaps, 3);
    /* a heartbeat may use the next number of the samples' sequence, or none of them */
    heartbeat.received_ns = now_ns;
    heartbeat.sequence = 106;
    assert_int_equal(lkd_inputs_offer(&inputs, &heartbeat, NULL), LKD_INPUT_OK);
    assert_int_equal(offer1(token, 107, 5), LKD_INPUT_OK);
    heartbeat.sequence = 0;
    assert_int_equal(lkd_inputs_offer(&inputs, &heartbeat, NULL), LKD_INPUT_OK);
    assert_int_equal(offer1(token, 108, 5), LKD_INPUT_OK);
    assert_int_equal(claim_now(token).gaps, 3);
    /* after a second of silence a smaller sequence number counts as a restart, not as an old
     * sample */
    now_ns += LKD_INPUT_SILENCE_NS;
    assert_int_equal(offer1(token, 1, 5), LKD_INPUT_OK);
    assert_int_equal(claim_now(token).gaps, 3);
}

/* Samples without a token and claims exclude each other. */
static void test_anonymous(void **state)
{
    const double all[] = {2, 3, 4, 5, 6};
    uint64_t token;

    (void)state;
    assert_int_equal(offer(0, 1, all, 5), LKD_INPUT_OK);
    now_ns += 300 * MS;
    refused(RESULT(CLAIMED), "without a claim feeds all inputs, silent for 0.3 s", "b", "torque",
            NULL);
    now_ns += 701 * MS;
    token = claimed("b", "torque", NULL, NULL);
    values_are(2, 0, 0, 0, 0);
    assert_true(news_of(0)->watched);
    assert_false(news_of(1)->watched);
    assert_int_equal(newest()->n_stamps, 0);
    assert_int_equal(offer(0, 2, all, 5), LKD_INPUT_E_UNCLAIMED);
    assert_int_equal(beat(0), LKD_INPUT_E_UNCLAIMED);
    assert_int_equal(lkd_inputs_release(&inputs, token, "", &said), RESULT(OK));
    assert_int_equal(offer(0, 1, all, 5), LKD_INPUT_OK);
    values_are(2, 3, 4, 5, 6);
}

static void test_set_by_hand(void **state)
{
    const double three = 3, four = 4;
    uint64_t token = claimed("left", "torque", NULL, NULL);

    (void)state;
    assert_int_equal(lkd_inputs_set(&inputs, 0, &three, 1, false, &said), LKD_INPUT_E_CLAIMED);
    says("'torque' belongs to bench 'left'");
    assert_int_equal(lkd_inputs_set(&inputs, 4, &four, 1, false, &said), LKD_INPUT_OK);
    values_are(1, 0, 0, 0, 4);
    assert_int_equal(lkd_inputs_set(&inputs, 0, &three, 1, true, &said), LKD_INPUT_OK);
    values_are(3, 0, 0, 0, 4);
    assert_int_equal(offer1(token, 1, 5), LKD_INPUT_OK);
    values_are(5, 0, 0, 0, 4);
}

/* ---- the list of claims alone, with more channels than the model has ---- */

static struct lk_channel many[LKD_CLAIMS_MAX + 2];

static Linkage__V1__Result add(struct lkd_claims *claims, int first, int n, int64_t ns,
                               struct lkd_claim **ret_claim)
{
    struct lkd_channel_wish wishes[LKD_CLAIMS_MAX + 2];
    const struct lkd_claim_wish wish = {"b", wishes, (size_t)n, 0, 0, ""};

    for (int i = 0; i < n; i++)
        wishes[i] = (struct lkd_channel_wish){.name = many[first + i].name};
    return lkd_claims_add(claims, &wish, ns, ret_claim, &said);
}

static void test_many(void **state)
{
    struct lkd_claims claims;
    struct lkd_claim *claim_of, *last = NULL;

    (void)state;
    for (int i = 0; i < LKD_CLAIMS_MAX + 2; i++) {
        snprintf(many[i].name, sizeof(many[i].name), "c%d", i);
        many[i].size = 1;
    }
    assert_int_equal(lkd_claims_init(&claims, many, LKD_CLAIMS_MAX + 2, SECOND), 0);
    for (int i = 0; i < LKD_CLAIMS_MAX; i++) {
        assert_int_equal(add(&claims, i, 1, SECOND, &claim_of), RESULT(OK));
        assert_int_equal(claim_of->number, i + 1);
    }
    assert_int_equal(lkd_claims_count(&claims), LKD_CLAIMS_MAX);
    assert_int_equal(add(&claims, LKD_CLAIMS_MAX, 1, SECOND, &last), RESULT(CLAIMED));
    says("no room");
    /* all lost claims that own a requested channel are released */
    assert_int_equal(add(&claims, 3, 4, 3 * SECOND, &last), RESULT(OK));
    assert_int_equal(last->number, 4);
    assert_int_equal(lkd_claims_count(&claims), LKD_CLAIMS_MAX - 3);
    for (int i = 3; i < 7; i++)
        assert_int_equal(claims.owner[i], 4);
    lkd_claims_fini(&claims);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_rig_open, bench_rig_close)
#define OPTIONAL(name)                                                                             \
    cmocka_unit_test_setup_teardown(name, bench_rig_open_optional, bench_rig_close)

static Linkage__V1__Result stand_in(uint64_t *ret_token)
{
    const struct lkd_channel_wish channels[] = {{.name = "torque"}, {.name = "push"}};
    const struct lkd_claim_wish wish = {
        .bench = "driver", .channels = channels, .n_channels = 2, .peer = "", .yields = true};
    struct lkd_claim_grant grant = {0};
    Linkage__V1__Result result = lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said);

    *ret_token = grant.token;
    return result;
}

/* A stand-in loses all its channels to a bench at once, but not to another stand-in, and takes none
 * from a bench. */
static void test_stand_in(void **state)
{
    uint64_t token, other, bench;

    (void)state;
    assert_int_equal(stand_in(&token), LINKAGE__V1__RESULT__RESULT_OK);
    assert_true(claim_now(token).yields);
    assert_int_equal(offer(token, 1, (const double[]){5, 1, 2, 3}, 4), LKD_INPUT_OK);
    assert_int_equal(stand_in(&other), LINKAGE__V1__RESULT__RESULT_CLAIMED);
    bench = claimed("page", "push", NULL, NULL);
    assert_false(claim_now(bench).yields);
    assert_int_equal(lkd_inputs_n_claims(&inputs), 1);
    assert_int_not_equal(offer(token, 2, (const double[]){6, 1, 2, 3}, 4), LKD_INPUT_OK);
    values_are(1, 1, 2, 3, 0); /* what nobody has is as at the start; the page has not spoken yet */
    assert_int_equal(stand_in(&other), LINKAGE__V1__RESULT__RESULT_CLAIMED);
    says("'push' belongs to bench 'page'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_benches),   TEST(test_refusals),      TEST(test_units),
        TEST(test_models),        TEST(test_lost_and_back), TEST(test_never_heard),
        TEST(test_take_over),     TEST(test_claim_again),   TEST(test_release),
        TEST(test_keys),          TEST(test_gaps),          TEST(test_stand_in),
        OPTIONAL(test_anonymous), TEST(test_set_by_hand),   cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Replies as JSON: the keys on which programs rely, words for enumerations, null for values that
 * are no finite numbers, and empty messages. */
#include "fields_json.h"
#include "linkage.pb-c.h"
#include "names_parts.h"
#include "reply_json.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct draft {
    char *text;
    size_t size;
    struct lk_json json;
};

static struct lk_json *begin(struct draft *draft)
{
    *draft = (struct draft){0};
    draft->json.file = open_memstream(&draft->text, &draft->size);
    assert_non_null(draft->json.file);
    lk_json_open(&draft->json, NULL, '{');
    return &draft->json;
}

static void assert_draft(struct draft *draft, const char *expected)
{
    lk_json_close(&draft->json, '}');
    assert_int_equal(fclose(draft->json.file), 0);
    assert_string_equal(draft->text, expected);
    free(draft->text);
}

static void test_numbers(void **state)
{
    Linkage__V1__Platform platform = LINKAGE__V1__PLATFORM__INIT;
    double values[] = {1, -0.5, NAN};
    struct draft draft;

    (void)state;
    platform.pose = values;
    platform.n_pose = 3;
    lk_fields_json(begin(&draft), &platform.base, "pose>v actuators>none");
    lk_reply_flags_json(&draft.json, "flags",
                        LINKAGE__V1__FLAG__FLAG_STALE | LINKAGE__V1__FLAG__FLAG_LOST);
    lk_reply_flags_json(&draft.json, "no", 0);
    assert_draft(&draft,
                 "{\"v\":[1,-0.5,null],\"none\":[],\"flags\":[\"stale\",\"lost\"],\"no\":[]}");
}

/* A list within a list is closed correctly; a missing field is null. */
static void test_lists(void **state)
{
    Linkage__V1__Status status = LINKAGE__V1__STATUS__INIT;
    Linkage__V1__Ptp ptp = LINKAGE__V1__PTP__INIT;
    Linkage__V1__InputReport input = LINKAGE__V1__INPUT_REPORT__INIT;
    struct draft draft;

    (void)state;
    ptp.offset_ns = -3;
    ptp.age_ns = UINT64_MAX;
    status.ptp = &ptp;
    status.mode = (Linkage__V1__Mode)99;
    lk_fields_json(begin(&draft), &status.base, "ptp>clock(offset_ns age_ns) gateway(sent) mode");
    lk_fields_json(&draft.json, &status.base, "no_such_field");
    lk_fields_json(&draft.json, &input.base, "condition condition?");
    lk_fields_json(&draft.json, &input.base, "");
    assert_draft(&draft, "{\"clock\":{\"offset_ns\":-3,\"age_ns\":18446744073709551615},"
                         "\"mode\":\"unknown\",\"no_such_field\":null,"
                         "\"condition\":\"unknown\",\"condition\":\"\"}");
}

/* Each value of an enumeration in linkage.proto has a word. */
static void test_words(void **state)
{
    static const ProtobufCEnumDescriptor *const all[] = {
        &linkage__v1__state__descriptor,     &linkage__v1__result__descriptor,
        &linkage__v1__mode__descriptor,      &linkage__v1__action__descriptor,
        &linkage__v1__condition__descriptor, &linkage__v1__role__descriptor,
        &linkage__v1__flag__descriptor,      &linkage__v1__injection_kind__descriptor};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (unsigned int j = 0; j < all[i]->n_values; j++) {
            const ProtobufCEnumValue *value = &all[i]->values[j];
            const char *word = lk_names_word(all[i], value->value);

            if (value->value == 0)
                assert_string_equal(word, "unknown");
            else
                assert_int_equal(strlen(word), strlen(strchr(value->name, '_') + 1));
        }
    }
    assert_string_equal(lk_names_result(LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE), "bad-message");
    assert_string_equal(lk_names_word(&linkage__v1__role__descriptor, -1), "unknown");
}

static void test_inputs(void **state)
{
    Linkage__V1__InputsReport report = LINKAGE__V1__INPUTS_REPORT__INIT;
    Linkage__V1__InputReport input = LINKAGE__V1__INPUT_REPORT__INIT, *inputs[] = {&input};
    Linkage__V1__ClaimReport claim = LINKAGE__V1__CLAIM_REPORT__INIT, *claims[] = {&claim};
    double acting = 2;
    struct draft draft;

    (void)state;
    lk_reply_inputs_json(begin(&draft), &report);
    assert_draft(&draft, "{\"inputs\":[],\"claims\":[]}");
    input.channel = (char *)"motor";
    input.acting = &acting;
    input.n_acting = 1;
    input.acting_action = LINKAGE__V1__ACTION__ACTION_RAMP;
    input.condition = LINKAGE__V1__CONDITION__CONDITION_STALE;
    input.age_steps = 7;
    claim.number = 3;
    claim.bench = (char *)"rig";
    claim.silent_s = -1;
    report.inputs = inputs;
    report.claims = claims;
    report.n_inputs = report.n_claims = 1;
    lk_reply_inputs_json(begin(&draft), &report);
    assert_draft(
        &draft,
        "{\"inputs\":[{\"channel\":\"motor\",\"bench\":\"\",\"commanded\":[],\"acting\":[2],"
        "\"stale\":false,\"action\":\"ramp\",\"condition\":\"stale\",\"age_steps\":7,"
        "\"trips\":0,\"trip_step\":0,\"not_finite\":0,\"out_of_range\":0,"
        "\"rate_limited\":0}],\"claims\":[{\"claim\":3,\"bench\":\"rig\",\"channels\":[],"
        "\"silent_s\":null,\"lost\":false,\"accepted\":0,\"refused\":0,\"gaps\":0,"
        "\"heartbeats\":0,\"key\":\"\",\"yields\":false}]}");
}

static void test_rules(void **state)
{
    Linkage__V1__Policy policy = LINKAGE__V1__POLICY__INIT;
    Linkage__V1__PolicyRow row = LINKAGE__V1__POLICY_ROW__INIT, *rows[] = {&row};
    Linkage__V1__InjectReport faults = LINKAGE__V1__INJECT_REPORT__INIT;
    Linkage__V1__Injection fault = LINKAGE__V1__INJECTION__INIT, *list[] = {&fault};
    Linkage__V1__Platform platform = LINKAGE__V1__PLATFORM__INIT;
    struct draft draft;

    (void)state;
    row.condition = LINKAGE__V1__CONDITION__CONDITION_NOT_FINITE;
    row.action = LINKAGE__V1__ACTION__ACTION_HOLD;
    row.limit = (char *)"off";
    row.value = NAN;
    row.count = 4;
    policy.rows = rows;
    policy.n_rows = 1;
    policy.recover_samples = 5;
    lk_reply_policy_json(begin(&draft), &policy);
    assert_draft(&draft, "{\"policy\":[{\"condition\":\"not-finite\",\"channel\":\"\",\"action\":"
                         "\"hold\",\"limit\":\"off\",\"value\":null,\"ramp_s\":0,\"count\":4,"
                         "\"last_step\":0}],\"recover_samples\":5}");
    fault.kind = LINKAGE__V1__INJECTION_KIND__INJECTION_SPIKE;
    fault.target = (char *)"motor";
    fault.amount = 2;
    faults.injections = list;
    faults.n_injections = 1;
    lk_reply_injections_json(begin(&draft), &faults);
    assert_draft(&draft, "{\"injections\":[{\"number\":0,\"kind\":\"spike\",\"target\":\"motor\","
                         "\"amount\":2,\"share\":0,\"every_s\":0,\"after_s\":0,\"for_s\":0,"
                         "\"seed\":0,\"active\":false,\"touched\":0}]}");
    platform.state = (char *)"parked";
    lk_reply_platform_json(begin(&draft), &platform);
    assert_draft(&draft, "{\"state\":\"parked\",\"cause\":\"\",\"emergency\":false,\"heard\":false,"
                         "\"ready\":false,\"pose\":[],\"actuators\":[],\"limited\":0,"
                         "\"low\":[],\"high\":[],\"feet\":[],\"joints\":[]}");
}

/* Fields that the daemon omits are omitted; all others are present. */
static void test_status(void **state)
{
    Linkage__V1__Status status = LINKAGE__V1__STATUS__INIT;
    Linkage__V1__Recording recording = LINKAGE__V1__RECORDING__INIT;
    Linkage__V1__Gateway gateway = LINKAGE__V1__GATEWAY__INIT;
    struct draft draft;

    (void)state;
    status.state = LINKAGE__V1__STATE__STATE_RUNNING;
    lk_reply_status_json(begin(&draft), &status);
    assert_int_equal(fflush(draft.json.file), 0);
    assert_non_null(strstr(draft.text, "{\"state\":\"running\",\"model\":\"\""));
    assert_non_null(strstr(draft.text, "\"flags\":[]"));
    assert_null(strstr(draft.text, "\"wakeup\""));
    assert_null(strstr(draft.text, "\"recording\""));
    assert_null(strstr(draft.text, "\"gateway\""));
    status.gateway = &gateway;
    gateway.sent = 3;
    status.recording = &recording;
    recording.file = (char *)"a\"b.mcap";
    lk_reply_status_json(&draft.json, &status);
    assert_int_equal(fflush(draft.json.file), 0);
    assert_non_null(strstr(draft.text, "\"recording\":{\"active\":false,\"file\":\"a\\\"b.mcap\""));
    assert_non_null(strstr(draft.text, "\"gateway\":{\"accepted\":0,\"refused\":0,"
                                       "\"undecodable\":0,\"older\":0,\"without_data\":0,"
                                       "\"sent\":3,\"unsent\":0}"));
    fclose(draft.json.file);
    free(draft.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_lists), cmocka_unit_test(test_words),
        cmocka_unit_test(test_inputs),  cmocka_unit_test(test_rules), cmocka_unit_test(test_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_rig.h"
#include "arm.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = RIG_ARM("rig", "", ", rate: 500", "", "0.001");

struct lkd_loaded *loaded;
struct lkd_inputs inputs;
int64_t now_ns;
struct lk_error said;
static struct lk_errors errors;

static void load(void)
{
    const struct lkd_settings settings = lkd_settings_default();

    if (lkd_loaded_new("rig", text, strlen(text), "", &settings, NULL, &loaded, &errors))
        fail_msg("%s", errors.line[0].text);
}

static int open_rig(bool optional)
{
    now_ns = SECOND;
    load();
    lkd_inputs_init(&inputs);
    lkd_inputs_configure(&inputs, optional, SECOND);
    return lkd_inputs_attach(&inputs, loaded->cycle, MODEL_ID);
}

int bench_rig_open(void **state)
{
    (void)state;
    return open_rig(false);
}

int bench_rig_open_optional(void **state)
{
    (void)state;
    return open_rig(true);
}

int bench_rig_close(void **state)
{
    (void)state;
    lkd_inputs_attach(&inputs, NULL, 0);
    lkd_inputs_fini(&inputs);
    lkd_loaded_free(loaded);
    return 0;
}

struct lk_system *bench_rig_system(void)
{
    struct lk_model *model;
    struct lk_system *system;

    if (lk_model_read_text("rig", text, strlen(text), &model, &said) ||
        lk_system_new(model, NULL, &system, &said))
        fail_msg("%s", errors.line[0].text);
    lk_model_free(model);
    return system;
}

Linkage__V1__Result claim(const char *bench, const char *a, const char *b, const char *c,
                          uint64_t token, uint64_t *ret_token)
{
    const struct lkd_channel_wish channels[] = {{.name = a}, {.name = b}, {.name = c}};
    const struct lkd_claim_wish wish = {
        .bench = bench,
        .channels = channels,
        .n_channels = c   ? 3
                      : b ? 2
                      : a ? 1
                          : 0,
        .token = token,
        .peer = "",
    };
    struct lkd_claim_grant grant = {0};
    Linkage__V1__Result result = lkd_inputs_claim(&inputs, &wish, now_ns, &grant, &said);

    *ret_token = grant.token;
    return result;
}

uint64_t claimed(const char *bench, const char *a, const char *b, const char *c)
{
    uint64_t token;

    if (claim(bench, a, b, c, 0, &token) != RESULT(OK))
        fail_msg("%s", errors.line[0].text);
    assert_true(token != 0);
    return token;
}

int offer(uint64_t token, uint64_t sequence, const double *values, size_t n)
{
    const struct lkd_sample sample = {
        .sequence = sequence,
        .origin_ns = sequence * 1000,
        .token = token,
        .received_ns = now_ns,
        .values = values,
        .n_values = n,
    };

    return lkd_inputs_offer(&inputs, &sample, NULL);
}

int offer1(uint64_t token, uint64_t sequence, double value)
{
    return offer(token, sequence, &value, 1);
}

int beat(uint64_t token)
{
    const struct lkd_sample sample = {.token = token, .heartbeat = true, .received_ns = now_ns};

    return lkd_inputs_offer(&inputs, &sample, NULL);
}

const struct lkd_input *newest(void)
{
    lkd_mailbox_take(&loaded->cycle->inputs);
    return lkd_mailbox_front(&loaded->cycle->inputs);
}

const struct lkd_news *news_of(int channel)
{
    return &lkd_input_news_of(newest(), loaded->cycle->n_inputs)[channel];
}

void values_are(double torque, double x, double y, double z, double motor)
{
    const double expected[] = {torque, x, y, z, motor};
    const struct lkd_input *input = newest();

    for (int i = 0; i < 5; i++)
        if (input->values[i] != expected[i])
            fail_msg("value %d is %g, expected %g", i, input->values[i], expected[i]);
}

void pass(int64_t ns)
{
    int64_t until_ns = now_ns + ns;

    while (now_ns < until_ns) {
        now_ns = now_ns + 10 * MS < until_ns ? now_ns + 10 * MS : until_ns;
        lkd_inputs_tick(&inputs, now_ns);
    }
}

struct lkd_claim claim_now(uint64_t token)
{
    struct lkd_claim claims[LKD_CLAIMS_MAX];
    int n = lkd_inputs_claims(&inputs, claims);

    for (int i = 0; i < n; i++)
        if (claims[i].token == token)
            return claims[i];
    fail_msg("there is no such claim");
    return claims[0];
}

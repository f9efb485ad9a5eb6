/* SPDX-License-Identifier: Apache-2.0 */
/* An input table of a small model, and functions that act as its benches; without threads and
 * sockets, with a clock that the test sets.
 * The model is that of rig/arm.h; the rate of motor is 500 a second, 0.5 a step. */
#ifndef TEST_BENCH_RIG_H
#define TEST_BENCH_RIG_H

#include "inputs.h"
#include "loaded.h"

#define MODEL_ID 77
#define MS       INT64_C(1000000)
#define SECOND   INT64_C(1000000000)

#define RESULT(name) LINKAGE__V1__RESULT__RESULT_##name

extern struct lkd_loaded *loaded;
extern struct lkd_inputs inputs;
extern int64_t now_ns;
/* last error of the input table */
extern struct lk_error said;

/** bench_rig_open(), bench_rig_close() - Set up and tear down a test with required claims and a
 * lease of 1 s. bench_rig_open_optional() - Set up a test with optional claims. */
int bench_rig_open(void **state);
int bench_rig_open_optional(void **state);
int bench_rig_close(void **state);

/** bench_rig_system() - Return the system without the input table, for a test that makes its own
 * guard. */
struct lk_system *bench_rig_system(void);

/** claim() - Claim up to three channels, NULL for none;
 * @token: token of an earlier claim.
 * Return: the result; @ret_token is 0 unless the result is RESULT_OK. */
Linkage__V1__Result claim(const char *bench, const char *a, const char *b, const char *c,
                          uint64_t token, uint64_t *ret_token);
/** claimed() - Call claim() and assert success. Return: the token. */
uint64_t claimed(const char *bench, const char *a, const char *b, const char *c);

/** offer() - Offer a sample with the present time. Return: enum lkd_input_status. */
int offer(uint64_t token, uint64_t sequence, const double *values, size_t n);
/** offer1() - Offer a sample with one value. beat() - Offer a heartbeat. */
int offer1(uint64_t token, uint64_t sequence, double value);
int beat(uint64_t token);

/** newest() - Return the record that the cycle would read now. */
const struct lkd_input *newest(void);
/** news_of() - Return the news of a channel, given by index, in newest(). */
const struct lkd_news *news_of(int channel);
/** values_are() - Assert the values of all five scalars of newest(). */
void values_are(double torque, double x, double y, double z, double motor);

/** pass() - Advance the clock by @ns, and call the tick every 10 ms. */
void pass(int64_t ns);

/** claim_now() - Return the present state of the claim with @token, which must exist. */
struct lkd_claim claim_now(uint64_t token);

#endif

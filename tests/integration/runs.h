/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and waits of tests of runs, on top of the harness: states, evidence, traces, and the
 * files of a run. Every failure ends the running test. */
#ifndef TEST_RUNS_H
#define TEST_RUNS_H

#include "harness.h"

/** runs_free_port() - of 127.0.0.1, free a moment ago. */
int runs_free_port(void);

/** runs_nap() - a few milliseconds, for loops that wait. */
void runs_nap(void);
/** runs_ask_start() - start; @steps: after which it pauses, 0: never. */
const Linkage__V1__ControlReply *runs_ask_start(struct harness *h, uint64_t steps);
/** runs_ask_step_once() - so many steps in lockstep;  runs_ask_step() - the same, repeated while
 * the machine has no time for them.
 * @number: of the request;  @value: of the only input, NULL: without a sample */
const Linkage__V1__ControlReply *runs_ask_step_once(struct harness *h, uint64_t number,
                                                    uint32_t steps, const double *value);
const Linkage__V1__ControlReply *runs_ask_step(struct harness *h, uint64_t number, uint32_t steps,
                                               const double *value);
/** runs_await_state() - asks until it is @state.  Return: that status. */
const Linkage__V1__Status *runs_await_state(struct harness *h, Linkage__V1__State state);
/** runs_await_cycles() - asks until so many cycles have run.  Return: that status. */
const Linkage__V1__Status *runs_await_cycles(struct harness *h, uint64_t cycles);
/** runs_await_sample() - waits for an output sample in @state. */
const Linkage__V1__OutputSample *runs_await_sample(struct harness *h, Linkage__V1__State state);

/** runs_model_path() - of @name.yaml in the folder of the tests' model. */
void runs_model_path(const char *name, char ret[512]);
/** runs_load_file() - loads it with a step of @step, as "0.005"; must succeed. */
void runs_load_file(struct harness *h, const char *name, const char *step);
/** runs_load_file_as_it_is() - the same with a step of 1 ms, also under a sanitizer; see
 * harness_load_as_it_is(). */
void runs_load_file_as_it_is(struct harness *h, const char *name);
/** runs_load_slow() - the same with the tests' model. */
void runs_load_slow(struct harness *h, const char *step);
/** runs_load_fast() - the model of the tests with just this step: for many cycles, late or not. */
void runs_load_fast(struct harness *h, const char *step);

const Linkage__V1__ControlReply *runs_ask_evidence(struct harness *h, bool histograms, bool cycles);
const Linkage__V1__ControlReply *runs_ask_trace(struct harness *h, uint32_t cycles);
/** runs_says() - checks that @text contains @words. */
void runs_says(const char *text, const char *words);

/** runs_check_json() - checks that @size bytes of @text are one JSON object. */
void runs_check_json(const char *text, size_t size);
/** runs_check_tracks() - checks that no two events of the cycle's track overlap.
 * Return: events on it. */
int runs_check_tracks(const char *trace, size_t size);

/** runs_slow_model() - a copy of the model in a file, with a period that no hang of the machine
 * exceeds.
 * @path: as mkstemp() takes it, the caller removes the file. */
void runs_slow_model(char *path);

/** runs_make_folder() - @h->folder/kept, for a daemon with `evidence: {directory: kept}`. */
void runs_make_folder(const struct harness *h);
/** runs_count_files() - files there whose name ends with @end and, unless @json is false, hold one
 * JSON object each.  Return: how many. */
int runs_count_files(const struct harness *h, const char *end, bool json);
/** runs_read_file() - the text of one of them, to be freed. */
char *runs_read_file(const struct harness *h, const char *end);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and waits for tests of runs, in addition to those of the harness: states, evidence,
 * traces, and the files of a run. Each failure ends the running test. */
#ifndef TEST_RUNS_H
#define TEST_RUNS_H

#include "harness.h"

/** runs_free_port() - Return a port of 127.0.0.1 that was free a moment ago. */
int runs_free_port(void);

/** runs_nap() - Pause for a few milliseconds, for loops that wait. */
void runs_nap(void);
/** runs_ask_start() - Request a start. @steps: number of steps after which the run pauses, 0:
 * never */
const Linkage__V1__ControlReply *runs_ask_start(struct harness *h, uint64_t steps);
/** runs_ask_step_once() - Request @steps steps in lockstep. runs_ask_step() - Repeat this while the
 * machine has no time for them.
 * @number: number of the request
 * @value:  value of the only input, NULL for no sample */
const Linkage__V1__ControlReply *runs_ask_step_once(struct harness *h, uint64_t number,
                                                    uint32_t steps, const double *value);
const Linkage__V1__ControlReply *runs_ask_step(struct harness *h, uint64_t number, uint32_t steps,
                                               const double *value);
/** runs_await_state() - Request the status until the state is @state.
 * Return: this status */
const Linkage__V1__Status *runs_await_state(struct harness *h, Linkage__V1__State state);
/** runs_await_cycles() - Request the status until @cycles cycles have run.
 * Return: this status */
const Linkage__V1__Status *runs_await_cycles(struct harness *h, uint64_t cycles);
/** runs_await_sample() - Wait for an output sample in @state. */
const Linkage__V1__OutputSample *runs_await_sample(struct harness *h, Linkage__V1__State state);

/** runs_model_path() - Compute the path of @name.yaml in the folder of the tests' model. */
void runs_model_path(const char *name, char ret[512]);
/** runs_load_file() - Load this model with a step of @step, for example "0.005". It must
 * succeed. */
void runs_load_file(struct harness *h, const char *name, const char *step);
/** runs_load_file_as_it_is() - Load this model with a step of 1 ms, also under a sanitizer; see
 * harness_load_as_it_is(). */
void runs_load_file_as_it_is(struct harness *h, const char *name);
/** runs_load_slow() - Load the tests' model with a step of @step. */
void runs_load_slow(struct harness *h, const char *step);
/** runs_load_fast() - Load the tests' model with exactly this step, also under a sanitizer. For
 * tests that need many cycles, which may be late. */
void runs_load_fast(struct harness *h, const char *step);

const Linkage__V1__ControlReply *runs_ask_evidence(struct harness *h, bool histograms, bool cycles);
const Linkage__V1__ControlReply *runs_ask_trace(struct harness *h, uint32_t cycles);
/** runs_says() - Check that @text contains @words. */
void runs_says(const char *text, const char *words);

/** runs_check_json() - Check that @size bytes of @text are one JSON object. */
void runs_check_json(const char *text, size_t size);
/** runs_check_tracks() - Check that no two events of the cycle's track overlap.
 * Return: number of events of this track */
int runs_check_tracks(const char *trace, size_t size);

/** runs_slow_model() - Write a copy of the model to a file, with a period that is longer than any
 * hang of the machine.
 * @path: template for mkstemp(); the caller removes the file */
void runs_slow_model(char *path);

/** runs_make_folder() - Make the folder @h->folder/kept, for a daemon with `evidence: {directory:
 * kept}`. */
void runs_make_folder(const struct harness *h);
/** runs_count_files() - Count the files in this folder whose names end with @end. If @json is true,
 * check that each file is one JSON object.
 * Return: number of files */
int runs_count_files(const struct harness *h, const char *end, bool json);
/** runs_read_file() - Return the text of one of these files, which the caller frees. */
char *runs_read_file(const struct harness *h, const char *end);

#endif

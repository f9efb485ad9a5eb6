/* SPDX-License-Identifier: Apache-2.0 */
/* Gateways that use the sample format of VILLASnode (villas.proto).
 *
 *     gateway PUB  ---- one frame a Message ---->  SUB  inputs   a bench named "villas"
 *     gateway SUB  <--- one frame a Message -----  PUB  outputs  every divisor-th step
 *
 * The daemon treats a gateway like any other bench: the gateway claims its channels by name, and
 * its samples pass the same checks, limits and policy. A silent gateway is a lost bench. When a new
 * model is loaded, its channels are claimed again. If a claim is refused or taken over by another
 * bench, the daemon retries every second, but only if the channels are free or the gateway sends.
 * So an absent gateway cannot claim the channels of a bench that is silent for a moment.
 *
 * The format has no field for a state, so nothing is sent while the cycle does not step. `sequence`
 * increments for each sample that is due, so a gap indicates a sample that was not sent;
 * `ts_origin` is wall-clock time.
 *
 * If a model lacks a configured name, the direction that uses the name is inactive, and a line is
 * logged.
 *
 * Gateways offer no encryption for this format. Therefore endpoints that other machines can reach
 * need an explicit permission in the configuration. */
#ifndef LKD_IO_VILLAS_H
#define LKD_IO_VILLAS_H

#include "cycle_types.h"
#include "endpoint.h"
#include "port.h"
#include "villas_map.h"

#define LKD_VILLAS_BENCH "villas"

struct lkd_inputs;
struct lkd_villas;

/** struct lkd_villas_config - section `villas` of the configuration.
 * @inputs, @outputs: endpoints, "" for none
 * @in, @out:         channel names of the values in a message, in their order
 * @divisor:          send every @divisor-th step
 * @clear_text:       permission for endpoints that other machines reach */
struct lkd_villas_config {
    char inputs[LKD_ENDPOINT_SIZE];
    char outputs[LKD_ENDPOINT_SIZE];
    struct lkd_villas_names in;
    struct lkd_villas_names out;
    uint64_t divisor;
    bool clear_text;
};

/** struct lkd_villas_counts - counts since the start of the daemon.
 * @undecodable:    number of messages that could not be decoded
 * @refused_values: number of samples that the input table refused
 * @ignored:        number of START and STOP messages
 * @older:          number of samples skipped because their message contained a newer one */
struct lkd_villas_counts {
    uint64_t accepted;
    uint64_t undecodable;
    uint64_t refused_values;
    uint64_t ignored;
    uint64_t older;
    uint64_t sent;
    uint64_t unsent;
};

/** lkd_villas_open() - Open a gateway on its two channels.
 * @config, @inputs: owned by the caller, must outlive the gateway
 * @inputs_port, @outputs_port: NULL if that direction is not configured
 * Thread: control.
 * Return: 0 (@ret_villas is NULL if nothing is configured), -ENOMEM. */
int lkd_villas_open(const struct lkd_villas_config *config, struct lkd_inputs *inputs,
                    struct lkd_port *inputs_port, struct lkd_port *outputs_port,
                    struct lkd_villas **ret_villas);
/** lkd_villas_close() - Release @villas, which may be NULL. Call after the last thread has stopped
 * polling its channels. */
void lkd_villas_close(struct lkd_villas *villas);

/** lkd_villas_load() - Resolve the names in a new model and claim its channels. Call after
 * lkd_inputs_attach().
 * Thread: control. @villas may be NULL, here and below. */
void lkd_villas_load(struct lkd_villas *villas, const struct lk_system *system, uint64_t model_id);

/** lkd_villas_descriptor() - Return the descriptor to poll for incoming messages, -1: none. */
int lkd_villas_descriptor(const struct lkd_villas *villas);

/** lkd_villas_drain() - Process the messages that have arrived, at most @limit; never blocks.
 * Thread: exchange.
 * Return: number of messages processed. */
int lkd_villas_drain(struct lkd_villas *villas, int limit);

/** lkd_villas_tick() - Retry a claim if that is due. Thread: exchange, several times a second. */
void lkd_villas_tick(struct lkd_villas *villas, int64_t now_ns);

/** lkd_villas_begin() - Begin a run. Thread: control, before its first record is published. */
void lkd_villas_begin(struct lkd_villas *villas);

/** lkd_villas_publish() - Send a record of the cycle of model @model_id if it is due. Never blocks.
 * Thread: exchange. */
void lkd_villas_publish(struct lkd_villas *villas, const struct lkd_output *output,
                        uint64_t model_id);

/** lkd_villas_count() - Return the counts so far.
 * Return: false if there is no gateway.
 * Thread: any but the cycle. */
bool lkd_villas_count(struct lkd_villas *villas, struct lkd_villas_counts *ret);

/** lkd_villas_report() - Log the counts so far in one line. Thread: any but the cycle. */
void lkd_villas_report(struct lkd_villas *villas);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Gateways that speak the sample format of VILLASnode (villas.proto).
 *
 *     gateway PUB  ---- one frame a Message ---->  SUB  inputs   a bench named "villas"
 *     gateway SUB  <--- one frame a Message -----  PUB  outputs  every divisor-th step
 *
 * To the rest of the daemon it is a bench like any other: it claims its channels by name, and its
 * samples pass the same checks, limits and policy. A silent gateway is a lost bench. The channels
 * of a new model are claimed again. If a claim is refused, or another bench has taken it over, the
 * daemon retries every second, once the channels are free or the gateway sends: an absent gateway
 * takes nothing from a bench that is silent for a moment.
 *
 * The format knows neither names nor states: nothing is sent while nothing steps. `sequence` of
 * what is sent counts up by one for each sample that was due, so a gap is a sample that was not
 * sent; `ts_origin` is wall-clock time.
 *
 * With a model that lacks these names that direction is silent, with a line in the log.
 *
 * The format has no encryption here (the gateway has none for it), so endpoints that other machines
 * reach have to be allowed by name. */
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
 * @in, @out:   what the positions mean;  @divisor: of the outputs
 * @clear_text: endpoints that other machines reach are allowed */
struct lkd_villas_config {
    char inputs[LKD_ENDPOINT_SIZE];
    char outputs[LKD_ENDPOINT_SIZE];
    struct lkd_villas_names in;
    struct lkd_villas_names out;
    uint64_t divisor;
    bool clear_text;
};

/** struct lkd_villas_counts - since the start of the daemon. @refused: by enum lk_villas_status or,
 * in @refused_values, by the input table;  @ignored: START and STOP;  @older: passed over in a
 * message with a newer one */
struct lkd_villas_counts {
    uint64_t accepted;
    uint64_t undecodable;
    uint64_t refused_values;
    uint64_t ignored;
    uint64_t older;
    uint64_t sent;
    uint64_t unsent;
};

/** lkd_villas_open() - a gateway at these channels.
 * @config, @inputs: stay the caller's, must outlive it
 * @inputs_port, @outputs_port: NULL where that direction is not configured
 * Thread: control.
 * Return: 0 (@ret_villas is NULL when nothing is configured), -ENOMEM. */
int lkd_villas_open(const struct lkd_villas_config *config, struct lkd_inputs *inputs,
                    struct lkd_port *inputs_port, struct lkd_port *outputs_port,
                    struct lkd_villas **ret_villas);
/** lkd_villas_close() - release; NULL is allowed. Nobody polls the channels any more. */
void lkd_villas_close(struct lkd_villas *villas);

/** lkd_villas_load() - a model was loaded, after lkd_inputs_attach(): names are resolved, channels
 * are claimed. Thread: control; @villas NULL is allowed, as in all that follow. */
void lkd_villas_load(struct lkd_villas *villas, const struct lk_system *system, uint64_t model_id);

/** lkd_villas_descriptor() - what to poll for messages that come in, -1: nothing. */
int lkd_villas_descriptor(const struct lkd_villas *villas);

/** lkd_villas_drain() - take what has arrived, at most @limit messages; never blocks. Thread:
 * exchange. Return: how many messages. */
int lkd_villas_drain(struct lkd_villas *villas, int limit);

/** lkd_villas_tick() - claim again where that is due. Thread: exchange, some times a second. */
void lkd_villas_tick(struct lkd_villas *villas, int64_t now_ns);

/** lkd_villas_begin() - a run begins. Thread: control, before its first record is published. */
void lkd_villas_begin(struct lkd_villas *villas);

/** lkd_villas_publish() - a record of the cycle of model @model_id, for the outputs: sent if it is
 * due. Never blocks. Thread: exchange. */
void lkd_villas_publish(struct lkd_villas *villas, const struct lkd_output *output,
                        uint64_t model_id);

/** lkd_villas_count() - what has happened so far. Return: false: there is no gateway. Thread: any
 * but the cycle. */
bool lkd_villas_count(struct lkd_villas *villas, struct lkd_villas_counts *ret);

/** lkd_villas_report() - a line in the log: what has happened so far. Thread: any but the cycle. */
void lkd_villas_report(struct lkd_villas *villas);

#endif

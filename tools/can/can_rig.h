/* SPDX-License-Identifier: Apache-2.0 */
/* Between a daemon and a bus: outputs go out by the steps of the run, frames that come are inputs.
 * One bench follows the outputs; each claim of the plan is a bench of its own, so that the daemon's
 * time-outs act for each message. Both sides come and go: without the bus there are no claims, and
 * another model is planned anew. Thread: one. RT: no. */
#ifndef TOOLS_CAN_CAN_RIG_H
#define TOOLS_CAN_CAN_RIG_H

#include "can_bus.h"
#include "can_frames.h"
#include "socket.h"

#define CAN_POLL_ITEMS 3
#define CAN_WAIT_MS    20 /* at most, between two calls of can_rig_serve() */

/** struct can_rig - {0} at first, but for what is given.
 * @dbc, @map, @node, @bus: given;  @setup: endpoints and keys of the daemon, given
 * @follower: the bench for outputs;  @bench: of each claim, NULL: the bus is not there
 * @channels, @plan, @frames: of the model @model_id at @daemon_id, with @has_plan
 * @times_claimed: of the follower, when it was looked at last
 * @step, @has_step: of the last sample;  @driven_ns: when the benches were
 * @said, @refusal: of the follower and of each claim, so that it is said once
 * @samples, @lost: of outputs, and gaps in their numbers
 * @missed: cycles of messages without a sample, of models before;  @unsent: frames with a value out
 * of range;  @outcome: of frames that came, by enum can_taken
 * @given: samples to the daemon;  @unheard: those that no claim was there for */
struct can_rig {
    const struct dbc *dbc;
    const struct can_map *map;
    const char *node;
    struct can_bus *bus;
    struct lk_client_bench_setup setup;
    struct lk_client_bench *follower;
    struct lk_client_bench *bench[CAN_CLAIMS_MAX];
    struct can_channels channels;
    struct can_plan plan;
    struct can_frames frames;
    bool has_plan;
    uint64_t model_id;
    uint64_t daemon_id;
    uint64_t times_claimed;
    uint64_t step;
    bool has_step;
    int64_t driven_ns;
    char said[LK_ERROR_SIZE];
    char refusal[CAN_CLAIMS_MAX][LK_ERROR_SIZE];
    uint64_t samples;
    uint64_t lost;
    uint64_t missed;
    uint64_t unsent;
    uint64_t outcome[CAN_OUTCOMES];
    uint64_t given;
    uint64_t unheard;
};

/** can_rig_open() - Return: 0, or a code of the client library. */
int can_rig_open(struct can_rig *rig, struct lk_error *ret_error);
void can_rig_close(struct can_rig *rig);
/** can_rig_poll() - what to wait for. Return: how many items. */
int can_rig_poll(const struct can_rig *rig, zmq_pollitem_t items[CAN_POLL_ITEMS]);
/** can_rig_serve() - whatever has come, and what is due. Return: 0, -ENOMEM. */
int can_rig_serve(struct can_rig *rig);
/** can_rig_describe() - the channels of the model that a daemon describes. Return: 0, -ENOMEM. */
int can_rig_describe(const Linkage__V1__ModelDescription *model, struct can_channels *ret);
/** can_rig_count() - all counts as one line of JSON. */
void can_rig_count(const struct can_rig *rig);

#endif

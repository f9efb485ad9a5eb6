/* SPDX-License-Identifier: Apache-2.0 */
/* Connection of a daemon with a bus: outputs are sent at steps of the run, and received frames are
 * inputs. One bench receives the outputs; each claim of the plan is a separate bench, so that the
 * daemon's time-outs apply to each message separately. Daemon and bus may disappear and return.
 * Without the bus nothing is claimed. After a change of model a new plan is made.
 * Thread: one.  RT: no. */
#ifndef TOOLS_CAN_CAN_RIG_H
#define TOOLS_CAN_CAN_RIG_H

#include "can_bus.h"
#include "can_frames.h"
#include "socket.h"

#define CAN_POLL_ITEMS 3
#define CAN_WAIT_MS    20 /* longest time between two calls of can_rig_serve() */

/** struct can_rig - connection of a daemon with a bus. Before can_rig_open() all fields not set by
 * the caller must be zero.
 * @dbc, @map, @node, @bus: set by the caller
 * @setup:           endpoints and keys of the daemon, set by the caller
 * @follower:        the bench for outputs
 * @bench:           bench of each claim, NULL without the bus
 * @channels, @plan, @frames: data of the model @model_id at @daemon_id, valid if @has_plan
 * @times_claimed:   value of the follower's field times_claimed at the last check
 * @step, @has_step: step of the last sample
 * @driven_ns:       time of the last call of lk_bench_drive() for the benches
 * @said, @refusal:  last logged text of the follower and of each claim, so that a repeated text is
 *                   logged only once
 * @samples, @lost:  number of output samples, and of gaps in their sequence numbers
 * @missed:          cycles of messages without a sample, under earlier models
 * @unsent:          frames with a value out of range
 * @outcome:         number of received frames for each enum can_taken
 * @given:           number of samples sent to the daemon
 * @unheard:         number of samples dropped because the bench had no claim */
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

/** can_rig_open() - Open the bench for outputs. Return: 0, or a code of the client library. */
int can_rig_open(struct can_rig *rig, struct lk_error *ret_error);
void can_rig_close(struct can_rig *rig);
/** can_rig_poll() - Write the items to poll.
 * Return: number of items. */
int can_rig_poll(const struct can_rig *rig, zmq_pollitem_t items[CAN_POLL_ITEMS]);
/** can_rig_serve() - Process received messages, and do the work that is due.
 * Return: 0, -ENOMEM. */
int can_rig_serve(struct can_rig *rig);
/** can_rig_describe() - Convert a daemon's description of a model to channels.
 * Return: 0, -ENOMEM. */
int can_rig_describe(const Linkage__V1__ModelDescription *model, struct can_channels *ret);
/** can_rig_count() - Print all counts as one line of JSON. */
void can_rig_count(const struct can_rig *rig);

#endif

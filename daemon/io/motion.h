/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams for motion platforms and gateways: a few outputs over UDP, in a layout that never
 * changes, without protobuf and without a connection. doc/reference/sending.md documents the layout and the
 * duties of a receiver.
 *
 * Datagrams of a running cycle are sent by the exchange thread as soon as it has read the record
 * or, if configured, by the cycle thread at the end of the cycle (motion_cycle.h). In all other
 * states the exchange thread sends the last values twenty times a second, with a bit in the status
 * word.
 *
 * Encoding a datagram is arithmetic only, because the output of each slot is resolved when a model
 * is loaded. A name that the model lacks is logged at that time. Its slot is 0, with a bit in the
 * status word. This is no error, because configuration and model may change one after the other. */
#ifndef LKD_IO_MOTION_H
#define LKD_IO_MOTION_H

#include "cueing.h"
#include "cycle.h"
#include "linkage.pb-c.h"
#include "log.h"
#include "pace.h"
#include <netinet/in.h>

#define LKD_MOTION_MAX      4
#define LKD_MOTION_SLOTS    24 /* pose, velocity, acceleration: 6 each; force, rate: 3 each */
#define LKD_MOTION_HEADER   40
#define LKD_MOTION_PLATFORM 12 /* 6 numbers of the pose, 6 of actuators; after two words */
#define LKD_MOTION_SIZE_MAX (LKD_MOTION_HEADER + LKD_MOTION_SLOTS * 8 + 8 + LKD_MOTION_PLATFORM * 8)
#define LKD_MOTION_VERSION  1 /* 2 if the datagram contains the platform */
#define LKD_MOTION_IDLE_NS  INT64_C(50000000)

/* Status word: enum State in the low byte, enum Flag above that byte, and bits about the
 * datagram. */
#define LKD_MOTION_FLAG_SHIFT 8
#define LKD_MOTION_MISSING    (1u << 24) /* the output of a slot is missing; its value is 0 */
#define LKD_MOTION_HELD       (1u << 25) /* the values are not those of a new step */
#define LKD_MOTION_EMPTY      (1u << 26) /* no step since the load; all values are 0 */

/* Cause word of the platform: enum lk_ride_cause in the low byte, and a bit for a latched emergency
 * stop. */
#define LKD_MOTION_EMERGENCY (1u << 8)

/* Values of the field "format" of the header. */
#define LKD_MOTION_F32 0
#define LKD_MOTION_F64 1

/** struct lkd_motion_slot - a value of the datagram: scale * (component of channel) + offset;
 * @channel "": 0 */
struct lkd_motion_slot {
    char channel[LK_NAME_SIZE];
    char component[32];
    double scale;
    double offset;
};

/** struct lkd_motion_config - a receiver, from the configuration.
 * @wide:     values have 64 bits
 * @platform: the datagram has version 2 and contains the platform of the section `cueing` */
struct lkd_motion_config {
    char endpoint[32];
    struct sockaddr_in address;
    bool wide;
    bool from_cycle;
    bool platform;
    uint64_t divisor;
    struct lkd_motion_slot slot[LKD_MOTION_SLOTS];
};

/** enum lkd_motion_kind - source of a slot: none, an output, or an angle [rad]. The angle is
 * computed from the quaternion (w first) that begins at an output; see doc/reference/sending.md. */
enum lkd_motion_kind {
    LKD_MOTION_NOTHING,
    LKD_MOTION_SCALAR,
    LKD_MOTION_ROLL,
    LKD_MOTION_PITCH,
    LKD_MOTION_YAW,
};

struct lkd_motion_source {
    enum lkd_motion_kind kind;
    int index;
};

/** struct lkd_motion - state of a receiver.
 * @fd:        UDP socket, non-blocking
 * @connected: @fd is connected to the receiver
 * @source:    output of the present model for each slot
 * @missing:   the model lacks the output of some slot
 * @pace:      used by the thread that sends while the cycle runs
 * @counter:   number of datagrams sent so far, by both threads
 * @failed:    number of datagrams that could not be sent
 * @error:     errno of the last failure
 * @reported:  value of @failed at the last report */
struct lkd_motion {
    const struct lkd_motion_config *config;
    int fd;
    bool connected;
    struct lkd_motion_source source[LKD_MOTION_SLOTS];
    bool missing;
    struct lkd_pace pace;
    _Atomic uint32_t counter;
    _Atomic uint64_t failed;
    _Atomic int error;
    uint64_t reported;
};

/** struct lkd_motions - state of all receivers.
 * @cueing:       the platform, NULL: none
 * @degraded:     the run is degraded
 * @held:         the last outputs, @n_held values
 * @held_figures: figures of the record of @held
 * @empty:        there are no outputs yet
 * @state:        state in the last record, UNSPECIFIED outside of a run
 * @due_ns:       time of the next datagrams while the cycle does not run
 * @look_ns:      time of the next check of failures and addresses */
struct lkd_motions {
    const struct lkd_cueing *cueing;
    int n;
    struct lkd_motion motion[LKD_MOTION_MAX];
    bool degraded;
    int n_held;
    double *held;
    struct lkd_figures held_figures;
    bool empty;
    Linkage__V1__State state;
    int64_t due_ns;
    int64_t look_ns;
};

/** lkd_motions_init() - Open sockets for @n receivers. An unreachable address is logged and retried
 * every second.
 * @config, @cueing: owned by the caller; @cueing may be NULL if no receiver has @platform set.
 * Return: 0, negative errno. */
int lkd_motions_init(struct lkd_motions *motions, const struct lkd_motion_config *config, int n,
                     const struct lkd_cueing *cueing);
/** lkd_motions_fini() - Release @motions, which may be zeroed. */
void lkd_motions_fini(struct lkd_motions *motions);

/** lkd_motions_load() - Resolve the outputs of a new model, log the missing ones, and register with
 * the cycle of the model if a receiver is configured with `send_from: cycle`.
 * Thread: control, while no thread runs @cycle. */
void lkd_motions_load(struct lkd_motions *motions, struct lkd_cycle *cycle);

/** lkd_motions_begin() - Begin a run. Thread: control, before the cycle thread starts. */
void lkd_motions_begin(struct lkd_motions *motions, bool degraded);

/** lkd_motions_record() - Send the datagrams that are due for a record of the cycle.
 * Thread: exchange, or control if the exchange thread does not publish. */
void lkd_motions_record(struct lkd_motions *motions, const struct lkd_output *output,
                        int64_t now_ns);
/** lkd_motions_rest() - Store the values of @output. lkd_motions_tick() sends them while the cycle
 * hangs or does not run.
 * @state: the state to send, FAULT if the cycle hangs; with UNSPECIFIED, the state passed to
 *         lkd_motions_tick() is sent */
void lkd_motions_rest(struct lkd_motions *motions, const struct lkd_output *output,
                      Linkage__V1__State state);

/** lkd_motions_tick() - Send at the low rate while the cycle does not run. Call about every 10 ms.
 * @state: state of the daemon, sent if there is no record with a state */
void lkd_motions_tick(struct lkd_motions *motions, Linkage__V1__State state, int64_t now_ns);

/* ---- one receiver ---- */

/** struct lkd_motion_view - content of a datagram.
 * @values: outputs, or NULL for zeros
 * @ride:   state of the platform, for receivers with @platform set; or NULL */
struct lkd_motion_view {
    uint32_t status;
    uint64_t step;
    double time_s;
    uint64_t utc_ns;
    const double *values;
    const struct lk_ride *ride;
};

/** lkd_motion_encode() - Encode a datagram.
 * @ret_packet: LKD_MOTION_SIZE_MAX bytes
 * RT: yes.
 * Return: size of the datagram [bytes]. */
LK_RT size_t lkd_motion_encode(struct lkd_motion *motion, const struct lkd_motion_view *view,
                               unsigned char *ret_packet);

/** lkd_motion_status() - Return the status word of a record in @state with enum Flag @flags. */
LK_RT uint32_t lkd_motion_status(Linkage__V1__State state, uint32_t flags, bool degraded);

/** lkd_motion_send() - Encode a datagram and send it; count a failure.
 * RT: one system call that does not block. */
void lkd_motion_send(struct lkd_motion *motion, const struct lkd_motion_view *view);

/** lkd_motion_resolve() - Find the output that @slot names.
 * Return: false if the model has no such output; then @ret_source is NOTHING. */
bool lkd_motion_resolve(const struct lkd_motion_slot *slot, const struct lk_channel *channels,
                        int n_channels, struct lkd_motion_source *ret_source);

#endif

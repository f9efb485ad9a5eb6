/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-gateway: a client of the line on one side, a web server on the other.
 *
 *     follow.c   thread: the model, and samples of outputs and poses
 *     poll.c     thread: state and inputs of the daemon, several times a second
 *     hub.c      transfer of parcels from both to the web thread
 *     meaning.c  description of a loaded model for viewers: channels, types, scene
 *     operator.c thread: requests of the operator at the page
 *     hold.c     inputs that the operator has claimed
 *     events.c   texts about changes between successive status replies
 *     ros2.c     inputs and outputs for viewers of ROS 2
 *     web.c      main thread: connections and their admission
 *     viewer.c, viewer_text.c   a connection by the Foxglove websocket protocol
 *     page.c, page_text.c       connection of the operator's page, whose files are in page/
 *     recordings.c  recordings of the daemon, for pages
 *     peers.c    eviction of connections without a login
 *     tls.c      encryption, certificates as login
 *
 * Only the web thread touches connections. A parcel never changes once it is posted, and is freed
 * by its last holder. */
#ifndef TOOLS_GATEWAY_GATEWAY_H
#define TOOLS_GATEWAY_GATEWAY_H

#include "client.h"
#include "foxglove/foxglove.h"
#include "linkage/scene.h"
#include "mcap/schema.h"
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define GATE_ADDRESS    "127.0.0.1"
#define GATE_PORT       8765
#define GATE_RATE       60         /* samples a second, at most */
#define GATE_ORIGINS    8          /* --allow-origin */
#define GATE_OPERATORS  16         /* --operator */
#define GATE_SESSIONS   32         /* connections by websocket, */
#define GATE_VIEWERS    24         /* viewers among the peers; the rest is reserved for pages */
#define GATE_QUEUE      256        /* parcels queued between threads, and for each connection */
#define GATE_BYTES      (8u << 20) /* in them */
#define GATE_POLL_MS    200
#define GATE_COMMANDS   16
#define GATE_RETRY_MS   500
#define GATE_TIMEOUT_MS 3000

/** enum gate_topic - content of a parcel. The first ones are channels of viewers: messages of
 * proto/foxglove and proto/mcap, ROS2: of ros2.h. PARAMETERS: doubles in the order of the model;
 * MEANING: empty, another model has been loaded. For pages, as JSON: REPORT: inputs; POLICY; EVENT;
 * ANSWER: answer to the operator; HELD: inputs claimed by the operator;  FAULTS;  PLATFORM;
 * MISSED: deadlines.  SAMPLES: doubles: 0 poses or 1 outputs, UTC [s], the values */
enum gate_topic {
    GATE_TF,
    GATE_SCENE,
    GATE_OUTPUTS,
    GATE_INPUTS,
    GATE_STATUS,
    GATE_EVENTS,
    GATE_ROS2_OUTPUTS,
    GATE_ROS2_INPUTS,
    GATE_CHANNELS,
    GATE_PARAMETERS = GATE_CHANNELS,
    GATE_MEANING,
    GATE_REPORT,
    GATE_POLICY,
    GATE_EVENT,
    GATE_ANSWER,
    GATE_HELD,
    GATE_FAULTS,
    GATE_PLATFORM,
    GATE_MISSED,
    GATE_SAMPLES,
    GATE_TOPICS
};

/** struct gate_options - the command line. @recordings: folder of the daemon's recordings, NULL:
 * unknown;
 * @rate: rate of samples [1/s];  @origin: @n_origins pages of other sites that may open a
 * connection, "https://app.example" */
struct gate_options {
    const char *endpoint;
    const char *inputs;
    const char *outputs;
    const char *recordings;
    const char *server_key;
    const char *key;
    const char *roads;
    double rate;
    int port;
    const char *origin[GATE_ORIGINS];
    int n_origins;
    const char *address;
    const char *tls_cert;
    const char *tls_key;
    const char *tls_clients;
    const char *operators[GATE_OPERATORS];
    int n_operators;
};

/** struct gate_meaning - description of a loaded model; constant. @number: counts models, from 1;
 * @model: description by the daemon
 * @inputs, @outputs: types of its messages;  @scene: NULL if there is none, with the reason in
 * @no_scene
 * @shapes:   a message of /scene, which replaces all present entities */
struct gate_meaning {
    atomic_uint n_holders;
    uint32_t number;
    Linkage__V1__ModelDescription *model;
    struct lk_mcap_type inputs;
    struct lk_mcap_type outputs;
    size_t n_inputs;
    size_t n_outputs;
    struct lk_scene *scene;
    char no_scene[LK_ERROR_SIZE];
    struct lk_mcap_buffer shapes;
};

/** gate_meaning_new() - Create the description of a model. @text: may be NULL; @roads: folder of
 * road files, or NULL. Return: NULL if memory is exhausted. */
struct gate_meaning *gate_meaning_new(const Linkage__V1__ModelDescription *model,
                                      const Linkage__V1__ModelText *text, const char *roads);
/** gate_meaning_hold(), gate_meaning_drop() - Add or remove a holder; NULL is allowed. */
struct gate_meaning *gate_meaning_hold(struct gate_meaning *meaning);
void gate_meaning_drop(struct gate_meaning *meaning);

/** gate_meaning_post() - Post values for viewers, in both formats. @topic: GATE_OUTPUTS or
 * GATE_INPUTS;
 * @ns: UTC */
struct gate_hub;
void gate_meaning_post(const struct gate_meaning *meaning, struct gate_hub *hub,
                       enum gate_topic topic, const double *values, uint64_t ns);

/** struct gate_parcel - data for connections. @meaning: number of its model, 0: any; @ns: UTC
 * @number: counts parcels that were posted, from 1 */
struct gate_parcel {
    atomic_uint n_holders;
    enum gate_topic topic;
    uint32_t meaning;
    uint64_t number;
    uint64_t ns;
    size_t size;
    unsigned char data[];
};

/** gate_parcel_new() - Create a parcel. @data: @size bytes, copied; NULL: the caller writes the
 * content. Return: NULL if memory is exhausted; all functions for parcels accept NULL. */
struct gate_parcel *gate_parcel_new(enum gate_topic topic, uint32_t meaning, uint64_t ns,
                                    const void *data, size_t size);
/** gate_parcel_end() - End @draft, convert it to a parcel, and release it. */
struct draft;
struct gate_parcel *gate_parcel_end(enum gate_topic topic, uint32_t meaning, uint64_t ns,
                                    struct draft *draft);
struct gate_parcel *gate_parcel_hold(struct gate_parcel *parcel);
void gate_parcel_drop(struct gate_parcel *parcel);

/** struct gate_queue - queue of parcels, the oldest first; initialise with {0}. @bytes: total size
 * of all parcels */
struct gate_queue {
    struct gate_parcel *parcel[GATE_QUEUE];
    size_t first;
    size_t n;
    size_t bytes;
};

/** gate_queue_put() - Append @parcel and take ownership; if there is no room, drop the oldest ones.
 * Return: number of dropped parcels. */
size_t gate_queue_put(struct gate_queue *queue, struct gate_parcel *parcel);
/** gate_queue_take() - Remove the oldest parcel and return it to the caller; NULL: none. */
struct gate_parcel *gate_queue_take(struct gate_queue *queue);
/** gate_queue_next() - Iterate over the parcels of a topic without removing them. @place: 0 before
 * the first call. Return: the next parcel, owned by the queue; NULL: none. */
struct gate_parcel *gate_queue_next(const struct gate_queue *queue, enum gate_topic topic,
                                    size_t *place);
void gate_queue_clear(struct gate_queue *queue);

/** struct gate_hub - @wake: wakes the web thread;  @stop: all threads end
 * @command: @n_commands pending commands of the operator;  @asked: signalled for each command
 *           @operator: counts pages that had the controls; @heard_ns: time of the last message of
 *           the page that has them, CLOCK_MONOTONIC; @n_parcels: number of parcels posted so far */
struct gate_hub {
    pthread_mutex_t lock;
    struct gate_queue queue;
    uint64_t n_parcels;
    struct gate_meaning *meaning;
    uint32_t n_meanings;
    void (*wake)(void *web);
    void *web;
    atomic_bool stop;
    pthread_cond_t asked;
    json_t *command[GATE_COMMANDS];
    int n_commands;
    atomic_uint operator;
    _Atomic uint64_t heard_ns;
};

void gate_hub_init(struct gate_hub *hub);
void gate_hub_fini(struct gate_hub *hub);
/** gate_hub_post() - Post @parcel and take ownership. Thread: any, for all functions of the hub. */
void gate_hub_post(struct gate_hub *hub, struct gate_parcel *parcel);
struct gate_parcel *gate_hub_take(struct gate_hub *hub);
/** gate_hub_set() - Set another model, or NULL for none; takes ownership of @meaning and numbers
 * it.
 * gate_hub_meaning() - Return the present model, held for the caller. */
void gate_hub_set(struct gate_hub *hub, struct gate_meaning *meaning);
struct gate_meaning *gate_hub_meaning(struct gate_hub *hub);
/** gate_hub_say() - Report an event to log, viewers and pages. @level: as in foxglove.Log;  @name:
 * subject of the event; @id: identifier of the daemon's condition, whose remedy is added, NULL:
 * none */
enum gate_level {
    GATE_INFO = LK_FOXGLOVE_INFO,
    GATE_WARNING = LK_FOXGLOVE_WARNING,
    GATE_ERROR = LK_FOXGLOVE_ERROR
};
void gate_hub_say(struct gate_hub *hub, enum gate_level level, const char *name, const char *id,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/** struct gate_line - connections of the three threads to the daemon. @inputs: "": not known */
struct gate_line {
    const struct gate_options *options;
    struct gate_hub *hub;
    char inputs[LK_CLIENT_ENDPOINT_SIZE];
    char outputs[LK_CLIENT_ENDPOINT_SIZE];
    struct lk_client *follower;
    struct lk_client *poller;
    struct lk_client *operator;
};

/** gate_line_open() - Create the clients with their keys; does not connect yet. Return: 0, or a
 * code of the client library with @ret_error. */
int gate_line_open(struct gate_line *line, struct lk_error *ret_error);
void gate_line_close(struct gate_line *line);
/** gate_follow(), gate_poll(), gate_operate() - Run a thread of the line. @line: struct gate_line.
 * Return: NULL.
 */
void *gate_follow(void *line);
void *gate_poll(void *line);
void *gate_operate(void *line);

/** gate_operator_knows() - Return true if @op is a command for the daemon.
 * gate_operator_ask() - Queue a command; the answer arrives as a parcel. Return: 0, -1: too many
 * are pending. */
bool gate_operator_knows(const char *op);
int gate_operator_ask(struct gate_hub *hub, json_t *command);

/** struct gate_seen - previous status, to detect changes. @overruns: number at the last report, at
 * @overruns_ns of CLOCK_MONOTONIC */
struct gate_seen {
    bool lost;
    bool known;
    uint64_t daemon_id;
    uint64_t model_id;
    Linkage__V1__State state;
    uint32_t flags;
    uint64_t overruns;
    uint64_t overruns_ns;
    uint64_t trips;
    bool recording;
};

/** gate_events_find() - Report the changes in @status. */
void gate_events_find(struct gate_hub *hub, struct gate_seen *seen,
                      const Linkage__V1__Status *status);
/** gate_events_lost() - Report that the daemon does not answer, with the reason @why. */
void gate_events_lost(struct gate_hub *hub, struct gate_seen *seen, const char *why);

/** gate_utc_ns() - Return UTC [ns], for display only, because it may be set back.
 * gate_clock_ns() - Return CLOCK_MONOTONIC [ns], for ages and bounds.
 * gate_sleep_ms() - Sleep; for the threads of the line. */
uint64_t gate_utc_ns(void);
uint64_t gate_clock_ns(void);
void gate_sleep_ms(int ms);

/** gate_web_run() - Serve connections until @stop of the hub is set. Return: 0, 1: cannot listen on
 * the address. */
int gate_web_run(const struct gate_options *options, struct gate_hub *hub);

#endif

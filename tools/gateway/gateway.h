/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-gateway: a client of the daemon, and a web server for viewers and the operator's page.
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
 *     viewer.c, viewer_text.c   a connection with the Foxglove websocket protocol
 *     page.c, page_text.c       connection of the operator's page, whose files are in page/
 *     recordings.c  recordings of the daemon, for pages
 *     peers.c    eviction of connections without a login
 *     tls.c      encryption, certificates as login
 *
 * Only the web thread accesses connections. A posted parcel never changes, and the last holder
 * frees it. */
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
#define GATE_RATE       60         /* largest rate of samples [1/s] */
#define GATE_ORIGINS    8          /* largest number of --allow-origin options */
#define GATE_OPERATORS  16         /* largest number of --operator options */
#define GATE_SESSIONS   32         /* largest number of websocket connections */
#define GATE_VIEWERS    24         /* largest number of viewers; the rest is for pages */
#define GATE_QUEUE      256        /* largest number of parcels in a queue */
#define GATE_BYTES      (8u << 20) /* largest size of all parcels in a queue [bytes] */
#define GATE_POLL_MS    200
#define GATE_COMMANDS   16
#define GATE_RETRY_MS   500
#define GATE_TIMEOUT_MS 3000

/** enum gate_topic - content of a parcel. Topics before GATE_CHANNELS are the channels of viewers.
 * Their content is a message of proto/foxglove and proto/mcap, or of ros2.h for the topics ROS2.
 * PARAMETERS: the values as doubles, in the order of the model. MEANING: no content; another model
 * was loaded. The remaining topics are for pages. SAMPLES consists of doubles: 0 (poses) or 1
 * (outputs), UTC [s], the values. The others are JSON: REPORT (inputs), POLICY, EVENT, ANSWER (to
 * the operator), HELD (inputs claimed by the operator), FAULTS (injected faults), PLATFORM, MISSED
 * (missed deadlines), HISTOGRAMS (of wake-ups and steps). */
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
    GATE_HISTOGRAMS,
    GATE_SAMPLES,
    GATE_TOPICS
};

/** struct gate_options - the command line.
 * @recordings: folder of the daemon's recordings, NULL: unknown
 * @rate:       rate of samples [1/s]
 * @origin:     @n_origins pages of other sites that may open a connection, such as
 *              "https://app.example"
 * @operators:  @n_operators common names of certificates that may operate */
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

/** struct gate_meaning - description of a loaded model; never changes.
 * @number:           consecutive number of the model, from 1
 * @model:            description received from the daemon
 * @inputs, @outputs: types of its input and output messages
 * @n_inputs, @n_outputs: numbers of scalars in these messages
 * @scene:            NULL if there is none, with the reason in @no_scene
 * @shapes:           message of channel /scene that replaces all present entities */
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

/** gate_meaning_new() - Create the description of a model.
 * @text:  source text of the model, or NULL
 * @roads: folder of road files, or NULL
 * Return: NULL if memory is exhausted. */
struct gate_meaning *gate_meaning_new(const Linkage__V1__ModelDescription *model,
                                      const Linkage__V1__ModelText *text, const char *roads);
/** gate_meaning_hold(), gate_meaning_drop() - Add or remove a holder. @meaning may be NULL. */
struct gate_meaning *gate_meaning_hold(struct gate_meaning *meaning);
void gate_meaning_drop(struct gate_meaning *meaning);

/** gate_meaning_post() - Post values for viewers, in both message formats.
 * @topic: GATE_OUTPUTS or GATE_INPUTS
 * @ns:    UTC [ns] */
struct gate_hub;
void gate_meaning_post(const struct gate_meaning *meaning, struct gate_hub *hub,
                       enum gate_topic topic, const double *values, uint64_t ns);

/** struct gate_parcel - immutable data for connections.
 * @meaning: number of the model to which the data belong, 0: any model
 * @ns:      UTC [ns]
 * @number:  consecutive number of the posted parcel, from 1 */
struct gate_parcel {
    atomic_uint n_holders;
    enum gate_topic topic;
    uint32_t meaning;
    uint64_t number;
    uint64_t ns;
    size_t size;
    unsigned char data[];
};

/** gate_parcel_new() - Create a parcel.
 * @data: @size bytes, copied; NULL: the caller writes the content.
 * Return: NULL if memory is exhausted; all functions for parcels accept NULL. */
struct gate_parcel *gate_parcel_new(enum gate_topic topic, uint32_t meaning, uint64_t ns,
                                    const void *data, size_t size);
/** gate_parcel_end() - Complete the message @draft, return it as a parcel, and release @draft. */
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

/** gate_queue_put() - Append @parcel and take ownership of it. If there is no room, drop the oldest
 * parcels.
 * Return: number of dropped parcels. */
size_t gate_queue_put(struct gate_queue *queue, struct gate_parcel *parcel);
/** gate_queue_take() - Remove the oldest parcel and return it to the caller; NULL: none. */
struct gate_parcel *gate_queue_take(struct gate_queue *queue);
/** gate_queue_next() - Iterate over the parcels of a topic without removing them.
 * @place: position of the iteration, 0 before the first call
 * Return: the next parcel, owned by the queue; NULL: none. */
struct gate_parcel *gate_queue_next(const struct gate_queue *queue, enum gate_topic topic,
                                    size_t *place);
void gate_queue_clear(struct gate_queue *queue);

/** struct gate_hub - data shared by all threads.
 * @n_parcels:  number of parcels posted so far
 * @n_meanings: number of models so far
 * @wake:       wakes the web thread @web
 * @stop:       all threads must end
 * @asked:      signalled for each command
 * @command:    @n_commands pending commands of the operator
 * @operator:   changes whenever the controls are taken or returned
 * @heard_ns:   time of the last message of the page that has the controls, CLOCK_MONOTONIC */
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
/** gate_hub_post() - Post @parcel and take ownership of it.
 * Thread: any, for all functions of the hub. */
void gate_hub_post(struct gate_hub *hub, struct gate_parcel *parcel);
struct gate_parcel *gate_hub_take(struct gate_hub *hub);
/** gate_hub_set() - Number @meaning, take ownership of it, and make it the present model; NULL:
 * none.
 * gate_hub_meaning() - Return the present model, held for the caller. */
void gate_hub_set(struct gate_hub *hub, struct gate_meaning *meaning);
struct gate_meaning *gate_hub_meaning(struct gate_hub *hub);
/** gate_hub_say() - Report an event to the log, to viewers and to pages.
 * @level: level as in foxglove.Log
 * @name:  subject of the event
 * @id:    identifier of the daemon's condition, whose remedy is added to the text; NULL: none */
enum gate_level {
    GATE_INFO = LK_FOXGLOVE_INFO,
    GATE_WARNING = LK_FOXGLOVE_WARNING,
    GATE_ERROR = LK_FOXGLOVE_ERROR
};
void gate_hub_say(struct gate_hub *hub, enum gate_level level, const char *name, const char *id,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/** struct gate_line - connections of the three threads to the daemon.
 * @inputs, @outputs: endpoints; "": unknown */
struct gate_line {
    const struct gate_options *options;
    struct gate_hub *hub;
    char inputs[LK_CLIENT_ENDPOINT_SIZE];
    char outputs[LK_CLIENT_ENDPOINT_SIZE];
    struct lk_client *follower;
    struct lk_client *poller;
    struct lk_client *operator;
};

/** gate_line_open() - Create the clients with their keys. They connect later.
 * Return: 0, or a code of the client library with @ret_error. */
int gate_line_open(struct gate_line *line, struct lk_error *ret_error);
void gate_line_close(struct gate_line *line);
/** gate_follow(), gate_poll(), gate_operate() - Main functions of the three threads of the line.
 * @line: a struct gate_line
 * Return: NULL. */
void *gate_follow(void *line);
void *gate_poll(void *line);
void *gate_operate(void *line);

/** gate_operator_knows() - Return true if @op is a command for the daemon.
 * gate_operator_ask() - Queue a command. The answer arrives as a parcel.
 * Return: 0; -1: too many commands are pending. */
bool gate_operator_knows(const char *op);
int gate_operator_ask(struct gate_hub *hub, json_t *command);

/** struct gate_seen - previous status, with which each new status is compared.
 * @lost:     the daemon did not answer
 * @known:    a status was received
 * @overruns: number of missed deadlines at the last report, at @overruns_ns of CLOCK_MONOTONIC */
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

/** gate_events_find() - Report the changes between @seen and @status, and update @seen. */
void gate_events_find(struct gate_hub *hub, struct gate_seen *seen,
                      const Linkage__V1__Status *status);
/** gate_events_lost() - Report once that the daemon does not answer.
 * @why: reason */
void gate_events_lost(struct gate_hub *hub, struct gate_seen *seen, const char *why);

/** gate_utc_ns() - Return UTC [ns], for display only, because this clock may be set back.
 * gate_clock_ns() - Return CLOCK_MONOTONIC [ns], for ages and time limits.
 * gate_sleep_ms() - Sleep; for the threads of the line. */
uint64_t gate_utc_ns(void);
uint64_t gate_clock_ns(void);
void gate_sleep_ms(int ms);

/** gate_web_run() - Serve connections until @stop of the hub is set.
 * Return: 0; 1: cannot listen on the address. */
int gate_web_run(const struct gate_options *options, struct gate_hub *hub);

#endif

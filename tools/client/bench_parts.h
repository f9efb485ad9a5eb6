/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the client library, shared by the files of a bench: bench.c has the public
 * functions, bench_line.c claims and recovers, bench_send.c sends. */
#ifndef TOOLS_CLIENT_BENCH_PARTS_H
#define TOOLS_CLIENT_BENCH_PARTS_H

#include "bench.h"
#include "socket.h"
#include <pthread.h>

/** enum lk_bench_question - requests to the daemon, in this order; LK_BENCH_CHECK is repeated while
 * the claim exists. */
enum lk_bench_question {
    LK_BENCH_DESCRIBE,
    LK_BENCH_CLAIM,
    LK_BENCH_SUBSCRIBE,
    LK_BENCH_CHECK,
};

/** struct lk_bench_reply_to - the newest output sample received, for the latency budget. */
struct lk_bench_reply_to {
    uint64_t sequence;
    uint64_t published_ns;
    uint64_t received_ns;
};

/** struct lk_client_bench - state of a bench. @lock guards @inputs, @view, @clock, @reply_to,
 * @generation, @sequence and @sent_ns. Only the receiving thread uses the other fields.
 * @own:          copy of the set-up, whose texts are in @texts
 * @question:     the next request, or the pending one if @asking
 * @asked_ns:     time of sending the pending request
 * @again_ns:     earliest time of the next request
 * @heard_ns:     time of the last message of the daemon
 * @clock_ns:     time of the last check of the clock's synchronisation
 * @model:        description of the model, owned by @client
 * @claim:        a copy in @claim_arena; NULL: none
 * @heartbeat_ns: longest time without a message that the lease permits
 * @generation:   generation of the connection on which the claim was made
 * @topic:        topic of the subscription; @topic_size 0: none
 * @last_output:  sequence number of the last output sample, 0: none */
struct lk_client_bench {
    struct lk_client_bench_setup own;
    struct lk_wire_arena texts;
    struct lk_client *client;
    struct lk_client_socket outputs;
    struct lk_wire_arena samples;
    struct lk_wire_arena claim_arena;
    const Linkage__V1__ModelDescription *model;
    const Linkage__V1__Claim *claim;

    enum lk_bench_question question;
    bool asking;
    int64_t asked_ns;
    int64_t again_ns;
    int64_t heard_ns;
    int64_t clock_ns;
    int64_t heartbeat_ns;
    uint64_t old_token;
    uint64_t old_daemon;
    uint8_t topic[LK_WIRE_TOPIC_MAX];
    size_t topic_size;
    uint64_t last_output;

    pthread_mutex_t lock;
    struct lk_client_inputs *inputs;
    struct lk_client_bench_view view;
    Linkage__V1__Clock clock;
    struct lk_bench_reply_to reply_to;
    uint64_t generation;
    uint64_t sequence;
    int64_t sent_ns;
};

/** lk_bench_drive() - Send due requests, read replies, and keep the claim alive; never waits.
 * Return: latest time of the next call, CLOCK_MONOTONIC. */
int64_t lk_bench_drive(struct lk_client_bench *bench, int64_t now_ns);

/** lk_bench_heard() - Register a message from this daemon and model. If the daemon or the model has
 * changed, claim the channels again. */
void lk_bench_heard(struct lk_client_bench *bench, uint64_t daemon_id, uint64_t model_id,
                    int64_t now_ns);

/** lk_bench_follow() - Replace the subscription with one to @topic.
 * @size: bytes of @topic, at most LK_WIRE_TOPIC_MAX */
void lk_bench_follow(struct lk_client_bench *bench, const void *topic, size_t size);

/** lk_bench_heartbeat() - Send a heartbeat if no message was sent for @heartbeat_ns. */
void lk_bench_heartbeat(struct lk_client_bench *bench, int64_t now_ns);

/** lk_bench_check_clock() - Check once a second whether the machine's clock is synchronised. */
void lk_bench_check_clock(struct lk_client_bench *bench, int64_t now_ns);

/** lk_bench_stamp_ns() - Return the present time on the clock that is used for time stamps. */
uint64_t lk_bench_stamp_ns(const struct lk_client_bench *bench);

#endif

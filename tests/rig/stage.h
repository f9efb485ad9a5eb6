/* SPDX-License-Identifier: Apache-2.0 */
/* A mock daemon: a control endpoint whose requests the test answers, for running linkagectl against
 * it. Any failure ends the test. */
#ifndef TESTS_RIG_STAGE_H
#define TESTS_RIG_STAGE_H

#include "wire.h"
#include <pthread.h>
#include <stdbool.h>

/** struct rig_stage - a mock daemon.
 * @play: called for each request, on a thread of the stage
 *         replies with rig_stage_reply(), or not at all.  @data, @size: the request as it came
 * @ctl:       path of linkagectl
 * @timeout_s: time limit of linkagectl [s]
 * @output:    text that linkagectl printed to both streams, after rig_stage_run() */
struct rig_stage {
    void (*play)(const Linkage__V1__ControlRequest *request, const uint8_t *data, size_t size);
    const char *ctl;
    int timeout_s;
    char output[20000];
    /* private */
    char endpoint[100];
    void *context;
    void *router;
    pthread_t thread;
    struct lk_wire_arena arena;
    _Atomic bool ended;
    uint8_t identity[256];
    size_t identity_size;
};

/** rig_stage_open(), rig_stage_close() - Start and stop the mock daemon. Return: 0. */
int rig_stage_open(struct rig_stage *stage);
int rig_stage_close(struct rig_stage *stage);

/** rig_stage_reply() - Reply to the present request. */
void rig_stage_reply(struct rig_stage *stage, const Linkage__V1__ControlReply *reply);

/** rig_stage_run() - Run linkagectl with @arguments. Return: its exit status. */
int rig_stage_run(struct rig_stage *stage, const char *arguments);

/** rig_stage_says() - Assert that linkagectl printed @part. */
void rig_stage_says(const struct rig_stage *stage, const char *part);

#endif

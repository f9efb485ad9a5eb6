/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

static void *act(void *data)
{
    struct rig_stage *stage = data;
    uint8_t message[4096];

    while (!stage->ended) {
        const Linkage__V1__ControlRequest *request;
        zmq_pollitem_t item = {.socket = stage->router, .events = ZMQ_POLLIN};
        size_t size;

        if (zmq_poll(&item, 1, 20) <= 0)
            continue;
        stage->identity_size =
            (size_t)zmq_recv(stage->router, stage->identity, sizeof(stage->identity), 0);
        size = (size_t)zmq_recv(stage->router, message, sizeof(message), 0);
        if (lk_wire_decode_request(&stage->arena, message, size, &request) == 0)
            stage->play(request, message, size);
    }
    return NULL;
}

int rig_stage_open(struct rig_stage *stage)
{
    snprintf(stage->endpoint, sizeof(stage->endpoint), "ipc:///tmp/linkage-test-ctl-%d",
             (int)getpid());
    stage->ended = false;
    stage->context = zmq_ctx_new();
    stage->router = zmq_socket(stage->context, ZMQ_ROUTER);
    return lk_wire_arena_init(&stage->arena, LK_WIRE_CONTROL_ARENA) != 0 ||
           zmq_bind(stage->router, stage->endpoint) != 0 ||
           pthread_create(&stage->thread, NULL, act, stage) != 0;
}

int rig_stage_close(struct rig_stage *stage)
{
    stage->ended = true;
    pthread_join(stage->thread, NULL);
    zmq_close(stage->router);
    zmq_ctx_term(stage->context);
    unlink(stage->endpoint + strlen("ipc://"));
    lk_wire_arena_fini(&stage->arena);
    return 0;
}

void rig_stage_reply(struct rig_stage *stage, const Linkage__V1__ControlReply *reply)
{
    uint8_t data[4096];
    size_t size;

    assert_int_equal(lk_wire_encode(&reply->base, data, sizeof(data), &size), 0);
    zmq_send(stage->router, stage->identity, stage->identity_size, ZMQ_SNDMORE);
    zmq_send(stage->router, data, size, 0);
}

int rig_stage_run(struct rig_stage *stage, const char *arguments)
{
    char command[1000];
    FILE *pipe;
    size_t n;

    snprintf(command, sizeof(command), "%s -e %s -t %d %s 2>&1", stage->ctl, stage->endpoint,
             stage->timeout_s, arguments);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(stage->output, 1, sizeof(stage->output) - 1, pipe);
    stage->output[n] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

void rig_stage_says(const struct rig_stage *stage, const char *part)
{
    if (!strstr(stage->output, part))
        fail_msg("no '%s' in\n%s", part, stage->output);
}

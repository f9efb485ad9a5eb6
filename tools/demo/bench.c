/* SPDX-License-Identifier: Apache-2.0 */
/* The bench: one thread sends on an absolute time grid, another one receives. Neither has real-time
 * priority, as on a test bench with an ordinary operating system. */
#include "demo.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARM_PATIENCE_MS 120000
#define PERIOD_NS       (1000000000 / DEMO_RATE_HZ)
#define AMPLITUDE_NM    4.0
#define FREQUENCY_HZ    0.2
#define RAMP_S          0.5
#define SETTLE_NS       50000000 /* time for the last sample to act before the run stops */
#define LINGER_MS       200      /* after this time without a sample, the run has ended */
#define GOLDEN_SECTION  0.6180339887498949

struct receiver {
    struct lk_client_bench *bench;
    const struct demo_layout *layout;
    struct demo_record *record;
    atomic_bool stopped;
};

int demo_record_init(struct demo_record *ret_record, const struct demo_layout *layout,
                     double duration_s)
{
    struct demo_record record = {0};
    double period_s = (double)layout->description->period_ns * 1e-9;

    record.sent_size = (size_t)(duration_s * DEMO_RATE_HZ) + 1;
    record.received_size = (size_t)((duration_s + 2) / period_s) + 1;
    record.sent = calloc(record.sent_size, sizeof(*record.sent));
    record.received = calloc(record.received_size, sizeof(*record.received));
    record.values = calloc(record.received_size * layout->n_outputs, sizeof(*record.values));
    if (record.sent == NULL || record.received == NULL || record.values == NULL) {
        demo_record_fini(&record);
        return -ENOMEM;
    }
    *ret_record = record;
    return 0;
}

void demo_record_fini(struct demo_record *record)
{
    free(record->sent);
    free(record->received);
    free(record->values);
}

const double *demo_record_values(const struct demo_record *record, const struct demo_layout *layout,
                                 size_t i)
{
    return record->values + i * layout->n_outputs;
}

double demo_record_torque(const struct demo_record *record, size_t i)
{
    uint64_t index = record->received[i].input_sequence - record->first_sequence;

    return index < record->n_sent ? record->sent[index].torque : 0;
}

double demo_torque(double t, double duration)
{
    double ramp = fmin(fmin(t, duration - t) / RAMP_S, 1);

    /* The ramps begin and end smoothly. */
    ramp = ramp <= 0 ? 0 : 0.5 * (1 - cos(M_PI * ramp));
    return AMPLITUDE_NM * ramp * sin(2 * M_PI * FREQUENCY_HZ * t);
}

/* Return true if a sample belongs to the run and is new: it has a later step than the last one.
 * After the stop the daemon sends its last step once more, in state READY; it counts if it has not
 * been received yet. */
static bool is_news(const struct demo_record *record, const Linkage__V1__OutputSample *sample)
{
    if (record->n_received == 0)
        return sample->state == LINKAGE__V1__STATE__STATE_RUNNING;
    return sample->step > record->received[record->n_received - 1].step;
}

static void keep_sample(struct receiver *receiver, const Linkage__V1__OutputSample *sample,
                        int64_t received_ns)
{
    struct demo_record *record = receiver->record;
    size_t n = receiver->layout->n_outputs;

    if (record->n_received >= record->received_size || sample->n_values != n ||
        sample->model_id != receiver->layout->description->model_id) {
        record->n_dropped++;
        return;
    }
    record->received[record->n_received] = (struct demo_received){
        .received_ns = received_ns,
        .sequence = sample->sequence,
        .step = sample->step,
        .input_sequence = sample->input_sequence,
        .time_s = sample->time_s,
        .deadline_ns = (int64_t)sample->deadline_ns,
        .computed_ns = (int64_t)sample->computed_ns,
        .published_ns = (int64_t)sample->published_ns,
    };
    memcpy(record->values + record->n_received * n, sample->values, n * sizeof(double));
    record->n_received++;
}

static void *receive_samples(void *data)
{
    struct receiver *receiver = data;

    for (;;) {
        const Linkage__V1__OutputSample *sample;
        int64_t received_ns;
        bool stopped = atomic_load(&receiver->stopped);
        int code = lk_client_bench_receive(receiver->bench, LINGER_MS, &received_ns, &sample);

        if (code == 0 && is_news(receiver->record, sample))
            keep_sample(receiver, sample, received_ns);
        else if (code < 0 || stopped)
            return NULL;
    }
}

static void sleep_until(int64_t at_ns)
{
    struct timespec at = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

/* Return the time of sample @k after the first [ns]. Bench and daemon share one clock here. On a
 * regular grid all samples would meet the cycle at the same phase, so the round trip would depend
 * on chance. Therefore each sample is delayed by a fraction of the cycle. The fractions are spread
 * evenly by the golden section. */
static int64_t instant_ns(size_t k, double cycle_ns)
{
    double part = (double)k * GOLDEN_SECTION;

    return (int64_t)k * PERIOD_NS + (int64_t)((part - floor(part)) * cycle_ns);
}

static int send_all(const struct demo_line *line, const struct demo_layout *layout,
                    double duration_s, struct demo_record *record)
{
    double cycle_ns = (double)layout->description->period_ns;
    int64_t begin_ns = lk_client_now_ns();
    struct lk_client_bench_view view;

    while (record->n_sent < record->sent_size) {
        struct demo_sent *sent = &record->sent[record->n_sent];
        int64_t after_ns = instant_ns(record->n_sent, cycle_ns);
        uint64_t sequence;

        sleep_until(begin_ns + after_ns);
        sent->torque = demo_torque((double)after_ns * 1e-9, duration_s);
        sent->sent_ns = lk_client_now_ns();
        if (lk_client_bench_send(line->bench, &sent->torque, 1, &sequence) != 0) {
            lk_client_bench_read_state(line->bench, &view);
            complain("an input could not be sent: %s",
                     view.text[0] != '\0' ? view.text : "the connection is gone");
            return 1;
        }
        if (record->n_sent++ == 0)
            record->first_sequence = sequence;
    }
    return 0;
}

/* Send one command.
 * @ret_before_ns, @ret_after_ns: times before and after the command */
static int send_command(struct demo_line *line,
                        Linkage__V1__ControlRequest__CommandCase command_case, const char *verb,
                        int64_t *ret_before_ns, int64_t *ret_after_ns)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int code;

    *ret_before_ns = lk_client_now_ns();
    code = lk_client_command(line->client, command_case, &reply, &error);
    *ret_after_ns = lk_client_now_ns();
    if (code == 0 && reply->result != LINKAGE__V1__RESULT__RESULT_OK) {
        code = 1;
        lk_error_set(&error, "%s was refused: %s", verb, reply->text);
    }
    if (code != 0)
        complain("%s", error.text);
    return code;
}

/* Arm the daemon. The demo must run on any machine, so it permits a degraded run; the report states
 * whether the run was degraded. */
static int arm_rig(struct demo_line *line)
{
    Linkage__V1__ArmRequest request = LINKAGE__V1__ARM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    const char *text;
    int code;

    request.allow_degraded = true;
    code = lk_client_arm(line->client, &request, ARM_PATIENCE_MS, NULL, NULL, &reply, &error);
    if (code == 0 && !lk_client_is_armed(reply, &text)) {
        code = 1;
        lk_error_set(&error, "not armed: %s", text);
    }
    if (code != 0)
        complain("%s", error.text);
    else
        printf("armed: %s\n", text);
    return code;
}

int demo_bench_run(struct demo_line *line, const struct demo_layout *layout, double duration_s,
                   struct demo_record *record, struct demo_span *ret_span)
{
    struct receiver receiver = {.bench = line->bench, .layout = layout, .record = record};
    pthread_t thread;
    int code = pthread_create(&thread, NULL, receive_samples, &receiver);

    if (code != 0) {
        complain("no thread: %s", strerror(code));
        return code;
    }
    /* The receiving thread keeps the claim alive, also during the budget proof. */
    code = arm_rig(line);
    if (code == 0)
        code = send_command(line, LINKAGE__V1__CONTROL_REQUEST__COMMAND_START, "start",
                            &ret_span->asked_start_ns, &ret_span->started_ns);
    if (code == 0) {
        int stop_code;

        code = send_all(line, layout, duration_s, record);
        sleep_until(lk_client_now_ns() + SETTLE_NS);
        stop_code = send_command(line, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP, "stop",
                                 &ret_span->asked_stop_ns, &ret_span->stopped_ns);
        code = code != 0 ? code : stop_code;
    }
    atomic_store(&receiver.stopped, true);
    pthread_join(thread, NULL);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Run by hand, with the rights of a daemon:
 *
 *     build/tests/bench/soak --json soak.json
 *     build/tests/bench/soak --cycles 1200000 --faults 20 --seed 7
 *
 * Exit status 0: all deadlines were met or their miss is explained, and all counts add up. 1:
 * otherwise, with the reasons in the report. 2: the soak could not run. */
#include "soak.h"
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS      INT64_C(50000000)
#define SETTLE_NS    INT64_C(10000000000) /* memory grows only before this time */
#define DRAIN_S      4                    /* longer than a fault plus the delay of a sample */
#define ARM_ATTEMPTS 20
#define SECONDS(ns)  ((double)(ns)*1e-9)

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* struct soak - state of the program
 * @client: client of the main thread
 * @reader: clients of the last replies, because each reply is stored in its client */
struct soak {
    struct soak_options options;
    struct soak_rig rig;
    struct soak_witness witness;
    struct soak_bench bench;
    struct soak_faults faults;
    struct soak_explained explained;
    struct soak_counts counts;
    struct lk_client *client;
    struct lk_client *reader[3];
    char proof[256];
    int64_t begin_ns;
};

static void nap(int64_t ns)
{
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    nanosleep(&time, NULL);
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "soak: %s: %s\n", what, why);
    return 1;
}

/* ---- requests ---- */

/* Send a request.
 * Return: 0 if the daemon accepts it */
static int call(struct lk_client *client, Linkage__V1__ControlRequest *request, const char *what,
                const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_error error = {0};

    if (lk_client_call(client, request, ret_reply, &error))
        return complain(what, error.text);
    if ((*ret_reply)->result != LINKAGE__V1__RESULT__RESULT_OK)
        return complain(what, (*ret_reply)->text);
    return 0;
}

static int command(struct lk_client *client, Linkage__V1__ControlRequest__CommandCase which,
                   const char *what, const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_error error = {0};

    if (lk_client_command(client, which, ret_reply, &error))
        return complain(what, error.text);
    if ((*ret_reply)->result != LINKAGE__V1__RESULT__RESULT_OK)
        return complain(what, (*ret_reply)->text);
    return 0;
}

/* Return the text of the model with a step of 1 / rate. */
static char *read_model(const struct soak_options *options)
{
    size_t size = 1u << 20, n;
    char *text = calloc(1, size + 64), *at;
    FILE *in = fopen(options->model, "r");

    n = text && in ? fread(text, 1, size, in) : 0;
    if (in)
        fclose(in);
    at = n > 0 ? strstr(text, "step:") : NULL;
    if (!at) {
        free(text);
        return NULL;
    }
    memmove(at + 24, at + strcspn(at, ",}"), strlen(at + strcspn(at, ",}")) + 1);
    n = (size_t)snprintf(at, 24, "step: %.12g", 1 / options->rate);
    memset(at + n, ' ', 24 - n);
    return text;
}

static int load(struct soak *s)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest wish = LINKAGE__V1__LOAD_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    char *text = read_model(&s->options);
    int r;

    if (!text)
        return complain(s->options.model, "cannot be read, or has no step");
    wish.name = (char *)s->options.model;
    wish.text.data = (uint8_t *)text;
    wish.text.len = strlen(text);
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &wish;
    r = call(s->client, &request, "load", &reply);
    free(text);
    return r;
}

/* Arm the rig, with several attempts, because a busy machine may fail a proof. */
static int arm(struct soak *s)
{
    const Linkage__V1__ControlReply *reply;
    const char *text = "";

    while (s->counts.arm_attempts < ARM_ATTEMPTS && !interrupted) {
        Linkage__V1__ArmRequest wish = LINKAGE__V1__ARM_REQUEST__INIT;
        struct lk_error error = {0};

        wish.allow_degraded = true;
        s->counts.arm_attempts++;
        if (lk_client_arm(s->client, &wish, 120000, NULL, NULL, &reply, &error))
            return complain("arm", error.text);
        if (lk_client_is_armed(reply, &text)) {
            snprintf(s->proof, sizeof(s->proof), "%s", text);
            return 0;
        }
        fprintf(stderr, "soak: not armed: %s\n", text);
    }
    return complain("arm", "no budget; see above");
}

/* ---- a run ---- */

static void look_at_memory(struct soak *s)
{
    struct soak_memory memory;
    int64_t now_ns = lk_client_now_ns();

    soak_rig_check(&s->rig, &memory);
    if (memory.rss_kib == 0)
        return;
    s->counts.end = memory;
    if (s->counts.begin.rss_kib == 0 && now_ns - s->begin_ns > SETTLE_NS)
        s->counts.begin = memory;
    if (memory.rss_kib > s->counts.most_kib)
        s->counts.most_kib = memory.rss_kib;
}

/* Return: 0 to continue, 1 if the run is complete, -1 if it cannot continue */
static int attend(struct soak *s)
{
    const Linkage__V1__ControlReply *reply;
    int64_t now_ns = lk_client_now_ns() - s->begin_ns;

    if (!rig_process_lives(s->rig.pid)) {
        s->counts.alive = false;
        return -1;
    }
    if (soak_explain(&s->explained, s->client, &s->rig, &s->witness, &s->faults) ||
        soak_faults_follow(&s->faults, s->client, &s->options, now_ns) ||
        command(s->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, "status", &reply))
        return -1;
    look_at_memory(s);
    if (reply->status->state != LINKAGE__V1__STATE__STATE_RUNNING) {
        complain("the run has ended", reply->status->fault);
        return 1;
    }
    if (interrupted || (s->options.limit_s > 0 && SECONDS(now_ns) > s->options.limit_s))
        return 1;
    return reply->status->cycles >= s->options.cycles;
}

static int run(struct soak *s)
{
    const Linkage__V1__ControlReply *reply;
    int r;

    if (command(s->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_START, "start", &reply))
        return 1;
    s->begin_ns = lk_client_now_ns();
    soak_bench_speak(&s->bench);
    s->explained.next = 1;
    while ((r = attend(s)) == 0)
        nap(POLL_NS);
    if (r < 0)
        return 1;
    soak_bench_hush(&s->bench);
    for (int i = 0; i < DRAIN_S * 10; i++) {
        nap(100000000);
        if (soak_faults_end(&s->faults, s->client, &s->options, lk_client_now_ns() - s->begin_ns))
            return 1;
        if (soak_explain(&s->explained, s->client, &s->rig, &s->witness, &s->faults))
            return 1;
    }
    s->counts.seconds = SECONDS(lk_client_now_ns() - s->begin_ns);
    if (command(s->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP, "stop", &reply))
        return 1;
    look_at_memory(s);
    return soak_explain(&s->explained, s->client, &s->rig, &s->witness, &s->faults);
}

/* Read the replies for the report, each with a separate client, because a reply is valid only until
 * the client's next one. */
static int read_books(struct soak *s)
{
    static const Linkage__V1__ControlRequest__CommandCase which[3] = {
        LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE,
        LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS,
        LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS,
    };
    const Linkage__V1__ControlReply *reply[3] = {NULL};
    Linkage__V1__EvidenceRequest wish = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    struct lk_error error = {0};

    for (int i = 0; i < 3; i++) {
        Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;

        request.command_case = which[i];
        if (i == 0)
            request.evidence = &wish;
        else if (i == 1)
            request.status = &status;
        else
            request.inputs = &inputs;
        if (lk_client_open(s->rig.endpoint[0], 60000, &s->reader[i], &error) ||
            call(s->reader[i], &request, "counts", &reply[i]))
            return 1;
    }
    s->counts.evidence = reply[0]->evidence;
    s->counts.status = reply[1]->status;
    s->counts.inputs = reply[2]->inputs;
    return 0;
}

static int report(struct soak *s)
{
    int r = read_books(s);

    nap(1000000000); /* wait for the last output samples */
    soak_bench_stop(&s->bench);
    soak_witness_stop(&s->witness);
    getloadavg(s->counts.load, 3);
    if (r)
        return 2;
    s->counts.options = &s->options;
    s->counts.bench = &s->bench;
    s->counts.faults = &s->faults;
    s->counts.explained = &s->explained;
    s->counts.witness = &s->witness;
    s->counts.proof = s->proof;
    soak_judge(&s->counts);
    soak_report(&s->counts);
    if (soak_report_json(&s->counts))
        return 2;
    return s->counts.n_trouble > 0;
}

static int prepare(struct soak *s)
{
    struct lk_error error = {0};

    s->counts.alive = true;
    soak_faults_init(&s->faults, &s->options);
    if (soak_rig_start(&s->rig, &s->options))
        return 1;
    if (lk_client_open(s->rig.endpoint[0], 60000, &s->client, &error))
        return complain("control", error.text);
    return load(s) || arm(s) || soak_witness_start(&s->witness, s->options.core) ||
           soak_bench_start(&s->bench, &s->rig, &s->options);
}

static int soak(struct soak *s)
{
    int status = 2, ended;

    if (prepare(s) == 0) {
        if (run(s))
            fprintf(stderr, "soak: the run did not go to its end\n");
        status = report(s);
    }
    for (int i = 0; i < 3; i++)
        lk_client_close(s->reader[i]);
    lk_client_close(s->client);
    soak_witness_fini(&s->witness);
    ended = soak_rig_end(&s->rig);
    if (ended)
        fprintf(stderr, "soak: the daemon ended with status %d\n", ended);
    return ended && status == 0 ? 1 : status;
}

/* ---- command line ---- */

static void print_usage(FILE *out)
{
    fputs("usage: soak [OPTION]...\n"
          "  --cycles N     of the run (1e8)\n"
          "  --rate HZ      of the cycle (20000)\n"
          "  --limit S      end after so many seconds all the same (0: never)\n"
          "  --faults N     on purpose, a minute (4; 0: none)\n"
          "  --samples HZ   that the bench sends (500; 0: none)\n"
          "  --divisor N    an output sample every so many cycles (1)\n"
          "  --seed N       of the faults: the same seed, the same ones (1)\n"
          "  --core N       of the cycle (the last one)\n"
          "  --wake HOW     sleep, hybrid or spin (sleep)\n"
          "  --model FILE   with one input of one scalar, `motor`\n"
          "  --daemon FILE  linkaged\n"
          "  --json FILE    the report for programs, too\n",
          out);
}

static bool take_number(const char *text, double low, double high, double *ret)
{
    char *end;

    *ret = strtod(text, &end);
    return end != text && *end == '\0' && *ret >= low && *ret <= high;
}

static int take_option(struct soak_options *o, int option, const char *text)
{
    double n = 0;
    bool good = true;

    switch (option) {
    case 'c':
        good = take_number(text, 1, 1e15, &n);
        o->cycles = (uint64_t)n;
        break;
    case 'r':
        good = take_number(text, 1, 1e5, &o->rate);
        break;
    case 'l':
        good = take_number(text, 0, 1e9, &o->limit_s);
        break;
    case 'f':
        good = take_number(text, 0, 60, &o->faults);
        break;
    case 's':
        good = take_number(text, 0, 1000, &o->samples);
        break;
    case 'S':
        good = take_number(text, 0, 1e15, &n);
        o->seed = (uint64_t)n;
        break;
    case 'C':
        good = take_number(text, 0, (double)sysconf(_SC_NPROCESSORS_CONF) - 1, &n);
        o->core = (int)n;
        break;
    case 'D':
        good = take_number(text, 1, 1e6, &n);
        o->divisor = (uint64_t)n;
        break;
    case 'w':
        o->wake = text;
        break;
    case 'm':
        o->model = text;
        break;
    case 'd':
        o->daemon = text;
        break;
    case 'j':
        o->json = text;
        break;
    default:
        good = false;
    }
    if (!good)
        print_usage(stderr);
    return good ? 0 : 2;
}

static int parse(int argc, char *argv[], struct soak_options *o)
{
    static const struct option options[] = {
        {"cycles", required_argument, NULL, 'c'},
        {"rate", required_argument, NULL, 'r'},
        {"limit", required_argument, NULL, 'l'},
        {"faults", required_argument, NULL, 'f'},
        {"samples", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'S'},
        {"core", required_argument, NULL, 'C'},
        {"wake", required_argument, NULL, 'w'},
        {"model", required_argument, NULL, 'm'},
        {"daemon", required_argument, NULL, 'd'},
        {"json", required_argument, NULL, 'j'},
        {"divisor", required_argument, NULL, 'D'},
        {0},
    };
    int option, r = 0;

    while (r == 0 && (option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        r = take_option(o, option, optarg);
    if (r == 0 && optind < argc) {
        print_usage(stderr);
        r = 2;
    }
    return r;
}

int main(int argc, char *argv[])
{
    static struct soak s;
    const struct sigaction action = {.sa_handler = interrupt};

    s.options = (struct soak_options){
        .cycles = 100000000,
        .rate = 20000,
        .faults = 4,
        .samples = 500,
        .seed = 1,
        .divisor = 1,
        .core = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1,
        .wake = "sleep",
        .daemon = SOAK_DAEMON,
        .model = SOAK_MODEL,
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return parse(argc, argv, &s.options) ? 2 : soak(&s);
}

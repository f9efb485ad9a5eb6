/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-gateway: command line, threads, and their end. See README.md. */
#include "gateway.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"
#include "tls.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: linkage-gateway [OPTION]...\n"
    "Serves an operator's page and viewers of a daemon (Foxglove websocket protocol), on\n"
    "loopback or with TLS. Prints the addresses of the page: one to look, one to operate.\n"
    "\n"
    "  --endpoint ADDRESS     control endpoint of the daemon; $LINKAGE_ENDPOINT, else\n"
    "                         tcp://127.0.0.1:5600\n"
    "  --inputs ADDRESS       its inputs; by default the port after that of control\n"
    "  --outputs ADDRESS      its outputs; by default the one after that\n"
    "  --server-key FILE      public key of the daemon\n"
    "  --key FILE             secret key of this client: of role read to look, control to operate\n"
    "  --port NUMBER          to listen at; 8765\n"
    "  --address ADDRESS      and where; 127.0.0.1. One that others reach needs all of the next "
    "three\n"
    "  --tls-cert FILE        certificate of this server with its chain, PEM\n"
    "  --tls-key FILE         its private key, which others may not read\n"
    "  --tls-clients FILE     only who has a certificate of this authority may connect, and looks\n"
    "  --operator NAME        the common name (CN) of one of these certificates: it may operate; "
    "up\n"
    "                         to 16 times\n"
    "  --rate NUMBER          samples a second that viewers get at most; 60\n"
    "  --allow-origin ORIGIN  pages of another site may connect, as https://app.foxglove.dev;\n"
    "                         up to 8 times\n"
    "  --recordings FOLDER    where the daemon of this machine records, to download from the page\n"
    "  --roads FOLDER         where files of roads are that a model names, as for the daemon\n"
    "  --help                 this page\n"
    "  --version              and the commit of its sources\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 failed, 2 wrong use.\n";

static struct gate_hub hub;

/* Handle a signal. lws_cancel_service() only writes to a pipe, which is permitted in a signal
 * handler. */
static void stop(int number)
{
    (void)number;
    hub.stop = true;
    if (hub.wake != NULL)
        hub.wake(hub.web);
}

static int usage(const char *what, const char *text)
{
    complain("%s '%s'; try: linkage-gateway --help", what, text);
    return 2;
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    char what[96];

    if (expected == NULL)
        snprintf(what, sizeof(what), "--%s: too many of them:", row->name);
    else
        snprintf(what, sizeof(what), "--%s: expected %s, not", row->name, expected);
    return usage(what, text);
}

/* Parse and check the command line. Return: status, as options_parse(). */
static int read_options(struct gate_options *options, int argc, char **argv)
{
    const struct option_row rows[] = {
        {"endpoint", .text = &options->endpoint},
        {"inputs", .text = &options->inputs},
        {"outputs", .text = &options->outputs},
        {"recordings", .text = &options->recordings},
        {"server-key", .text = &options->server_key},
        {"key", .text = &options->key},
        {"port", .integer = &options->port, .low = 1, .high = 65535,
         .expected = "a number from 1 to 65535"},
        {"address", .text = &options->address},
        {"tls-cert", .text = &options->tls_cert},
        {"tls-key", .text = &options->tls_key},
        {"tls-clients", .text = &options->tls_clients},
        {"operator", .list = options->operators, .n = &options->n_operators,
         .most = GATE_OPERATORS},
        {"rate", .number = &options->rate, .low = 0.1, .high = 1000},
        {"allow-origin", .list = options->origin, .n = &options->n_origins, .most = GATE_ORIGINS},
        {"roads", .text = &options->roads},
        {"help", .print = usage_text},
        {"version", .program = "linkage-gateway"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value};
    int status = options_parse(argc, argv, &table);

    if (status == 0 && optind < argc)
        return usage("no argument is expected, not", argv[optind]);
    if (status == 0 && (options->server_key != NULL) != (options->key != NULL))
        return usage("--server-key and --key belong together, given is only",
                     options->key != NULL ? options->key : options->server_key);
    return status;
}

static int open_clients(struct gate_line *line, const struct lk_client_options *keys,
                        struct lk_error *ret_error)
{
    const char *endpoint = line->options->endpoint;
    int code = lk_client_open_with(endpoint, GATE_TIMEOUT_MS, keys, &line->follower, ret_error);

    if (code == 0)
        code = lk_client_open_with(endpoint, GATE_TIMEOUT_MS, keys, &line->poller, ret_error);
    if (code == 0)
        code = lk_client_open_with(endpoint, GATE_TIMEOUT_MS, keys, &line->operator, ret_error);
    return code;
}

int gate_line_open(struct gate_line *line, struct lk_error *ret_error)
{
    const struct gate_options *options = line->options;
    struct lk_client_keyring ring;
    int code = 0;

    if (options->inputs != NULL)
        snprintf(line->inputs, sizeof(line->inputs), "%s", options->inputs);
    else
        lk_client_inputs_endpoint(options->endpoint, line->inputs); /* "" if it cannot be derived */
    if (options->outputs != NULL)
        snprintf(line->outputs, sizeof(line->outputs), "%s", options->outputs);
    else
        code = lk_client_outputs_endpoint(options->endpoint, line->outputs);
    if (code != 0) {
        lk_error_set(ret_error, "--outputs is wanted beside --endpoint %s", options->endpoint);
        return code;
    }
    if (options->key == NULL)
        return open_clients(line, NULL, ret_error);
    code = lk_client_keyring_read(options->server_key, options->key, &ring, ret_error);
    if (code != 0)
        return code;
    code = open_clients(line, &ring.options, ret_error);
    lk_client_keyring_wipe(&ring);
    return code;
}

void gate_line_close(struct gate_line *line)
{
    lk_client_close(line->follower);
    lk_client_close(line->poller);
    lk_client_close(line->operator);
}

/* Start a thread with all signals blocked, because only the main thread handles signals. */
static int start_thread(pthread_t *thread, void *(*run)(void *line), struct gate_line *line)
{
    sigset_t all, before;
    int r;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r = pthread_create(thread, NULL, run, line);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r != 0)
        complain("no thread: %s", strerror(r));
    return r != 0;
}

static int serve(struct gate_line *line)
{
    const struct sigaction action = {.sa_handler = stop};
    void *(*const run[])(void *) = {gate_follow, gate_poll, gate_operate};
    pthread_t thread[3];
    int n = 0, status = 0;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (n < 3 && status == 0) {
        status = start_thread(&thread[n], run[n], line);
        n += status == 0;
    }
    if (status == 0)
        status = gate_web_run(line->options, &hub);
    hub.stop = true;
    while (n > 0)
        pthread_join(thread[--n], NULL);
    return status;
}

int main(int argc, char **argv)
{
    const char *endpoint = getenv("LINKAGE_ENDPOINT");
    struct gate_options options = {.endpoint = endpoint && *endpoint ? endpoint : LK_CLIENT_CONTROL,
                                   .port = GATE_PORT,
                                   .address = GATE_ADDRESS,
                                   .rate = GATE_RATE};
    struct gate_line line = {.options = &options, .hub = &hub};
    struct lk_error error;
    int status = read_options(&options, argc, argv);

    if (status != 0)
        return options_status(status);
    status = tls_check(&options, &error);
    if (status != 0) {
        complain("%s", error.text);
        return status;
    }
    gate_hub_init(&hub);
    if (lk_stacks_prepare(&error) == 0 && gate_line_open(&line, &error) == 0) {
        status = serve(&line);
    } else {
        complain("%s", error.text);
        status = 1;
    }
    gate_line_close(&line);
    gate_hub_fini(&hub);
    return status;
}

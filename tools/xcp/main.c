/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-xcp: an XCP slave on Ethernet for a daemon. See README.md. */
#include "line.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define WAIT_MS 100 /* longest wait between two checks for due work */

static volatile sig_atomic_t stop_asked;

static const char usage_text[] =
    "usage: linkage-xcp [OPTION]...\n"
    "A slave of XCP on Ethernet (UDP and TCP) for a daemon: outputs are measured, inputs and\n"
    "tunable parameters calibrated. A master gets the A2L file from it by GET_ID.\n"
    "\n"
    "  --endpoint ADDRESS    control endpoint of the daemon; $LINKAGE_ENDPOINT, else\n"
    "                        tcp://127.0.0.1:5600\n"
    "  --outputs ADDRESS     its outputs; by default two ports after that of control\n"
    "  --server-key FILE     public key of the daemon\n"
    "  --key FILE            secret key of this client: of role read to measure, control to set\n"
    "  --port NUMBER         to listen at; 5555\n"
    "  --address ADDRESS     and where, IPv4; 127.0.0.1. XCP has neither keys nor encryption: one\n"
    "                        that others reach needs --master\n"
    "  --master ADDRESS      only from there masters are heard; up to 8 times\n"
    "  --help                this page\n"
    "  --version             and the commit of its sources\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 failed, 2 wrong use.\n";

/* struct options - the command line. */
struct options {
    const char *endpoint;
    const char *outputs;
    const char *server_key;
    const char *key;
    const char *address;
    struct in_addr here;
    int port;
};

static void stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int usage(const char *what, const char *text)
{
    complain("%s '%s'; try: linkage-xcp --help", what, text);
    return 2;
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    char what[96];

    snprintf(what, sizeof(what), "--%s: expected %s, not", row->name, expected);
    return usage(what, text);
}

static int add_master(const struct option_row *row, const char *text)
{
    struct xcp_ports *ports = row->data;

    if (ports->n_allowed == XCP_MASTERS)
        return usage("--master: too many of them:", text);
    if (inet_pton(AF_INET, text, &ports->allowed[ports->n_allowed]) != 1)
        return refuse_value(row, text, "an address like 192.168.7.2");
    ports->n_allowed++;
    return 0;
}

/* Check the options. The wildcard address is refused, because the A2L file must contain the real
 * address. An address other than loopback requires a list of permitted masters. */
static int check_options(struct options *options, const struct xcp_ports *ports)
{
    if ((options->server_key != NULL) != (options->key != NULL))
        return usage("--server-key and --key belong together, given is only",
                     options->key != NULL ? options->key : options->server_key);
    if (inet_pton(AF_INET, options->address, &options->here) != 1 ||
        options->here.s_addr == INADDR_ANY)
        return usage("--address: expected that of one interface, like 192.168.7.1, not",
                     options->address);
    if ((ntohl(options->here.s_addr) >> 24) != 127 && ports->n_allowed == 0)
        return usage("--master is wanted beside --address", options->address);
    return 0;
}

/* Parse the command line. Return: status, as options_parse(). */
static int read_options(struct options *options, struct xcp_ports *ports, int argc, char **argv)
{
    const struct option_row rows[] = {
        {"endpoint", .text = &options->endpoint},
        {"outputs", .text = &options->outputs},
        {"server-key", .text = &options->server_key},
        {"key", .text = &options->key},
        {"port", .integer = &options->port, .low = 1, .high = 65535,
         .expected = "a number from 1 to 65535"},
        {"address", .text = &options->address},
        {"master", .take = add_master, .data = ports},
        {"help", .print = usage_text},
        {"version", .program = "linkage-xcp"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value};
    int status = options_parse(argc, argv, &table);

    if (status == 0 && optind < argc)
        return usage("no argument is expected, not", argv[optind]);
    return status != 0 ? status : check_options(options, ports);
}

static int open_line(struct xcp_line *line, const struct options *options, struct lk_error *error)
{
    struct lk_client_keyring ring;
    int code;

    if (options->key == NULL)
        return xcp_line_open(line, options->endpoint, options->outputs, NULL, error);
    code = lk_client_keyring_read(options->server_key, options->key, &ring, error);
    if (code != 0)
        return code;
    code = xcp_line_open(line, options->endpoint, options->outputs, &ring.options, error);
    lk_client_keyring_wipe(&ring);
    return code;
}

static bool send_packet(void *context, const uint8_t *packet, size_t size)
{
    const struct xcp_line *line = context;

    return xcp_ports_send(line->ports, packet, size);
}

static bool fit_packets(void *context, size_t size)
{
    const struct xcp_line *line = context;

    return xcp_ports_fit(line->ports, size);
}

static void serve(struct xcp_line *line)
{
    const struct sigaction action = {.sa_handler = stop};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fprintf(stderr, "linkage-xcp: masters are served at %s:%d, UDP and TCP\n", line->address,
            line->port);
    while (!stop_asked) {
        zmq_pollitem_t items[2 + XCP_POLL_ITEMS];
        int n = xcp_line_poll(line, items);

        n += xcp_ports_poll(line->ports, items + n);
        zmq_poll(items, n, WAIT_MS);
        xcp_line_serve(line, lk_client_now_ns());
        xcp_ports_serve(line->ports, lk_client_now_ns());
    }
}

int main(int argc, char **argv)
{
    static struct xcp_slave slave;
    static struct xcp_ports ports = {
        .slave = &slave, .udp = -1, .tcp = -1, .master = XCP_NOBODY, .heard_ns = 0};
    static struct xcp_line line = {.ports = &ports, .slave = &slave};
    const char *endpoint = getenv("LINKAGE_ENDPOINT");
    struct options options = {.endpoint = endpoint && *endpoint ? endpoint : LK_CLIENT_CONTROL,
                              .address = "127.0.0.1",
                              .port = 5555};
    struct lk_error error;
    int status = read_options(&options, &ports, argc, argv);

    if (status != 0)
        return options_status(status);
    xcp_slave_init(&slave, &(const struct xcp_calls){.context = &line,
                                                     .write = xcp_line_write,
                                                     .fits = fit_packets,
                                                     .send = send_packet});
    line.address = options.address;
    line.port = options.port;
    if (lk_stacks_prepare(&error) == 0 &&
        xcp_ports_open(&ports, options.here, options.port, &error) == 0 &&
        open_line(&line, &options, &error) == 0) {
        serve(&line);
    } else {
        complain("%s", error.text);
        status = 1;
    }
    xcp_line_close(&line);
    xcp_ports_close(&ports);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-can: outputs and inputs of a daemon as messages of a CAN bus. See README.md. */
#include "can_explain.h"
#include "can_model.h"
#include "can_rig.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIBE_MS 2000

static volatile sig_atomic_t stop_asked;

static const char usage_text[] =
    "usage: linkage-can --dbc FILE --interface NAME [OPTION]...\n"
    "       linkage-can --check --dbc FILE [OPTION]... [MODEL.yaml]\n"
    "Outputs and inputs of a daemon as messages of a CAN bus, as a DBC file has them.\n"
    "\n"
    "  --dbc FILE            the messages and their signals\n"
    "  --interface NAME      of the bus: can0; or unix:PATH, a socket (SOCK_SEQPACKET) of a "
    "program\n"
    "                        that is the bus: a packet is a frame of linux/can.h\n"
    "  --node NAME           of the file, that this is: its messages are sent, all others "
    "received\n"
    "  --map FILE            what the DBC file does not say: channels, cycles, counters, "
    "checksums\n"
    "  --check               print what is sent and received, for the model file or the daemon's\n"
    "                        model, with warnings, and end\n"
    "  --endpoint ADDRESS    control endpoint of the daemon; $LINKAGE_ENDPOINT, else\n"
    "                        tcp://127.0.0.1:5600\n"
    "  --inputs ADDRESS      its inputs and\n"
    "  --outputs ADDRESS     outputs; by default one and two ports after that of control\n"
    "  --server-key FILE     public key of the daemon\n"
    "  --key FILE            secret key of this client: of role read to send, bench to receive\n"
    "  --help                this page\n"
    "  --version             and the commit of its sources\n"
    "\n"
    "Ended by a signal it prints counts, as one line of JSON.\n"
    "Exit status: 0 ended by a signal, or checked; 1 failed, 2 wrong use.\n";

/* struct options - options of the command line. @model: path of a model for --check, NULL: the
 * model of the daemon */
struct options {
    const char *dbc;
    const char *map;
    const char *interface;
    const char *node;
    const char *endpoint;
    const char *inputs;
    const char *outputs;
    const char *server_key;
    const char *key;
    const char *model;
    bool is_check;
};

static void stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int usage(const char *what, const char *text)
{
    complain("%s '%s'; try: linkage-can --help", what, text);
    return 2;
}

static int fail(const struct lk_error *error)
{
    complain("%s", error->text);
    return 1;
}

/* ---- the command line ---- */

static int check_options(const struct options *options)
{
    if (options->dbc == NULL)
        return usage("missing:", "--dbc");
    if (!options->is_check && options->interface == NULL)
        return usage("missing:", "--interface");
    if ((options->server_key != NULL) != (options->key != NULL))
        return usage("--server-key and --key belong together, given is only",
                     options->key != NULL ? options->key : options->server_key);
    return 0;
}

/* Parse the command line.
 * Return: as options_parse(). */
static int read_options(struct options *options, int argc, char **argv)
{
    const struct option_row rows[] = {
        {"dbc", .text = &options->dbc},
        {"interface", .text = &options->interface},
        {"node", .text = &options->node},
        {"map", .text = &options->map},
        {"check", .flag = &options->is_check},
        {"endpoint", .text = &options->endpoint},
        {"inputs", .text = &options->inputs},
        {"outputs", .text = &options->outputs},
        {"server-key", .text = &options->server_key},
        {"key", .text = &options->key},
        {"help", .print = usage_text},
        {"version", .program = "linkage-can"},
        {NULL},
    };
    int status = options_parse(argc, argv, &(const struct option_table){rows});

    if (status != 0)
        return status;
    if (optind < argc && options->is_check)
        options->model = argv[optind++];
    if (optind < argc)
        return usage("no argument is expected, not", argv[optind]);
    return check_options(options);
}

/* ---- reading of the files ---- */

static int read_map(const char *path, struct can_map *map)
{
    static struct lk_errors errors;

    if (path == NULL || can_map_read(path, map, &errors) == 0)
        return 0;
    for (int i = 0; i < errors.n; i++)
        fail(&errors.line[i]);
    return 1;
}

/* Derive the endpoints that are not given from the control endpoint. */
static int find_endpoints(const struct options *options, struct lk_client_bench_setup *setup)
{
    static char inputs[LK_CLIENT_ENDPOINT_SIZE], outputs[LK_CLIENT_ENDPOINT_SIZE];

    setup->control = options->endpoint;
    setup->inputs = options->inputs;
    setup->outputs = options->outputs;
    if (setup->inputs == NULL) {
        if (lk_client_inputs_endpoint(options->endpoint, inputs) != 0)
            return usage("--inputs is wanted beside --endpoint", options->endpoint);
        setup->inputs = inputs;
    }
    if (setup->outputs == NULL) {
        if (lk_client_outputs_endpoint(options->endpoint, outputs) != 0)
            return usage("--outputs is wanted beside --endpoint", options->endpoint);
        setup->outputs = outputs;
    }
    return 0;
}

/* ---- --check ---- */

static int describe(const struct lk_client_bench_setup *setup, struct can_channels *channels,
                    struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_client *client = NULL;
    int code = lk_client_open_with(setup->control, DESCRIBE_MS, setup->keys, &client, error);

    if (code == 0)
        code = lk_client_command(client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply,
                                 error);
    if (code == 0 && reply->description == NULL) {
        lk_error_set(error, "%s", reply->text);
        code = LK_CLIENT_E_REFUSED;
    }
    if (code == 0)
        code = can_rig_describe(reply->description, channels);
    lk_client_close(client);
    return code;
}

static int check(const struct options *options, const struct can_rig *rig)
{
    struct can_channels channels = {0};
    struct can_plan plan = {0};
    struct lk_error error = {"no memory for the channels"};
    char title[DBC_NAME_SIZE];
    int code = options->model != NULL ? can_model_read(options->model, &channels, title, &error)
                                      : describe(&rig->setup, &channels, &error);

    if (code == 0)
        code = can_plan_make(rig->dbc, rig->map, rig->node, &channels, &plan, &error);
    if (code == 0)
        can_explain(&plan, stdout);
    else
        fail(&error);
    can_plan_fini(&plan);
    can_channels_fini(&channels);
    return code != 0;
}

/* ---- at work ---- */

static int serve(struct can_rig *rig)
{
    const struct sigaction action = {.sa_handler = stop};
    int code = 0;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (code == 0 && !stop_asked) {
        zmq_pollitem_t items[CAN_POLL_ITEMS];
        int n = can_rig_poll(rig, items);

        zmq_poll(items, n, CAN_WAIT_MS);
        code = can_rig_serve(rig);
    }
    can_rig_count(rig);
    if (code != 0)
        complain("%s", strerror(-code));
    return code != 0;
}

static int run(const struct options *options, struct can_rig *rig)
{
    struct can_bus bus;
    struct lk_error error;
    int status = 1;

    if (options->is_check)
        return check(options, rig);
    if (can_bus_init(&bus, options->interface) != 0)
        return usage("--interface: expected can0, or unix:PATH, not", options->interface);
    rig->bus = &bus;
    if (can_bus_follow(&bus, NULL) == 0 && can_rig_open(rig, &error) == 0)
        status = serve(rig);
    else
        fail(&error);
    can_rig_close(rig);
    can_bus_fini(&bus);
    return status;
}

int main(int argc, char **argv)
{
    static struct can_rig rig;
    const char *endpoint = getenv("LINKAGE_ENDPOINT");
    struct options options = {.endpoint = endpoint && *endpoint ? endpoint : LK_CLIENT_CONTROL};
    struct lk_client_keyring ring = {0};
    struct can_map map = {0};
    struct dbc *dbc = NULL;
    struct lk_error error;
    int status = read_options(&options, argc, argv);

    if (status != 0)
        return options_status(status);
    if (lk_stacks_prepare(&error) != 0 || dbc_read(options.dbc, &dbc, &error) != 0 ||
        (options.key != NULL &&
         lk_client_keyring_read(options.server_key, options.key, &ring, &error) != 0))
        status = fail(&error);
    rig.dbc = dbc;
    rig.map = &map;
    rig.node = options.node;
    rig.setup.keys = options.key != NULL ? &ring.options : NULL;
    if (status == 0)
        status = read_map(options.map, &map);
    if (status == 0 && options.model == NULL)
        status = find_endpoints(&options, &rig.setup);
    if (status == 0)
        status = run(&options, &rig);
    can_map_fini(&map);
    dbc_free(dbc);
    lk_client_keyring_wipe(&ring);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* linkaged: start-up and shutdown; all other functions are in rt/, io/ and ctl/.
 *
 * Order of the start: block signals before any thread exists; lock memory before large blocks are
 * allocated; move this thread off the cycle's core before other threads and the line process
 * inherit its affinity; open the endpoints before READY. */
#include "config.h"
#include "cores.h"
#include "endpoint.h"
#include "exchange.h"
#include "files.h"
#include "identity.h"
#include "line.h"
#include "linkage/commit.h"
#include "linkage/document.h"
#include "linkage/parameters.h"
#include "linkage/host.h"
#include "linkage/nearest.h"
#include "linkage/stacks.h"
#include "log.h"
#include "orders.h"
#include "process.h"
#include "record.h"
#include "rig.h"
#include "security.h"
#include "segments.h"
#include "server.h"
#include "signals.h"
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: linkaged [--config FILE] [--check [--transfer FILE.csv]]\n"
    "\n"
    "Steps a multibody model in real time and trades inputs and outputs with test\n"
    "benches over ZeroMQ. See linkagectl for talking to it.\n"
    "\n"
    "  -c, --config FILE  configuration (YAML); without it all keys are at their default\n"
    "      --check        read the configuration, its keys and its model, look at its\n"
    "                     cores, folders and the outputs it asks for, show what the\n"
    "                     platform of cueing lets a driver feel, then exit\n"
    "      --transfer FILE.csv\n"
    "                     with it: write gain and phase over frequency to a new\n"
    "                     file; linkage plot draws it\n"
    "      --conditions   list all that the daemon reports, as Markdown, then exit\n"
    "      --catalog      the same as a catalog for journalctl -x\n"
    "  -h, --help         show this text\n"
    "  -V, --version      show the version\n"
    "\n"
    "Exit status: 0 ended as asked, or the check passed; 1 error; 2 wrong usage.\n"
    "With on_fault.exit in the configuration: 3 too many deadlines missed; 4 a step\n"
    "failed or passed a limit; 5 the cycle stood still. A cycle that still stands\n"
    "still at the end makes the status 5, too.\n"
    "SIGTERM, SIGINT, SIGQUIT and SIGXCPU end the daemon in order; SIGHUP makes it read\n"
    "its list of clients again; SIGUSR1 and all others without a use here, Ctrl-Z among\n"
    "them, cost a line in the log.\n";

struct daemon {
    struct lkd_config config;
    struct lkd_inputs inputs;
    struct lkd_rig rig;
    struct lkd_exchange *exchange;
    struct lkd_segments *segments;
    struct lkd_villas *villas;
    struct lkd_line *line;
    int signal_fd;
    int memory_error;
    struct lkd_identity identity;
    struct lkd_security security;
    int exit_status;
    struct lkd_placement placement;
    char exchange_normal[256];
};

static int check_keys(const struct lkd_config *config)
{
    struct lkd_identity identity;
    struct lkd_security security = {0};
    struct lk_error error = {0};
    int r;

    r = lkd_privileges_find(config->user, &identity, &error);
    if (r == 0)
        r = lkd_security_read(config, identity.uid, &security, &error);
    if (r)
        fprintf(stderr, "%s\n", r < 0 ? strerror(-r) : error.text);
    lkd_security_close(&security);
    return r;
}

/* Compile the configured model, and print every error in its text, one per line. */
static int check_text(const struct lkd_config *config)
{
    const char *path = config->model;
    struct lk_model *model = NULL;
    struct lk_errors errors;
    const char *roads = *config->cycle.roads ? config->cycle.roads : NULL;
    size_t size = 0;
    char *text = NULL;
    int is_flat, r = lk_model_text(path, NULL, 0, &is_flat, &text, &size, &errors);

    if (r == 0)
        r = lk_model_read_text_in(roads, path, text, size, &model, &errors);
    free(text);
    if (r < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(-r));
    for (int i = 0; i < errors.n; i++)
        fprintf(stderr, "%s\n", errors.line[i].text);
    lk_model_free(model);
    return r;
}

static int check_folder(const struct lkd_config *config, const char *key, const char *path)
{
    int fault = lkd_privileges_try_folder(path);
    bool is_his = fault == EACCES && *config->user;

    if (fault == 0)
        return 0;
    fprintf(stderr, "%s: %s: %s%s%s, expected a folder that can be written\n", key, path,
            strerror(fault), is_his ? " for user " : "", is_his ? config->user : "");
    return LK_E_TEXT;
}

/* Check the folders with the rights of the user that the daemon will run as. */
static int check_folders_as_served(const struct lkd_config *config)
{
    struct lkd_identity identity;
    struct lk_error error = {0};
    int r = lkd_privileges_find(config->user, &identity, &error);

    if (r) /* already reported by check_keys() */
        return r;
    r = lkd_privileges_drop(&identity, &error);
    if (r) {
        fprintf(stderr, "%s\n", error.text);
        return r;
    }
    r = check_folder(config, "evidence", config->evidence);
    r = lk_also(r, check_folder(config, "snapshots", config->snapshots));
    return lk_also(r, check_folder(config, "record", config->record.directory));
}

/* Check the folders in a child process, because dropped privileges cannot be regained. */
static int check_folders(const struct lkd_config *config)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        _exit(check_folders_as_served(config) ? LKD_EXIT_ERROR : LKD_EXIT_OK);
    if (child > 0 && waitpid(child, &status, 0) == child)
        return status == 0 ? 0 : LK_E_TEXT;
    perror("folders");
    return LK_E_TEXT;
}

/* Check that every configured slot of every motion receiver is an output of the model. */
static int check_motion(const struct lkd_config *config, const struct lkd_loaded *loaded)
{
    const struct lk_channel *outputs;
    int n_outputs, r = 0;

    outputs = lk_system_output_channels(loaded->system, &n_outputs);
    for (int i = 0; i < config->n_motion; i++) {
        for (int k = 0; k < LKD_MOTION_SLOTS; k++) {
            const struct lkd_motion_slot *slot = &config->motion[i].slot[k];
            struct lkd_motion_source source;

            if (!*slot->channel || lkd_motion_resolve(slot, outputs, n_outputs, &source))
                continue;
            fprintf(stderr, "motion: %s: model %s has no output %s%s%s\n",
                    config->motion[i].endpoint, loaded->name, slot->channel,
                    *slot->component ? "." : "", slot->component);
            r = LK_E_TEXT;
        }
    }
    return r;
}

/* Print a note for each rule of an input that the model lacks. This is no error, because the rule
 * may be for another model. */
static void note_unused_rules(const struct lkd_config *config, const struct lkd_loaded *loaded)
{
    const struct lkd_policy *policy = &config->cycle.policy;
    const struct lk_channel *inputs;
    int n;

    inputs = lk_system_input_channels(loaded->system, &n);
    for (int i = 0; i < policy->n_channels; i++) {
        const char *name = policy->channel[i].name;
        char meant[LK_MEANT_SIZE];
        bool found = false;

        for (int k = 0; k < n; k++)
            found = found || strcmp(inputs[k].name, name) == 0;
        if (!found)
            printf("note: inputs: channels: %s: model %s has no input of that name%s\n", name,
                   loaded->name, lk_meant(name, (const char *)inputs, sizeof(*inputs), n, meant));
    }
}

static int check_cueing(const struct lkd_config *config, const struct lkd_loaded *loaded)
{
    const struct lk_channel *outputs;
    const char *missing;
    int n_outputs, r = 0;

    if (!config->cueing.present)
        return 0;
    outputs = lk_system_output_channels(loaded->system, &n_outputs);
    if (lkd_cueing_sensor(&config->cueing, outputs, n_outputs) < 0) {
        fprintf(stderr, "cueing: model %s has no inertial-sensor '%s' among its outputs\n",
                loaded->name, config->cueing.names.sensor);
        r = LK_E_TEXT;
    }
    for (int i = 0; i < LK_WASHOUT_VALUES; i++) {
        lkd_cueing_gain(&config->cueing, i, outputs, n_outputs, &missing);
        if (!missing)
            continue;
        fprintf(stderr, "cueing: gains: model %s has no output '%s' of one value\n", loaded->name,
                missing);
        r = LK_E_TEXT;
    }
    return r;
}

/* Check whether a start would find its cores free. Cores used by a rig that runs with this file
 * count as free. */
static int check_cores(const struct lkd_config *config)
{
    struct lk_error error = {0};
    char note[512];
    int r = lkd_cores_check(config, note, sizeof(note), &error);

    if (r)
        fprintf(stderr, "%s\n", r < 0 ? strerror(-r) : error.text);
    else if (*note)
        printf("note: %s\n", note);
    return r;
}

static void print_warnings(const struct lk_findings *warnings)
{
    for (int i = 0; i < warnings->n; i++)
        printf("  [%s] %s: %s\n", warnings->list[i].id, warnings->list[i].where,
               warnings->list[i].text);
}

/* Print the transfer functions between the motion of the model and the cues that a platform gives
 * to the driver.
 * @table: path of the table of their gains and phases, NULL: none
 * Return: 0, LK_E_TEXT. */
static int show_cueing(const struct lkd_config *config, const char *table)
{
    struct lk_error error;
    int r = 0;

    lkd_config_print_cueing(&config->cueing, stdout);
    if (table)
        r = lkd_config_tabulate_cueing(&config->cueing, table, &error);
    if (r)
        fprintf(stderr, "%s\n", error.text);
    return r;
}

static int check_config(const struct lkd_config *config, const char *table)
{
    struct lkd_loaded *loaded;
    struct lk_errors errors = {0};
    int r;

    r = check_keys(config);
    r = lk_also(r, check_cores(config));
    r = lk_also(r, check_folders(config));
    if (r)
        return LKD_EXIT_ERROR;
    if (!*config->model) {
        printf("configuration ok\n");
        return show_cueing(config, table) ? LKD_EXIT_ERROR : LKD_EXIT_OK;
    }
    if (check_text(config))
        return LKD_EXIT_ERROR;
    r = lkd_loaded_new_file(config->model, &config->cycle, NULL, &loaded, &errors);
    if (r) {
        for (int i = 0; i < errors.n; i++)
            fprintf(stderr, "%s\n", errors.line[i].text);
        if (r < 0)
            fprintf(stderr, "%s\n", strerror(-r));
        return LKD_EXIT_ERROR;
    }
    r = lk_also(check_motion(config, loaded), check_cueing(config, loaded));
    if (r == 0) {
        printf("configuration ok, model %s ok\n", loaded->name);
        note_unused_rules(config, loaded);
        r = show_cueing(config, table);
        print_warnings(&loaded->warnings);
    }
    lkd_loaded_free(loaded);
    return r ? LKD_EXIT_ERROR : LKD_EXIT_OK;
}

/* Reserve the cores of the workers; all other threads avoid these cores.
 * Return: 0, LK_E_TEXT if refused (already logged), negative errno. */
static int place_workers(struct daemon *daemon)
{
    const struct lkd_placement *placement = &daemon->placement;
    struct lk_error error = {0};
    int r = lkd_cores_take(&daemon->config, &daemon->placement, &error);

    if (r > 0) {
        lkd_log(LKD_C_CORES_REFUSED, "%s", error.text);
        return LK_E_TEXT;
    }
    if (r)
        return r;
    for (int k = 0; k < placement->n_workers; k++) {
        r = lkd_realtime_avoid_core(placement->core[k]);
        if (r)
            lkd_log(LKD_C_CORE_NOT_AVOIDED, "core %d is not reserved for the cycle: %s",
                    placement->core[k], strerror(-r));
    }
    return lkd_cores_settle_exchange(&daemon->config, placement, &daemon->config.exchange,
                                     daemon->exchange_normal, sizeof(daemon->exchange_normal));
}

static int prepare_process(struct daemon *daemon)
{
    lkd_privileges_raise_descriptors();
    daemon->memory_error = -ENOTSUP;
    if (daemon->config.lock_memory) {
        daemon->memory_error = lkd_realtime_lock_memory();
        if (daemon->memory_error)
            lkd_log(LKD_C_MEMORY_NOT_LOCKED, "memory is not locked: %s",
                    strerror(-daemon->memory_error));
    }
    return place_workers(daemon);
}

static int log_refusal(enum lkd_condition_id condition, const struct lk_error *error, int r)
{
    if (r > 0)
        lkd_log(condition, "%s", error->text);
    return r;
}

/* Read all files that need the privileges of the start, then drop these privileges. Must run before
 * any other thread exists. */
static int drop_privileges(struct daemon *daemon)
{
    const struct lkd_config *config = &daemon->config;
    struct lk_error error = {0};
    int r;

    r = lkd_privileges_find(config->user, &daemon->identity, &error);
    if (r)
        return log_refusal(LKD_C_PRIVILEGES_REFUSED, &error, r);
    r = lkd_security_read(config, daemon->identity.uid, &daemon->security, &error);
    if (r)
        return log_refusal(LKD_C_KEYS_REFUSED, &error, r);
    if (daemon->identity.change)
        lkd_realtime_keep_latency();
    r = lkd_privileges_drop(&daemon->identity, &error);
    if (r)
        return log_refusal(LKD_C_PRIVILEGES_REFUSED, &error, r);
    if (daemon->identity.change)
        lkd_log(LKD_C_PRIVILEGES_DROPPED, "serving as user %u", (unsigned int)geteuid());
    lkd_privileges_check_folder("evidence", config->evidence);
    lkd_privileges_check_folder("snapshots", config->snapshots);
    lkd_privileges_check_folder("record", config->record.directory);
    return 0;
}

/* Start the line process and open all endpoints. */
static int open_line(struct daemon *daemon)
{
    const struct lkd_config *config = &daemon->config;
    struct lkd_security *security = &daemon->security;
    const struct lkd_line_options options = {
        .endpoint = {[LKD_CHANNEL_CONTROL] = config->control,
                     [LKD_CHANNEL_INPUTS] = config->inputs,
                     [LKD_CHANNEL_OUTPUTS] = config->outputs,
                     [LKD_CHANNEL_VILLAS_INPUTS] = config->villas.inputs,
                     [LKD_CHANNEL_VILLAS_OUTPUTS] = config->villas.outputs},
        .secret = security->clients ? security->secret : NULL,
        .clients = security->clients,
        .clear_text = config->villas.clear_text,
        .samples = config->exchange,
        .memory = config->line_memory,
    };
    struct lk_error error = {0};
    int r;

    r = lkd_line_open(&options, &daemon->line, &error);
    if (r == 0)
        lkd_security_serve(security, daemon->line);
    return log_refusal(LKD_C_ENDPOINT_REFUSED, &error, r);
}

/* Receive samples from the inputs, and open the endpoints of a gateway. */
static int open_neighbours(struct daemon *daemon)
{
    int r;

    r = lkd_segments_new(&daemon->segments);
    if (r)
        return r;
    lkd_inputs_listen(&daemon->inputs, lkd_segments_received, daemon->segments);
    return lkd_villas_open(&daemon->config.villas, &daemon->inputs,
                           lkd_line_port(daemon->line, LKD_CHANNEL_VILLAS_INPUTS),
                           lkd_line_port(daemon->line, LKD_CHANNEL_VILLAS_OUTPUTS),
                           &daemon->villas);
}

/* Load the configured model and start it if `autostart` is set.
 * Return: 0; LK_E_TEXT if the model or its start was refused (already logged); -ECANCELED if a
 * signal ended the load. */
static int load_and_start(struct daemon *daemon)
{
    struct lkd_answer answer;
    int r;

    if (!*daemon->config.model)
        return 0;
    r = 0;
    if (lkd_rig_load_file(&daemon->rig, daemon->config.model, &answer))
        r = lkd_server_await_load(&daemon->rig, daemon->signal_fd, &answer);
    if (r)
        return r;
    if (answer.result != LINKAGE__V1__RESULT__RESULT_OK)
        return LK_E_TEXT;
    if (!daemon->config.autostart)
        return 0;
    /* The run starts as soon as the budget is proven. If the proof fails, the server ends. */
    daemon->rig.start_armed = true;
    lkd_rig_arm(&daemon->rig, daemon->config.mode, false, 0, &answer);
    if (answer.result == LINKAGE__V1__RESULT__RESULT_OK)
        return 0;
    lkd_log(LKD_C_MODEL_NOT_STARTED, "start refused: %s", answer.text);
    return LK_E_TEXT;
}

static int start_exchange(struct daemon *daemon)
{
    struct lkd_thread_wish thread = daemon->config.exchange;

    thread.priority = lkd_line_priority(daemon->line); /* 0 if the line process has none */
    return lkd_exchange_start(
        &(struct lkd_exchange_options){
            .inputs = &daemon->inputs,
            .inputs_port = lkd_line_port(daemon->line, LKD_CHANNEL_INPUTS),
            .outputs_port = lkd_line_port(daemon->line, LKD_CHANNEL_OUTPUTS),
            .thread = thread,
            .divisor = daemon->config.outputs_divisor,
            .newest_only = daemon->config.newest_only,
            .motion = daemon->config.motion,
            .n_motion = daemon->config.n_motion,
            .cueing = &daemon->config.cueing,
            .segments = daemon->segments,
            .villas = daemon->villas,
        },
        &daemon->exchange);
}

/* Create the rig, and serve requests until the end of the daemon.
 * Return: 0, LK_E_TEXT (already logged), negative errno. */
static int serve_rig(struct daemon *daemon)
{
    int r;

    lkd_rig_init(&daemon->rig, &daemon->config, &daemon->inputs, daemon->exchange,
                 &daemon->placement, daemon->memory_error);
    daemon->rig.security = &daemon->security;
    daemon->rig.line = daemon->line;
    daemon->rig.exchange_normal = daemon->exchange_normal;
    r = lkd_record_open(&daemon->rig, *daemon->config.source ? daemon->config.source : NULL);
    if (r == 0)
        r = lkd_files_open(&daemon->rig);
    if (r == 0)
        r = load_and_start(daemon);
    if (r == 0)
        r = lkd_server_run(&daemon->rig, lkd_line_port(daemon->line, LKD_CHANNEL_CONTROL),
                           daemon->signal_fd);
    return r == -ECANCELED ? 0 : r;
}

static void close_rig(struct daemon *daemon)
{
    daemon->exit_status = daemon->rig.exit_status;
    if (lkd_rig_fini(&daemon->rig)) {
        /* Free no memory, because the thread of the cycle may still use it. */
        lkd_log(LKD_C_CYCLE_STUCK, "ended with a cycle that stands still");
        lkd_files_close(&daemon->rig);
        lkd_record_close(&daemon->rig);
        /* If a fault happened earlier, its exit status has precedence. */
        _exit(daemon->exit_status != LKD_EXIT_OK ? daemon->exit_status : LKD_EXIT_WATCHDOG);
    }
    lkd_files_close(&daemon->rig);
    lkd_record_close(&daemon->rig);
}

static int serve_benches(struct daemon *daemon)
{
    int r = prepare_process(daemon);

    if (r == 0)
        r = drop_privileges(daemon);
    if (r == 0)
        r = open_line(daemon);
    if (r == 0)
        r = open_neighbours(daemon);
    if (r == 0)
        r = start_exchange(daemon);
    if (r)
        return r;
    r = serve_rig(daemon);
    close_rig(daemon);
    return r;
}

static void close_all(struct daemon *daemon)
{
    lkd_exchange_stop(daemon->exchange);
    lkd_villas_close(daemon->villas);
    lkd_inputs_fini(&daemon->inputs);
    lkd_segments_free(daemon->segments);
    lkd_line_close(daemon->line); /* sends the last sample, with state FAULT */
    lkd_security_close(&daemon->security);
    if (daemon->signal_fd >= 0)
        close(daemon->signal_fd);
}

static int run_daemon(const struct lkd_config *config)
{
    struct daemon daemon = {.config = *config, .signal_fd = -1};
    int r;

    lkd_inputs_init(&daemon.inputs);
    lkd_inputs_configure(&daemon.inputs, config->claims_optional, config->lease_ns);
    lkd_daemon_id();
    r = lkd_signals_open(&daemon.signal_fd);
    if (r == 0)
        r = serve_benches(&daemon);
    close_all(&daemon);
    if (r < 0)
        lkd_log(LKD_C_START_FAILED, "%s", strerror(-r));
    if (r == 0)
        lkd_log(LKD_C_ENDED, "ended");
    lkd_log_fini();
    return r ? LKD_EXIT_ERROR : daemon.exit_status;
}

static int wrong_usage(void)
{
    fputs("Try 'linkaged --help'.\n", stderr);
    return LKD_EXIT_USAGE;
}

/** struct command - the command line. @path: path of the configuration, or NULL
 * @table: path of the transfer functions of cueing, which a check writes, or NULL */
struct command {
    const char *path;
    bool check_only;
    const char *table;
};

#define GO_ON (-1)

/* Parse the command line.
 * Return: GO_ON, or the exit status if the command line is done or wrong. */
static int read_arguments(int argc, char *argv[], struct command *ret)
{
    enum { OPT_CHECK = 256, OPT_TRANSFER, OPT_CONDITIONS, OPT_CATALOG };
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"check", no_argument, NULL, OPT_CHECK},
        {"transfer", required_argument, NULL, OPT_TRANSFER},
        {"conditions", no_argument, NULL, OPT_CONDITIONS},
        {"catalog", no_argument, NULL, OPT_CATALOG},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "c:hV", options, NULL)) != -1) {
        switch (c) {
        case 'c':
            ret->path = optarg;
            break;
        case OPT_CHECK:
            ret->check_only = true;
            break;
        case OPT_TRANSFER:
            ret->table = optarg;
            break;
        case OPT_CONDITIONS:
            lkd_conditions_print(stdout);
            return LKD_EXIT_OK;
        case OPT_CATALOG:
            lkd_conditions_print_catalog(stdout);
            return LKD_EXIT_OK;
        case 'h':
            fputs(usage_text, stdout);
            return LKD_EXIT_OK;
        case 'V':
            printf("linkaged %s\n", lk_version_text());
            return LKD_EXIT_OK;
        default:
            return wrong_usage();
        }
    }
    if (optind < argc) {
        fprintf(stderr, "linkaged: unexpected argument '%s'\n", argv[optind]);
        return wrong_usage();
    }
    if (ret->table && !ret->check_only) {
        fputs("linkaged: --transfer is of --check\n", stderr);
        return wrong_usage();
    }
    return GO_ON;
}

/* Read the configuration, and log every error in it.
 * Return: as lkd_config_read_all(). */
static int read_config(const char *path, struct lkd_config *ret)
{
    struct lk_errors errors = {0};
    int r;

    lkd_config_default(ret);
    r = path ? lkd_config_read_all(path, ret, &errors) : 0;
    if (r < 0)
        lkd_log(LKD_C_CONFIG_REFUSED, "%s", strerror(-r));
    for (int i = 0; i < errors.n; i++)
        lkd_log(LKD_C_CONFIG_REFUSED, "%s", errors.line[i].text);
    return r;
}

static __attribute__((noinline)) int start_daemon(int argc, char *argv[])
{
    struct command command = {0};
    struct lkd_config config;
    int status;

    if (argc == 2 && strcmp(argv[1], LKD_LINE_ARGUMENT) == 0)
        return lkd_line_main();
    status = read_arguments(argc, argv, &command);
    if (status != GO_ON)
        return status;
    lkd_log_init();
    if (read_config(command.path, &config))
        return LKD_EXIT_ERROR;
    return command.check_only ? check_config(&config, command.table) : run_daemon(&config);
}

/* Use no large stack frame before the stack is known to be mapped. */
int main(int argc, char *argv[])
{
    struct lk_error error;

    if (lk_stacks_prepare(&error)) {
        fprintf(stderr, "linkaged: %s\n", error.text);
        return LKD_EXIT_ERROR;
    }
    return start_daemon(argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-fmu: uses a unit (FMU) as a bench of a daemon. This process unpacks the unit. A child
 * process loads the unit and calls it, because the unit may crash or never return. This process
 * supervises the child. See README.md. */
#include "linkage/stacks.h"
#include "message.h"
#include "numbers.h"
#include "option_table.h"
#include "play.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SETS_MAX 256
#define PATIENCE 2.0 /* time limit for a call of the unit [s] */

static const char usage_text[] =
    "usage: linkage-fmu FILE.fmu --map MAP... [options]\n"
    "  --map rig:OUTPUT=VARIABLE     an output of the daemon, CHANNEL or CHANNEL.COMPONENT, to a\n"
    "                                variable of the unit\n"
    "  --map unit:VARIABLE=INPUT     a variable of the unit to an input of the daemon, which is "
    "claimed\n"
    "  --set VARIABLE=NUMBER         a parameter of the unit, or the start of an input\n"
    "  --control ENDPOINT[,INPUTS,OUTPUTS]  of the daemon; $LINKAGE_ENDPOINT, else\n"
    "                                tcp://127.0.0.1:5600; the others by default the next two "
    "ports\n"
    "  --steps N                     in lockstep, so many steps; default: until the run ends\n"
    "  --realtime                    by the daemon's clock: an answer to every sample\n"
    "  --duration S                  in real time, for so long\n"
    "  --patience S                  a call of the unit that takes longer ends it; default 2\n"
    "  --server-key FILE, --key FILE  of a daemon with security\n"
    "  --help\n"
    "  --version\n"
    "Exit status: 0 done; 1 unit, map or run failed, one line says why; 2 wrong usage.\n";

/* struct job - the command line, and the folder of the unit.
 * @sets: arguments of --set, "NAME=NUMBER" */
struct job {
    struct play play;
    const char *path;
    const char *sets[SETS_MAX];
    int n_sets;
    double patience;
    const char *server_key;
    const char *key;
    struct lk_client_keyring keyring;
    char folder[PATH_MAX];
};

static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t child;

static void ask_stop(int number)
{
    stop_asked = 1;
    if (child > 0)
        kill(child, number);
}

bool play_is_over(void)
{
    return stop_asked != 0;
}

static int fail(const char *text)
{
    complain("%s", text);
    return 1;
}

static int usage(const char *what, const char *text)
{
    fprintf(stderr, "linkage-fmu: %s '%s'\n%s", what, text, usage_text);
    return 2;
}

/* ---- the command line ---- */

static int read_map(const struct option_row *row, const char *text)
{
    struct play *p = row->data;
    struct play_map *m = &p->map[p->n_maps];
    const char *sign = strrchr(text, '='), *colon = strchr(text, ':');
    char left[UNIT_NAME_SIZE];

    if (p->n_maps == PLAY_MAPS_MAX || sign == NULL || colon == NULL || sign < colon ||
        sign - colon >= UNIT_NAME_SIZE)
        return usage("not a map, or too many:", text);
    snprintf(left, sizeof(left), "%.*s", (int)(sign - colon - 1), colon + 1);
    m->to_unit = strncmp(text, "rig:", 4) == 0;
    if ((!m->to_unit && strncmp(text, "unit:", 5) != 0) || left[0] == '\0' || sign[1] == '\0' ||
        strlen(m->to_unit ? left : sign + 1) >= sizeof(m->channel) ||
        strlen(sign + 1) >= UNIT_NAME_SIZE)
        return usage("not a map:", text);
    strcpy(m->channel, m->to_unit ? left : sign + 1);
    strcpy(m->name, m->to_unit ? sign + 1 : left);
    p->n_maps++;
    return 0;
}

/* Read the endpoints. If only control is given, inputs and outputs are one and two ports above
 * it. */
static int read_endpoints(struct play *p, const char *text)
{
    int n = sscanf(text, "%95[^,],%95[^,],%95[^,]", p->endpoint[0], p->endpoint[1], p->endpoint[2]);

    if (n == 3)
        return 0;
    if (n != 1 || lk_client_inputs_endpoint(p->endpoint[0], p->endpoint[1]) != 0 ||
        lk_client_outputs_endpoint(p->endpoint[0], p->endpoint[2]) != 0)
        return usage("not an endpoint, or not three:", text);
    return 0;
}

static int read_control(const struct option_row *row, const char *text)
{
    return read_endpoints(row->data, text);
}

static int read_set(const struct option_row *row, const char *text)
{
    const char *sign = strrchr(text, '=');
    struct job *job = row->data;
    double number;

    if (job->n_sets == SETS_MAX || sign == NULL || !parse_number(sign + 1, &number))
        return usage("not a value, or too many:", text);
    job->sets[job->n_sets++] = text;
    return 0;
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    (void)row;
    return usage(expected, text);
}

static int refuse_unknown(int c, const char *word)
{
    (void)c;
    return usage("cannot use", word);
}

static int read_table(struct job *job, int argc, char **argv)
{
    struct play *play = &job->play;
    const struct option_row rows[] = {
        {"map", .take = read_map, .data = play},
        {"set", .take = read_set, .data = job},
        {"control", .take = read_control, .data = play},
        {"steps", .count = &play->steps, .low = 1, .high = 1e15,
         .expected = "not a number of steps:"},
        {"realtime", .flag = &play->realtime},
        {"duration", .number = &play->seconds, .low = OPTIONS_ABOVE_0, .high = DBL_MAX,
         .expected = "not a duration in seconds:"},
        {"patience", .number = &job->patience, .low = OPTIONS_ABOVE_0, .high = DBL_MAX,
         .expected = "not a time in seconds:"},
        {"server-key", .text = &job->server_key},
        {"key", .text = &job->key},
        {"help", .print = usage_text},
        {"version", .program = "linkage-fmu"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value, .unknown = refuse_unknown};

    return options_parse(argc, argv, &table);
}

static int read_options(struct job *job, int argc, char **argv)
{
    const char *endpoint = getenv("LINKAGE_ENDPOINT");
    int r = read_table(job, argc, argv);

    if (r == 0 && !*job->play.endpoint[0])
        r = read_endpoints(&job->play, endpoint && *endpoint ? endpoint : LK_CLIENT_CONTROL);
    if (r != 0)
        return r;
    if (optind != argc - 1)
        return usage("expected one unit, not", optind < argc ? argv[argc - 1] : "none");
    if (job->play.n_maps == 0)
        return usage("missing:", "--map");
    if (!job->server_key != !job->key)
        return usage("belong together:", "--server-key and --key");
    if (job->play.realtime ? job->play.steps > 0 : job->play.seconds > 0)
        return usage("does not fit:", job->play.realtime ? "--steps" : "--duration");
    job->path = argv[optind];
    return 0;
}

/* ---- the process that calls the unit ---- */

static int find_variables(struct play *p, const struct unit_description *d, struct lk_error *error)
{
    for (int i = 0; i < p->n_maps; i++) {
        struct play_map *m = &p->map[i];

        m->variable = unit_find(d, m->name);
        if (m->variable != NULL && (!m->to_unit || m->variable->causality == UNIT_INPUT))
            continue;
        lk_error_set(error, "the unit has no %s '%s', a scalar of type Real or Float64",
                     m->to_unit ? "input" : "variable", m->name);
        return 1;
    }
    return 0;
}

static int set_values(const struct job *job, const struct unit_description *d,
                      struct lk_error *error)
{
    for (int i = 0; i < job->n_sets; i++) {
        const char *sign = strrchr(job->sets[i], '=');
        const struct unit_variable *v;
        char name[UNIT_NAME_SIZE];

        snprintf(name, sizeof(name), "%.*s", (int)(sign - job->sets[i]), job->sets[i]);
        v = unit_find(d, name);
        if (v == NULL) {
            lk_error_set(error, "the unit has no variable '%s'", name);
            return 1;
        }
        if (unit_set(job->play.unit, v, strtod(sign + 1, NULL), error) != 0)
            return 1;
    }
    return 0;
}

static int play_unit(struct job *job, const struct unit_description *d, struct lk_error *error)
{
    struct play *p = &job->play;

    atomic_fetch_add(p->beat, 1);
    if (find_variables(p, d, error) != 0 || unit_open(job->folder, d, &p->unit, error) != 0 ||
        set_values(job, d, error) != 0 || unit_start(p->unit, error) != 0)
        return 1;
    atomic_fetch_add(p->beat, 1);
    if ((p->realtime ? play_realtime(p, error) : play_lockstep(p, error)) != 0)
        return 1;
    atomic_fetch_add(p->beat, 1);
    unit_close(p->unit);
    atomic_fetch_add(p->beat, 1);
    return 0;
}

/* Run the unit in this process. After a failure no function of the unit is called any more.
 * Return: exit status of the process. */
static int be_child(struct job *job, const struct unit_description *d)
{
    struct lk_error error = {""};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (lk_stacks_prepare(&error) != 0)
        return fail(error.text);
    if (job->key != NULL) {
        if (lk_client_keyring_read(job->server_key, job->key, &job->keyring, &error) != 0)
            return fail(error.text);
        job->play.keys = &job->keyring.options;
    }
    if (play_unit(job, d, &error) != 0)
        return fail(error.text);
    printf("{\"steps\": %llu", (unsigned long long)job->play.done);
    if (job->play.realtime)
        printf(", \"delay_median_s\": %.6g, \"delay_max_s\": %.6g", job->play.delay_median,
               job->play.delay_max);
    printf("}\n");
    fflush(stdout);
    return 0;
}

/* ---- the supervising process ---- */

static int judge_end(int status, bool is_stalled, double patience)
{
    char text[128];

    if (is_stalled)
        snprintf(text, sizeof(text), "the unit has not returned from a call for %g s: ended",
                 patience);
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof(text), "the unit ended its process: %s", strsignal(WTERMSIG(status)));
    else
        return WEXITSTATUS(status);
    return fail(text);
}

static double now_s(void)
{
    return 1e-9 * (double)lk_client_now_ns();
}

/* Wait for the end of the child. An odd beat that does not change for the time limit means that a
 * call does not return. */
static int watch(const struct job *job, pid_t pid)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    unsigned long seen = 0;
    double since_s = now_s();
    bool is_stalled = false;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        unsigned long beat = atomic_load(job->play.beat);

        if (beat != seen || beat % 2 == 0)
            since_s = now_s();
        seen = beat;
        if (!is_stalled && now_s() - since_s > job->patience) {
            is_stalled = true;
            kill(pid, SIGKILL);
        }
        nanosleep(&nap, NULL);
    }
    return judge_end(status, is_stalled, job->patience);
}

static int run_child(struct job *job, const struct unit_description *d)
{
    pid_t pid;

    job->play.beat = mmap(NULL, sizeof(*job->play.beat), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job->play.beat == MAP_FAILED)
        return fail(strerror(errno));
    pid = fork();
    if (pid < 0)
        return fail(strerror(errno));
    if (pid == 0)
        _exit(be_child(job, d));
    child = pid;
    if (stop_asked) /* the signal arrived before the child existed, so it was not passed on */
        kill(pid, SIGTERM);
    return watch(job, pid);
}

int main(int argc, char **argv)
{
    static struct job job = {.patience = PATIENCE};
    const struct sigaction action = {.sa_handler = ask_stop};
    struct unit_description description = {0};
    struct lk_error error = {""};
    const char *base = getenv("TMPDIR");
    int r = read_options(&job, argc, argv);

    if (r != 0)
        return options_status(r);
    snprintf(job.folder, sizeof(job.folder), "%.3000s/linkage-fmu-XXXXXX",
             base != NULL && base[0] == '/' ? base : "/tmp");
    sigaction(SIGINT, &action, NULL); /* so that the folder is removed */
    sigaction(SIGTERM, &action, NULL);
    if (mkdtemp(job.folder) == NULL)
        return fail(strerror(errno));
    if (unit_unpack(job.path, job.folder, &error) != 0 ||
        unit_describe(job.folder, &description, &error) != 0)
        r = stop_asked ? 0 : fail(error.text);
    else
        r = run_child(&job, &description);
    unit_description_fini(&description);
    unit_remove(job.folder);
    return r;
}

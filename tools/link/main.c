/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-link: couples two daemons, each with a part of a machine. See README.md. */
#include "link.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"

#include <float.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000

static volatile sig_atomic_t stop_asked;

static const char usage_text[] =
    "usage: linkage-link --left CONTROL[,INPUTS,OUTPUTS] --right CONTROL[,INPUTS,OUTPUTS]\n"
    "         [--steps N | --realtime [--duration S]] [KEYS] COUPLING...\n"
    "  --left CONTROL[,INPUTS,OUTPUTS]   a daemon; inputs and outputs by default the next two "
    "ports\n"
    "  --right CONTROL[,INPUTS,OUTPUTS]  the other one\n"
    "  --steps N                         in lockstep, so many steps; default: until a run ends\n"
    "  --realtime                        each daemon by its own clock\n"
    "  --duration S                      in real time, for so long\n"
    "  --left-server-key FILE            public key of a daemon with security, with\n"
    "  --left-key FILE                   our own secret key\n"
    "  --right-server-key FILE           likewise\n"
    "  --right-key FILE\n"
    "  --help, --version                 this page; the version with the commit of its sources\n"
    "couplings:\n"
    "  left:OUTPUT=INPUT    a number of the left side to an input of the right one; or right:\n"
    "  line:OUTPUT,INPUT=OUTPUT,INPUT,IMPEDANCE[,STEPS[,RATIO,RATIO[,START,START]]]\n"
    "                       a transmission line: left end, right end; coordinates, and the force\n"
    "                       inputs of impedances at them with damping: ratio^2 impedance.\n"
    "                       Ratios: 1, -1. Coordinates at the start: 0, 0\n";

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

bool link_stop_asked(void)
{
    return stop_asked != 0;
}

static int usage(const char *what, const char *text)
{
    fprintf(stderr, "linkage-link: %s '%s'\n%s", what, text, usage_text);
    return 2;
}

/* Copy the part of @text before one of the characters @ends to @word, and skip that character.
 * Return: the rest of the text; NULL: there is no word, or it is too long. */
static const char *take_word(const char *text, const char *ends, char *word, size_t size)
{
    size_t n = text ? strcspn(text, ends) : 0;

    if (text == NULL || n == 0 || n >= size)
        return NULL;
    memcpy(word, text, n);
    word[n] = '\0';
    return text[n] ? text + n + 1 : text + n;
}

static const char *take_number(const char *text, double *ret)
{
    char *end;

    if (text == NULL || !*text)
        return NULL;
    *ret = strtod(text, &end);
    if (end == text || (*end && *end != ',') || !isfinite(*ret))
        return NULL;
    return *end ? end + 1 : end;
}

static int read_signal(struct link *link, int from, const char *text)
{
    struct link_signal *s = &link->signal[link->n_signals];

    s->from = from;
    text = take_word(text, "=", s->out, sizeof(s->out));
    text = take_word(text, "", s->in, sizeof(s->in));
    if (text == NULL || *text)
        return 1;
    link->n_signals++;
    return 0;
}

static int read_line(struct link *link, const char *text)
{
    struct link_line *line = &link->line[link->n_lines];
    double steps = 1;

    *line = (struct link_line){.ratio = {1, -1}};
    text = take_word(text, ",", line->out[LINK_LEFT], sizeof(line->out[0]));
    text = take_word(text, "=", line->in[LINK_LEFT], sizeof(line->in[0]));
    text = take_word(text, ",", line->out[LINK_RIGHT], sizeof(line->out[0]));
    text = take_word(text, ",", line->in[LINK_RIGHT], sizeof(line->in[0]));
    text = take_number(text, &line->impedance);
    if (text != NULL && *text)
        text = take_number(text, &steps);
    if (text != NULL && *text)
        text = take_number(take_number(text, &line->ratio[0]), &line->ratio[1]);
    if (text != NULL && *text)
        text = take_number(take_number(text, &line->last[0]), &line->last[1]);
    if (text == NULL || *text || !(line->impedance > 0) || !(steps >= 1) ||
        steps > LINK_STEPS_MAX || steps != floor(steps) || line->ratio[0] * line->ratio[1] == 0)
        return 1;
    line->steps = (int)steps;
    link->n_lines++;
    return 0;
}

static int read_coupling(struct link *link, const char *text)
{
    if (link->n_signals + link->n_lines >= LINK_COUPLINGS_MAX)
        return 1;
    if (strncmp(text, "line:", 5) == 0)
        return read_line(link, text + 5);
    for (int side = 0; side < LINK_SIDES; side++) {
        size_t n = strlen(link_side_names[side]);

        if (strncmp(text, link_side_names[side], n) == 0 && text[n] == ':')
            return read_signal(link, side, text + n + 1);
    }
    return 1;
}

/* Read the endpoints. If only control is given, inputs and outputs are one and two ports above
 * it. */
static int read_endpoints(struct link_side *side, const char *text)
{
    for (int i = 0; i < 3 && text != NULL && *text; i++)
        text = take_word(text, ",", side->endpoint[i], sizeof(side->endpoint[i]));
    if (text == NULL || *text || !*side->endpoint[0])
        return 1;
    if (*side->endpoint[2])
        return 0;
    if (*side->endpoint[1] ||
        lk_client_inputs_endpoint(side->endpoint[0], side->endpoint[1]) != 0 ||
        lk_client_outputs_endpoint(side->endpoint[0], side->endpoint[2]) != 0)
        return 1;
    return 0;
}

static int read_side(const struct option_row *row, const char *text)
{
    return read_endpoints(row->data, text) == 0 ? 0 : usage("not an endpoint, or not three:", text);
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

static int read_table(struct link *link, int argc, char **argv)
{
    struct link_side *left = &link->side[LINK_LEFT], *right = &link->side[LINK_RIGHT];
    const struct option_row rows[] = {
        {"left", .take = read_side, .data = left},
        {"right", .take = read_side, .data = right},
        {"steps", .count = &link->steps, .low = 1, .high = 1e15,
         .expected = "not a number of steps:"},
        {"realtime", .flag = &link->realtime},
        {"duration", .number = &link->seconds, .low = OPTIONS_ABOVE_0, .high = DBL_MAX,
         .expected = "not a duration in seconds:"},
        {"left-server-key", .text = &left->server_key},
        {"right-server-key", .text = &right->server_key},
        {"left-key", .text = &left->key},
        {"right-key", .text = &right->key},
        {"help", .print = usage_text},
        {"version", .program = "linkage-link"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value, .unknown = refuse_unknown};

    return options_parse(argc, argv, &table);
}

static int read_options(struct link *link, int argc, char **argv)
{
    int r = read_table(link, argc, argv);

    if (r != 0)
        return r;
    for (int side = 0; side < LINK_SIDES; side++) {
        if (!*link->side[side].endpoint[0])
            return usage("missing:", "--left or --right");
        if (!link->side[side].server_key != !link->side[side].key)
            return usage("belong together:", side == LINK_LEFT
                                                 ? "--left-server-key and --left-key"
                                                 : "--right-server-key and --right-key");
    }
    if (link->realtime ? link->steps > 0 : link->seconds > 0)
        return usage("does not fit:", link->realtime ? "--steps" : "--duration");
    for (; optind < argc; optind++)
        if (read_coupling(link, argv[optind]) != 0)
            return usage("not a coupling:", argv[optind]);
    return link->n_signals + link->n_lines > 0 ? 0 : usage("missing:", "COUPLING");
}

static void print_result(const struct link *link)
{
    printf("{\"%s\": %llu", link->realtime ? "samples" : "steps", (unsigned long long)link->done);
    if (link->realtime)
        printf(", \"delay_median_s\": %.6g, \"delay_max_s\": %.6g", link->delay_median_s,
               link->delay_max_s);
    printf(", \"lines\": [");
    for (int i = 0; i < link->n_lines; i++) {
        printf("%s{\"left_j\": %.17g, \"right_j\": %.17g", i > 0 ? ", " : "",
               link->line[i].work[LINK_LEFT], link->line[i].work[LINK_RIGHT]);
        if (!link->realtime)
            printf(", \"under_way_j\": %.17g", link_energy(link, i));
        printf("}");
    }
    printf("]}\n");
}

static int read_keys(struct link_side *side, struct lk_error *error)
{
    if (side->key == NULL)
        return 0;
    side->keys = &side->keyring.options;
    return lk_client_keyring_read(side->server_key, side->key, &side->keyring, error);
}

static int open_clients(struct link *link, struct lk_error *error)
{
    int r = lk_stacks_prepare(error);

    for (int i = 0; i < LINK_SIDES && r == 0; i++) {
        struct link_side *side = &link->side[i];

        r = read_keys(side, error);
        if (r == 0 && !link->realtime)
            r = lk_client_open_with(side->endpoint[0], TIMEOUT_MS, side->keys, &side->client,
                                    error);
    }
    return r;
}

static void close_clients(struct link *link)
{
    for (int i = 0; i < LINK_SIDES; i++) {
        lk_client_close(link->side[i].client);
        lk_client_keyring_wipe(&link->side[i].keyring);
    }
}

int main(int argc, char **argv)
{
    static struct link link;
    const struct sigaction action = {.sa_handler = ask_stop};
    struct lk_error error = {0};
    int r = read_options(&link, argc, argv);

    if (r != 0)
        return options_status(r);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    r = open_clients(&link, &error);
    if (r == 0)
        r = link.realtime ? link_realtime(&link, &error) : link_lockstep(&link, &error);
    close_clients(&link);
    print_result(&link);
    if (r != 0)
        complain("%s", error.text);
    return r != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl.h"

#include <stdio.h>

static void print_commands(void)
{
    printf(
        "usage: linkagectl [OPTION...] COMMAND [ARGUMENT...]\n"
        "\n"
        "Talks to a running linkaged.\n"
        "\n"
        "commands\n"
        "  status               state, proof, timing, energy, constraint violation\n"
        "  load FILE            send a model file to the daemon\n"
        "  arm                  prove on the cycle's core that the step fits into its period;\n"
        "                       waits for the outcome, which a run needs before it may start\n"
        "  start                run the model from t = 0, or go on after a pause\n"
        "  run FILE             load, arm and start; ends at the first refusal\n"
        "  pause                hold the model; the time grid goes on\n"
        "  stop                 end the run or the arming; figures are kept for status\n"
        "  reset                back to t = 0, also out of a fault\n"
        "  step [N]             in mode lockstep: make N steps (1), and print the outputs\n"
        "  set CHANNEL VALUE... give an input channel a value, in SI units\n"
        "  param [list]         parameters of the model; what the tunable ones are now\n"
        "  param get NAME       one of them\n"
        "  param set NAME VALUE change a tunable one: it acts from the next step on\n"
        "  snapshot NAME        the state of the run into a file of the daemon's folder\n"
        "  restore NAME         the next start goes on from such a file, with the same bits\n"
        "  channels             what the model takes and gives: units, limits, rates, delays\n"
        "  inputs               who owns which input, what is commanded and what acts, refusals;\n"
        "                       and the benches; which inputs have no limits or no rate\n"
        "  policy               what is done when something goes wrong, and how often it has\n"
        "  inject [KIND]        faults on purpose; KIND is delay, drop, reorder, freeze, spike or\n"
        "                       stall. Alone: list them\n"
        "  platform [ORDER]     where the motion platform is; ORDER: engage, park, emergency,\n"
        "                       release (the emergency)\n"
        "  record start [NAME]  record the run into a file of the daemon's folder\n"
        "  record stop          end the recording\n"
        "  record status        the present recording, or the last one\n"
        "  watch [CHANNEL...]   print output channels (all if none is named), about ten rows\n"
        "                       a second; with --json every sample\n"
        "  latency              distributions, worst cycles and missed deadlines of the run\n"
        "  trace                the last cycles for Perfetto or Chrome, into --output\n"
        "  shutdown             end the daemon\n"
        "  keygen server FILE   make the daemon's keys: FILE (secret) and FILE.pub\n"
        "  keygen client NAME --role ROLE DIR\n"
        "                       make a client's keys: DIR/NAME.key (secret) and .key.pub; prints\n"
        "                       the line for the daemon's list of clients. ROLE is read, bench or\n"
        "                       control\n"
        "\n");
}

static void print_options(void)
{
    printf(
        "options\n"
        "  -e, --endpoint E     control socket of the daemon; without it that in LINKAGE_ENDPOINT "
        "of\n"
        "                       the environment, or " LK_CLIENT_CONTROL "\n"
        "  -o, --outputs E      its output samples, for watch (the same host, port + 2)\n"
        "  -j, --json           one JSON object a line, for programs\n"
        "  -n, --count N        end watch after N rows or samples, latency --watch after N tables\n"
        "  -t, --timeout S      how long to wait for an answer, and with watch --count for a "
        "sample\n"
        "                       (5 s)\n"
        "  -h, --help           this page\n"
        "  -V, --version        show the version\n"
        "      --server-key FILE --key FILE\n"
        "                       for a daemon with security: its public key, and the secret key of\n"
        "                       this client, as keygen made them\n"
        "arm, run\n"
        "      --allow-degraded also on a machine that is not fit for real time\n"
        "      --steps N        steps to execute for the proof (as the daemon is configured)\n"
        "      --mode MODE      realtime, lockstep or asap (as the daemon is configured)\n"
        "      --no-wait        arm: return at once, status tells the outcome\n"
        "load, run\n"
        "      --param P=V      another number than in the file, by its path or name; may be\n"
        "                       repeated (linkage params lists paths)\n"
        "start, run\n"
        "      --pause-after N  pause after N steps (never)\n"
        "step, set, param\n"
        "      --set CH=V[,V]   step: set a channel before; may be repeated\n"
        "      --force          also a channel that a bench has claimed, until its next sample\n"
        "inject\n"
        "      --target NAME    a bench or a channel (all; spike needs a channel)\n"
        "      --amount X       delay, stall: seconds; drop, reorder: share of the samples;\n"
        "                       spike: what is added, in the unit of the channel\n"
        "      --share X        spike: share of the samples (1)\n"
        "      --every S        stall: again every S seconds (once)\n"
        "      --after S        begin S seconds from now (0)\n"
        "      --for S          last for S seconds (until cleared)\n"
        "      --seed N         of the random numbers\n"
        "      --clear          end all that there are, before KIND is added\n"
        "watch, latency, trace\n"
        "      --every N        watch: print every N-th step, all of them\n"
        "      --watch          latency: once a second, until Ctrl-C\n"
        "      --histogram[=US] latency: in the text format of cyclictest -h US (US: the period);\n"
        "                       columns wake-up, compute, response\n"
        "      --force          latency, trace: replace any file at --output; otherwise only an "
        "older\n"
        "                       output of this kind\n"
        "      --cycles N       trace: at most so many (all that the daemon keeps)\n"
        "      --output FILE    write to FILE; - is the standard output\n"
        "\n");
}

int ctl_help(void)
{
    print_commands();
    print_options();
    printf(
        "With --json, watch prints a line of type \"description\" (names and units) first, then\n"
        "\"sample\" lines, and a \"gap\" line wherever samples were lost or not published; run\n"
        "prints a line for each of its three parts.\n"
        "\n"
        "exit status\n"
        "  0  done\n"
        "  1  the daemon refused, or the command failed\n"
        "  2  the command line is wrong\n"
        "  3  no daemon answers: there is none, or it is silent\n"
        "  4  watch --count: no sample came within --timeout\n");
    return CTL_OK;
}

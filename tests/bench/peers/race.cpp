// SPDX-License-Identifier: Apache-2.0
// race [--quick] REFERENCES PROGRAM...: lets the harnesses of the engines step the same mechanisms,
// a batch of one after a batch of the other, and writes a CSV line for each mechanism, engine,
// variant and step to the standard output; `tables` makes tables of them.
// REFERENCES is the folder tests/reference.
#include "process.h"
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace
{

using Text = std::string;

// What a run spends.
struct Budget {
    int rounds;                // batches of a runner, of which the median counts
    double batch;              // CPU time of a batch [s], a single step permitting
    double step_max;           // a mechanism on which a step takes longer is left out [s]
    double watch_max;          // a run to judge drift may take so long, by the step's time [s]
    std::vector<int> links;    // of the chains
    std::vector<double> steps; // of the second race [s]
};

const Budget whole = {9,
                      0.02,
                      1,
                      2,
                      {2, 8, 32, 128, 512, 1024},
                      {100e-3, 50e-3, 20e-3, 10e-3, 5e-3, 2.5e-3, 1e-3, 0.5e-3, 0.25e-3, 0.1e-3}};
const Budget brief = {5,
                      0.01,
                      0.05,
                      0.3,
                      {2, 8, 128, 512},
                      {100e-3, 50e-3, 20e-3, 10e-3, 5e-3, 2.5e-3, 1e-3, 0.25e-3}};

constexpr double race_step = 1e-3;   // step of the first race [s]
constexpr long batch_steps = 500;    // a batch stays near the start
constexpr double judged = 2;         // the second race compares motions up to here [s] ...
constexpr double judged_every = 0.1; // ... at these instants, on the grid of every step [s]

// ---- the field ----

// uses: of engine.h
struct Entry {
    Text program, engine, name;
    int order;
    unsigned uses;
};

enum { CHAINS = 1, LOOPS = 2, PENDULUM = 4, PLANE = 8, ARM = 16, CAR = 32 }; // as in engine.h

// An entry on one mechanism.
struct Runner {
    const Entry *entry;
    std::unique_ptr<Process> process;
    std::vector<double> times; // CPU time of a step, by batch [s]
    double guess = NAN;        // the same, roughly
    double watched = NAN, drift = NAN, opening = NAN, turned = NAN; // what `watch` answers
    double error = NAN, error_end = NAN;                            // against the reference [m]
    Text note;                                                      // why it is out
};

std::vector<Entry> entries_of(const Text &program)
{
    const Text engine = program.substr(program.rfind('/') + 1);
    const std::vector<Text> lines = Process(program).ask("variants");
    std::vector<Entry> entries;

    printf("# engine %s: %s\n", engine.c_str(), lines.back().c_str());
    for (const Text &l : lines) {
        std::istringstream in(l);
        Entry e = {program, engine, "", 0, 0};
        Text word;
        if (!(in >> word >> e.order >> e.uses >> std::ws) || word != "variant")
            continue;
        std::getline(in, e.name);
        entries.push_back(e);
    }
    return entries;
}

// A refusal or failure ends the part of one runner, not the race.
void attempt(Runner &r, const std::function<void(Runner &)> &act)
{
    if (!r.note.empty())
        return;
    try {
        act(r);
    } catch (const std::exception &e) {
        r.note = e.what();
        r.process.reset();
    }
}

void open(Runner &r, const Text &mechanism, int n, double step)
{
    std::ostringstream line;

    line.precision(17);
    line << "open " << mechanism << ' ' << n << ' ' << step << ' ' << r.entry->name;
    r.process.reset(new Process(r.entry->program));
    r.process->ask(line.str());
}

double batch(Runner &r, long steps, double least)
{
    std::ostringstream line;

    line << "batch " << steps << ' ' << least;
    return std::stod(r.process->ask(line.str()).back());
}

// Batches in turn: a slow moment of the machine hits all alike. A long run is its own average.
void take_turns(std::vector<Runner> &field, const Budget &budget,
                const std::function<double(Runner &)> &one)
{
    for (int k = 0; k < budget.rounds; k++)
        for (Runner &r : field)
            if (k < 1 || (k < 3 && r.guess < 0.5) || r.guess < 2 * budget.batch)
                attempt(r, [&](Runner &x) { x.times.push_back(one(x)); });
}

struct Instant {
    double t, p[3];
};

std::vector<Instant> watch(Runner &r, double duration, double interval)
{
    std::vector<Instant> seen;
    std::ostringstream line;
    Instant i;

    line << "watch " << duration << ' ' << interval;
    const std::vector<Text> answer = r.process->ask(line.str());
    for (const Text &l : answer)
        if (sscanf(l.c_str(), "at %lf %lf %lf %lf", &i.t, &i.p[0], &i.p[1], &i.p[2]) == 4)
            seen.push_back(i);
    if (sscanf(answer.back().c_str(), "%lf %lf %lf", &r.drift, &r.opening, &r.turned) != 3)
        throw std::runtime_error("its answer is not understood");
    r.watched = duration;
    return seen;
}

// ---- output ----

void print_number(double x)
{
    if (std::isnan(x))
        printf(",");
    else
        printf(",%.6g", x);
}

void print_header()
{
    puts("race,mechanism,size,engine,variant,order,step_s,us_a_step,us_a_step_least,batches,"
         "judged_s,energy_drift_J,opening_m,turned,error_m,error_end_m,note");
}

void print_runner(const char *race, const Text &mechanism, int n, double step, const Runner &r)
{
    std::vector<double> t = r.times;

    std::sort(t.begin(), t.end());
    printf("%s,%s,%d,%s,%s,%d,%g", race, mechanism.c_str(), n, r.entry->engine.c_str(),
           r.entry->name.c_str(), r.entry->order, step);
    print_number(t.empty() ? NAN : 1e6 * t[t.size() / 2]);
    print_number(t.empty() ? NAN : 1e6 * t[0]);
    printf(",%zu", t.size());
    for (double x : {r.watched, r.drift, r.opening, r.turned, r.error, r.error_end})
        print_number(x);
    printf(",%s\n", r.note.c_str());
}

void print_field(const char *race, const Text &mechanism, int n, double step,
                 const std::vector<Runner> &field)
{
    for (const Runner &r : field)
        print_runner(race, mechanism, n, step, r);
    fflush(stdout);
    fprintf(stderr, "%s %s %d %g s: done\n", race, mechanism.c_str(), n, step);
}

std::vector<Runner> make_field(const std::vector<Entry> &entries, unsigned use,
                               const Text &mechanism, int n, double step,
                               const std::map<Text, Text> &out)
{
    std::vector<Runner> field;

    for (const Entry &e : entries) {
        if (!(e.uses & use))
            continue;
        field.emplace_back();
        field.back().entry = &e;
        const auto why = out.find(e.engine + e.name);
        if (why != out.end())
            field.back().note = why->second;
        attempt(field.back(), [&](Runner &r) { open(r, mechanism, n, step); });
    }
    return field;
}

// ---- first race: time of a step ----

// Times of a step by number of links, to foretell the next size from. Dense engines grow with the
// third power and, out of the cache, by more.
struct Growth {
    std::map<Text, std::pair<int, double>> last;
    std::map<Text, double> power;

    void note(const Text &who, int n, double seconds)
    {
        const auto before = last.find(who);

        if (before != last.end())
            power[who] = std::log(seconds / before->second.second) /
                         std::log(double(n) / before->second.first);
        last[who] = {n, seconds};
    }
    double foretell(const Text &who, int n) const
    {
        const auto before = last.find(who);
        const auto p = power.find(who);

        if (before == last.end() || p == power.end())
            return 0;
        return before->second.second *
               std::pow(double(n) / before->second.first, p->second > 1.5 ? p->second + 0.5 : 1);
    }
};

void race_steps(const std::vector<Entry> &entries, const Budget &budget, const Text &mechanism,
                int n, double duration, Growth &growth)
{
    std::map<Text, Text> out;
    char limit[60];

    snprintf(limit, sizeof(limit), "above %g s a step", budget.step_max);
    for (const Entry &e : entries)
        if (growth.foretell(e.engine + e.name, n) > budget.step_max)
            out[e.engine + e.name] = limit;
    std::vector<Runner> field =
        make_field(entries, duration > 1 ? LOOPS : CHAINS, mechanism, n, race_step, out);
    for (Runner &r : field)
        attempt(r, [&](Runner &x) {
            batch(x, 1, 0); // first touch of everything
            x.guess = batch(x, 2, 0.001);
            growth.note(x.entry->engine + x.entry->name, n, x.guess);
        });
    take_turns(field, budget, [&](Runner &r) {
        return batch(r, std::max(1L, std::min(batch_steps, long(budget.batch / r.guess))),
                     budget.batch);
    });
    for (Runner &r : field)
        if (r.guess * duration / race_step < budget.watch_max)
            attempt(r, [&](Runner &x) { watch(x, duration, duration); });
    print_field("steps", mechanism, n, race_step, field);
}

void race_all_steps(const std::vector<Entry> &entries, const Budget &budget)
{
    for (const char *chain : {"spherical-chain", "revolute-chain"}) {
        Growth growth;
        for (int n : budget.links)
            race_steps(entries, budget, chain, n, 1, growth);
    }
    Growth none;
    race_steps(entries, budget, "four-bar", 1, 10, none);
    race_steps(entries, budget, "ladder", 2, 10, none);
    race_steps(entries, budget, "ladder", 10, 10, none);
}

// ---- second race: work against precision ----

std::vector<Text> split(const Text &line)
{
    std::vector<Text> fields;
    std::istringstream in(line);

    for (Text f; std::getline(in, f, ',');)
        fields.push_back(f);
    return fields;
}

// the columns of a reference by their first word: t, theta, P.x, tip.x
std::vector<Instant> read_reference(const Text &folder, const Text &mechanism)
{
    std::ifstream file(folder + "/" + mechanism + "/reference.csv");
    std::vector<Instant> r;
    std::map<Text, size_t> column;
    Text line;

    if (!std::getline(file, line))
        throw std::runtime_error("no reference of " + mechanism + " in " + folder);
    const std::vector<Text> names = split(line);
    for (size_t i = 0; i < names.size(); i++)
        column[names[i].substr(0, names[i].find(' '))] = i;
    while (std::getline(file, line)) {
        const std::vector<Text> f = split(line);
        auto at = [&](const char *name) { return std::stod(f.at(column.at(name))); };
        if (mechanism == "four-bar")
            r.push_back({at("t"), {std::cos(at("theta")), std::sin(at("theta")), 0}});
        else if (mechanism == "ladder-2")
            r.push_back({at("t"), {at("P.x"), at("P.y"), 0}});
        else
            r.push_back({at("t"), {at("tip.x"), at("tip.y"), at("tip.z")}});
    }
    return r;
}

void judge(Runner &r, double step, const std::vector<Instant> &seen,
           const std::vector<Instant> &reference)
{
    size_t matched = 0;

    r.error = 0;
    for (const Instant &a : seen)
        for (const Instant &b : reference) {
            if (std::fabs(a.t - b.t) > 1e-9)
                continue;
            r.error_end = std::sqrt(std::pow(a.p[0] - b.p[0], 2) + std::pow(a.p[1] - b.p[1], 2) +
                                    std::pow(a.p[2] - b.p[2], 2));
            r.error = std::max(r.error, r.error_end);
            matched++;
        }
    if (matched != size_t(std::lround(judged / judged_every)))
        throw std::runtime_error("its instants are not those of the reference");
    if (step <= 0.25e-3 && !(r.error < 0.01))
        throw std::runtime_error("does not approach the reference: is the mechanism the same?");
}

void race_precision(const std::vector<Entry> &entries, const Budget &budget, const Text &mechanism,
                    unsigned use, const std::vector<Instant> &reference)
{
    for (double step : budget.steps) {
        std::vector<Runner> field = make_field(entries, use, mechanism, 1, step, {});
        const long steps = std::lround(judged / step);

        for (Runner &r : field)
            attempt(r, [&](Runner &x) {
                judge(x, step, watch(x, judged, judged_every), reference);
                x.guess = double(steps) * batch(x, std::min(steps, 100L), 0);
            });
        take_turns(field, budget, [&](Runner &r) { return batch(r, steps, budget.batch / 4); });
        print_field("precision", mechanism, 1, step, field);
    }
}

int run(bool quick, const Text &references, char **programs)
{
    const Budget &budget = quick ? brief : whole;
    std::vector<Entry> entries;

    for (; *programs; programs++)
        for (const Entry &e : entries_of(*programs))
            entries.push_back(e);
    print_header();
    race_all_steps(entries, budget);
    const struct {
        const char *mechanism;
        unsigned use;
    } known[] = {{"double-pendulum", PENDULUM},
                 {"four-bar", PLANE},
                 {"ladder-2", PLANE},
                 {"arm", ARM},
                 {"sprung-car", CAR}};
    for (const auto &k : known)
        race_precision(entries, budget, k.mechanism, k.use,
                       read_reference(references, k.mechanism));
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    char **rest = argv + 1 + quick;

    if (argc - 1 - quick < 2) {
        fputs("usage: race [--quick] REFERENCES PROGRAM...\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); // an engine that died is told by its answer
    try {
        return run(quick, rest[0], rest + 1);
    } catch (const std::exception &e) {
        fprintf(stderr, "race: %s\n", e.what());
        return 1;
    }
}

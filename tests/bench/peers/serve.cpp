// SPDX-License-Identifier: Apache-2.0
#include "engine.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <malloc.h>
#include <sstream>
#include <stdexcept>

namespace
{

// what is open
struct Bench {
    Mechanism mechanism;
    double step;
    std::unique_ptr<Engine> engine;
};

// of all threads of this process: being preempted does not count, help from other threads does
double cpu_seconds()
{
    timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// answers are one line
std::string flat(std::string text)
{
    for (char &c : text)
        if (c == '\n' || c == ',')
            c = c == ',' ? ';' : ' ';
    return text.substr(0, 160);
}

void list_variants(const Maker &maker)
{
    for (const Variant &v : maker.variants)
        printf("variant %d %u %s\n", v.order, v.uses, v.name);
    printf("ok %s\n", maker.version.c_str());
}

// A mechanism that starts elsewhere is not ours. One with another mass or gravity shows later: its
// energy does not stay, and it does not approach the reference.
void check_start(Bench &bench)
{
    std::vector<State> s = start(bench.mechanism);
    const double ours = energy(bench.mechanism, s);

    bench.engine->reset();
    bench.engine->look(s);
    if (!(std::fabs(energy(bench.mechanism, s) - ours) < 1e-9 * (1 + std::fabs(ours))))
        throw std::runtime_error("starts with another energy than the mechanism has");
    if (!(opening(bench.mechanism, s) < 1e-9))
        throw std::runtime_error("starts with open joints");
}

Bench open_bench(const Maker &maker, std::istringstream &in)
{
    Bench bench;
    std::string name, variant;
    int n;

    in >> name >> n >> bench.step >> std::ws;
    std::getline(in, variant);
    bench.mechanism = mechanism(name, n);
    bench.engine = maker.make(bench.mechanism, bench.step, variant);
    check_start(bench);
    return bench;
}

void batch(Bench &bench, std::istringstream &in)
{
    long steps, total = 0;
    double least, spent = 0;

    in >> steps >> least;
    do {
        bench.engine->reset();
        const double begin = cpu_seconds();
        for (long k = 0; k < steps; k++)
            bench.engine->step();
        spent += cpu_seconds() - begin;
        total += steps;
    } while (spent < least);
    printf("ok %.9e\n", spent / double(total));
}

void watch(Bench &bench, std::istringstream &in)
{
    const Mechanism &m = bench.mechanism;
    std::vector<State> s = start(m);
    const double before = energy(m, s);
    double duration, interval, drift = 0, gap = 0, off = 0;

    in >> duration >> interval;
    const long steps = std::lround(duration / bench.step);
    const long judged = std::max(1L, std::lround(1e-3 / bench.step));
    const long shown = std::lround(interval / bench.step);

    bench.engine->reset();
    for (long k = 1; k <= steps; k++) {
        bench.engine->step();
        if (k % judged && k % shown)
            continue;
        bench.engine->look(s);
        const double e = energy(m, s);
        if (!std::isfinite(e))
            throw std::runtime_error("not finite at " + std::to_string(double(k) * bench.step) +
                                     " s");
        drift = std::max(drift, std::fabs(e - before));
        gap = std::max(gap, opening(m, s));
        off = std::max(off, turned(m, s));
        if (k % shown == 0) {
            const Vec p = marked_point(m, s);
            printf("at %.9g %.17g %.17g %.17g\n", double(k) * bench.step, p.x, p.y, p.z);
        }
    }
    printf("ok %.9e %.9e %.9e\n", drift, gap, off);
}

void answer(const Maker &maker, Bench &bench, const std::string &line)
{
    std::istringstream in(line);
    std::string verb;

    in >> verb;
    if (verb == "variants") {
        list_variants(maker);
    } else if (verb == "open") {
        bench = open_bench(maker, in);
        printf("ok\n");
    } else if (!bench.engine) {
        throw std::runtime_error("nothing is open");
    } else if (verb == "batch") {
        batch(bench, in);
    } else if (verb == "watch") {
        watch(bench, in);
    } else {
        throw std::runtime_error("not understood: " + verb);
    }
}

} // namespace

int serve(const Maker &maker)
{
    Bench bench;
    std::string line;

    // Memory stays with the process: engines that take and return large blocks (DART while it
    // builds a long chain, ODE in every WorldStep) would spend their time in page faults.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    while (std::getline(std::cin, line)) {
        try {
            answer(maker, bench, line);
        } catch (const std::exception &e) {
            printf("no %s\n", flat(e.what()).c_str());
        }
        fflush(stdout);
    }
    return 0;
}

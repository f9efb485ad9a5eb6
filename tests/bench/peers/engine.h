/* SPDX-License-Identifier: Apache-2.0 */
/* What a harness of an engine offers: a list of variants and a way to build a mechanism.
 *
 * serve() turns it into a process that answers one line for each line it reads:
 *
 *     variants                     "variant ORDER USES NAME" each, then "ok VERSION"
 *     open MECHANISM N STEP VARIANT
 *     batch STEPS LEAST            reset, time STEPS steps, again until LEAST seconds are spent:
 *                                  "ok SECONDS_A_STEP"
 *     watch DURATION INTERVAL      reset, run, judge every max(step, 1 ms):
 *                                  "at T X Y Z" (the marked point) each INTERVAL, then
 *                                  "ok DRIFT OPENING TURNED"
 *
 * and "no REASON" whenever something cannot be. Every runner of a race is a process of its own:
 * engines in one process would share (or fight over) their libraries, and one that dies takes
 * nobody along. */
#ifndef PEERS_ENGINE_H
#define PEERS_ENGINE_H

#include "mechanism.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

/* A mechanism built in an engine. */
class Engine
{
  public:
    virtual ~Engine()
    {
    }
    virtual void reset() = 0;
    virtual void step() = 0;
    virtual void look(std::vector<State> &s) = 0; /* s has a place for every body */
};

/* What a variant is entered for. */
enum Use {
    CHAINS = 1,   /* time of a step, open chains */
    LOOPS = 2,    /* time of a step, closed loops */
    PENDULUM = 4, /* work and precision, spatial double pendulum */
    PLANE = 8,    /* work and precision, four-bar and ladder */
    ARM = 16,     /* work and precision, an arm whose hinges are not parallel */
    CAR = 32,     /* work and precision, a car on springs */
    EVERYTHING = 15
};

/* name:  as in the table; no comma
 * order: of the motion in the step, as the engine's manual says, or 0 if it says nothing */
struct Variant {
    const char *name;
    int order;
    unsigned uses;
};

struct Maker {
    std::string version;
    std::vector<Variant> variants;
    std::function<std::unique_ptr<Engine>(const Mechanism &, double step,
                                          const std::string &variant)>
        make;
};

/* serve() - answer until the input ends. Return: exit status. */
int serve(const Maker &maker);

/* starts_with() - for variants that differ by a word */
inline bool starts_with(const std::string &text, const char *head)
{
    return text.rfind(head, 0) == 0;
}

inline bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

#endif

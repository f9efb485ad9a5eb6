/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of an engine's harness: a list of variants and a function that builds a mechanism.
 *
 * serve() makes a process of it that answers each line that it reads:
 *
 *     variants                     "variant ORDER USES NAME" each, then "ok VERSION"
 *     open MECHANISM N STEP VARIANT
 *     batch STEPS LEAST            reset, time STEPS steps, again until LEAST seconds are spent:
 *                                  "ok SECONDS_A_STEP"
 *     watch DURATION INTERVAL      reset, run, judge every max(step, 1 ms):
 *                                  "at T X Y Z" (the marked point) each INTERVAL, then
 *                                  "ok DRIFT OPENING TURNED"
 *
 * and "no REASON" if a request cannot be executed. Every engine runs in a separate process. Engines
 * in one process would share their libraries or conflict over them, and the crash of one would end
 * all. */
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
    virtual void look(std::vector<State> &s) = 0; /* s has an element for every body */
};

/* Comparisons that a variant takes part in. */
enum Use {
    CHAINS = 1,   /* time of a step, open chains */
    LOOPS = 2,    /* time of a step, closed loops */
    PENDULUM = 4, /* work and precision, spatial double pendulum */
    PLANE = 8,    /* work and precision, four-bar and ladder */
    ARM = 16,     /* work and precision, an arm whose hinges are not parallel */
    CAR = 32,     /* work and precision, a car on springs */
    EVERYTHING = 15
};

/* name: name in the table, without a comma
 * order: order of the motion in the step according to the engine's manual, 0 if the manual does not
 * name one */
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

/* serve() - Answer lines until the input ends.
 * Return: exit status */
int serve(const Maker &maker);

/* starts_with() - Return true if @text starts with @head. Variants are distinguished with such
 * words. */
inline bool starts_with(const std::string &text, const char *head)
{
    return text.rfind(head, 0) == 0;
}

inline bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

#endif

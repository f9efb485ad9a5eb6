// SPDX-License-Identifier: Apache-2.0
// tables: reads the lines that `race` wrote from the standard input and writes Markdown.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using Text = std::string;

// A line of `race`; what was not measured is NaN.
struct Line {
    Text race, mechanism;
    int size;
    Text who; // engine and variant
    int order;
    double step, us, judged, drift, opening, turned, error;
    Text note;
};

std::vector<Line> lines;
std::vector<Text> remarks; // "# ..." on top of the file

double value(const Text &field)
{
    return field.empty() ? NAN : std::stod(field);
}

void read_line(const Text &text)
{
    std::vector<Text> f;
    std::istringstream in(text);

    for (Text x; std::getline(in, x, ',');)
        f.push_back(x);
    f.resize(17); // a note that is empty leaves no field
    if (f[0] != "steps" && f[0] != "precision")
        return;
    lines.push_back({f[0], f[1], std::stoi(f[2]), f[3] + " " + f[4], std::stoi(f[5]), value(f[6]),
                     value(f[7]), value(f[10]), value(f[11]), value(f[12]), value(f[13]),
                     value(f[14]), f[16]});
}

void read_all()
{
    for (Text text; std::getline(std::cin, text);)
        if (text.rfind("# ", 0) == 0)
            remarks.push_back(text.substr(2));
        else
            read_line(text);
}

// in the order of their first line
template <class T> void add_new(std::vector<T> &list, const T &item)
{
    if (std::find(list.begin(), list.end(), item) == list.end())
        list.push_back(item);
}

// Whoever was refused everywhere (a variant that the library does not know yet) gets no row.
std::vector<Text> racers(const Text &race, const Text &mechanism)
{
    std::vector<Text> list;

    for (const Line &l : lines)
        if (l.race == race && l.mechanism == mechanism && !std::isnan(l.us))
            add_new(list, l.who);
    return list;
}

const Line *find(const Text &race, const Text &mechanism, int size, double step, const Text &who)
{
    for (const Line &l : lines)
        if (l.race == race && l.mechanism == mechanism && l.size == size && l.who == who &&
            std::fabs(l.step - step) < 1e-9)
            return &l;
    return nullptr;
}

int order_of(const Text &who)
{
    for (const Line &l : lines)
        if (l.who == who)
            return l.order;
    return 0;
}

// three digits, and never an exponent
Text plain(double x)
{
    char text[40];

    snprintf(text, sizeof(text), "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
    return text;
}

// 6.4e-4
Text power(double x)
{
    char text[40];

    if (x < 1e-12)
        return "<1e-12";
    snprintf(text, sizeof(text), "%.1e", x);
    Text digits = text;
    const size_t e = digits.find('e');
    return digits.substr(0, e + 1) + std::to_string(std::atoi(text + e + 1));
}

void head(const std::vector<Text> &columns)
{
    for (const Text &c : columns)
        printf("| %s ", c.c_str());
    printf("|\n");
    for (size_t i = 0; i < columns.size(); i++)
        printf("| --- ");
    printf("|\n");
}

void row_start(const Text &who)
{
    printf("| %s | %d |", who.c_str(), order_of(who));
}

// the same with the order that the errors show, where they are above round-off
void row_start_seen(const Text &mechanism, const Text &who)
{
    const Line *a = find("precision", mechanism, 1, 10e-3, who);
    const Line *b = find("precision", mechanism, 1, 2.5e-3, who);

    if (a && b && b->error > 1e-12)
        printf("| %s | %.1f |", who.c_str(), std::log(a->error / b->error) / std::log(4.0));
    else
        printf("| %s | - |", who.c_str());
}

// ---- time of a step ----

double quickest(const Text &mechanism, int size)
{
    double best = INFINITY;

    for (const Line &l : lines)
        if (l.race == "steps" && l.mechanism == mechanism && l.size == size && l.us < best)
            best = l.us;
    return best;
}

void cell_time(const Text &mechanism, int size, const Line *l)
{
    if (!l)
        printf(" |");
    else if (std::isnan(l->us))
        printf(" %s |", l->note.rfind("above", 0) == 0 ? "(1)" : "failed");
    else
        printf(l->us <= quickest(mechanism, size) ? " **%s** |" : " %s |", plain(l->us).c_str());
}

void chain_times(const Text &mechanism, const char *title)
{
    std::vector<Text> columns = {"engine, integrator", "order"};
    std::vector<int> sizes;

    for (const Line &l : lines)
        if (l.race == "steps" && l.mechanism == mechanism)
            add_new(sizes, l.size);
    for (int n : sizes)
        columns.push_back(std::to_string(n));
    printf("\n**%s**\n\n", title);
    head(columns);
    for (const Text &who : racers("steps", mechanism)) {
        row_start(who);
        for (int n : sizes)
            cell_time(mechanism, n, find("steps", mechanism, n, 1e-3, who));
        printf("\n");
    }
}

// ---- what is kept ----

void cell_kept(const Line *l)
{
    if (!l || std::isnan(l->us))
        printf(" | |");
    else if (!l->note.empty())
        printf(" failed: %s | |", l->note.c_str());
    else if (std::isnan(l->drift))
        printf(" - | - |");
    else
        printf(" %s%s | %s |", power(l->drift).c_str(), l->turned > 0.5 ? " (2)" : "",
               power(l->opening).c_str());
}

void chain_drift()
{
    std::vector<Text> columns = {"engine, integrator", "order"};
    std::vector<int> sizes;

    for (const Line &l : lines)
        if (l.race == "steps" && l.mechanism == "spherical-chain" && l.size != 8 && l.size != 512)
            add_new(sizes, l.size);
    for (int n : sizes) {
        columns.push_back(std::to_string(n) + ": drift J");
        columns.push_back("opening m");
    }
    printf("\n**Chain of spherical links: largest drift of the energy and largest joint opening in "
           "1 s "
           "at 1 ms**\n\n");
    head(columns);
    for (const Text &who : racers("steps", "spherical-chain")) {
        row_start(who);
        for (int n : sizes)
            cell_kept(find("steps", "spherical-chain", n, 1e-3, who));
        printf("\n");
    }
}

void loops()
{
    const struct {
        const char *mechanism;
        int size;
    } list[] = {{"four-bar", 1}, {"ladder", 2}, {"ladder", 10}};

    printf("\n**Closed loops: time of a step of 1 ms; largest drift and opening in 10 s**\n\n");
    head({"engine, integrator", "order", "four-bar: us", "drift J", "opening m", "ladder 2: us",
          "drift J", "opening m", "ladder 10: us", "drift J", "opening m"});
    for (const Text &who : racers("steps", "four-bar")) {
        row_start(who);
        for (auto &x : list) {
            const Line *l = find("steps", x.mechanism, x.size, 1e-3, who);
            cell_time(x.mechanism, x.size, l);
            cell_kept(l);
        }
        printf("\n");
    }
}

// ---- work and precision ----

std::vector<double> steps_of(const Text &mechanism)
{
    std::vector<double> steps;

    for (const Line &l : lines)
        if (l.race == "precision" && l.mechanism == mechanism)
            add_new(steps, l.step);
    return steps;
}

// CPU time of a simulated second [us]
double work(const Line &l)
{
    return l.us / l.step;
}

void work_precision(const Text &mechanism, const char *title)
{
    std::vector<Text> columns = {"engine, integrator", "order seen"};

    for (double step : steps_of(mechanism)) {
        std::ostringstream name;
        name << step * 1e3 << " ms";
        columns.push_back(name.str());
    }
    printf("\n**%s: CPU time of a simulated second [us] / largest error until 2 s [m]**\n\n",
           title);
    head(columns);
    for (const Text &who : racers("precision", mechanism)) {
        row_start_seen(mechanism, who);
        for (double step : steps_of(mechanism)) {
            const Line *l = find("precision", mechanism, 1, step, who);
            if (!l || std::isnan(l->us))
                printf(" failed |");
            else
                printf(" %.0f / %s |", work(*l), power(l->error).c_str());
        }
        printf("\n");
    }
}

// What an error costs: between two steps, straight on logarithmic scales.
// sign: "<= ", the longest step tried is better already; "> ", the shortest one is not good enough
struct Cost {
    double us;
    const char *sign;
};

Cost cost_of(const Text &mechanism, const Text &who, double target)
{
    const Line *before = nullptr;

    for (double step : steps_of(mechanism)) {
        const Line *l = find("precision", mechanism, 1, step, who);
        if (!l || std::isnan(l->us))
            continue;
        if (l->error > target) {
            before = l;
            continue;
        }
        if (!before)
            return {work(*l), "<= "};
        const double share = std::log(before->error / target) / std::log(before->error / l->error);
        return {work(*before) * std::pow(work(*l) / work(*before), share), ""};
    }
    return {before ? work(*before) : NAN, "> "};
}

void equal_error(const Text &mechanism, const char *title)
{
    const double targets[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    const std::vector<Text> who = racers("precision", mechanism);

    printf("\n**%s: CPU time of a simulated second [us] at equal error**\n\n", title);
    head({"engine, integrator", "order seen", "1e-3 m", "1e-4 m", "1e-5 m", "1e-6 m", "1e-7 m"});
    for (const Text &w : who) {
        row_start_seen(mechanism, w);
        for (double target : targets) {
            const Cost own = cost_of(mechanism, w, target);
            double best = INFINITY;
            for (const Text &other : who) {
                const Cost c = cost_of(mechanism, other, target);
                if (c.sign[0] != '>')
                    best = std::fmin(best, c.us);
            }
            const bool wins = own.sign[0] != '>' && own.us <= best;
            printf(wins ? " **%s%s** |" : " %s%s |", own.sign, plain(own.us).c_str());
        }
        printf("\n");
    }
}

void notes()
{
    printf("\nBold: least. (1) would take longer for a step than the run allows (1 s; 50 ms with "
           "`--quick`). (2) left its branch at a singular pose. - : not judged, the run would take "
           "too "
           "long. `<=`: the longest step tried is better than that already. `>`: the shortest step "
           "tried is not good enough. Failed: `lines.csv` says why. Order: as the engine's manual "
           "says; seen: how the error falls "
           "from 10 to 2.5 ms.\n");
}

// A mechanism whose motion is known.
struct Known {
    const char *mechanism, *title;
};

} // namespace

int main()
{
    read_all();
    printf("Peers, measured side by side: CPU time of one core, medians of batches in turn, first "
           "in us a "
           "step of 1 ms (which is also ms a simulated second).\n\n");
    for (const Text &r : remarks)
        printf("- %s\n", r.c_str());
    chain_times("spherical-chain", "Chain of n spherical links, us a step");
    chain_times("revolute-chain", "Chain of n revolute links, us a step");
    chain_drift();
    loops();
    for (const auto &known :
         {Known{"double-pendulum", "Spatial double pendulum"},
          Known{"four-bar", "Four-bar through its singular poses"},
          Known{"ladder-2", "Ladder of two windows through its singular poses"},
          Known{"arm", "Arm of seven hinges"}, Known{"sprung-car", "Car on springs"}}) {
        work_precision(known.mechanism, known.title);
        equal_error(known.mechanism, known.title);
    }
    notes();
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// linkaged itself, through liblinkage's public interface: the mechanism is written down as a model
// file and read back.
#include "engine.h"
#include "linkage/linkage.h"
#include <cstdarg>
#include <cstdio>
#include <stdexcept>

namespace
{

// A line of the table: its name, order, what it is entered for, and its keys of `solver`. A key
// that the library does not know yet is refused by it, and the variant is then left out.
const struct Form {
    Variant variant;
    const char *solver;
} forms[] = {
    {{"rattle", 2, EVERYTHING | ARM | CAR}, "formulation: rattle"},
    {{"rattle order 4", 4, EVERYTHING | ARM | CAR}, "formulation: rattle, order: 4"},
    {{"rattle order 6", 6, EVERYTHING | ARM | CAR}, "formulation: rattle, order: 6"},
    {{"ali3", 2, EVERYTHING | ARM | CAR}, "formulation: ali3, iterations: 3"},
    {{"ali3 order 3", 3, EVERYTHING | ARM | CAR}, "formulation: ali3, iterations: 3, order: 3"},
    {{"ali3 order 4", 4, EVERYTHING | ARM | CAR}, "formulation: ali3, iterations: 3, order: 4"},
    {{"rk4", 4, EVERYTHING | ARM | CAR}, "formulation: rk4"},
};

__attribute__((format(printf, 2, 3))) void put(std::string &text, const char *format, ...)
{
    char line[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    text += line;
}

std::string body_name(int i)
{
    return i < 0 ? "ground" : "b" + std::to_string(i);
}

void put_joint(std::string &text, const Mechanism &m, int a, int b, Vec p, Vec n, int number)
{
    char axis[120] = "";

    if (!m.spherical)
        snprintf(axis, sizeof(axis), ", axis: [%.17g, %.17g, %.17g]", n.x, n.y, n.z);
    put(text, "  j%d: {type: %s, bodies: [%s, %s], point: [%.17g, %.17g, %.17g]%s}\n", number,
        m.spherical ? "spherical" : "revolute", body_name(a).c_str(), body_name(b).c_str(), p.x,
        p.y, p.z, axis);
}

std::string model_text(const Mechanism &m, const char *solver)
{
    std::string text = "linkage: 1\nname: peer\n";
    int joints = 0, bodies = 0, springs = 0;

    put(text, "gravity: [0, %.17g, 0]\nbodies:\n", -gravity);
    for (const Body &b : m.bodies)
        put(text,
            "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g], "
            "velocity: [%.17g, %.17g, %.17g], angular_velocity: [0, 0, %.17g]}\n",
            bodies++, b.mass, m.inertia_of(b), m.inertia_of(b), m.inertia_of(b), b.centre.x,
            b.centre.y, b.centre.z, b.velocity.x, b.velocity.y, b.velocity.z, b.spin);
    text += "joints:\n";
    for (int i = 0; i < bodies; i++)
        if (!m.bodies[i].free)
            put_joint(text, m, m.bodies[i].parent, i, m.bodies[i].joint, m.bodies[i].axis,
                      joints++);
    for (const Loop &l : m.loops)
        put_joint(text, m, l.a, l.b, l.point, {0, 0, 1}, joints++);
    if (!m.springs.empty())
        text += "forces:\n";
    for (const Spring &k : m.springs)
        put(text,
            "  s%d: {type: spring-damper, bodies: [%s, %s], points: [[%.17g, %.17g, %.17g], "
            "[%.17g, %.17g, %.17g]], stiffness: %.17g, damping: %.17g, rest_length: %.17g}\n",
            springs++, body_name(k.a).c_str(), body_name(k.b).c_str(), k.at_a.x, k.at_a.y, k.at_a.z,
            k.at_b.x, k.at_b.y, k.at_b.z, k.stiffness, k.damping, k.rest);
    put(text, "solver: {%s, step: 0.001}\n", solver);
    return text;
}

class Linkaged : public Engine
{
    lk_system *sys = nullptr;
    std::vector<int> index;

  public:
    Linkaged(const Mechanism &m, double step, const char *solver)
    {
        const std::string text = model_text(m, solver);
        lk_options options = {};
        lk_error error = {};
        lk_model *model;

        options.step = step;
        if (lk_model_read_text("peer", text.data(), text.size(), &model, &error) != 0)
            throw std::runtime_error(error.text);
        const int r = lk_system_new(model, &options, &sys, &error);
        lk_model_free(model);
        if (r != 0)
            throw std::runtime_error(error.text);
        for (size_t i = 0; i < m.bodies.size(); i++)
            index.push_back(lk_system_body_index(sys, body_name(int(i)).c_str()));
    }
    ~Linkaged() override
    {
        lk_system_free(sys);
    }
    void reset() override
    {
        lk_system_reset(sys);
    }
    void step() override
    {
        if (lk_system_step(sys, nullptr) != 0)
            throw std::runtime_error("the step was refused");
    }
    void look(std::vector<State> &s) override;
};

void Linkaged::look(std::vector<State> &s)
{
    for (size_t i = 0; i < s.size(); i++) {
        lk_body_state b;
        lk_system_body_state(sys, index[i], &b);
        const double w = b.orientation[0], x = b.orientation[1], y = b.orientation[2],
                     z = b.orientation[3];
        const double r[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        const double *a = b.angular_velocity;

        std::copy(r, r + 9, s[i].r);
        s[i].x = {b.position[0], b.position[1], b.position[2]};
        s[i].v = {b.velocity[0], b.velocity[1], b.velocity[2]};
        s[i].w = {r[0] * a[0] + r[1] * a[1] + r[2] * a[2], r[3] * a[0] + r[4] * a[1] + r[5] * a[2],
                  r[6] * a[0] + r[7] * a[1] + r[8] * a[2]};
    }
}

std::unique_ptr<Engine> make(const Mechanism &m, double step, const std::string &variant)
{
    for (const Form &f : forms)
        if (variant == f.variant.name)
            return std::unique_ptr<Engine>(new Linkaged(m, step, f.solver));
    throw std::runtime_error("no such variant");
}

} // namespace

int main()
{
    Maker maker = {"linkaged (this tree)", {}, make};

    for (const Form &f : forms)
        maker.variants.push_back(f.variant);
    return serve(maker);
}

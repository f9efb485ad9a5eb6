// SPDX-License-Identifier: Apache-2.0
#include "mechanism.h"
#include <algorithm>
#include <stdexcept>

// config/models/chain-*.yaml and tools/make-chain: links of 1 m along x, at rest
static Mechanism chain(int n, bool spherical)
{
    Mechanism m = {spherical, 1, {}, {}, n - 1, {double(n), 0, 0}};

    for (int i = 0; i < n; i++)
        m.bodies.push_back({i - 1, {double(i), 0, 0}, {i + 0.5, 0, 0}, {0, 0, 0}, 0, false});
    return m;
}

// config/models/double-pendulum.yaml
static Mechanism double_pendulum()
{
    Mechanism m = {true, 1, {}, {}, 1, {1, 0, 1}};

    m.bodies.push_back({-1, {0, 0, 0}, {0.5, 0, 0}, {0, 0, 0}, 0, false});
    m.bodies.push_back({0, {1, 0, 0}, {1, 0, 0.5}, {0, 0, 0}, 0, false});
    return m;
}

// config/models/four-bar.yaml without damper and motor: a rhombus, crank at 45 degrees, at rest
static Mechanism four_bar()
{
    const double c = std::sqrt(0.5);
    Mechanism m = {false, 1, {}, {{2, -1, {1, 0, 0}}}, 0, {c, c, 0}};

    m.bodies.push_back({-1, {0, 0, 0}, {c / 2, c / 2, 0}, {0, 0, 0}, 0, false});
    m.bodies.push_back({0, {c, c, 0}, {c + 0.5, c, 0}, {0, 0, 0}, 0, true});
    m.bodies.push_back({1, {c + 1, c, 0}, {1 + c / 2, c / 2, 0}, {0, 0, 0}, 0, false});
    return m;
}

// config/models/ladder-2.yaml with n windows: n + 1 links stand side by side, their upper ends are
// joined by n couplers and move at 1 m/s
static Mechanism ladder(int n)
{
    Mechanism m = {false, 1.0 / 12, {}, {}, 0, {0, 1, 0}};

    for (int i = 0; i <= n; i++) {
        double x = i;

        m.bodies.push_back({-1, {x, 0, 0}, {x, 0.5, 0}, {0.5, 0, 0}, -1, false});
        if (i == n)
            break;
        m.bodies.push_back({2 * i, {x, 1, 0}, {x + 0.5, 1, 0}, {1, 0, 0}, 0, true});
        m.loops.push_back({2 * i + 1, 2 * i + 2, {x + 1, 1, 0}});
    }
    return m;
}

// tests/reference/arm: seven hinges in turn about the vertical, across and along links of 0.25 m,
// whose centres of mass are beside the line; stretched out, at rest
static Mechanism arm()
{
    const Vec up = {0, 1, 0}, across = {0, 0, 1}, along = {1, 0, 0};
    const Vec axes[7] = {up, across, along, across, along, across, along};
    Mechanism m = {false, 0.02, {}, {}, 6, {1.75, 0, 0.1}};

    for (int i = 0; i < 7; i++) {
        const double x = 0.25 * i;

        m.bodies.push_back({i - 1,
                            {x, 0, 0},
                            {x + 0.125, 0, i % 2 == 0 ? 0.05 : -0.05},
                            {0, 0, 0},
                            0,
                            false,
                            axes[i]});
    }
    return m;
}

// tests/reference/sprung-car: a body on four trailing arms, each on a spring and damper and, at its
// wheel, on a spring that stands up from far below, as stiff as a tyre; all at rest, but the ground
// has risen under one wheel
static Mechanism sprung_car()
{
    Mechanism m = {false, 0.02, {}, {}, 0, {0.6, 0.7, 0.4}};
    const Vec centre = {0, 0.5, 0};

    m.bodies.push_back({-1, centre, centre, {0, 0, 0}, 0, false, {0, 0, 1}, true, 10, 0.2});
    for (int i = 0; i < 4; i++) {
        const double x = i < 2 ? 0.6 : -0.6, z = i % 2 == 0 ? 0.4 : -0.4;

        m.bodies.push_back({0, {x + 0.3, 0.4, z}, {x + 0.05, 0.32, z}, {0, 0, 0}, 0, false});
        m.springs.push_back({0, i + 1, {x + 0.1, 0.7, z}, {x + 0.1, 0.34, z}, 2500, 50, 0.38});
        m.springs.push_back({-1, i + 1, {x, -20, z}, {x, 0.3, z}, 15000, 0, i == 0 ? 20.34 : 20.3});
    }
    return m;
}

Mechanism mechanism(const std::string &name, int n)
{
    if (name == "spherical-chain" || name == "revolute-chain")
        return chain(n, name[0] == 's');
    if (name == "double-pendulum")
        return double_pendulum();
    if (name == "four-bar")
        return four_bar();
    if (name == "ladder" || name == "ladder-2")
        return ladder(name == "ladder" ? n : 2);
    if (name == "arm")
        return arm();
    if (name == "sprung-car")
        return sprung_car();
    throw std::runtime_error("no mechanism is called " + name);
}

double rate(const Mechanism &m, int i)
{
    const Body &b = m.bodies[i];

    return b.spin - (b.parent < 0 ? 0 : m.bodies[b.parent].spin);
}

std::vector<State> start(const Mechanism &m)
{
    std::vector<State> s;

    for (const Body &b : m.bodies)
        s.push_back({b.centre, {1, 0, 0, 0, 1, 0, 0, 0, 1}, b.velocity, {0, 0, b.spin}});
    return s;
}

// where a point is that was at p at the start and is fixed to body i
static Vec carried(const Mechanism &m, const std::vector<State> &s, int i, Vec p)
{
    if (i < 0)
        return p;
    const double *r = s[i].r;
    const Vec d = p - m.bodies[i].centre;

    return s[i].x + Vec{r[0] * d.x + r[1] * d.y + r[2] * d.z, r[3] * d.x + r[4] * d.y + r[5] * d.z,
                        r[6] * d.x + r[7] * d.y + r[8] * d.z};
}

double energy(const Mechanism &m, const std::vector<State> &s)
{
    double e = 0;

    for (size_t i = 0; i < s.size(); i++) {
        const Body &b = m.bodies[i];

        e += 0.5 * b.mass * dot(s[i].v, s[i].v) + 0.5 * m.inertia_of(b) * dot(s[i].w, s[i].w) +
             b.mass * gravity * s[i].x.y;
    }
    for (const Spring &k : m.springs) {
        const double l = length(carried(m, s, k.a, k.at_a) - carried(m, s, k.b, k.at_b));

        e += 0.5 * k.stiffness * (l - k.rest) * (l - k.rest);
    }
    return e;
}

double opening(const Mechanism &m, const std::vector<State> &s)
{
    double worst = 0;
    auto gap = [&](int a, int b, Vec p) {
        worst = std::max(worst, length(carried(m, s, a, p) - carried(m, s, b, p)));
    };

    for (size_t i = 0; i < m.bodies.size(); i++)
        if (!m.bodies[i].free)
            gap(int(i), m.bodies[i].parent, m.bodies[i].joint);
    for (const Loop &l : m.loops)
        gap(l.a, l.b, l.point);
    return worst;
}

double turned(const Mechanism &m, const std::vector<State> &s)
{
    double worst = 0;

    for (size_t i = 0; i < m.bodies.size(); i++)
        if (m.bodies[i].shifted)
            worst = std::max(worst, length(Vec{s[i].r[0] - 1, s[i].r[3], s[i].r[6]}));
    return worst;
}

Vec marked_point(const Mechanism &m, const std::vector<State> &s)
{
    return carried(m, s, m.marked, m.mark);
}

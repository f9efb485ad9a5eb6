/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanisms of the comparison, said once for all engines.
 *
 * SI units, gravity 9.81 m/s^2 along -y. Every body's axes are the world's at the start and its
 * inertia is the same about each of them, so that no engine is helped or hindered by how it keeps
 * orientations. */
#ifndef PEERS_MECHANISM_H
#define PEERS_MECHANISM_H

#include <cmath>
#include <string>
#include <vector>

constexpr double gravity = 9.81;

struct Vec {
    double x, y, z;
};

inline Vec operator+(Vec a, Vec b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

inline Vec operator-(Vec a, Vec b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

inline double dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

inline double length(Vec a)
{
    return std::sqrt(dot(a, a));
}

/* A body and the joint that ties it to the body before it in the tree.
 * parent:   index of a body with a lower index, or -1 for the ground
 * joint:    where that joint is at the start, world [m]
 * centre:   centre of mass at the start, world [m]
 * velocity: of the centre of mass [m/s];  spin: angular velocity about z [rad/s]
 * shifted:  the motion only shifts it: if it turns, the mechanism has left its branch
 * axis:     of a hinge: z but in the arm
 * free:     it has no joint
 * mass:     [kg];  radius: of inertia, where it is not the mechanism's [m] */
struct Body {
    int parent;
    Vec joint;
    Vec centre;
    Vec velocity;
    double spin;
    bool shifted;
    Vec axis = {0, 0, 1};
    bool free = false;
    double mass = 1;
    double radius = 0;
};

/* A joint that closes a loop: bodies a and b (-1: the ground) meet at a point. */
struct Loop {
    int a, b;
    Vec point;
};

/* A spring and damper between a point of body a and one of body b (-1: the ground), where they are
 * at the start. */
struct Spring {
    int a, b;
    Vec at_a, at_b;
    double stiffness, damping, rest; /* [N/m], [N s/m], [m] */
};

/* spherical: the joints are balls, else hinges (the loops' about z)
 * inertia:   of a body of 1 kg about each axis [kg m^2]
 * marked, mark: the point whose motion is compared: its body, and where it is at the start */
struct Mechanism {
    bool spherical;
    double inertia;
    std::vector<Body> bodies;
    std::vector<Loop> loops;
    int marked;
    Vec mark;
    std::vector<Spring> springs = {};

    double inertia_of(const Body &b) const
    {
        return b.radius > 0 ? b.mass * b.radius * b.radius : b.mass * inertia;
    }
};

/* mechanism() - one of "spherical-chain", "revolute-chain" (of n links), "double-pendulum",
 * "four-bar", "ladder-2", "arm", "sprung-car" (n is not used) and "ladder" (of n windows); throws
 * std::runtime_error. */
Mechanism mechanism(const std::string &name, int n);

/* rate() - what the hinge of body i turns by at the start [rad/s]. */
double rate(const Mechanism &m, int i);

/* State of a body: centre of mass and its velocity, world; rotation matrix, body to world, row by
 * row; angular velocity, world. */
struct State {
    Vec x;
    double r[9];
    Vec v;
    Vec w;
};

/* The judges are the same for all engines: they see nothing but the states of the bodies. */
double energy(const Mechanism &m, const std::vector<State> &s);
double opening(const Mechanism &m, const std::vector<State> &s); /* largest gap of a joint [m] */
double turned(const Mechanism &m, const std::vector<State> &s);  /* 0: on its branch; 2: folded */
Vec marked_point(const Mechanism &m, const std::vector<State> &s);
std::vector<State> start(const Mechanism &m);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanisms of the comparison, defined once for all engines.
 *
 * SI units, gravity 9.81 m/s^2 along -y. Every body's axes are those of the world at the start, and
 * its inertia is the same about each axis. So no engine has an advantage or disadvantage from its
 * representation of orientations. */
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

/* A body and the joint that connects it to its parent body in the tree.
 * parent:   index of a body with a lower index, or -1 for the ground
 * joint:    position of that joint at the start, world [m]
 * centre:   centre of mass at the start, world [m]
 * velocity: velocity of the centre of mass [m/s];  spin: angular velocity about z [rad/s]
 * shifted:  the right motion is a pure translation: a rotation shows that the mechanism has left
 *           its branch
 * axis:     axis of a hinge, z except in the arm
 * free:     the body has no joint
 * mass:     [kg];  radius: radius of gyration [m], 0 for the inertia of the mechanism */
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

/* A joint that closes a loop: a point of body a coincides with a point of body b (-1: the
 * ground). */
struct Loop {
    int a, b;
    Vec point;
};

/* A spring and damper between a point of body a and a point of body b (-1: the ground), given at
 * the start. */
struct Spring {
    int a, b;
    Vec at_a, at_b;
    double stiffness, damping, rest; /* [N/m], [N s/m], [m] */
};

/* spherical: the joints are spherical, else hinges; joints that close loops are hinges about z
 * inertia:   inertia of a body of 1 kg about each axis [kg m^2]
 * marked:    body of the point whose motion is compared
 * mark:      position of this point at the start, world [m] */
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

/* mechanism() - Return the mechanism with this name: "spherical-chain", "revolute-chain" (of n
 * links), "double-pendulum", "four-bar", "ladder-2", "arm", "sprung-car" (n is not used) or
 * "ladder" (of n windows). Throws std::runtime_error. */
Mechanism mechanism(const std::string &name, int n);

/* rate() - Return the angular velocity in the hinge of body i at the start [rad/s]. */
double rate(const Mechanism &m, int i);

/* State of a body: centre of mass and its velocity in the world; rotation matrix from body to
 * world, in row order; angular velocity in the world. */
struct State {
    Vec x;
    double r[9];
    Vec v;
    Vec w;
};

/* The checks are the same for all engines, because their only data are the states of the bodies. */
double energy(const Mechanism &m, const std::vector<State> &s);
double opening(const Mechanism &m, const std::vector<State> &s); /* largest gap of a joint [m] */
double turned(const Mechanism &m, const std::vector<State> &s);  /* 0: on its branch; 2: folded */
Vec marked_point(const Mechanism &m, const std::vector<State> &s);
std::vector<State> start(const Mechanism &m);

#endif

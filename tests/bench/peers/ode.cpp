// SPDX-License-Identifier: Apache-2.0
// ODE: six coordinates a body, constraints on the velocities; errors of position are pushed back by
// a share (ERP) each step. WorldStep solves the rows directly (dense), QuickStep by 20 sweeps.
#include "engine.h"
#include <ode/ode.h>
#include <ode/odeinit.h>

namespace
{

class Ode : public Engine
{
    Mechanism m;
    double h;
    bool quick;
    dWorldID world = dWorldCreate();
    std::vector<dBodyID> bodies;

    void add_joint(int a, int b, Vec p)
    {
        dJointID j =
            m.spherical ? dJointCreateBall(world, nullptr) : dJointCreateHinge(world, nullptr);

        dJointAttach(j, a < 0 ? nullptr : bodies[a], b < 0 ? nullptr : bodies[b]);
        if (m.spherical) {
            dJointSetBallAnchor(j, p.x, p.y, p.z);
        } else {
            dJointSetHingeAnchor(j, p.x, p.y, p.z);
            dJointSetHingeAxis(j, 0, 0, 1);
        }
    }

  public:
    Ode(const Mechanism &mechanism, double step, const std::string &variant)
        : m(mechanism), h(step), quick(starts_with(variant, "QuickStep"))
    {
        dMass mass;

        dWorldSetGravity(world, 0, -gravity, 0);
        dWorldSetAutoDisableFlag(world, 0);
        if (contains(variant, "ERP 0.8"))
            dWorldSetERP(world, 0.8);
        dMassSetParameters(&mass, 1, 0, 0, 0, m.inertia, m.inertia, m.inertia, 0, 0, 0);
        for (size_t i = 0; i < m.bodies.size(); i++) {
            bodies.push_back(dBodyCreate(world));
            dBodySetMass(bodies[i], &mass);
        }
        reset();
        for (size_t i = 0; i < m.bodies.size(); i++)
            add_joint(int(i), m.bodies[i].parent, m.bodies[i].joint);
        for (const Loop &l : m.loops)
            add_joint(l.a, l.b, l.point);
    }
    ~Ode() override
    {
        dWorldDestroy(world);
    }
    void reset() override
    {
        const dQuaternion none = {1, 0, 0, 0};

        for (size_t i = 0; i < bodies.size(); i++) {
            const Body &b = m.bodies[i];
            dBodySetPosition(bodies[i], b.centre.x, b.centre.y, b.centre.z);
            dBodySetQuaternion(bodies[i], none);
            dBodySetLinearVel(bodies[i], b.velocity.x, b.velocity.y, b.velocity.z);
            dBodySetAngularVel(bodies[i], 0, 0, b.spin);
        }
    }
    void step() override
    {
        if (quick)
            dWorldQuickStep(world, h);
        else
            dWorldStep(world, h);
    }
    void look(std::vector<State> &s) override
    {
        for (size_t i = 0; i < s.size(); i++) {
            const dReal *x = dBodyGetPosition(bodies[i]), *r = dBodyGetRotation(bodies[i]),
                        *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
            for (int k = 0; k < 9; k++)
                s[i].r[k] = r[4 * (k / 3) + k % 3]; // rows are padded to four
            s[i].x = {x[0], x[1], x[2]};
            s[i].v = {v[0], v[1], v[2]};
            s[i].w = {w[0], w[1], w[2]};
        }
    }
};

} // namespace

int main()
{
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    return serve({"ODE 0.16",
                  {{"WorldStep", 1, EVERYTHING},
                   {"WorldStep ERP 0.8", 1, LOOPS | PLANE},
                   {"QuickStep", 1, EVERYTHING}},
                  [](const Mechanism &m, double step, const std::string &variant) {
                      return std::unique_ptr<Engine>(new Ode(m, step, variant));
                  }});
}

// SPDX-License-Identifier: Apache-2.0
// Simbody: mobilizers (generalised coordinates), O(n) recursions; loops are constraints that are
// projected after each step.
#include "engine.h"
#include <Simbody.h>
#include <stdexcept>

namespace
{

SimTK::Vec3 to(Vec a)
{
    return {a.x, a.y, a.z};
}

Vec from(const SimTK::Vec3 &a)
{
    return {a[0], a[1], a[2]};
}

class Simbody : public Engine
{
    SimTK::MultibodySystem sys;
    SimTK::SimbodyMatterSubsystem matter;
    SimTK::GeneralForceSubsystem forces;
    SimTK::Force::Gravity pull;
    std::vector<SimTK::MobilizedBody> bodies;
    SimTK::State initial;
    std::unique_ptr<SimTK::Integrator> integrator;

    SimTK::MobilizedBody &body(int i)
    {
        return i < 0 ? matter.updGround() : bodies[i];
    }
    SimTK::Vec3 point(const Mechanism &m, int i, Vec p)
    {
        return to(i < 0 ? p : p - m.bodies[i].centre);
    }
    void add_bodies(const Mechanism &m);
    void add_loops(const Mechanism &m);
    void add_integrator(double step, const std::string &variant);

  public:
    Simbody(const Mechanism &m, double step, const std::string &variant)
        : matter(sys), forces(sys), pull(forces, matter, SimTK::Vec3(0, -gravity, 0))
    {
        add_bodies(m);
        add_loops(m);
        initial = sys.realizeTopology();
        sys.realizeModel(initial);
        for (size_t i = 0; !m.spherical && i < bodies.size(); i++)
            bodies[i].setOneU(initial, 0, rate(m, int(i)));
        add_integrator(step, variant);
    }
    void reset() override
    {
        integrator->initialize(initial);
        integrator->stepTo(SimTK::Infinity); // the first call only reports the start
        if (integrator->getTime() != 0)
            throw std::runtime_error("does not report its start");
    }
    void step() override
    {
        integrator->stepTo(SimTK::Infinity);
    }
    void look(std::vector<State> &s) override
    {
        const SimTK::State &now = integrator->getState();

        sys.realize(now, SimTK::Stage::Velocity);
        for (size_t i = 0; i < s.size(); i++) {
            const SimTK::Rotation &r = bodies[i].getBodyRotation(now);
            for (int k = 0; k < 9; k++)
                s[i].r[k] = r[k / 3][k % 3];
            s[i].x = from(bodies[i].getBodyOriginLocation(now));
            s[i].v = from(bodies[i].getBodyOriginVelocity(now));
            s[i].w = from(bodies[i].getBodyAngularVelocity(now));
        }
    }
};

void Simbody::add_bodies(const Mechanism &m)
{
    const SimTK::Body::Rigid rigid(
        SimTK::MassProperties(1, SimTK::Vec3(0), SimTK::Inertia(m.inertia, m.inertia, m.inertia)));

    for (size_t i = 0; i < m.bodies.size(); i++) {
        const Body &b = m.bodies[i];
        const SimTK::Transform outer(point(m, b.parent, b.joint)), inner(point(m, int(i), b.joint));
        if (m.spherical)
            bodies.push_back(SimTK::MobilizedBody::Ball(body(b.parent), outer, rigid, inner));
        else
            bodies.push_back(SimTK::MobilizedBody::Pin(body(b.parent), outer, rigid, inner));
    }
}

// A plane loop needs the two rows in its plane. The five rows of a hinge are three too many: they
// cost more and gain nothing, and with them the Runge-Kutta integrators fail at singular poses.
void Simbody::add_loops(const Mechanism &m)
{
    const SimTK::UnitVec3 x(SimTK::XAxis), y(SimTK::YAxis);

    for (const Loop &l : m.loops) {
        const SimTK::Vec3 p = point(m, l.a, l.point), q = point(m, l.b, l.point);
        SimTK::Constraint::PointInPlane(body(l.b), x, q[0], body(l.a), p);
        SimTK::Constraint::PointInPlane(body(l.b), y, q[1], body(l.a), p);
    }
}

void Simbody::add_integrator(double step, const std::string &variant)
{
    if (starts_with(variant, "SemiExplicitEuler")) {
        integrator.reset(new SimTK::SemiExplicitEulerIntegrator(sys, step));
    } else {
        if (starts_with(variant, "RungeKutta3"))
            integrator.reset(new SimTK::RungeKutta3Integrator(sys));
        else
            integrator.reset(new SimTK::RungeKuttaMersonIntegrator(sys));
        integrator->setFixedStepSize(step);
    }
    if (contains(variant, "1e-10"))
        integrator->setConstraintTolerance(1e-10);
    integrator->setReturnEveryInternalStep(true);
    integrator->setAllowInterpolation(false);
}

} // namespace

int main()
{
    int major, minor, build;

    SimTK_version_simbody(&major, &minor, &build);
    return serve({"Simbody " + std::to_string(major) + "." + std::to_string(minor),
                  {{"SemiExplicitEuler", 1, EVERYTHING},
                   {"RungeKutta3", 3, CHAINS | PENDULUM},
                   {"RungeKuttaMerson", 4, PENDULUM},
                   {"RungeKutta3 tol 1e-10", 3, LOOPS | PLANE},
                   {"RungeKuttaMerson tol 1e-10", 4, LOOPS | PLANE}},
                  [](const Mechanism &m, double step, const std::string &variant) {
                      return std::unique_ptr<Engine>(new Simbody(m, step, variant));
                  }});
}

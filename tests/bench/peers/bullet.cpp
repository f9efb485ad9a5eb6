// SPDX-License-Identifier: Apache-2.0
// Bullet's btMultiBody in its double precision build: generalised coordinates, O(n) recursions;
// loops are point-to-point constraints, solved by sequential impulses (10 sweeps are the default).
// Damping, sleeping and the clamp on speeds are off.
#include "engine.h"
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

namespace
{

btVector3 to(Vec a)
{
    return btVector3(a.x, a.y, a.z);
}

Vec from(const btVector3 &a)
{
    return {a[0], a[1], a[2]};
}

class Bullet : public Engine
{
    Mechanism m;
    double h;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape ball{0.01};
    std::unique_ptr<btMultiBody> tree;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
    std::vector<std::unique_ptr<btMultiBodyPoint2Point>> closures;
    btAlignedObjectArray<btQuaternion> scratch_turns;
    btAlignedObjectArray<btVector3> scratch_places;
    std::vector<btVector3> turning, moving;

    btVector3 point(int i, Vec p) const
    {
        return to(i < 0 ? p : p - m.bodies[i].centre);
    }
    void add_body(int i);
    void add_colliders();
    void add_loop(const Loop &l);

  public:
    Bullet(const Mechanism &mechanism, double step, const std::string &variant)
        : m(mechanism), h(step), turning(m.bodies.size() + 1), moving(m.bodies.size() + 1)
    {
        tree.reset(new btMultiBody(int(m.bodies.size()), 1, btVector3(1, 1, 1), true, false));
        for (size_t i = 0; i < m.bodies.size(); i++)
            add_body(int(i));
        tree->finalizeMultiDof();
        tree->setLinearDamping(0);
        tree->setAngularDamping(0);
        tree->setMaxCoordinateVelocity(1e10);
        tree->useRK4Integration(starts_with(variant, "RK4"));
        world.setGravity(btVector3(0, -gravity, 0));
        world.addMultiBody(tree.get());
        if (contains(variant, "100 sweeps"))
            world.getSolverInfo().m_numIterations = 100;
        if (!m.loops.empty())
            add_colliders();
        for (const Loop &l : m.loops)
            add_loop(l);
    }
    ~Bullet() override
    {
        for (auto &c : closures)
            world.removeMultiBodyConstraint(c.get());
        for (auto &c : colliders)
            world.removeCollisionObject(c.get());
        world.removeMultiBody(tree.get());
    }
    void reset() override
    {
        btScalar none[4] = {0, 0, 0, m.spherical ? 1.0 : 0.0};

        for (int i = 0; i < tree->getNumLinks(); i++) {
            btScalar rates[3] = {m.spherical ? 0 : rate(m, i), 0, 0};
            tree->setJointPosMultiDof(i, none);
            tree->setJointVelMultiDof(i, rates);
        }
        tree->forwardKinematics(scratch_turns, scratch_places);
    }
    void step() override
    {
        world.stepSimulation(h, 0);
    }
    void look(std::vector<State> &s) override;
};

// Bullet's own localPosToWorld() walks to the base for every link: too long for a long chain.
void Bullet::look(std::vector<State> &s)
{
    std::vector<btMatrix3x3> turns(s.size());

    tree->compTreeLinkVelocities(turning.data(), moving.data()); // [0] is the base
    for (int i = 0; i < int(s.size()); i++) {
        const int p = tree->getParent(i);
        const btMatrix3x3 r = (p < 0 ? btMatrix3x3::getIdentity() : turns[p]) *
                              btMatrix3x3(tree->getParentToLocalRot(i)).transpose();
        const Vec shift = from(r * tree->getRVector(i));
        turns[i] = r;
        for (int k = 0; k < 9; k++)
            s[i].r[k] = r[k / 3][k % 3];
        s[i].x = p < 0 ? shift : s[p].x + shift;
        s[i].v = from(r * moving[i + 1]);
        s[i].w = from(r * turning[i + 1]);
    }
}

void Bullet::add_body(int i)
{
    const Body &b = m.bodies[i];
    const btVector3 inertia(m.inertia, m.inertia, m.inertia), at = point(b.parent, b.joint),
                                                              centre = to(b.centre - b.joint);
    const btQuaternion none = btQuaternion::getIdentity();

    if (m.spherical)
        tree->setupSpherical(i, 1, inertia, b.parent, none, at, centre);
    else
        tree->setupRevolute(i, 1, inertia, b.parent, none, btVector3(0, 0, 1), at, centre);
}

// Constraints are solved by islands of collision objects: without any, the loop silently stays
// open. These collide with nothing.
void Bullet::add_colliders()
{
    for (int i = -1; i < tree->getNumLinks(); i++) {
        colliders.emplace_back(new btMultiBodyLinkCollider(tree.get(), i));
        btMultiBodyLinkCollider *c = colliders.back().get();
        c->setCollisionShape(&ball);
        world.addCollisionObject(c, btBroadphaseProxy::DefaultFilter, 0);
        if (i < 0)
            tree->setBaseCollider(c);
        else
            tree->getLink(i).m_collider = c;
    }
}

void Bullet::add_loop(const Loop &l)
{
    const btVector3 a = point(l.a, l.point), b = point(l.b, l.point);

    closures.emplace_back(
        l.b < 0 ? new btMultiBodyPoint2Point(tree.get(), l.a, (btRigidBody *)nullptr, a, b)
                : new btMultiBodyPoint2Point(tree.get(), l.a, tree.get(), l.b, a, b));
    closures.back()->setMaxAppliedImpulse(1e30);
    world.addMultiBodyConstraint(closures.back().get());
}

} // namespace

int main()
{
    const std::string version =
        std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);

    return serve({"Bullet " + version,
                  {{"semi-implicit Euler", 1, EVERYTHING},
                   {"RK4", 4, EVERYTHING},
                   {"semi-implicit Euler 100 sweeps", 1, LOOPS | PLANE}},
                  [](const Mechanism &m, double step, const std::string &variant) {
                      return std::unique_ptr<Engine>(new Bullet(m, step, variant));
                  }});
}

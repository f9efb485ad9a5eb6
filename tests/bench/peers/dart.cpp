// SPDX-License-Identifier: Apache-2.0
// DART: one Skeleton in generalised coordinates, O(n) recursions; loops are BallJointConstraints
// (DART 6.12 has no revolute one). No shapes.
// Built without -march=native: the library passes Eigen's types by value, and their layout depends
// on it.
#include "engine.h"
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

namespace
{

using dart::dynamics::BodyNode;

Eigen::Vector3d to(Vec a)
{
    return {a.x, a.y, a.z};
}

Vec from(const Eigen::Vector3d &a)
{
    return {a[0], a[1], a[2]};
}

class Dart : public Engine
{
    dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create("mechanism");
    dart::simulation::WorldPtr world = dart::simulation::World::create();
    std::vector<BodyNode *> bodies;
    Eigen::VectorXd rest, rates;

    template <class Joint> void add_body(const Mechanism &m, int i, typename Joint::Properties p)
    {
        const Body &b = m.bodies[i];
        BodyNode::Properties body(BodyNode::AspectProperties("b" + std::to_string(i)));

        body.mInertia = dart::dynamics::Inertia(1, Eigen::Vector3d::Zero(),
                                                m.inertia * Eigen::Matrix3d::Identity());
        p.mName = "j" + std::to_string(i);
        p.mT_ParentBodyToJoint.translation() =
            to(b.parent < 0 ? b.joint : b.joint - m.bodies[b.parent].centre);
        p.mT_ChildBodyToJoint.translation() = to(b.joint - b.centre);
        bodies.push_back(skeleton
                             ->createJointAndBodyNodePair<Joint>(
                                 b.parent < 0 ? nullptr : bodies[b.parent], p, body)
                             .second);
    }
    void add_loop(const Loop &l)
    {
        using Ball = dart::constraint::BallJointConstraint;

        world->getConstraintSolver()->addConstraint(
            l.b < 0 ? std::make_shared<Ball>(bodies[l.a], to(l.point))
                    : std::make_shared<Ball>(bodies[l.a], bodies[l.b], to(l.point)));
    }

  public:
    Dart(const Mechanism &m, double step)
    {
        dart::dynamics::RevoluteJoint::Properties hinge;

        hinge.mAxis = Eigen::Vector3d::UnitZ();
        for (size_t i = 0; i < m.bodies.size(); i++) {
            if (m.spherical)
                add_body<dart::dynamics::BallJoint>(m, int(i), {});
            else
                add_body<dart::dynamics::RevoluteJoint>(m, int(i), hinge);
        }
        world->setGravity(Eigen::Vector3d(0, -gravity, 0));
        world->addSkeleton(skeleton);
        world->setTimeStep(step);
        for (const Loop &l : m.loops)
            add_loop(l);
        rest = rates = Eigen::VectorXd::Zero(Eigen::Index(skeleton->getNumDofs()));
        for (size_t i = 0; !m.spherical && i < bodies.size(); i++)
            rates[Eigen::Index(bodies[i]->getParentJoint()->getIndexInSkeleton(0))] =
                rate(m, int(i));
    }
    void reset() override
    {
        skeleton->setPositions(rest);
        skeleton->setVelocities(rates);
        skeleton->clearConstraintImpulses();
        world->setTime(0);
    }
    void step() override
    {
        world->step();
    }
    void look(std::vector<State> &s) override
    {
        for (size_t i = 0; i < s.size(); i++) {
            const Eigen::Isometry3d &pose = bodies[i]->getWorldTransform();
            for (int k = 0; k < 9; k++)
                s[i].r[k] = pose.linear()(k / 3, k % 3);
            s[i].x = from(pose.translation());
            s[i].v = from(bodies[i]->getLinearVelocity());
            s[i].w = from(bodies[i]->getAngularVelocity());
        }
    }
};

} // namespace

int main()
{
    return serve({"DART " DART_VERSION,
                  {{"semi-implicit Euler", 1, EVERYTHING}},
                  [](const Mechanism &m, double step, const std::string &) {
                      return std::unique_ptr<Engine>(new Dart(m, step));
                  }});
}

// SPDX-License-Identifier: Apache-2.0
// RBDL: generalised coordinates, articulated bodies for chains; loops by the dense equations with
// multipliers, two rows a hinge, those in the plane, stabilised as Baumgarte did. It has no
// integrator of its own: semi-implicit Euler and Runge-Kutta of order 4 are here.
#include "engine.h"
#include <rbdl/rbdl.h>

namespace
{

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

constexpr double stabilisation = 0.05; // [s] of loops: what holds them best at 1 ms

Vector3d to(Vec a)
{
    return Vector3d(a.x, a.y, a.z);
}

// about an axis of the world, for which it has faster code than for others
JointType hinge(Vec axis)
{
    return axis.x == 1 ? JointTypeRevoluteX : axis.y == 1 ? JointTypeRevoluteY : JointTypeRevoluteZ;
}

Vec from(const Vector3d &a)
{
    return {a[0], a[1], a[2]};
}

class Rbdl : public Engine
{
    Mechanism m;
    double h;
    bool runge_kutta;
    Model model;
    ConstraintSet loops;
    std::vector<unsigned> id;
    VectorNd q, rate_of_q, v, a, tau;
    std::vector<SpatialVector> pushes; // of springs, about the origin; by body of RBDL

    Vec frame(int i) const
    {
        return i < 0 ? Vec{0, 0, 0} : m.bodies[i].joint;
    }
    bool turns_any_way(unsigned i) const
    {
        return model.mJoints[i].mJointType == JointTypeSpherical;
    }
    void add_loop(const Loop &l);
    void push(const VectorNd &q_at, const VectorNd &v_at);
    void accelerate(const VectorNd &q_at, const VectorNd &v_at);
    void find_rates(const VectorNd &q_at, const VectorNd &v_at);
    void normalise(VectorNd &q_at);
    void euler();
    void order_4();

  public:
    Rbdl(const Mechanism &mechanism, double step, const std::string &variant)
        : m(mechanism), h(step), runge_kutta(starts_with(variant, "RK4"))
    {
        model.gravity = Vector3d(0, -gravity, 0);
        for (const ::Body &b : m.bodies) {
            const double i = m.inertia_of(b);
            const RigidBodyDynamics::Body body(b.mass, to(b.centre - b.joint), Vector3d(i, i, i));
            id.push_back(model.AddBody(b.parent < 0 ? 0 : id[b.parent],
                                       Xtrans(to(b.joint - frame(b.parent))),
                                       Joint(b.free        ? JointTypeFloatingBase
                                             : m.spherical ? JointTypeSpherical
                                                           : hinge(b.axis)),
                                       body));
        }
        for (const Loop &l : m.loops)
            add_loop(l);
        loops.Bind(model);
        q = rate_of_q = VectorNd::Zero(model.q_size);
        v = a = tau = VectorNd::Zero(model.qdot_size);
        pushes.resize(model.mBodies.size(), SpatialVector::Zero());
    }
    void reset() override
    {
        q.setZero();
        v.setZero();
        for (size_t i = 0; i < id.size(); i++)
            if (turns_any_way(id[i]))
                model.SetQuaternion(id[i], Quaternion(0, 0, 0, 1), q);
            else
                v[model.mJoints[id[i]].q_index] = rate(m, int(i));
    }
    void step() override
    {
        if (runge_kutta)
            order_4();
        else
            euler();
    }
    void look(std::vector<State> &s) override;
};

void Rbdl::add_loop(const Loop &l)
{
    for (int k = 0; k < 2; k++) {
        SpatialVector axis = SpatialVector::Zero();

        axis[3 + k] = 1;
        loops.AddLoopConstraint(l.a < 0 ? 0 : id[l.a], l.b < 0 ? 0 : id[l.b],
                                Xtrans(to(l.point - frame(l.a))), Xtrans(to(l.point - frame(l.b))),
                                axis, true, stabilisation);
    }
}

void Rbdl::push(const VectorNd &q_at, const VectorNd &v_at)
{
    UpdateKinematicsCustom(model, &q_at, &v_at, nullptr);
    std::fill(pushes.begin(), pushes.end(), SpatialVector::Zero());
    for (const Spring &k : m.springs) {
        Vector3d p[2], rate[2];

        for (int end = 0; end < 2; end++) {
            const int body = end == 0 ? k.a : k.b;
            const Vector3d at = to((end == 0 ? k.at_a : k.at_b) - frame(body));

            p[end] = at;
            rate[end] = Vector3d::Zero();
            if (body < 0)
                continue;
            p[end] = CalcBodyToBaseCoordinates(model, q_at, id[body], at, false);
            rate[end] = CalcPointVelocity(model, q_at, v_at, id[body], at, false);
        }
        const Vector3d d = p[1] - p[0];
        const double l = d.norm();
        const double pull = k.stiffness * (l - k.rest) + k.damping * d.dot(rate[1] - rate[0]) / l;
        for (int end = 0; end < 2; end++) {
            const int body = end == 0 ? k.a : k.b;
            const Vector3d f = (end == 0 ? pull : -pull) / l * d;

            if (body < 0)
                continue;
            pushes[id[body]].head<3>() += p[end].cross(f);
            pushes[id[body]].tail<3>() += f;
        }
    }
}

void Rbdl::accelerate(const VectorNd &q_at, const VectorNd &v_at)
{
    if (!m.springs.empty()) {
        push(q_at, v_at);
        ForwardDynamics(model, q_at, v_at, tau, a, &pushes);
    } else if (m.loops.empty())
        ForwardDynamics(model, q_at, v_at, tau, a);
    else
        ForwardDynamicsConstraintsDirect(model, q_at, v_at, tau, loops, a);
}

void Rbdl::find_rates(const VectorNd &q_at, const VectorNd &v_at)
{
    rate_of_q.head(v_at.size()) = v_at;
    for (unsigned i : id) {
        if (!turns_any_way(i))
            continue;
        const unsigned at = model.mJoints[i].q_index;
        const Vector3d w = v_at.segment<3>(at);
        const Vector4d d = model.GetQuaternion(i, q_at).omegaToQDot(w);

        rate_of_q.segment<3>(at) = d.head<3>();
        rate_of_q[model.multdof3_w_index[i]] = d[3];
    }
}

void Rbdl::normalise(VectorNd &q_at)
{
    for (unsigned i : id) {
        if (!turns_any_way(i))
            continue;
        Quaternion turn = model.GetQuaternion(i, q_at);

        turn.normalize();
        model.SetQuaternion(i, turn, q_at);
    }
}

void Rbdl::euler()
{
    accelerate(q, v);
    v += h * a;
    find_rates(q, v);
    q += h * rate_of_q;
    normalise(q);
}

void Rbdl::order_4()
{
    const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const VectorNd q0 = q, v0 = v;
    VectorNd q_at = q0, v_at = v0;

    for (int k = 0; k < 4; k++) {
        if (k > 0) {
            q_at = q0 + at[k] * h * rate_of_q;
            v_at = v0 + at[k] * h * a;
            normalise(q_at);
        }
        accelerate(q_at, v_at);
        find_rates(q_at, v_at);
        q += weight[k] * h * rate_of_q;
        v += weight[k] * h * a;
    }
    normalise(q);
}

void Rbdl::look(std::vector<State> &s)
{
    UpdateKinematicsCustom(model, &q, &v, nullptr);
    for (size_t i = 0; i < s.size(); i++) {
        const Vector3d centre = to(m.bodies[i].centre - m.bodies[i].joint);
        const Matrix3d r = CalcBodyWorldOrientation(model, q, id[i], false).transpose();
        const SpatialVector twist = CalcPointVelocity6D(model, q, v, id[i], centre, false);

        s[i].x = from(CalcBodyToBaseCoordinates(model, q, id[i], centre, false));
        for (int k = 0; k < 9; k++)
            s[i].r[k] = r(k / 3, k % 3);
        s[i].w = from(twist.head<3>());
        s[i].v = from(twist.tail<3>());
    }
}

} // namespace

int main()
{
    const int version = rbdl_get_api_version();

    return serve(
        {"RBDL " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." +
             std::to_string(version & 255),
         {{"semi-implicit Euler", 1, EVERYTHING | ARM | CAR}, {"RK4", 4, EVERYTHING | ARM | CAR}},
         [](const Mechanism &m, double step, const std::string &variant) {
             return std::unique_ptr<Engine>(new Rbdl(m, step, variant));
         }});
}

// SPDX-License-Identifier: Apache-2.0
// MuJoCo: generalised coordinates, a sparse factor of the mass matrix; loops are soft `connect`
// constraints, here as stiff as the engine's manual allows (time constant two steps, impedance
// 0.9999). No geometry, no contacts, no armature, no damping.
#include "engine.h"
#include <cstring>
#include <mujoco/mujoco.h>
#include <sstream>
#include <stdexcept>

namespace
{

// The XML reader limits how deep one document nests: a long chain is split into files in memory
// that include one another.
constexpr int depth_max = 60;

struct Writer {
    const Mechanism &m;
    mjVFS *files;

    void add_file(const std::string &name, const std::string &text)
    {
        mj_makeEmptyFileVFS(files, name.c_str(), int(text.size()));
        memcpy(files->filedata[mj_findFileVFS(files, name.c_str())], text.data(), text.size());
    }
    void children(std::ostringstream &out, int parent, int depth);
    void body(std::ostringstream &out, int i, int depth);
    void sites(std::ostringstream &out, int body, Vec origin);
    std::string document(double step, const std::string &integrator);
};

void Writer::children(std::ostringstream &out, int parent, int depth)
{
    for (size_t i = size_t(parent + 1); i < m.bodies.size(); i++) {
        if (m.bodies[i].parent != parent)
            continue;
        if (depth < depth_max) {
            body(out, int(i), depth);
            continue;
        }
        const std::string name = "part" + std::to_string(i) + ".xml";
        std::ostringstream part;
        part.precision(17);
        part << "<mujocoinclude>";
        body(part, int(i), 0);
        part << "</mujocoinclude>";
        add_file(name, part.str());
        out << "<include file='" << name << "'/>";
    }
}

// the ends of springs on a body, which tendons are
void Writer::sites(std::ostringstream &out, int body, Vec origin)
{
    for (size_t k = 0; k < m.springs.size(); k++)
        for (const char *end : {"a", "b"}) {
            const Spring &s = m.springs[k];
            const Vec p = (*end == 'a' ? s.at_a : s.at_b) - origin;

            if ((*end == 'a' ? s.a : s.b) == body)
                out << "<site name='" << end << k << "' pos='" << p.x << ' ' << p.y << ' ' << p.z
                    << "'/>";
        }
}

void Writer::body(std::ostringstream &out, int i, int depth)
{
    const Body &b = m.bodies[i];
    const Vec at = b.parent < 0 ? b.joint : b.joint - m.bodies[b.parent].joint;
    const Vec c = b.centre - b.joint;
    std::ostringstream axis;

    axis << b.axis.x << ' ' << b.axis.y << ' ' << b.axis.z;
    out << "<body name='b" << i << "' pos='" << at.x << ' ' << at.y << ' ' << at.z << "'>"
        << (b.free        ? "<freejoint/>"
            : m.spherical ? "<joint type='ball'/>"
                          : "<joint type='hinge' axis='" + axis.str() + "'/>")
        << "<inertial mass='" << b.mass << "' pos='" << c.x << ' ' << c.y << ' ' << c.z
        << "' diaginertia='" << m.inertia_of(b) << ' ' << m.inertia_of(b) << ' ' << m.inertia_of(b)
        << "'/>";
    sites(out, i, b.joint);
    children(out, i, depth + 1);
    out << "</body>";
}

std::string Writer::document(double step, const std::string &integrator)
{
    std::ostringstream out;

    out.precision(17);
    out << "<mujoco><compiler balanceinertia='false' boundmass='0'/><option timestep='" << step
        << "' gravity='0 " << -gravity << " 0' integrator='" << integrator
        << "'><flag contact='disable'/></option><worldbody>";
    sites(out, -1, {0, 0, 0});
    children(out, -1, 0);
    out << "</worldbody><tendon>";
    for (size_t k = 0; k < m.springs.size(); k++)
        out << "<spatial stiffness='" << m.springs[k].stiffness << "' damping='"
            << m.springs[k].damping << "' springlength='" << m.springs[k].rest << "'><site site='a"
            << k << "'/><site site='b" << k << "'/></spatial>";
    out << "</tendon><equality>";
    for (const Loop &l : m.loops) {
        const Vec p = l.point - m.bodies[l.a].joint;
        out << "<connect body1='b" << l.a << "'";
        if (l.b >= 0)
            out << " body2='b" << l.b << "'";
        out << " anchor='" << p.x << ' ' << p.y << ' ' << p.z << "' solref='" << 2 * step
            << " 1' solimp='0.9999 0.9999 0.001'/>";
    }
    out << "</equality></mujoco>";
    return out.str();
}

class Mujoco : public Engine
{
    Mechanism m;
    mjModel *model = nullptr;
    mjData *data = nullptr;
    std::vector<int> id;

  public:
    Mujoco(const Mechanism &mechanism, double step, const std::string &integrator) : m(mechanism)
    {
        std::unique_ptr<mjVFS> files(new mjVFS);
        char message[500] = "";

        mj_defaultVFS(files.get());
        Writer writer = {m, files.get()};
        writer.add_file("main.xml", writer.document(step, integrator));
        model = mj_loadXML("main.xml", files.get(), message, sizeof(message));
        mj_deleteVFS(files.get());
        if (!model)
            throw std::runtime_error(message);
        data = mj_makeData(model);
        for (size_t i = 0; i < m.bodies.size(); i++)
            id.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
    }
    ~Mujoco() override
    {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    void reset() override
    {
        mj_resetData(model, data);
        for (size_t i = 0; !m.spherical && i < id.size(); i++)
            if (!m.bodies[i].free)
                data->qvel[model->body_dofadr[id[i]]] = rate(m, int(i));
    }
    void step() override
    {
        mj_step(model, data);
    }
    // only the kinematics: a full forward pass would disturb the solver's warm start
    void look(std::vector<State> &s) override
    {
        mj_kinematics(model, data);
        mj_comPos(model, data);
        mj_comVel(model, data);
        for (size_t i = 0; i < s.size(); i++) {
            const double *x = data->xipos + 3 * id[i];
            double v[6];

            mj_objectVelocity(model, data, mjOBJ_BODY, id[i], v, 0);
            std::copy(data->xmat + 9 * id[i], data->xmat + 9 * id[i] + 9, s[i].r);
            s[i].x = {x[0], x[1], x[2]};
            s[i].w = {v[0], v[1], v[2]};
            s[i].v = {v[3], v[4], v[5]};
        }
    }
};

} // namespace

int main()
{
    mju_user_warning = [](const char *text) { fprintf(stderr, "mujoco: %s\n", text); };
    return serve({std::string("MuJoCo ") + mj_versionString(),
                  {{"Euler", 1, EVERYTHING | ARM | CAR}, {"RK4", 4, EVERYTHING | ARM | CAR}},
                  [](const Mechanism &m, double step, const std::string &variant) {
                      return std::unique_ptr<Engine>(new Mujoco(m, step, variant));
                  }});
}

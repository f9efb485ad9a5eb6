/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the reader according to the first element of a file. */
#include "import.h"
#include "xml.h"

static void read_mujoco(const char *path, const char *text, size_t size, const xmlNode *root,
                        struct robot *robot, struct notes *notes)
{
#ifdef HAVE_MUJOCO
    mjcf_read(path, text, size, root, robot, notes);
#else
    (void)path, (void)text, (void)size, (void)robot;
    note(notes, NOTE_ERROR, xmlGetLineNo(root),
         "the file is <mujoco>: MJCF, which this program was built without; build it with "
         "libmujoco-dev and -Dmujoco=enabled");
#endif
}

void robot_read(const char *path, const char *text, size_t size, struct robot *robot,
                struct notes *notes)
{
    xmlDoc *doc = xml_parse(text, size, notes);
    const xmlNode *root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;

    robot->gravity[2] = -9.81;
    if (root == NULL)
        return;
    if (robot->density > 0 && !xml_is(root, "robot"))
        note(notes, NOTE_WRONG, xmlGetLineNo(root), "--density has no effect: it is for URDF; %s",
             xml_is(root, "mujoco") ? "MuJoCo takes masses from the densities of geoms, default "
                                      "1000 kg/m^3"
                                    : "parts of CAD have their masses");
    if (xml_is(root, "robot"))
        urdf_read(path, root, robot, notes);
    else if (xml_is(root, "mujoco"))
        read_mujoco(path, text, size, root, robot, notes);
    else if (xml_is(root, "PhysicalModelingXMLFile") || xml_is(root, "SimscapeMultibodyImportXML"))
        simscape_read(root, robot, notes);
    else
        note(notes, NOTE_ERROR, xmlGetLineNo(root),
             "the file is <%s>, expected <robot>: URDF, <mujoco>: MJCF, or "
             "<PhysicalModelingXMLFile> or <SimscapeMultibodyImportXML>: Simscape Multibody",
             xml_name(root));
    xmlFreeDoc(doc);
}

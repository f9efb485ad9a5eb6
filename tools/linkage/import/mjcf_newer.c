/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF for a later version than the installed MuJoCo. Elements and attributes that the installed
 * schema lacks are removed if they are irrelevant to a mechanism; otherwise they are reported.
 *
 * The schema is the output of mj_printSchema(): a line for each element with its attributes,
 * indented according to its level. The tables below list what may be removed; all other unknown
 * elements and attributes are refused. */
#include "mjcf_newer.h"
#include "xml.h"

#include <libxml/parser.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX  1000
#define INCLUDES_MAX 10        /* levels of included files */
#define NAMED_MAX    12        /* largest number of names in the note on removed elements */
#define INDENT       3         /* indent of a level in the schema */
#define NAME_WIDTH   27        /* width of the first column of the schema */
#define SCHEMA_SIZE  (1 << 18) /* bytes */

/* Relevance of an unknown element or attribute to a mechanism: it has no effect; its effect is
 * omitted with a warning; or it cannot be omitted. */
enum meaning { NOTHING, LEFT_OUT, NEEDED };

/** struct entry - an element of the schema.
 * @name:       without marks, "body" for "(world)body"
 * @attributes: names, each preceded by a blank, with a blank at the end */
struct entry {
    int level;
    char name[32];
    char attributes[2000];
    bool is_recursive;
};

/** struct newer - a file during the search.
 * @named:      removed elements without relevance
 * @n_left_out: number of removals and changes with their own note
 * @tell:       callback for such a note */
struct newer {
    const char *folder;
    struct entry *schema;
    int n_entries;
    char named[NAMED_MAX][64];
    int n_named;
    int n_left_out;
    int n_refused;
    mjcf_newer_tell *tell;
};

/* ---- tables ---- */

/* Sections that describe no part of a mechanism; contacts and tendons are not imported. */
static const char *const idle_sections[] = {"sensor",   "visual",  "statistic", "size",   "custom",
                                            "keyframe", "contact", "tendon",    "option", NULL};

/* Meaning of unknown elements. The section is given if the meaning depends on it. */
static const struct {
    const char *section, *element;
    enum meaning meaning;
} elements[] = {
    {NULL, "extension", NOTHING},    {"asset", "layer", NOTHING},  {NULL, "deformable", LEFT_OUT},
    {"equality", NULL, LEFT_OUT},    {"actuator", NULL, LEFT_OUT}, {"default", "flex", NOTHING},
    {"default", "dcmotor", NOTHING},
};

/* Meaning of unknown attributes of an element; attribute NULL: any attribute. */
static const struct {
    const char *element, *attribute;
    enum meaning meaning;
} attributes[] = {
    {"site", NULL, NOTHING},
    {"camera", NULL, NOTHING},
    {"light", NULL, NOTHING},
    {"material", NULL, NOTHING},
    {"texture", NULL, NOTHING},
    {"skin", NULL, NOTHING},
    {"hfield", NULL, NOTHING},
    {"pair", NULL, NOTHING},
    {"mesh", "maxhullvert", NOTHING},
    {"mesh", "content_type", NOTHING},
    {"mesh", "material", NOTHING},
    {"mesh", "inertia", LEFT_OUT},
    {"body", "gravcomp", LEFT_OUT},
    {"body", "sleep", NOTHING},
    {"joint", "actuatorfrcrange", NOTHING},
    {"joint", "actuatorfrclimited", NOTHING},
    {"joint", "actuatorgravcomp", NOTHING},
    {"freejoint", "align", NOTHING},
    {"compiler", "saveinertial", NOTHING},
    {"compiler", "alignfree", NOTHING},
    /* Only actuators that are forces at joints are imported, so the laws of all others have no
     * effect. */
    {"position", NULL, NOTHING},
    {"velocity", NULL, NOTHING},
    {"intvelocity", NULL, NOTHING},
    {"damper", NULL, NOTHING},
    {"cylinder", NULL, NOTHING},
    {"muscle", NULL, NOTHING},
    {"adhesion", NULL, NOTHING},
    {"motor", "actearly", NOTHING},
    {"general", "actearly", NOTHING},
    {"general", "actdim", NOTHING},
};

/* Values of attributes of <option> that the reader knows. An attribute with another value is
 * removed. */
static const struct {
    const char *attribute;
    const char *const known[5];
} keywords[] = {
    {"integrator", {"Euler", "RK4", "implicit", NULL}},
    {"solver", {"PGS", "CG", "Newton", NULL}},
    {"cone", {"pyramidal", "elliptic", NULL}},
    {"jacobian", {"dense", "sparse", "auto", NULL}},
    {"collision", {"all", "predefined", "dynamic", NULL}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the schema ---- */

/* Add a line " name (mark) attributes" to the schema. A line may also contain further attributes
 * only. */
static void take_line(struct newer *w, const char *line)
{
    size_t blanks = strspn(line, " "), length = strcspn(line, "\n");
    struct entry *e;
    const char *name = line + blanks;
    size_t n = strcspn(name, " \n");

    if (blanks >= length)
        return;
    if (blanks < NAME_WIDTH) {
        if (w->n_entries == ENTRIES_MAX)
            return;
        e = &w->schema[w->n_entries++];
        e->level = (int)(blanks / INDENT);
        if (strncmp(name, "(world)", 7) == 0)
            name += 7, n -= 7;
        snprintf(e->name, sizeof(e->name), "%.*s", (int)n, name);
        e->is_recursive = strncmp(name + n, " (R)", 4) == 0;
        strcpy(e->attributes, " ");
        line += length < NAME_WIDTH ? length : NAME_WIDTH;
        length -= length < NAME_WIDTH ? length : NAME_WIDTH;
    }
    if (w->n_entries == 0)
        return;
    e = &w->schema[w->n_entries - 1];
    for (size_t at = strspn(line, " "); at < length;) {
        size_t size = strcspn(line + at, " \n"), used = strlen(e->attributes);

        snprintf(e->attributes + used, sizeof(e->attributes) - used, "%.*s ", (int)size, line + at);
        at += size;
        at += strspn(line + at, " ");
    }
}

static bool read_schema(struct newer *w)
{
    char *text = calloc(1, SCHEMA_SIZE);

    w->schema = calloc(ENTRIES_MAX, sizeof(*w->schema));
    if (text == NULL || w->schema == NULL ||
        mj_printSchema(NULL, text, SCHEMA_SIZE, 0, 0) >= SCHEMA_SIZE)
        return false;
    for (const char *line = text; *line != '\0'; line += line[strcspn(line, "\n")] == '\n')
        take_line(w, line), line += strcspn(line, "\n");
    free(text);
    return w->n_entries > 0;
}

/* Return the index of the entry @name among the children of entry @parent; -1: none. */
static int find_entry(const struct newer *w, int parent, const char *name)
{
    const struct entry *p = &w->schema[parent];

    if (strcmp(name, "worldbody") == 0)
        name = "body";
    if (p->is_recursive && strcmp(p->name, name) == 0)
        return parent;
    for (int i = parent + 1; i < w->n_entries && w->schema[i].level > p->level; i++)
        if (w->schema[i].level == p->level + 1 && strcmp(w->schema[i].name, name) == 0)
            return i;
    return -1;
}

static bool has_attribute(const struct newer *w, int entry, const char *name)
{
    char word[100];

    snprintf(word, sizeof(word), " %s ", name);
    return strstr(w->schema[entry].attributes, word) != NULL;
}

/* ---- removal ---- */

/* Add a name to the common note about removed elements. */
static void name_it(struct newer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void name_it(struct newer *w, const char *format, ...)
{
    char text[64];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    for (int i = 0; i < w->n_named && i < NAMED_MAX; i++)
        if (strcmp(w->named[i], text) == 0)
            return;
    if (w->n_named < NAMED_MAX)
        memcpy(w->named[w->n_named], text, sizeof(text));
    w->n_named++;
}

/* Report a message at the line of @node. If @node is from an included file, name that file. */
static void tell_at(struct newer *w, char kind, const xmlNode *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void tell_at(struct newer *w, char kind, const xmlNode *node, const char *format, ...)
{
    const char *file = node->_private;
    char text[400], place[200] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (file != NULL)
        snprintf(place, sizeof(place), "%.150s:%ld: ", file, xmlGetLineNo(node));
    w->tell(kind, file != NULL ? 0 : xmlGetLineNo(node), "%s%s", place, text);
}

/* Report that an element or attribute is refused.
 * @what: "<frame>", or "the attribute 'x' of <joint>" */
static void refuse(struct newer *w, const xmlNode *node, const char *what)
{
    w->n_refused++;
    tell_at(
        w, 'e', node,
        "%s is not known to MuJoCo %s, which reads the file, and may change the motion: take it "
        "out where the file is for a later version, or correct its name",
        what, mj_versionString());
}

static const char *name_in_file(const xmlNode *node)
{
    const char *name = xml_attribute(node, "name");

    return name != NULL ? name : "";
}

static bool is_zero(const char *text)
{
    double value;

    return xml_parse_numbers(text, 1, &value) && value == 0;
}

static enum meaning meaning_of_attribute(const char *section, const xmlNode *node, const char *name,
                                         const char *value)
{
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (xml_is(node, attributes[i].element) &&
            (attributes[i].attribute == NULL || strcmp(attributes[i].attribute, name) == 0))
            return attributes[i].meaning == LEFT_OUT && is_zero(value) ? NOTHING
                                                                       : attributes[i].meaning;
    for (int i = 0; idle_sections[i] != NULL; i++)
        if (strcmp(idle_sections[i], section) == 0)
            return NOTHING;
    return NEEDED;
}

static enum meaning meaning_of_element(const char *section, const xmlNode *node)
{
    for (size_t i = 0; i < COUNT(elements); i++)
        if ((elements[i].section == NULL || strcmp(elements[i].section, section) == 0) &&
            (elements[i].element == NULL || xml_is(node, elements[i].element)))
            return elements[i].meaning;
    for (int i = 0; idle_sections[i] != NULL; i++)
        if (strcmp(idle_sections[i], section) == 0)
            return NOTHING;
    return NEEDED;
}

static void judge_attribute(struct newer *w, const char *section, xmlNode *node, xmlAttr *a)
{
    const char *name = (const char *)a->name;
    char *value = xml_attribute(node, name), what[200];
    enum meaning meaning = meaning_of_attribute(section, node, name, value != NULL ? value : "");

    snprintf(what, sizeof(what), "the attribute '%.60s' of <%.60s>", name, xml_name(node));
    if (strcmp(name, "assetdir") == 0 && xml_is(node, "compiler")) {
        for (const char *const *dir = (const char *const[]){"meshdir", "texturedir", NULL};
             *dir != NULL; dir++)
            if (xmlHasProp(node, (const xmlChar *)*dir) == NULL)
                xmlSetProp(node, (const xmlChar *)*dir, (const xmlChar *)value);
    } else if (meaning == NEEDED) {
        refuse(w, node, what);
    } else if (meaning == LEFT_OUT) {
        tell_at(w, 'w', node, "%s '%s': the %s of %.100s is left out, as for MuJoCo %s",
                xml_name(node), name_in_file(node), name, value, mj_versionString());
    } else {
        name_it(w, "%.30s %.30s", xml_name(node), name);
    }
    xmlFree(value);
    w->n_left_out += meaning == LEFT_OUT || strcmp(name, "assetdir") == 0;
    if (meaning != NEEDED || strcmp(name, "assetdir") == 0)
        xmlRemoveProp(a);
}

static void judge_keyword(struct newer *w, xmlNode *option)
{
    for (size_t i = 0; i < COUNT(keywords); i++) {
        xmlAttr *a = xmlHasProp(option, (const xmlChar *)keywords[i].attribute);
        char *value = xml_attribute(option, keywords[i].attribute);
        bool is_known = a == NULL;

        for (int k = 0; keywords[i].known[k] != NULL && !is_known; k++)
            is_known = strcmp(value, keywords[i].known[k]) == 0;
        if (!is_known) {
            name_it(w, "option %s %.30s", keywords[i].attribute, value);
            xmlRemoveProp(a);
        }
        xmlFree(value);
    }
}

/* Handle an element that is not in the schema: remove it, unless it is needed. */
static void judge_unknown(struct newer *w, const char *section, xmlNode *node)
{
    enum meaning meaning = meaning_of_element(section, node);
    char what[100];

    snprintf(what, sizeof(what), "<%.60s>", xml_name(node));
    if (meaning == NEEDED) {
        refuse(w, node, what);
        return;
    }
    if (meaning == LEFT_OUT)
        tell_at(w, 'w', node, "%s '%s' is left out: it is for a later MuJoCo than %s", what,
                name_in_file(node), mj_versionString());
    else
        name_it(w, "%.30s %.30s", *section != '\0' ? section : "a section", xml_name(node));
    w->n_left_out += meaning == LEFT_OUT;
    xmlUnlinkNode(node);
    xmlFreeNode(node);
}

/* Check an element and its children.
 * @entry:   index of the element in the schema
 * @section: section that contains the element, "" for the first element */
static void judge(struct newer *w, const char *section, xmlNode *node, int entry)
{
    for (xmlAttr *a = node->properties, *next; a != NULL; a = next) {
        next = a->next;
        if (!has_attribute(w, entry, (const char *)a->name))
            judge_attribute(w, section, node, a);
    }
    if (xml_is(node, "option"))
        judge_keyword(w, node);
    for (xmlNode *child = (xmlNode *)xml_first(node->children), *next; child != NULL;
         child = next) {
        int own = find_entry(w, entry, xml_name(child));

        next = (xmlNode *)xml_first(child->next);
        if (own >= 0)
            judge(w, *section != '\0' ? section : xml_name(child), child, own);
        else if (!xml_is(child, "include")) /* MuJoCo reports other errors */
            judge_unknown(w, section, child);
    }
}

/* ---- included files ---- */

/* Mark @copy of @node and its children as read from @file, unless they are from a file that it
 * includes. */
static void mark(xmlNode *copy, const xmlNode *node, const char *file)
{
    xmlNode *child = (xmlNode *)xml_first(copy->children);

    copy->_private = node->_private != NULL ? node->_private : strdup(file);
    FOR_EACH_CHILD(of, node)
    {
        mark(child, of, file);
        child = (xmlNode *)xml_first(child->next);
    }
}

static void include(struct newer *w, xmlNode *node, int level);

/* Replace @node by the contents of @file. If the file cannot be read, @node remains, and MuJoCo
 * reports the reason. */
static void include_file(struct newer *w, xmlNode *node, const char *file, int level)
{
    char path[4096];
    xmlDoc *doc;
    xmlNode *root;

    snprintf(path, sizeof(path), "%s%s", *file == '/' ? "" : w->folder, file);
    doc = xmlReadFile(path, NULL,
                      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                          XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
    if (root != NULL) {
        include(w, root, level + 1);
        FOR_EACH_CHILD(child, root)
        {
            xmlNode *copy = xmlDocCopyNode((xmlNode *)child, node->doc, 1);

            mark(copy, child, file);
            xmlAddPrevSibling(node, copy);
        }
        xmlUnlinkNode(node);
        xmlFreeNode(node);
    }
    xmlFreeDoc(doc);
}

/* Replace every <include> below @node by the contents of its file, as MuJoCo does. */
static void include(struct newer *w, xmlNode *node, int level)
{
    for (xmlNode *child = (xmlNode *)xml_first(node->children), *next; child != NULL;
         child = next) {
        char *file = xml_is(child, "include") ? xml_attribute(child, "file") : NULL;

        next = (xmlNode *)xml_first(child->next);
        if (file == NULL)
            include(w, child, level);
        else if (level < INCLUDES_MAX)
            include_file(w, child, file, level);
        xmlFree(file);
    }
}

/* ---- the file ---- */

/* Remove the section @name. Used for sensors and key frames, which may refer to removed
 * elements. */
static void drop_section(xmlNode *root, const char *name)
{
    for (xmlNode *child; (child = (xmlNode *)xml_child(root, name)) != NULL;) {
        xmlUnlinkNode(child);
        xmlFreeNode(child);
    }
}

static bool has_range(const xmlNode *node)
{
    if (xml_is(node, "joint") && xmlHasProp((xmlNode *)node, (const xmlChar *)"range") != NULL)
        return true;
    FOR_EACH_CHILD(child, node)
    {
        if (has_range(child))
            return true;
    }
    return false;
}

/* Set autolimits: in later versions a joint with a range is limited by default. */
static void limit_by_range(struct newer *w, xmlNode *root)
{
    xmlNode *compiler = NULL;

    FOR_EACH_CHILD(child, root)
    if (xml_is(child, "compiler")) {
        compiler = (xmlNode *)child;
        if (xmlHasProp(compiler, (const xmlChar *)"autolimits") != NULL)
            return;
    }
    if (compiler == NULL) {
        compiler = xmlNewNode(NULL, (const xmlChar *)"compiler");
        if (root->children != NULL)
            xmlAddPrevSibling(root->children, compiler);
        else
            xmlAddChild(root, compiler);
    }
    xmlSetProp(compiler, (const xmlChar *)"autolimits", (const xmlChar *)"true");
    if (has_range(root))
        w->tell('s', 0, "a joint with a range is limited, as for a later MuJoCo than %s",
                mj_versionString());
}

static void tell_named(struct newer *w)
{
    char text[400] = "";
    size_t at = 0;

    for (int i = 0; i < w->n_named && i < NAMED_MAX && at < sizeof(text) - 80; i++)
        at +=
            (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i > 0 ? ", " : "", w->named[i]);
    w->tell('w', 0,
            "the file is for a later MuJoCo than %s, which reads it; left out, as it means nothing "
            "here: %.250s%s",
            mj_versionString(), text, w->n_named > NAMED_MAX || at > 250 ? " ..." : "");
}

enum mjcf_newer mjcf_without_newer(const xmlNode *root, const char *folder, mjcf_newer_tell *tell,
                                   char **ret_text, size_t *ret_size)
{
    struct newer w = {.folder = folder, .tell = tell};
    xmlDoc *doc = xmlCopyDoc(root->doc, 1);
    xmlNode *copy = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
    xmlChar *text;
    int size;

    if (copy == NULL || !read_schema(&w))
        return MJCF_NOT_NEWER;
    include(&w, copy, 0);
    judge(&w, "", copy, 0);
    drop_section(copy, "keyframe");
    drop_section(copy, "sensor");
    if (w.n_refused > 0)
        return MJCF_REFUSED;
    if (w.n_named + w.n_left_out == 0)
        return MJCF_NOT_NEWER;
    if (w.n_named > 0)
        tell_named(&w);
    limit_by_range(&w, copy);
    xmlDocDumpMemory(doc, &text, &size);
    *ret_text = (char *)text;
    *ret_size = (size_t)size;
    return MJCF_WITHOUT;
}

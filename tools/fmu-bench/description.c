/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_unit.h"

#include <ctype.h>
#include <errno.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_called(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *child_of(xmlNode *node, const char *name)
{
    for (xmlNode *child = node != NULL ? node->children : NULL; child != NULL; child = child->next)
        if (is_called(child, name))
            return child;
    return NULL;
}

/* Copy the value of attribute @name to @ret.
 * Return: true if the attribute exists and its value fits. */
static bool take(xmlNode *node, const char *name, char *ret, size_t size)
{
    xmlChar *value = xmlGetNoNsProp(node, (const xmlChar *)name);
    bool fits = value != NULL && strlen((const char *)value) < size;

    if (fits)
        strcpy(ret, (const char *)value);
    xmlFree(value);
    return fits;
}

/* Read one variable, if it is a scalar of type Real. In FMI 2.0 the type is a child element of the
 * variable; in FMI 3.0 it is the element itself.
 * Return: 1 if the variable was read, otherwise 0. */
static int take_variable(xmlNode *node, struct unit_description *d)
{
    static const char *const words[] = {"", "input", "output", "parameter"};
    struct unit_variable *v = &d->variables[d->n];
    char causality[32] = "", number[32] = "", *end;

    if (d->version == 2 ? child_of(node, "Real") == NULL
                        : !is_called(node, "Float64") || child_of(node, "Dimension") != NULL)
        return 0;
    if (!take(node, "name", v->name, sizeof(v->name)) ||
        !take(node, "valueReference", number, sizeof(number)))
        return 0; /* a variable without a name or a reference cannot be accessed */
    v->reference = (unsigned)strtoul(number, &end, 10);
    take(node, "causality", causality, sizeof(causality));
    v->causality = UNIT_OTHER;
    for (int i = 1; i <= UNIT_PARAMETER; i++)
        if (strcmp(words[i], causality) == 0)
            v->causality = (enum unit_causality)i;
    return *end == '\0' && isdigit((unsigned char)number[0]) ? 1 : 0;
}

static int take_variables(xmlNode *root, struct unit_description *d)
{
    xmlNode *all = child_of(root, "ModelVariables");
    int n = 0;

    for (xmlNode *node = all != NULL ? all->children : NULL; node != NULL; node = node->next)
        n += node->type == XML_ELEMENT_NODE;
    if (n > UNIT_VARIABLES_MAX)
        return -E2BIG;
    d->variables = calloc((size_t)n + 1, sizeof(*d->variables));
    if (d->variables == NULL)
        return -ENOMEM;
    for (xmlNode *node = all != NULL ? all->children : NULL; node != NULL; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            d->n += take_variable(node, d);
    return 0;
}

/* Return true if @text is a valid path component, which cannot lead out of the folder. */
static bool is_identifier(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return text[0] != '\0';
}

static const char *find_fault(xmlNode *root, struct unit_description *d)
{
    xmlNode *co = child_of(root, "CoSimulation");
    char version[16] = "";
    int result;

    if (root == NULL || !is_called(root, "fmiModelDescription") ||
        !take(root, "fmiVersion", version, sizeof(version)))
        return "its modelDescription.xml is none";
    d->version = strncmp(version, "2.", 2) == 0 ? 2 : strncmp(version, "3.", 2) == 0 ? 3 : 0;
    if (d->version == 0)
        return "it is of another version of FMI than 2.0 and 3.0";
    if (co == NULL)
        return "it is not for co-simulation";
    if (!take(co, "modelIdentifier", d->id, sizeof(d->id)) || !is_identifier(d->id))
        return "its modelIdentifier is no identifier";
    if (!take(root, d->version == 2 ? "guid" : "instantiationToken", d->token, sizeof(d->token)))
        return "it has no token (guid, instantiationToken)";
    result = take_variables(root, d);
    return result == -E2BIG ? "it has too many variables" : result != 0 ? strerror(ENOMEM) : NULL;
}

int unit_describe(const char *folder, struct unit_description *ret, struct lk_error *error)
{
    char path[PATH_MAX];
    xmlDoc *document;
    const char *fault;

    *ret = (struct unit_description){0};
    snprintf(path, sizeof(path), "%s/modelDescription.xml", folder);
    /* parse without external entities, network access and messages of the parser */
    document = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    fault = find_fault(document != NULL ? xmlDocGetRootElement(document) : NULL, ret);
    xmlFreeDoc(document);
    if (fault == NULL)
        return 0;
    lk_error_set(error, "%s, expected a unit of FMI 2.0 or 3.0 for co-simulation", fault);
    return 1;
}

void unit_description_fini(struct unit_description *description)
{
    free(description->variables);
    *description = (struct unit_description){0};
}

const struct unit_variable *unit_find(const struct unit_description *d, const char *name)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->variables[i].name, name) == 0)
            return &d->variables[i];
    return NULL;
}

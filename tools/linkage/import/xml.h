/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the readers of XML formats: a parser that opens no other files and expands no
 * entities, and functions that traverse a document. */
#ifndef TOOLS_LINKAGE_IMPORT_XML_H
#define TOOLS_LINKAGE_IMPORT_XML_H

#include "import.h"

#include <libxml/tree.h>

/** xml_parse() - Parse @text as a document: no network, no entities, no other files.
 * Thread: any.
 * Return: to be freed with xmlFreeDoc(); NULL after a note with the line of the error. */
xmlDoc *xml_parse(const char *text, size_t size, struct notes *notes);

const char *xml_name(const xmlNode *node);
bool xml_is(const xmlNode *node, const char *name);
/** xml_is_one_of() - Return true if the name of the element is one of @names.
 * @names: terminated by NULL */
bool xml_is_one_of(const xmlNode *node, const char *const names[]);
/** xml_first() - Return @node, or the first element after it, or NULL */
const xmlNode *xml_first(const xmlNode *node);
/** xml_child() - Return the first element with this name in @node, or NULL */
const xmlNode *xml_child(const xmlNode *node, const char *name);
/** xml_attribute() - Return the value of an attribute, to be freed with xmlFree(); NULL: no such
 * attribute. */
char *xml_attribute(const xmlNode *node, const char *name);
/** xml_parse_numbers() - Parse exactly @n numbers, separated by white space, none beyond 1e30.
 * Return: true on success; otherwise @ret is overwritten up to the first invalid number. */
bool xml_parse_numbers(const char *text, int n, double *ret);

#define FOR_EACH_CHILD(child, node)                                                                \
    for (const xmlNode *child = xml_first((node)->children); child != NULL;                        \
         child = xml_first(child->next))

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "xml.h"

#include "numbers.h"

#include <libxml/parser.h>
#include <math.h>
#include <string.h>

#define NUMBER_MAX 1e30

static void tell_parser(struct notes *notes, xmlParserCtxt *parser)
{
    const xmlError *error = xmlCtxtGetLastError(parser);
    size_t n = error != NULL && error->message != NULL ? strcspn(error->message, "\n") : 0;

    if (n > 0)
        note(notes, NOTE_ERROR, error->line, "not XML: %.*s", (int)(n < 300 ? n : 300),
             error->message);
    else
        note(notes, NOTE_ERROR, 0, "not XML");
}

xmlDoc *xml_parse(const char *text, size_t size, struct notes *notes)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    xmlDoc *doc;

    if (parser == NULL) {
        note(notes, NOTE_ERROR, 0, "no memory");
        return NULL;
    }
    doc = xmlCtxtReadMemory(parser, text, (int)size, notes->path, NULL,
                            XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    if (doc == NULL || xmlDocGetRootElement(doc) == NULL)
        tell_parser(notes, parser);
    else if (doc->intSubset != NULL)
        note(notes, NOTE_ERROR, 0, "the file declares a document type, expected plain XML");
    if (notes->n_errors > 0) {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    xmlFreeParserCtxt(parser);
    return doc;
}

const char *xml_name(const xmlNode *node)
{
    return (const char *)node->name;
}

bool xml_is(const xmlNode *node, const char *name)
{
    return strcmp(xml_name(node), name) == 0;
}

bool xml_is_one_of(const xmlNode *node, const char *const names[])
{
    for (; *names != NULL; names++)
        if (xml_is(node, *names))
            return true;
    return false;
}

const xmlNode *xml_first(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

const xmlNode *xml_child(const xmlNode *node, const char *name)
{
    FOR_EACH_CHILD(child, node)
    if (xml_is(child, name))
        return child;
    return NULL;
}

char *xml_attribute(const xmlNode *node, const char *name)
{
    return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

bool xml_parse_numbers(const char *text, int n, double *ret)
{
    static const char space[] = " \t\r\n";
    char word[64];

    for (int i = 0; i < n; i++) {
        size_t size;

        text += strspn(text, space);
        size = strcspn(text, space);
        if (size == 0 || size >= sizeof(word))
            return false;
        memcpy(word, text, size);
        word[size] = '\0';
        if (!parse_number(word, &ret[i]) || fabs(ret[i]) > NUMBER_MAX)
            return false;
        text += size;
    }
    return text[strspn(text, space)] == '\0';
}

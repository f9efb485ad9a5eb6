# SPDX-License-Identifier: Apache-2.0
"""A page of reStructuredText for a header: its first comment, then a heading, the comment and the declaration of each
function, type and constant that has a comment of the form `/** name() - what it does`."""
import re
import textwrap

COMMENT = re.compile(r'/\*\*? (.*?)\*/', re.S)


def words(text):
    """plain words of a comment: what reStructuredText would read as marks is escaped, @name and `text` are code, documents links"""
    parts = re.split(r'@(\w+)|`([^`]+)`', text)
    out = ''
    for plain, name, code in zip(parts[0::3], parts[1::3] + [None], parts[2::3] + [None]):
        plain = re.sub(r'([\\`*|])', r'\\\1', plain)
        plain = re.sub(r'(\w)_(?=\W|$)', r'\1\\_', plain)
        out += re.sub(r'(?<![\w/])([\w/-]+/[\w/-]+)\.md\b', r':doc:`/\1`', plain)
        if name or code:
            out += f'\\ ``{name or " ".join(code.split())}``\\ '
    return out


def lines_of(comment):
    """the lines of a comment without its stars"""
    return [re.sub(r'^ \* ?', '', line).rstrip() for line in comment.rstrip().split('\n')]


def literal(text, language):
    return f'.. code-block:: {language}\n\n' + textwrap.indent(text.strip('\n'), '   ') + '\n\n'


def prose(lines):
    """paragraphs; indented lines are an example"""
    out, paragraph, example = '', [], []
    for line in [*lines, '']:
        if line.startswith('   '):
            example.append(line)
        elif line or not example:
            if example:
                out += literal(textwrap.dedent('\n'.join(example)), 'none')
                example = []
            if line:
                paragraph.append(line)
        if (not line or example) and paragraph:
            out += words('\n'.join(paragraph)) + '\n\n'
            paragraph = []
    return out + (literal(textwrap.dedent('\n'.join(example)), 'none') if example else '')


def description(lines):
    """paragraphs, a list of what @name stands for at the start of a line, a paragraph for each of Thread:, RT:, Return:"""
    out, i = '', 0
    while i < len(lines):
        parameter = re.match(r'@([\w, @.]+?):\s+(.*)', lines[i])
        block = [parameter.group(2) if parameter else lines[i]]
        i += 1
        while i < len(lines) and not re.match(r'@[\w, @.]+?:\s|(Thread|RT|Return|Source):', lines[i]) and (
                not parameter or lines[i].startswith('  ')):
            block.append(lines[i].strip() if parameter else lines[i])
            i += 1
        if parameter:
            names = ', '.join(f'``{name.strip(" @")}``' for name in parameter.group(1).split(','))
            out += names + '\n' + textwrap.indent(words('\n'.join(block)), '   ') + '\n\n'
        else:
            out += prose(block)
    return out


def heading(text, mark):
    return f'{words(text)}\n{mark * (len(words(text)) + 4)}\n\n'


def split_name(comment):
    """the name that a comment begins with, and the rest of it"""
    named = re.match(r'((?:struct |enum |union |typedef )?[\w(), *\n]+?)\s+-\s+(.*)', comment, re.S)
    if named and len(named.group(1)) < 200:
        return ' '.join(re.sub(r'\n \*', '', named.group(1)).split()), named.group(2)
    return comment.split()[0].rstrip(',:'), comment


def is_public(text):
    """whether it is for programs outside of the tree: they are C++, too"""
    return '__cplusplus' in text


def page(name, text):
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', '', text, flags=re.S)
    head = COMMENT.search(text, text.index('*/'))
    out = heading(name, '=') + literal(f'#include <{name}>', 'c') + prose(lines_of(head.group(1)))
    body = re.sub(r'^#(ifndef|define) \w+_H\n|^#include .*\n|#endif\s*\Z', '', text[head.end():], flags=re.M)
    parts = re.split(r'^/\*\* (.*?)\*/', body, flags=re.M | re.S)
    if parts[0].strip():
        out += literal(re.sub(r'\n{3,}', '\n\n', parts[0]), 'c')
    for comment, code in zip(parts[1::2], parts[2::2]):
        title, rest = split_name(comment)
        out += heading(title, '-') + description(lines_of(rest[:1].upper() + rest[1:]))
        if code.strip():
            out += literal(re.sub(r'\n{3,}', '\n\n', code), 'c')
    return out

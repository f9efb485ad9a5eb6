#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of a program for bash and zsh, of what it says to --help: its commands and its long options. What is
neither is a file.

usage: make-completions.py PROGRAM BASH-OUTPUT ZSH-OUTPUT"""
import os
import re
import subprocess
import sys

BASH = '''# completions of NAME for bash, made of its --help
_FUNCTION()
{
    local word=${COMP_WORDS[COMP_CWORD]} i command=
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ " COMMANDS " == *" ${COMP_WORDS[i]} "* ]] && command=${COMP_WORDS[i]}
    done
    COMPREPLY=()
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "OPTIONS" -- "$word")
    elif [[ -z $command && -n "COMMANDS" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "COMMANDS" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _FUNCTION NAME
'''
ZSH = '''#compdef NAME
# completions of NAME for zsh, made of its --help
local -a commands options
commands=(
COMMANDS)
options=(
OPTIONS)
if [[ $PREFIX == -* ]]; then
    _describe option options
elif (( $#commands && ${#${(M)words[2,CURRENT-1]:#(PATTERN)}} == 0 )); then
    _describe command commands
else
    _files
fi
'''


def commands_of(name, text):
    """words and what they do; a program with one purpose has none"""
    found = dict(re.findall(rf'^(?:usage:|      ) {name} ([a-z]+)\b.*?(?:  +(\S.*))?$', text, re.M))
    part = re.search(r'^commands\n(.*?)^\S', text, re.M | re.S)
    for word, does in re.findall(r'^  ([a-z]+)\b.*?(?:  +(\S.*))?$', part.group(1) if part else '', re.M):
        found.setdefault(word, does)
    return found


def options_of(text):
    """long options and what they do"""
    found = {}
    for word, does in re.findall(r'^ {1,10}(?:-\w, )?(--[a-z-]+)\b(?:(?:[ =\[]\S+)*)(?:  +(\S.*))?', text, re.M):
        found.setdefault(word, does)
    for word in re.findall(r'(?<![\w-])(--[a-z][a-z-]+)\b', text):
        found.setdefault(word, '')
    return found


def quoted(entries):
    """lines of a list of zsh"""
    lines = ''
    for word, does in sorted(entries.items()):
        does = does.replace("'", '').replace(':', '\\:')
        lines += f"    '{word}:{does}'\n"
    return lines


def main():
    program, bash, zsh = sys.argv[1:]
    name = os.path.basename(program)
    text = subprocess.run([program, '--help'], capture_output=True, text=True, check=True).stdout
    commands, options = commands_of(name, text), options_of(text)
    with open(bash, 'w', encoding='utf-8') as file:
        file.write(BASH.replace('FUNCTION', name.replace('-', '_')).replace('NAME', name)
                   .replace('COMMANDS', ' '.join(sorted(commands))).replace('OPTIONS', ' '.join(sorted(options))))
    with open(zsh, 'w', encoding='utf-8') as file:
        file.write(ZSH.replace('NAME', name).replace('PATTERN', '|'.join(sorted(commands)))
                   .replace('COMMANDS', quoted(commands)).replace('OPTIONS', quoted(options)))


main()

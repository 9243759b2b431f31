#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what the headers of a library declare, as JSON, for those who make bindings: libdktrace(3).

usage: lib/describe.py SONAME HEADER..."""

import json
import re
import sys

LIMITS = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "SIZE_MAX": sys.maxsize * 2 + 1}


def bare(text):
    """The text without comments, and with a blank for each run of white space."""
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.S)).strip()


def value(text, known):
    """A constant: a number, another constant, or a sum or product of them."""
    return eval(text, {"__builtins__": {}}, {**LIMITS, **known})


def argument(text):
    kind, name = re.fullmatch(r"(.*?)(\w+)", text).groups()
    return {"name": name, "type": kind.strip()}


def call(returns, arguments):
    parts = [a.strip() for a in arguments.split(",") if a.strip() not in ("", "void")]
    described = {"returns": returns.strip(), "arguments": [argument(a) for a in parts if a != "..."]}
    return {**described, "variadic": True} if "..." in parts else described


def members(text):
    for part in filter(None, (m.strip() for m in text.split(";"))):
        pointer = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", part)
        if pointer:
            yield {"name": pointer[2], "call": call(pointer[1], pointer[3])}
            continue
        # "const char *provider, *name" is two members of one type.
        first, *others = part.split(",")
        first = argument(first)
        yield first
        for other in others:
            yield argument(first["type"].rstrip("* ") + " " + other.strip())


def describe(soname, text):
    constants, enums = {}, {}
    for name, words in re.findall(r"^#define (DKT_[A-Z0-9_]+)[ \t]+(\S.*)$", text, re.M):
        if not re.search(r"__attribute__|DKT__", words):
            constants[name] = value(words, constants)
    for name, body in re.findall(r"^enum (\w+) \{(.*?)\};", text, re.M | re.S):
        following, enums[name] = 0, {}
        for item in filter(None, (i.strip() for i in bare(body).split(","))):
            word, _, number = item.partition(" = ")
            following = value(number, constants) if number else following
            constants[word] = enums[name][word] = following
            following += 1
    return {
        "library": soname,
        "constants": constants,
        "enums": enums,
        "structs": {
            **{name: None for name in re.findall(r"^struct (\w+);", text, re.M)},
            **{name: list(members(bare(body)))
               for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.M | re.S)},
        },
        "callbacks": {name: call(returns, arguments) for returns, name, arguments in
                      re.findall(r"^typedef (.*?)\(\*(\w+)\)\((.*?)\);", text, re.M | re.S)},
        "functions": {name: call(returns, bare(arguments)) for returns, name, arguments in
                      re.findall(r"^DKT_API ([^;(]*?)(\w+)\(([^;]*?)\)(?:\s+DKT_PRINTF\([^)]*\))?;", text, re.M)},
    }


def main():
    text = "\n".join(open(header, encoding="ascii").read() for header in sys.argv[2:])
    json.dump(describe(sys.argv[1], text), sys.stdout, indent=1)
    print()


main()

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commit.sh FOLDER: the commit of these sources, for --version: of a checkout with `+` behind it where files differ, of
# an archive what git has put into commit.txt; elsewhere, and in a copy within another repository, nothing.
commit=$(cat "$1/commit.txt")
case $commit in
'$Format'*) commit=$(git -C "$1" ls-files --error-unmatch commit.txt >/dev/null 2>&1 &&
    git -C "$1" describe --always --abbrev=12 --exclude '*' --dirty=+ 2>/dev/null) ;;
esac
printf '#define LK_COMMIT "%s"\n' "$commit"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clone/tools/release in a clone: what it refuses, and that a release has one version in all places, a tag and a tarball that
# configures as that version.
# usage: test-release.sh SOURCE-ROOT
set -u
# shellcheck source=tests/integration/checks.sh
. "$1/tests/integration/checks.sh"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
expect 0 'the tree itself' "$1/tools/release" check
git clone -q "$1" clone 2>/dev/null || { echo 'no clone of this tree: it has no history'; exit "$failed"; }
git -C clone config user.name tester
git -C clone config user.email tester@linkaged.example
cp "$1/tools/release" clone/tools/release # as it stands, committed or not
git -C clone add tools/release
git -C clone commit -qm 'the release of now' >commit.log || true

if clone/tools/release open 9.8.6 >open.log 2>&1; then # this tree is that of a release
    git -C clone commit -qam 'the next version'
fi

expect 2 'no words' clone/tools/release
expect 1 'no version' clone/tools/release 1.2 made --source
same 'no version' "release: '1.2' is no version, expected X.Y.Z" "$(cat err)"
expect 1 'older' clone/tools/release 0.0.9 made --source
echo >>clone/README.md
expect 1 'changes' clone/tools/release 9.8.7 made --source
same 'changes' 'release: the tree has changes that are not committed' "$(cat err)"
git -C clone checkout -q README.md
expect 0 'a release' clone/tools/release 9.8.7 made --source
same 'a release: version' 9.8.7 "$(clone/tools/release check)"
same 'a release: tag' v9.8.7 "$(git -C clone describe --exact-match)"
same 'a release: changelog' 1 "$(grep -c "^## 9.8.7, $(date -u +%Y)-" clone/CHANGELOG.md)"
same 'a release: package' 'linkaged (9.8.7) bookworm; urgency=medium' "$(head -n 1 clone/debian/changelog)"
same 'a release: older packages' "$(sed -n 's/^linkaged (\([^)]*\)) bookworm.*/\1/p' "$1/debian/changelog")" \
    "$(sed -n 's/^linkaged (\([^)]*\)) bookworm.*/\1/p' clone/debian/changelog | tail -n +2)"
expect 1 'nothing new' clone/tools/release 9.8.8 made --source
same 'nothing new' "release: CHANGELOG.md has no section '## 9.8.8, unreleased'" "$(cat err)"
expect 1 'open an old one' clone/tools/release open 9.8.7
expect 0 'open the next' clone/tools/release open 9.9.0
same 'open the next: version' 9.9.0 "$(clone/tools/release check)"
same 'open the next: changelog' '## 9.9.0, unreleased' "$(grep -m 1 '^## ' clone/CHANGELOG.md)"
expect 1 'open twice' clone/tools/release open 9.9.1
same 'open twice' 'release: 9.9.0 is not released yet' "$(cat err)"
git -C clone commit -qam 'the next version'
expect 0 'the next release' clone/tools/release 9.9.0 made --source
same 'the next release: package' 'linkaged (9.9.0) bookworm; urgency=medium' "$(head -n 1 clone/debian/changelog)"
same 'the next release: packages' 2 "$(grep -cE '^linkaged .9.(8.7|9.0). ' clone/debian/changelog)"
tar -xzf made/linkaged-9.8.7.tar.gz
same 'the tarball' 9.8.7 "$(linkaged-9.8.7/tools/release check)"
sed -i 's/"9.9.0"/"9.8.6"/' clone/core/include/linkage/version.h
expect 1 'another version' clone/tools/release check
same 'another version' "release: meson.build says 9.9.0, in header it is '9.8.6'" "$(cat err)"
exit "$failed"

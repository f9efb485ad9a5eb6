# SPDX-License-Identifier: Apache-2.0
# Lines of text as elements of a C array of strings.
s/[\"]/\\&/g
s/^/"/
s/$/",/

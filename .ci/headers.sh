#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C11 and as C++17; the library exports our prefixes only.
# usage: headers.sh INCLUDE_DIR BUILD_INCLUDE_DIR LIBRARY     (TAP on standard output)
set -u
n=0
result() { # STATUS NAME
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
for h in "$1"/touchstone/*.h "$2"/touchstone/ops.h "$2"/touchstone/ops/[a-z_]*.h; do
    case $h in *_glue.h | *_expr.h) continue ;; esac
    name=touchstone/${h##*/touchstone/}
    for language in c:c11 c++:c++17; do
        echo "#include \"$name\"" | "${CC:-cc}" -x "${language%:*}" -std="${language#*:}" -Wall \
            -Wextra -Wpedantic -Werror -fsyntax-only -I "$1" -I "$2" - >&2
        result $? "$name as ${language#*:}"
    done
done
! nm -D --defined-only "$3" | awk '{ print $NF }' | grep -vE '^ts_|^_(init|fini)$' >&2
result $? "only ts_ names are exported"
echo "1..$n"

# SPDX-License-Identifier: Apache-2.0
# Sourced by ./conform and ./check: install what is missing, or say exactly what that is.

need_build="gcc g++ meson ninja-build pkg-config python3 libjansson-dev nettle-dev zlib1g-dev"
need_check="$need_build libcriterion-dev clang clang-format-14 libclang-rt-dev python3-numpy
  python3-markdown python3-selenium chromium chromium-driver libxml2-utils perl"

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

# Packages of "$@" that dpkg does not have.
missing_packages() {
    local have p
    have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        awk '$2 == "installed" { print $1 }')
    for p in "$@"; do
        grep -qx "$p" <<<"$have" || printf '%s ' "$p"
    done
}

# install_packages STAMP PACKAGE...: nothing to do when STAMP names the same packages.
install_packages() {
    local stamp=$1 missing sudo=
    shift
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$*" ] && return 0
    command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 ||
        elsewhere "$@"
    missing=$(missing_packages "$@")
    if [ -n "$missing" ]; then
        echo "Installing: $missing"
        if [ "$(id -u)" != 0 ]; then
            command -v sudo >/dev/null 2>&1 || die "not root and no sudo; install: $missing"
            sudo=sudo
        fi
        $sudo apt-get update -q >/dev/null || die "apt-get update failed"
        # shellcheck disable=SC2086
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
            --no-install-recommends $missing >/dev/null || die "apt-get install $missing failed"
    fi
    mkdir -p "$(dirname "$stamp")"
    echo "$*" >"$stamp"
}

# Not Debian or Ubuntu: look for the tools and libraries themselves and name what is not there.
elsewhere() {
    local lacking= tool lib
    for tool in gcc meson ninja pkg-config python3; do
        command -v "$tool" >/dev/null 2>&1 || lacking="$lacking $tool"
    done
    for lib in jansson nettle; do
        pkg-config --exists "$lib" 2>/dev/null || lacking="$lacking lib$lib(headers)"
    done
    if [ -n "$lacking" ]; then
        die "this system has no apt; install these and run again:$lacking
(Debian's names for everything: $*)"
    fi
    exit_to_build=1
}

python_311() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        die "Python 3.11 or newer is needed, found $(python3 --version 2>&1)"
}

# configure DIR [meson options]: once; afterwards ninja reconfigures by itself.
configure() {
    local dir=$1
    shift
    [ -f "$dir/build.ninja" ] && return 0
    mkdir -p "$dir"
    meson setup "$dir" "$@" >"$dir/setup.log" 2>&1 ||
        { tail -n 25 "$dir/setup.log" >&2; die "meson setup $dir failed ($dir/setup.log)"; }
}

compile() { # DIR [target ...]
    local dir=$1 log="$1/compile.log"
    shift
    # A file that came or went is no change that ninja sees.
    python3 .ci/listing.py --check "$dir/listing.txt" >"$log" 2>&1 ||
        meson setup --reconfigure "$dir" >"$log" 2>&1 ||
        { tail -n 25 "$log" >&2; die "meson setup --reconfigure $dir failed ($log)"; }
    ninja -C "$dir" "$@" >"$log" 2>&1 || { grep -E 'error|FAILED|warning' "$log" | head -n 40 >&2
        die "building $dir failed (log: $log)"; }
}

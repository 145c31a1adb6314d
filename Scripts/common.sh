# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What all scripts share: the package's root is the working folder, swift is found, SWIFT_FLAGS is a list.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

if ! command -v swift >/dev/null 2>&1; then
  for folder in /opt/swift/usr/bin /usr/local/swift/usr/bin "${HOME:-}/.local/share/swiftly/bin"; do
    if [ -x "$folder/swift" ]; then
      PATH="$folder:$PATH"
      break
    fi
  done
fi
if ! command -v swift >/dev/null 2>&1; then
  echo "Roost needs Swift 6.2 or later (https://www.swift.org/install), and no swift is on the PATH." >&2
  exit 1
fi
export PATH

# Split at blanks on purpose: flags are words. Several packages share one build folder: what was planned for one must
# not be taken for the plan of another.
# shellcheck disable=SC2034
read -r -a swift_flags <<<"${SWIFT_FLAGS:-} --disable-build-manifest-caching"

# All that swift-format looks at.
# shellcheck disable=SC2034
swift_sources=(Package.swift Sources Backends Plugins Tests)
for package in Examples Benchmarks; do
  if [ -f "$package/Package.swift" ]; then
    swift_sources+=("$package/Package.swift" "$package/Sources")
    if [ -d "$package/Tests" ]; then swift_sources+=("$package/Tests"); fi
  fi
done

# Builds a product and prints the path of its program; options of the build may stand before the product.
# ROOST_BUILT=yes says that all products are built: asking again takes some seconds, and waits for other builds.
program() {
  local options=("$@")
  local product=${options[$#-1]}
  unset "options[$#-1]"
  options+=(--product "$product")
  local folder
  if [ "${ROOST_BUILT:-}" != yes ]; then
    swift build "${options[@]}" ${swift_flags[@]+"${swift_flags[@]}"} >&2 || return
  fi
  folder=$(build_folder "${options[@]}") || return
  printf '%s/%s\n' "$folder" "$product"
}

# Prints the folder of a build with these options.
build_folder() {
  if [ "${ROOST_BUILT:-}" = yes ]; then
    printf '%s/.build/debug\n' "$PWD"
  else
    swift build "$@" ${swift_flags[@]+"${swift_flags[@]}"} --show-bin-path
  fi
}

# A heading, with the seconds since the script began.
step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

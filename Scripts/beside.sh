# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs steps side by side, as many as there are processors: `beside HEADING COMMAND...` starts one as soon as there is
# room, `finish` waits for all. The output of a step is shown whole, when it has ended; the first that fails ends the
# script, and the others. It needs bash 5.1.
declare -A running=()
trap end EXIT

beside() {
  local processors
  processors=$(getconf _NPROCESSORS_ONLN)
  while [ "${#running[@]}" -ge "$processors" ]; do reap; done
  local heading=$1 log
  log=$(mktemp)
  shift
  # A group of its own, so that its servers end with it.
  set -m
  (set -e; "$@") </dev/null >"$log" 2>&1 &
  set +m
  running[$!]=$SECONDS:$log:$heading
}

# Ends all that still runs, and shows how far it was.
end() {
  local group started log heading
  for group in "${!running[@]}"; do
    kill -- "-$group" 2>/dev/null || true
    IFS=: read -r started log heading <<<"${running[$group]}"
    step "$heading, ended after $((SECONDS - started)) s"
    tail -n 30 "$log"
    rm -f "$log"
  done
}

finish() {
  while [ "${#running[@]}" -gt 0 ]; do reap; done
}

# Waits for one step and shows its output.
reap() {
  local ended status=0 started log heading
  wait -n -p ended "${!running[@]}" || status=$?
  IFS=: read -r started log heading <<<"${running[$ended]}"
  unset "running[$ended]"
  step "$heading, in $((SECONDS - started)) s"
  cat "$log"
  rm -f "$log"
  [ "$status" -eq 0 ] && return
  echo "It failed: $heading" >&2
  exit "$status"
}

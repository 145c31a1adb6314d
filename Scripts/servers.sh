# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share that start servers: where PostgreSQL is, who runs it, and when it ends.

# Sets `programs` to the folder of PostgreSQL's programs.
find_programs() {
  local place
  for place in "${ROOST_POSTGRES_BIN:-}" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/opt/postgresql*/bin \
    /opt/homebrew/opt/postgresql*/bin; do
    if [ -n "$place" ] && [ -x "$place/initdb" ] && [ -x "$place/pg_ctl" ]; then programs=$place; fi
  done
  if [ -z "${programs:-}" ] && command -v initdb >/dev/null 2>&1; then
    programs=$(dirname "$(command -v initdb)")
  fi
  [ -n "${programs:-}" ]
}

# Runs a program as whoever may run a server: not root.
as_owner() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif id postgres >/dev/null 2>&1; then
    (cd / && exec runuser -u postgres -- "$@")
  else
    (cd / && exec runuser -u nobody -- "$@")
  fi
}

# Runs a program that starts a server. The server must not inherit what the caller holds open: a caller that waits for
# the end of a pipe would wait for the server.
apart() (
  for descriptor in $(seq 3 254) $(seq 256 1023); do eval "exec $descriptor>&-"; done
  as_owner "$@" </dev/null >/dev/null
)

# Waits until whoever started the script says so, or closes its end, or is gone: then the server goes too.
await_caller() {
  local caller=$PPID code before
  while kill -0 "$caller" 2>/dev/null; do
    code=0
    before=$SECONDS
    read -r -t 1 _ || code=$?
    # More than 128, or 1 in an old bash: a second has passed.
    [ "$code" -gt 128 ] || { [ "$code" -ne 0 ] && [ "$SECONDS" -gt "$before" ]; } || break
  done
}

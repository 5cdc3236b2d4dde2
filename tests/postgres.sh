#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own:
#
#     tests/postgres.sh make test
#
# The server lives in a temporary folder, listens on a free loopback port only, trusts whoever
# connects, and ends with the command. The command finds it in WARMLOG_TEST_POSTGRES, as an
# SQLAlchemy URL of a superuser. POSTGRES_BIN names the folder of initdb and pg_ctl when they
# are not where Debian or the PATH has them; POSTGRES_FSYNC=on makes commits cost what they do.
set -euo pipefail

say() { echo "tests/postgres.sh: $*" >&2; }

find_binaries() {
    local found
    if [ -n "${POSTGRES_BIN:-}" ]; then
        echo "$POSTGRES_BIN"
    elif found=$(command -v pg_ctl); then
        dirname "$(readlink -f "$found")"
    elif [ -d /usr/lib/postgresql ]; then
        find /usr/lib/postgresql -path '*/bin/pg_ctl' -printf '%h\n' | sort -V | tail -n 1
    fi
}

# PostgreSQL refuses to run as root, so root lends it another's name.
as_server() (
    cd "$home"
    if [ "$(id -u)" -ne 0 ]; then
        exec "$@"
    elif id postgres >/dev/null 2>&1; then
        exec runuser -u postgres -- "$@"
    else
        exec runuser -u nobody -- "$@"
    fi
)

free_port() {
    python3 - <<'END'
import socket

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    print(probe.getsockname()[1])
END
}

initialise() {
    if [ "$(id -u)" -eq 0 ]; then
        chown "$(as_server id -u)" "$home"
    fi
    as_server "$bin/initdb" --pgdata="$home/data" --username=warmlog --auth=trust \
        --encoding=UTF8 --locale=C --no-sync >/dev/null
}

start() {
    as_server "$bin/pg_ctl" --pgdata="$home/data" --log="$home/server.log" --silent --wait \
        --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$home" \
        --options="-c max_connections=200 -c fsync=${POSTGRES_FSYNC:-off}" start >/dev/null 2>&1
}

# Another process may take the port between the probe and the start: hence three attempts.
start_on_free_port() {
    local attempt
    for attempt in 1 2 3; do
        port=$(free_port)
        if start; then return; fi
        say "PostgreSQL did not start on port $port (attempt $attempt); its last words:"
        tail -n 5 "$home/server.log" >&2 || true
    done
    exit 70
}

stop() {
    as_server "$bin/pg_ctl" --pgdata="$home/data" --mode=immediate --silent stop \
        >/dev/null 2>&1 || true
    rm -rf "$home"
}

if [ $# -eq 0 ]; then
    say "say which command to run"
    exit 64
fi
bin=$(find_binaries)
if [ ! -x "$bin/initdb" ]; then
    say "no PostgreSQL server here: install the package postgresql, or set POSTGRES_BIN"
    exit 69
fi
home=$(mktemp -d)
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
initialise
start_on_free_port
export WARMLOG_TEST_POSTGRES="postgresql+asyncpg://warmlog@127.0.0.1:$port/postgres"
"$@"

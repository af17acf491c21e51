# Sets the variables by which tests find PostgreSQL, Redis, NATS and RabbitMQ. A server that is not named, does not answer
# and is installed is started for this run, and ends with it. Sourced by .ci/run.
own="$(mktemp -d)"
chmod 755 "$own"
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT

answers() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# serve PORT COMMAND…: unless something answers there; a server that does not start is named by the tests that need it
serve() {
  local port="$1"
  shift
  if ! answers "$port" && command -v "$1" >/dev/null; then
    "$@" >/dev/null 2>&1 &
    pids+=("$!")
    for _ in $(seq 300); do answers "$port" && break || sleep 0.1; done
  fi
  answers "$port"
}

if [ -z "${TEST_DATABASE_URL:-}" ]; then
  bin="$(compgen -G '/usr/lib/postgresql/*/bin' | sort | tail -n 1 || true)"
  if ! answers 5432 && [ -n "$bin" ]; then # it refuses to be run by root
    as=(); [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    mkdir "$own/postgresql"
    [ "$(id -u)" -ne 0 ] || chown postgres: "$own/postgresql"
    "${as[@]}" "$bin/initdb" -D "$own/postgresql" -U postgres -A trust -E UTF8 --no-locale >/dev/null
    serve 5432 "${as[@]}" "$bin/postgres" -D "$own/postgresql" -c unix_socket_directories= -c max_connections=300 || true
    "$bin/createdb" -h 127.0.0.1 -U postgres test || true
  fi
  if answers 5432; then export TEST_DATABASE_URL=postgres://postgres@127.0.0.1:5432/test; fi
fi
if [ -z "${TEST_REDIS_URL:-}" ] && serve 6379 redis-server --bind 127.0.0.1 --save '' --appendonly no; then
  export TEST_REDIS_URL=redis://127.0.0.1:6379
fi
if [ -z "${TEST_NATS_URL:-}" ] && serve 4222 nats-server -a 127.0.0.1 -js -sd "$own/nats"; then
  export TEST_NATS_URL=nats://127.0.0.1:4222
fi
rabbitmq=/usr/lib/rabbitmq/bin/rabbitmq-server # the one on the path changes to a user of its own
if [ -z "${TEST_AMQP_URL:-}" ] && serve 5672 env HOME="$own" ERL_EPMD_ADDRESS=127.0.0.1 RABBITMQ_NODENAME=ci@localhost \
  RABBITMQ_MNESIA_BASE="$own/rabbitmq" RABBITMQ_LOG_BASE="$own/rabbitmq-log" RABBITMQ_PID_FILE="$own/rabbitmq.pid" \
  RABBITMQ_ENABLED_PLUGINS_FILE="$own/plugins" "$rabbitmq"; then
  export TEST_AMQP_URL=amqp://guest:guest@127.0.0.1:5672
fi

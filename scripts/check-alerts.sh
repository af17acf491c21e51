#!/usr/bin/env bash
# Checks the alert rules and makes each of them fire and stay silent, with Prometheus' own tool.
set -euo pipefail
cd "$(dirname "$0")/../deploy/prometheus"

if ! command -v promtool >/dev/null; then
  echo 'promtool is not installed. It comes with Prometheus (Debian: apt-get install -y prometheus).' >&2
  exit 1
fi
promtool check config --syntax-only prometheus.yml
promtool check rules alerts.yml
promtool test rules alerts.test.yml

#!/usr/bin/env bash
# An agent that looks around in this repository with real tools. Offline: its
# model is a cassette. With OPENAI_API_KEY set it asks the real provider.
#   run.sh [TROUPE_PROGRAM]   (default: build/bin/troupe)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
troupe=$(realpath "${1:-$here/../../build/bin/troupe}")
cd "$here/../.."
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

config=("--store" "$state/store")
if [ -n "${OPENAI_API_KEY:-}" ]; then
  config+=("--config" "$here/openai.yaml")
  export TROUPE_GUIDE_MODEL="${TROUPE_GUIDE_MODEL:-openai:gpt-5}"
  echo "(asking ${TROUPE_GUIDE_MODEL})"
else
  echo "(offline: the model is examples/repo_guide/guide.cassette.yaml)"
fi

step() {
  printf '\n$ troupe %s\n' "$*"
  local command=$1
  shift
  "$troupe" "$command" "$@" "${config[@]}"
}

guide=examples/repo_guide/guide.yaml
step run "$guide" "What is this repository, and how is it tested?" --session tour
step sessions list
step sessions show tour | cut -c 1-120
step run "$guide" "What did I ask you before?" --session tour

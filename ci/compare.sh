#!/usr/bin/env bash
# Compares the model of this checkout with the model of another commit and leaves the report in tfprof-report/.
#
#     compare.sh BASE COMMAND [OPTION...]
#
# BASE is a commit that the clone knows. COMMAND runs in a checkout of either commit with one more argument, a folder,
# and writes graph.pb, run_meta_N and tfprof_log into it. The options go to `tfprof-report diff`: --gate "params <= +0".
# The exit code is that of tfprof-report.
set -euo pipefail

base=$1
command=$2
shift 2

cd "$(git rev-parse --show-toplevel)"
profiles=$PWD/tfprof-profiles
checkout=$profiles/checkout

git worktree add --quiet --force --detach "$checkout" "$base"
trap 'git worktree remove --force "$checkout"' EXIT
(cd "$checkout" && bash -c "$command \"\$1\"" compare "$profiles/base")
bash -c "$command \"\$1\"" compare "$profiles/head"

commits=(--base-commit "$(git rev-parse "$base")" --commit "$(git rev-parse HEAD)")
tfprof-report diff tfprof-profiles/base tfprof-profiles/head --out tfprof-report "${commits[@]}" "$@"

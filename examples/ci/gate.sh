#!/bin/sh
# The same gate without a CI server: an audit against a baseline. Usage: gate.sh SPEC BASELINE.json [OPTION...]
# The first run writes the baseline; later runs fail on a refuted claim or a regression.
set -eu
spec=$1
baseline=$2
shift 2
if [ -e "$baseline" ]; then
    hdp-audit run "$spec" --baseline "$baseline" --quiet "$@"
else
    hdp-audit run "$spec" --quiet "$@"
    cp reports/latest/report.json "$baseline"
fi

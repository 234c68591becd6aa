#!/usr/bin/env bash
# Passes the output of `cargo test` through and ends it with one line for all test binaries together.
set -euo pipefail

exec awk '
    { print; fflush() }
    /^test result:/ {
        for (i = 1; i < NF; i++) {
            if ($(i + 1) ~ /^passed/) passed += $i
            if ($(i + 1) ~ /^failed/) failed += $i
            if ($(i + 1) ~ /^ignored/) ignored += $i
        }
    }
    /^test .* \.\.\. FAILED$/ { names = names "\n  " $2 }
    END {
        printf "\ncargo test: %d passed, %d failed, %d ignored\n", passed, failed, ignored
        if (names) printf "failed:%s\n", names
    }'

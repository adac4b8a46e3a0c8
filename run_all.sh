#!/usr/bin/env bash
# Runs the study: sets up, then calls `python -m study`, which fine-tunes every model of a profile, tests it and reports.
set -u
export TAHAN_CALLED_FROM=$PWD
cd "$(dirname "$0")" || exit 1

profiles() { grep -l '^profile:' config/*.yaml | xargs -n1 basename | sed 's/[.]yaml$//' | tr '\n' ' '; }
described() { for name in $(profiles); do printf '  %-14s %s\n' "$name" "$(sed -n '1s/^# //p' "config/$name.yaml")"; done; }
usage() {
    cat <<END
./run_all.sh [PROFILE] [OPTION ...] [SNAKEMAKE'S ARGUMENTS ...]
./run_all.sh --open [PROFILE]                            the published page in a browser: no set-up, no network
./run_all.sh audit MODEL [--data FILE] [--quick] ...     the study on your own classifier (audit --help)
./run_all.sh harden MODEL [--data FOLDER] [--quick] ...  your classifier hardened, audited before and after (harden --help)
  with --gate POLICY both end with exit status 0 (stands), 1 (breaks) or 2 (undecided); --against OLD says what got worse

Sets itself up (.venv, by pip; nothing to do where the active environment has the pinned packages), runs the notebooks of a
profile and prints where they and the report are, with a table of the headline numbers and each of them beside the published
reference: OK, close or FAIL. What is finished here and current is not run again. Profiles (default: embedded):
$(described)

  --setup    set up and stop                     --strict   end with exit status 1 where a number is a FAIL
  --dry-run  show what would run                 --plan     show what each test will be able to show
  --help     this text

Anything else goes to Snakemake: --cores 4, --forceall, --profile config/slurm or --executor slurm --jobs 20, ...
END
}

# A published page, without a profile the front page: its path, and a browser where there is one and a screen to show it on.
open_page() {
    local page="$PWD/docs/index.html" browser=
    [ -z "${1:-}" ] || page="$PWD/docs/pages/$1.html"
    if [ ! -f "$page" ]; then
        echo "There is no published page of '$1'; there are: $(cd docs/pages && echo *.html | sed 's/[.]html//g')" >&2
        return 2
    fi
    if [ "$(uname)" = Darwin ]; then browser=open; fi
    if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then browser=$(command -v xdg-open); fi
    browser=${BROWSER:-$browser}
    echo "$page"
    if [ -n "$browser" ]; then "$browser" "$page" >/dev/null 2>&1 || echo "$browser could not open it." >&2; fi
}

if [ "${1:-}" = --open ]; then open_page "${2:-}"; exit; fi
if [ "${1:-}" != audit ] && [ "${1:-}" != harden ]; then
    case " $* " in *" --help "* | *" -h "*) usage; exit 0 ;; esac
    case "${1:-}" in -* | "") set -- embedded "$@" ;; esac
    if ! grep -q '^profile:' "config/$1.yaml" 2>/dev/null; then
        echo "There is no profile '$1'; there are: $(profiles)(./run_all.sh --help)" >&2
        exit 2
    fi
    set -- run "$@"
fi
# shellcheck source=scripts/environment.sh
source scripts/environment.sh
case " $* " in *" --setup "*) echo "Set up: $(command -v python)"; exit 0 ;; esac
exec python -m study "$@"

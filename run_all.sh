#!/usr/bin/env bash
# Runs the study: fine-tunes every model of a profile, tests it in every notebook and reports over all.
set -u
export TAHAN_CALLED_FROM=$PWD
cd "$(dirname "$0")" || exit 1

profiles() { grep -l '^profile:' config/*.yaml | xargs -n1 basename | sed 's/[.]yaml$//' | tr '\n' ' '; }
described() { for name in $(profiles); do printf '  %-14s %s\n' "$name" "$(sed -n '1s/^# //p' "config/$name.yaml")"; done; }

usage() {
    cat <<END
./run_all.sh [PROFILE] [OPTION ...] [SNAKEMAKE'S ARGUMENTS ...]
./run_all.sh audit MODEL [--data FILE] [--quick] ...     the study on your own classifier (audit --help)

Sets itself up (.venv, by pip; nothing to do where the active environment has the pinned packages), runs the notebooks of a
profile and prints where they and the report are, with a table of the headline numbers and each of them beside the published
reference: OK, close or FAIL. What is finished here and current is not run again.

Profiles (default: embedded):
$(described)

  --setup    set up and stop
  --strict   end with exit status 1 where a number is a FAIL
  --dry-run  show what would run
  --plan     show what each test will be able to show: its texts, margins and least effects
  --help     this text

Anything else goes to Snakemake: --cores 4, --forceall, --profile config/slurm or --executor slurm --jobs 20, ...
One notebook alone: papermill notebooks/05_typos.ipynb out.ipynb -p model_name tfidf -p perturbation_rate 0.5
END
}

profile=embedded
strict=
audit=
case "${1:-}" in
    -h | --help) usage; exit 0 ;;
    "" | -*) ;;
    audit) audit=yes; shift ;;
    *) profile=$1; shift ;;
esac
words=()
for word in "$@"; do
    case "$word" in
        -h | --help) if [ -z "$audit" ]; then usage; exit 0; else words+=("$word"); fi ;;
        --strict) strict=yes ;;
        *) words+=("$word") ;;
    esac
done
set -- ${words[@]+"${words[@]}"}
configuration=config/$profile.yaml
if [ -z "$audit" ] && ! grep -q '^profile:' "$configuration" 2>/dev/null; then
    echo "There is no profile '$profile'; there are: $(profiles)(./run_all.sh --help)" >&2
    exit 2
fi

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
case " $* " in *" --setup "*) echo "Set up: $(command -v python)"; exit 0 ;; esac

if [ -n "$audit" ]; then # its profile is written, then run as any other
    case " $* " in *" --help "* | *" -h "*) exec python -m helpers.audit --help ;; esac
    prepared=$(python -m helpers.audit "$@") || exit
    if [ -z "$prepared" ]; then exit 0; fi
    words=()
    {
        IFS= read -r profile
        while IFS= read -r word; do words+=("$word"); done
    } <<<"$prepared"
    set -- ${words[@]+"${words[@]}"}
    configuration=${TAHAN_OUTPUTS:-outputs}/$profile/profile.yaml
fi

case " $* " in *" --plan "*) exec python -m helpers.study.plan "$profile" ;; esac

arguments=(--configfile "$configuration" --nolock --rerun-incomplete --rerun-triggers params input --keep-going)
stale=() # runs that read something which has changed since
while IFS= read -r run; do stale+=("$run"); done < <(python -m helpers.reads "$profile")
if [ ${#stale[@]} -gt 0 ]; then arguments=(--forcerun "${stale[@]}" "${arguments[@]}"); fi
cluster=
case " $* " in *" --executor"* | *" --profile"*) cluster=yes ;; esac
case "$cluster $* " in yes* | *" --cores"* | *" -c"* | *" --jobs"* | *" -j"*) ;; *) arguments+=(--cores all) ;; esac
case " $* " in *" --quiet"* | *" -q"* | *" --verbose"*) ;; *) arguments=(--quiet rules reason host "${arguments[@]}") ;; esac # not last, where it would swallow a target
if [ -z "$cluster" ] && command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
    case " $* " in *" --resources"*) ;; *) arguments=(--resources gpu=1 "${arguments[@]}") ;; esac
fi

trap 'exit 130' INT TERM
case "$cluster $* " in # the imports of all runs are done once, by a process that forks them
    yes* | *" --dry-run "* | *" -n "* | *" --dryrun "*) ;;
    *)
        jobs=$(mktemp -d) && export TAHAN_JOBS=$jobs/socket
        OMP_NUM_THREADS=1 python -m helpers.study.job --serve "$TAHAN_JOBS" &
        jobs_process=$!
        trap 'kill $jobs_process 2>/dev/null; wait $jobs_process 2>/dev/null; rm -rf "$jobs"' EXIT
        ;;
esac
python -m snakemake "${arguments[@]}" "$@"
status=$?
case " $* " in *" --dry-run "* | *" -n "* | *" --dryrun "*) exit $status ;; esac
if [ $status -ne 0 ]; then # the report says what is missing
    python -m helpers.study.job notebooks/99_report.ipynb "${TAHAN_OUTPUTS:-outputs}/$profile/report" "profile=$profile"
fi
python -m helpers.report --finish "$profile"
verdict=$?
if [ $status -eq 0 ] && [ -n "$strict" ]; then status=$verdict; fi
exit $status

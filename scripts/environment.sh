# Sourced by run_all.sh and run_tests.sh from the repository's root. Afterwards `python` is one that has every pinned package:
# the active environment where it fits, else .venv, made or completed here by pip.

check() { "$1" scripts/check_environment.py; }

usable() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
        if [ -n "$candidate" ] && usable "$candidate"; then echo "$candidate"; return; fi
    done
    echo "No Python 3.11, 3.12 or 3.13 found; install one, or name it: PYTHON=/path/to/python $0" >&2
    return 1
}

install() { # what is installed, then pip's words
    local what=$1
    shift
    echo "  $what ..."
    if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@" >.venv/setup.log 2>&1; then
        grep -v '^WARNING' .venv/setup.log | tail -n 15 >&2
        echo "pip could not install $what (log: .venv/setup.log). Is the package index within reach? The same command tries again." >&2
        return 1
    fi
}

set_up() {
    local python
    if [ -n "${VIRTUAL_ENV:-}${CONDA_PREFIX:-}" ] && check python >/dev/null 2>&1; then return; fi
    if [ ! -x .venv/bin/python ] || ! usable .venv/bin/python; then
        python=$(find_python) || return 1
        echo "Setting up .venv with $("$python" --version), once; this takes some minutes."
        rm -rf .venv
        if ! "$python" -m venv .venv; then
            echo "$python cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2
            return 1
        fi
    fi
    if ! check .venv/bin/python >/dev/null; then
        install "torch" "$(.venv/bin/python scripts/check_environment.py --torch)" || return 1
        install "everything else" --requirement requirements.lock || return 1
        install "the repository" --no-deps --editable . || return 1
        if ! check .venv/bin/python; then echo "The set-up is not complete; remove .venv and try again." >&2; return 1; fi
    fi
    # shellcheck disable=SC1091
    source .venv/bin/activate
}

set_up || exit 1

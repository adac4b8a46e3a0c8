#!/usr/bin/env bash
# Sets up like run_all.sh and passes the tests, with --all the long ones too; arguments go to pytest: ./run_tests.sh tests/test_perturb.py -x
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=scripts/environment.sh
source scripts/environment.sh
python -m ruff check . && python -m ruff format --check . || exit 1
# Two processes use the cores already, so each gets one thread; a file's tests stay in one process, because they share what they made.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
exec python -m pytest -n "${TAHAN_TEST_PROCESSES:-2}" --dist loadfile "$@"

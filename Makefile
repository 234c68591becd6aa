# What a newcomer needs is `make demo` and `make test`; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

CARGO ?= cargo
CARGO_FLAGS ?= --locked
DIST := $(or $(CARGO_TARGET_DIR),target)/dist/threadbare
export TB ?= $(or $(CARGO_TARGET_DIR),target)/release/threadbare

# Programs of csmith that `make test` and `make fuzz-vm` compare, and the first seed of each.
TEST_PROGRAMS ?= 12
FUZZ_PROGRAMS ?= 500
SEED ?= 1
# Random programs for the engine, and how many of them as C.
ENGINE_PROGRAMS ?= 20000
STRATEGY_PROGRAMS ?= 5000
C_PROGRAMS ?= 500
NATIVE_PROGRAMS ?= 300
# Two tests of those that take ten times as long as the rest: a fifth of the programs will do for them.
OF_INVARIANTS := every_strategy_sees_whether_an_invariant_is_broken
OF_SHARING := touches_that_leave_no_trace_are_not_lost
# Random formulas of temporal logic, and programs and formulas that SPIN is asked about.
FORMULAS ?= 20000
SPIN_PROGRAMS ?= 200
# Random recorded executions.
SEQUENCES ?= 2000

say = @printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## this list
	@echo "Threadbare lays every interleaving of a multi-threaded C program bare. Start with make demo."
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24
	@echo
	@echo "What is missing on a Debian machine is installed (scripts/setup.sh); Rust itself must be there."

.PHONY: demo
demo: setup build ## build, then check the example programs: two with a bug, one that is proved
	@scripts/demo.sh

.PHONY: build
build: ## the release binary, target/release/threadbare
	$(CARGO) build $(CARGO_FLAGS) --release --bin threadbare

.PHONY: dist
dist: ## the same, optimised as a whole: a tenth faster, target/dist/threadbare
	$(CARGO) build $(CARGO_FLAGS) --profile dist --bin threadbare

.PHONY: install
install: setup ## install that one for the current user, with cargo
	$(CARGO) install $(CARGO_FLAGS) --profile dist --path crates/cli

.PHONY: test
test: setup lint test-rust test-runtime test-random test-thirdparty ## everything that CI checks, in less than 20 minutes
	$(call say,all passed)

.PHONY: lint
lint: ## formatting and clippy; every warning is an error
	$(call say,formatting)
	$(CARGO) fmt --all --check
	$(call say,clippy)
	$(CARGO) clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings

.PHONY: test-rust
test-rust: ## the tests of the crates, the C programs of tests/ among them
	$(call say,tests of the crates)
	@scripts/setup.sh graph
	$(CARGO) test $(CARGO_FLAGS) --workspace --release --no-fail-fast 2>&1 | scripts/summary.sh

.PHONY: test-runtime
test-runtime: ## the C runtime, built natively and tested against the C library
	$(call say,the C runtime natively)
	@scripts/setup.sh sanitizers
	@for script in crates/vm/runtime/tests/*.sh; do echo "$$script"; "$$script"; done

# The binary that the tests of the crates have built: `build` has other features of some crates, and would compile the rest again.
.PHONY: test-build
test-build:
	$(CARGO) test $(CARGO_FLAGS) --workspace --release --no-run --quiet

.PHONY: test-random
test-random: test-build ## a handful of random programs: the VM against the hardware
	$(call say,random programs)
	@scripts/setup.sh fuzz
	@scripts/fuzz-vm.sh $(TEST_PROGRAMS) $(SEED)

.PHONY: test-thirdparty
test-thirdparty: test-build ## zlib, bzip2, LZ4 and SQLite: the VM against the hardware
	$(call say,code that nobody here wrote)
	@tests/thirdparty/run.sh

.PHONY: fuzz-vm
fuzz-vm: setup build ## 500 random programs; FUZZ_PROGRAMS=N and SEED=N choose others
	@scripts/setup.sh fuzz
	@scripts/fuzz-vm.sh $(FUZZ_PROGRAMS) $(SEED)

.PHONY: fuzz-engine
fuzz-engine: setup ## 20000 random programs against brute force, 500 of them as C; ENGINE_PROGRAMS=N, C_PROGRAMS=N and SEED=N
	TB_FUZZ_CASES=$(ENGINE_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-explore \
		--test soundness --test races --test language -- --nocapture
	TB_FUZZ_CASES=$(STRATEGY_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-explore \
		--test strategies --test jobs --test symmetry -- --nocapture --skip $(OF_INVARIANTS)
	TB_FUZZ_CASES=$$(($(STRATEGY_PROGRAMS) / 5)) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-explore \
		--test strategies -- --nocapture $(OF_INVARIANTS)
	TB_FUZZ_C_CASES=$(C_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test random_c --test symmetry \
		-- --skip $(OF_SHARING)
	TB_FUZZ_C_CASES=$$(($(C_PROGRAMS) / 5)) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test random_c -- $(OF_SHARING)
	TB_ALL_COUNTS=1 $(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test counts --test seeds
	TB_ALL_COUNTS=1 $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-explore --test language models_

.PHONY: fuzz-logic
fuzz-logic: setup ## 20000 random formulas: automata against what the formulas mean, on words and programs; some against SPIN
	@scripts/setup.sh logic
	TB_FUZZ_CASES=$(FORMULAS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-logic
	TB_FUZZ_CASES=$(SPIN_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-logic --test spin -- --ignored --nocapture
	TB_FUZZ_CASES=$(C_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test ltl_random -- --nocapture

.PHONY: fuzz-syn
fuzz-syn: ## 2000 random recorded executions: formulas against all their linearisations, edges against reachability
	TB_FUZZ_CASES=$(SEQUENCES) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-syn
	TB_FUZZ_CASES=$(SPIN_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test syn_random

.PHONY: fuzz-nusmv
fuzz-nusmv: ## 2000 models of random recorded executions: NuSMV, which is built from its sources if need be, against our own answers
	@scripts/setup.sh nusmv
	@scripts/nusmv.sh
	TB_FUZZ_CASES=$(SEQUENCES) PATH="$(CURDIR)/target/nusmv:$$PATH" $(CARGO) test $(CARGO_FLAGS) --release -p threadbare-syn --test smv -- --nocapture

.PHONY: agree-native
agree-native: setup ## every program of programs/ and tests/, and 300 random ones, on the VM and as native code
	TB_ALL_AGREEMENT=1 TB_FUZZ_C_CASES=$(NATIVE_PROGRAMS) TB_FUZZ_SEED=$(SEED) $(CARGO) test $(CARGO_FLAGS) --release \
		-p threadbare --test agreement --test native_words -- --nocapture

.PHONY: hostile
hostile: setup ## 500 programs in a row that do the worst to the native backend
	$(CARGO) test $(CARGO_FLAGS) --release -p threadbare --test native_hostile -- --ignored

.PHONY: bench
bench: setup dist ## the speed of the search, beside the figures of GenMC and Nidhugg
	@scripts/setup.sh logic
	@TB=$(DIST) scripts/bench.sh

.PHONY: tables
tables: setup build ## measure the tables and plots of docs/results anew, beside the figures of the papers
	@scripts/tables.sh

.PHONY: real
real: setup build ## build and explore threaded C that nobody here wrote, and find bugs that are planted in it
	@scripts/real.sh

.PHONY: bench-vm
bench-vm: setup build ## the speed of the VM against LLVM's interpreter
	@scripts/setup.sh bench
	@scripts/bench-vm.sh

.PHONY: auto-table
auto-table: setup dist ## measure docs/results/auto.md anew: `auto` beside the engines that it chooses between
	@TB=$(DIST) scripts/auto.sh > docs/results/auto.md

.PHONY: bench-native
bench-native: setup dist ## the speed of programs' own machine code, beside a loop that forks and starts them
	@TB=$(DIST) scripts/bench-native.sh

.PHONY: fmt
fmt: ## format the Rust code
	$(CARGO) fmt --all

.PHONY: setup
setup: ## install what is missing: clang and LLVM 19, the C library's headers
	@scripts/setup.sh base

.PHONY: clean
clean: ## remove everything that was built or fetched
	$(CARGO) clean

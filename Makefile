# SPDX-License-Identifier: MIT
# The usual doors; Meson does the work. `make help` lists them.
# CC is heeded when BUILD is made; `make clean` before another one.

BUILD ?= build
JOBS ?= $(shell nproc)

FUZZ_OPS ?= 100000000
SEED ?= $(shell date +%s)

.PHONY: all demo check vm-check fuzz exits calls hotplug litmus coherence \
	coherence-renew install clean format deps help

all: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j$(JOBS)

$(BUILD)/build.ninja:
	@mkdir -p $(BUILD)
	@meson setup $(if $(prefix),--prefix=$(prefix)) $(BUILD) >$(BUILD)/setup.log 2>&1 || \
		{ cat $(BUILD)/setup.log; exit 1; }

deps:
	scripts/install-deps

demo:
	@scripts/install-deps build
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j$(JOBS) --quiet cli/percpu
	@scripts/demo $(BUILD)

check: deps
	$(MAKE) --no-print-directory all
	scripts/run-tests $(BUILD)

# MACHINES='pattern' chooses some.
vm-check:
	@scripts/install-deps vm
	@$(MAKE) -s --no-print-directory $(BUILD)/build.ninja
	@scripts/vm-check $(BUILD) '$(MACHINES)'

fuzz: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j$(JOBS) --quiet tests/alloc/alloc-fuzz \
		tests/alloc/alloc-fuzz-threads tests/alloc/alloc-fork-stepped \
		tests/alloc/alloc-fork-other
	$(BUILD)/tests/alloc/alloc-fuzz $(FUZZ_OPS) $(SEED)
	$(BUILD)/tests/alloc/alloc-fuzz-threads $$(($(FUZZ_OPS) / 80)) $(SEED)
	$(BUILD)/tests/alloc/alloc-fork-stepped
	$(BUILD)/tests/alloc/alloc-fork-other

exits: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j$(JOBS) --quiet tests/static/static-exit-C \
		tests/static/static-exit-linked tests/static/static-plugin.so \
		tests/reports/b34-counter
	$(BUILD)/tests/static/static-exit-C \
		$(BUILD)/tests/static/static-plugin.so 1000
	$(BUILD)/tests/static/static-exit-linked \
		$(BUILD)/tests/static/static-plugin.so 1000
	$(BUILD)/tests/reports/b34-counter 1000

calls: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j$(JOBS) --quiet tests/call/call-stop
	$(BUILD)/tests/call/call-stop 64 100000

VM = $(BUILD)/tests/vm
hotplug: $(BUILD)/build.ninja
	@scripts/install-deps vm
	ninja -C $(BUILD) -j$(JOBS) --quiet tests/vm/vm-init tests/vm/vm-hotplug
	tests/vm/run.sh -s 8 -n 2 -m 512 -t 600 $(VM) $(VM)/vm-init \
		$(VM)/vm-hotplug 300

litmus:
	@for scene in tests/model/litmus/*.cc; do \
		tests/model/litmus/run.sh $$scene $(or $(BOUND),4) || exit; \
	done

COHERENCE = ninja -C $(BUILD) -j$(JOBS) --quiet tests/coherence/coherence && \
	tests/coherence/compare.sh $(BUILD)/tests/coherence/coherence \
	tests/coherence/table.txt

coherence: $(BUILD)/build.ninja
	@$(COHERENCE) $(if $(JSON),--json)

coherence-renew: $(BUILD)/build.ninja
	@$(COHERENCE) --renew

INSTALLED = cli/percpu src/libpercpu.a

install: $(BUILD)/build.ninja
	$(if $(prefix),meson configure $(BUILD) -Dprefix=$(prefix))
	ninja -C $(BUILD) -j$(JOBS) --quiet $(INSTALLED)
	meson install -C $(BUILD) --no-rebuild
	@# The loader finds a new library in the usual places by its cache.
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

clean:
	rm -rf $(BUILD)

format:
	git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

help:
	@echo 'make          build the library and the command'
	@echo 'make demo     install what is missing, build, and show old counters beside new'
	@echo 'make check    install what is missing, build, and run every test'
	@echo 'make vm-check go through all virtual machines, or those that match MACHINES'
	@echo 'make fuzz     try the allocator against a model, FUZZ_OPS=$(FUZZ_OPS) times'
	@echo 'make exits    end a program 1000 times while its threads go on counting'
	@echo 'make calls    64 threads, 10^5 calls each, with pauses, and a stop in the middle'
	@echo 'make hotplug  take CPUs and nodes of a machine away under load, for five minutes'
	@echo 'make litmus   search models through in the order of memory of C++; BOUND=...'
	@echo 'make coherence  count the cache lines that each operation moves, in a model of'
	@echo '              up to 256 CPUs; JSON=1 for machines; coherence-renew keeps the table'
	@echo 'make install  install; DESTDIR=... and prefix=... say where'
	@echo 'make deps     install what is missing'
	@echo 'make format   lay out the sources with clang-format'
	@echo 'make clean    remove $(BUILD)'

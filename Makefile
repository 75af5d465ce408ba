# SPDX-License-Identifier: MIT
# The usual doors; Meson does the work. `make help` lists them.

BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all demo check install clean format deps help

all: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j$(JOBS)

$(BUILD)/build.ninja:
	@mkdir -p $(BUILD)
	@meson setup $(BUILD) >$(BUILD)/setup.log 2>&1 || \
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

install: all
	meson install -C $(BUILD) --no-rebuild
	@# The loader finds a new library in the usual places by its cache.
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

clean:
	rm -rf $(BUILD)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

help:
	@echo 'make          build the library and the command'
	@echo 'make demo     install what is missing, build, and show old counters beside new'
	@echo 'make check    install what is missing, build, and run every test'
	@echo 'make install  install (DESTDIR=...; meson configure $(BUILD) -Dprefix=...)'
	@echo 'make format   lay out the sources with clang-format'
	@echo 'make clean    remove $(BUILD)'

# stoker: one non-recursive makefile; objects go to $(B).
#   make            build/stoker             make check   install, build, test
#   make demo       the main job on this disk (LIMIT=200MB/s slows the disk)
#   make bench      fio beside us            make asan    tests under ASan+UBSan
#   make fuzz       each fuzz target for FUZZ_SECONDS (needs clang)
#   make coverage   which lines the tests reach
#   V=1 shows commands; CC=clang works; CI=true turns warnings into errors
B ?= build
PREFIX ?= /usr/local
CC ?= cc
ifeq ($(origin CC),default)
CC := cc
endif
# Debian's serial HDF5 has a name of its own, beside those for MPI
HDF5 := $(shell pkg-config --exists hdf5-serial && echo hdf5-serial || \
	echo hdf5)
PKGS := liburing ompi-c libcjson popt libisal gmp yaml-0.1 nettle openblas \
	$(HDF5)
# libharu, which makes PDFs, has no file for pkg-config
HPDF_FOUND := $(shell printf '\043include <hpdf.h>\n' | \
	$(CC) -E -x c - >/dev/null 2>&1 && echo yes)
LIBS_FOUND := $(if $(HPDF_FOUND),$(shell pkg-config --exists $(PKGS) \
	2>/dev/null && echo yes))
PKG_CFLAGS := $(patsubst -I%,-isystem %,\
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null))
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

OPT ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wvla
ifdef CI
WARN += -Werror
endif
CPPFLAGS += -I. -D_GNU_SOURCE
# the same sums everywhere, whichever compiler, whatever the CPU has
ALL_CFLAGS = -std=c11 -ffp-contract=off $(OPT) $(WARN) -pthread $(SAN) $(CFLAGS)
ALL_LDFLAGS = -pthread $(SAN) $(LDFLAGS)
LDLIBS += $(PKG_LIBS) -lhpdf -lm

ROOMS := core storage accel_sim datagen workloads plan results cli
SRC := $(sort $(foreach d,$(ROOMS),$(wildcard $(d)/*.c)))
MAIN := cli/main.c
OBJ := $(SRC:%.c=$(B)/%.o) $(B)/gen/configs.o
LIBOBJ := $(filter-out $(MAIN:%.c=$(B)/%.o),$(OBJ))
TEST_SRC := $(wildcard tests/unit/*.c)
TEST_OBJ := $(TEST_SRC:%.c=$(B)/%.o)
TOOLS := $(patsubst tests/tools/%.c,$(B)/tools/%,$(wildcard tests/tools/*.c))
BENCH := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/*.c))
CONFIGS := $(sort $(wildcard configs/*/*.json))
HEADERS := $(foreach d,$(ROOMS),$(wildcard $(d)/*.h))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

.PHONY: all check demo bench asan fuzz fuzz-targets coverage install clean deps tests \
	check-includes check-headers format run-check run-demo run-bench
all: $(B)/stoker $(B)/stoker.1 $(B)/stoker.bash

ifneq ($(LIBS_FOUND),yes)
$(B)/stoker: FORCE
	@echo "stoker needs libraries that pkg-config does not find:" >&2
	@for p in $(PKGS); do pkg-config --exists $$p || echo "  $$p" >&2; done
	@[ "$(HPDF_FOUND)" ] || echo "  libhpdf (hpdf.h)" >&2
	@echo "on Debian 12: tools/deps.sh (or make check, make demo)" >&2
	@false
FORCE:
else
$(B)/stoker: $(OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)
endif

# The manual and the completion come from the option tables.
$(B)/stoker.1: $(B)/stoker
	$(call say,GEN,$@)
	$(Q)$(B)/stoker internal man > $@.tmp && mv $@.tmp $@
$(B)/stoker.bash: $(B)/stoker
	$(call say,GEN,$@)
	$(Q)$(B)/stoker internal completion > $@.tmp && mv $@.tmp $@

$(B)/run_tests: $(TEST_OBJ) $(LIBOBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS) -lcunit

$(B)/bench/%: $(B)/tests/bench/%.o $(LIBOBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# Helpers of the e2e scripts: on their own, without our code or $(SAN).
$(B)/tools/%: tests/tools/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c11 $(OPT) $(WARN) $(CFLAGS) -o $@ $<

$(B)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What `stoker version` says it was built against.
$(B)/cli/version.o: CPPFLAGS += -DBUILT_WITH='"$(foreach p,$(PKGS),$p $(shell \
	pkg-config --modversion $p 2>/dev/null))"'

$(B)/gen/configs.c: $(CONFIGS) tools/embed.sh
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed.sh $(CONFIGS) > $@.tmp && mv $@.tmp $@
$(B)/gen/configs.o: $(B)/gen/configs.c
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

-include $(patsubst %.o,%.d,$(OBJ) $(TEST_OBJ))

# Fuzz targets, for tools/fuzz.sh, which makes them with clang.
$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(LIBOBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)
fuzz-targets: $(FUZZ)
.SECONDARY: $(FUZZ:$(B)/fuzz/%=$(B)/tests/fuzz/%.o)

tests: all $(B)/run_tests $(TOOLS)

# The two commands of the README install what is missing, then start a new
# make, since the libraries are looked up when a makefile is read.
deps:
	@tools/deps.sh
check: deps
	@$(MAKE) --no-print-directory -j2 tests
	@$(MAKE) --no-print-directory run-check
run-check: check-includes check-headers
	@STOKER=$(abspath $(B)/stoker) TOOLS=$(abspath $(B)/tools) \
		$(B)/run_tests
demo: deps
	@$(MAKE) --no-print-directory -j2 all
	@$(MAKE) --no-print-directory run-demo
run-demo:
	@STOKER=$(abspath $(B)/stoker) LIMIT='$(LIMIT)' tools/demo.sh
bench: deps
	@$(MAKE) --no-print-directory -j2 all
	@STOKER=$(abspath $(B)/stoker) tests/bench/run
asan: deps
	@$(MAKE) --no-print-directory -j2 B=build/asan tests \
		SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' OPT='-O1 -g'
	@ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	UBSAN_OPTIONS=print_stacktrace=1 TIMEOUT=300 \
	STOKER=$(abspath build/asan/stoker) TOOLS=$(abspath build/asan/tools) \
	build/asan/run_tests

fuzz: deps
	@MAKE='$(MAKE)' B=build/fuzz tools/fuzz.sh
coverage: deps
	@MAKE='$(MAKE)' B=build/coverage tools/coverage.sh

check-includes:
	@tools/check-includes.sh
check-headers:
	@for h in $(HEADERS); do echo "#include \"$$h\"" | \
		$(CC) $(CPPFLAGS) $(PKG_CFLAGS) -std=c11 $(WARN) -Werror \
		-fsyntax-only -x c - || { echo "$$h alone" >&2; exit 1; }; done
install: all
	install -D -m 755 $(B)/stoker $(DESTDIR)$(PREFIX)/bin/stoker
	install -D -m 644 $(B)/stoker.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/stoker.1
	install -D -m 644 $(B)/stoker.bash $(DESTDIR)$(PREFIX)/share/$(strip \
		)bash-completion/completions/stoker
format:
	clang-format -i $(SRC) $(HEADERS) $(wildcard tests/*/*.[ch])
clean:
	rm -rf build

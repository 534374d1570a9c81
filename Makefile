# make demo   build, empty a hopper in the browser (or as pictures and a video), search a million spheres for contacts
# make test   build and run every test
# make bench  measure jostle against other libraries
# make bench-hard  measure the event-driven engine over numbers and densities (ARGS=--quick: two minutes)
# make bench-soft  measure the soft engine against LAMMPS and YADE (ARGS=--quick: two minutes)
# make bench-polygons  measure flat times, and a hopper of polygons against Box2D and Chipmunk
# make bench-features  measure closest features against libccd, FCL and Bullet (ARGS=--quick: half a minute)
# Each installs what is missing (Debian packages) first. `make` alone builds into build/release.
.PHONY: all build demo test test-asan test-tsan fuzz bench bench-soft bench-hard bench-polygons bench-features install format clean

all: build

build:
	@tools/install-deps.sh build
	@cmake --preset release -DBUILD_TESTING=OFF >/dev/null
	@cmake --build --preset release

demo: build
	@tools/demo.sh build/release/jostle

test:
	@tools/install-deps.sh test
	@tools/test.sh

bench:
	@tools/install-deps.sh bench
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench
	@bench/run.sh

bench-polygons:
	@tools/install-deps.sh bench-polygons
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench --target jostle-bench-flat jostle-bench-hopper jostle-bench-scale jostle-bench-flow
	@bench/polygons/run.sh $(ARGS)

bench-soft:
	@tools/install-deps.sh bench-soft
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench --target jostle-bench-soft
	@bench/soft/run.sh $(ARGS)

bench-hard:
	@tools/install-deps.sh build
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench --target jostle-bench-hard
	@bench/hard/run.sh $(ARGS)

bench-features:
	@tools/install-deps.sh bench-features
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench --target jostle-bench-features
	@bench/features/run.sh $(ARGS)

fuzz:
	@tools/install-deps.sh test
	@tools/fuzz.sh

install: build
	cmake --install build/release

format:
	find bench cli examples include scenes src tests -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build out

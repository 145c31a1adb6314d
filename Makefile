# SPDX-License-Identifier: Apache-2.0
#
# Two commands for a newcomer: `make demo` and `make test`. Both install the C libraries that are missing, and say so.
# SWIFT_FLAGS go to every build: `make test SWIFT_FLAGS="--sanitize thread"`.

SWIFT_FLAGS ?=
export SWIFT_FLAGS

.DEFAULT_GOAL := help
.PHONY: help demo test conformance bench soak format lint docs docs-serve dependencies clean

help:  ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/	/' | expand -t 15

demo: dependencies  ## build and run the example on the ISO tables
	@Scripts/demo

test: dependencies  ## build and run all tests
	@Scripts/test

conformance: dependencies  ## report what each store keeps and what it refuses
	@Scripts/conformance

bench: dependencies  ## measure (in release; nothing else should run)
	@Scripts/bench

soak: dependencies  ## random operations for a long time (SOAK_SECONDS=600), and the thread sanitizer
	@Scripts/soak

format:  ## rewrite the sources in the house's format
	@Scripts/format

lint:  ## check the format
	@Scripts/lint

docs: dependencies  ## build the documentation into .build/documentation
	@Scripts/docs

docs-serve: docs  ## show the documentation on localhost (PORT=8000)
	@Scripts/docs-serve $(PORT)

dependencies:
	@Scripts/dependencies

clean:
	rm -rf .build Examples/.build Benchmarks/.build

// SPDX-License-Identifier: Apache-2.0

enum Usage {
  static let text = """
    usage: roost-bench [options]

    Measures every store that is there, each beside the same engine called directly, and prints the ratios.
    Nothing else should run on the machine.

      --stores LIST        sqlite, postgresql, lmdb, memory; all that are there unless given
      --workloads LIST     \(WorkloadCatalogue.ids.joined(separator: ", ")); all unless given
      --objects N          how many persons, 1000 to 10000000 (100000)
      --rounds N           how often each is measured, in turn (5)
      --durability LEVEL   full: power loss (default); extra: SQLite's EXTRA; relaxed: faster commits
      --threads N          also: N contexts that read beside one that writes
      --savers N           also: saves a second of 1 and of N contexts, beside as many raw connections
      --flush MS           there, and with --across, a flush of a file takes this long at the least: a slower disk
      --history            also: writing with a history, reading it, the past, and live results
      --evolution          also: opening with other versions of the model, beside statements by hand
      --across             also: saves over several stores, and relationships from one into another
      --scale N            also: W2, W3, W4 and W10 with 1,000, 10,000, ... up to N objects, time and memory
      --folder DIR         where the stores' files are made (the temporary folder; a RAM disk makes saves look fast)

      --json FILE          write all figures to a file
      --compare FILE       compare with figures that were written before
      --report DIR         write a page with charts: DIR/index.html
      --quiet              show no progress

      --model FILE         measure with a model of your own, a .xcdatamodeld of Xcode, and made-up data
      --record FILE        record what the workloads ask of the store that --stores names
      --replay FILE        play a recording on the stores, and show latencies

      --counters MODE      statements, round trips, rows, allocations instead of times: show, check, record
      --thresholds DIR     the thresholds that they are checked against (Benchmarks/Thresholds)

      --instructions MODE  instructions of the workloads with 10,000 objects, by callgrind: show, check;
                           with --across those of saves beside another store instead
      --profiles DIR       keep callgrind's files there: callgrind_annotate shows them

    PostgreSQL is the server that DATABASE_URL names, or a private one that is started and stopped.
    Ctrl-C ends the run with what is done so far, a second one at once.
    See Benchmarks/README.md for how to read the numbers.
    """
}

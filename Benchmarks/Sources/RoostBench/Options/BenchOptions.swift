// SPDX-License-Identifier: Apache-2.0

/// What a run was asked to do.
struct BenchOptions: Equatable {
  /// The stores by name; nil for all that are there.
  var stores: [StoreKind]?
  /// The workloads by name; nil for all.
  var workloads: [String]?
  var objects = BenchOptions.usualObjects
  var rounds = 5
  var durability = Durability.full
  /// How many contexts read beside one that writes; nil to measure no such thing.
  var threads: Int?
  /// How many contexts save side by side; nil to measure no such thing.
  var savers: Int?
  /// How many milliseconds a flush of a file takes at the least while contexts save side by side or over several
  /// stores; nil for as long as the disk needs.
  var flush: Int?
  /// Whether histories and live results are measured, too.
  var measuresHistory = false
  /// Whether it is measured how stores follow their model, too.
  var measuresEvolution = false
  /// Whether it is measured what several stores as one cost, too.
  var measuresAcross = false
  /// The largest size of the scale curves; nil to draw none.
  var scale: Int?
  /// Where the stores' files are made; nil for the system's temporary folder.
  var folder: String?
  var jsonFile: String?
  var compareFile: String?
  var reportFolder: String?
  /// A model to measure with instead of the workloads.
  var modelFile: String?
  /// A recording to play.
  var replayFile: String?
  /// Where to write a recording of the workloads.
  var recordFile: String?
  var counters = CountersMode.off
  var thresholdsFolder: String?
  var instructions = InstructionsMode.off
  /// Where callgrind's files are kept; nil to remove them.
  var profilesFolder: String?
  var isQuiet = false

  static let usualObjects = 100_000

  /// How many objects instructions are counted with: callgrind takes fifty times as long as the program alone.
  var instructionObjects: Int {
    objects == Self.usualObjects ? InstructionBudgets.objects : objects
  }

  /// What is done with the instructions of the workloads.
  enum InstructionsMode: String, CaseIterable {
    case off, show, check
  }

  /// What is done with the deterministic counters.
  enum CountersMode: String, CaseIterable {
    case off, show, check, record
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The highest numbers of instructions that an operation of a workload may take, in an optimized build, with 10,000
/// objects.
///
/// They were set by comparison with a program that only makes one typed object of each row.
enum InstructionBudgets {
  /// The number of objects that the budgets are meant for.
  static let objects = 10_000

  private static let budgets: [String: [StoreKind: Double]] = [
    "W1": [.sqlite: 19_000, .lmdb: 9_500, .postgresql: 5_500, .memory: 5_000],
    "W2": [.sqlite: 5_500, .lmdb: 3_300, .postgresql: 5_000, .memory: 1_300],
    "W3": [.sqlite: 12_500, .lmdb: 5_000, .postgresql: 14_000, .memory: 2_000],
    "W4": [.sqlite: 1_900_000, .lmdb: 450_000, .postgresql: 250_000, .memory: 120_000],
    "W5": [.sqlite: 13_500, .lmdb: 8_000, .postgresql: 3_000, .memory: 2_500],
    "W6": [.sqlite: 5_500, .lmdb: 3_000, .postgresql: 5_000, .memory: 1_300],
    "W7": [.sqlite: 6_000, .lmdb: 4_000, .postgresql: 4_000, .memory: 1_500],
    "W8": [.sqlite: 16_000, .lmdb: 14_000, .postgresql: 2_500, .memory: 5_000],
    "W10": [.sqlite: 62_000, .lmdb: 40_000, .postgresql: 22_000, .memory: 9_000],
  ]

  /// The budget of an operation; nil where none was set.
  static func budget(_ workload: String, on store: StoreKind) -> Double? {
    budgets[workload]?[store]
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A snapshot in the server's text format: `xmin:xmax:xip,xip`.
struct SnapshotText {
  let floor: UInt64
  let ceiling: UInt64
  let inProgress: [UInt64]

  init(floor: UInt64, ceiling: UInt64, inProgress: [UInt64]) {
    (self.floor, self.ceiling, self.inProgress) = (floor, ceiling, inProgress)
  }

  init(_ text: String) throws {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let floor = UInt64(parts[0]), let ceiling = UInt64(parts[1]) else {
      throw PersistenceError(
        .persistentStoreOperation, "The server's snapshot “\(text)” cannot be read.")
    }
    let list = parts[2].split(separator: ",").compactMap { UInt64($0) }
    self.init(floor: floor, ceiling: ceiling, inProgress: list)
  }

  /// The snapshot as text.
  var text: String {
    "\(floor):\(ceiling):" + inProgress.map(String.init).joined(separator: ",")
  }
}

/// The positions after each transaction of an answer: each includes that transaction and those before it in the
/// answer, and none of those after it.
struct AnswerPositions {
  private let epoch: Int64
  /// The transactions that were in progress when the answer was read.
  private let inProgress: [UInt64]
  /// The transactions of the answer and those that a limit has left out, in the order of their numbers.
  private let numbers: [UInt64]
  /// How many of them are below the ceiling.
  private var reached = 0
  /// The transactions below the ceiling that were not returned yet.
  private var open: Set<UInt64> = []
  private var ceiling: UInt64

  init(
    epoch: Int64, after position: StorePosition?, snapshot: SnapshotText, numbers: [UInt64]
  ) {
    self.epoch = epoch
    inProgress = snapshot.inProgress
    self.numbers = numbers.sorted()
    if case .snapshot(_, let ceiling, _) = position?.place {
      self.ceiling = ceiling
    } else {
      ceiling = 0
    }
  }

  /// Returns the position after the next transaction.
  mutating func next(_ number: UInt64) -> StorePosition {
    ceiling = max(ceiling, number + 1)
    while reached < numbers.count, numbers[reached] < ceiling {
      open.insert(numbers[reached])
      reached += 1
    }
    open.remove(number)
    let hidden = (inProgress.filter { $0 < ceiling } + open).sorted()
    return StorePosition(
      epoch: epoch,
      place: .snapshot(floor: hidden.first ?? ceiling, ceiling: ceiling, inProgress: hidden))
  }
}

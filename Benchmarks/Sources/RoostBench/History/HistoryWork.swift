// SPDX-License-Identifier: Apache-2.0

/// The measurements of `--history`, in this order.
enum HistoryWork: String, ComparedWork {
  case insert, size, save, savers, update
  case insertValues, sizeValues, saveValues, updateValues
  case read, past, told, untouched, touched, moved

  static let heading = "Histories and live results"

  static let explanation = """
    The same work with a history and without, turn by turn; and what it takes to read one, to ask for the past, and to
    keep results current.
    """

  var isBetterLarge: Bool { self == .read }

  var title: String {
    switch self {
    case .insert: "insert all in one save"
    case .size: "what the store takes after that"
    case .save: "saves of one object, one after the other"
    case .savers: "saves of one object by eight contexts"
    case .update: "change one property of all, one save"
    case .insertValues: "insert all, with previous values"
    case .sizeValues: "what the store takes after that"
    case .saveValues: "saves of one object, with previous values"
    case .updateValues: "change one property of all, with previous values"
    case .read: "read the history of saves of ten objects"
    case .past: "fetch all as of before 1,000 of them changed"
    case .told: "until a save elsewhere is in live results"
    case .untouched: "a change that touches none of 1,000 live queries"
    case .touched: "a change that touches one of 1,000 live queries"
    case .moved: "a change that moves one of all in live results"
    }
  }

  /// The unit of the figure: milliseconds in total, megabytes, microseconds per operation, or changes per second.
  var unit: String {
    switch self {
    case .size, .sizeValues: "MB"
    case .read: "changes/s"
    case .untouched, .touched, .moved: "µs"
    case .insert, .save, .savers, .update, .insertValues, .saveValues, .updateValues, .past, .told:
      "ms"
    }
  }

  func beside(_ store: StoreKind) -> String? {
    switch self {
    case .read, .told, .untouched, .touched, .moved: nil
    case .past: "now"
    case .insert, .size, .save, .savers, .update, .insertValues, .sizeValues, .saveValues,
      .updateValues:
      "without"
    }
  }

  /// The highest ratio, or figure where there is no ratio, that meets the goal; the lowest of `read`.
  func goal(_ store: StoreKind) -> Double? {
    switch self {
    case .insert: 1.03
    case .size: 1.01
    // The goal does not apply to a single PostgreSQL connection, nor to memory, which does not wait for a disk.
    case .save: store == .sqlite || store == .lmdb ? 1.03 : nil
    case .savers: store == .postgresql ? 1.1 : nil
    case .updateValues: 1.4
    case .read: 200_000
    case .past: 1.3
    case .told: store == .postgresql ? 30 : 20
    case .untouched: 50
    case .touched: 1_000
    case .update, .insertValues, .sizeValues, .saveValues, .moved: nil
    }
  }

  /// The same work with a history that keeps previous values.
  var withValues: HistoryWork? {
    switch self {
    case .insert: .insertValues
    case .size: .sizeValues
    case .save: .saveValues
    case .update: .updateValues
    case .savers, .insertValues, .sizeValues, .saveValues, .updateValues, .read, .past, .told,
      .untouched, .touched, .moved:
      nil
    }
  }
}

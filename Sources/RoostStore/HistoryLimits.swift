// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The retention limits of a store's history: older transactions, and the oldest beyond a limit, are removed
/// automatically.
package struct HistoryLimits: Sendable, Hashable {
  /// The key of the option in a store's description.
  package static let option = "RoostHistoryRetentionOption"

  /// The maximum age of a transaction in days; nil for no limit.
  package var days: Double?
  /// The maximum number of transactions; nil for no limit.
  package var count: Int?
  /// The maximum size of their contents in bytes; nil for no limit.
  package var bytes: Int?

  package init(days: Double? = nil, count: Int? = nil, bytes: Int? = nil) {
    (self.days, self.count, self.bytes) = (days, count, bytes)
  }

  /// The value of the option with which a program removes nothing, and leaves the store's limits as they are.
  package static let unchanged = MetadataValue.string("unchanged")

  /// The default limits.
  package static let standard = HistoryLimits(days: 30, bytes: 64 << 20)

  /// Whether there are no limits.
  package var isUnlimited: Bool { days == nil && count == nil && bytes == nil }

  /// Reads the option: false for no limits, or a dictionary of them; ``unchanged`` limits nothing here.
  ///
  /// - Throws: `invalidValue`.
  package init(_ option: MetadataValue?) throws {
    switch option {
    case nil: self = .standard
    case .boolean(false), Self.unchanged: self.init()
    case .dictionary(let limits) where !limits.isEmpty:
      self.init()
      for (name, limit) in limits {
        switch (name, limit) {
        case ("days", .integer(let number)) where number > 0: days = Double(number)
        case ("days", .double(let number)) where number > 0 && number.isFinite: days = number
        case ("count", .integer(let number)) where number > 0: count = Int(clamping: number)
        case ("bytes", .integer(let number)) where number > 0: bytes = Int(clamping: number)
        default: throw Self.invalid
        }
      }
    default: throw Self.invalid
    }
  }

  /// The limits as a value of the option.
  package var value: MetadataValue {
    guard !isUnlimited else { return .boolean(false) }
    var limits: [String: MetadataValue] = [:]
    limits["days"] = days.map(MetadataValue.double)
    limits["count"] = count.map { .integer(Int64($0)) }
    limits["bytes"] = bytes.map { .integer(Int64($0)) }
    return .dictionary(limits)
  }

  private static var invalid: PersistenceError {
    PersistenceError(
      .invalidValue,
      "The option \(option) is false, or a dictionary of “days”, “count” and “bytes”, each a number "
        + "above zero.", key: option)
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// How much of a store's history is kept: what is older, and the oldest of what is too much, is removed by itself.
package struct HistoryLimits: Sendable, Hashable {
  /// The option of a store's description.
  package static let option = "RoostHistoryRetentionOption"

  /// How old a transaction may become, in days; nil for any age.
  package var days: Double?
  /// How many transactions there may be; nil for any number.
  package var count: Int?
  /// How many bytes their contents may have; nil for any number.
  package var bytes: Int?

  package init(days: Double? = nil, count: Int? = nil, bytes: Int? = nil) {
    (self.days, self.count, self.bytes) = (days, count, bytes)
  }

  /// What holds where nothing is said.
  package static let standard = HistoryLimits(days: 30, bytes: 64 << 20)

  /// Whether everything is kept.
  package var isUnlimited: Bool { days == nil && count == nil && bytes == nil }

  /// Reads the option: false for no limits, or a dictionary of them.
  ///
  /// - Throws: `invalidValue`.
  package init(_ option: MetadataValue?) throws {
    switch option {
    case nil: self = .standard
    case .boolean(false): self.init()
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

  /// The option.
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

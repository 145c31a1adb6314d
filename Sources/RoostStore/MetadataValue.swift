// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value that a program keeps in a store's metadata, or an option of a store.
///
/// ```swift
/// metadata.userValues["lastImport"] = .date(Date())
/// ```
public enum MetadataValue: Sendable, Hashable {
  /// A string.
  case string(String)
  /// An integer.
  case integer(Int64)
  /// A double, also one that is infinite or no number.
  case double(Double)
  /// A truth value.
  case boolean(Bool)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Several values.
  case list([MetadataValue])
  /// Values by name.
  case dictionary([String: MetadataValue])
}

extension MetadataValue {
  /// How deep lists and dictionaries may be nested in metadata.
  public static let deepestNesting = 32

  /// Whether the value is nested no deeper than ``deepestNesting``.
  ///
  /// - Complexity: O(*n*) in the number of values; it does not recurse.
  public var isNestedModerately: Bool {
    var level = [self]
    var depth = 0
    while !level.isEmpty {
      if depth > Self.deepestNesting { return false }
      depth += 1
      level = level.flatMap { value in
        switch value {
        case .list(let values): values
        case .dictionary(let values): Array(values.values)
        default: [MetadataValue]()
        }
      }
    }
    return true
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The values of a uniqueness constraint, which at most one record has.
struct RecordKeyValues: Hashable {
  /// The topmost entity that has the constraint.
  let owner: EntityDescription
  /// The names of the attributes, sorted.
  let names: [String]
  let values: [Value]

  /// - Parameters:
  ///   - key: The constraint.
  ///   - values: The values of its attributes, in their order.
  init(_ key: EntityKey, _ values: [Value]) {
    owner = key.owner
    names = key.names
    self.values = values
  }

  /// Makes the values of the same constraint for an object.
  init(of object: ManagedObject, like other: RecordKeyValues) throws {
    owner = other.owner
    names = other.names
    values = try names.map { try object.exchangeValue(forKey: $0) }
  }

  static func == (left: RecordKeyValues, right: RecordKeyValues) -> Bool {
    left.owner === right.owner && left.names == right.names && left.values == right.values
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(owner))
    hasher.combine(values)
  }
}

/// A reference to a destination in a file.
enum RecordReference: Hashable {
  /// An ID that is valid in the files.
  case id(String)
  case key(RecordKeyValues)
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
package import RoostModel
package import RoostObjects
import RoostQuery
import RoostStore

// Short names for frequent operations of the cases.
extension ManagedObject {
  /// Sets a property.
  package func set(_ key: String, _ value: Any?) throws {
    try setValue(value, forKey: key)
  }

  /// An attribute's value.
  package func get(_ key: String) throws -> Value {
    try exchangeValue(forKey: key)
  }

  /// A string attribute.
  package func text(_ key: String) throws -> String? {
    guard case .string(let text) = try get(key) else { return nil }
    return text
  }

  /// An integer attribute.
  package func number(_ key: String) throws -> Int64? {
    guard case .integer(let number) = try get(key) else { return nil }
    return number
  }

  /// The destination of a to-one relationship.
  package func one(_ key: String) throws -> ManagedObject? {
    try value(forKey: key) as? ManagedObject
  }

  /// The destinations of a to-many relationship, in order where it has one.
  package func many(_ key: String) throws -> [ManagedObject] {
    switch try value(forKey: key) {
    case let objects as [ManagedObject]: objects
    case let objects as Set<ManagedObject>: Array(objects)
    default:
      throw ExpectationFailure(
        message: "\(key) is no collection of objects", file: #fileID, line: #line)
    }
  }

  /// The names of the destinations of a to-many relationship: in order where it has one, else sorted.
  package func names(_ key: String) throws -> [String] {
    let names = try many(key).map { try $0.text("name") ?? "-" }
    return try value(forKey: key) is [ManagedObject] ? names : names.sorted()
  }

  /// Adds destinations to a to-many relationship.
  package func add(_ objects: ManagedObject..., to key: String) throws {
    switch try value(forKey: key) {
    case let known as [ManagedObject]: try set(key, known + objects)
    case let known as Set<ManagedObject>: try set(key, known.union(objects))
    default:
      throw ExpectationFailure(
        message: "\(key) is no collection of objects", file: #fileID, line: #line)
    }
  }

  /// Removes destinations from a to-many relationship.
  package func remove(_ objects: ManagedObject..., from key: String) throws {
    let leaving = Set(objects)
    switch try value(forKey: key) {
    case let known as [ManagedObject]: try set(key, known.filter { !leaving.contains($0) })
    case let known as Set<ManagedObject>: try set(key, known.subtracting(leaving))
    default:
      throw ExpectationFailure(
        message: "\(key) is no collection of objects", file: #fileID, line: #line)
    }
  }
}

/// An integer of a dictionary, whatever its width; nil for a number of another type, though it be as large.
package func whole(_ value: Any?) -> Int64? {
  guard case .integer(let number) = Value(any: value) else { return nil }
  return number
}

/// A double of a dictionary; nil for a number of another type, though it be as large.
package func double(_ value: Any?) -> Double? {
  guard case .double(let number) = Value(any: value) else { return nil }
  return number
}

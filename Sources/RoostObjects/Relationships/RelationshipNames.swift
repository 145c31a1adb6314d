// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A cache of property names by key path: a key path is evaluated on a path recorder once.
enum RelationshipNames {
  private static let known = Mutex<[Property: String]>([:])

  /// A key path of a property.
  private struct Property: Hashable, @unchecked Sendable {
    // Sendable: a key path of a property captures nothing but the classes that it leads through.
    let keyPath: AnyKeyPath
  }

  /// Returns the name of the property of a single-step key path; nil for other key paths.
  static func name(of keyPath: AnyKeyPath) -> String? {
    let property = Property(keyPath: keyPath)
    if let name = known.withLock({ $0[property] }) { return name }
    guard let path = ManagedObject.propertyPath(for: keyPath), path.count == 1 else { return nil }
    known.withLock { $0[property] = path[0] }
    return path[0]
  }
}

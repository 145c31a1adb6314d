// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The names of properties by their key paths: a key path is applied to a recorder once, and remembered.
enum RelationshipNames {
  private static let known = Mutex<[Property: String]>([:])

  /// A key path of a property.
  private struct Property: Hashable, @unchecked Sendable {
    // Sendable: a key path of a property captures nothing but the classes that it leads through.
    let keyPath: AnyKeyPath
  }

  /// The name of the property that a key path of one step leads to; nil when it leads elsewhere.
  static func name(of keyPath: AnyKeyPath) -> String? {
    let property = Property(keyPath: keyPath)
    if let name = known.withLock({ $0[property] }) { return name }
    guard let path = ManagedObject.propertyPath(for: keyPath), path.count == 1 else { return nil }
    known.withLock { $0[property] = path[0] }
    return path[0]
  }
}

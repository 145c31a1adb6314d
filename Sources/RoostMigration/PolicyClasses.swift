// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Finds the classes that mapping models name as policies.
enum PolicyClasses {
  /// The policy of a mapping; nil for the standard one.
  ///
  /// - Throws: `entityMigrationPolicy` when the class is not found, or is no policy class.
  static func policy(of mapping: EntityMapping) throws -> EntityMigrationPolicy.Type? {
    if let policy = mapping.entityMigrationPolicy { return policy }
    guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty,
      name != "EntityMigrationPolicy", name != "NSEntityMigrationPolicy"
    else { return nil }
    // Swift classes without `@objc` names are found by the module's name and their own.
    if let found = NSClassFromString(name) as? EntityMigrationPolicy.Type { return found }
    throw PersistenceError(
      .entityMigrationPolicy,
      "There is no migration policy “\(name)”, which the mapping \(mapping.name) names: give the "
        + "class to setPolicies(_:).", entityName: mapping.destinationEntityName)
  }
}

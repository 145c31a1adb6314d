// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Validation of objects whether or not they were changed, as a migration needs for all objects it creates.
package enum AllRules {
  /// Returns the validation failures of an object under the model's rules.
  ///
  /// - Throws: The error of the store when the object has to be read.
  package static func failures(of object: ManagedObject) throws -> [PersistenceError] {
    var failures: [PersistenceError] = []
    for attribute in object.binding.attributes {
      let value = try object.values.readValue(of: attribute)
      do {
        try AttributeRules.check(value, of: attribute, in: object)
      } catch {
        failures += SaveValidation.flattened(error, object)
      }
    }
    for relationship in object.binding.relationships where relationship.limitsDestinations {
      do {
        try RelationshipRules.check(relationship, of: object)
      } catch {
        failures += SaveValidation.flattened(error, object)
      }
    }
    return failures
  }
}

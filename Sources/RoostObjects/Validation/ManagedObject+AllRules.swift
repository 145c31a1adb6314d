// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ManagedObject {
  /// What the model's rules say against the object, whether or not it was changed.
  ///
  /// - Throws: What the store throws when the object has to be read.
  package final func failuresOfAllRules() throws -> [PersistenceError] {
    var failures: [PersistenceError] = []
    for attribute in binding.attributes {
      let value = try values.readValue(of: attribute)
      do {
        try AttributeRules.check(value, of: attribute, in: self)
      } catch {
        failures += SaveValidation.flattened(error, self)
      }
    }
    for relationship in binding.relationships where relationship.limitsDestinations {
      do {
        try RelationshipRules.check(relationship, of: self)
      } catch {
        failures += SaveValidation.flattened(error, self)
      }
    }
    return failures
  }
}

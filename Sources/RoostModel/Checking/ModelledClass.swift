// SPDX-License-Identifier: Apache-2.0

/// A managed object class that can check the properties of its entity.
package protocol ModelledClass: AnyObject {
  /// Returns the faults of an entity as the entity of this class.
  static func findFaults(asClassOf entity: EntityDescription) -> [PersistenceError]
  /// The names of the properties in the numbering of the accessors, those of the superclass first; nil for a class
  /// without numbers.
  static var numberedProperties: [String]? { get }
}

extension ModelCheck {
  /// Checks an entity against its class.
  mutating func checkClass(of entity: EntityDescription) {
    guard let objectClass = entity.managedObjectClass as? any ModelledClass.Type else { return }
    for fault in objectClass.findFaults(asClassOf: entity) {
      report(fault.message, entity, fault.key)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A class of instances that knows which properties its entity must have.
package protocol ModelledClass: AnyObject {
  /// Returns what keeps the instances of an entity from being of this class.
  static func findFaults(asClassOf entity: EntityDescription) -> [PersistenceError]
  /// The names of the properties in the order in which accessors number them, those of the superclass first; nil for a
  /// class that has none.
  static var numberedProperties: [String]? { get }
}

extension ModelCheck {
  /// The class of an entity must find its properties in it.
  mutating func checkClass(of entity: EntityDescription) {
    guard let objectClass = entity.managedObjectClass as? any ModelledClass.Type else { return }
    for fault in objectClass.findFaults(asClassOf: entity) {
      report(fault.message, entity, fault.key)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Rows as dictionaries for conflicts: attributes and to-one destinations, no to-many relationships (B177).
extension Row {
  /// Returns the values, nil as `NSNull`, to-one destinations as IDs.
  func snapshotValues(of object: ManagedObject) -> [String: Any] {
    var result: [String: Any] = [:]
    for attribute in object.binding.attributes where attribute.isStored {
      result[attribute.name] = attribute.value(in: self).anyValue ?? NSNull()
    }
    for relationship in object.binding.relationships {
      guard case .toOne(let slot) = relationship.storage else { continue }
      let id = reference(slot).flatMap {
        object.context?.loader.destinationID(forKey: $0, from: object)
      }
      result[relationship.name] = id ?? NSNull()
    }
    return result
  }

  /// Returns a copy with the values of a dictionary; values that do not fit their property are left out.
  func replacing(_ values: [String: Any], in object: ManagedObject, version: Int64) -> Row {
    let result = copy(version: version)
    for (key, value) in values {
      if let attribute = object.binding.attribute(named: key),
        let exchange = Value(any: value is NSNull ? nil : value, type: attribute.type),
        let parts = try? attribute.parts(of: exchange)
      {
        // The parts were coerced to the types of their slots.
        for part in parts { try? result.setValue(part.value, at: part.slot) }
      } else if let relationship = object.binding.relationship(named: key),
        case .toOne(let slot) = relationship.storage
      {
        if let id = value as? ObjectID {
          if let key = object.context?.loader.key(of: id, from: object) {
            result.setInteger(key, at: slot)
          }
        } else if value is NSNull {
          result.setNull(slot)
        }
      }
    }
    return result
  }
}

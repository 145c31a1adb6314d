// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension ManagedObject {
  /// Returns the persistent properties that were set since the last event ended, with their new values (B57).
  ///
  /// While ``ManagedObjectContext/didChangeObjectsNotification`` is posted, that is the event that it tells of.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` has them, relationships as objects or collections of objects; nil
  ///   values as `NSNull`.
  /// - Complexity: O(changed properties), but O(objects of the event) the first time that an observer asks; no query.
  public final func changedValuesForCurrentEvent() -> [String: Any] {
    guard let context else { return [:] }
    var result: [String: Any] = [:]
    let parts = [
      context.postedEvent?.pastProperties(of: self),
      context.changes.event.currentProperties(of: self),
    ]
    for case let properties? in parts {
      for slot in properties.slots.indices {
        guard let attribute = binding.attribute(ofSlot: slot), !attribute.isTransient else {
          continue
        }
        result[attribute.name] = attributeValue(of: attribute).anyValue ?? NSNull()
      }
      for relationship in binding.relationships
      where properties.links.contains(relationship.ordinal) && !relationship.isTransient {
        result[relationship.name] = currentValue(of: relationship) ?? NSNull()
      }
    }
    return result
  }
}

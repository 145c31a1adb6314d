// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension ManagedObject {
  /// Returns the persistent properties that were set since the last event ended, with the values that they had before.
  ///
  /// While ``ManagedObjectContext/didChangeObjectsNotification`` is posted, that is the event that it tells of. The
  /// values of now are those of the properties themselves.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` had them, relationships as objects or collections of objects; nil
  ///   values as `NSNull`. Of an object that is new in the event: the default values, and no destinations.
  /// - Complexity: O(changed properties), but O(objects of the event) the first time that an observer asks; at most one
  ///   query for each to-many relationship whose stored destinations are not known.
  public final func changedValuesForCurrentEvent() -> [String: Any] {
    guard let context else { return [:] }
    var result: [String: Any] = [:]
    // Where an observer has changed a property again, the event that it hears of has the older value.
    let parts = [
      context.changes.event.currentProperties(of: self),
      context.eventState.postedEvent?.pastProperties(of: self),
    ]
    for case let properties? in parts {
      for slot in properties.slots.indices {
        guard let attribute = binding.attribute(ofSlot: slot), !attribute.isTransient,
          let row = properties.earlier
        else { continue }
        result[attribute.name] = attribute.value(in: row).anyValue ?? NSNull()
      }
      for relationship in binding.relationships
      where properties.links.contains(relationship.ordinal) && !relationship.isTransient {
        result[relationship.name] = values.earlierValue(of: relationship, properties) ?? NSNull()
      }
    }
    return result
  }
}

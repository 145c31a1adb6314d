// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension ManagedObject {
  /// Returns the persistent properties set since the last event ended, with their earlier values.
  ///
  /// While ``ManagedObjectContext/didChangeObjectsNotification`` is posted, this is the event of the notification.
  /// The properties themselves have the current values.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` had them, relationships as objects or collections of objects; nil
  ///   values as `NSNull`. For an object inserted in the event: the default values, and no destinations.
  /// - Complexity: O(changed properties), but O(objects of the event) for the first call of an observer; at most one
  ///   query for each to-many relationship whose stored destinations are not loaded.
  public final func changedValuesForCurrentEvent() -> [String: Any] {
    guard let context else { return [:] }
    var result: [String: Any] = [:]
    // If an observer has changed a property again, the posted event has the older value.
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

// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

/// The properties that commits changed in updated records, by concrete entity.
package struct ChangedProperties: Sendable {
  private var names: [ObjectIdentifier: Set<String>] = [:]

  package init() {}

  /// The names of the changed properties of an entity.
  package func names(of entity: EntityDescription) -> Set<String> {
    names[ObjectIdentifier(entity)] ?? []
  }

  /// Adds changed properties.
  mutating func add(_ properties: some Sequence<String>, of entity: EntityDescription) {
    names[ObjectIdentifier(entity), default: []].formUnion(properties)
  }

  /// Adds all properties of an entity.
  mutating func addAll(of entity: EntityDescription) {
    add(entity.propertiesByName.keys, of: entity)
  }

  /// Adds the attributes of an entity that stores compute.
  mutating func addDerived(of entity: EntityDescription) {
    add(
      entity.attributesInOrder.lazy.filter { $0 is DerivedAttributeDescription }.map(\.name),
      of: entity)
  }

  /// Adds the changes of other commits.
  package mutating func add(_ other: ChangedProperties) {
    names.merge(other.names) { $0.union($1) }
  }
}

extension ChangedProperties {
  /// Adds the changed properties of the updated records of a change set.
  mutating func add(_ changes: StoreChangeSet) {
    var last: (layout: RowLayout, slots: [Int])?
    for update in changes.updated {
      let layout = update.row.layout
      if let last, last.layout === layout, last.slots == update.changedSlots { continue }
      add(layout.propertyNames(ofSlots: update.changedSlots), of: layout.entity)
      last = (layout, update.changedSlots)
    }
  }
}

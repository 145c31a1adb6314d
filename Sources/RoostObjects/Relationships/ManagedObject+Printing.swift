// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Textual descriptions of an object. They fire no fault, query no store, and create no object.
extension ManagedObject {
  /// The state of the object in its context, with the names of changed properties.
  final var stateText: String {
    if flags.contains(.deleted) { return "deleted" }
    let state = isInserted ? "new" : isFault ? "fault" : hasChanges ? "changed" : "clean"
    guard !isFault, !isInserted, hasChanges else { return state }
    var names = Set(
      values.changedStoredSlots().compactMap { binding.attribute(ofSlot: $0.index)?.name })
    names.formUnion(values.changedRelationships().map(\.name))
    return names.isEmpty ? state : "\(state) " + names.sorted().joined(separator: ", ")
  }
}

extension ManagedObject: CustomReflectable {
  /// The object for `dump` and a debugger: its ID, its state, and the values in memory. It reads nothing.
  public final var customMirror: Mirror {
    Mirror(
      self,
      children: [
        (label: "objectID", value: PrintedText("\(identity)")),
        (label: "state", value: PrintedText(stateText)),
      ] + PrintedValues(object: self).values,
      displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

/// A text that is shown as it is, without quotes or parts.
private struct PrintedText: CustomStringConvertible, CustomReflectable {
  let description: String

  init(_ text: String) {
    description = text
  }

  var customMirror: Mirror { Mirror(self, children: []) }
}

/// The values of an object that are in memory.
private struct PrintedValues {
  let object: ManagedObject

  /// The values by name, in the order of the entity: attributes, then relationships. Empty for a fault.
  var values: [(label: String?, value: Any)] {
    guard object.memory != nil, let row = object.row else { return [] }
    var values: [(label: String?, value: Any)] = []
    for attribute in object.binding.attributes {
      values.append((attribute.name, PrintedText("\(attribute.value(in: row))")))
    }
    for relationship in object.binding.relationships {
      values.append((relationship.name, PrintedText(text(of: relationship, in: row))))
    }
    return values
  }

  /// A short description of a relationship: an ID, a number of objects, nil, or that it is not loaded.
  private func text(of relationship: RelationshipDescription, in row: Row) -> String {
    if let known = object.related.knownDestination(relationship.ordinal) {
      return known.map { "\($0.identity)" } ?? "nil"
    }
    if !object.linkTable.isEmpty, case .toMany(let links) = object.linkTable[relationship.ordinal] {
      if links.isLoaded { return "\(links.members.count) objects" }
      return links.hasChanges ? "not read, changed" : "not read"
    }
    guard let slot = object.binding.referenceSlots[relationship.ordinal] else {
      return object.isInserted && relationship.isToMany ? "0 objects" : "not read"
    }
    guard let key = row.reference(slot) else { return "nil" }
    if ForeignNumber.isForeign(key) { return "a record of another store, not read" }
    return "p\(RecordKey.sequence(of: key)), not read"
  }
}

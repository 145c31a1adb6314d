// SPDX-License-Identifier: Apache-2.0

extension RowLayout {
  /// Returns the names of the properties of slots: for a composite's element, the composite attribute; for a position
  /// among the destinations of an ordered relationship, the inverse.
  package func propertyNames(ofSlots slots: some Sequence<Int>) -> Set<String> {
    var names: Set<String> = []
    for slot in slots {
      switch contents[slot] {
      case .attribute(_, let name):
        names.insert(name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name)
      case .reference(let relationship): names.insert(relationship.name)
      case .position(let relationship):
        if let inverse = relationship.maintainedInverse { names.insert(inverse.name) }
      }
    }
    return names
  }
}

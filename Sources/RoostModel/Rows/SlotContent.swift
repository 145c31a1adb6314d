// SPDX-License-Identifier: Apache-2.0

/// The content of a row's slot.
///
/// ```swift
/// for content in layout.contents where content.isStored { print(content.name, content.kind) }
/// ```
public enum SlotContent: Sendable {
  /// An attribute, or with a dotted name the element of a composite.
  case attribute(AttributeDescription, name: String)
  /// A to-one relationship: the key of its destination.
  case reference(RelationshipDescription)
  /// The hidden position of this row among the destinations of an ordered relationship. The associated relationship
  /// is the ordered one, which leads here.
  case position(RelationshipDescription)

  /// The slot's name: the property's, `composite.element`, or `@position.Entity.relationship`.
  public var name: String {
    switch self {
    case .attribute(_, let name): name
    case .reference(let relationship): relationship.name
    case .position(let relationship):
      "@position.\(relationship.entity?.name ?? "").\(relationship.name)"
    }
  }

  /// The kind of the slot.
  public var kind: SlotKind {
    switch self {
    case .attribute(let attribute, _): attribute.type.slotKind ?? .transformable
    case .reference: .reference
    case .position: .position
    }
  }

  /// Whether the slot is stored.
  public var isStored: Bool {
    switch self {
    case .attribute(let attribute, _): attribute.isStored
    case .reference, .position: true
    }
  }

  /// Sets the slot of the property.
  func assign(_ slot: RowSlot) {
    switch self {
    case .attribute(let attribute, _): attribute.slot = slot
    case .reference(let relationship): relationship.slot = slot
    case .position: break
    }
  }
}

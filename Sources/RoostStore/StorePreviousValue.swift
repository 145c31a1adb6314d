// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The value of a record's slot before a transaction.
///
/// ```swift
/// for change in try transaction.content.changes() {
///   for value in change.previous ?? [] { print(value.name, value.value) }
/// }
/// ```
public struct StorePreviousValue: Sendable {
  /// The kind of the slot.
  public var kind: Kind
  /// The name of the slot at that time: the property's name, `composite.element`, or the name of a
  /// ``SlotContent/position(_:)``.
  public var name: String
  /// The value; the key of a destination and a position are integers.
  public var value: Value

  /// Makes a previous value.
  ///
  /// - Parameters:
  ///   - kind: The kind of the slot.
  ///   - name: The name of the slot.
  ///   - value: The value.
  public init(kind: Kind, name: String, value: Value) {
    self.kind = kind
    self.name = name
    self.value = value
  }

  /// The content of a slot.
  ///
  /// ```swift
  /// let links = previous.filter { $0.kind == .reference }
  /// ```
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// An attribute, or an element of a composite.
    case attribute = 0
    /// The destination of a to-one relationship.
    case reference = 1
    /// The position among the destinations of an ordered relationship.
    case position = 2
  }
}

/// The state of a many-to-many link before a transaction.
///
/// ```swift
/// for link in try transaction.content.previousLinks() where link.state == .unlink { print(link.source) }
/// ```
public struct StorePreviousLink: Sendable, Hashable {
  /// The code of the entity whose relationship owns the table of the links.
  public var entityCode: Int
  /// The name of that relationship at that time.
  public var relationship: String
  /// The record on the owner's side.
  public var source: Int64
  /// The record on the other side.
  public var destination: Int64
  /// Not there, or there with its positions.
  public var state: LinkChange.Kind

  /// Makes a previous link.
  ///
  /// - Parameters:
  ///   - entityCode: The code of the owner's entity.
  ///   - relationship: The name of the owner.
  ///   - source: The record on the owner's side.
  ///   - destination: The record on the other side.
  ///   - state: Not there, or there with its positions.
  public init(
    entityCode: Int, relationship: String, source: Int64, destination: Int64,
    state: LinkChange.Kind
  ) {
    self.entityCode = entityCode
    self.relationship = relationship
    self.source = source
    self.destination = destination
    self.state = state
  }
}

extension SlotContent {
  /// The kind of its previous values.
  package var previousKind: StorePreviousValue.Kind {
    switch self {
    case .attribute: .attribute
    case .reference: .reference
    case .position: .position
    }
  }
}

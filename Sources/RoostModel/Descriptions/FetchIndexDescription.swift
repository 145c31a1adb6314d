// SPDX-License-Identifier: Apache-2.0

/// Describes an index of an entity: its elements in order. Indexes are no part of the version hash.
///
/// ```swift
/// person.indexes = [
///   FetchIndexDescription(name: "byName", elements: [FetchIndexElementDescription(property: name)])
/// ]
/// ```
public final class FetchIndexDescription: ModelPart, @unchecked Sendable {
  // Sendable: written only by the one who builds the model; `isFrozen` refuses writes once the model is in use.

  /// The name, unique among the indexes of the entity.
  public var name: String { willSet { willChange() } }
  /// What is indexed, the most significant element first.
  public var elements: [FetchIndexElementDescription] {
    willSet { willChange() }
    didSet { adoptElements(insteadOf: oldValue) }
  }
  /// Which objects are indexed; nil for all.
  @_disfavoredOverload
  public var partialIndexPredicate: (any ModelPredicate)? { willSet { willChange() } }

  var owner = OwnerReference<EntityDescription>()
  var isFrozen = false

  /// Makes an index.
  public init(name: String, elements: [FetchIndexElementDescription]) {
    self.name = name
    self.elements = elements
    adoptElements(insteadOf: [])
  }

  deinit {
    let identifier = ObjectIdentifier(self)
    for element in elements { element.owner.forget(identifier) }
  }

  /// The entity; nil while the index has none.
  public var entity: EntityDescription? { owner.owner }

  private func adoptElements(insteadOf old: [FetchIndexElementDescription]) {
    let identifier = ObjectIdentifier(self)
    for element in old { element.owner.forget(identifier) }
    for element in elements { element.owner.set(self) }
  }

  func freeze() {
    isFrozen = true
    for element in elements {
      element.isFrozen = true
      // An expression is no property of the entity, so nobody else freezes it.
      (element.property as? ExpressionDescription)?.freeze()
    }
  }

  /// Returns an index with copies of the elements, which keep their properties.
  public func copy() -> FetchIndexDescription {
    let copy = FetchIndexDescription(name: name, elements: elements.map { $0.copy() })
    copy.partialIndexPredicate = partialIndexPredicate
    return copy
  }
}

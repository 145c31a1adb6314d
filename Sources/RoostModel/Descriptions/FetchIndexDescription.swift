// SPDX-License-Identifier: Apache-2.0

/// Describes an index of an entity: its elements in order. Indexes are not part of the version hash.
///
/// ```swift
/// person.indexes = [
///   FetchIndexDescription(name: "byName", elements: [FetchIndexElementDescription(property: name)])
/// ]
/// ```
public final class FetchIndexDescription: ModelPart, @unchecked Sendable {
  // Sendable: written only while the model is built; `isFrozen` refuses writes once the model is in use.

  /// The name, unique among the indexes of the entity.
  public var name: String { willSet { willChange() } }
  /// The elements, the most significant first.
  public var elements: [FetchIndexElementDescription] {
    willSet { willChange() }
    didSet { adoptElements(insteadOf: oldValue) }
  }
  /// The condition of a partial index; nil to index all objects.
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
      // An expression is not a property of the entity, so it is frozen only here.
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

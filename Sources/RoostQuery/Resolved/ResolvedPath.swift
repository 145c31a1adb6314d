// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A key path with all steps resolved in the model.
///
/// A nil to-one relationship makes the value of the path nil. Behind a to-many relationship every destination counts
/// once, as nil where a later to-one relationship has no destination.
///
/// ```swift
/// for step in path.relationships { join(step) }
/// if case .attribute(_, let slot) = path.end { read(slot) }
/// ```
public struct ResolvedPath: Sendable {
  /// The start of the path.
  public var root: Root
  /// The relationships along the path.
  public var relationships: [RelationshipDescription]
  /// The end of the path.
  public var end: End
  /// The entity of the object at the start, if the request specifies it.
  public var rootEntity: EntityDescription?
  /// The required entity of the last object, when the attribute at the end belongs to a subentity of the path's
  /// static entity; the value is nil for other objects.
  public var endGuard: EntityDescription?

  /// Makes a path.
  public init(
    root: Root, relationships: [RelationshipDescription], end: End,
    rootEntity: EntityDescription? = nil, endGuard: EntityDescription? = nil
  ) {
    self.root = root
    self.relationships = relationships
    self.end = end
    self.rootEntity = rootEntity
    self.endGuard = endGuard
  }

  /// The start of a path.
  ///
  /// ```swift
  /// if case .variable(let number) = path.root { alias = "s\(number)" }
  /// ```
  public enum Root: Sendable, Hashable {
    /// The evaluated object.
    case object
    /// The variable of a subquery; the outermost subquery is number 0.
    case variable(Int)
  }

  /// The end of a path.
  ///
  /// ```swift
  /// if case .attribute(let attribute, _) = path.end { print(attribute.name) }
  /// ```
  public enum End: Sendable {
    /// An attribute (or a composite's element) of the last entity.
    case attribute(AttributeDescription, RowSlot)
    /// The elements of an attribute that holds a collection of values: many values, of the attribute's
    /// ``AttributeDescription/elementType``. An object without a collection has none.
    case elements(AttributeDescription, RowSlot)
    /// The identity of the last object: the path ends with a relationship or is `SELF`.
    case object
    /// The entity of the last object.
    case entity
  }

  /// Whether the path has many values: a step leads to many objects, or the path ends with a collection's elements.
  public var isToMany: Bool {
    if case .elements = end { return true }
    return relationships.contains(where: \.isToMany)
  }

  /// The slot of the attribute at the end; nil for a path that ends with an object or an entity.
  public var attributeSlot: RowSlot? {
    switch end {
    case .attribute(_, let slot), .elements(_, let slot): slot
    case .object, .entity: nil
    }
  }

  /// Whether the path is an attribute of the object at the start, whose value is in the row itself.
  public var isOwnAttribute: Bool {
    if case .attribute = end { return relationships.isEmpty }
    return false
  }

  /// Returns the entity of the objects before a step; nil at the start when the request does not specify it.
  public func entity(beforeStep index: Int) -> EntityDescription? {
    index == 0 ? rootEntity : relationships[index - 1].destinationEntity
  }

  /// Returns the required entity for the relationship of a step, when it belongs to a subentity; other objects have
  /// no destinations.
  public func guardEntity(ofStep index: Int) -> EntityDescription? {
    guard let known = entity(beforeStep: index), let owner = relationships[index].entity,
      !known.isKindOf(entity: owner)
    else { return nil }
    return owner
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A key path whose every step was found in the model.
///
/// A to-one relationship that is nil makes the value of the path nil. Behind a to-many relationship every destination
/// counts once, as one nil where a later to-one relationship leads nowhere.
///
/// ```swift
/// for step in path.relationships { join(step) }
/// if case .attribute(_, let slot) = path.end { read(slot) }
/// ```
public struct ResolvedPath: Sendable {
  /// Where the path begins.
  public var root: Root
  /// The relationships that it follows.
  public var relationships: [RelationshipDescription]
  /// Where it ends.
  public var end: End
  /// The entity of the object where the path begins, as far as the request says.
  public var rootEntity: EntityDescription?
  /// The entity that the last object must be of, when the attribute at the end belongs to a subentity of what the steps
  /// promise; the value is nil for other objects.
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

  /// Where a path begins.
  ///
  /// ```swift
  /// if case .variable(let number) = path.root { alias = "s\(number)" }
  /// ```
  public enum Root: Sendable, Hashable {
    /// The object that is judged.
    case object
    /// The member that a subquery binds; numbered from the outermost subquery, 0.
    case variable(Int)
  }

  /// Where a path ends.
  ///
  /// ```swift
  /// if case .attribute(let attribute, _) = path.end { print(attribute.name) }
  /// ```
  public enum End: Sendable {
    /// An attribute (or a composite's element) of the last entity.
    case attribute(AttributeDescription, RowSlot)
    /// The identity of the last object: the path ends with a relationship or is `SELF`.
    case object
    /// The entity of the last object.
    case entity
  }

  /// Whether a step leads to many objects.
  public var isToMany: Bool { relationships.contains(where: \.isToMany) }

  /// Whether the path is an attribute of the object where it begins: its value is in the row itself.
  public var isOwnAttribute: Bool {
    if case .attribute = end { return relationships.isEmpty }
    return false
  }

  /// The entity of the objects from which a step leads; nil at the beginning when the request does not say.
  public func entity(beforeStep index: Int) -> EntityDescription? {
    index == 0 ? rootEntity : relationships[index - 1].destinationEntity
  }

  /// The entity that an object must be of to have the relationship of a step, when it is a subentity's; others have no
  /// destinations.
  public func guardEntity(ofStep index: Int) -> EntityDescription? {
    guard let known = entity(beforeStep: index), let owner = relationships[index].entity,
      !known.isKindOf(entity: owner)
    else { return nil }
    return owner
  }
}

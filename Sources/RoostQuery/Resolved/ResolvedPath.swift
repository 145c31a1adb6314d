// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A key path whose every step was found in the model.
public struct ResolvedPath: Sendable {
  /// Where the path begins.
  public var root: Root
  /// The relationships that it follows.
  public var relationships: [RelationshipDescription]
  /// Where it ends.
  public var end: End

  /// Makes a path.
  public init(root: Root, relationships: [RelationshipDescription], end: End) {
    self.root = root
    self.relationships = relationships
    self.end = end
  }

  /// Where a path begins.
  public enum Root: Sendable, Hashable {
    /// The object that is judged.
    case object
    /// The member that a subquery binds; numbered from the outermost subquery, 0.
    case variable(Int)
  }

  /// Where a path ends.
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

  /// The slot of the to-one relationship with which the path ends, if it is the only step: the path's value is in the
  /// row itself.
  public var isOwnAttribute: Bool {
    if case .attribute = end { return relationships.isEmpty }
    return false
  }
}

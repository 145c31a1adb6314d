// SPDX-License-Identifier: Apache-2.0

/// One difference between two versions of a model.
///
/// ```swift
/// for change in difference.changes where change.isLossy { print("loses data: \(change)") }
/// ```
public struct ModelChange: Sendable, Hashable {
  /// The kind of change.
  public let kind: Kind
  /// The entity's name in the new version, or in the old one when the entity is removed.
  public let entityName: String
  /// The property's name in the new version, or in the old one when it is removed; dotted for the element of a
  /// composite: `address.city`. For a constraint, the names of its properties; nil for a change of the entity itself.
  public let key: String?
  /// Further details, such as the former name or the two types; nil for none.
  public let detail: String?
  /// Whether stored values or links may be lost.
  public let isLossy: Bool

  init(
    _ kind: Kind, _ entityName: String?, _ key: String? = nil, _ detail: String? = nil,
    isLossy: Bool? = nil
  ) {
    self.kind = kind
    self.entityName = entityName ?? ""
    self.key = key
    self.detail = detail
    self.isLossy = isLossy ?? kind.isLossy
  }

  /// Whether records or their tables are affected; false for changes that only the program notices, such as a delete
  /// rule.
  public var concernsStoredData: Bool { kind.concernsStoredData }

  /// Whether a store with records of the entity refuses the change: an entity that becomes abstract.
  public var requiresNoRecords: Bool { kind == .entityBecameAbstract }
}

extension ModelChange {
  /// The kinds of changes, in the order in which an entity's changes are listed.
  ///
  /// ```swift
  /// let renamed = difference.changes.filter { $0.kind == .attributeRenamed }
  /// ```
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An entity is new.
    case entityAdded
    /// An entity is removed, with its records.
    case entityRemoved
    /// An entity has another name.
    case entityRenamed
    /// An entity has another superentity, or got or lost its superentity.
    case entityMoved
    /// An entity has no instances of its own any more.
    case entityBecameAbstract
    /// An entity may have instances of its own now.
    case entityBecameConcrete
    /// An attribute is new; records get its default.
    case attributeAdded
    /// An attribute is removed, with its values.
    case attributeRemoved
    /// An attribute has another name.
    case attributeRenamed
    /// An attribute is declared by another entity of the hierarchy.
    case attributeMoved
    /// An attribute has another type, or moved into or out of a composite.
    case attributeTypeChanged
    /// An attribute became required; nil becomes the default.
    case attributeBecameRequired
    /// An attribute became optional.
    case attributeBecameOptional
    /// An attribute is no longer stored.
    case attributeBecameTransient
    /// An attribute is stored now; records get its default.
    case attributeBecameStored
    /// An attribute became derived, or its expression changed: it is recomputed for all records.
    case attributeComputed
    /// A derived attribute became a plain one; its values stay.
    case attributeNoLongerDerived
    /// An attribute's external storage setting changed.
    case attributeStorageChanged
    /// The default value for new objects changed.
    case attributeDefaultChanged
    /// A relationship is new.
    case relationshipAdded
    /// A relationship is removed, with its links.
    case relationshipRemoved
    /// A relationship has another name.
    case relationshipRenamed
    /// A relationship is declared by another entity of the hierarchy.
    case relationshipMoved
    /// A to-one relationship became to-many.
    case relationshipBecameToMany
    /// A to-many relationship became ordered or unordered.
    case relationshipOrderChanged
    /// A relationship's destination entity changed to another one that also includes its present destinations.
    case relationshipDestinationChanged
    /// A relationship's inverse was changed or added.
    case relationshipInverseChanged
    /// A relationship is no longer stored.
    case relationshipBecameTransient
    /// A relationship is stored now.
    case relationshipBecameStored
    /// A relationship's rules changed: its cardinality or its delete rule.
    case relationshipRulesChanged
    /// A unique constraint was added; a migration of duplicates is refused.
    case constraintAdded
    /// A unique constraint was removed.
    case constraintRemoved
    /// A version hash modifier changed, or the attributes that the history preserves on deletion.
    case versionChanged
  }
}

extension ModelChange.Kind {
  fileprivate var isLossy: Bool {
    switch self {
    case .entityRemoved, .attributeRemoved, .attributeBecameTransient, .relationshipRemoved,
      .relationshipBecameTransient:
      true
    default: false
    }
  }

  fileprivate var concernsStoredData: Bool {
    switch self {
    case .attributeDefaultChanged, .relationshipRulesChanged, .versionChanged,
      .entityBecameConcrete:
      false
    default: true
    }
  }

  fileprivate var words: String {
    switch self {
    case .entityAdded: "add entity"
    case .entityRemoved: "remove entity"
    case .entityRenamed: "rename entity"
    case .entityMoved: "move entity"
    case .entityBecameAbstract: "make abstract the entity"
    case .entityBecameConcrete: "make concrete the entity"
    case .attributeAdded: "add attribute"
    case .attributeRemoved: "remove attribute"
    case .attributeRenamed: "rename attribute"
    case .attributeMoved: "move attribute"
    case .attributeTypeChanged: "change the type of"
    case .attributeBecameRequired: "require a value of"
    case .attributeBecameOptional: "make optional"
    case .attributeBecameTransient: "store no more"
    case .attributeBecameStored: "store from now on"
    case .attributeComputed: "compute for all records"
    case .attributeNoLongerDerived: "compute no more"
    case .attributeStorageChanged: "change the storage of"
    case .attributeDefaultChanged: "change the default of"
    case .relationshipAdded: "add relationship"
    case .relationshipRemoved: "remove relationship"
    case .relationshipRenamed: "rename relationship"
    case .relationshipMoved: "move relationship"
    case .relationshipBecameToMany: "make to-many"
    case .relationshipOrderChanged: "change the order of"
    case .relationshipDestinationChanged: "change the destination of"
    case .relationshipInverseChanged: "change the inverse of"
    case .relationshipBecameTransient: "store no more"
    case .relationshipBecameStored: "store from now on"
    case .relationshipRulesChanged: "change the rules of"
    case .constraintAdded: "make unique"
    case .constraintRemoved: "allow duplicates of"
    case .versionChanged: "change the version of"
    }
  }
}

extension ModelChange: CustomStringConvertible {
  /// The change in one line, such as `rename attribute Person.fullName, which was name`.
  public var description: String {
    let place = key.map { "\(entityName).\($0)" } ?? entityName
    let loss = isLossy ? " (loses data)" : ""
    return "\(kind.words) \(place)" + (detail.map { ", \($0)" } ?? "") + loss
  }
}

extension ModelChange: Comparable {
  /// Orders changes by entity, then by the order in ``Kind``, then by property.
  public static func < (left: ModelChange, right: ModelChange) -> Bool {
    let entities = UTF8Order.compare(left.entityName, right.entityName)
    if entities != 0 { return entities < 0 }
    if left.kind != right.kind { return left.kind.position < right.kind.position }
    let keys = UTF8Order.compare(left.key ?? "", right.key ?? "")
    if keys != 0 { return keys < 0 }
    return UTF8Order.isLess(left.detail ?? "", right.detail ?? "")
  }
}

extension ModelChange.Kind {
  private static let positions = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

  fileprivate var position: Int { Self.positions[self] ?? 0 }
}

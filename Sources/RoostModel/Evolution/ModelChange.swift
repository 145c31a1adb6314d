// SPDX-License-Identifier: Apache-2.0

/// One difference between two versions of a model.
///
/// ```swift
/// for change in difference.changes where change.isLossy { print("loses data: \(change)") }
/// ```
public struct ModelChange: Sendable, Hashable {
  /// What is different.
  public let kind: Kind
  /// The entity's name in the new version; for what is removed with its entity, in the old one.
  public let entityName: String
  /// The property's name in the new version, in the old one when it is removed; the element of a composite has a dot in
  /// it: `address.city`. For a constraint the names of its properties. nil for a change of the entity itself.
  public let key: String?
  /// What is to be known besides, as the former name or the two types; nil when the kind says it all.
  public let detail: String?
  /// Whether stored values or links may go.
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

  /// Whether records or their tables are touched; false for what only the program notices, such as a delete rule.
  public var concernsStoredData: Bool { kind.concernsStoredData }

  /// Whether the change is refused by a store that has records of the entity: an entity that becomes abstract.
  public var requiresNoRecords: Bool { kind == .entityBecameAbstract }
}

extension ModelChange {
  /// The kinds of differences, in the order in which those of an entity are listed.
  ///
  /// ```swift
  /// let renamed = difference.changes.filter { $0.kind == .attributeRenamed }
  /// ```
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An entity is new.
    case entityAdded
    /// An entity is gone, with its records.
    case entityRemoved
    /// An entity has another name.
    case entityRenamed
    /// An entity has another superentity, or one more or one less above it.
    case entityMoved
    /// An entity has no instances of its own any more.
    case entityBecameAbstract
    /// An entity may have instances of its own now.
    case entityBecameConcrete
    /// An attribute is new; records get its default.
    case attributeAdded
    /// An attribute is gone, with its values.
    case attributeRemoved
    /// An attribute has another name.
    case attributeRenamed
    /// An attribute is declared by another entity of the hierarchy.
    case attributeMoved
    /// An attribute has another type, or stands in a composite or no longer does.
    case attributeTypeChanged
    /// An attribute must have a value now; nil becomes the default.
    case attributeBecameRequired
    /// An attribute may be nil now.
    case attributeBecameOptional
    /// An attribute is stored no more.
    case attributeBecameTransient
    /// An attribute is stored now; records get its default.
    case attributeBecameStored
    /// A derived attribute is new as such or computed otherwise: it is computed for all records.
    case attributeComputed
    /// A derived attribute is one that the program sets now; values stay.
    case attributeNoLongerDerived
    /// An attribute may be stored outside of the record now, or no more.
    case attributeStorageChanged
    /// New objects get another value.
    case attributeDefaultChanged
    /// A relationship is new.
    case relationshipAdded
    /// A relationship is gone, with its links.
    case relationshipRemoved
    /// A relationship has another name.
    case relationshipRenamed
    /// A relationship is declared by another entity of the hierarchy.
    case relationshipMoved
    /// A relationship to one is one to many now.
    case relationshipBecameToMany
    /// A relationship to many is ordered now, or no more.
    case relationshipOrderChanged
    /// A relationship leads to another entity, whose instances its destinations are, too.
    case relationshipDestinationChanged
    /// A relationship has another inverse, or one where it had none.
    case relationshipInverseChanged
    /// A relationship is stored no more.
    case relationshipBecameTransient
    /// A relationship is stored now.
    case relationshipBecameStored
    /// Other rules hold for a relationship: how many destinations it must have, what a deletion does.
    case relationshipRulesChanged
    /// Values must be unique that need not be before; duplicates refuse the migration.
    case constraintAdded
    /// Values need not be unique any more.
    case constraintRemoved
    /// The text that changes a version hash is another one, or what the history keeps of deleted objects.
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
  /// The change in a line, as `rename attribute Person.fullName, which was name`.
  public var description: String {
    let place = key.map { "\(entityName).\($0)" } ?? entityName
    let loss = isLossy ? " (loses data)" : ""
    return "\(kind.words) \(place)" + (detail.map { ", \($0)" } ?? "") + loss
  }
}

extension ModelChange: Comparable {
  /// The order of a list of changes: by entity, then as ``Kind`` lists them, then by property.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Describes a relationship: its destination entity, its cardinality and its inverse.
///
/// A relationship is to-one exactly when ``maxCount`` is 1; 0 means any number.
///
/// ```swift
/// let people = RelationshipDescription(name: "people", destination: person, maxCount: 0)
/// let department = RelationshipDescription(name: "department", destination: office, maxCount: 1)
/// people.inverseRelationship = department
/// department.inverseRelationship = people
/// ```
public final class RelationshipDescription: PropertyDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// The entity of the destinations, including its subentities.
  @exclusivity(unchecked) public var destinationEntity: EntityDescription? {
    willSet {
      willChange()
      formerLink = nil
    }
  }
  /// The inverse relationship, usually one that names this one as its inverse: then a change of one side updates the
  /// other.
  ///
  /// Where it names a third one as its inverse (which models made with Xcode may contain), it has no effect except on
  /// the version hash: the two relationships are independent of each other.
  @exclusivity(unchecked) public var inverseRelationship: RelationshipDescription? {
    willSet {
      willChange()
      formerLink = nil
    }
  }
  /// The minimum number of destinations, checked when there are any or the relationship is not optional.
  @exclusivity(unchecked) public var minCount = 0 { willSet { willChange() } }
  /// The maximum number of destinations; 1 makes the relationship to-one, 0 means any number.
  @exclusivity(unchecked) public var maxCount = 0 { willSet { willChange() } }
  /// The effect of deleting the source on the destinations; ``DeleteRule/nullify`` unless set.
  @exclusivity(unchecked) public var deleteRule = DeleteRule.nullify { willSet { willChange() } }
  /// Whether the destinations are ordered; false unless set.
  @exclusivity(unchecked) public var isOrdered = false { willSet { willChange() } }
  /// Whether source and destination may be saved in different stores; false unless set.
  ///
  /// Setting it on one of two inverse relationships is enough. Otherwise a save that would relate objects of
  /// different stores is refused with `externalRelationship`. It is not part of the version hash: a model can enable
  /// it later, and the stores need no migration.
  ///
  /// ```swift
  /// album.mayCrossStores = true
  /// ```
  @exclusivity(unchecked) package var mayCrossStores = false { willSet { willChange() } }

  /// The destination and the inverse at the time when the model was deallocated.
  var formerLink: FormerLink?
  /// Keeps the destination alive after the model was deallocated.
  var remains: ManagedObjectModel?
  @exclusivity(unchecked) var compiledOrdinal: Int?
  @exclusivity(unchecked) var compiledStorage: RelationshipStorage?

  /// Makes a relationship without a name that belongs to no entity yet.
  public init() {
    super.init(name: "")
  }

  /// Makes a relationship that belongs to no entity yet.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - destination: The entity of the destinations.
  ///   - maxCount: 1 for a to-one relationship, 0 for any number.
  @_disfavoredOverload
  package init(name: String = "", destination: EntityDescription? = nil, maxCount: Int = 0) {
    destinationEntity = destination
    self.maxCount = maxCount
    super.init(name: name)
  }

  deinit { releaseRemains() }

  /// Whether there can be more than one destination.
  public var isToMany: Bool { maxCount != 1 }

  /// The relationship's index among those of its entity, those of superentities first, when the model is in use.
  public var ordinal: Int {
    guard let compiledOrdinal else {
      preconditionFailure("The ordinal of a relationship is known once its model is in use.")
    }
    return compiledOrdinal
  }

  /// Where the destinations are kept, when the model is in use.
  public var storage: RelationshipStorage {
    guard let compiledStorage else {
      preconditionFailure("The storage of a relationship is known once its model is in use.")
    }
    return compiledStorage
  }

  // Access for other modules to a model in use, whose properties cannot change any more.

  /// The inverse that is kept consistent with this relationship; nil unless the two name each other.
  package var maintainedInverse: RelationshipDescription? {
    guard let inverse = inverseRelationship, inverse.inverseRelationship === self else {
      return nil
    }
    return inverse
  }
  /// Whether source and destination may be in different stores, by the setting of either side.
  package var leadsAcrossStores: Bool {
    mayCrossStores || maintainedInverse?.mayCrossStores ?? false
  }
  /// The destinations' entity, of a model in use.
  package var fixedDestination: EntityDescription? { destinationEntity }
  /// Whether there can be more than one destination, of a model in use.
  package var leadsToMany: Bool { maxCount != 1 }

  override func makeVersionHash() -> Data {
    VersionHash.relationship(self)
  }

  override func makeCopy() -> PropertyDescription {
    let copy = RelationshipDescription(
      name: name, destination: destinationEntity, maxCount: maxCount)
    copy.inverseRelationship = inverseRelationship
    copy.formerLink = formerLink
    copy.minCount = minCount
    copy.deleteRule = deleteRule
    copy.isOrdered = isOrdered
    copy.mayCrossStores = mayCrossStores
    return copy
  }
}

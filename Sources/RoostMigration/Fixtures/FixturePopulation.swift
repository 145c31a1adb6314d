// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// Fills an empty store with a few objects of every concrete entity, the same ones each time.
struct FixturePopulation {
  let model: ManagedObjectModel
  let context: ManagedObjectContext
  /// Why an object of an entity was left out, by the name of the entity; the first reason of each.
  private var reasons: [String: String] = [:]
  private var made: Set<String> = []

  private static let usualCount = 3
  private static let largestCount = 200

  init(_ model: ManagedObjectModel, _ context: ManagedObjectContext) {
    self.model = model
    self.context = context
  }

  /// The entities without objects, each with the reason.
  var missing: [String: String] { reasons.filter { !made.contains($0.key) } }

  /// Makes the objects, and saves them. Objects without valid values or destinations are left out.
  mutating func make() throws {
    let counts = counts()
    var objects: [ManagedObject] = []
    for entity in Self.concreteEntities(of: model) {
      let name = entity.name ?? ""
      for index in 0..<counts[name, default: Self.usualCount] {
        let object = try EntityDescription.insertNewObject(forEntityName: name, into: context)
        objects.append(object)
        // The third object has only required values, like many records of a program in use.
        try FixtureValues(number: objects.count).fill(object, isSparse: index == 2)
      }
    }
    // With few allowed values, two that must differ may be equal: such an object is removed before others are linked
    // to it.
    objects = try pruned(objects, validates: false)
    var links = FixtureLinks(objects)
    try links.link(model)
    objects = try pruned(objects, validates: true)
    made = Set(objects.compactMap(\.entity.name))
    try context.save()
  }

  static func concreteEntities(of model: ManagedObjectModel) -> [EntityDescription] {
    model.entities.filter { !$0.isAbstract }
      .sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
  }

  /// Removes the objects that break a rule, repeatedly, until none does.
  private mutating func pruned(
    _ objects: [ManagedObject], validates: Bool
  ) throws -> [ManagedObject] {
    var objects = objects
    while true {
      var kept: [ManagedObject] = []
      var unique = UniqueValues()
      for object in objects {
        do {
          if validates { try object.validateForInsert() }
          try unique.insert(object)
          kept.append(object)
        } catch {
          let name = object.entity.name ?? ""
          reasons[name] = reasons[name] ?? Self.reason(error)
          try remove(object)
        }
      }
      guard kept.count < objects.count else { return kept }
      objects = kept
    }
  }

  /// Returns the message of a validation error; of several errors, all messages.
  private static func reason(_ error: any Error) -> String {
    let error = PersistenceError.wrapping(error)
    guard !error.underlyingErrors.isEmpty else { return error.message }
    return error.underlyingErrors.map(\.message).joined(separator: " ")
  }

  /// Deletes an object after its relationships are emptied, so that no delete rule affects others.
  private func remove(_ object: ManagedObject) throws {
    for relationship in object.entity.relationshipsInOrder {
      let nothing: [ManagedObject]? = relationship.isToMany ? [] : nil
      try object.setValue(nothing, forKey: relationship.name)
    }
    context.delete(object)
  }

  // MARK: - Numbers of objects

  /// Returns the number of objects of each concrete entity, by name: more than a few where a relationship requires
  /// many destinations.
  private func counts() -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in Self.concreteEntities(of: model) {
      counts[entity.name ?? ""] = Self.usualCount
    }
    let demands = model.entities.flatMap(\.declaredProperties)
      .compactMap { $0 as? RelationshipDescription }
      .filter { !$0.isOptional || $0.minCount > 0 }
    // Requirements of one relationship may raise those of another; the numbers only grow.
    for _ in 0...demands.count {
      let before = counts
      for relationship in demands { raise(&counts, for: relationship) }
      if counts == before { break }
    }
    return counts
  }

  private func raise(_ counts: inout [String: Int], for relationship: RelationshipDescription) {
    guard let owner = relationship.entity, let destination = relationship.destinationEntity else {
      return
    }
    let least = max(relationship.minCount, 1)
    let room = relationship.inverseRelationship?.maxCount ?? 0
    var needed = least + (owner.rootEntity === destination.rootEntity ? 1 : 0)
    if room > 0 {
      let sources = total(owner, counts)
      needed = max(needed, (least * sources + room - 1) / room)
    }
    let gap = needed - total(destination, counts)
    guard gap > 0, let name = Self.members(destination).first?.name else { return }
    counts[name] = min(counts[name, default: 0] + gap, Self.largestCount)
  }

  private func total(_ entity: EntityDescription, _ counts: [String: Int]) -> Int {
    Self.members(entity).reduce(0) { $0 + counts[$1.name ?? "", default: 0] }
  }

  /// The entity and its subentities, without the abstract ones.
  private static func members(_ entity: EntityDescription) -> [EntityDescription] {
    entity.concreteEntities.sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
  }
}

/// The values of the uniqueness constraints of objects that were made.
private struct UniqueValues {
  private var known: Set<[String]> = []

  /// Records the unique values of an object.
  ///
  /// - Throws: `managedObjectConstraintMerge` when another object has the same values.
  mutating func insert(_ object: ManagedObject) throws {
    for constraint in object.entity.allUniquenessConstraints {
      var owner = object.entity
      while let parent = owner.superentity, parent.allUniquenessConstraints.contains(constraint) {
        owner = parent
      }
      var values = [owner.name ?? "", constraint.joined(separator: ",")]
      for key in constraint {
        guard let value = try value(key, of: object) else { break }
        values.append(value)
      }
      // Nothing is like nothing else.
      guard values.count == constraint.count + 2 else { continue }
      guard known.insert(values).inserted else {
        throw PersistenceError(
          .managedObjectConstraintMerge,
          "No two values were found for \(constraint.joined(separator: ", ")) that differ.",
          entityName: object.entity.name)
      }
    }
  }

  private func value(_ key: String, of object: ManagedObject) throws -> String? {
    if object.entity.relationshipsByName[key] != nil {
      let destination = try object.value(forKey: key) as? ManagedObject
      return destination.map { "\(ObjectIdentifier($0))" }
    }
    let value = try object.exchangeValue(forKey: key)
    return value.isNull ? nil : "\(value)"
  }
}

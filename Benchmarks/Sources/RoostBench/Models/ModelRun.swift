// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Measures a custom model on a store, with made-up data. There is no baseline, because no program without a
/// framework exists for this model. The data read must be the same on every store.
struct ModelRun {
  let engine: any Engine
  let makeModel: () throws -> ManagedObjectModel
  let objects: Int

  /// Returns the milliseconds of each work, and the checksum of the data read.
  func run() throws -> (times: [ModelWork: Double], checksum: Checksum) {
    let description = try engine.storeDescription
    try description.type.driver.destroy(description)
    let container = try PersistentContainer(
      name: "model", model: makeModel(), stores: [description])
    try container.loadPersistentStores()
    defer {
      let coordinator = container.persistentStoreCoordinator
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
      try? description.type.driver.destroy(description)
    }
    let entities = container.managedObjectModel.entities.filter { !$0.isAbstract }
    var times: [ModelWork: Double] = [:]
    var checksum = Checksum()
    for work in ModelWork.allCases {
      let context = container.newBackgroundContext()
      let meter = Meter()
      try meter.measure {
        switch work {
        case .insert: try insert(context)
        case .read: checksum = try read(context, entities)
        case .follow: try follow(context, entities, &checksum)
        case .change: try change(context, entities)
        case .delete: try delete(context, entities)
        }
      }
      times[work] = withExtendedLifetime(context) { meter.milliseconds }
    }
    return (times, checksum)
  }

  private func insert(_ context: ManagedObjectContext) throws {
    guard let coordinator = context.persistentStoreCoordinator else { return }
    try MadeUpGraph(model: coordinator.managedObjectModel, objects: objects).make(in: context)
    do {
      try context.save()
    } catch let error as PersistenceError {
      let first = error.underlyingErrors.first ?? error
      throw BenchError("The made-up data does not satisfy the model: \(first)")
    }
  }

  private func all(
    _ entity: EntityDescription, _ context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entity: entity)
    request.includesSubentities = false
    return try context.fetch(request)
  }

  private func read(
    _ context: ManagedObjectContext, _ entities: [EntityDescription]
  ) throws -> Checksum {
    var sum = Checksum()
    for entity in entities {
      let names = entity.attributesInOrder.filter { !$0.isTransient && $0.type != .composite }
        .map(\.name)
      for object in try all(entity, context) {
        for name in names { sum.add(try object.exchangeValue(forKey: name)) }
      }
    }
    return sum
  }

  private func follow(
    _ context: ManagedObjectContext, _ entities: [EntityDescription], _ sum: inout Checksum
  ) throws {
    for entity in entities {
      let names = entity.relationshipsInOrder.filter { !$0.isToMany && !$0.isTransient }.map(\.name)
      for object in try all(entity, context) {
        for name in names where try object.value(forKey: name) != nil { sum.add(1) }
      }
    }
  }

  private func change(_ context: ManagedObjectContext, _ entities: [EntityDescription]) throws {
    for entity in entities {
      let constrained = Set(entity.allUniquenessConstraints.flatMap { $0 })
      let attribute = entity.attributesInOrder.first {
        !$0.isTransient && !($0 is DerivedAttributeDescription) && !constrained.contains($0.name)
          && MadeUpValue.value($0, 0) != nil
      }
      guard let attribute else { continue }
      let objects = try all(entity, context)
      for (index, object) in objects.enumerated() where index.isMultiple(of: 10) {
        let value = MadeUpValue.value(attribute, objects.count + index)
        if let value { try object.setValue(value.anyValue, forKey: attribute.name) }
      }
    }
    try context.save()
  }

  private func delete(_ context: ManagedObjectContext, _ entities: [EntityDescription]) throws {
    for entity in entities where !entity.relationshipsInOrder.contains(where: isHeldFast) {
      for (index, object) in try all(entity, context).enumerated() where index.isMultiple(of: 10) {
        context.delete(object)
      }
    }
    try context.save()
  }

  /// Returns whether the relationship prevents the deletion of objects while others refer to them.
  private func isHeldFast(_ relationship: RelationshipDescription) -> Bool {
    if relationship.deleteRule == .deny { return true }
    return relationship.deleteRule == .nullify
      && relationship.inverseRelationship?.isOptional == false
  }
}

extension Checksum {
  /// Adds a value of any type.
  fileprivate mutating func add(_ value: Value) {
    switch value {
    case .null: break
    case .integer(let number): add(Int(number))
    case .double(let number): add(number)
    case .boolean(let truth): add(truth ? 1 : 0)
    case .string(let text): add(text)
    case .date(let date): add(date.timeIntervalSinceReferenceDate)
    case .data(let data): add(data.count)
    case .uuid(let uuid): add(uuid.uuid)
    case .uri(let url): add(url.absoluteString)
    case .decimal(let number): add(number.description)
    case .objectID, .transformable, .list, .composite: add(1)
    }
  }
}

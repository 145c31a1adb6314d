// SPDX-License-Identifier: Apache-2.0

import Roost

/// The versions of the workloads' model that a store goes through, each with all changes of those before it.
enum BenchVersions {
  /// The model after a change, and those before.
  static func model(after work: EvolutionWork?) throws -> ManagedObjectModel {
    let model = try BenchModel.make()
    // The classes of the workloads are those of the first version.
    for entity in model.entities {
      entity.managedObjectClass = nil
      entity.managedObjectClassName = "ManagedObject"
    }
    guard let work, let person = model.entitiesByName["Person"] else { return model }
    for change in [EvolutionWork.add, .rename, .remove, .toMany, .mapped, .policy] {
      apply(change, to: person)
      if change == work { break }
    }
    return model
  }

  private static func apply(_ change: EvolutionWork, to person: EntityDescription) {
    switch change {
    case .unchanged, .plan, .epoch, .online, .onlineSaves, .onlineLongest: break
    case .add:
      let grade = AttributeDescription(name: "grade", type: .integer64)
      grade.defaultValue = 1 as Int64
      grade.isOptional = false
      person.properties.append(grade)
    case .rename: rename("bio", of: person, to: "biography")
    case .remove: person.properties.removeAll { $0.name == "biography" }
    case .toMany:
      guard let department = person.relationshipsByName["department"] else { return }
      department.maxCount = 0
      rename("department", of: person, to: "departments")
    case .mapped: rename("name", of: person, to: "fullName")
    case .policy: rename("fullName", of: person, to: "title")
    }
  }

  private static func rename(_ name: String, of entity: EntityDescription, to new: String) {
    guard let property = entity.properties.first(where: { $0.name == name }) else { return }
    property.renamingIdentifier = name
    property.name = new
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel

/// A version of the model of the walks: the changes of its migrations.
struct GardenVersion: Equatable {
  /// The attributes that were added later, by their identities.
  private(set) var late: [String: Late] = [:]
  private var nextIdentity = 1
  private var indexed: Set<String> = []
  private var isUnique = false
  private var hasShed = false

  /// An attribute that a migration has added. Its name is one of few, so that a name comes back for another one.
  struct Late: Equatable {
    let entity: String
    /// The attribute of the first version that takes the same values.
    let kind: String
    var name: String
    /// The value of records without one; nil for an optional attribute without a default.
    var standard: ExactValue?
  }

  private static let names = ["first", "second", "third", "fourth", "fifth"]
  private static let kinds = [
    "number", "name", "ratio", "flag", "moment", "amount", "badge", "small",
  ]

  /// The identities of the late attributes of an entity, ascending.
  func lateKeys(of entity: String) -> [String] {
    let owner = entity == "Leaf" ? "Node" : entity
    return late.filter { $0.value.entity == owner }.keys.sorted()
  }

  /// The name that an attribute has in this version.
  func name(of key: String) -> String { late[key]?.name ?? key }

  /// The values that an attribute takes.
  func values(of key: String) -> [Value] {
    guard let attribute = late[key] else { return GardenModel.values(of: key) }
    let values = GardenModel.values(of: attribute.kind)
    return attribute.standard == nil ? values : values.filter { !$0.isNull }
  }

  func makeModel() -> ManagedObjectModel {
    var sketch = GardenModel.sketch()
    for (key, attribute) in late.sorted(by: { $0.key < $1.key }) {
      let type = GardenModel.type(of: attribute.kind)
      let description = AttributeDescription.of(
        attribute.name, type, optional: attribute.standard == nil,
        default: attribute.standard?.value ?? .null)
      description.renamingIdentifier = key
      sketch[attribute.entity].declaredProperties.append(description)
    }
    if isUnique {
      for entity in ["Node", "Group", "Tag"] { sketch[entity].uniquenessConstraints = [["serial"]] }
    }
    if hasShed { sketch.add("Shed", [.string("name"), .integer("number")]) }
    sketch["Node"].indexes = indexed.sorted().map { key in
      FetchIndexDescription(
        name: "by_\(key)", elements: [FetchIndexElementDescription(propertyName: key)])
    }
    return sketch.make()
  }

  // MARK: - Changing

  /// Makes the difference that a step chooses, if there is something to be changed so.
  mutating func change(_ step: WalkStep) {
    let keys = late.keys.sorted()
    let key = keys.isEmpty ? nil : keys[step.second % keys.count]
    switch step.first % 10 {
    case 0, 1, 2: add(step)
    case 3: if let key { late[key] = nil }
    case 4: if let key { rename(key, step.third) }
    case 5: if let key { exchange(key, step.third) }
    case 6, 7: if let key { require(key, step.third) }
    case 8: indexed.formSymmetricDifference([["number", "name", "moment"][step.second % 3]])
    default: if step.second % 2 == 0 { isUnique.toggle() } else { hasShed.toggle() }
    }
  }

  private func freeNames(_ entity: String) -> [String] {
    let taken = Set(late.values.filter { $0.entity == entity }.map(\.name))
    return Self.names.filter { !taken.contains($0) }
  }

  private mutating func add(_ step: WalkStep) {
    let entity = ["Node", "Group", "Tag"][step.second % 3]
    let free = freeNames(entity)
    guard free.count > 1 else { return }
    let kind = Self.kinds[step.third % Self.kinds.count]
    late["late\(nextIdentity)"] = Late(
      entity: entity, kind: kind, name: free[step.second / 3 % free.count],
      standard: step.third / 8 % 2 == 0 ? nil : Self.standard(kind, step.third / 16))
    nextIdentity += 1
  }

  private mutating func rename(_ key: String, _ number: Int) {
    guard let attribute = late[key] else { return }
    let free = freeNames(attribute.entity)
    if !free.isEmpty { late[key]?.name = free[number % free.count] }
  }

  /// Gives two attributes the names of each other.
  private mutating func exchange(_ key: String, _ number: Int) {
    guard let attribute = late[key] else { return }
    let others = lateKeys(of: attribute.entity).filter { $0 != key }
    guard !others.isEmpty else { return }
    let other = others[number % others.count]
    guard let name = late[other]?.name else { return }
    late[other]?.name = attribute.name
    late[key]?.name = name
  }

  /// Makes an optional attribute required, with a value for records without one, or a required one optional.
  private mutating func require(_ key: String, _ number: Int) {
    guard let attribute = late[key] else { return }
    late[key]?.standard =
      attribute.standard == nil ? Self.standard(attribute.kind, number) : nil
  }

  private static func standard(_ kind: String, _ number: Int) -> ExactValue {
    let values = GardenModel.values(of: kind).filter { !$0.isNull }
    return ExactValue(values[number % values.count])
  }

  // MARK: - Records

  /// Gives a new record of this version its default values.
  func fill(_ record: inout OracleState.Record) {
    for key in lateKeys(of: record.entity) {
      if let standard = late[key]?.standard, record.value(key).isNull {
        record.set(key, standard.value)
      }
    }
  }

  /// Migrates records to this version: removes the values of removed attributes, and fills missing values.
  func migrate(_ state: inout OracleState) {
    for serial in state.all {
      guard var record = state.records[serial] else { continue }
      for key in record.values.keys where key.hasPrefix("late") && late[key] == nil {
        record.set(key, .null)
      }
      fill(&record)
      state.records[serial] = record
    }
  }
}

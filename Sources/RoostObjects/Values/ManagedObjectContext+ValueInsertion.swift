// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel

extension ManagedObjectContext {
  /// Writes values as records in one batch request, without creating objects.
  ///
  /// - Parameters:
  ///   - rows: The values.
  ///   - constraint: The properties that identify the record of a row; nil for those of any uniqueness constraint.
  /// - Returns: The records, in the order of the rows.
  package func insert<Values: EntityValues>(
    _ rows: some Sequence<Values>, by constraint: [String]?
  ) throws -> [ObjectID] {
    checkQueue()
    let insertion = try ValueInsertion(Values._Object.self, by: constraint, in: self)
    let batch = try insertion.batch(of: rows)
    return try fetcher.batch { try $0.insert(batch) }.objectIDs
  }
}

/// Converts values of a class to rows.
private struct ValueInsertion {
  private let context: ManagedObjectContext
  private let entity: EntityDescription
  private let constraint: Set<String>?
  /// The attributes that have slots, each with its place in the values: the number of the property, and for an element
  /// of a composite its index among the elements.
  private let attributes: [(number: Int, element: Int?, description: AttributeDescription)]

  init(
    _ objectClass: ManagedObject.Type, by constraint: [String]?, in context: ManagedObjectContext
  ) throws {
    let model = try context.fetcher.requiredModel()
    guard let entity = model.entity(forClass: ObjectIdentifier(objectClass)) else {
      throw PersistenceError(
        .unknownEntity,
        "The model of the context has no entity, or several, for the class \(objectClass).")
    }
    guard !entity.isAbstract else {
      throw PersistenceError(
        .abstractEntity, "\(entity.name ?? "") is abstract.", entityName: entity.name)
    }
    let plan = ValuePlan.plan(of: objectClass)
    if let constraint { try Self.check(constraint, of: entity, plan) }
    self.context = context
    self.entity = entity
    self.constraint = constraint.map(Set.init)
    attributes = try plan.attributes.flatMap { attribute in
      let description = try entity.batchAttribute(named: attribute.name)
      guard let composite = attribute.declaration.composite else {
        return [(attribute.number, nil as Int?, description)]
      }
      return composite.leaves.enumerated().compactMap { index, leaf in
        description.element(along: leaf.path[...]).map { (attribute.number, index, $0) }
      }
    }
  }

  func batch(of rows: some Sequence<some EntityValues>) throws -> BatchInsert {
    var batch = BatchInsert(entity: entity, affectedStores: nil, origin: context.origin)
    batch.constraint = constraint
    let binding = EntityBinding.binding(of: entity)
    let slots = attributes.flatMap(\.description.slots)
    for values in rows {
      let record = BatchInsert.Record(row: binding.defaults.copy(), slots: slots)
      for (number, element, attribute) in attributes {
        let value = values._list.values[number].value(ofElement: element)
        for part in try attribute.parts(of: ValueCheck.check(value, for: attribute)) {
          try record.row.setValue(part.value, at: part.slot)
        }
      }
      batch.records.append(record)
    }
    return batch
  }

  /// Throws when there is no uniqueness constraint on these properties, or when the values do not include them.
  private static func check(
    _ names: [String], of entity: EntityDescription, _ plan: ValuePlan
  ) throws {
    let constraints = entity.allUniquenessConstraints
    if let other = names.first(where: { name in !plan.attributes.contains { $0.name == name } }) {
      throw PersistenceError(
        .invalidRequest,
        "Values tell records apart by their attributes; “\(other)” is none that they have.",
        entityName: entity.name, key: other)
    }
    guard !constraints.contains(where: { Set($0) == Set(names) }) else { return }
    let list = names.map { "“\($0)”" }.joined(separator: ", ")
    let known = constraints.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")
    throw PersistenceError(
      .invalidRequest,
      "“\(entity.name ?? "")” has no uniqueness constraint of \(list)"
        + (known.isEmpty ? "." : "; it has \(known)."),
      entityName: entity.name, key: names.first
    ).remedied(
      by: names.count == 1
        ? "Write “@Attribute(.unique)” before the property."
        : "Name the properties in “@Entity(uniqueness:)”.")
  }
}

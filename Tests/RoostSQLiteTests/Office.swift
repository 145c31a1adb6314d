// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQLite
import RoostStore

/// A store of the office model in a temporary folder, which is removed with it.
final class Office {
  let names: OfficeModel
  let folder: URL
  let description: PersistentStoreDescription
  private(set) var store: any PersistentStore

  init(inMemory: Bool = false, onFaultyDisk: Bool = false) throws {
    names = try OfficeModel()
    let name = (onFaultyDisk ? FaultyDisk.mark : "roost") + "-\(UUID().uuidString)"
    folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var description = PersistentStoreDescription.sqlite(
      at: inMemory ? "/dev/null" : folder.appending(path: "office.sqlite").path)
    description.timeout = 60
    description.log = StoreLog()
    self.description = description
    store = try Self.open(description, names)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Opens a store and prepares it, as the coordinator does.
  static func open(
    _ description: PersistentStoreDescription, _ names: OfficeModel
  ) throws -> any PersistentStore {
    let store = try description.type.driver.open(description)
    var metadata = store.metadata
    metadata.entityCodes = names.codes
    try store.prepare(names.schema(store.identity), metadata: metadata)
    return store
  }

  /// Closes the store and opens it again.
  func reopen() throws {
    store.close()
    store = try Self.open(description, names)
  }

  /// Opens another store on the same file.
  func second(_ change: (inout PersistentStoreDescription) -> Void = { _ in }) throws
    -> any PersistentStore
  {
    var description = description
    change(&description)
    return try Self.open(description, names)
  }
}

// MARK: - Rows

extension Office {
  /// Returns a new row with values by name, under a new key.
  func row(_ entity: EntityDescription, _ values: [String: Value] = [:]) throws -> Row {
    let sequence = try store.reserveSequences(1).lowerBound
    let key = RecordKey.make(sequence: sequence, entityCode: names.codes[entity.name ?? ""] ?? 0)
    return Row(layout: entity.layout, key: key, version: 1).setting(values)
  }

  /// Writes new rows.
  func insert(_ rows: [Row]) throws {
    guard case .committed = try store.commit(StoreChangeSet(inserted: rows)) else {
      throw PersistenceError(.persistentStoreSave, "The rows were refused.")
    }
  }

  /// Writes one new row.
  @discardableResult
  func insert(_ entity: EntityDescription, _ values: [String: Value] = [:]) throws -> Row {
    let row = try row(entity, values)
    try insert([row])
    return row
  }

  /// Returns a change of a row that sets values by name.
  func update(_ row: Row, _ values: [String: Value]) -> RowUpdate {
    let changed = row.copy(version: row.version + 1).setting(values)
    let slots = values.keys.compactMap { row.layout.slot(named: $0)?.index }.sorted()
    return RowUpdate(row: changed, baseVersion: row.version, changedSlots: slots)
  }

  /// Returns a request for rows.
  func request(
    _ entity: EntityDescription, where predicate: ResolvedPredicate? = nil,
    sort: [ResolvedSort] = [], limit: Int? = nil, offset: Int = 0,
    result: ResolvedFetch.Result = .rows
  ) -> ResolvedFetch {
    ResolvedFetch(
      entity: entity, entities: entity.concreteEntities, predicate: predicate, sort: sort,
      limit: limit, offset: offset, result: result)
  }

  /// Returns the rows that the store itself finds for a request.
  func rows(
    _ request: ResolvedFetch, in context: FetchContext = FetchContext()
  ) throws -> [Row] {
    let result = try store.fetch(request, in: context)
    guard case .rows(let rows) = result.content, result.remainder == nil else {
      throw PersistenceError(.persistentStoreOperation, "\(result.plan)")
    }
    return rows
  }

  /// Returns all rows of an entity.
  func all(_ entity: EntityDescription) throws -> [Row] {
    try rows(request(entity))
  }
}

extension Row {
  /// Sets values by name, and returns the row.
  func setting(_ values: [String: Value]) -> Row {
    for (name, value) in values {
      guard let slot = layout.slot(named: name) else { preconditionFailure("No slot \(name).") }
      switch value {
      case .null: setNull(slot)
      case .integer(let number): setInteger(number, at: slot)
      case .boolean(let truth): setInteger(truth ? 1 : 0, at: slot)
      case .double(let number): setDouble(number, at: slot)
      case .date(let date): setDouble(date.timeIntervalSinceReferenceDate, at: slot)
      case .string(let text): setString(text, at: slot)
      case .data(let data): setData(data, at: slot)
      case .uuid(let uuid): setUUID(uuid, at: slot)
      case .uri(let url): setURI(url, at: slot)
      case .decimal(let number): setDecimal(number, at: slot)
      case .objectID(let id): setInteger(id.key, at: slot)
      case .transformable(let object): setTransformable(object, at: slot)
      case .list, .composite: preconditionFailure("No slot holds a list.")
      }
    }
    return self
  }

  /// Returns the value of a string slot by name.
  func text(_ name: String) -> String? {
    guard let slot = layout.slot(named: name), !isNull(slot) else { return nil }
    return string(slot)
  }

  /// Returns the value of an integer slot by name.
  func number(_ name: String) -> Int64? {
    guard let slot = layout.slot(named: name), !isNull(slot) else { return nil }
    return integer(slot)
  }
}

extension EntityDescription {
  /// Returns the path to an attribute of the entity itself.
  func path(_ name: String) -> ResolvedExpression {
    .path(attributePath(name))
  }

  /// Returns the path to an attribute, through relationships.
  func attributePath(_ names: String..., root: ResolvedPath.Root = .object) -> ResolvedPath {
    var entity = self
    var relationships: [RelationshipDescription] = []
    for name in names.dropLast() {
      guard let relationship = entity.relationshipsInOrder.first(where: { $0.name == name }),
        let destination = relationship.destinationEntity
      else { preconditionFailure("No relationship \(name).") }
      relationships.append(relationship)
      entity = destination
    }
    let last = names[names.count - 1]
    guard let attribute = entity.attributesInOrder.first(where: { $0.name == last }),
      let slot = attribute.slot
    else { preconditionFailure("No attribute \(last).") }
    return ResolvedPath(
      root: root, relationships: relationships, end: .attribute(attribute, slot))
  }

  /// Returns the path to a related object, or to the object itself.
  func objectPath(_ names: String..., root: ResolvedPath.Root = .object) -> ResolvedPath {
    var entity = self
    var relationships: [RelationshipDescription] = []
    for name in names {
      guard let relationship = entity.relationshipsInOrder.first(where: { $0.name == name }),
        let destination = relationship.destinationEntity
      else { preconditionFailure("No relationship \(name).") }
      relationships.append(relationship)
      entity = destination
    }
    return ResolvedPath(root: root, relationships: relationships, end: .object)
  }
}

/// Returns a comparison of two expressions.
func compare(
  _ left: ResolvedExpression, _ comparison: ComparisonPredicate.Comparison,
  _ right: ResolvedExpression, _ modifier: ComparisonPredicate.Modifier = .direct,
  options: ComparisonPredicate.Options = []
) -> ResolvedPredicate {
  .comparison(
    ResolvedComparison(
      left: left, comparison: comparison, right: right, modifier: modifier, options: options))
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// A store of things in a temporary folder, which is removed with it.
final class Depot {
  let model: DepotModel
  let folder: URL
  var description: PersistentStoreDescription
  private(set) var store: any PersistentStore

  init(_ change: (inout PersistentStoreDescription) -> Void = { _ in }) throws {
    model = try DepotModel()
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var description = PersistentStoreDescription.lmdb(at: folder.appending(path: "depot.lmdb"))
    description.timeout = 60
    change(&description)
    self.description = description
    store = try model.open(description)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  var path: String { description.url?.path(percentEncoded: false) ?? "" }

  /// Closes the store and opens it again.
  func reopen() throws {
    store.close()
    store = try model.open(description)
  }

  /// Opens another store on the same file.
  func second(_ change: (inout PersistentStoreDescription) -> Void = { _ in }) throws
    -> any PersistentStore
  {
    var description = description
    change(&description)
    return try model.open(description)
  }

  /// Returns new things, one for each name.
  func rows(_ names: [String], payload: Int = 0) throws -> [Row] {
    let sequences = try store.reserveSequences(names.count)
    return zip(sequences, names).map { sequence, name in
      let row = Row(
        layout: model.thing.layout, key: RecordKey.make(sequence: sequence, entityCode: 1),
        version: 1)
      row.setString(name, at: model.slot("name"))
      row.setInteger(sequence, at: model.slot("number"))
      row.setData(
        Data(repeating: UInt8(truncatingIfNeeded: sequence), count: payload),
        at: model.slot("payload"))
      return row
    }
  }

  /// Writes new things.
  @discardableResult
  func insert(_ names: [String], payload: Int = 0) throws -> [Row] {
    let rows = try rows(names, payload: payload)
    guard case .committed = try store.commit(StoreChangeSet(inserted: rows)) else {
      throw PersistenceError(.persistentStoreSave, "The rows were refused.")
    }
    return rows
  }

  /// Returns the names of all things, in the order of their keys.
  func names(in other: (any PersistentStore)? = nil) throws -> [String] {
    try rows(model.request(), in: other).map { $0.string(model.slot("name")) }
  }

  /// Returns the rows that a request finds.
  func rows(_ request: ResolvedFetch, in other: (any PersistentStore)? = nil) throws -> [Row] {
    guard case .rows(let rows) = try (other ?? store).fetch(request).content else {
      Issue.record("The answer has another form.")
      return []
    }
    return rows
  }
}

/// A model with one entity, unique by name and indexed by number and note.
struct DepotModel: Sendable {
  let model: ManagedObjectModel
  let thing: EntityDescription
  static let codes = ["Thing": 1]

  init(indexed names: [String] = ["number", "note"]) throws {
    let thing = EntityDescription(name: "Thing")
    thing.properties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "number", type: .integer64),
      AttributeDescription(name: "note", type: .string),
      AttributeDescription(name: "payload", type: .binaryData),
    ]
    thing.uniquenessConstraints = [["name"]]
    thing.indexes = names.map {
      FetchIndexDescription(
        name: "by-\($0)", elements: [FetchIndexElementDescription(propertyName: $0)])
    }
    model = ManagedObjectModel(entities: [thing])
    try model.freeze()
    self.thing = thing
  }

  /// Opens a store and prepares it, as the coordinator does.
  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let store = try description.type.driver.open(description)
    var metadata = store.metadata
    metadata.entityCodes = Self.codes
    do {
      try store.prepare(
        StoreSchema(
          identity: store.identity, model: model, entities: model.entities,
          linkTables: model.linkTables, codes: Self.codes), metadata: metadata)
    } catch {
      store.close()
      throw error
    }
    return store
  }

  func slot(_ name: String) -> RowSlot {
    guard let slot = thing.layout.slot(named: name) else { preconditionFailure("No slot \(name).") }
    return slot
  }

  /// Returns a request for things by a value.
  func request(
    _ name: String? = nil, _ comparison: ComparisonPredicate.Comparison = .equalTo,
    _ value: Value = .null, result: ResolvedFetch.Result = .rows
  ) -> ResolvedFetch {
    var predicate: ResolvedPredicate?
    if let name, let attribute = thing.attributesByName[name] {
      predicate = .comparison(
        ResolvedComparison(
          left: .path(
            ResolvedPath(root: .object, relationships: [], end: .attribute(attribute, slot(name)))),
          comparison: comparison, right: .constant(value), modifier: .direct, options: []))
    }
    return ResolvedFetch(entity: thing, entities: [thing], predicate: predicate, result: result)
  }
}

/// Returns the code of the error that a body throws; nil for none.
func errorCode(_ body: () throws -> Void) -> PersistenceError.Code? {
  do {
    try body()
    return nil
  } catch let error as PersistenceError {
    return error.code
  } catch {
    return PersistenceError.Code(rawValue: -1)
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// What the results of batch requests are made of: the records, of which a result tells as much as was asked for.
enum BatchResultContent {
  case status
  case objectIDs([ObjectID])
  case count(Int)

  /// The kind of content, with Core Data's numbers.
  init(_ ids: [ObjectID], kind: UInt) {
    switch kind {
    case 1: self = .objectIDs(ids)
    case 2: self = .count(ids.count)
    default: self = .status
    }
  }

  /// True, the IDs or their number, as Core Data's results have it.
  var result: Any {
    switch self {
    case .status: true
    case .objectIDs(let ids): ids
    case .count(let count): count
    }
  }

  var objectIDs: [ObjectID]? {
    if case .objectIDs(let ids) = self { return ids }
    return nil
  }

  var count: Int? {
    switch self {
    case .status: nil
    case .objectIDs(let ids): ids.count
    case .count(let count): count
    }
  }
}

extension ManagedObjectContext {
  /// Runs a batch request on the coordinator, and turns conflicts into the error that names them.
  func batch(
    _ run: (PersistentStoreCoordinator) throws -> BatchOutcome
  ) throws -> [ObjectID] {
    let outcome = try run(coordinator())
    statistics.roundTrips += 1
    switch outcome {
    case .done(let ids): return ids
    case .conflicted(let conflicts): throw ConflictReport(conflicts).error
    }
  }

  /// The attached stores that a request names; nil when it names none.
  ///
  /// - Throws: `storeRemoved` when one of them is not attached: an answer without it would be none (B136).
  func stores(named identifiers: [String]?) throws -> [StoreIdentity]? {
    guard let identifiers else { return nil }
    let stores = persistentStoreCoordinator?.persistentStores.map(\.identity) ?? []
    return try identifiers.map { identifier in
      guard let store = stores.first(where: { $0.identifier == identifier }) else {
        throw PersistenceError(
          .storeRemoved, "The request asks a store that is not attached.", store: identifier)
      }
      return store
    }
  }

  /// The entity that a batch request is about, as the model has it.
  ///
  /// - Throws: `unknownEntity` (B138).
  func entity(named name: String, orGiven entity: EntityDescription?) throws -> EntityDescription {
    guard let known = try requiredModel().entitiesByName[name],
      entity == nil || entity === known
    else {
      throw PersistenceError(
        .unknownEntity, "The model has no entity “\(name)”.", entityName: name)
    }
    return known
  }
}

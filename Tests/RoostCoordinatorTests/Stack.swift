// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

/// A coordinator with minimal stores, and short functions for saves and requests.
struct Stack {
  let company: Company
  let driver: MinimalDriver
  let coordinator: PersistentStoreCoordinator
  let clock = TestClock()

  init(company: Company? = nil, driver: MinimalDriver = MinimalDriver()) throws {
    self.company = try company ?? Company()
    self.driver = driver
    coordinator = try PersistentStoreCoordinator(
      managedObjectModel: self.company.model, clock: { [clock] in clock.now })
    // Minimal stores do not support two-phase commit.
    coordinator.saveTraffic.policy = .atomicWherePossible
  }

  /// Returns a stack with one store for all entities.
  static func withStore() throws -> (stack: Stack, store: MinimalStore) {
    let stack = try Stack()
    return (stack, try stack.addStore("all"))
  }

  static func url(_ name: String) -> URL { URL(filePath: "/minimal/\(name)") }

  @discardableResult
  func addStore(
    _ name: String?, configuration: String? = nil, options: [String: MetadataValue] = [:]
  ) throws -> MinimalStore {
    let store = try coordinator.addPersistentStore(
      type: driver.type, configuration: configuration, at: name.map(Self.url), options: options)
    guard let minimal = store as? MinimalStore else {
      preconditionFailure("The driver of the tests opens minimal stores.")
    }
    return minimal
  }

  func attached(_ store: any PersistentStore) throws -> AttachedStore {
    try coordinator.requireAttached(store)
  }

  // MARK: Writing

  /// Reserves IDs and commits new people; returns their IDs.
  @discardableResult
  func insertPeople(
    _ people: [(name: String, age: Int64)], into store: any PersistentStore,
    department: ObjectID? = nil
  ) throws -> [ObjectID] {
    let attached = try attached(store)
    let ids = try coordinator.obtainPermanentIDs(
      for: NewRecords(people.map { _ in (company.person, attached) }))
    let request = CommitRequest()
    for (id, person) in zip(ids, people) {
      let row = personRow(id, name: person.name, age: person.age)
      if let department {
        let key = request.key(
          of: department, from: id,
          along: company.relationship("department", of: company.person))
        row.setInteger(key, at: company.slot("department", of: company.person))
      }
      request.inserted.append(InsertedRecord(id: id, row: row))
    }
    try commit(request)
    return ids
  }

  func personRow(_ id: ObjectID, name: String, age: Int64, version: Int64 = 1) -> Row {
    let row = Row(layout: company.person.layout, key: id.key, version: version)
    row.setString(name, at: company.slot("name", of: company.person))
    row.setInteger(age, at: company.slot("age", of: company.person))
    return row
  }

  /// Commits one new object with a name or text.
  @discardableResult
  func insert(
    _ entity: EntityDescription, named name: String, into store: any PersistentStore
  ) throws -> ObjectID {
    let id = try coordinator.obtainPermanentIDs(for: [(entity, attached(store))])[0]
    let row = Row(layout: entity.layout, key: id.key, version: 1)
    row.setString(name, at: company.slot(entity === company.note ? "text" : "name", of: entity))
    try commit(CommitRequest.inserting([InsertedRecord(id: id, row: row)]))
    return id
  }

  @discardableResult
  func commit(_ request: CommitRequest) throws -> CommitSummary {
    switch try coordinator.commit(request) {
    case .committed(let summary): return summary
    case .conflicted: throw PersistenceError(.managedObjectMerge, "The commit is in conflict.")
    case .incomplete(_, let error): throw error
    }
  }

  func update(_ id: ObjectID, name: String, age: Int64, from version: Int64) -> UpdatedRecord {
    UpdatedRecord(
      id: id,
      update: RowUpdate(
        row: personRow(id, name: name, age: age, version: version + 1), baseVersion: version,
        changedSlots: [
          company.slot("name", of: company.person).index,
          company.slot("age", of: company.person).index,
        ]))
  }

  // MARK: Asking

  func names(_ result: CoordinatorFetchResult) -> [String] {
    guard case .rows(let rows) = result else {
      Issue.record("The answer has another form.")
      return []
    }
    let slot = company.slot("name", of: company.person)
    return rows.rows.map { $0.string(slot) }
  }

  func path(_ names: String..., from entity: EntityDescription) -> ResolvedPath {
    var current = entity
    var relationships: [RelationshipDescription] = []
    for name in names.dropLast() {
      let relationship = company.relationship(name, of: current)
      relationships.append(relationship)
      current = relationship.destinationEntity ?? current
    }
    let last = names[names.count - 1]
    return ResolvedPath(
      root: .object, relationships: relationships,
      end: .attribute(company.attribute(last, of: current), company.slot(last, of: current)))
  }

  func people(
    where predicate: ResolvedPredicate? = nil, sortedBy keys: [String] = [],
    ascending: Bool = true, limit: Int? = nil, offset: Int = 0,
    result: ResolvedFetch.Result = .rows
  ) -> ResolvedFetch {
    ResolvedFetch(
      entity: company.person, entities: company.person.concreteEntities, predicate: predicate,
      sort: keys.map {
        ResolvedSort(
          path: path($0, from: company.person), ascending: ascending, comparator: .binary)
      }, limit: limit, offset: offset, result: result)
  }

  func isOlder(than age: Int64) -> ResolvedPredicate {
    .comparison(
      ResolvedComparison(
        left: .path(path("age", from: company.person)), comparison: .greaterThan,
        right: .constant(.integer(age))))
  }

  func worksIn(_ name: String) -> ResolvedPredicate {
    .comparison(
      ResolvedComparison(
        left: .path(path("department", "name", from: company.person)), comparison: .equalTo,
        right: .constant(.string(name))))
  }

  func fetch(_ fetch: ResolvedFetch) throws -> CoordinatorFetchResult {
    try coordinator.fetch(CoordinatorFetch(fetch: fetch))
  }
}

extension CommitRequest {
  static func inserting(_ records: [InsertedRecord]) -> CommitRequest {
    let request = CommitRequest()
    for record in records { request.inserted.append(record) }
    return request
  }

  static func updating(_ records: [UpdatedRecord]) -> CommitRequest {
    let request = CommitRequest()
    for record in records { request.updated.append(record) }
    return request
  }

  static func deleting(_ records: [RecordVersion]) -> CommitRequest {
    let request = CommitRequest()
    request.deleted = records
    return request
  }
}

/// A changed record and its object ID.
struct UpdatedRecord {
  let id: ObjectID
  let update: RowUpdate
}

extension UpdatedRecords {
  mutating func append(_ record: UpdatedRecord) {
    self = UpdatedRecords(
      updates: updates + [record.update], scopes: (ids + [record.id]).map { ($0.scope, 1) })
  }
}

/// A clock that tests set.
final class TestClock: Sendable {
  private let seconds = Mutex(1000.0)

  var now: Double { seconds.withLock { $0 } }

  func advance(_ interval: Double) {
    seconds.withLock { $0 += interval }
  }
}

/// Runs a body and returns the code of the error that it throws.
func errorCode(_ body: () throws -> Void) -> PersistenceError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? PersistenceError)?.code
  }
}

extension PersistentStoreCoordinator {
  /// Returns permanent IDs for individually listed records.
  func obtainPermanentIDs(
    for records: [(entity: EntityDescription, store: AttachedStore)]
  ) throws -> [ObjectID] {
    try obtainPermanentIDs(for: NewRecords(records.map { ($0.entity, $0.store) }))
  }
}

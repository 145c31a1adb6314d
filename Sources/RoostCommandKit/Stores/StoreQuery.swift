// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

/// A question about the records of one entity, in the words of a command line.
struct StoreQuery {
  let session: StoreSession
  let entity: EntityDescription
  private var criteria: FetchCriteria
  /// The number of records that are read at a time.
  private static let batchSize = 500

  /// Makes a query from an entity's name and a condition in the format language.
  ///
  /// - Throws: `unknownEntity`, and `invalidPredicate`, whose message shows the place.
  init(_ session: StoreSession, entity name: String, condition: String?) throws {
    self.session = session
    entity = try session.entity(named: name)
    criteria = FetchCriteria(entity: entity)
    criteria.predicate = try condition.map { try FetchPredicate(format: $0, argumentArray: []) }
  }

  /// Sorts by key paths separated by commas; one after a minus sign sorts in descending order.
  mutating func sort(by list: String?) {
    guard let list else { return }
    criteria.sortDescriptors = list.split(separator: ",").map { part in
      let key = String(part).trimmed
      return key.hasPrefix("-")
        ? SortOrdering(String(key.dropFirst()), ascending: false) : SortOrdering(key)
    }
  }

  /// Takes a part of the results only.
  mutating func limit(to count: Int?, offset: Int?) {
    criteria.fetchLimit = count ?? 0
    criteria.fetchOffset = offset ?? 0
  }

  /// The number of records that match.
  ///
  /// - Throws: `unknownKey` and the other errors of a condition, or the errors of the store.
  func count() throws -> Int {
    let result = try ask(criteria, as: .countResultType)
    guard case .count(let count) = result else { return 0 }
    return count
  }

  /// Returns the store's plan for the query.
  ///
  /// - Throws: As ``count()``.
  func plan() throws -> RequestPlan {
    RequestPlan(
      stores: try session.coordinator.explain(
        CoordinatorFetch(fetch: resolve(criteria), fillsRowCache: false)))
  }

  /// Calls a function with the values of each matching record, in order. The IDs are fetched first; the values are
  /// read some hundred at a time, and records that are deleted meanwhile are left out.
  ///
  /// - Throws: As ``count()``.
  func forEachRow(_ columns: QueryColumns, _ body: ([Value]) -> Void) throws {
    let ids = try ids()
    // Unknown columns are reported even when no record matches.
    try check(columns)
    var rest = ids[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.batchSize))
      rest = rest.dropFirst(batch.count)
      let values = try values(columns, of: batch)
      for id in batch { if let row = values[id] { body(row) } }
    }
  }

  /// The IDs of the records that match, in order.
  ///
  /// - Throws: As ``count()``.
  func ids() throws -> [ObjectID] {
    guard case .ids(let ids) = try ask(criteria, as: .managedObjectIDResultType) else { return [] }
    return ids
  }

  /// Returns the values of some records of the entity; deleted ones are left out.
  ///
  /// - Throws: As ``count()``.
  func values(_ columns: QueryColumns, of ids: [ObjectID]) throws -> [ObjectID: [Value]] {
    guard !ids.isEmpty else { return [:] }
    var wanted = FetchCriteria(entity: entity, resultType: .dictionaryResultType)
    wanted.propertiesToFetch = columns.properties(withID: true)
    wanted.predicate = try FetchPredicate(format: "SELF IN %@", argumentArray: [ids])
    guard case .tuples(let values, let width) = try ask(wanted, as: .dictionaryResultType) else {
      return [:]
    }
    var rows: [ObjectID: [Value]] = [:]
    for start in stride(from: 0, to: values.count, by: width) {
      guard case .objectID(let id) = values[start] else { continue }
      rows[id] = Array(values[(start + 1)..<(start + width)])
    }
    return rows
  }

  /// Resolves all names, without reading data.
  ///
  /// - Throws: As ``count()``.
  func check() throws { _ = try resolve(criteria) }

  /// Resolves the names of columns.
  ///
  /// - Throws: As ``count()``.
  func check(_ columns: QueryColumns) throws {
    var wanted = FetchCriteria(entity: entity, resultType: .dictionaryResultType)
    wanted.propertiesToFetch = columns.properties(withID: true)
    _ = try resolve(wanted)
  }

  /// Leaves out the records that do not match one condition more.
  mutating func restrict(to condition: FetchPredicate) {
    criteria.predicate = criteria.predicate.map { $0 && condition } ?? condition
  }

  /// The query as a request of the object graph.
  var request: FetchRequest<ManagedObject> {
    var objects = criteria
    objects.resultType = .managedObjectResultType
    return FetchRequest(objects)
  }

  private func ask(
    _ criteria: FetchCriteria, as type: FetchRequestResultType
  ) throws -> CoordinatorFetchResult {
    var criteria = criteria
    criteria.resultType = type
    return try session.coordinator.fetch(
      CoordinatorFetch(fetch: resolve(criteria), fillsRowCache: false))
  }

  /// Resolves names; an unknown name is reported with similar ones.
  private func resolve(_ criteria: FetchCriteria) throws -> ResolvedFetch {
    do {
      return try RequestResolver(model: session.model).resolve(criteria)
    } catch var error as PersistenceError where error.code == .unknownKey {
      let owner =
        session.entities.first { $0.name == error.entityName } ?? entity
      let near = NearNames.of(error.key ?? "", among: owner.propertiesByName.keys.sorted())
      if !near.isEmpty { error.message += " Is \(near.joined(separator: " or ")) meant?" }
      throw error
    }
  }
}

extension String {
  /// The text without blanks around it.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

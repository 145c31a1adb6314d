// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// The entity and description of an operation, built only when an instrument observes it.
struct OperationSubject {
  /// The name of the entity; nil for several, or none.
  var entityName: String?
  /// A short description of the request, without stored values.
  var detail = ""
}

// All requests to a store pass through here: the gate, the counters and the instruments.
extension AttachedStore {
  /// Sends a request to the store. While no instrument is attached, `subject` and `report` are not called.
  ///
  /// - Parameters:
  ///   - kind: The kind of request, which selects the counter.
  ///   - subject: The entity and description for instruments.
  ///   - toTheEnd: Whether the request ignores cancellation.
  ///   - report: Adds details of the answer to the result that instruments receive.
  ///   - body: Performs the request.
  func asking<Answer>(
    _ kind: StoreOperation.Kind, _ subject: @autoclosure () -> OperationSubject,
    toTheEnd: Bool = false,
    report: (Answer, inout StoreOperationResult) -> Void = { _, _ in },
    _ body: (any PersistentStore) throws -> Answer
  ) throws -> Answer {
    guard instruments.isOn else { return try request(kind, toTheEnd: toTheEnd, body) }
    return try instruments.tell(operation(kind, subject()), log: log, report: report) {
      try request(kind, toTheEnd: toTheEnd, body)
    }
  }

  /// Runs work that is not itself a request to the store, reporting it to instruments as an operation.
  func telling<Answer>(
    _ kind: StoreOperation.Kind, _ subject: @autoclosure () -> OperationSubject,
    report: (Answer, inout StoreOperationResult) -> Void = { _, _ in },
    _ body: () throws -> Answer
  ) throws -> Answer {
    guard instruments.isOn else { return try body() }
    return try instruments.tell(operation(kind, subject()), report: report, body)
  }

  private func operation(
    _ kind: StoreOperation.Kind, _ subject: OperationSubject
  ) -> StoreOperation {
    let caller = RequestCaller.current
    return StoreOperation(
      kind, storeName: log.storeName, storeType: store.description.type.rawValue,
      storeIdentifier: identity.identifier, entityName: subject.entityName, detail: subject.detail,
      contextName: caller?.contextName, author: caller?.author,
      isImplicit: caller?.isImplicit ?? false, callSite: caller?.callSite)
  }
}

// MARK: - Subjects

extension AttachedStore {
  /// Returns the subject of a request for records.
  func subject(ofKeys keys: [Int64]) -> OperationSubject {
    var codes = Set<Int>()
    for key in keys { codes.insert(RecordKey.entityCode(of: key)) }
    let entity = codes.count == 1 ? keys.first.flatMap { schema.entity(ofKey: $0)?.name } : nil
    return OperationSubject(
      entityName: entity, detail: "\(keys.count) rows of \(entity ?? "\(codes.count) entities")")
  }

  /// Returns the subject of a commit.
  func subject(of changes: StoreChangeSet) -> OperationSubject {
    var subject = subject(ofKeys: changes.writtenKeys)
    let counts = [
      (changes.inserted.count, "inserted"), (changes.updated.count, "changed"),
      (changes.deleted.count, "deleted"), (changes.locked.count, "locked"),
      (changes.links.count, "links"), (changes.metadata == nil ? 0 : 1, "metadata"),
    ]
    subject.detail = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return subject
  }
}

extension OperationSubject {
  /// Makes the subject of a fetch.
  init(of fetch: ResolvedFetch) {
    let name = fetch.entity.name ?? ""
    let wanted =
      switch fetch.result {
      case .rows: "rows"
      case .keys: "keys"
      case .count: "number"
      case .columns(let columns): "columns " + columns.columns.map(\.name).joined(separator: ", ")
      }
    var words = ["\(wanted) of \(name)"]
    if fetch.hasPredicate { words.append("with a condition") }
    if !fetch.sort.isEmpty { words.append("sorted") }
    if let limit = fetch.limit { words.append("limit \(limit)") }
    if fetch.offset > 0 { words.append("offset \(fetch.offset)") }
    self.init(entityName: name, detail: words.joined(separator: ", "))
  }

  /// Makes the subject of a request for the destinations of a relationship.
  init(of relationship: RelationshipDescription, sources: Int) {
    self.init(
      entityName: relationship.entity?.name, detail: "\(relationship.name) of \(sources) objects")
  }
}

extension ResolvedFetch {
  /// The kind under which the fetch is counted and reported.
  var operationKind: StoreOperation.Kind {
    if case .count = result { return .count }
    return .fetch
  }
}

extension StoreOperationResult {
  /// Sets the number and the size of the returned rows.
  mutating func note(_ found: [Row]) {
    (rows, bytes) = (found.count, found.valueSize)
  }
}

extension StoreFetchResult.Content {
  /// The number of rows, keys or tuples; for a count, the count itself.
  var rowCount: Int {
    switch self {
    case .rows(let rows): rows.count
    case .keys(let keys): keys.count
    case .count(let count): count
    case .tuples(let values, let width): width == 0 ? 0 : values.count / width
    }
  }
}

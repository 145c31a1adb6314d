// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Maps the numbers by which a store refers to records of other stores to object IDs, and IDs to numbers.
///
/// Numbers are read in blocks and cached: one request for a block serves all references that were made about the same
/// time. A number always means the same record; but a store may be moved, and the attached stores decide which
/// identity an ID has, so the cache is cleared when their list changes.
///
/// The number of a record is not for ever: others may remove it, and a record that was deleted, and whose deletion is
/// undone, then gets another one. So cached numbers hold as long as the store's removal mark stays the same.
final class ForeignReferences: Sendable {
  private let state: SharedState<State>

  init() { state = SharedState(State()) }

  /// Makes those of a past state of a store: a number meant the same record, but records may have had other numbers.
  init(past original: ForeignReferences) {
    var copy = original.state.withLock { $0 }
    copy.forgetNumbers(asOf: nil)
    state = SharedState(copy)
  }

  fileprivate struct State {
    var coordinator: LooseReference?
    /// The attached stores for which the IDs below were made.
    var list: StoreList?
    var ids: [Int64: ObjectID] = [:]
    var numbers: [ObjectID: Int64] = [:]
    /// The number of the removal mark as of which the numbers hold; nil when it was not asked for.
    var mark: RemovalMark?
    /// Grows whenever the numbers are dropped: what was read before is not cached afterwards.
    var edition = 0
    /// Whether the store is known to refer to records of other stores; once true, it stays true.
    var hasAny = false
    /// The scopes of records whose stores are not attached.
    var scopes: [Absent: IDScope] = [:]

    mutating func forget() {
      ids = [:]
      scopes = [:]
      forgetNumbers(asOf: nil)
    }

    mutating func forgetNumbers(asOf mark: RemovalMark?) {
      numbers = [:]
      self.mark = mark
      edition += 1
    }

    /// - Parameter edition: The edition before the number was read.
    mutating func learn(_ id: ObjectID, as number: Int64, in edition: Int) {
      ids[number] = id
      if edition == self.edition { numbers[id] = number }
    }
  }

  /// The number of a store's removal mark, which grows with each removal; nil for a store that has removed nothing.
  fileprivate struct RemovalMark: Equatable {
    var number: Int64?
  }

  /// An entity of a store that is not attached.
  fileprivate struct Absent: Hashable {
    var store: String
    var entity: String
  }

  /// How many numbers are read in one request.
  private static let blockSize: Int64 = 1_024
  /// How many numbers are cached at most.
  private static let mostKnown = 1 << 20

  /// Sets the coordinator to whose stores the references may lead.
  func attach(to coordinator: PersistentStoreCoordinator) {
    state.withLock { $0.coordinator = coordinator.reference }
  }

  private var coordinator: PersistentStoreCoordinator? {
    state.withLock { $0.coordinator }?.object as? PersistentStoreCoordinator
  }

  /// Clears the cache, as after numbers were given another meaning.
  func forget() {
    state.withLock { $0.forget() }
  }

  /// Whether a store refers to records of others.
  ///
  /// - Complexity: One round trip until the store has a reference.
  func hasAny(in store: AttachedStore) throws -> Bool {
    if state.withLock({ $0.hasAny }) { return true }
    var isFound = false
    try store.forEachForeignReference(in: 1...Self.blockSize) { _, _ in isFound = true }
    // The first numbers may have been removed.
    if !isFound { isFound = try hasRemoved(store) }
    if isFound { state.withLock { $0.hasAny = true } }
    return isFound
  }

  // MARK: - From numbers to IDs

  /// The ID for one negative key of a store; nil in the cases of ``ids(of:in:)``.
  ///
  /// - Complexity: O(1) for a cached number: following a relationship asks for one ID after the other.
  func id(of key: Int64, in store: AttachedStore) throws -> ObjectID? {
    let (reference, list, id) = state.withLock { ($0.coordinator, $0.list, $0.ids[-key]) }
    if let id, let list, let owner = reference?.object as? PersistentStoreCoordinator,
      owner.listedStores === list
    {
      return id
    }
    return try ids(of: CollectionOfOne(key), in: store).first ?? nil
  }

  /// The IDs for negative keys of a store, in the order of the keys; nil for a record whose entity is no longer in the
  /// model, like references to such records within a store after a migration.
  ///
  /// - Throws: `corruptStore` for a number that the store does not list, and errors of the store.
  /// - Complexity: One round trip for each block of numbers that is not cached.
  func ids(of keys: some Collection<Int64>, in store: AttachedStore) throws -> [ObjectID?] {
    let list = currentList()
    // Results are kept locally: another thread may clear the cache meanwhile.
    var found: [Int64: ObjectID?] = [:]
    var blocks = Set<Int64>()
    state.withLock { state in
      for key in keys {
        if let known = state.ids[-key] {
          found[-key] = known
        } else {
          blocks.insert(-key / Self.blockSize)
        }
      }
    }
    for block in blocks.sorted() {
      found.merge(try read(block, of: store, in: list)) { first, _ in first }
    }
    return try keys.map { key in
      guard let id = found[-key] else { throw unknownNumber(store) }
      return id
    }
  }

  private func read(
    _ block: Int64, of store: AttachedStore, in list: StoreList?
  ) throws -> [Int64: ObjectID?] {
    let first = block * Self.blockSize
    let edition = state.withLock { $0.edition }
    var found: [(number: Int64, reference: ForeignReference)] = []
    try store.forEachForeignReference(in: max(first, 1)...first + Self.blockSize - 1) {
      found.append(($0, $1))
    }
    return state.withLock { state in
      if state.ids.count > Self.mostKnown { state.forget() }
      var ids: [Int64: ObjectID?] = [:]
      for (number, reference) in found {
        let id = state.id(of: reference, in: list, store)
        if let id { state.learn(id, as: number, in: edition) }
        ids[number] = .some(id)
      }
      return ids
    }
  }

  // MARK: - From IDs to numbers

  /// The keys for records of other stores; nil for records to which the store does not refer.
  ///
  /// - Complexity: One round trip for any number of records, by which the store is also asked whether the cached
  ///   numbers still hold; a second one when they do not.
  func knownKeys(of ids: [ObjectID], in store: AttachedStore) throws -> [Int64?] {
    guard !ids.isEmpty else { return [] }
    _ = currentList()
    while true {
      // Numbers that were read without the mark may be removed.
      let before = cached(ids, isMarked: true)
      let answer = try store.foreignNumbers(
        of: before.missing.map(ForeignReference.init) + [.removalMark])
      let mark = RemovalMark(number: answer.last ?? nil)
      let holds = state.withLock { state in
        if state.mark != mark { state.forgetNumbers(asOf: mark) }
        // Numbers that were read together with the mark hold in any case.
        let edition = state.edition
        for case let (id, number?) in zip(before.missing, answer) {
          state.learn(id, as: number, in: edition)
        }
        return before.known.isEmpty || before.edition == edition
      }
      if holds { return before.keys(of: ids, answer) }
    }
  }

  /// The keys for records of other stores; records without a key get one. A key that is cached may have been removed:
  /// a change set names the numbers to which it refers, and is refused then.
  ///
  /// - Complexity: One transaction for any number of records that are not cached.
  func internedKeys(of ids: [ObjectID], in store: AttachedStore) throws -> [Int64] {
    guard let coordinator else { return try interned(ids, in: store) }
    return try coordinator.storeChanges.referenceGate.sharing { try interned(ids, in: store) }
  }

  private func interned(_ ids: [ObjectID], in store: AttachedStore) throws -> [Int64] {
    _ = currentList()
    let before = cached(ids, isMarked: false)
    var given: [Int64?] = []
    if !before.missing.isEmpty {
      given = try store.internForeign(before.missing.map(ForeignReference.init))
      state.withLock { state in
        for case let (id, number?) in zip(before.missing, given) {
          state.learn(id, as: number, in: before.edition)
        }
      }
    }
    return before.keys(of: ids, given).compactMap(\.self)
  }

  /// The numbers of some records, as far as the cache has them.
  private struct Cached {
    var known: [ObjectID: Int64] = [:]
    var missing: [ObjectID] = []
    let edition: Int

    /// The keys of the records.
    ///
    /// - Parameter found: The numbers of the records that were missing.
    func keys(of ids: [ObjectID], _ found: [Int64?]) -> [Int64?] {
      var numbers = known
      for case let (id, number?) in zip(missing, found) { numbers[id] = number }
      return ids.map { numbers[$0].map { -$0 } }
    }
  }

  /// - Parameter isMarked: Whether only numbers count as of which the removal mark is known.
  private func cached(_ ids: [ObjectID], isMarked: Bool) -> Cached {
    state.withLock { state in
      let isKnown = !isMarked || state.mark != nil
      var cached = Cached(edition: state.edition)
      var seen = Set<ObjectID>()
      for id in ids where seen.insert(id).inserted {
        if isKnown, let number = state.numbers[id] {
          cached.known[id] = number
        } else {
          cached.missing.append(id)
        }
      }
      return cached
    }
  }

  /// The stores that are attached now. Clears the cache when the list has changed.
  private func currentList() -> StoreList? {
    let list = coordinator?.listedStores
    state.withLock { state in
      guard state.list !== list else { return }
      state.list = list
      state.forget()
    }
    return list
  }

  /// Whether a store has ever removed numbers.
  private func hasRemoved(_ store: AttachedStore) throws -> Bool {
    try store.foreignNumbers(of: [.removalMark]) != [nil]
  }

  /// The error for a number that a store does not list: it was removed after the record was read that has it, or the
  /// store is damaged.
  private func unknownNumber(_ store: AttachedStore) -> PersistenceError {
    guard (try? hasRemoved(store)) == true else {
      return PersistenceError(
        .corruptStore, "The store refers to a record of another store that it does not list.",
        store: store.displayName)
    }
    return PersistenceError(
      .objectReferentialIntegrity,
      "A record is outdated: it refers to a record of another store that was deleted, and the "
        + "reference was cleared since.",
      store: store.displayName)
  }
}

extension ForeignReferences.State {
  /// The ID of a record: its store's own, or an equal one when that store is not attached. Nil for a record of an
  /// entity that the model does not have.
  fileprivate mutating func id(
    of reference: ForeignReference, in list: StoreList?, _ store: AttachedStore
  ) -> ObjectID? {
    let there = list?.store(identifier: reference.store)
    if let id = there?.objectID(forKey: reference.key) { return id }
    let absent = ForeignReferences.Absent(store: reference.store, entity: reference.entity)
    if let known = scopes[absent] { return ObjectID(scope: known, key: reference.key) }
    // The reference has the name that the entity had when it was written; the entity may be renamed since.
    let model = store.schema.model
    guard
      let entity = model.entitiesByName[reference.entity]
        ?? model.entities.first(where: { $0.renamingIdentifier == reference.entity })
    else { return nil }
    let scope = IDScope(
      entity: entity,
      store: there?.identity ?? StoreIdentity(identifier: reference.store, type: ""))
    scopes[absent] = scope
    return ObjectID(scope: scope, key: reference.key)
  }
}

extension ForeignReference {
  /// Makes the reference that a store keeps to a record of another store.
  init(_ id: ObjectID) {
    let id = id.current
    self.init(
      store: id.storeIdentity?.identifier ?? "", key: id.key, entity: id.entity.name ?? "")
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FaultLoader {
  /// Fulfils one fault, and with it what was fetched together with it. Returns nil when the values cannot be had; why,
  /// is noted.
  func fulfill(_ object: ManagedObject) -> UnsafeMutableRawPointer? {
    do throws(PersistenceError) {
      return try readFault(object)
    } catch {
      context.readErrors.noteReadFailure(error, of: [object.identity])
      return nil
    }
  }

  /// Fulfils one fault, and with it what was fetched together with it. Returns nil when the record is gone.
  func readFault(_ object: ManagedObject) throws(PersistenceError) -> UnsafeMutableRawPointer? {
    context.checkQueue()
    if object.flags.contains(.inserted) { return object.restoring.beginAnew() }
    if context.stalenessInterval < 0 {
      // What a request has read are the values, also when newer ones are cached by now: one request shows one state of
      // its store, and so do the objects that it made, until they are refreshed (B363).
      if object.row != nil {
        context.statistics.faultsFired += 1
        return object.awakeWithRow()
      }
      if !isOfUnreadBatch(object), let row = context.upstream.cachedRow(for: object.identity) {
        context.statistics.faultsFired += 1
        return object.restoring.awake(with: row)
      }
    }
    guard object.isKnownBelow else { return becomeInaccessible(object) }
    guard context.allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(object, key: nil)
    }
    context.statistics.implicitRoundTrips += 1
    let commitCount = (try? context.upstream.source().commitCount) ?? -1
    let groups = groupsToRead(with: object)
    try context.asCaller(implicitly: true) { () throws(PersistenceError) in
      try readRows(
        of: companions(of: object, in: groups) { $0.isFault && $0.row == nil },
        ahead: membersToCome(of: object), pastCache: isOfUnreadBatch(object))
    }
    for group in groups { group.rowsWereRead(after: commitCount) }
    guard let row = object.row else { return becomeInaccessible(object) }
    context.statistics.faultsFired += 1
    return object.restoring.awake(with: row)
  }

  /// The members of an object's group that are registered and satisfy a condition, the object first.
  func companions(
    of object: ManagedObject, where condition: (ManagedObject) -> Bool
  ) -> [ManagedObject] {
    guard let group = object.fetchGroup else { return [object] }
    return companions(of: object, in: [group], where: condition)
  }

  /// Whether an object is the first of its batch to be read: the whole batch comes from the store in one request, so
  /// that it shows one state (B363).
  private func isOfUnreadBatch(_ object: ManagedObject) -> Bool {
    guard context.batchesFaults, let group = object.fetchGroup else { return false }
    return group.isBatch && !group.wasRead
  }

  /// The groups that are read with an object: its own, and those that follow when a program walks through many.
  private func groupsToRead(with object: ManagedObject) -> [FetchGroup] {
    guard let group = object.fetchGroup else { return [] }
    guard context.batchesFaults, let series = group.series else { return [group] }
    return series.groupsToRead(with: group)
  }

  private func companions(
    of object: ManagedObject, in groups: [FetchGroup], where condition: (ManagedObject) -> Bool
  ) -> [ManagedObject] {
    var result = [object]
    guard context.batchesFaults else { return result }
    for group in groups {
      if let scope = group.ids.scope {
        for key in group.ids.keys {
          guard let member = context.registry.object(forKey: key, in: scope), member !== object,
            condition(member)
          else { continue }
          result.append(member)
        }
        continue
      }
      for id in group.ids {
        guard let member = context.registry.object(for: id), member !== object, condition(member)
        else {
          continue
        }
        result.append(member)
      }
    }
    return result
  }

  /// The members of an object's group that are not registered yet, when their rows are worth reading with the object's:
  /// once, and where the cache may keep them.
  private func membersToCome(of object: ManagedObject) -> [ObjectID] {
    guard context.batchesFaults, context.stalenessInterval < 0, let group = object.fetchGroup,
      group.readsAhead
    else { return [] }
    group.readsAhead = false
    return group.ids.filter { context.registry.object(for: $0) == nil }
  }

  /// Reads the rows of faults in one request and attaches them; whose record is gone stays without a row.
  ///
  /// - Parameters:
  ///   - objects: The faults.
  ///   - ahead: Records whose rows are read into the cache with them.
  ///   - pastCache: Whether all rows come from the store.
  /// - Complexity: At most one query a store.
  func readRows(
    of objects: [ManagedObject], ahead: [ObjectID] = [], pastCache: Bool = false
  ) throws(PersistenceError) {
    do {
      let ids = idList(of: objects, ahead: ahead)
      var arrivals = RowArrivals(for: objects)
      // What came before an error is kept.
      defer { arrivals.attach() }
      try context.asCaller {
        try context.upstream.source().forEachRow(
          of: ids, stalenessInterval: pastCache ? 0 : context.stalenessInterval
        ) {
          arrivals.take($0, $1)
        }
      }
      context.statistics.roundTrips += 1
      context.statistics.rowsFetched += ids.count
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  /// The IDs of objects and of others, as keys where they are all of one entity in one store.
  private func idList(of objects: [ManagedObject], ahead: [ObjectID]) -> ObjectIDList {
    if let scope = objects.first?.identity.scope, scope.store != nil {
      var keys = ContiguousArray<Int64>()
      keys.reserveCapacity(objects.count + ahead.count)
      for object in objects where object.identity.scope === scope {
        keys.append(object.identity.key)
      }
      for id in ahead where id.scope === scope { keys.append(id.key) }
      if keys.count == objects.count + ahead.count { return ObjectIDList(keys: keys, scope: scope) }
    }
    return ObjectIDList(objects.map(\.identity) + ahead)
  }

  /// Realizes objects, their values are needed now; those whose record is gone are left as they are. What is read shows
  /// one state (B363).
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - pastCache: Whether rows that are not at hand all come from the store.
  /// - Complexity: At most one query a store, unless a save comes between the cache and the store.
  func realize(
    _ objects: ContiguousArray<ManagedObject>, pastCache: Bool = false
  ) throws(PersistenceError) {
    // A new object has no record that could be missing.
    for object in objects where object.isInserted && object.isFault { _ = try object.readMemory() }
    let faults = objects.filter { $0.isFault && !$0.flags.contains(.inaccessible) }
    let unread = try readRows(ofFaults: faults, pastCache: pastCache)
    for object in faults where object.isFault {
      if object.row != nil {
        // What the request has read is not asked for again, however old rows may be here.
        context.statistics.faultsFired += 1
        _ = object.awakeWithRow()
      } else if !unread.isEmpty, unread.contains(object) {
        _ = becomeInaccessible(object)
      } else {
        _ = try object.readMemory()
      }
    }
  }

  /// Gets the rows of the faults that have none at hand; returns those that were asked for in the store.
  private func readRows(
    ofFaults faults: [ManagedObject], pastCache: Bool
  ) throws(PersistenceError) -> Set<ManagedObject> {
    let rowless = faults.filter { $0.row == nil }
    guard !rowless.isEmpty else { return [] }
    let commitCount = commitCountNow
    let trustsCache = context.stalenessInterval < 0 && !pastCache
    let unread =
      trustsCache ? rowless.filter { context.upstream.cachedRow(for: $0.identity) == nil } : rowless
    if !unread.isEmpty { try readRows(of: unread, pastCache: pastCache) }
    guard trustsCache else { return Set(unread) }
    for object in rowless where object.row == nil && object.isFault {
      if let row = context.upstream.cachedRow(for: object.identity) { object.attach(row) }
    }
    guard commitCount != commitCountNow else { return Set(unread) }
    // A save came between what is cached and what was read: all of it is read once more, at once.
    for object in rowless where object.isFault { object.row = nil }
    try readRows(of: rowless, pastCache: true)
    return Set(rowless)
  }

  /// How many commits the coordinator has seen.
  private var commitCountNow: Int { (try? context.upstream.source().commitCount) ?? -1 }

  /// A fault whose record is gone: a deleted object whose properties are nil, or an error (B43).
  private func becomeInaccessible(_ object: ManagedObject) -> UnsafeMutableRawPointer? {
    object.flags.insert(.inaccessible)
    let handles = context.shouldHandleInaccessibleFault?(object, object.identity)
    guard handles ?? context.shouldDeleteInaccessibleFaults else {
      object.flags.remove(.inaccessible)
      context.readErrors.noteReadFailure(
        ManagedObjectContext.missingRecord(object.identity), of: [object.identity])
      return nil
    }
    context.changes.noteDeletion(of: object)
    object.flags.insert(.propagated)
    return nil
  }
}

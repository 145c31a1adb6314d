// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FaultLoader {
  /// Fulfils a fault together with the other faults of its fetch group. Returns nil when the values cannot be read;
  /// the error is recorded.
  func fulfill(_ object: ManagedObject) -> UnsafeMutableRawPointer? {
    do throws(PersistenceError) {
      return try readFault(object)
    } catch {
      context.readErrors.noteReadFailure(error, of: [object.identity])
      return nil
    }
  }

  /// Fulfils a fault together with the other faults of its fetch group. Returns nil when the record is gone.
  func readFault(_ object: ManagedObject) throws(PersistenceError) -> UnsafeMutableRawPointer? {
    context.checkQueue()
    if object.flags.contains(.inserted) { return object.restoring.beginAnew() }
    if context.stalenessInterval < 0 {
      // The row attached by a request takes precedence over a newer cached one: the objects of one request show one
      // state of the store until they are refreshed (B363).
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
    let memory = object.restoring.awake(with: row)
    try prefetch(of: groups)
    return memory
  }

  /// Reads the record of an object without changes, which is known to be outdated. A failure is recorded.
  ///
  /// - Complexity: One query.
  func readAgain(_ object: ManagedObject) {
    do {
      guard context.allowsImplicitRoundTrips else {
        throw ManagedObjectContext.forbiddenRoundTrip(object, key: nil)
      }
      context.statistics.implicitRoundTrips += 1
      let rows = try context.asCaller(implicitly: true) {
        try context.upstream.source().rows(for: [object.identity], stalenessInterval: 0)
      }
      guard let row = rows.first ?? nil, row.version != object.snapshot?.version else { return }
      context.events.noteRefresh(of: object)
      object.restoring.layChanges(over: row, winner: .object)
      object.restoring.awaken(after: .refresh)
    } catch {
      context.readErrors.noteReadFailure(PersistenceError.wrapping(error), of: [object.identity])
    }
  }

  /// Returns the members of an object's group that are registered and satisfy a condition, the object first.
  func companions(
    of object: ManagedObject, where condition: (ManagedObject) -> Bool
  ) -> [ManagedObject] {
    guard let group = object.fetchGroup else { return [object] }
    return companions(of: object, in: [group], where: condition)
  }

  /// Whether an object is the first of its batch to be read: the whole batch is read from the store in one request,
  /// so that it shows one state (B363).
  private func isOfUnreadBatch(_ object: ManagedObject) -> Bool {
    guard context.batchesFaults, let group = object.fetchGroup else { return false }
    return group.isBatch && !group.wasRead
  }

  /// Returns the groups that are read with an object: its own, and the following ones when a program iterates over
  /// many.
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

  /// Returns the members of an object's group that are not registered yet, if their rows are to be read ahead: once,
  /// and only if the cache may keep them.
  private func membersToCome(of object: ManagedObject) -> [ObjectID] {
    guard context.batchesFaults, context.stalenessInterval < 0, let group = object.fetchGroup,
      group.readsAhead
    else { return [] }
    group.readsAhead = false
    return group.ids.filter { context.registry.object(for: $0) == nil }
  }

  /// Reads the rows of faults in one request and attaches them; a fault whose record is gone stays without a row.
  ///
  /// - Parameters:
  ///   - objects: The faults.
  ///   - ahead: Records whose rows are read ahead into the cache.
  ///   - pastCache: Whether to bypass the cache and read all rows from the store.
  /// - Complexity: At most one query for each store.
  func readRows(
    of objects: [ManagedObject], ahead: [ObjectID] = [], pastCache: Bool = false
  ) throws(PersistenceError) {
    do {
      let ids = idList(of: objects, ahead: ahead)
      var arrivals = RowArrivals(for: objects)
      // Rows that arrived before an error are kept.
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

  /// The IDs of objects and of further records, as keys if all are of one entity in one store.
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

  /// Fulfils the faults among objects whose values are needed now; those whose records are gone stay as they are. The
  /// values show one state of the store (B363).
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - pastCache: Whether to read rows that are not attached from the store, bypassing the cache.
  /// - Complexity: At most one query for each store, unless a save happens between reading the cache and the store.
  func realize(
    _ objects: ContiguousArray<ManagedObject>, pastCache: Bool = false
  ) throws(PersistenceError) {
    // A new object has no record that could be missing.
    for object in objects where object.isInserted && object.isFault { _ = try object.readMemory() }
    let faults = objects.filter { $0.isFault && !$0.flags.contains(.inaccessible) }
    let unread = try readRows(ofFaults: faults, pastCache: pastCache)
    for object in faults where object.isFault {
      if object.row != nil {
        // A row attached by the request is used even if it is older than the staleness interval.
        context.statistics.faultsFired += 1
        _ = object.awakeWithRow()
      } else if !unread.isEmpty, unread.contains(object) {
        _ = becomeInaccessible(object)
      } else {
        _ = try object.readMemory()
      }
    }
  }

  /// Attaches rows to the faults that have none; returns the faults for which the store was queried.
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
    // A save happened between reading the cache and the store: all rows are read again, in one request.
    for object in rowless where object.isFault { object.row = nil }
    try readRows(of: rowless, pastCache: true)
    return Set(rowless)
  }

  /// The coordinator's current commit count.
  private var commitCountNow: Int { (try? context.upstream.source().commitCount) ?? -1 }

  /// Handles a fault whose record is gone: it becomes a deleted object with nil properties, or an error (B43).
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

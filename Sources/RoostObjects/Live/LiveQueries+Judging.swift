// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Changed objects are evaluated for all queries together, so that their rows are read in one request.
extension LiveQueries {
  typealias Judging = (
    query: LiveQuery, records: [GraphChange.Record], refreshed: [ManagedObject]
  )

  /// Evaluates changed objects for all queries that they concern, after reading the rows of those that are faults.
  func judge(_ judging: [Judging]) {
    guard !judging.isEmpty else { return }
    var objects: [ObjectID: ManagedObject] = [:]
    for record in judging.lazy.flatMap(\.records) where objects[record.id] == nil {
      objects[record.id] = record.object ?? context.object(with: record.id)
    }
    do {
      try read(objects.values)
    } catch {
      for (query, records, refreshed) in judging {
        let missed = records.lazy.map(\.id) + refreshed.lazy.map(\.identity.current)
        query.fail(error, missed: Set(missed))
      }
      return
    }
    for (query, records, refreshed) in judging {
      // The last change of a record wins.
      var seen: Set<ObjectIdentifier> = []
      var gone: [ManagedObject] = []
      var judged: [ManagedObject] = []
      for record in records.reversed() {
        guard let object = objects[record.id], seen.insert(ObjectIdentifier(object)).inserted
        else { continue }
        if record.kind == .deleted { gone.append(object) } else { judged.append(object) }
      }
      query.judge(judged, gone: gone, refreshed: refreshed)
    }
  }

  /// Reads the rows of objects to evaluate that are faults, in one request; most are not.
  private func read(_ objects: some Collection<ManagedObject>) throws {
    let faults = ContiguousArray(
      objects.lazy.filter { $0.isFault && !$0.flags.contains(.deleted) && $0.context != nil })
    guard !faults.isEmpty else { return }
    try context.fetcher.reading { () throws(PersistenceError) in
      try context.loader.realize(faults)
    }
  }
}

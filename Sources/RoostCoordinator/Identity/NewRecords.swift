// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// New records and the stores that they go to, run-length encoded, because records of one entity usually follow each
/// other.
package struct NewRecords {
  /// Records of one entity for one store.
  struct Run {
    let entity: EntityDescription
    let store: AttachedStore
    var count: Int
  }

  /// The last run; most saves have only one.
  private var last: Run?
  /// The runs before the last one.
  private var earlier: [Run] = []
  /// The number of records.
  package private(set) var count = 0

  package init() {}

  /// Makes a run of records of one entity in one store.
  init(_ count: Int, of entity: EntityDescription, in store: AttachedStore) {
    self.count = count
    last = Run(entity: entity, store: store, count: count)
  }

  /// Adds records one by one.
  package init(_ records: some Sequence<(EntityDescription, AttachedStore)>) {
    for (entity, store) in records { append(entity, in: store) }
  }

  /// Adds a record.
  package mutating func append(_ entity: EntityDescription, in store: AttachedStore) {
    count += 1
    if let run = last, run.entity === entity, run.store === store {
      last?.count += 1
    } else {
      if let last { earlier.append(last) }
      last = Run(entity: entity, store: store, count: 1)
    }
  }

  /// Adds records to the last run; does nothing without a run.
  package mutating func extendLast(by number: Int) {
    guard last != nil else { return }
    last?.count += number
    count += number
  }

  /// The only run; nil if there are several.
  var onlyRun: Run? { earlier.isEmpty ? last : nil }

  /// The runs in the order of the records.
  var runs: [Run] { last.map { earlier + [$0] } ?? [] }

  /// The number of records for each store, in the order of their first record.
  var countsByStore: [(store: AttachedStore, count: Int)] {
    var result: [(store: AttachedStore, count: Int)] = []
    for run in runs {
      if let index = result.firstIndex(where: { $0.store === run.store }) {
        result[index].count += run.count
      } else {
        result.append((run.store, run.count))
      }
    }
    return result
  }
}

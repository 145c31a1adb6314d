// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// New records and the stores that they go to: objects of one kind mostly come one after the other, so they are counted
/// in runs.
package struct NewRecords {
  /// Records of one entity for one store.
  struct Run {
    let entity: EntityDescription
    let store: AttachedStore
    var count: Int
  }

  private(set) var runs: [Run] = []
  /// The number of records.
  package private(set) var count = 0

  package init() {}

  /// A number of records of one entity for one store.
  init(_ count: Int, of entity: EntityDescription, in store: AttachedStore) {
    self.count = count
    runs = [Run(entity: entity, store: store, count: count)]
  }

  /// Counts records one by one.
  package init(_ records: some Sequence<(EntityDescription, AttachedStore)>) {
    for (entity, store) in records { append(entity, in: store) }
  }

  /// Adds a record.
  package mutating func append(_ entity: EntityDescription, in store: AttachedStore) {
    count += 1
    if let last = runs.last, last.entity === entity, last.store === store {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(entity: entity, store: store, count: 1))
    }
  }

  /// Adds records that are as the last one; none when there is no last one.
  package mutating func extendLast(by number: Int) {
    guard let last = runs.indices.last else { return }
    runs[last].count += number
    count += number
  }

  /// How many records each store gets, in the order of their first record.
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

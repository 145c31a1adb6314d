// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Objects that were fetched or related together: when a fault of one fires, it fires for all of them in one request.
///
/// The group knows IDs, not objects: it keeps no object alive, and objects that are gone by then are not asked for.
class FetchGroup {
  /// The members.
  let ids: ObjectIDList
  /// The number of commits that the coordinator had seen when the rows were read; negative before that.
  private(set) var commitCount: Int
  /// Whether the rows of members that are not registered yet are read together with the first one that is needed: they
  /// are destinations that a program is about to walk through.
  var readsAhead = false
  /// Whether the members are one batch of a request, whose rows are read together (B126).
  var isBatch = false
  /// The groups of the destinations, by ordinal of the relationship, made when the first destination is asked for.
  var destinations: [Int: FetchGroup] = [:]

  /// Destinations that were prefetched for the members: as long as one of them lives, they need not be made again.
  var prefetched: [PrefetchedObjects] = []

  /// The groups that were found in the same request; nil when there is no other one.
  var series: GroupSeries?
  /// Where the group stands in its series.
  var place = 0

  /// How many objects share a request at the most, unless a program walks through a ``GroupSeries``: it bounds what one
  /// access can cost.
  static let limit = 4096

  /// Whether the rows of the members were read.
  var wasRead: Bool { commitCount >= 0 }

  init(ids: ObjectIDList, commitCount: Int) {
    self.ids = ids
    self.commitCount = commitCount
  }

  convenience init(ids: [ObjectID], commitCount: Int) {
    self.init(ids: ObjectIDList(ids), commitCount: commitCount)
  }

  /// Notes that the members without rows, who are all, get them now. What is read again later is read for some.
  func rowsWereRead(after commits: Int) {
    if commitCount < 0 { commitCount = commits }
  }

  /// Groups of objects that were found together, each of as many as may share a request: the object at a place is in
  /// the group at that place divided by ``limit``.
  static func groups(of ids: ObjectIDList) -> [FetchGroup] {
    let groups = stride(from: 0, to: ids.count, by: limit).map { start in
      FetchGroup(ids: ids.part(start..<min(start + limit, ids.count)), commitCount: -1)
    }
    if groups.count > 1 {
      let series = GroupSeries()
      for group in groups { series.append(group) }
    }
    return groups
  }

  deinit {
    // A program that walks along a chain makes a chain of groups: they go one after the other, not one within another.
    guard !destinations.isEmpty else { return }
    var rest = Array(destinations.values)
    destinations = [:]
    while var group = rest.popLast() {
      guard isKnownUniquelyReferenced(&group) else { continue }
      rest.append(contentsOf: group.destinations.values)
      group.destinations = [:]
    }
  }
}

/// The destinations that one step of a prefetch has found for all objects of a fetch.
final class PrefetchedObjects {
  let objects: ContiguousArray<ManagedObject>

  init(_ objects: ContiguousArray<ManagedObject>) {
    self.objects = objects
  }
}

extension ManagedObject {
  /// The objects that were fetched together with this one.
  @inline(__always) final var fetchGroup: FetchGroup? {
    get {
      guard case .fetched(let group) = attachment else { return nil }
      return group
    }
    set { attachment = newValue.map { .fetched($0) } ?? .none }
  }
}

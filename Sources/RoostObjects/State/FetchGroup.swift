// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Objects that were fetched or related together: when a fault of one fires, it fires for all of them in one request.
///
/// The group holds IDs, not objects: it keeps no object alive, and members that were released are not read.
class FetchGroup {
  /// The members.
  let ids: ObjectIDList
  /// The coordinator's commit count when the rows were read; negative before that.
  @exclusivity(unchecked) private(set) var commitCount: Int
  /// Whether the rows of members that are not registered yet are read together with the first one needed: the
  /// destinations of a relationship that a program is about to iterate over.
  @exclusivity(unchecked) var readsAhead = false
  /// Whether the members are one batch of a request, whose rows are read together (B126).
  @exclusivity(unchecked) var isBatch = false
  /// The relationships that are loaded for the members when their rows are read.
  @exclusivity(unchecked) var prefetchedKeyPaths: [String] = []
  /// The groups of the destinations, by relationship ordinal, created when the first destination is read.
  @exclusivity(unchecked) var destinations: [Int: FetchGroup] = [:]

  /// Destinations prefetched for the members: as long as one member lives, they need not be created again.
  @exclusivity(unchecked) var prefetched: [PrefetchedObjects] = []

  /// The groups found by the same request; nil when this is the only one.
  @exclusivity(unchecked) var series: GroupSeries?
  /// The index of the group in its series.
  @exclusivity(unchecked) var place = 0

  /// The maximum number of objects in one request, unless a program iterates over a ``GroupSeries``: the limit on the
  /// cost of one access.
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

  /// Records that all members without rows get them now. A later read covers only some members.
  func rowsWereRead(after commits: Int) {
    if commitCount < 0 { commitCount = commits }
  }

  /// Splits objects that were found together into groups of at most ``limit``: the object at an index is in the group
  /// at that index divided by ``limit``.
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
    // A program that follows a chain of objects creates a chain of groups: release them iteratively, not recursively.
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

/// The destinations found by one step of a prefetch for all objects of a fetch.
final class PrefetchedObjects {
  let objects: ContiguousArray<ManagedObject>

  init(_ objects: ContiguousArray<ManagedObject>) {
    self.objects = objects
  }
}

extension ManagedObject {
  /// The fetch group of this object.
  @inline(__always) final var fetchGroup: FetchGroup? {
    get {
      guard case .fetched(let group) = attachment else { return nil }
      return group
    }
    set { attachment = newValue.map { .fetched($0) } ?? .none }
  }
}

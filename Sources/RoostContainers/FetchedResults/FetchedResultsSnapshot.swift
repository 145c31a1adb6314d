// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostObjects

/// A snapshot of fetched results, as a value for any task: the names of the sections, and the IDs of the objects.
///
/// ```swift
/// for await snapshot in controller.snapshots() { print(snapshot.itemIdentifiers.count) }
/// ```
public struct FetchedResultsSnapshot: Sendable, Hashable {
  /// The names of the sections, in order.
  public let sectionIdentifiers: [String]
  /// The objects of all sections, in order.
  public let itemIdentifiers: [ObjectID]
  /// The objects that were inserted or updated since the previous snapshot.
  public let reconfiguredItemIdentifiers: Set<ObjectID>
  private let starts: [Int]

  init<ResultType>(
    _ sections: [FetchedResultsSection<ResultType>], changed: Set<ObjectID> = []
  ) {
    sectionIdentifiers = sections.map(\.name)
    itemIdentifiers = sections.flatMap { $0.results.map(\.objectID) }
    starts = sections.map(\.start)
    reconfiguredItemIdentifiers = changed
  }

  private init(_ newest: Self, changed: Set<ObjectID>) {
    sectionIdentifiers = newest.sectionIdentifiers
    itemIdentifiers = newest.itemIdentifiers
    starts = newest.starts
    reconfiguredItemIdentifiers = changed
  }

  /// Becomes a later snapshot, with the objects changed until this one and since.
  mutating func append(_ next: Self) {
    var changed = next.reconfiguredItemIdentifiers
    if !reconfiguredItemIdentifiers.isEmpty {
      // An object that was saved meanwhile has another ID.
      let earlier = Set(reconfiguredItemIdentifiers.lazy.map(\.current))
      changed.formUnion(earlier.intersection(next.itemIdentifiers))
    }
    self = Self(next, changed: changed)
  }

  /// The number of objects.
  public var numberOfItems: Int { itemIdentifiers.count }

  /// The number of sections.
  public var numberOfSections: Int { sectionIdentifiers.count }

  /// Returns the objects of a section; none when there is no such section.
  ///
  /// - Parameter section: One of ``sectionIdentifiers``.
  public func itemIdentifiers(inSection section: String) -> ArraySlice<ObjectID> {
    guard let number = sectionIdentifiers.firstIndex(of: section) else { return [] }
    let end = number + 1 < starts.count ? starts[number + 1] : itemIdentifiers.count
    return itemIdentifiers[starts[number]..<end]
  }
}

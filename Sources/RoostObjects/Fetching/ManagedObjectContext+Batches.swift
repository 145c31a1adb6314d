// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
package import RoostQuery

// Fetches that read their rows batch by batch (B126).
extension ManagedObjectContext {
  /// Implements `fetchBatches(_:)`.
  package func makeBatches<T: ManagedObject>(
    of request: FetchRequest<T>
  ) throws -> BatchedResults<T> {
    checkQueue()
    let resolved = try fetcher.resolve(request)
    for entity in resolved.entities {
      let objectClass = EntityBinding.binding(of: entity).objectClass
      guard objectClass is T.Type else {
        throw PersistenceError(
          .invalidRequest,
          "The request asks for \(T.self), but the class of \(entity.name ?? "") is "
            + "\(objectClass).", entityName: entity.name)
      }
    }
    return BatchedResults(context: self, ids: try fetcher.fetchPackedIDs(request), request: request)
  }
}

/// The objects that match a request, read batch by batch.
///
/// The collection holds the IDs of all its objects, and the objects of the two batches used last. If a batch cannot
/// be read, its objects are faults, and the context has a `readError`.
///
/// ```swift
/// let people = try context.fetchBatches(request)
/// print(people.count, people[70_000].name)  // two queries
/// ```
public final class BatchedResults<Member: ManagedObject>: RandomAccessCollection {
  /// The IDs of all objects, in order.
  ///
  /// - Complexity: O(*n*): the collection itself stores them in a more compact form.
  public var objectIDs: [ObjectID] { Array(ids) }
  /// The number of rows in a batch.
  public let batchSize: Int
  private let ids: PackedIDs
  private let context: ManagedObjectContext
  private let prefetched: [String]
  private let realizes: Bool
  /// The batches used last, the latest first.
  private var batches: [(number: Int, members: [Member])] = []

  init(context: ManagedObjectContext, ids: PackedIDs, request: FetchRequest<Member>) {
    self.context = context
    self.ids = ids
    batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
    prefetched = request.relationshipKeyPathsForPrefetching ?? []
    realizes = !request.returnsObjectsAsFaults
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { ids.count }

  /// The object at a position.
  ///
  /// - Complexity: One query when its batch is not one of the two used last; more if relationships are prefetched.
  public subscript(position: Int) -> Member {
    precondition(indices.contains(position), "The position is beyond the results.")
    let number = position / batchSize
    let offset = position - number * batchSize
    if let latest = batches.first, latest.number == number { return latest.members[offset] }
    if let known = batches.firstIndex(where: { $0.number == number }) {
      batches.swapAt(0, known)
    } else {
      batches.insert((number, load(number)), at: 0)
      if batches.count > 2 { batches.removeLast() }
    }
    return batches[0].members[offset]
  }

  private func load(_ number: Int) -> [Member] {
    let start = number * batchSize
    let batch = Array(ids[start..<Swift.min(start + batchSize, ids.count)])
    let objects = context.fetcher.makeFaults(batch, batchSize: batchSize)
    let unread = objects.filter {
      $0.isFault && $0.row == nil && !$0.flags.contains(.inaccessible)
    }
    do {
      if !unread.isEmpty { try context.loader.readRows(of: unread, pastCache: true) }
      if realizes { try context.loader.realize(ContiguousArray(objects)) }
      try context.loader.prefetch(prefetched, of: objects)
    } catch {
      let failed = objects.filter { $0.isFault && $0.row == nil }
      context.readErrors.noteReadFailure(
        error, of: (failed.isEmpty ? objects : failed).map(\.identity))
    }
    return objects.map { object in
      guard let member = object as? Member else {
        preconditionFailure("The class of every entity was checked when the request was made.")
      }
      return member
    }
  }
}

@available(*, unavailable)
extension BatchedResults: Sendable {}

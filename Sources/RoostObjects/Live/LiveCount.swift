// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostQuery

/// A count of the objects that match a request, kept up to date.
///
/// It starts with a count request. The first change that can affect the count fetches the objects, without their
/// values, unless there are too many or each count is to be read by one request; from then on changed records are
/// evaluated one by one. Incrementing a bare count would be wrong: the count request may already include saves that
/// the context merges later, and they would be counted twice.
package final class LiveCount {
  /// The greatest number of objects that are fetched for a count, unless another one is given.
  package static let greatestKept = 4_096

  private unowned let context: ManagedObjectContext
  private let request: FetchRequest<ManagedObject>
  private let isKeepable: Bool
  /// The greatest number of objects that are fetched. Above twice this number, count requests are used again.
  private let bound: Int
  private let tell: (Result<Int, PersistenceError>) -> Void
  private var number = 0
  /// The observed count request; nil while the objects are kept.
  private var value: LiveValue?
  private var query: LiveQuery?

  /// Requests the count, and keeps it up to date.
  ///
  /// - Parameters:
  ///   - isAlwaysFetched: Whether each count is read by one request.
  ///   - bound: The greatest number of objects that are fetched for the count.
  ///   - waits: Whether to retry, and not to throw, when a store cannot be read.
  ///   - tell: Called with the count now and after each change that can affect it, and with errors.
  /// - Throws: As `count`.
  package init<T>(
    of request: FetchRequest<T>, isAlwaysFetched: Bool = false,
    keeping bound: Int = LiveCount.greatestKept, waits: Bool = false,
    in context: ManagedObjectContext,
    _ tell: @escaping (Result<Int, PersistenceError>) -> Void
  ) throws {
    self.context = context
    self.request = FetchRequest(request.criteria)
    self.bound = bound
    self.tell = tell
    isKeepable = Self.isKeepable(
      request.criteria, LiveFootprint(try context.fetcher.resolve(self.request)),
      isAlwaysFetched: isAlwaysFetched)
    try beginAsking()
    do {
      number = try context.count(for: self.request)
    } catch {
      guard waits, PersistenceError.wrapping(error).isOfStore else { throw error }
      value?.isStale = true
      return
    }
    tell(.success(number))
  }

  /// Whether the objects are kept, so that a change costs no count request.
  package var isKept: Bool { query != nil }

  /// Whether changed records can be evaluated one by one: only their own values decide whether they match.
  ///
  /// - Parameter isAlwaysFetched: Whether each count is to be read by one request.
  static func isKeepable(
    _ criteria: FetchCriteria, _ footprint: LiveFootprint, isAlwaysFetched: Bool
  ) -> Bool {
    let isOfObjects = [.managedObjectResultType, .managedObjectIDResultType].contains(
      criteria.resultType)
    return isOfObjects && footprint.related.isEmpty && criteria.fetchLimit == 0
      && criteria.fetchOffset == 0 && LiveFetchReason.all(for: criteria, isAlwaysFetched).isEmpty
  }

  private func beginAsking() throws {
    value = try context.follow(valueOf: request) { [weak self] in self?.update() }
  }

  private func update() {
    do {
      // The old number says only that it may be worth a try: many objects may have come at once.
      if try !isKeepable || number > bound || !keep() {
        number = try context.count(for: request)
      }
      value?.isStale = false
      tell(.success(number))
    } catch {
      value?.isStale = true
      tell(.failure(.wrapping(error, .persistentStoreOperation)))
    }
  }

  /// Fetches the objects, and keeps them up to date from now on.
  ///
  /// - Returns: Whether they are no more than the bound; others are not kept.
  private func keep() throws -> Bool {
    let objects = request.changed {
      $0.resultType = .managedObjectResultType
      $0.sortDescriptors = nil
      $0.relationshipKeyPathsForPrefetching = nil
      $0.fetchBatchSize = 0
      $0.includesPropertyValues = false
    }
    context.checkQueue()
    context.processPendingChanges()
    guard let query = try context.liveQueries.query(for: objects, atMost: bound) else {
      return false
    }
    query.add(self)
    (self.query, value) = (query, nil)
    number = query.elements.count
    return true
  }

  /// Releases the objects, which have become too many, and uses count requests again.
  ///
  /// - Throws: As `fetch`; the objects are still kept then, and the next change tries again.
  private func askAgain(_ query: LiveQuery) throws {
    try beginAsking()
    context.unfollow(query, for: self)
    self.query = nil
  }
}

extension LiveCount: LiveListener {
  package func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    guard query === self.query else { return }
    number = step.new.count
    tell(.success(number))
    guard number > 2 * bound else { return }
    do {
      try askAgain(query)
    } catch {
      tell(.failure(.wrapping(error, .persistentStoreOperation)))
    }
  }

  package func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    if query === self.query { tell(.failure(error)) }
  }

  package func liveQueryWasInvalidated(_ query: LiveQuery) {}
}

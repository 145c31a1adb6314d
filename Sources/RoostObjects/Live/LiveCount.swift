// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostQuery

/// How many objects match a request, kept up to date.
///
/// It begins with a request for the number. With the first change that can concern it the objects are fetched, without
/// their values, if they are not too many; from then on changed records are judged one by one. A number alone could not
/// be added to: it may count saves already that the context merges later, and then they would be counted twice.
package final class LiveCount {
  /// The greatest number of objects that are fetched for it. Of twice as many the number is asked for again.
  static let greatestKept = 4_096

  private unowned let context: ManagedObjectContext
  private let request: FetchRequest<ManagedObject>
  private let isKeepable: Bool
  private let tell: (Result<Int, PersistenceError>) -> Void
  private var number = 0
  /// What asks for the number; nil while the objects are kept.
  private var value: LiveValue?
  private var query: LiveQuery?

  /// Asks for the number, and follows it.
  ///
  /// - Parameter tell: Told of the number now and after each change that may have changed it, and of errors.
  /// - Throws: As `count`.
  package init<T>(
    of request: FetchRequest<T>, in context: ManagedObjectContext,
    _ tell: @escaping (Result<Int, PersistenceError>) -> Void
  ) throws {
    self.context = context
    self.request = FetchRequest(request.criteria)
    self.tell = tell
    isKeepable = Self.isKeepable(
      request.criteria, LiveFootprint(try context.fetcher.resolve(self.request)))
    try beginAsking()
    number = try context.count(for: self.request)
    tell(.success(number))
  }

  /// Whether the objects are kept, so that a change costs no request for their number.
  package var isKept: Bool { query != nil }

  /// Whether changed records can be judged one by one: nothing but their own values says whether they match.
  static func isKeepable(_ criteria: FetchCriteria, _ footprint: LiveFootprint) -> Bool {
    let isOfObjects = [.managedObjectResultType, .managedObjectIDResultType].contains(
      criteria.resultType)
    return isOfObjects && footprint.related.isEmpty && criteria.fetchLimit == 0
      && criteria.fetchOffset == 0 && LiveFetchReason.all(for: criteria, false).isEmpty
  }

  private func beginAsking() throws {
    value = try context.follow(valueOf: request) { [weak self] in self?.update() }
  }

  private func update() {
    do {
      if isKeepable, number <= Self.greatestKept {
        try keep()
      } else {
        number = try context.count(for: request)
      }
      value?.isStale = false
      tell(.success(number))
    } catch {
      value?.isStale = true
      tell(.failure(.wrapping(error, .persistentStoreOperation)))
    }
  }

  /// Fetches the objects, and follows them from now on.
  private func keep() throws {
    let objects = request.changed {
      $0.resultType = .managedObjectResultType
      $0.sortDescriptors = nil
      $0.relationshipKeyPathsForPrefetching = nil
      $0.fetchBatchSize = 0
      $0.includesPropertyValues = false
    }
    let query = try context.follow(objects, for: self)
    (self.query, value) = (query, nil)
    number = query.elements.count
  }

  /// Lets go of the objects, which have become too many.
  private func askAgain(_ query: LiveQuery) throws {
    context.unfollow(query, for: self)
    self.query = nil
    try beginAsking()
  }
}

extension LiveCount: LiveListener {
  package func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    guard query === self.query else { return }
    number = step.new.count
    tell(.success(number))
    guard number > 2 * Self.greatestKept else { return }
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

// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery

/// A request about a moment of the stores' histories.
///
/// ```swift
/// let request = FetchRequest<ObjectID>(entityName: "Person")
/// let then = try context.fetch(request.asOf(token))
/// ```
public struct PastFetchRequest<ResultType>: Sendable {
  /// What is asked.
  public let request: FetchRequest<ResultType>
  let moment: PastReading.Moment
}

extension FetchRequest {
  /// Returns the request about a moment: for IDs, dictionaries and numbers. Objects are read in a context of that
  /// moment, which `context(asOf:)` of the container makes.
  ///
  /// - Parameter token: The moment.
  public func asOf(_ token: PersistentHistoryToken) -> PastFetchRequest<ResultType> {
    PastFetchRequest(request: self, moment: .token(token))
  }

  /// Returns the request about a time: after the last transaction that was not later.
  ///
  /// - Parameter date: The time.
  public func asOf(_ date: Date) -> PastFetchRequest<ResultType> {
    PastFetchRequest(request: self, moment: .date(date))
  }
}

extension ManagedObjectContext {
  /// Returns the IDs of what a request would have found at its moment. Unsaved changes of the context do not count.
  ///
  /// - Parameter past: The request and its moment.
  /// - Throws: As `fetch` does; ``PersistenceError`` with code `persistentHistoryTokenExpired` when a store cannot show
  ///   the moment.
  /// - Complexity: As that of `context(asOf:)` and of its first request; for several requests about one moment make a
  ///   context.
  public func fetch(_ past: PastFetchRequest<ObjectID>) throws -> [ObjectID] {
    try asking(past.moment) { try $0.fetch(past.request) }
  }

  /// Returns the dictionaries that a request would have found at its moment. Unsaved changes of the context do not
  /// count.
  ///
  /// - Parameter past: The request and its moment.
  /// - Throws: As the form for IDs.
  /// - Complexity: As that of the form for IDs.
  public func fetch(_ past: PastFetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try asking(past.moment) { try $0.fetch(past.request) }
  }

  /// Returns how many objects a request would have found at its moment. Unsaved changes of the context do not count.
  ///
  /// - Parameter past: The request and its moment.
  /// - Throws: As `fetch` does.
  /// - Complexity: As that of `fetch`.
  public func count<T>(for past: PastFetchRequest<T>) throws -> Int {
    try asking(past.moment) { try $0.count(for: past.request) }
  }

  private func asking<Answer>(
    _ moment: PastReading.Moment, _ ask: (ManagedObjectContext) throws -> Answer
  ) throws -> Answer {
    let context = try PastReading.makeContext(of: moment, besides: self)
    return try context.performAndWait { try ask(context) }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery

/// A request for a past state of the stores, from their histories.
///
/// ```swift
/// let request = FetchRequest<ObjectID>(entityName: "Person")
/// let then = try context.fetch(request.asOf(token))
/// ```
public struct PastFetchRequest<ResultType>: Sendable {
  /// The request.
  public let request: FetchRequest<ResultType>
  let moment: PastReading.Moment
}

extension FetchRequest {
  /// Returns the request for a past state: for IDs, dictionaries and counts. To read past objects, use a context from
  /// `context(asOf:)` of the container.
  ///
  /// - Parameter token: The token of the past state.
  public func asOf(_ token: PersistentHistoryToken) -> PastFetchRequest<ResultType> {
    PastFetchRequest(request: self, moment: .token(token))
  }

  /// Returns the request for the state at a time: after the last transaction at or before it.
  ///
  /// - Parameter date: The time.
  public func asOf(_ date: Date) -> PastFetchRequest<ResultType> {
    PastFetchRequest(request: self, moment: .date(date))
  }
}

extension ManagedObjectContext {
  /// Returns the IDs that a request would have found in a past state. Unsaved changes of the context are not
  /// included.
  ///
  /// - Parameter past: The request and its past state.
  /// - Throws: As `fetch` does; ``PersistenceError`` with code `persistentHistoryTokenExpired` when the history of a
  ///   store does not go back to that state.
  /// - Complexity: As that of `context(asOf:)` and of its first request; for several requests for one past state,
  ///   make a context.
  public func fetch(_ past: PastFetchRequest<ObjectID>) throws -> [ObjectID] {
    try asking(past.moment) { try $0.fetch(past.request) }
  }

  /// Returns the dictionaries that a request would have found in a past state. Unsaved changes of the context are not
  /// included.
  ///
  /// - Parameter past: The request and its past state.
  /// - Throws: As the form for IDs.
  /// - Complexity: As that of the form for IDs.
  public func fetch(_ past: PastFetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try asking(past.moment) { try $0.fetch(past.request) }
  }

  /// Returns the number of objects that a request would have found in a past state. Unsaved changes of the context
  /// are not included.
  ///
  /// - Parameter past: The request and its past state.
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

// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Fetches the objects that match a request, and keeps them up to date: after changes of the context and, as the
  /// options say, after saves of other contexts, coordinators and processes.
  ///
  /// ```swift
  /// let open = try context.live(Issue.where { $0.isOpen == true }.sorted(by: \.number))
  /// ```
  /// Unsaved changes of the context count as in a fetch. Only a change that can concern the results costs anything: one
  /// of their own records is judged in memory, one that reaches them through a relationship of the condition or the
  /// order fetches them anew. With a limit some more records than wanted are kept, so that most departures cost no
  /// request, and with an offset those before it; beyond 256 each change that concerns the results fetches them
  /// anew. Equal requests in one context share the work.
  ///
  /// - Parameters:
  ///   - request: What is asked. What is changed of it afterwards does not count.
  ///   - options: How the results follow. With the scope `everything` or `thisCoordinator` the context merges what
  ///     others save from then on.
  /// - Returns: The results, which follow as long as the program holds them.
  /// - Throws: As `fetch`; ``PersistenceError`` with code `invalidRequest` when the context reads one snapshot and the
  ///   scope is not `thisContext`, and when a section would stand in several places.
  /// - Complexity: As `fetch`; afterwards O(*k* log *n*) comparisons and O(*n*) moves of references for *k* changed
  ///   records of *n* results, and at most one request for the rows of records that the context does not have yet,
  ///   whatever the number of live results.
  public func live<T: ManagedObject>(
    _ request: FetchRequest<T>, options: LiveOptions = LiveOptions()
  ) throws -> LiveResults<T> {
    switch options.scope {
    case .everything: try mergeForLiveResults(remote: true)
    case .thisCoordinator: try mergeForLiveResults(remote: false)
    case .thisContext: break
    }
    return try LiveResults(options: options, in: self) { results in
      try follow(
        request, sectionKeyPath: options.sectionKeyPath,
        isAlwaysFetched: options.consistency == .snapshot, for: results)
    }
  }
}

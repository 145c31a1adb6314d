// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Fetches the objects that match a request, and keeps them up to date: after changes of the context and, depending
  /// on the options, after saves of other contexts, coordinators and processes.
  ///
  /// ```swift
  /// let open = try context.live(Issue.where { $0.isOpen == true }.sorted(by: \.number))
  /// ```
  /// Unsaved changes of the context are included as in a fetch. Only a change that may affect the results costs
  /// anything: a changed record of their own is evaluated in memory, and a change that reaches them through a
  /// relationship of the condition or the order causes a new fetch. With a limit, some additional records are kept,
  /// so that most removals cost no request, and with an offset, the records before it; beyond 256 records, each
  /// relevant change causes a new fetch. Equal requests in one context share the work.
  ///
  /// - Parameters:
  ///   - request: The request. Later changes to it have no effect.
  ///   - options: Options of the live results. With the scope `everything` or `thisCoordinator` the context merges
  ///     others' saves from then on.
  /// - Returns: The results, which are updated as long as the program holds them.
  /// - Throws: As `fetch`; ``PersistenceError`` with code `invalidRequest` when the context reads one snapshot and
  ///   the scope is not `thisContext`, when a section would not be contiguous, and for a buffering without room for
  ///   an update.
  /// - Complexity: As `fetch`; afterwards O(*k* log *n*) comparisons and O(*n*) moves of references for *k* changed
  ///   records of *n* results, and at most one request for the rows of records that the context does not have yet,
  ///   whatever the number of live results.
  public func live<T: ManagedObject>(
    _ request: FetchRequest<T>, options: LiveOptions = LiveOptions()
  ) throws -> LiveResults<T> {
    try options.check(forValues: false)
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

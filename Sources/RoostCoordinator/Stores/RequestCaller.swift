// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// The caller of a request, for instruments: it is made only while there are some.
package struct RequestCaller: Sendable {
  /// The caller on the current thread; nil when none was set.
  @TaskLocal static var current: RequestCaller?

  /// The name of the context.
  private(set) var contextName: String?
  /// The author of the context.
  private(set) var author: String?
  /// The line of the program to which the context attributes its requests.
  private(set) var callSite: CallSite?
  /// Whether the request comes from a fault or a relationship.
  private(set) var isImplicit: Bool

  /// Makes a caller.
  package init(contextName: String?, author: String?, callSite: CallSite?, isImplicit: Bool) {
    self.contextName = contextName
    self.author = author
    self.callSite = callSite
    self.isImplicit = isImplicit
  }

  /// Runs work whose requests have this caller. Nested work keeps the outer caller: a relationship that fires asks
  /// for rows, and a child asks its parent.
  package func calling<Answer, Failure: Error>(
    _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    guard Self.current == nil else { return try work() }
    return try Self.$current.holding(self, work)
  }
}

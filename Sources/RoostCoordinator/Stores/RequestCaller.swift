// SPDX-License-Identifier: Apache-2.0

/// Who asks the stores, for instruments: nobody makes one while there are none.
package struct RequestCaller: Sendable {
  /// Who asks on the calling thread; nil where nobody said so.
  @TaskLocal static var current: RequestCaller?

  /// The name of the context.
  private(set) var contextName: String?
  /// The author of the context.
  private(set) var author: String?
  /// Whether a fault or a relationship asks.
  private(set) var isImplicit: Bool

  /// Names who asks.
  package init(contextName: String?, author: String?, isImplicit: Bool) {
    self.contextName = contextName
    self.author = author
    self.isImplicit = isImplicit
  }

  /// Runs work whose requests have this caller. Work within work that has one already goes on under its name: a
  /// relationship that fires asks for rows, and a child asks its parent.
  package func calling<Answer, Failure: Error>(
    _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    guard Self.current == nil else { return try work() }
    return try Self.$current.holding(self, work)
  }
}

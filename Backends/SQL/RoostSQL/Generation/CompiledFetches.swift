// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery
import RoostStore
import Synchronization

/// The driver's decoder for the results of a statement. Each driver has one class.
package protocol StatementDecoder: AnyObject, Sendable {}

/// The statement of a request, and the decoder of its results.
package final class CompiledStatement: Sendable {
  /// The statement. Its own bindings are those of the request from which it was generated.
  package let query: SQLQuery
  /// The driver's decoder of the results.
  package let decoder: any StatementDecoder
  /// Retained, so that no other shape gets the same identity.
  private let shape: FetchShape?
  /// The kind of the column that each value is compared with; nil for a statement that is not cached.
  let kinds: [SlotKind]?

  package init(
    _ query: SQLQuery, _ decoder: any StatementDecoder, shape: FetchShape? = nil,
    kinds: [SlotKind]? = nil
  ) {
    self.query = query
    self.decoder = decoder
    self.shape = shape
    self.kinds = kinds
  }
}

/// A request as a statement and the values of its parameters.
package struct CompiledFetch: Sendable {
  package let statement: CompiledStatement
  /// The values of the statement's parameters.
  package let bindings: [SQLValue]

  /// - Parameter statement: A statement that was generated for the request itself.
  package init(_ statement: CompiledStatement) {
    self.init(statement, statement.query.bindings)
  }

  init(_ statement: CompiledStatement, _ bindings: [SQLValue]) {
    self.statement = statement
    self.bindings = bindings
  }
}

/// A cache of the statements of a store's requests, by the shape of the request.
///
/// A statement is cached when its parameters are the request's values in their order, followed by those of limit and
/// offset. Requests that leave a condition to memory, and those whose text depends on a value, are generated anew each
/// time. The number of statements is bounded. The cache belongs to the schema that the store was prepared with.
package final class CompiledFetches: Sendable {
  private struct Key: Hashable {
    let shape: ObjectIdentifier
    let hasLimit: Bool
    let hasOffset: Bool
  }

  private let schema: SQLSchema
  private let makeDecoder: @Sendable (SQLQuery, ResolvedFetch) -> any StatementDecoder
  private let statements: Mutex<BoundedCache<Key, CompiledStatement>>

  /// - Parameters:
  ///   - schema: The tables.
  ///   - capacity: The largest number of cached statements.
  ///   - makeDecoder: Makes the driver's decoder of a statement's results.
  package init(
    _ schema: SQLSchema, capacity: Int = 256,
    makeDecoder: @escaping @Sendable (SQLQuery, ResolvedFetch) -> any StatementDecoder
  ) {
    self.schema = schema
    self.makeDecoder = makeDecoder
    statements = Mutex(BoundedCache(capacity: capacity))
  }

  /// The number of cached statements.
  package var count: Int { statements.withLock { $0.count } }

  /// Returns the statement of a request, with its values.
  ///
  /// - Throws: The errors of generating the statement.
  package func fetch(for request: ResolvedFetch) throws -> CompiledFetch {
    guard let shape = request.shape else { return CompiledFetch(try compile(request, nil)) }
    let key = Key(
      shape: ObjectIdentifier(shape), hasLimit: request.limit != nil,
      hasOffset: request.offset > 0)
    if let known = statements.withLock({ $0[key] }) {
      guard let kinds = known.kinds, let bindings = bindings(of: request, as: kinds) else {
        return CompiledFetch(try compile(request, nil))
      }
      return CompiledFetch(known, bindings)
    }
    let compiled = try compile(request, shape)
    // A value may be the reason that a statement cannot be cached: the next request of the shape is checked again.
    if compiled.kinds != nil { statements.withLock { $0[key] = compiled } }
    return CompiledFetch(compiled)
  }

  /// Returns the compiled form of a request whose rows need some slots only; it is not kept.
  ///
  /// - Parameter neededSlots: The names of the slots; nil for all, as with ``fetch(for:)``.
  package func fetch(
    for request: ResolvedFetch, needing neededSlots: Set<String>?
  ) throws -> CompiledFetch {
    guard let neededSlots else { return try fetch(for: request) }
    let query = try FetchGenerator.query(for: request, in: schema, neededSlots: neededSlots)
    return CompiledFetch(CompiledStatement(query, makeDecoder(query, request)))
  }

  private func compile(_ request: ResolvedFetch, _ shape: FetchShape?) throws -> CompiledStatement {
    let query = try FetchGenerator.query(for: request, in: schema)
    return CompiledStatement(
      query, makeDecoder(query, request), shape: shape,
      kinds: shape == nil ? nil : kinds(of: request, query))
  }

  /// Returns the kinds by which a request's values become the parameters of its statement; nil when they do not.
  private func kinds(of request: ResolvedFetch, _ query: SQLQuery) -> [SlotKind]? {
    guard query.remainder?.predicate == nil, request.predicate?.dependsOnKindsOnly ?? true,
      let places = request.predicate.map({ $0.argumentPlaces }) ?? []
    else { return nil }
    let kinds = places.map { place in
      if case .attribute(_, let slot) = place.path.end { slot.kind } else { SlotKind.reference }
    }
    return bindings(of: request, as: kinds) == query.bindings ? kinds : nil
  }

  /// Returns the parameters of a request's statement; nil when a value cannot be bound.
  private func bindings(of request: ResolvedFetch, as kinds: [SlotKind]) -> [SQLValue]? {
    var bindings: [SQLValue] = []
    bindings.reserveCapacity(kinds.count + 2)
    for (value, kind) in zip(request.arguments, kinds) {
      guard case .value(let bound)? = schema.constant(value, as: kind) else { return nil }
      bindings.append(bound)
    }
    if let limit = request.limit { bindings.append(.integer(Int64(limit))) }
    if request.offset > 0 { bindings.append(.integer(Int64(request.offset))) }
    return bindings
  }
}

extension ResolvedPredicate {
  /// Whether the text of the condition is the same for all non-nil values of the same kinds. Recursive by the depth of
  /// the tree, which was checked.
  fileprivate var dependsOnKindsOnly: Bool {
    switch self {
    case .constant: true
    case .comparison(let comparison):
      switch comparison.comparison {
      // The generated text of a search may depend on the searched text.
      case .contains, .beginsWith, .endsWith, .like, .matches, .search: false
      default: true
      }
    case .and(let parts), .or(let parts): parts.allSatisfy(\.dependsOnKindsOnly)
    case .not(let part): part.dependsOnKindsOnly
    }
  }
}

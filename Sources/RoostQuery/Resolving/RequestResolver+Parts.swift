// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Resolution of single conditions, expressions and sort orders, for indexes, derived attributes, batch requests and
// validation.
extension RequestResolver {
  /// Resolves a condition on the objects of an entity.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - entity: The entity of the objects.
  ///   - inMemory: Whether it is evaluated in memory only, which allows transient properties.
  /// - Throws: The errors of resolving a request.
  public func predicate(
    _ predicate: FetchPredicate, of entity: EntityDescription, inMemory: Bool = false
  ) throws -> ResolvedPredicate {
    try checkShape(QueryShape(of: predicate), entity)
    var resolver = resolver(for: entity)
    resolver.allowsTransient = inMemory
    return try resolver.predicate(predicate)
  }

  /// Resolves an expression over one object of an entity.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - entity: The entity of the object.
  ///   - inMemory: Whether it is evaluated in memory only, which allows transient properties.
  /// - Throws: The errors of resolving a request.
  public func expression(
    _ expression: FetchExpression, of entity: EntityDescription, inMemory: Bool = false
  ) throws -> ResolvedExpression {
    try checkShape(QueryShape(of: expression), entity)
    var resolver = resolver(for: entity)
    resolver.allowsTransient = inMemory
    return try resolver.expression(expression).expression
  }

  /// Resolves a sort order.
  ///
  /// - Throws: `unknownKey`, and `invalidRequest` for a key path with a to-many step, a relationship or a transient
  ///   attribute.
  public func sort(
    _ steps: [SortOrdering], of entity: EntityDescription, inMemory: Bool = false
  ) throws -> [ResolvedSort] {
    var resolver = resolver(for: entity)
    resolver.allowsTransient = inMemory
    return try steps.map { try resolver.sort($0) }
  }

  /// Whether a single value satisfies a condition on `SELF`, as in validation.
  ///
  /// - Throws: The errors of resolving a request.
  public func evaluate(_ predicate: FetchPredicate, with value: Value) throws -> Bool {
    try checkShape(QueryShape(of: predicate), nil)
    var resolver = resolver(for: nil)
    guard case .constant(let truth) = try resolver.predicate(predicate.aboutValue(value)) else {
      throw PersistenceError(
        .invalidRequest, "The condition “\(predicate)” is not about a lone value.")
    }
    return truth
  }

  // MARK: Pieces

  /// Returns a condition, or nil when it is always true.
  func condition(
    _ predicate: FetchPredicate, of entity: EntityDescription
  ) throws -> ResolvedPredicate? {
    let resolved = try self.predicate(predicate, of: entity)
    if case .constant(true) = resolved { return nil }
    return resolved
  }

  func resolver(for entity: EntityDescription?) -> PredicateResolver {
    var resolver = PredicateResolver(model: model, entity: entity, now: now)
    resolver.comparesByAffinity = comparesByAffinity
    if let objectValue {
      resolver.objectValue = { id, path in
        PredicateArgument.canonical(try objectValue(id, path)) ?? .constant(.null)
      }
    }
    return resolver
  }

  func checkShape(_ shape: QueryShape, _ entity: EntityDescription?) throws {
    guard shape.isAllowed else {
      throw PersistenceError(
        .limitExceeded,
        "A query is nested \(shape.depth) deep with \(shape.nodeCount) nodes; the limits are "
          + "\(QueryLimits.maximumDepth) and \(QueryLimits.maximumNodeCount).",
        entityName: entity?.name)
    }
  }
}

extension PredicateResolver {
  func sort(_ step: SortOrdering) throws -> ResolvedSort {
    if let refusal = step.refusal { throw refusal.error }
    let steps = step.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !steps.contains(where: { $0.hasPrefix("@") }) else {
      throw invalid("“\(step.key)” cannot be sorted by: it has a collection operator")
    }
    let typed = try path(steps[...], from: .object)
    guard !typed.path.isToMany else {
      throw invalid("“\(step.key)” has many values and cannot be sorted by")
    }
    let isIdentity = typed.type == .object && typed.path.relationships.isEmpty
    guard typed.type.isOrdered || isIdentity else {
      throw invalid("“\(step.key)”, \(typed.type.name), cannot be sorted by")
    }
    if step.search != nil, typed.type != .string {
      throw invalid("“\(step.key)”, \(typed.type.name), is no text that can be searched")
    }
    return ResolvedSort(
      path: typed.path, ascending: step.ascending,
      comparator: typed.type == .string && step.search == nil ? step.comparator : .binary,
      search: try step.search?.checked(key: step.key))
  }
}

extension FetchPredicate {
  /// Returns the condition with `SELF` replaced by a value. It recurses to the depth of the tree, which was checked.
  fileprivate func aboutValue(_ value: Value) -> FetchPredicate {
    switch self {
    case .constant: self
    case .comparison(var comparison):
      {
        comparison.left = comparison.left.aboutValue(value)
        comparison.right = comparison.right.aboutValue(value)
        return .comparison(comparison)
      }()
    case .and(let operands): .and(operands.map { $0.aboutValue(value) })
    case .or(let operands): .or(operands.map { $0.aboutValue(value) })
    case .not(let operand): .not(operand.aboutValue(value))
    }
  }
}

extension FetchExpression {
  fileprivate func aboutValue(_ value: Value) -> FetchExpression {
    switch self {
    case .evaluatedObject: .constant(value)
    case .keyPath(["length"]), .keyPath(["@count"]): .function(.length, [.constant(value)])
    case .function(let function, let arguments):
      .function(function, arguments.map { $0.aboutValue(value) })
    case .list(let members): .list(members.map { $0.aboutValue(value) })
    case .conditional(let condition, let first, let second):
      .conditional(
        condition.aboutValue(value), first.aboutValue(value), second.aboutValue(value))
    default: self
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Comparisons of objects by identity, without loading the objects (B143).
extension PredicateCompiler {
  /// The identity of a path's last object, obtained without loading it where the last step is to-one.
  private struct IdentityPath {
    /// The path up to the object whose reference contains the identity.
    let path: ResolvedPath
    let last: RelationshipDescription?
    let owner: EntityDescription?

    init(_ path: ResolvedPath) {
      guard let last = path.relationships.last, !last.isToMany else {
        self.path = path
        self.last = nil
        owner = nil
        return
      }
      self.last = last
      owner = path.guardEntity(ofStep: path.relationships.count - 1)
      var shorter = path
      shorter.relationships.removeLast()
      self.path = shorter
    }

    func identity(_ item: Item?, _ source: Source) throws -> Source.Identity? {
      guard let item else { return nil }
      guard let last else { return source.identity(of: item) }
      if let owner, !source.entity(of: item).isKindOf(entity: owner) { return nil }
      return try source.destinationIdentity(of: last, from: item)
    }
  }

  func identityTest(
    _ path: ResolvedPath, _ operand: ConstantOperand, _ comparison: ResolvedComparison
  ) throws -> Test {
    if case .value(.objectID(let id)) = operand, comparison.comparison.isOfOrder,
      path.relationships.isEmpty
    {
      return try orderTest(path, id, comparison)
    }
    let end = IdentityPath(path)
    let test = try identityTest(operand, comparison.comparison)
    return try quantified(end.path, comparison.modifier) { item, scope in
      test(try end.identity(item, scope.source))
    }
  }

  /// Compares objects by the tie-breaker.
  private func orderTest(
    _ path: ResolvedPath, _ id: ObjectID, _ comparison: ResolvedComparison
  ) throws -> Test {
    let place = id.current.tieBreaker
    let operation = comparison.comparison
    return try quantified(path, comparison.modifier) { item, scope in
      guard let item else { return false }
      return operation.accepts(ValueComparison.order(scope.source.tieBreaker(of: item), place))
    }
  }

  private func identityTest(
    _ operand: ConstantOperand, _ comparison: ComparisonPredicate.Comparison
  ) throws -> (Source.Identity?) -> Bool {
    let values =
      switch operand {
      case .value(let value): [value]
      case .list(let values): values
      }
    let hasNull = values.contains(where: \.isNull)
    var identities: Set<Source.Identity> = []
    for case .objectID(let id) in values {
      // An ID that no item can have equals nothing.
      if let identity = source.identity(for: id.current) { identities.insert(identity) }
    }
    let isMember: (Source.Identity?) -> Bool = { identity in
      identity.map(identities.contains) ?? hasNull
    }
    switch (comparison, operand) {
    case (.equalTo, .value), (.in, .list): return isMember
    case (.notEqualTo, .value): return { !isMember($0) }
    default: throw Self.invalid("objects are compared with ==, != and IN only")
    }
  }

  /// Compares the objects at the ends of two paths.
  func identityTest(
    _ left: ResolvedPath, _ right: ResolvedPath, _ comparison: ResolvedComparison
  ) throws -> Test {
    guard comparison.comparison == .equalTo || comparison.comparison == .notEqualTo else {
      throw Self.invalid("objects are compared with ==, != and IN only")
    }
    guard !right.isToMany else { throw Self.needsQuantifier() }
    let isEqual = comparison.comparison == .equalTo
    let (first, second) = (IdentityPath(left), IdentityPath(right))
    let other = try CompiledPath<Source>(second.path)
    return try quantified(first.path, comparison.modifier) { item, scope in
      let left = try first.identity(item, scope.source)
      let right = try second.identity(try other.destination(scope), scope.source)
      return (left == right) == isEqual
    }
  }

  /// Returns the ID of a path's last object as a value.
  func identityValue(_ path: ResolvedPath) throws -> (Scope) throws -> Value {
    let end = IdentityPath(path)
    let compiled = try CompiledPath<Source>(end.path)
    return { scope in
      let identity = try end.identity(try compiled.destination(scope), scope.source)
      return identity.flatMap(scope.source.objectID).map(Value.objectID) ?? .null
    }
  }
}

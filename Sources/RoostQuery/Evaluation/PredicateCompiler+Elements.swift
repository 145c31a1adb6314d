// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The elements of attributes that hold collections of values.
extension PredicateCompiler {
  /// A test of one element.
  typealias ElementTest = (Value, Scope) throws -> Bool

  /// Applies a test to the elements at the end of a path.
  func quantified(
    elementsOf path: ResolvedPath, _ modifier: ComparisonPredicate.Modifier,
    _ test: @escaping ElementTest
  ) throws -> Test {
    let contains = try elements(of: path)
    switch modifier {
    case .any: return .scoped { scope in try contains(scope) { try test($0, scope) } }
    case .all: return .scoped { scope in !(try contains(scope) { !(try test($0, scope)) }) }
    case .direct: throw Self.needsQuantifier()
    }
  }

  /// Returns a function that calls a closure with each element at the end of a path, until the closure returns true;
  /// its result is whether that happened.
  func elements(
    of path: ResolvedPath
  ) throws -> (Scope, (Value) throws -> Bool) throws -> Bool {
    guard case .elements(let attribute, let slot) = path.end, let type = attribute.elementType
    else { throw Self.invalid("the path has no elements") }
    let compiled = try CompiledPath<Source>(path)
    let entity = path.endGuard
    return { scope, body in
      try compiled.contains(scope) { item in
        guard let item else { return false }
        if let entity, !scope.source.entity(of: item).isKindOf(entity: entity) { return false }
        guard
          let collection: TransformableValue = RowMemory.load(
            try scope.source.base(of: item), slot)
        else { return false }
        return try collection.elements(of: type, named: attribute.name).contains(where: body)
      }
    }
  }
}

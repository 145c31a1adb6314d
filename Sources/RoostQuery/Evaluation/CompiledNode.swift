// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A compiled condition, in its cheapest form.
enum CompiledTest<Source: EvaluationSource> {
  typealias Scope = EvaluationScope<Source>

  case constant(Bool)
  /// A test of only the evaluated object's attributes.
  case row(RowTest)
  case scoped((Scope) throws -> Bool)

  /// The condition in its most general form.
  var general: (Scope) throws -> Bool {
    switch self {
    case .constant(let truth): { _ in truth }
    case .row(let test): { test(try $0.base(.object)) }
    case .scoped(let test): test
    }
  }
}

/// A compiled expression, in its cheapest form.
enum CompiledValue<Source: EvaluationSource> {
  typealias Scope = EvaluationScope<Source>

  case constant(Value)
  case row((UnsafeMutableRawPointer) -> Value)
  case scoped((Scope) throws -> Value)

  /// The expression in its most general form.
  var general: (Scope) throws -> Value {
    switch self {
    case .constant(let value): { _ in value }
    case .row(let value): { value(try $0.base(.object)) }
    case .scoped(let value): value
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The arguments of a format string, taken in order by its placeholders.
struct FormatArguments {
  let source: FormatSource
  private let arguments: [Any?]
  private var taken = 0

  init(_ arguments: [Any?], source: FormatSource) {
    self.arguments = arguments
    self.source = source
  }

  /// Returns the expression for a placeholder other than `%K`.
  mutating func expression(
    for placeholder: FormatToken.Placeholder, at offset: Int
  ) throws -> FetchExpression {
    let argument = try take(at: offset)
    guard let expression = PredicateArgument.expression(argument) else {
      throw source.failure(
        "argument \(taken) has a type or value that a predicate cannot hold: \(TypeName.of(argument))",
        at: offset)
    }
    return try converted(expression, for: placeholder, at: offset)
  }

  /// Returns the steps of the key path for `%K`.
  mutating func keyPath(at offset: Int) throws -> [String] {
    let argument = try take(at: offset)
    guard let argument, let text = argument as? any StringProtocol else {
      throw source.failure(
        "argument \(taken) for %K is no string but \(TypeName.of(argument))", at: offset)
    }
    let steps = String(text).split(separator: ".", omittingEmptySubsequences: false)
    guard steps.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
      throw source.failure("argument \(taken) for %K has an empty step", at: offset)
    }
    return steps.map(String.init)
  }

  /// Checks that no argument is left over.
  func finish(at offset: Int) throws {
    guard taken == arguments.count else {
      throw source.failure("\(arguments.count) arguments for \(taken) placeholders", at: offset)
    }
  }

  private mutating func take(at offset: Int) throws -> Any? {
    guard taken < arguments.count else {
      throw source.failure("there is no argument for placeholder \(taken + 1)", at: offset)
    }
    taken += 1
    return arguments[taken - 1]
  }

  private func converted(
    _ expression: FetchExpression, for placeholder: FormatToken.Placeholder, at offset: Int
  ) throws -> FetchExpression {
    switch (placeholder, expression) {
    case (.value, _), (.integer, .constant(.integer)), (.double, .constant(.double)),
      (.text, .constant(.string)):
      return expression
    case (.integer, .constant(.double(let number))):
      if let exact = Int64(exactly: number) { return .constant(.integer(exact)) }
    case (.double, .constant(.integer(let number))):
      if let exact = Double(exactly: number) { return .constant(.double(exact)) }
    case (.double, .constant(.decimal)), (.integer, .constant(.decimal)):
      return expression
    default: break
    }
    let wanted =
      placeholder == .integer ? "an integer" : placeholder == .double ? "a number" : "a string"
    throw source.failure("argument \(taken) is not \(wanted)", at: offset)
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchExpression {
  /// Parses an expression in Core Data's format language, for example for a derived attribute or a column.
  ///
  /// ```swift
  /// let total = try FetchExpression(format: "orders.@sum.price")
  /// ```
  ///
  /// - Parameters:
  ///   - format: The expression.
  ///   - arguments: One value for each placeholder.
  /// - Throws: ``PersistenceError`` with code `invalidPredicate`, whose message shows the place, or `limitExceeded`.
  @_disfavoredOverload
  public init(format: String, _ arguments: Any?...) throws {
    self = try FormatParser.expression(format, arguments)
  }

  /// Parses an expression in Core Data's format language, with its arguments in an array.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  public init(format: String, argumentArray: [Any?]) throws {
    self = try FormatParser.expression(format, argumentArray)
  }

  /// Makes a key path from steps separated by dots: `department.name`, or `$x.name` for a variable.
  public init(forKeyPath keyPath: String) {
    let steps = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let first = steps.first, first.hasPrefix("$"), first.count > 1 {
      let variable = FetchExpression.variable(String(first.dropFirst()))
      let rest = Array(steps.dropFirst())
      self = rest.isEmpty ? variable : variable.appending(rest).expression
      return
    }
    self = FetchExpression.evaluatedObject.appending(steps).expression
  }

  /// Makes a call of a supported function.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` when there is no such function or it takes another
  ///   number of arguments.
  @_disfavoredOverload
  public init(forFunction name: String, arguments: [FetchExpression]) throws {
    guard let function = FetchFunction(formatName: name), function.arity.contains(arguments.count)
    else {
      throw PersistenceError(
        .invalidPredicate, "there is no function '\(name)' with \(arguments.count) arguments")
    }
    self = .function(function, arguments)
  }

  /// Calls ``init(forFunction:arguments:)``, under a name that no other module shadows.
  package static func calling(
    _ name: String, _ arguments: [FetchExpression]
  ) throws -> FetchExpression {
    try FetchExpression(forFunction: name, arguments: arguments)
  }

  /// The expression as a format string, which parses as an equal expression.
  public var predicateFormat: String { FormatPrinter.format(self) }
}

extension FetchExpression: CustomStringConvertible {
  /// The expression as a format string.
  public var description: String { predicateFormat }
}

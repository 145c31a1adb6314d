// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints the archived predicates and expressions of a compiled model in Core Data's format language, which the query
/// layer parses like the texts of a model's source.
struct ArchivedConditions {
  /// The maximum nesting depth of conditions.
  private static let largestDepth = 256

  let archive: KeyedArchive

  /// Returns the format of a predicate.
  ///
  /// - Throws: `invalidModel` for a class or an operator that has no format, `limitExceeded` for too deep a nesting.
  func predicate(_ object: KeyedArchive.Object, depth: Int = 0) throws(PersistenceError) -> String {
    try checkDepth(depth, object)
    switch object.className {
    case "NSTruePredicate": return "TRUEPREDICATE"
    case "NSFalsePredicate": return "FALSEPREDICATE"
    case "NSCompoundPredicate": return try compound(object, depth)
    case "NSComparisonPredicate": return try comparison(object, depth)
    default: throw archive.fault(object, "is no predicate that a model can have")
    }
  }

  /// Returns the format of an expression.
  ///
  /// - Throws: `invalidModel` for a class that has no format, `limitExceeded` for too deep a nesting.
  func expression(_ object: KeyedArchive.Object, depth: Int = 0) throws(PersistenceError) -> String
  {
    try checkDepth(depth, object)
    switch object.className {
    case "NSSelfExpression": return "SELF"
    case "NSVariableExpression", "NSVariableAssignmentExpression":
      return "$" + (try required("NSVariable", object))
    case "NSKeyPathSpecifierExpression": return try required("NSKeyPath", object)
    case "NSConstantValueExpression": return try constant(object)
    case "NSKeyPathExpression": return try keyPath(object, depth)
    case "NSFunctionExpression": return try function(object, depth)
    case "NSAggregateExpression":
      let members = try expressions(try archive.members("NSCollection", of: object), object, depth)
      return "{\(members.joined(separator: ", "))}"
    case "NSSubqueryExpression": return try subquery(object, depth)
    case "NSTernaryExpression": return try ternary(object, depth)
    case "NSFetchRequestExpression": return try fetch(object, depth)
    default: throw archive.fault(object, "is no expression that a model can have")
    }
  }
}

// MARK: - Predicates

extension ArchivedConditions {
  private func compound(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    var parts: [String] = []
    for member in try archive.members("NSSubpredicates", of: object) {
      guard case .object(let part) = member else {
        throw archive.fault(object, "has a part that is no predicate")
      }
      parts.append("(\(try predicate(part, depth: depth + 1)))")
    }
    switch try archive.number("NSCompoundPredicateType", of: object) ?? 1 {
    case 0 where parts.count == 1: return "NOT \(parts[0])"
    case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    default: throw archive.fault(object, "is of an unknown kind")
    }
  }

  private static let operators = [
    0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH",
    9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
  ]

  private func comparison(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    guard let left = try archive.child("NSLeftExpression", of: object),
      let right = try archive.child("NSRightExpression", of: object),
      let operation = try archive.child("NSPredicateOperator", of: object),
      let type = try archive.number("NSOperatorType", of: operation),
      let symbol = Self.operators[type]
    else {
      throw archive.fault(object, "is a comparison without operands or of an unknown operator")
    }
    var text = try expression(left, depth: depth + 1)
    text += " " + symbol
    var flags = try archive.number("NSFlags", of: operation) ?? 0
    if let options = try archive.number("NSOptions", of: operation) { flags = options }
    let options =
      (flags & 1 != 0 ? "c" : "") + (flags & 2 != 0 ? "d" : "") + (flags & 4 != 0 ? "n" : "")
      + (flags & 8 != 0 ? "l" : "")
    if !options.isEmpty { text += "[\(options)]" }
    text += " " + (try expression(right, depth: depth + 1))
    switch try archive.number("NSModifier", of: operation) ?? 0 {
    case 0: return text
    case 1: return "ALL " + text
    case 2: return "ANY " + text
    default: throw archive.fault(operation, "has an unknown modifier")
    }
  }
}

// MARK: - Expressions

extension ArchivedConditions {
  private func keyPath(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    let steps = try expressions(try archive.members("NSArguments", of: object), object, depth)
    guard steps.count == 1 else { throw archive.fault(object, "is no key path") }
    guard let operand = try archive.child("NSOperand", of: object),
      operand.className != "NSSelfExpression"
    else { return steps[0] }
    return "\(try expression(operand, depth: depth + 1)).\(steps[0])"
  }

  private func function(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    let name = try required("NSSelectorName", object)
    let arguments = try expressions(try archive.members("NSArguments", of: object), object, depth)
    // Only mappings contain method calls; the parser of conditions refuses them.
    if let operand = try archive.child("NSOperand", of: object),
      operand.className == "NSVariableExpression"
    {
      let receiver = try expression(operand, depth: depth + 1)
      return "FUNCTION(\(([receiver, Self.quoted(name)] + arguments).joined(separator: ", ")))"
    }
    return "\(name)(\(arguments.joined(separator: ", ")))"
  }

  private func fetch(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    guard let request = try archive.child("NSFRExpression", of: object),
      let context = try archive.child("NSMOCExpression", of: object)
    else { throw archive.fault(object, "is a fetch without its parts") }
    let isCount = try archive.isSet("NSCountOnlyFlag", of: object)
    let parts = [
      try expression(request, depth: depth + 1), try expression(context, depth: depth + 1),
      isCount ? "YES" : "NO",
    ]
    return "FETCH(\(parts.joined(separator: ", ")))"
  }

  private func subquery(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    var collection = try archive.child("NSCollection", of: object)
    if let named = try archive.child("NSExpression", of: object) { collection = named }
    guard let collection, let condition = try archive.child("NSPredicate", of: object) else {
      throw archive.fault(object, "is a subquery without collection or condition")
    }
    var variable = try archive.text("NSVariable", of: object) ?? ""
    for key in ["NSVariable", "NSVariableExpression"] {
      guard let named = try archive.child(key, of: object) else { continue }
      variable = try required("NSVariable", named)
    }
    guard !variable.isEmpty else { throw archive.fault(object, "is a subquery without a variable") }
    let list = try expression(collection, depth: depth + 1)
    return "SUBQUERY(\(list), $\(variable), \(try predicate(condition, depth: depth + 1)))"
  }

  private func ternary(
    _ object: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> String {
    guard let condition = try archive.child("NSPredicate", of: object),
      let yes = try archive.child("NSTrueExpression", of: object),
      let no = try archive.child("NSFalseExpression", of: object)
    else { throw archive.fault(object, "is a choice without its parts") }
    let parts = [
      try predicate(condition, depth: depth + 1), try expression(yes, depth: depth + 1),
      try expression(no, depth: depth + 1),
    ]
    return "TERNARY(\(parts.joined(separator: ", ")))"
  }

  private func expressions(
    _ members: [KeyedArchive.Value], _ owner: KeyedArchive.Object, _ depth: Int
  ) throws(PersistenceError) -> [String] {
    var result: [String] = []
    for member in members {
      guard case .object(let part) = member else {
        throw archive.fault(owner, "has a part that is no expression")
      }
      result.append(try expression(part, depth: depth + 1))
    }
    return result
  }

  private func constant(_ object: KeyedArchive.Object) throws(PersistenceError) -> String {
    switch try archive.value("NSConstantValue", of: object) {
    case .null: return "nil"
    case .boolean(let truth): return truth ? "YES" : "NO"
    case .integer(let number): return String(number)
    case .real(let number) where number.isFinite: return String(number)
    case .date(let seconds) where seconds.isFinite: return "CAST(\(seconds), \"NSDate\")"
    case .string(let text): return Self.quoted(text)
    case .object(let collection)
    where ["NSArray", "NSMutableArray", "NSSet"].contains(collection.className):
      return try list(collection)
    case .object(let value): throw archive.fault(value, "is no constant that a condition can have")
    default: throw archive.fault(object, "is no constant that a condition can have")
    }
  }

  private func list(_ collection: KeyedArchive.Object) throws(PersistenceError) -> String {
    var parts: [String] = []
    for member in try archive.members(of: collection) {
      switch member {
      case .boolean(let truth): parts.append(truth ? "YES" : "NO")
      case .integer(let number): parts.append(String(number))
      case .real(let number) where number.isFinite: parts.append(String(number))
      case .string(let text): parts.append(Self.quoted(text))
      default: throw archive.fault(collection, "has a member that a condition cannot have")
      }
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"", "\\": result += "\\" + String(character)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "\""
  }

  private func required(
    _ key: String, _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> String {
    guard let text = try archive.text(key, of: object), !text.isEmpty else {
      throw archive.fault(object, "has no \(key)")
    }
    return text
  }

  private func checkDepth(_ depth: Int, _ object: KeyedArchive.Object) throws(PersistenceError) {
    guard depth <= Self.largestDepth else {
      throw PersistenceError(
        .limitExceeded,
        "\(archive.name): object \(object.number) is nested more than \(Self.largestDepth) deep.")
    }
  }
}

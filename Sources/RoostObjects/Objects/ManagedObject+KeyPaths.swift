// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

// Access along relationships: `department.name`, `people.@count`.
extension ManagedObject {
  /// Returns the value at the end of a key path that goes through relationships.
  ///
  /// Behind a to-many relationship the value is an array with the value of each destination, and a collection operator
  /// may stand: `people.@count`, `people.@sum.age`, `@avg`, `@min`, `@max`, `@unionOfObjects` and
  /// `@distinctUnionOfObjects`.
  ///
  /// ```swift
  /// let boss = try person.value(forKeyPath: "department.head.name") as? String
  /// let total = try department.value(forKeyPath: "people.@sum.salary") as? Double
  /// ```
  /// - Parameter keyPath: Names of properties with dots between them.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `limitExceeded` for more than 200 steps, or
  ///   `invalidValue` when an operator is given values that it cannot compute with.
  /// - Complexity: At most one query for each step, for all objects that were fetched together.
  @_disfavoredOverload
  public final func value(forKeyPath keyPath: String) throws -> Any? {
    if keyPath.isEmpty || isOwnKey(keyPath) { return try value(forKey: keyPath) }
    return try value(along: steps(of: keyPath)[...])
  }

  /// Sets the property at the end of a key path that goes through to-one relationships; nothing happens where one of
  /// them leads nowhere.
  ///
  /// ```swift
  /// try person.setValue("Research", forKeyPath: "department.name")
  /// ```
  /// - Parameters:
  ///   - value: As for ``setValue(_:forKey:)``.
  ///   - keyPath: Names of properties with dots between them.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, also for a step that is no to-one relationship; and what
  ///   ``setValue(_:forKey:)`` throws.
  @_disfavoredOverload
  public final func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
    var object = self
    var rest = try steps(of: keyPath)[...]
    while rest.count > 1, !object.isOwnKey(rest.joined(separator: ".")) {
      let step = rest.removeFirst()
      guard let relationship = object.binding.relationship(named: step), !relationship.isToMany
      else {
        throw object.unknownKey(step)
      }
      guard let next = try object.readDestination(relationship.ordinal) else { return }
      object = next
    }
    try object.setValue(value, forKey: rest.joined(separator: "."))
  }

  /// Whether the key names a property here, or a composite's element, whose names have dots.
  private func isOwnKey(_ key: String) -> Bool {
    binding.keys.entry(for: key) != nil || binding.property(named: key) != nil
      || binding.layout.slot(named: key) != nil
  }

  /// The steps of a key path, which are no more than a condition's may be.
  private func steps(of keyPath: String) throws(PersistenceError) -> [String] {
    let limit = QueryLimits.maximumDepth
    let steps = keyPath.split(separator: ".", maxSplits: limit, omittingEmptySubsequences: false)
    guard steps.count <= limit else {
      throw PersistenceError(
        .limitExceeded, "A key path has more than \(limit) steps.", entityName: entity.name)
    }
    return steps.map(String.init)
  }

  private func value(along steps: ArraySlice<String>) throws -> Any? {
    let own = steps.joined(separator: ".")
    if steps.count == 1 || isOwnKey(own) { return try value(forKey: own) }
    guard let first = steps.first, let relationship = binding.relationship(named: first) else {
      throw unknownKey(own)
    }
    let rest = steps.dropFirst()
    guard relationship.isToMany else {
      return try readDestination(relationship.ordinal)?.value(along: rest)
    }
    guard let word = rest.first, word.hasPrefix("@") else {
      return try readLinks(relationship).members.map { try $0.value(along: rest) ?? NSNull() }
    }
    if word == "@count", rest.count == 1 {
      return try NSNumber(value: readMemberCount(relationship))
    }
    guard let operation = CollectionOperator(rawValue: word), rest.count > 1 else {
      throw unknownKey(own)
    }
    let values = try readLinks(relationship).members.compactMap {
      try $0.value(along: rest.dropFirst())
    }
    guard let result = operation.result(of: values) else {
      throw PersistenceError(
        .invalidValue, "\(word) cannot compute with such values.", entityName: entity.name,
        key: own, objectIDs: [identity])
    }
    return result is NSNull ? nil : result
  }
}

/// What stands behind a to-many relationship in a key path and makes one value of many.
private enum CollectionOperator: String {
  case sum = "@sum"
  case average = "@avg"
  case smallest = "@min"
  case largest = "@max"
  case all = "@unionOfObjects"
  case distinct = "@distinctUnionOfObjects"

  /// The result; `NSNull` where there is none, nil when the values are of the wrong kind.
  func result(of values: [Any]) -> Any? {
    switch self {
    case .all: return values
    case .distinct:
      var seen = Set<AnyHashable>()
      return values.filter { value in
        guard let value = value as? AnyHashable else { return true }
        return seen.insert(value).inserted
      }
    case .sum, .average:
      let numbers = values.compactMap { $0 as? NSNumber }
      guard numbers.count == values.count else { return nil }
      if self == .average, numbers.isEmpty { return NSNull() }
      return CollectionOperator.sum(of: numbers, isAverage: self == .average)
    case .smallest, .largest:
      let known = values.compactMap { Value(any: $0) }
      guard known.count == values.count else { return nil }
      let wanted: ValueOrder = self == .smallest ? .less : .greater
      let best = known.reduce(nil as Value?) { best, value in
        guard let best else { return value }
        return ValueOrder.compare(value, best) == wanted ? value : best
      }
      return best?.anyValue ?? NSNull()
    }
  }

  /// Whole numbers stay whole while they have room; decimals stay exact.
  private static func sum(of numbers: [NSNumber], isAverage: Bool) -> NSNumber {
    let values = numbers.compactMap { Value(any: $0) }
    var whole: Int64? = 0
    var exact: Decimal? = 0
    var real = 0.0
    for (value, number) in zip(values, numbers) {
      real += number.doubleValue
      if case .integer(let next) = value, let sum = whole?.addingReportingOverflow(next) {
        whole = sum.overflow ? nil : sum.partialValue
      } else {
        whole = nil
      }
      switch value {
      case .decimal(let next): exact = exact.map { $0 + next }
      case .integer(let next): exact = exact.map { $0 + Decimal(next) }
      default: exact = nil
      }
    }
    if isAverage {
      if let exact, whole == nil {
        return NSDecimalNumber(decimal: exact / Decimal(numbers.count))
      }
      return NSNumber(value: real / Double(numbers.count))
    }
    if let whole { return NSNumber(value: whole) }
    if let exact { return NSDecimalNumber(decimal: exact) }
    return NSNumber(value: real)
  }
}

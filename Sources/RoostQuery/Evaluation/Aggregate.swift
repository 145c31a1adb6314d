// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The incremental computation of an aggregate function; nil is ignored.
package struct Aggregate {
  private let function: FetchFunction
  private var count = 0
  private var integerSum: Int128 = 0
  private var doubleSum = 0.0
  private var decimalSum = DecimalSum()
  private var hasDecimals = false
  private var sumKind = SumKind.integer
  private var extreme: Value?
  /// The values, kept only for the median, the mode and the standard deviation.
  private var values: [Value] = []

  private enum SumKind { case integer, double, decimal }

  package init(_ function: FetchFunction) {
    self.function = function
  }

  /// Makes the aggregate from a sum.
  ///
  /// - Parameter areDoubles: Whether they were doubles; else they were integers, or things that were counted.
  package init(_ function: FetchFunction, _ sum: NumberSum, areDoubles: Bool) {
    self.function = function
    count = sum.count
    integerSum = sum.integers
    doubleSum = sum.doubles
    if areDoubles, count > 0 { sumKind = .double }
  }

  package mutating func add(_ value: Value) {
    if value.isNull { return }
    count += 1
    switch function {
    case .sum, .average: addToSum(value)
    case .minimum:
      if let extreme, (ValueComparison.compare(value, extreme) ?? 0) >= 0 { return }
      extreme = value
    case .maximum:
      if let extreme, (ValueComparison.compare(value, extreme) ?? 0) <= 0 { return }
      extreme = value
    case .median, .mode, .standardDeviation: values.append(value)
    default: break
    }
  }

  /// Adds the number in a slot of a row, like adding its value.
  mutating func add(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    if RowMemory.isNull(base, slot) { return }
    switch (function, slot.kind) {
    case (.sum, .double), (.average, .double):
      count += 1
      doubleSum += RowMemory.load(base, slot)
      sumKind = .double
    case (.sum, .integer), (.average, .integer):
      count += 1
      let number: Int64 = RowMemory.load(base, slot)
      integerSum += Int128(number)
    default: add(SlotReader.value(base, slot))
    }
  }

  /// Counts an item without a value, such as an object.
  mutating func addOne() {
    count += 1
  }

  private mutating func addToSum(_ value: Value) {
    switch value.number {
    case .integer(let number): integerSum += Int128(number)
    case .double(let number):
      doubleSum += number
      sumKind = .double
    case .decimal(let number):
      decimalSum.add(number)
      hasDecimals = true
      if sumKind == .integer { sumKind = .decimal }
    case nil: break
    }
  }

  /// Returns the result. Without values a count and a sum are 0, and everything else is nil.
  ///
  /// - Throws: `arithmeticOverflow` when a sum does not fit its type.
  package func result() throws -> Value {
    switch function {
    case .count: return .integer(Int64(count))
    case .sum: return try sum()
    case .average: return count == 0 ? .null : FetchFunction.value(total / Double(count))
    case .minimum, .maximum: return extreme ?? .null
    case .median: return median()
    case .mode: return mode()
    case .standardDeviation: return standardDeviation()
    default: return .null
    }
  }

  private var total: Double {
    // Conversion of a 128-bit integer is slow: Foundation takes a microsecond even for a zero.
    let integers = Int64(exactly: integerSum).map { Double($0) } ?? Double(integerSum)
    let sum = integers + doubleSum
    return hasDecimals ? sum + DecimalParts.double(decimalSum.decimal ?? .nan) : sum
  }

  private func sum() throws -> Value {
    switch sumKind {
    case .integer:
      guard let result = Int64(exactly: integerSum) else { throw Self.overflow() }
      return .integer(result)
    case .double: return FetchFunction.value(total)
    case .decimal:
      guard let integers = Int64(exactly: integerSum) else { throw Self.overflow() }
      var sum = decimalSum
      sum.add(Decimal(integers))
      guard let result = sum.decimal else { throw Self.overflow() }
      return .decimal(result)
    }
  }

  private static func overflow() -> PersistenceError {
    PersistenceError(.arithmeticOverflow, "a sum is beyond the range of its type")
  }

  private func median() -> Value {
    let sorted = values.sorted { ValueOrder.compare($0, $1) == .less }
    guard !sorted.isEmpty else { return .null }
    let middle = sorted[sorted.count / 2]
    guard let upper = middle.number else { return middle }
    if !sorted.count.isMultiple(of: 2) { return FetchFunction.value(upper.double) }
    guard let lower = sorted[sorted.count / 2 - 1].number else { return .null }
    return FetchFunction.value(lower.double / 2 + upper.double / 2)
  }

  /// Returns the most frequent value; the smallest of several.
  private func mode() -> Value {
    let sorted = values.sorted { ValueOrder.compare($0, $1) == .less }
    var best: (value: Value, count: Int)?
    var start = 0
    while start < sorted.count {
      var end = start
      while end < sorted.count, ValueComparison.areEqual(sorted[start], sorted[end]) { end += 1 }
      if end - start > best?.count ?? 0 { best = (sorted[start], end - start) }
      start = max(end, start + 1)
    }
    return best?.value ?? .null
  }

  /// Returns the population standard deviation.
  private func standardDeviation() -> Value {
    let numbers = values.compactMap { $0.number?.double }
    guard !numbers.isEmpty else { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return FetchFunction.value((squares / Double(numbers.count)).squareRoot())
  }
}

extension FetchFunction {
  /// Whether the function is an aggregate.
  public var isAggregate: Bool {
    switch self {
    case .count, .sum, .average, .minimum, .maximum, .median, .mode, .standardDeviation: true
    default: false
    }
  }
}

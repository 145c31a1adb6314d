// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A test of a row's memory: the compiled form of a condition on an object's own attributes.
typealias RowTest = (UnsafeMutableRawPointer) -> Bool

/// Compiles a comparison of a slot with a constant, except `MATCHES`, which may fail. Each pair of slot kind and
/// constant type has a closure with typed access; other pairs compare values.
struct SlotTestCompiler {
  let slot: RowSlot
  let comparison: ComparisonPredicate.Comparison
  let options: ComparisonPredicate.Options

  func test(with operand: ConstantOperand) throws -> RowTest {
    switch operand {
    case .value(let value): try test(with: value)
    case .list(let values): try test(withAnyOf: values)
    }
  }

  private func test(with value: Value) throws -> RowTest {
    switch (slot.kind, value) {
    case (_, .null): return nullTest()
    case (.integer, .integer(let number)), (.position, .integer(let number)):
      return ordered(number)
    case (.boolean, .boolean(let truth)): return ordered(truth ? 1 as Int64 : 0)
    case (.double, .double(let number)): return ordered(number)
    case (.date, .date(let date)): return ordered(date.timeIntervalSinceReferenceDate)
    case (.string, .string(let text)): return try stringTest(text)
    case (.uuid, .uuid(let uuid)):
      return compared(UUID.self) { [comparison] in
        comparison.accepts(ValueOrder.compare($0, uuid).sign)
      }
    default: return try valueTest(.value(value))
    }
  }

  /// Compiles a comparison with nil, which equals only nil and is unordered.
  private func nullTest() -> RowTest {
    let slot = slot
    return switch comparison {
    case .equalTo: { RowMemory.isNull($0, slot) }
    case .notEqualTo: { !RowMemory.isNull($0, slot) }
    default: { _ in false }
    }
  }

  private func ordered<T: Comparable>(_ right: T) -> RowTest {
    let slot = slot
    func load(_ base: UnsafeMutableRawPointer) -> T { RowMemory.load(base, slot) }
    return switch comparison {
    case .equalTo: { !RowMemory.isNull($0, slot) && load($0) == right }
    case .notEqualTo: { RowMemory.isNull($0, slot) || load($0) != right }
    case .lessThan: { !RowMemory.isNull($0, slot) && load($0) < right }
    case .lessThanOrEqualTo: { !RowMemory.isNull($0, slot) && load($0) <= right }
    case .greaterThan: { !RowMemory.isNull($0, slot) && load($0) > right }
    case .greaterThanOrEqualTo: { !RowMemory.isNull($0, slot) && load($0) >= right }
    default: { _ in false }
    }
  }

  private func compared<T>(_ type: T.Type, _ test: @escaping (T) -> Bool) -> RowTest {
    let slot = slot
    let whenNull = comparison == .notEqualTo
    return { RowMemory.isNull($0, slot) ? whenNull : test(RowMemory.load($0, slot)) }
  }

  private func stringTest(_ text: String) throws -> RowTest {
    let isFolded = !options.isDisjoint(
      with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    if !isFolded, comparison == .equalTo {
      return compared(String.self) { UTF8Order.areEqual($0, text) }
    }
    let matcher = try StringMatcher(comparison, text, options: options)
    return compared(String.self) { matcher.accepts($0) }
  }

  private func valueTest(_ operand: ConstantOperand) throws -> RowTest {
    let slot = slot
    let test = try ValueTestCompiler(comparison: comparison, options: options).test(with: operand)
    return { test(SlotReader.value($0, slot)) }
  }
}

// MARK: - Lists

extension SlotTestCompiler {
  private func test(withAnyOf values: [Value]) throws -> RowTest {
    if comparison == .between { return try betweenTest(values) }
    guard comparison == .in else { return try valueTest(.list(values)) }
    let hasNull = values.contains(where: \.isNull)
    let others = values.filter { !$0.isNull }
    switch slot.kind {
    case .integer, .position: return try members(others, hasNull, Int64.self, \.asInteger)
    case .boolean: return try members(others, hasNull, Int64.self, \.asTruth)
    case .double: return try members(others, hasNull, Double.self, \.asDouble)
    case .date: return try members(others, hasNull, Double.self, \.asSeconds)
    case .uuid: return try members(others, hasNull, UUID.self, \.asUUID)
    default: return try valueTest(.list(values))
    }
  }

  private func members<T: Hashable>(
    _ values: [Value], _ hasNull: Bool, _ type: T.Type, _ convert: (Value) -> T?
  ) throws -> RowTest {
    let slot = slot
    let converted = values.compactMap(convert)
    guard converted.count == values.count else {
      return try valueTest(.list(hasNull ? values + [.null] : values))
    }
    func load(_ base: UnsafeMutableRawPointer) -> T { RowMemory.load(base, slot) }
    // For few values a linear search is faster than hashing.
    if converted.count <= 8 {
      return { RowMemory.isNull($0, slot) ? hasNull : converted.contains(load($0)) }
    }
    let set = Set(converted)
    return { RowMemory.isNull($0, slot) ? hasNull : set.contains(load($0)) }
  }

  private func betweenTest(_ bounds: [Value]) throws -> RowTest {
    guard bounds.count == 2, !bounds[0].isNull, !bounds[1].isNull else { return { _ in false } }
    let lower = SlotTestCompiler(slot: slot, comparison: .greaterThanOrEqualTo, options: options)
    let upper = SlotTestCompiler(slot: slot, comparison: .lessThanOrEqualTo, options: options)
    let first = try lower.test(with: bounds[0])
    let second = try upper.test(with: bounds[1])
    return { first($0) && second($0) }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Writes the elements of a composite one after the other: to the slots of a row, or to a list of values.
///
/// The method that `@Composite` adds calls it:
///
/// ```swift
/// func _write(to elements: inout CompositeWriter) {
///   elements.write(street)
///   elements.write(city)
/// }
/// ```
public struct CompositeWriter {
  /// The memory of the row; nil when values are collected.
  @usableFromInline let memory: UnsafeMutableRawPointer?
  /// The slot of the next element.
  @usableFromInline var next: UnsafePointer<RowSlot>?
  /// The values so far, without a row.
  @usableFromInline var values: [Value] = []

  /// Writes to a row.
  ///
  /// - Parameters:
  ///   - memory: The memory of a row that is the writer's own.
  ///   - slots: The slots of the elements.
  init(_ memory: UnsafeMutableRawPointer, _ slots: UnsafePointer<RowSlot>) {
    self.memory = memory
    next = slots
  }

  /// Collects values.
  init() {
    memory = nil
    next = nil
  }

  /// Writes an element that a row holds as it is.
  @inlinable @inline(__always)
  public mutating func write<T: AttributeValue>(_ value: T) {
    guard let memory, let slot = next else { return values.append(value.attributeValue) }
    next = slot + 1
    T._store(value, memory, slot.pointee)
  }

  /// Writes an element by its raw value.
  @_disfavoredOverload
  public mutating func write<T: RawRepresentable>(_ value: T) where T.RawValue: AttributeValue {
    write(value.rawValue)
  }

  /// Writes an optional element by its raw value.
  @_disfavoredOverload
  public mutating func write<T: RawRepresentable>(_ value: T?) where T.RawValue: AttributeValue {
    write(value?.rawValue)
  }

  /// Writes a composite.
  public mutating func write<T: CompositeValue>(_ value: T) {
    value._write(to: &self)
  }

  /// Writes an optional composite; nil makes all its elements nil.
  public mutating func write<T: CompositeValue>(_ value: T?) {
    if let value { value._write(to: &self) } else { writeNothing(T._composite.leaves.count) }
  }

  private mutating func writeNothing(_ count: Int) {
    guard let memory, let slot = next else {
      return values.append(contentsOf: repeatElement(.null, count: count))
    }
    for index in 0..<count { RowMemory.setNull(memory, slot[index]) }
    next = slot + count
  }
}

// MARK: - Types that a codec encodes

/// Members of ``CompositeWriter`` for elements that a codec encodes. They are in an extension of a separate protocol,
/// so that overload resolution prefers the raw value for an enum that is also `Codable`.
///
/// ```swift
/// elements.write(remark)
/// ```
public protocol TransformableWriting: RefusedWriting {}

extension CompositeWriter: TransformableWriting {}

extension TransformableWriting where Self == CompositeWriter {
  /// Writes an element that a codec encodes.
  @_disfavoredOverload
  public mutating func write<T: Codable & Sendable>(_ value: T) {
    self.encode(.some(value))
  }

  /// Writes an optional element that a codec encodes.
  @_disfavoredOverload
  public mutating func write<T: Codable & Sendable>(_ value: T?) {
    self.encode(value)
  }
}

extension CompositeWriter {
  fileprivate mutating func encode<T: Codable & Sendable>(_ value: T?) {
    write(StoredTransformable(value.map { TransformableValue($0, codec: .of(T.self)) }))
  }
}

// MARK: - Unsupported types

/// Fallback members of ``CompositeWriter`` for types that no element can have. To read such an element is an error
/// already, and one is enough.
///
/// ```swift
/// elements.write(owner)  // a managed object
/// ```
public protocol RefusedWriting {}

extension RefusedWriting where Self == CompositeWriter {
  /// A placeholder for an element that the struct cannot have.
  @_disfavoredOverload
  public mutating func write<T>(_ value: T) {}
}

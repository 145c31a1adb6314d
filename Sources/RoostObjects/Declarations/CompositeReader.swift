// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Reads the elements of a composite one after the other: from the slots of a row, or from a list of values.
///
/// The initializer that `@Composite` adds calls it:
///
/// ```swift
/// init(_elements: inout CompositeReader) {
///   street = _elements.read(or: "")
///   city = _elements.read()
/// }
/// ```
public struct CompositeReader {
  /// The memory of the row; nil when values are read.
  @usableFromInline let memory: UnsafeMutableRawPointer?
  /// The slot of the next element.
  @usableFromInline var next: UnsafePointer<RowSlot>?
  /// The values of the remaining elements, without a row.
  private var values: ArraySlice<Value>
  /// The object that has the row.
  private let owner: Unmanaged<ManagedObject>?

  /// Reads from a row.
  ///
  /// - Parameters:
  ///   - memory: The memory of the row.
  ///   - slots: The slots of the elements.
  ///   - owner: The object, which gets the errors.
  init(
    _ memory: UnsafeMutableRawPointer, _ slots: UnsafePointer<RowSlot>, owner: ManagedObject
  ) {
    self.memory = memory
    next = slots
    values = []
    self.owner = .passUnretained(owner)
  }

  /// Reads values; those at the end of the list may be missing.
  init(_ values: [Value]) {
    memory = nil
    next = nil
    self.values = values[...]
    owner = nil
  }

  /// Reads an element that a row holds as it is.
  ///
  /// - Parameter initial: The value of an element that is nil and whose type has no room for nil; without it, the value
  ///   is zero, or empty.
  @inlinable @inline(__always)
  public mutating func read<T: AttributeValue>(or initial: @autoclosure () -> T? = nil) -> T {
    guard let memory, let slot = next else { return readValue(or: initial()) }
    next = slot + 1
    if !T.isOptionalValue, RowMemory.isNull(memory, slot.pointee), let value = initial() {
      return value
    }
    return T._load(memory, slot.pointee)
  }

  @usableFromInline
  mutating func readValue<T: AttributeValue>(or initial: @autoclosure () -> T?) -> T {
    let value = values.popFirst() ?? .null
    if !T.isOptionalValue, value.isNull, let initial = initial() { return initial }
    return T(value) ?? RecorderMemory.read()
  }

  /// Reads an element by its raw value.
  @_disfavoredOverload
  public mutating func read<T: RawRepresentable>(or initial: @autoclosure () -> T? = nil) -> T
  where T.RawValue: AttributeValue {
    let raw: T.RawValue? = read()
    return raw.flatMap { T(rawValue: $0) } ?? required(initial() ?? MissingValue.ofRaw(T.self))
  }

  /// Reads an optional element by its raw value; an unknown raw value reads as nil.
  @_disfavoredOverload
  public mutating func read<T: RawRepresentable>(or initial: @autoclosure () -> T?? = nil) -> T?
  where T.RawValue: AttributeValue {
    let raw: T.RawValue? = read()
    return raw.flatMap { T(rawValue: $0) }
  }

  /// Reads a composite.
  public mutating func read<T: CompositeValue>(or initial: @autoclosure () -> T? = nil) -> T {
    T(_elements: &self)
  }

  /// Reads an optional composite, which is nil when all its elements are.
  public mutating func read<T: CompositeValue>(or initial: @autoclosure () -> T?? = nil) -> T? {
    let count = T._composite.leaves.count
    guard hasNothing(count) else { return T(_elements: &self) }
    if let slot = next { next = slot + count } else { values = values.dropFirst(count) }
    return nil
  }

  /// Whether the next elements are all nil.
  private func hasNothing(_ count: Int) -> Bool {
    guard let memory, let slot = next else { return values.prefix(count).allSatisfy(\.isNull) }
    return (0..<count).allSatisfy { RowMemory.isNull(memory, slot[$0]) }
  }

  fileprivate func required<T>(_ value: T?) -> T {
    guard let value else {
      preconditionFailure(
        "An element has no value that is a \(T.self); give it an initial value, or make its type "
          + "optional.")
    }
    return value
  }
}

// MARK: - Types that a codec encodes

/// Members of ``CompositeReader`` for elements that a codec encodes. They are in an extension of a separate protocol,
/// so that overload resolution prefers the raw value for an enum that is also `Codable`.
///
/// ```swift
/// remark = _elements.read(or: Remark())
/// ```
public protocol TransformableReading: RefusedReading {}

/// Members of ``CompositeReader`` for optional elements that a codec encodes. They are in an extension of a more
/// specific protocol, since the optional of a `Codable` type is itself `Codable`.
///
/// ```swift
/// remark = _elements.read()
/// ```
public protocol OptionalTransformableReading: TransformableReading {}

extension CompositeReader: OptionalTransformableReading {}

extension OptionalTransformableReading where Self == CompositeReader {
  /// Reads an optional element that a codec encodes.
  @_disfavoredOverload
  public mutating func read<T: Codable & Sendable>(or initial: @autoclosure () -> T?? = nil) -> T? {
    self.decode()
  }
}

extension TransformableReading where Self == CompositeReader {
  /// Reads an element that a codec encodes.
  @_disfavoredOverload
  public mutating func read<T: Codable & Sendable>(or initial: @autoclosure () -> T? = nil) -> T {
    self.decode() ?? self.required(initial() ?? MissingValue.of(T.self))
  }
}

extension CompositeReader {
  /// Decodes an element; nil when there is none, or when its bytes cannot be decoded, which the next save throws.
  fileprivate mutating func decode<T: Codable & Sendable>() -> T? {
    let stored: StoredTransformable = read()
    do {
      return try stored.value?.object(decodedBy: .of(T.self)) as? T
    } catch {
      owner?.takeUnretainedValue().context?.readErrors.refuse(error)
      return nil
    }
  }
}

// MARK: - Unsupported types

/// Fallback members of ``CompositeReader`` for types that no element can have, with the lowest rank in overload
/// resolution.
///
/// ```swift
/// owner = _elements.read()  // a managed object: an error
/// ```
public protocol RefusedReading {}

extension RefusedReading where Self == CompositeReader {
  /// Rejects a type.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "an element of a composite is a value that can be stored, and no relationship"
  )
  public mutating func read<T>(or initial: @autoclosure () -> T? = nil) -> T {
    preconditionFailure("The compiler refuses the type.")
  }
}

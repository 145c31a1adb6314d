// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The value of a transformable attribute: an object in memory, bytes in a store.
///
/// Bytes are decoded on first access, and an object is encoded on save; both forms are kept then.
///
/// ```swift
/// let value = TransformableValue(tags, codec: .of([String].self))
/// let bytes = try value.bytes()
/// ```
public final class TransformableValue: Sendable {
  private struct State {
    var object: (any Sendable)?
    var encoded: Data?
    /// The elements of a collection, once a condition has asked for them.
    var elements: [Value]?
  }

  private let state: Mutex<State>
  private let codec: TransformableCodec?

  /// Makes a value from an object, its bytes, or both.
  public init(object: (any Sendable)?, encoded: Data?) {
    state = Mutex(State(object: object, encoded: encoded))
    codec = nil
  }

  /// Makes a value from an object and the codec that will encode it.
  public init(_ object: any Sendable, codec: TransformableCodec) {
    state = Mutex(State(object: object, encoded: nil))
    self.codec = codec
  }

  /// Wraps an exchange value as the object of a transient attribute without a type.
  convenience init(wrapping value: Value) {
    self.init(object: value, encoded: nil)
  }

  /// The wrapped exchange value of a transient attribute without a type.
  var wrapped: Value? { object as? Value }

  /// The object, if it was given or decoded already.
  public var object: (any Sendable)? { state.withLock { $0.object } }

  /// The bytes, if they were given or encoded already.
  public var encoded: Data? { state.withLock { $0.encoded } }

  /// Returns the object, decoded from the bytes on the first call.
  ///
  /// - Throws: `transformation` when the bytes cannot be decoded.
  public func object(
    decodedBy codec: TransformableCodec
  ) throws(PersistenceError) -> any Sendable {
    let known = state.withLock { $0 }
    if let object = known.object { return object }
    let object = try codec.decode(known.encoded ?? Data())
    state.withLock { $0.object = object }
    return object
  }

  /// Returns the bytes that a store keeps, encoded from the object on the first call.
  ///
  /// - Throws: `transformation` when the object cannot be encoded, or was given without a codec.
  public func bytes() throws(PersistenceError) -> Data {
    let known = state.withLock { $0 }
    if let encoded = known.encoded { return encoded }
    guard let object = known.object, let codec else {
      throw PersistenceError(.transformation, "A transformable value has no codec.")
    }
    let encoded = try codec.encode(object)
    state.withLock { $0.encoded = encoded }
    return encoded
  }

  /// Returns the elements of an array or a set that is encoded as JSON, decoded on the first call.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the attribute, for the error.
  /// - Throws: `transformation` when the value is no such collection.
  package func elements(
    of type: AttributeType, named name: String
  ) throws(PersistenceError) -> [Value] {
    if let known = state.withLock({ $0.elements }) { return known }
    let elements = try TransformableElements.decode(try bytes(), as: type, named: name)
    state.withLock { $0.elements = elements }
    return elements
  }

  /// The bytes to compare values by: the encoded bytes, or the identity when there are none.
  var orderingBytes: Data {
    if let bytes = try? bytes() { return bytes }
    return withUnsafeBytes(of: UInt(bitPattern: ObjectIdentifier(self).hashValue)) { Data($0) }
  }
}

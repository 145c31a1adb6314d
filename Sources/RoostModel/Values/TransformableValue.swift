// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The value of a transformable attribute: the object in memory, its bytes in a store (B64).
///
/// Bytes become an object when it is first asked for, and an object becomes bytes when it is saved.
public final class TransformableValue: Sendable {
  /// The object, when the value was made from one.
  public let object: (any Sendable)?
  /// The bytes, when the value was read from a store or encoded at once.
  public let encoded: Data?

  /// Makes a value of an object and its bytes.
  public init(object: (any Sendable)?, encoded: Data?) {
    self.object = object
    self.encoded = encoded
  }

  /// What stands for the value in comparisons: its bytes, or its identity when there are none.
  var orderingBytes: Data {
    if let encoded { return encoded }
    return withUnsafeBytes(of: UInt(bitPattern: ObjectIdentifier(self).hashValue)) { Data($0) }
  }
}

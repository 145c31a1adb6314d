// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import Synchronization

// Outside of Apple's systems, Foundation has no value transformers: these are for the transformable attributes of a
// model.
#if !canImport(Darwin)
/// The name of a value transformer.
///
/// ```swift
/// extension NSValueTransformerName {
///   static let colour = NSValueTransformerName("Colour")
/// }
/// ```
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Makes a name.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// The name of the default transformer of transformable attributes: it accepts property lists.
  public static let secureUnarchiveFromDataTransformerName =
    NSValueTransformerName("NSSecureUnarchiveFromData")
}

/// Converts values of a transformable attribute to bytes and back.
///
/// ```swift
/// ValueTransformer.setValueTransformer(ColourTransformer(), forName: NSValueTransformerName("Colour"))
/// ```
open class ValueTransformer: NSObject, @unchecked Sendable {
  // Sendable: it has no state of its own; a subclass is used by several threads, as on Apple's systems.
  private static let registry = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

  /// Registers a transformer under its name, also as the codec of attributes that name it. With nil, it is removed:
  /// attributes that name it can no longer be read or written; those that name one of Foundation's get the default
  /// again.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    registry.withLock { $0[name] = transformer }
    if let transformer {
      TransformableCodec.register(transformer.codec(named: name.rawValue))
    } else {
      TransformableCodec.unregister(name.rawValue)
    }
  }

  /// Returns the transformer with a name.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let known = Self.registry.withLock({ $0[name] }) else { return nil }
    self.init(known)
  }

  /// Returns the names of all transformers.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
  }

  /// The class of transformed values; `NSData` for an attribute.
  open class func transformedValueClass() -> AnyClass { NSData.self }

  /// Whether transformed values can be converted back; an attribute requires this.
  open class func allowsReverseTransformation() -> Bool { true }

  private let other: ValueTransformer?

  /// Makes a transformer that returns its input.
  public override init() {
    other = nil
  }

  private init(_ other: ValueTransformer) {
    self.other = other
  }

  /// Returns the bytes of a value.
  open func transformedValue(_ value: Any?) -> Any? {
    other.map { $0.transformedValue(value) } ?? value
  }

  /// Returns the value for bytes.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    other.map { $0.reverseTransformedValue(value) } ?? value
  }

  private func codec(named name: String) -> TransformableCodec {
    TransformableCodec(name: name) { value in
      switch self.transformedValue(value) {
      case let data as Data: return data
      case let data as NSData: return data as Data
      default:
        throw PersistenceError(.transformation, "\(type(of: self)) makes no data of the value.")
      }
    } decode: { data in
      guard let value = self.reverseTransformedValue(data) else {
        throw PersistenceError(.transformation, "\(type(of: self)) makes no value of the data.")
      }
      return PropertyListCodec.sendable(value)
    }
  }
}
#endif

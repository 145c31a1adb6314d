// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The codec of transformable attributes that name no transformer, or one that unarchives arbitrary objects: it
/// accepts property lists, and the other values that Core Data's default transformer accepts (B64).
enum PropertyListCodec {
  private static let codec = TransformableCodec(name: "NSSecureUnarchiveFromData") { value in
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(PropertyListValue(value))
  } decode: { data in
    sendable(try JSONDecoder().decode(PropertyListValue.self, from: data).any)
  }

  /// Registers the codec for attributes that name one of Foundation's transformers and have no codec of their own.
  static func register() {
    TransformableCodec.setArchiver(codec)
  }

  /// Sets the codec of the attributes without a transformer, in a model that is not in use.
  static func install(in model: ManagedObjectModel) {
    for entity in model.entities {
      for case let attribute as AttributeDescription in entity.declaredProperties
      where attribute.type == .transformable && attribute.transformableCodec == nil
        && attribute.valueTransformerName == nil
      {
        attribute.transformableCodec = codec
      }
    }
  }

  /// Returns a value that a codec has just made as sendable: it is not referenced elsewhere.
  static func sendable(_ value: Any) -> any Sendable {
    // `Sendable` has no representation in an existential: both have the same memory layout.
    withUnsafePointer(to: value) {
      UnsafeRawPointer($0).assumingMemoryBound(to: (any Sendable).self).pointee
    }
  }
}

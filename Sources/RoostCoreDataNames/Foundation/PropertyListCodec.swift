// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// What is used for transformable attributes that name no transformer, or one of those that unarchive anything: values
/// that are property lists, and the other values that Core Data's default transformer takes (B64).
enum PropertyListCodec {
  private static let codec = TransformableCodec(name: "NSSecureUnarchiveFromData") { value in
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(PropertyListValue(value))
  } decode: { data in
    sendable(try JSONDecoder().decode(PropertyListValue.self, from: data).any)
  }

  /// Lets the codec serve the attributes that name one of Foundation's transformers and have no codec of their own.
  static func register() {
    TransformableCodec.setArchiver(codec)
  }

  /// Gives the codec to the attributes without a transformer of a model that is not in use.
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

  /// A value that a codec made, that no one has been given yet: no one else refers to it.
  static func sendable(_ value: Any) -> any Sendable {
    // `Sendable` leaves no trace in an existential: both have the same memory.
    withUnsafePointer(to: value) {
      UnsafeRawPointer($0).assumingMemoryBound(to: (any Sendable).self).pointee
    }
  }
}

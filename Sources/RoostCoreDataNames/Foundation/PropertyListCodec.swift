// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// What is used for transformable attributes that name no transformer, or one of those that unarchive anything: values
/// that are property lists, and the other values that Core Data's default transformer takes (B64).
enum PropertyListCodec {
  /// The names that models give to the transformers of Foundation that unarchive.
  private static let names = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    "NSUnarchiveFromData",
  ]

  private static let codec = codec(named: names[0])

  private static func codec(named name: String) -> TransformableCodec {
    TransformableCodec(name: name) { value in
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(PropertyListValue(value))
    } decode: { data in
      sendable(try JSONDecoder().decode(PropertyListValue.self, from: data).any)
    }
  }

  /// What stands for a name for which nothing is registered: the codec for one of Foundation's, else one that refuses.
  static func standard(named name: String) -> TransformableCodec {
    if names.contains(name) { return codec(named: name) }
    let refusal = PersistenceError(
      .transformation, "No transformer is registered for the name “\(name)”.")
    return TransformableCodec(name: name) { _ in
      throw refusal
    } decode: { _ in
      throw refusal
    }
  }

  /// Makes the codec known by the names that nothing else is registered for.
  static func register() {
    for name in names where TransformableCodec.codec(named: name) == nil {
      TransformableCodec.register(codec(named: name))
    }
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

  /// A value that a codec made, for whoever will have it: nobody else knows it.
  static func sendable(_ value: Any) -> any Sendable {
    // `Sendable` leaves no trace in an existential: both have the same memory.
    withUnsafePointer(to: value) {
      UnsafeRawPointer($0).assumingMemoryBound(to: (any Sendable).self).pointee
    }
  }
}

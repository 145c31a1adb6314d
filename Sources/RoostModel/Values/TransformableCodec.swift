// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Encodes the values of a transformable attribute as bytes, and decodes them.
///
/// Codecs are registered under the name that a model contains: ``AttributeDescription/valueTransformerName``. Bytes
/// are only passed to Foundation's `Codable` decoders: keyed archives, which can name any class and crash the
/// process, are never decoded.
///
/// ```swift
/// TransformableCodec.register("Colour", Colour.self)
/// colour.valueTransformerName = "Colour"
/// ```
public struct TransformableCodec: Sendable {
  /// The format of the bytes.
  ///
  /// ```swift
  /// TransformableCodec.register(TransformableCodec("Colour", Colour.self, format: .propertyList))
  /// ```
  public enum Format: Sendable, Hashable {
    /// JSON with sorted keys: equal values have equal bytes, except for sets within a type that encodes itself.
    case json
    /// A binary property list.
    case propertyList
  }

  /// The name of the codec in a model.
  public let name: String
  private let encoder: @Sendable (Any) throws -> Data
  private let decoder: @Sendable (Data) throws -> any Sendable

  /// Makes a codec from two functions.
  ///
  /// - Parameters:
  ///   - name: The name of the codec in a model.
  ///   - encode: Encodes a value.
  ///   - decode: Decodes a value, and throws when it cannot.
  public init(
    name: String, encode: @escaping @Sendable (Any) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> any Sendable
  ) {
    self.name = name
    encoder = encode
    decoder = decode
  }

  /// Makes a codec of a `Codable` type.
  public init<T: Codable & Sendable>(_ name: String, _ type: T.Type, format: Format = .json) {
    self.init(name: name) { value in
      guard let value = value as? T else {
        throw PersistenceError(.transformation, "The value is no \(T.self).")
      }
      return try format.encode(value)
    } decode: { data in
      try format.decode(T.self, from: data)
    }
  }

  /// Returns the bytes of a value.
  ///
  /// - Throws: `transformation` when the value has another type or cannot be encoded.
  public func encode(_ value: Any) throws(PersistenceError) -> Data {
    do { return try encoder(value) } catch { throw failure("encode a value", error) }
  }

  /// Decodes a value.
  ///
  /// - Throws: `transformation` when the bytes cannot be decoded.
  public func decode(_ data: Data) throws(PersistenceError) -> any Sendable {
    do { return try decoder(data) } catch { throw failure("decode \(data.count) bytes", error) }
  }

  private func failure(_ action: String, _ error: any Error) -> PersistenceError {
    PersistenceError(.transformation, "The codec “\(name)” cannot \(action).", underlying: error)
  }
}

extension TransformableCodec.Format {
  func encode(_ value: some Encodable) throws -> Data {
    let value = try (value as? any UnorderedCoding)?.inOneOrder() ?? value
    switch self {
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(value)
    case .propertyList:
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      return try encoder.encode(value)
    }
  }

  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    switch self {
    case .json: return try JSONDecoder().decode(type, from: data)
    case .propertyList:
      // Text property lists have no nesting limit; those that the codec writes are binary.
      guard data.starts(with: Array("bplist00".utf8)) else {
        throw PersistenceError(.transformation, "The bytes are no binary property list.")
      }
      return try PropertyListDecoder().decode(type, from: data)
    }
  }
}

// MARK: - Registry

extension TransformableCodec {
  private static let registry = Mutex<[String: TransformableCodec]>([:])
  private static let codecsOfTypes = Mutex<[ObjectIdentifier: TransformableCodec]>([:])

  /// Registers a codec under its name, replacing an earlier one.
  public static func register(_ codec: TransformableCodec) {
    registry.withLock { $0[codec.name] = codec }
  }

  /// Registers the codec of a type under a name.
  public static func register<T: Codable & Sendable>(
    _ name: String, _ type: T.Type, format: Format = .json
  ) {
    register(TransformableCodec(name, type, format: format))
  }

  /// Removes the codec with a name.
  package static func unregister(_ name: String) {
    registry.withLock { $0[name] = nil }
  }

  /// Sets the codec for names in ``archivers`` without a registered codec, when the type has no codec either.
  package static func setArchiver(_ codec: TransformableCodec) {
    archiver.withLock { $0 = codec }
  }

  private static let archiver = Mutex<TransformableCodec?>(nil)

  /// Returns the codec for a name in ``archivers`` without a registered codec.
  fileprivate static func archiver(orOf own: TransformableCodec?) -> TransformableCodec? {
    own ?? archiver.withLock { $0 }
  }

  /// Returns the codec with a name.
  public static func codec(named name: String) -> TransformableCodec? {
    registry.withLock { $0[name] }
  }
}

extension TransformableCodec {
  /// Returns the codec of a type, JSON, under the type's full name.
  public static func of<T: Codable & Sendable>(_ type: T.Type) -> TransformableCodec {
    codecsOfTypes.withLock { codecs in
      if let codec = codecs[ObjectIdentifier(type)] { return codec }
      let codec = TransformableCodec(String(reflecting: type), type)
      codecs[ObjectIdentifier(type)] = codec
      return codec
    }
  }
}

extension TransformableCodec {
  /// The names of Foundation's own transformers, which Xcode writes into models. They archive any value, so without a
  /// registered codec the codec of the type is used.
  static let archivers: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    "NSUnarchiveFromData",
  ]

  /// Returns the codec of an attribute with a transformer name: the one registered under the name at the time of
  /// encoding or decoding. Without one, it fails, except for the names of Foundation's archivers.
  package static func named(_ name: String, orOf own: TransformableCodec?) -> TransformableCodec {
    let known = { @Sendable () throws(PersistenceError) -> TransformableCodec in
      if let codec = codec(named: name) { return codec }
      // Another codec would store values in an unintended format.
      guard archivers.contains(name), let own = archiver(orOf: own) else {
        throw missing(name, for: nil)
      }
      return own
    }
    return TransformableCodec(name: name) {
      try known().encode($0)
    } decode: {
      try known().decode($0)
    }
  }

  fileprivate static func missing(
    _ name: String?, for attribute: AttributeDescription?
  ) -> PersistenceError {
    let codec = name.map { "the name “\($0)”" } ?? "the attribute"
    return PersistenceError(
      .transformation, "No codec is registered for \(codec).", entityName: attribute?.entity?.name,
      key: attribute?.name)
  }
}

extension AttributeDescription {
  /// Returns the codec of the attribute's values: the registered one with the attribute's transformer name; without a
  /// name, or with one of Foundation's own archivers, the one that was set.
  ///
  /// - Throws: `transformation` when there is none.
  @_disfavoredOverload
  public final func codec() throws(PersistenceError) -> TransformableCodec {
    if let name = valueTransformerName {
      if let codec = TransformableCodec.codec(named: name) { return codec }
      guard TransformableCodec.archivers.contains(name),
        let codec = TransformableCodec.archiver(orOf: transformableCodec)
      else { throw TransformableCodec.missing(name, for: self) }
      return codec
    }
    guard let transformableCodec else { throw TransformableCodec.missing(nil, for: self) }
    return transformableCodec
  }
}

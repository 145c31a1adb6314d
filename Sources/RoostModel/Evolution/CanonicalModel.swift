// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The canonical text of a model, kept by each store for the model that it was last written with, and by a lock file
/// for each released version (M5, M6).
///
/// It contains everything that determines version hashes and data, and nothing of the program: no class names, user
/// info, validation rules or templates. Equal models have equal bytes, in whatever order they were built. Each
/// property is one line, so that any diff program can compare versions.
package struct CanonicalModel: Sendable, Hashable {
  /// The version of the format; increased when earlier releases cannot read the text.
  static let format: Int64 = 1
  /// The maximum size of a text in bytes.
  package static let largestSize = 16 << 20
  /// The maximum length of a part's name in bytes, limited because names are combined in other names.
  static let largestNameLength = 16 << 10

  /// The text in UTF-8.
  package let bytes: [UInt8]
  /// The version hash of each entity by its name.
  package let entityVersionHashes: [String: Data]

  /// Makes the text of a model.
  ///
  /// - Throws: `invalidModel` when the model has faults, `limitExceeded` when a name or the text is too long.
  package init(_ model: ManagedObjectModel) throws {
    if !model.isFrozen { try model.check() }
    let hashes = VersionHashes.of(model.entities)
    let node = try CanonicalModelWriter(model).node(
      checksum: ManagedObjectModel.versionChecksum(of: hashes))
    let bytes = node.bytes
    guard bytes.count <= Self.largestSize else {
      throw PersistenceError(
        .limitExceeded, "The text of the model is longer than \(Self.largestSize >> 20) MB.")
    }
    // Verify that the text can be read back, because a store keeps nothing else of its model.
    let read = try Self(bytes: bytes)
    guard read.entityVersionHashes == hashes else {
      throw PersistenceError(.invalidModel, "The text of the model describes another model.")
    }
    self = read
  }

  /// Reads an untrusted text.
  ///
  /// - Throws: `corruptStore` when it is not the text of a consistent model, as ``init(_:)`` writes it.
  package init(bytes: [UInt8]) throws(PersistenceError) {
    let model = try Self.read(bytes, parser: nil)
    entityVersionHashes = VersionHashes.of(model.entities)
    self.bytes = bytes
    let checksum = versionChecksum
    // Refuse other spellings of the same model: the text must be exactly as it was written.
    let node = try? CanonicalModelWriter(model).node(checksum: checksum)
    guard node?.bytes == bytes else {
      throw Self.corrupt("it is not as it was written: content or checksum were changed")
    }
  }

  /// The checksum of the model's version hashes.
  package var versionChecksum: String {
    ManagedObjectModel.versionChecksum(of: entityVersionHashes)
  }

  /// Returns a mutable model of the text. Its entities have no classes of the program.
  ///
  /// - Parameter parser: Parses expressions and conditions; nil to keep the texts.
  /// - Throws: `corruptStore` when the parser refuses a text, or prints it differently.
  package func model(
    parser: ModelTextParser? = nil
  ) throws(PersistenceError) -> ManagedObjectModel {
    let model = try Self.read(bytes, parser: parser)
    guard parser == nil || VersionHashes.of(model.entities) == entityVersionHashes else {
      throw Self.corrupt("an expression is spelled otherwise now")
    }
    return model
  }

  private static func read(
    _ bytes: [UInt8], parser: ModelTextParser?
  ) throws(PersistenceError) -> ManagedObjectModel {
    do throws(TextFault) {
      guard bytes.count <= largestSize else {
        throw TextFault("it is longer than \(largestSize >> 20) MB")
      }
      let node = try TextNodeParser.parse(bytes)
      var reader = CanonicalModelReader(parser: parser ?? .keepingTexts)
      return try reader.read(node)
    } catch {
      throw corrupt(error.description)
    }
  }

  private static func corrupt(_ reason: String) -> PersistenceError {
    PersistenceError(.corruptStore, "The text of the model cannot be used: \(reason).")
  }
}

extension ModelTextParser {
  /// Keeps expressions and conditions as texts.
  static let keepingTexts = ModelTextParser(
    predicate: { UnparsedPredicate($0) }, expression: { UnparsedExpression($0) },
    derivation: { UnparsedExpression($0) },
    request: { _ in throw TextFault("a request is no part of the text") })
}

/// Computes the version hashes of all entities of a model that is not frozen. Computing them entity by entity would
/// repeat those of superentities, which takes too long for the hierarchies of hostile texts.
enum VersionHashes {
  /// Returns the hashes by entity name.
  static func of(_ entities: [EntityDescription]) -> [String: Data] {
    var result: [String: Data] = [:]
    var hashes: [ObjectIdentifier: Data] = [:]
    for root in entities where root.superentity == nil {
      var propertyHashes: [ObjectIdentifier: Data] = [:]
      for entity in root.withDescendants {
        let superhash = entity.superentity.flatMap { hashes[ObjectIdentifier($0)] }
        let hash =
          entity.frozenVersionHash
          ?? VersionHash.entity(
            entity, properties: entity.properties, superhash: superhash
          ) { property in
            let identifier = ObjectIdentifier(property)
            if let known = propertyHashes[identifier] { return known }
            let hash = property.versionHash
            propertyHashes[identifier] = hash
            return hash
          }
        hashes[ObjectIdentifier(entity)] = hash
        if let name = entity.name { result[name] = hash }
      }
    }
    return result
  }
}

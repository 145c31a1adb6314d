// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectModel {
  /// The version hash of each entity by its name.
  public var entityVersionHashesByName: [String: Data] {
    entityVersionHashes(of: entities)
  }

  /// The model's checksum, which changes exactly when an entity's hash changes: the base 64 text of a SHA-256.
  public var versionChecksum: String {
    ManagedObjectModel.versionChecksum(of: entityVersionHashesByName)
  }

  /// Returns the version hashes of a configuration's entities; nil when there is no such configuration.
  public func entityVersionHashes(forConfigurationName name: String?) -> [String: Data]? {
    entities(forConfigurationName: name).map(entityVersionHashes(of:))
  }

  /// Whether a store with the given version hashes has exactly the entities of a configuration, unchanged. Version
  /// identifiers are ignored.
  ///
  /// - Parameters:
  ///   - name: The configuration; nil for the whole model.
  ///   - hashes: The version hashes of the store's metadata, by entity.
  public func isConfiguration(
    withName name: String?, compatibleWithStoreMetadata hashes: [String: Data]
  ) -> Bool {
    entityVersionHashes(forConfigurationName: name) == hashes
  }

  /// Returns the checksum of version hashes: base 64 of a SHA-256 over the hashes, sorted by entity.
  public static func versionChecksum(of hashes: [String: Data]) -> String {
    var bytes = SHA256()
    for (_, hash) in sorted(hashes) { bytes.update(hash) }
    return bytes.finish().base64EncodedString()
  }

  /// Returns Core Data's digest of version hashes: base 64 of a SHA-512 over names and hashes, sorted by entity.
  public static func versionHashesDigest(of hashes: [String: Data]) -> String {
    var bytes = SHA512()
    for (name, hash) in sorted(hashes) {
      bytes.update(name.utf8)
      bytes.update(hash)
    }
    return bytes.finish().base64EncodedString()
  }

  private static func sorted(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
    hashes.sorted { UTF8Order.isLess($0.key, $1.key) }
  }

  private func entityVersionHashes(of entities: [EntityDescription]) -> [String: Data] {
    Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity.versionHash) } },
      uniquingKeysWith: { first, _ in first })
  }
}

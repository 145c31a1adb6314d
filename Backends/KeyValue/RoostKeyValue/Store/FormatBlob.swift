// SPDX-License-Identifier: Apache-2.0

/// The blob with the store's format version; missing for the first version in engines that do not write it.
///
/// A version of Roost refuses a file with an unknown format. One from before references to other stores would empty
/// their tables when it opens the file, and one from before saves across stores would overwrite prepared parts.
package enum FormatBlob {
  /// The name of the blob.
  package static let name = "format"
  /// The prefix before the version.
  package static let prefix = Array("Roost ".utf8)
  /// The version of a file with references to other stores, or that has taken part in a save across stores.
  package static let versionOfReferences = 2

  /// Raises the version of a store that gets its first reference to another store, or its first prepared part.
  static func raise(over snapshot: any KeyValueSnapshot, in batch: inout WriteBatch) throws {
    let found = try snapshot.blob(named: name) ?? prefix
    let version = Int(String(decoding: found.dropFirst(prefix.count), as: UTF8.self)) ?? 1
    guard found.starts(with: prefix), version < versionOfReferences else { return }
    batch.setBlob(prefix + Array(String(versionOfReferences).utf8), named: name)
  }
}

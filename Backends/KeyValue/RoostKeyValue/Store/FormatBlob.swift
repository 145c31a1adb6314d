// SPDX-License-Identifier: Apache-2.0

/// The blob in which a store says of which format it is; none for the first one, where the engine writes none.
///
/// A Roost that does not know a version refuses the file. One from before references to other stores would empty their
/// tables when it opens it, and one from before saves over several stores would write over prepared parts.
package enum FormatBlob {
  /// The name of the blob.
  package static let name = "format"
  /// What stands before the version.
  package static let prefix = Array("Roost ".utf8)
  /// The version of a file that refers to records of other stores, or has taken part in a save over several.
  package static let versionOfReferences = 2

  /// Raises the version of a store that gets its first reference to a record of another store, or its first part.
  static func raise(over snapshot: any KeyValueSnapshot, in batch: inout WriteBatch) throws {
    let found = try snapshot.blob(named: name) ?? prefix
    let version = Int(String(decoding: found.dropFirst(prefix.count), as: UTF8.self)) ?? 1
    guard found.starts(with: prefix), version < versionOfReferences else { return }
    batch.setBlob(prefix + Array(String(versionOfReferences).utf8), named: name)
  }
}

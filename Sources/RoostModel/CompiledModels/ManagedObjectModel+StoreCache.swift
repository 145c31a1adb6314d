// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Fills an empty model with what Core Data keeps in a store: an archive like that of a compiled model, compressed.
  ///
  /// - Parameters:
  ///   - bytes: The content of the store's table.
  ///   - name: What errors call it.
  ///   - parser: What makes predicates of texts.
  /// - Throws: `corruptStore` when the content is cut off or damaged, `invalidModel` with the number of the object that
  ///   is wrong, `limitExceeded`.
  package func fill(
    fromStoreCache bytes: [UInt8], name: String, parser: ModelTextParser
  ) throws(PersistenceError) {
    let archive = try Inflation.content(
      of: bytes, limit: BinaryPropertyList.largestSize, name: name)
    var reader = try CompiledModelReader(archive, name: name, into: self, parser: parser)
    try reader.read()
  }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Fills an empty model from Core Data's model cache in a store: a compressed archive like that of a compiled
  /// model.
  ///
  /// - Parameters:
  ///   - bytes: The content of the store's table.
  ///   - name: Its name in errors.
  ///   - parser: Parses predicates and expressions.
  /// - Throws: `corruptStore` when the content is cut off or damaged, `invalidModel` with the number of the invalid
  ///   object, `limitExceeded`.
  package func fill(
    fromStoreCache bytes: [UInt8], name: String, parser: ModelTextParser
  ) throws(PersistenceError) {
    let archive = try Inflation.content(
      of: bytes, limit: BinaryPropertyList.largestSize, name: name)
    var reader = try CompiledModelReader(archive, name: name, into: self, parser: parser)
    try reader.read()
  }
}

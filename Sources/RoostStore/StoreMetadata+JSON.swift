// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

extension StoreMetadata {
  /// Returns the metadata as JSON, as stores keep it. Equal metadata give equal bytes.
  ///
  /// ```swift
  /// let bytes = try metadata.json()
  /// let same = try StoreMetadata(json: bytes)
  /// ```
  ///
  /// - Throws: ``PersistenceError`` with code `limitExceeded` when values are nested deeper than
  ///   ``MetadataValue/deepestNesting``.
  public func json() throws -> Data {
    try checkNesting()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch {
      throw PersistenceError(.invalidValue, "The metadata cannot be written.", underlying: error)
    }
  }

  /// Decodes metadata. It accepts untrusted bytes.
  ///
  /// - Parameter json: The bytes.
  /// - Throws: ``PersistenceError`` with code `corruptStore` for bytes that ``json()`` does not produce.
  public init(json: Data) throws {
    if let metadata = MetadataScanner.metadata(in: json) {
      self = metadata
    } else {
      do {
        self = try JSONDecoder().decode(StoreMetadata.self, from: json)
      } catch {
        throw PersistenceError(
          .corruptStore, "The store's metadata cannot be read.", underlying: error)
      }
    }
    guard !storeType.isEmpty, !identifier.isEmpty else {
      throw PersistenceError(.corruptStore, "The store's metadata has no type or no UUID.")
    }
    guard entityCodes.values.allSatisfy((1...RecordKey.largestEntityCode).contains),
      Set(entityCodes.values).count == entityCodes.count
    else {
      throw PersistenceError(
        .corruptStore, "The store's metadata has an impossible code for an entity.")
    }
    try checkNesting()
  }

  /// Refuses values that are nested too deep for recursive encoding.
  ///
  /// - Throws: `limitExceeded`.
  package func checkNesting() throws {
    guard userValues.values.allSatisfy(\.isNestedModerately) else {
      throw PersistenceError(
        .limitExceeded,
        "Metadata may be nested \(MetadataValue.deepestNesting) levels deep.")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The entry tables of a store. The catalog is stored with them, so that an index is built once and not at every
/// launch.
package struct IndexCatalog: Codable, Equatable {
  /// The tables by the signatures of their content.
  var tables: [String: EntryTable] = [:]
  /// The number of the next table. Numbers are never reused.
  var nextNumber = 1
  /// The number of migrations of the store; nil for none. It changes the catalog with each migration, so that a
  /// process that opened the store earlier notices (M34).
  var generation: Int?

  package static let blobName = "catalog"

  /// A number that differs for catalogs that differ, the same in every process.
  package static func stamp(_ bytes: [UInt8]?) -> UInt64 {
    bytes.map { $0.isEmpty ? 0 : KeyEncoding.hash($0[...]) } ?? 0
  }

  /// The catalog of a new store.
  init() {}

  /// Reads the catalog of a store.
  ///
  /// - Parameter bytes: The stored catalog; empty in a new store.
  /// - Throws: `corruptStore` when the bytes are no catalog.
  init(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    if let catalog = IndexCatalog.scanned(bytes) {
      self = catalog
    } else {
      do {
        self = try JSONDecoder().decode(IndexCatalog.self, from: Data(bytes))
      } catch {
        throw PersistenceError(
          .corruptStore, "The store's list of indexes cannot be read.", underlying: error)
      }
    }
    let numbers = tables.values.map(\.number)
    guard numbers.allSatisfy({ $0 >= 1 && $0 < nextNumber }), Set(numbers).count == numbers.count
    else {
      throw PersistenceError(.corruptStore, "The store's list of indexes contradicts itself.")
    }
  }

  /// Decodes a catalog in the exact form of ``bytes()``; nil for any other form.
  static func scanned(_ bytes: [UInt8]) -> IndexCatalog? {
    bytes.withUnsafeBytes { bytes in
      var json = CompactJSON(bytes)
      var catalog = IndexCatalog()
      guard json.skip("{") else { return nil }
      if json.skip("\"generation\":") {
        guard let generation = json.number(), json.skip(",") else { return nil }
        catalog.generation = generation
      }
      guard json.skip("\"nextNumber\":"), let next = json.number(), json.skip(",\"tables\":{")
      else { return nil }
      catalog.nextNumber = next
      if !json.skip("}") {
        repeat {
          guard let signature = json.string(), json.skip(":{\"number\":"),
            let number = json.number(), json.skip("}"),
            catalog.tables.updateValue(EntryTable(number: number), forKey: signature) == nil
          else { return nil }
        } while json.skip(",")
        guard json.skip("}") else { return nil }
      }
      return json.skip("}") && json.isOver ? catalog : nil
    }
  }

  /// Returns the catalog as stored; equal catalogs give equal bytes.
  func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(self))
  }

  /// Makes a table for a signature.
  ///
  /// - Returns: The table; nil when there was one.
  mutating func add(_ signature: String) -> EntryTable? {
    guard tables[signature] == nil else { return nil }
    let table = EntryTable(number: nextNumber)
    tables[signature] = table
    nextNumber += 1
    return table
  }
}

extension KeyValueSnapshot {
  /// A number that changes with the list of tables: made of its bytes at each request.
  public func catalogStamp() throws -> UInt64 {
    IndexCatalog.stamp(try blob(named: IndexCatalog.blobName))
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// Options of an export: the selected records, and the batch size.
///
/// ```swift
/// var options = ExportOptions(entities: ["Person"])
/// options.leavingOut = ["Person.photo"]
/// ```
public struct ExportOptions: Sendable {
  /// The names of the entities, whose subentities are included; empty for all.
  public var entities: [String]
  /// Properties to omit, such as `Person.photo`; a name also applies to subentities.
  public var leavingOut: Set<String> = []
  /// The store to export from; nil for all stores.
  public var store: (any PersistentStore)?
  /// The number of records in memory at a time.
  public var batchSize = 500

  /// Makes options.
  ///
  /// - Parameter entities: The names of the entities, whose subentities are included; empty for all.
  public init(entities: [String] = []) {
    self.entities = entities
  }
}

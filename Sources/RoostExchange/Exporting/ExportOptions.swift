// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// What is exported, and how much at a time.
///
/// ```swift
/// var options = ExportOptions(entities: ["Person"])
/// options.leavingOut = ["Person.photo"]
/// ```
public struct ExportOptions: Sendable {
  /// The names of the entities, whose subentities are included; empty for all.
  public var entities: [String]
  /// Properties that are not written, as `Person.photo`; a name counts for subentities, too.
  public var leavingOut: Set<String> = []
  /// The store whose records are written; nil for all stores.
  public var store: (any PersistentStore)?
  /// How many records are in memory at a time.
  public var batchSize = 500

  /// Makes options.
  ///
  /// - Parameter entities: The names of the entities, whose subentities are included; empty for all.
  public init(entities: [String] = []) {
    self.entities = entities
  }
}

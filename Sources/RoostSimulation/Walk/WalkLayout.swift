// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostStore

/// Where the records of a walk lie.
package enum WalkLayout: String, Sendable, CaseIterable {
  /// All in one store.
  case together
  /// In two stores that both have all entities: each record is assigned to one of them.
  case mixed
  /// In two stores with a configuration each: nodes in one, groups and tags in the other.
  case apart

  var isAcrossStores: Bool { self != .together }

  /// A version of the model, as it is for this layout.
  func makeModel(_ version: GardenVersion) throws -> ManagedObjectModel {
    let model = version.makeModel()
    guard isAcrossStores else { return model }
    model.letRelationshipsCrossStores()
    guard self == .apart else { return model }
    let nodes = model.entities.filter { $0.name == "Node" || $0.name == "Leaf" }
    let others = model.entities.filter { $0.name != "Node" && $0.name != "Leaf" }
    try model.setEntities(nodes, forConfigurationName: Self.names[0])
    try model.setEntities(others, forConfigurationName: Self.names[1])
    return model
  }

  /// Says which entities two stores have.
  func configure(
    _ first: inout PersistentStoreDescription, _ second: inout PersistentStoreDescription
  ) {
    guard self == .apart else { return }
    first.configuration = Self.names[0]
    second.configuration = Self.names[1]
  }

  private static let names = ["Nodes", "Others"]
}

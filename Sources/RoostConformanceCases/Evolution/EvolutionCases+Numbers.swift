// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Mapping models keep the numbers of records, and those of deleted ones.
extension EvolutionCases {
  static let numbers: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "mapping-numbers",
      "no URI of a deleted object names a new one after a mapping model (M21, B30)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(things().make())
      try stack.context.make("Thing", ["name": "kept"])
      let last = try stack.context.make("Thing", ["name": "deleted"])
      try stack.context.save()
      let uri = last.objectID.uriRepresentation()
      stack.context.delete(last)
      try stack.context.save()
      stack.close()
      var store = stack.stores[0]
      let mapping = EntityMapping(from: "Thing", to: "Thing")
      mapping.attributeMappings = [PropertyMapping(name: "name", valueExpression: .source("name"))]
      store.migration = MappingModels([MappingModel(entityMappings: [mapping])])
      let model = things { $0.declaredProperties.append(AttributeDescription.string("more")) }
        .make()
      let migrated = try stage.open(model, on: [store])
      try expectEqual(try migrated.context.names("Thing"), ["kept"], "the things")
      for number in 1...5 {
        let new = try migrated.context.make("Thing", ["name": "new \(number)"])
        try migrated.context.save()
        try expect(new.objectID.uriRepresentation() != uri, "the URI of new thing \(number)")
      }
      migrated.close()
    }
  ]
}

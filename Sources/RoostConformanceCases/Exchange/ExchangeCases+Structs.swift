// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostExchange
import RoostModel
import RoostObjects

extension ExchangeCases {
  /// Addresses with all elements, with some, and with none.
  private static let residents: [(name: String, address: Residence, billing: Residence?)] = [
    ("initial", Residence(), nil),
    (
      "full",
      Residence(
        street: "S, \"1\"", city: "Århus;", zip: -7, kind: .office,
        place: Coordinates(latitude: 0.1, longitude: -1e-300)),
      Residence(street: "Bill", city: "", place: Coordinates(latitude: 1 / 3))
    ),
    (
      "inner", Residence(place: Coordinates(latitude: 0, longitude: nil)),
      Residence(street: "", city: nil, zip: 0, kind: .home, place: nil)
    ),
  ]

  static let structs: [ConformanceCase] = [
    ("lines", ExchangeFormat.jsonLines), ("csv", .csv), ("semicolons", .csv(delimiter: ";")),
  ].map { name, format in
    exchange(
      "structs-\(name)",
      "structs, optional ones and nested ones are read back from \(name) (E2, E9, B311)", needs: []
    ) { scene in
      let source = try scene.stage.open(try ManagedObjectModel(Resident.self))
      var made: [Resident] = []
      for resident in residents {
        let object = Resident(context: source.context)
        (object.name, object.address, object.billing) = resident
        made.append(object)
      }
      made[2].friend = made[1]
      // One element is enough for an optional struct, and its others stay nil.
      made.append(Resident(context: source.context))
      made[3].name = "one"
      try made[3].setValue(2, forKey: "billing.place.longitude")
      try source.context.save()
      let url = scene.url("Resident.\(format == .jsonLines ? "jsonl" : "csv")")
      try scene.export(source, to: url, as: format)
      for size in [1, 500] {
        let copy = try scene.stage.open(try ManagedObjectModel(Resident.self))
        var options = ImportOptions(format: format)
        options.batchSize = size
        try expectEqual(try scene.import(url, into: copy, options).inserted, 4, "new records")
        try copy.readAnew()
        let found = try copy.context.fetch(Resident.fetchRequest())
        let byName = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
        for original in made {
          let read = try require(byName[original.name], "the resident \(original.name)")
          try expect(
            read.values == original.values, "the structs of \(original.name), batches of \(size)")
          for element in ["street", "city", "zip", "kind", "place.latitude", "place.longitude"] {
            for composite in ["address", "billing"] {
              let key = "\(composite).\(element)"
              try expectExact(
                try read.get(key), try original.get(key), "\(key) of \(original.name)")
            }
          }
        }
        try expectEqual(byName["inner"]?.friend?.name, "full", "the relationship")
        try expect(byName["initial"]?.billing == nil, "the struct that is nil")
        try expect(byName["inner"]?.billing?.place == nil, "the inner struct that is nil")
      }
    }
  }
}

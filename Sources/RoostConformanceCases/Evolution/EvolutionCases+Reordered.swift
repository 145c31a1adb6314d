// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

// Attributes that are declared in another order, which is no other version of a model.
extension EvolutionCases {
  static let reordered: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "reordered-index",
      "a partial index has the rows of its condition when attributes are declared anew (B12)",
      needs: [.reopening]
    ) { stage in
      for insertsTransient in [false, true] {
        let stack = try stage.open(indexed(["b", "c"], where: "c == 1"))
        for number in 0..<200 {
          try stack.context.make(
            "Thing",
            [
              "name": "t\(number)", "x": number, "b": number % 50 == 0 ? 1 : 0,
              "c": number % 50 == 1 ? 1 : 0,
            ])
        }
        try stack.context.save()
        let next = try indexed(
          insertsTransient ? ["a", "b", "c"] : ["c", "b"], where: "b == 1",
          transient: insertsTransient ? "a" : nil)
        try stack.reopen(model: next)
        try expectEqual(
          try stack.context.names("Thing", "b == 1 AND x >= 0"), ["t0", "t100", "t150", "t50"],
          "the rows, with a transient attribute: \(insertsTransient)")
        stack.close()
      }
    }
  ]

  /// A model with numbers in an order, and a partial index of another one.
  private static func indexed(
    _ names: [String], where condition: String, transient: String? = nil
  ) throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    let numbers = names.map { AttributeDescription.integer($0) }
    for number in numbers where number.name == transient { number.isTransient = true }
    sketch.add("Thing", [.string("name")] + numbers + [.integer("x")])
    let index = FetchIndexDescription(
      name: "byX", elements: [FetchIndexElementDescription(propertyName: "x")])
    index.partialIndexPredicate = try FetchPredicate(format: condition, argumentArray: [])
    sketch["Thing"].indexes = [index]
    return sketch.make()
  }
}

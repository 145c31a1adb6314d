// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects

// The defaults that old records get are those of new objects.
extension EvolutionCases {
  /// An address, of which the whole or the elements have defaults.
  private static func address(
    _ constant: Value = .null, city: Value = .null, zipIsOptional: Bool = true
  ) -> PropertyDescription {
    let address = CompositeAttributeDescription(
      name: "address",
      elements: [
        AttributeDescription.of("city", .string, default: city),
        AttributeDescription.of("zip", .integer64, optional: zipIsOptional),
      ])
    address.defaultConstant = constant
    return address
  }

  private static let rome = Value.composite(["city": .string("Rome"), "zip": .integer(7)])

  private static func tags(_ isOptional: Bool, _ standard: Any?) -> AttributeDescription {
    let tags = AttributeDescription(name: "tags", type: .transformable)
    tags.isOptional = isOptional
    tags.transformableCodec = .of([String].self)
    if let standard { tags.defaultValue = standard }
    return tags
  }

  /// Adds properties to people, and expects what a new object has in the old records as well.
  private static func added(
    _ old: @escaping @Sendable () -> [PropertyDescription] = { [] },
    _ new: @escaping @Sendable () -> [PropertyDescription],
    fill: @escaping EvolutionPair.Step = { try $0.make("Person", ["name": "old"]) },
    expect: @escaping EvolutionPair.Step
  ) -> EvolutionPair {
    EvolutionPair(
      old: {
        $0.add("Person", [.string("name")])
        $0["Person"].declaredProperties += old()
      },
      new: {
        $0.add("Person", [.string("name")])
        $0["Person"].declaredProperties += new()
      }, fill: fill,
      expectation: { context in
        try expect(context)
        // The values of old records can be saved.
        for person in try context.all("Person") { try person.set("name", try person.text("name")) }
        try context.save()
      })
  }

  /// Expects the values of a new object in every record.
  private static func expectAsNew(_ keys: [String], _ context: ManagedObjectContext) throws {
    let new = try context.make("Person", ["name": "new"])
    for person in try context.all("Person") where person !== new {
      for key in keys {
        try expectEqual(
          ExactValue(try person.get(key)), ExactValue(try new.get(key)), "\(key) of an old record")
      }
    }
    context.delete(new)
    context.processPendingChanges()
  }

  static let defaultValues: [ConformanceCase] = [
    .evolution(
      "default-composite", "records get the parts of a composite attribute's default (M9)",
      added {
        [address(rome)]
      } expect: { context in
        try expectAsNew(["address.city", "address.zip"], context)
        try expectEqual(try context.names("Person", "address.city == 'Rome'"), ["old"])
      }),
    .evolution(
      "default-element",
      "an element that may no longer be nil gets its part of the whole's default (M9)",
      added {
        [address()]
      } _: {
        [address(rome, zipIsOptional: false)]
      } fill: { context in
        try context.make("Person", ["name": "old"]).set("address.city", "Oslo")
      } expect: { context in
        let person = try context.named("Person", "old")
        try expectEqual(try person.text("address.city"), "Oslo")
        try expectEqual(try person.number("address.zip"), 7)
      }),
    .evolution(
      "default-object", "records get a default object of a new transformable attribute (M9)",
      added {
        [tags(false, ["a", "b"])]
      } expect: { context in
        let person = try context.named("Person", "old")
        try expectEqual(try person.value(forKey: "tags") as? [String], ["a", "b"])
      }),
    .evolution(
      "default-object-demanded",
      "a transformable attribute that may no longer be nil gets its default object (M9)",
      added {
        [tags(true, nil)]
      } _: {
        [tags(false, ["a", "b"])]
      } expect: { context in
        let person = try context.named("Person", "old")
        try expectEqual(try person.value(forKey: "tags") as? [String], ["a", "b"])
      }),
    .refusedEvolution(
      "default-unencodable", "a default object that cannot be encoded is refused (M9)",
      .transformation, naming: ["tags"],
      added {
        // The codec encodes arrays of strings only.
        [tags(false, NSObject())]
      } expect: { _ in
      }),
    .evolution(
      "default-checked", "defaults are written as the values of new objects are (M9)",
      added {
        [AttributeDescription.of("known", .float), AttributeDescription.of("counted", .integer64)]
      } _: {
        [
          AttributeDescription.of("known", .float, optional: false, default: .double(0.1)),
          AttributeDescription.of("counted", .integer64),
          AttributeDescription.of("ratio", .float, optional: false, default: .double(0.1)),
          AttributeDescription.of("zero", .double, default: .double(-0.0)),
          AttributeDescription.of("price", .decimal, default: .decimal(Decimal(3) / Decimal(2))),
        ]
      } expect: { context in
        try expectAsNew(["known", "ratio", "zero", "price"], context)
        let tenth = NSNumber(value: Double(Float(0.1)))
        for key in ["known", "ratio"] {
          try expectEqual(try context.names("Person", "\(key) == %@", tenth), ["old"], key)
        }
      }),
  ]
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects

// Attributes that come, go, and are called otherwise.
extension EvolutionCases {
  static let attributes: [ConformanceCase] = [
    .evolution(
      "add-optional", "a new attribute that may be nil is nil (M9)",
      pair(
        to: { $0.declaredProperties.append(AttributeDescription.string("more")) },
        expect: { context in
          try EvolutionThings.expect(context)
          try expectEqual(try context.names("Thing", "more == nil").count, EvolutionThings.count)
        })),
    .evolution(
      "add-defaults", "records get the defaults of new attributes of every type, exactly (M9)",
      pair(
        to: { $0.declaredProperties += defaults() },
        expect: { context in
          try EvolutionThings.expect(context)
          for thing in try context.all("Thing") {
            for attribute in defaults() {
              try expectEqual(
                ExactValue(try thing.get(attribute.name)), ExactValue(attribute.defaultConstant),
                attribute.name)
            }
          }
          try expectEqual(
            try context.names("Thing", "dText == %@ AND dNumber == 7", "it's").count,
            EvolutionThings.count, "what conditions find")
        })),
    .evolution(
      "remove", "a removed attribute goes, and the others stay (M9, M17)",
      pair(
        to: {
          $0.drop("note")
          $0.drop("bytes")
        }, expect: { try EvolutionThings.expect($0, except: ["note", "bytes"]) })),
    .evolution(
      "rename", "a renamed attribute keeps its values (M8, B258)",
      pair(
        to: {
          $0.rename("note", to: "remark")
          $0.rename("size", to: "extent")
        },
        expect: { context in
          try EvolutionThings.expect(context, renamed: ["note": "remark", "size": "extent"])
          try expectEqual(
            try context.names("Thing", "extent == 7"),
            EvolutionThings.names { EvolutionThings.size($0) == 7 })
        })),
    .evolution(
      "swap", "two attributes that exchange their names exchange their values (M8)",
      pair(
        to: {
          let (name, note) = ($0.attribute("name"), $0.attribute("note"))
          (name.name, note.name) = ("note", "name")
          (name.renamingIdentifier, note.renamingIdentifier) = ("name", "note")
          // By names and types alone it is the same version.
          $0.versionHashModifier = "2"
        },
        expect: { try EvolutionThings.expect($0, renamed: ["name": "note", "note": "name"]) })),
    .evolution(
      "reuse-name", "a new attribute under the name of a removed one has none of its values (M8)",
      pair(
        to: {
          $0.drop("note")
          $0.rename("size", to: "extent")
          let size = AttributeDescription.of("size", .string, default: .string("new"))
          size.renamingIdentifier = "newSize"
          $0.declaredProperties.append(size)
          let note = AttributeDescription.of("note", .double)
          note.renamingIdentifier = "another"
          $0.declaredProperties.append(note)
        },
        expect: { context in
          try EvolutionThings.expect(context, renamed: ["size": "extent"], except: ["note"])
          for thing in try context.all("Thing") {
            try expectEqual(try thing.text("size"), "new")
            try expectEqual(try thing.get("note"), .null)
          }
        })),
    .evolution(
      "demanded", "what may no longer be nil gets the default where it is (M9)",
      pair(
        to: {
          $0.attribute("size").isOptional = false
          $0.attribute("size").defaultConstant = .integer(9)
          $0.attribute("note").isOptional = false
          $0.attribute("note").defaultConstant = .string("none")
        },
        expect: { context in
          try EvolutionThings.expect(context, except: ["size", "note"])
          for (index, thing) in try context.all("Thing").enumerated() {
            try expectEqual(try thing.number("size"), EvolutionThings.size(index) ?? 9)
            try expectEqual(try thing.text("note"), EvolutionThings.note(index) ?? "none")
          }
          try expectEqual(
            try context.names("Thing", "note == 'none'"),
            EvolutionThings.names { EvolutionThings.note($0) == nil })
          try expectEqual(
            try context.names("Thing", "size == 9"),
            EvolutionThings.names { EvolutionThings.size($0) == nil })
        })),
    .evolution(
      "not-demanded", "what may be nil now stays as it is (M9)",
      pair(
        to: { _ in }, from: { $0.attribute("name").isOptional = false })),
    .evolution(
      "transient", "an attribute that is no longer stored goes, and comes back as a new one (M9)",
      pair(
        to: { $0.attribute("note").isTransient = true },
        expect: { context in
          try EvolutionThings.expect(context, except: ["note"])
          for thing in try context.all("Thing") { try expectEqual(try thing.text("note"), nil) }
        })),
    .evolution(
      "stored", "an attribute that was not stored gets its default (M9)",
      pair(
        to: { $0.attribute("note").defaultConstant = .string("x") },
        from: { $0.attribute("note").isTransient = true },
        expect: { context in
          try EvolutionThings.expect(context, except: ["note"])
          for thing in try context.all("Thing") { try expectEqual(try thing.text("note"), "x") }
        })),
    .evolution(
      "kind", "a relationship under the name of a removed attribute has no destinations (M9, M11)",
      pair(
        to: {
          $0.drop("note")
          $0.declaredProperties.append(
            RelationshipDescription(name: "note", destination: $0, maxCount: 1))
        },
        expect: { context in
          try EvolutionThings.expect(context, except: ["note"])
          for thing in try context.all("Thing") { try expect(try thing.one("note") == nil, "none") }
        })),
    .evolution(
      "external", "another way to keep large data changes no value (M9)",
      pair(to: { $0.attribute("bytes").allowsExternalBinaryDataStorage = true })),
    .evolution(
      "modifier", "a hash modifier alone migrates nothing but the version (M2)",
      pair(to: { $0.versionHashModifier = "2" })),
    .evolution(
      "derived", "a new derived attribute is computed for all records (M14)",
      pair(
        to: {
          $0.declaredProperties.append(
            AttributeDescription.derived("folded", .string, "canonical:(name)"))
        },
        expect: { context in
          try EvolutionThings.expect(context)
          for thing in try context.all("Thing") {
            try expectEqual(try thing.text("folded"), try thing.text("name"))
          }
          try expectEqual(try context.names("Thing", "folded == 't005'"), ["t005"])
        })),
    .evolution(
      "composite", "a new composite attribute has the defaults of its elements (M9)",
      pair(
        to: {
          $0.declaredProperties.append(
            CompositeAttributeDescription(
              name: "place",
              elements: [
                AttributeDescription.of("city", .string, default: .string("Kyiv")),
                AttributeDescription.of("zip", .integer64),
              ]))
        },
        expect: { context in
          try EvolutionThings.expect(context)
          try expectEqual(
            try context.names("Thing", "place.city == 'Kyiv'").count, EvolutionThings.count)
        })),
  ]

  /// Attributes with defaults of every type.
  private static func defaults() -> [AttributeDescription] {
    [
      .of("dText", .string, optional: false, default: .string("it's")),
      .of("dEmpty", .string, optional: false, default: .string("")),
      .of("dNumber", .integer16, optional: false, default: .integer(7)),
      .of("dLargest", .integer64, default: .integer(.max)),
      .of("dSmallest", .integer64, default: .integer(.min)),
      // The shortest literal of this number is read to other bits by some engines.
      .of("dDouble", .double, default: .double(0.1 + 0.2)),
      .of("dTiny", .double, default: .double(Double.leastNonzeroMagnitude)),
      .of("dTruth", .boolean, optional: false, default: .boolean(true)),
      .of("dDate", .date, default: .date(Date(timeIntervalSinceReferenceDate: 1.0 / 3))),
      .of("dData", .binaryData, default: .data(Data([0, 39, 255]))),
      .of(
        "dCode", .uuid,
        default: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
      .of("dPrice", .decimal, default: .decimal(Decimal(string: "-0.10") ?? 0)),
    ]
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

// Properties that the store has under another name, while their present name belongs to something else there: without
// a migration the one would be read as the other.
extension MetadataCases {
  static let earlierNames: [ConformanceCase] = [
    misread("taken-name", "an attribute with the name of one that is gone", naming: "label") {
      $0.drop("label")
      $0.attribute("name").renamingIdentifier = "label"
    },
    misread("swapped-names", "two attributes with exchanged names", naming: "label") {
      $0.attribute("name").renamingIdentifier = "label"
      $0.attribute("label").renamingIdentifier = "name"
      $0.declaredProperties.append(AttributeDescription.string("more"))
    },
    misread("given-up-name", "a new attribute with the name of a renamed one", naming: "title") {
      $0.rename("label", to: "title")
      $0.declaredProperties.append(AttributeDescription.string("label"))
    },
    misread("swapped-links", "two relationships with exchanged names", naming: "previous") {
      $0.property("next").renamingIdentifier = "previous"
      $0.property("previous").renamingIdentifier = "next"
      $0.declaredProperties.append(AttributeDescription.string("more"))
    },
    misread("swapped-elements", "two elements with exchanged names", naming: "place.street") {
      let elements = ($0.attribute("place") as? CompositeAttributeDescription)?.elements ?? []
      elements.first { $0.name == "city" }?.renamingIdentifier = "street"
      elements.first { $0.name == "street" }?.renamingIdentifier = "city"
      $0.declaredProperties.append(AttributeDescription.string("more"))
    },
    misreading(
      "taken-entity", "an entity with the name of one that is gone", naming: "Other",
      EvolutionPair(
        old: {
          $0.add("Thing", [.string("name")])
          $0.add("Other", [.string("name")])
        },
        new: {
          $0.add("Thing", [.string("name"), .string("more")])
          $0["Thing"].renamingIdentifier = "Other"
        },
        fill: {
          try $0.make("Thing", ["name": "a"])
          try $0.make("Other", ["name": "b"])
        })),
    misreading(
      "given-up-entity", "a new entity with the name of a renamed one", naming: "Item",
      EvolutionPair(
        old: { $0.add("Thing", [.string("name")]) },
        new: {
          $0.add("Item", [.string("name")])
          $0["Item"].renamingIdentifier = "Thing"
          $0.add("Thing", [.string("name")])
        }, fill: { try $0.make("Thing", ["name": "a"]) })),
    misreading(
      "later-identifier", "what is found by an identifier of the store's own model",
      naming: "label", needs: [.reopening, .evolution],
      EvolutionPair(
        old: {
          $0.add("Thing", [.string("name"), .string("label")])
          $0["Thing"].attribute("label").renamingIdentifier = "caption"
        },
        new: {
          $0.add("Thing", [.string("name"), .string("label"), .string("title")])
          $0["Thing"].attribute("title").renamingIdentifier = "caption"
        }, fill: { try $0.make("Thing", ["name": "a", "label": "b"]) })),
    ConformanceCase(
      .metadata, "ignored-known-names",
      "names that the store has had in its own version stand in nothing's way (B247)",
      needs: [.reopening, .evolution]
    ) { stage in
      func model(_ more: [AttributeDescription]) -> ManagedObjectModel {
        EvolutionPair.model {
          $0.add("Thing", [.string("name"), .string("label")] + more)
          $0["Thing"].attribute("name").renamingIdentifier = "label"
        }
      }
      let stack = try stage.open(model([]))
      try stack.context.make("Thing", ["name": "a", "label": "b"])
      try stack.context.save()
      stack.close()
      var description = stack.stores[0]
      description.ignoresModelVersions = true
      let later = try stage.open(model([.string("more")]), on: [description])
      let thing = try later.context.named("Thing", "a")
      try expectEqual(try thing.text("label"), "b", "the label")
      try expectEqual(try thing.text("more"), nil, "what is new")
    },
  ]

  private static func misread(
    _ name: String, _ what: String, naming word: String,
    _ edit: @escaping @Sendable (EntityDescription) -> Void
  ) -> ConformanceCase {
    misreading(
      name, what, naming: word,
      EvolutionPair(
        old: { $0 = thing() },
        new: {
          $0 = thing()
          edit($0["Thing"])
        },
        fill: { context in
          let first = try context.make("Thing", ["name": "a", "label": "b"])
          let second = try context.make("Thing", ["name": "c", "label": "d"])
          try first.set("next", second)
          try second.set("previous", first)
          try first.set("place.city", "e")
          try first.set("place.street", "f")
        }))
  }

  private static func misreading(
    _ name: String, _ what: String, naming word: String,
    needs: Set<ConformanceFacet> = [.reopening], _ pair: EvolutionPair
  ) -> ConformanceCase {
    ConformanceCase(
      .metadata, "ignored-\(name)", "\(what) is refused, and nothing is changed (B247)",
      needs: needs
    ) { stage in
      let error = try pair.with { $0.ignoresModelVersions = true }
        .expectRefusal(.persistentStoreIncompatibleSchema, stage)
      try expect(error.message.contains(word), "the error names it: \(error.message)")
    }
  }

  private static func thing() -> ModelSketch {
    var sketch = ModelSketch()
    sketch.add("Thing", [.string("name"), .string("label")])
    sketch["Thing"].declaredProperties.append(
      CompositeAttributeDescription(
        name: "place",
        elements: [
          AttributeDescription.string("city"), AttributeDescription.string("street"),
        ]))
    sketch.relate(.init("Thing", "next", .one), to: "Thing")
    sketch.relate(.init("Thing", "previous", .one), to: "Thing")
    return sketch
  }
}

extension EntityDescription {
  fileprivate func property(_ name: String) -> PropertyDescription {
    guard let property = declaredProperties.first(where: { $0.name == name }) else {
      preconditionFailure("The entity has no property \(name).")
    }
    return property
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Entities that inherit.
enum InheritanceCases {
  static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Animal", [.string("name"), .of("weight", .double)], isAbstract: true)
    sketch.add("Dog", [.string("breed")], parent: "Animal")
    sketch.add("Puppy", [.integer("weeks")], parent: "Dog")
    sketch.add("Cat", [.of("isWild", .boolean)], parent: "Animal")
    sketch.add("Owner", [.string("name")])
    sketch.relate(.init("Animal", "owner", .one), .init("Owner", "pets", .many))
    sketch.relate(.init("Dog", "chases", .many), .init("Cat", "chasedBy", .many))
    return sketch.make()
  }

  static func fill(_ context: ManagedObjectContext) throws {
    let ada = try context.make("Owner", ["name": "Ada"])
    let bob = try context.make("Owner", ["name": "Bob"])
    let rex = try context.make(
      "Dog", ["name": "Rex", "weight": 20.0, "breed": "Collie", "owner": ada])
    try context.make(
      "Puppy", ["name": "Pip", "weight": 2.0, "breed": "Collie", "weeks": 8, "owner": bob])
    let tom = try context.make(
      "Cat", ["name": "Tom", "weight": 5.0, "isWild": false, "owner": ada])
    try rex.add(tom, to: "chases")
    try context.save()
  }

  private static func animals(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.inheritance, name, title) { stage in
      let stack = try stage.open(make())
      try fill(stack.context)
      try stack.readAnew()
      try body(stack.context)
    }
  }

  static let all: [ConformanceCase] = [
    animals("subentities", "a fetch on a parent returns instances of all subentities (B299)") {
      try expectEqual(try $0.names("Animal"), ["Pip", "Rex", "Tom"])
      try expectEqual(try $0.names("Dog"), ["Pip", "Rex"])
      try expectEqual(try $0.names("Puppy"), ["Pip"])
      try expectEqual(try $0.names("Cat"), ["Tom"])
    },
    animals("exact", "a fetch can leave out subentities (B128)") {
      for (entity, wanted) in [("Dog", ["Rex"]), ("Animal", []), ("Puppy", ["Pip"])] {
        let request = try $0.request(entity, nil, [])
        request.includesSubentities = false
        try expectEqual(try $0.fetch(request).map { try $0.text("name") ?? "" }, wanted, entity)
        try expectEqual(try $0.count(for: request), wanted.count, "the count of \(entity)")
      }
    },
    animals("concrete", "an ID's entity is the concrete one (B301)") {
      for animal in try $0.all("Animal") {
        let wanted = ["Pip": "Puppy", "Rex": "Dog", "Tom": "Cat"][try animal.text("name") ?? ""]
        try expectEqual(animal.entity.name, wanted, "the object's entity")
        try expectEqual(animal.objectID.entity.name, wanted, "the ID's entity")
      }
    },
    animals("kind", "an entity is a kind of its ancestors (B302)") { context in
      let pip = try context.named("Puppy", "Pip")
      let model = try require(pip.entity.managedObjectModel)
      for (name, wanted) in [("Puppy", true), ("Dog", true), ("Animal", true), ("Cat", false)] {
        let entity = try require(model.entitiesByName[name])
        try expectEqual(pip.entity.isKindOf(entity: entity), wanted, "Puppy is a kind of \(name)")
      }
    },
    animals("inherited", "a subentity has the properties of all its ancestors (B300)") {
      let pip = try $0.named("Animal", "Pip")
      try expectExact(try pip.get("weight"), .double(2))
      try expectExact(try pip.get("breed"), .string("Collie"))
      try expectExact(try pip.get("weeks"), .integer(8))
      try expectEqual(try pip.one("owner")?.text("name"), "Bob")
    },
    animals(
      "inherited-condition", "a condition on an inherited property finds subentities (B299)"
    ) {
      try expectEqual(try $0.names("Animal", "weight < 10"), ["Pip", "Tom"])
      try expectEqual(try $0.names("Dog", "weight < 10"), ["Pip"])
      try expectEqual(try $0.names("Dog", "owner.name == 'Ada'"), ["Rex"])
    },
    animals("polymorphic", "a relationship to a parent has instances of subentities (B304)") {
      let ada = try $0.named("Owner", "Ada")
      try expectEqual(try ada.names("pets"), ["Rex", "Tom"])
      try expectEqual(
        Set(try ada.many("pets").compactMap(\.entity.name)), ["Dog", "Cat"], "their entities")
      try expectEqual(try $0.names("Owner", "ANY pets.weight < 3"), ["Bob"])
      try expectEqual(try $0.names("Owner", "pets.@count == 2"), ["Ada"])
    },
    animals("links", "links lead from one subentity to another (B304)") {
      try expectEqual(try $0.named("Dog", "Rex").names("chases"), ["Tom"])
      try expectEqual(try $0.named("Cat", "Tom").names("chasedBy"), ["Rex"])
      try expectEqual(try $0.names("Dog", "ANY chases.name == 'Tom'"), ["Rex"])
    },
    animals("links-of-subentity", "a subentity has the links of its parent (B300)") { context in
      let pip = try context.named("Puppy", "Pip")
      try pip.add(try context.named("Cat", "Tom"), to: "chases")
      try context.save()
      try expectEqual(try context.named("Cat", "Tom").names("chasedBy"), ["Pip", "Rex"])
    },
    animals("keys", "keys are unique over the whole hierarchy (B303)") {
      let keys = try $0.all("Animal").map(\.objectID.key)
      try expectEqual(Set(keys).count, 3, "the number of keys")
    },
    animals("entity-condition", "an entity can be asked for (B299)") { context in
      let model = try require(context.persistentStoreCoordinator?.managedObjectModel)
      let dog = try require(model.entitiesByName["Dog"])
      let cat = try require(model.entitiesByName["Cat"])
      try expectEqual(try context.names("Animal", "entity == %@", dog), ["Rex"])
      try expectEqual(try context.names("Animal", "entity IN %@", [dog, cat]), ["Rex", "Tom"])
    },
    animals("sort", "an order spans the hierarchy (B299)") {
      let request = FetchRequest<ManagedObject>(entityName: "Animal")
      request.sortDescriptors = [SortOrdering("weight")]
      let names = try $0.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(names, ["Pip", "Tom", "Rex"])
      request.fetchLimit = 1
      request.fetchOffset = 1
      try expectEqual(try $0.fetch(request).map { try $0.text("name") ?? "" }, ["Tom"])
    },
    animals("update", "objects of all entities are changed in one save (B299)") { context in
      for animal in try context.all("Animal") { try animal.set("weight", 1.0) }
      try context.save()
      try expectEqual(try context.names("Animal", "weight == 1"), ["Pip", "Rex", "Tom"])
    },
    animals("delete", "deleting through the parent entity deletes the object (B299)") { context in
      for animal in try context.all("Animal", "weight < 10") { context.delete(animal) }
      try context.save()
      try expectEqual(try context.names("Animal"), ["Rex"])
      try expectEqual(try context.named("Owner", "Ada").names("pets"), ["Rex"])
    },
    animals("pending", "unsaved objects of subentities are found through the parent (B121)") {
      try $0.make("Puppy", ["name": "Bo", "weight": 1.0])
      try expectEqual(try $0.names("Animal", "weight < 3"), ["Bo", "Pip"])
      try expectEqual(try $0.names("Dog"), ["Bo", "Pip", "Rex"])
      try expectEqual(try $0.names("Cat"), ["Tom"])
    },
    animals("abstract", "an abstract entity has no instances (B23)") { context in
      do {
        _ = try context.insert("Animal")
        try expectError(.abstractEntity, "the save") { try context.save() }
      } catch let error as PersistenceError where error.code == .abstractEntity {
        return
      }
    },
    animals("wrong-destination", "a destination of another entity is refused (B72)") { context in
      let owner = try context.named("Owner", "Ada")
      let rex = try context.named("Dog", "Rex")
      try expectError(.invalidValue) { try rex.set("owner", rex) }
      try expectError(.invalidValue) { try rex.set("chases", Set([owner])) }
      try expectEqual(try rex.one("owner")?.text("name"), "Ada", "the owner")
      try expectEqual(try rex.names("chases"), ["Tom"], "the chased")
    },
  ]
}

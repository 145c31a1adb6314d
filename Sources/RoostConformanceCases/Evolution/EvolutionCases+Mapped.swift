// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

// Mapping models do what inference does, where the program has not said otherwise (M26).
extension EvolutionCases {
  private typealias End = ModelSketch.End

  private static func sketch(_ edit: (inout ModelSketch) -> Void) -> ManagedObjectModel {
    var sketch = ModelSketch()
    edit(&sketch)
    return sketch.make()
  }

  /// An inferred mapping model with one value of the program's own, so that objects are made.
  private static func mapping(
    from old: ManagedObjectModel, to new: ManagedObjectModel, setting key: String, of entity: String
  ) throws -> MappingModels {
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let property = mapping.entityMappings.first { $0.destinationEntityName == entity }?
      .attributeMappings?.first { $0.name == key }
    try require(property, "the mapping of \(key)").valueExpression = MappingExpression(.string("m"))
    return MappingModels([mapping])
  }

  /// A base entity, which is abstract in the later version.
  private static func abstracted(_ isLater: Bool) -> ManagedObjectModel {
    sketch {
      $0.add("Base", [.string("name")], isAbstract: isLater)
      $0.add("Part", isLater ? [.string("more")] : [], parent: "Base")
    }
  }

  /// Members of a team, of which guests are none in the later version.
  private static func left(_ isLater: Bool) -> ManagedObjectModel {
    sketch {
      $0.add("Team", [.string("name")] + (isLater ? [.string("more")] : []))
      $0.add("Person", [.string("name")])
      $0.add("Guest", isLater ? [.string("name")] : [], parent: isLater ? nil : "Person")
      $0.relate(End("Team", "members", .many), End("Person", "team", .one))
      $0.relate(End("Team", "lead", .one), to: "Person")
    }
  }

  static let mapped: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "mapped-abstract",
      "an entity that becomes abstract is refused while it has records, with a mapping model as well (M12, M26)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (old, new) = (abstracted(false), abstracted(true))
      let stack = try stage.open(old)
      try stack.context.make("Base", ["name": "b"])
      try stack.context.make("Part", ["name": "p"])
      try stack.context.save()
      stack.close()
      var store = stack.stores[0]
      let mapping = try mapping(
        from: abstracted(false), to: abstracted(true), setting: "more", of: "Part")
      let transform = CustomMigration([
        EntityTransform("Part", toEntity: "Part", setting: ["more"]) { _, new, _ in
          try new.set("more", "m")
        }
      ])
      let migrations: [any StoreMigration] = [mapping, transform]
      for migration in migrations {
        store.migration = migration
        let error = try expectError(.migration) { _ = try stage.open(new, on: [store]) }
        try expect(error.message.contains("abstract"), "it says why: \(error.message)")
      }
      let again = try stage.open(abstracted(false), on: stack.stores)
      again.context.delete(try again.context.named("Base", "b"))
      try again.context.save()
      again.close()
      store.migration = mapping
      let last = try stage.open(abstracted(true), on: [store])
      try expectEqual(try last.context.names("Part", "more == 'm'"), ["p"])
    },
    ConformanceCase(
      .evolution, "mapped-losses",
      "a mapping model that drops records is refused where losses are forbidden (M17, M26)",
      needs: [.reopening, .evolution]
    ) { stage in
      func model(_ isLater: Bool) -> ManagedObjectModel {
        sketch {
          $0.add("Thing", [.string("name")] + (isLater ? [.string("more")] : []))
          if !isLater { $0.add("Note", [.string("name")]) }
        }
      }
      let stack = try stage.open(model(false))
      try stack.context.make("Thing", ["name": "t"])
      try stack.context.make("Note", ["name": "n"])
      try stack.context.save()
      stack.close()
      var store = stack.stores[0]
      store.migration = try mapping(
        from: model(false), to: model(true), setting: "more", of: "Thing")
      store.evolution = .automatic.allowLoss(false)
      let error = try expectError(.migration) { _ = try stage.open(model(true), on: [store]) }
      try expect(error.message.contains("1 of Note"), "it counts them: \(error.message)")
      store.evolution = .automatic
      let last = try stage.open(model(true), on: [store])
      try expectEqual(try last.context.names("Thing", "more == 'm'"), ["t"])
    },
    ConformanceCase(
      .evolution, "mapped-left",
      "records that leave a hierarchy are no destinations after an inferred mapping model (M12, M26)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(left(false))
      let team = try stack.context.make("Team", ["name": "t"])
      let guest = try stack.context.make("Guest", ["name": "g", "team": team])
      try stack.context.make("Person", ["name": "p", "team": team])
      try team.set("lead", guest)
      try stack.context.save()
      stack.close()
      var store = stack.stores[0]
      store.migration = try mapping(
        from: left(false), to: left(true), setting: "more", of: "Team")
      let last = try stage.open(left(true), on: [store])
      let read = try last.context.named("Team", "t")
      try expectEqual(try read.text("more"), "m")
      try expectEqual(try read.names("members"), ["p"])
      try expect(try read.one("lead") == nil, "the guest leads no team")
      try expectEqual(try last.context.names("Guest"), ["g"])
    },
    ConformanceCase(
      .evolution, "mapped-demanded",
      "what may no longer be nil gets its default also beside a transform (M9, M26)",
      needs: [.reopening, .evolution]
    ) { stage in
      func model(_ isLater: Bool) -> ManagedObjectModel {
        sketch {
          $0.add("Thing", [.string("name")] + (isLater ? [.string("more")] : []))
          $0.add(
            "Note",
            [
              .string("name"),
              isLater
                ? .of("size", .integer64, optional: false, default: .integer(9)) : .integer("size"),
            ])
        }
      }
      let stack = try stage.open(model(false))
      try stack.context.make("Thing", ["name": "t"])
      try stack.context.make("Note", ["name": "n"])
      try stack.context.save()
      stack.close()
      var store = stack.stores[0]
      store.migration = CustomMigration([
        EntityTransform("Thing", toEntity: "Thing", setting: ["more"]) { _, new, _ in
          try new.set("more", "m")
        }
      ])
      let last = try stage.open(model(true), on: [store])
      try expectEqual(try last.context.named("Note", "n").number("size"), 9)
    },
  ]
}

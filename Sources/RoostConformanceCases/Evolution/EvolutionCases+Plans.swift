// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Plans (dry runs) of a program's own migration.
extension EvolutionCases {
  private static let count = EvolutionThings.count
  private static let sizes = (0..<count).count { EvolutionThings.size($0) != nil }
  private static let ratios = (0..<count).count { EvolutionThings.ratio($0) != nil }

  /// The size becomes a text and the ratio is removed, which cannot be inferred.
  private static let next: @Sendable (EntityDescription) -> Void = {
    $0.attribute("size").type = .string
    $0.drop("ratio")
  }

  private static func transform(replacing names: Set<String>) -> CustomMigration {
    CustomMigration([
      EntityTransform("Thing", toEntity: "Thing", replacing: names, setting: ["size"]) {
        old, new, _ in
        let size: Int64? = try old["size"]
        try new.set("size", size.map { "\($0)" })
      }
    ])
  }

  private static func written(
    _ stage: ConformanceStage, fill: Bool = true
  ) throws -> PersistentStoreDescription {
    let stack = try stage.open(things().make())
    if fill { try EvolutionThings.fill(stack.context) }
    try stack.context.save()
    stack.close()
    return stack.stores[0]
  }

  /// Makes a plan, and expects that the store is as it was.
  private static func plan(
    _ store: PersistentStoreDescription, _ model: ManagedObjectModel, _ stage: ConformanceStage
  ) throws -> MigrationPlan {
    let plan = try require(try MigrationPlan(for: store, model: model), "a plan")
    var plain = store
    plain.migration = nil
    let old = try stage.open(things().make(), on: [plain])
    try EvolutionThings.expect(old.context)
    old.close()
    return plan
  }

  private static func expectOthers(_ stage: ConformanceStage) throws {
    func model(_ edit: (EntityDescription) -> Void) -> ManagedObjectModel {
      var sketch = ModelSketch()
      sketch.add("Part", [.string("name"), .integer("size")])
      sketch["Part"].declaredProperties.append(
        CompositeAttributeDescription(
          name: "first",
          elements: [AttributeDescription.string("any"), AttributeDescription.string("all")]))
      sketch.relate(.init("Part", "others", .many), to: "Part")
      edit(sketch["Part"])
      return sketch.make()
    }
    let stack = try stage.open(model { _ in })
    let parts = try (0..<4).map { try stack.context.make("Part", ["name": "p\($0)"]) }
    try parts[0].add(parts[1], parts[2], to: "others")
    try parts[1].set("first.all", "x")
    try parts[2].set("first.any", "y")
    try parts[2].set("first.all", "z")
    try stack.context.save()
    stack.close()
    var store = stack.stores[0]
    store.migration = CustomMigration([
      EntityTransform("Part", toEntity: "Part", setting: ["size"]) { _, _, _ in }
    ])
    let plan = try require(
      try MigrationPlan(
        for: store,
        model: model {
          $0.attribute("size").type = .string
          $0.drop("first")
          $0.drop("others")
        }), "a plan")
    try expectEqual(
      Set(plan.losses),
      [
        .init(name: "Part.first", count: 2), .init(name: "Part.others", count: 1),
      ], "the losses: \(plan)")
  }

  static let plans: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "plan-transform",
      "the plan of a migration by code names the code, and loses what nobody takes over (M2, M17)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let model = things("Thing", next).make()
      store.migration = transform(replacing: [])
      let careless = try plan(store, model, stage)
      try expectEqual(careless.steps.map(\.kind), [.custom], "the steps: \(careless)")
      try expectEqual(careless.steps.map(\.rows), [count], "the records: \(careless)")
      try expectEqual(
        careless.losses, [.init(name: "Thing.ratio", count: ratios)], "the losses: \(careless)")
      store.migration = transform(replacing: ["ratio"])
      try expect(try !plan(store, model, stage).isLossy, "what is taken over is not lost")
      // Links and composites that go are counted by the records that have them.
      try expectOthers(stage)
      // Versions that the code is not for are inferred, as they would be.
      store.migration = CustomMigration([], from: [model])
      let inferred = try plan(store, things("Thing") { $0.drop("size") }.make(), stage)
      try expectEqual(inferred.losses.map(\.count), [sizes], "the losses: \(inferred)")
      // An invalid transform throws the same error as opening the store would.
      store.migration = CustomMigration([
        EntityTransform("Thing", toEntity: "Thing", setting: ["weight"]) { _, _, _ in }
      ])
      try expectError(.unknownKey) { _ = try MigrationPlan(for: store, model: model) }
    },
    ConformanceCase(
      .evolution, "transform-loss",
      "a migration by code that would lose something is refused with counts, and only then (M17)",
      needs: [.reopening, .evolution]
    ) { stage in
      let model = things("Thing", next).make()
      var store = try written(stage)
      store.migration = transform(replacing: [])
      store.evolution = .automatic.allowLoss(false)
      let error = try expectError(.migration) { _ = try stage.open(model, on: [store]) }
      try expect(error.message.contains("\(ratios) of Thing.ratio"), "it counts: \(error.message)")
      var empty = try written(stage, fill: false)
      empty.migration = transform(replacing: [])
      empty.evolution = .automatic.allowLoss(false)
      try expectEqual(try stage.open(model, on: [empty]).context.all("Thing").count, 0)
    },
    ConformanceCase(
      .evolution, "plan-stages",
      "the plan of stages has their handlers and versions, and what the store has that goes (M17, M28)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let models = [
        things().make(), things("Thing", addMore).make(),
        things {
          $0.rename("size", to: "extent")
          $0.drop("ratio")
        }.make(),
      ]
      let references = models.map {
        ManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
      }
      let custom = CustomMigrationStage(migratingFrom: references[0], to: references[1])
      custom.label = "fill"
      custom.didMigrateHandler = { _, _ in }
      store.migration = StagedMigrationManager([
        custom, LightweightMigrationStage(references[1...].map(\.versionChecksum)),
      ])
      let plan = try plan(store, models[2], stage)
      try expectEqual(plan.steps.map(\.kind), [.rewrite, .custom, .rewrite], "the steps: \(plan)")
      try expectEqual(plan.steps[1].title, "after fill", "the handler")
      // The attribute that comes between has no values yet.
      try expectEqual(
        plan.losses, [.init(name: "Thing.ratio", count: ratios)], "the losses: \(plan)")
    },
    ConformanceCase(
      .evolution, "plan-mapping",
      "the plan of a mapping model says of what others are made, and of what nothing (M17, M18)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let model = things("Object") {
        $0.drop("ratio")
        $0.declaredProperties.append(AttributeDescription.string("more"))
      }.make()
      let objects = EntityMapping(from: "Thing", to: "Object")
      objects.attributeMappings = [PropertyMapping(name: "more", valueExpression: .source("note"))]
      store.migration = MappingModels([MappingModel(entityMappings: [objects])])
      let made = try plan(store, model, stage)
      try expectEqual(made.steps.map(\.title), ["copy Thing to Object"], "the steps: \(made)")
      try expectEqual(made.steps.map(\.rows), [count], "the records: \(made)")
      try expect(!made.isLossy, "no record goes: \(made)")
      let gone = EntityMapping(from: "Thing", to: nil)
      store.migration = MappingModels([MappingModel(entityMappings: [gone])])
      let empty = try plan(store, model, stage)
      try expectEqual(empty.losses, [.init(name: "Thing", count: count)], "the losses: \(empty)")
    },
  ]
}

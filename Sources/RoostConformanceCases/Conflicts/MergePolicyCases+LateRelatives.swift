// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Deletions that win over another writer, who has related something to the deleted record meanwhile.
extension MergePolicyCases {
  /// A case in which a box without a lid is deleted, while another context gives it one.
  private static func boxed(
    _ name: String, _ title: String, _ policy: MergePolicy, rule: DeleteRule,
    _ body: @escaping @Sendable (ManagedObjectContext, ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.conflicts, "policy-late-\(name)", title) { stage in
      var sketch = ModelSketch()
      for name in ["Box", "Lid", "Label"] { sketch.add(name, [.string("name")]) }
      sketch.relate(.init("Box", "lid", .one, rule: rule), .init("Lid", "box", .one))
      sketch.relate(.init("Box", "labels", .many, rule: rule), .init("Label", "box", .one))
      let stack = try stage.open(sketch.make())
      try stack.context.make("Box", ["name": "b"])
      for entity in ["Lid", "Label"] { try stack.context.make(entity, ["name": "l"]) }
      try stack.context.save()
      try stack.readAnew()
      let context = stack.context
      context.mergePolicy = policy
      let box = try context.named("Box", "b")
      try expect(try box.one("lid") == nil, "the lid that is read")
      try expectEqual(try box.names("labels"), [], "the labels that are read")
      let other = stack.makeContext()
      let theirs = try other.named("Box", "b")
      for entity in ["Lid", "Label"] { try other.named(entity, "l").set("box", theirs) }
      try other.save()
      context.delete(box)
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try body(context, fresh)
    }
  }

  static let lateRelatives: [ConformanceCase] = [
    ("object-trump", MergePolicy.mergeByPropertyObjectTrump), ("overwrite", .overwrite),
  ].flatMap { (name: String, policy: MergePolicy) in
    [
      boxed(
        "nullify-\(name)", "a deletion that wins severs what others have related (B85, B184)",
        policy, rule: .nullify
      ) { context, fresh in
        try context.save()
        try expectEqual(try fresh.names("Box"), [], "the boxes")
        for entity in ["Lid", "Label"] {
          try expectEqual(try fresh.names(entity), ["l"], "all of \(entity)")
          try expectEqual(try fresh.names(entity, "box != nil"), [], "\(entity) with a box")
        }
      },
      boxed(
        "cascade-\(name)", "a deletion that wins deletes what others have related (B86, B184)",
        policy, rule: .cascade
      ) { context, fresh in
        try context.save()
        for entity in ["Box", "Lid", "Label"] {
          try expectEqual(try fresh.names(entity), [], "what is left of \(entity)")
        }
      },
      boxed(
        "deny-\(name)", "what others have related denies a deletion that wins (B87, B184)",
        policy, rule: .deny
      ) { context, fresh in
        let error = try expectError(.validationMultipleErrors, "the save") { try context.save() }
        try expect(
          error.underlyingErrors.allSatisfy { $0.code == .validationRelationshipDeniedDelete },
          "the errors are of the rule")
        try expectEqual(try fresh.names("Box"), ["b"], "the boxes")
        try expectEqual(try fresh.names("Lid", "box != nil"), ["l"], "lids with a box")
      },
    ]
  }
}

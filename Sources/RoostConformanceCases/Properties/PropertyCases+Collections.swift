// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Conditions on the elements of attributes that hold arrays or sets of values.
extension PropertyCases {
  /// Issues with tags, scores and days, in projects.
  private static func issues() -> ManagedObjectModel {
    func collection<T: Codable & Sendable>(
      _ name: String, _ type: T.Type, _ elementType: AttributeType
    ) -> AttributeDescription {
      let attribute = AttributeDescription.of(name, .transformable)
      attribute.transformableCodec = .of(type)
      attribute.elementType = elementType
      return attribute
    }
    var sketch = ModelSketch()
    sketch.add(
      "Issue",
      [
        .string("name"), collection("tags", [String].self, .string),
        collection("scores", [Int].self, .integer64), collection("days", [Date].self, .date),
        collection("marks", Set<UUID>.self, .uuid), collection("flags", [Bool].self, .boolean),
        collection("ratios", [Double].self, .double), .of("plain", .transformable),
      ])
    sketch.add("Bug", [collection("steps", [String].self, .string)], parent: "Issue")
    sketch.add("Project", [.string("name")])
    sketch.relate(.init("Issue", "project", .one), .init("Project", "issues", .many))
    return sketch.make()
  }

  private static let mark = UUID(uuidString: "0C0FFEE0-0000-4000-8000-000000000001") ?? UUID()

  /// a has two tags, b one, c an empty list, and d none at all. a and b are of the project p, c is of q, d of none.
  private static func open(_ stage: ConformanceStage) throws -> ConformanceStack {
    let stack = try stage.open(issues())
    let context = stack.context
    let p = try context.make("Project", ["name": "p"])
    let q = try context.make("Project", ["name": "q"])
    let a = try context.make(
      "Issue",
      [
        "name": "a", "tags": ["urgent", "Ünix \"x\", \\"], "scores": [1, 5, 9],
        "days": [Date(timeIntervalSinceReferenceDate: 0.5)], "marks": Set([mark]),
        "flags": [true, false], "ratios": [0.1, -2],
      ])
    let b = try context.make(
      "Bug", ["name": "b", "tags": ["later"], "scores": [5], "steps": ["s"]])
    let c = try context.make("Issue", ["name": "c", "tags": [String](), "scores": [Int]()])
    try context.make("Issue", ["name": "d"])
    for (issue, project) in [(a, p), (b, p), (c, q)] { try issue.set("project", project) }
    try context.save()
    return stack
  }

  /// The conditions of most cases, with the names of the issues that satisfy them.
  private static let questions: [(format: String, wanted: String)] = [
    ("ANY tags == 'urgent'", "a"), ("'urgent' IN tags", "a"), ("tags CONTAINS 'urgent'", "a"),
    ("ANY tags == 'Ünix \"x\", \\\\'", "a"), ("NONE tags == 'urgent'", "bcd"),
    ("NOT tags CONTAINS 'later'", "acd"), ("ANY tags IN {'later', 'urgent'}", "ab"),
    ("ANY tags BEGINSWITH 'ur'", "a"), ("ANY tags BEGINSWITH[cd] 'uNI'", "a"),
    ("ANY tags LIKE 'l?ter'", "b"), ("ANY tags MATCHES '[a-l]+ter'", "b"),
    ("ANY tags != 'urgent'", "ab"), ("ALL tags != 'urgent'", "bcd"), ("ANY tags > 'm'", "a"),
    ("ALL tags IN {'later'}", "bcd"), ("ANY tags == 'none'", ""), ("tags.@count == 2", "a"),
    ("tags.@count == 0", "cd"), ("tags[SIZE] > 0", "ab"), ("tags.@max == 'later'", "b"),
    ("ANY scores == 5", "ab"), ("ANY scores > 5", "a"), ("ALL scores >= 5", "bcd"),
    ("ANY scores == 5.5", ""), ("ANY scores > 4.5", "ab"), ("ANY scores BETWEEN {2, 6}", "ab"),
    ("scores.@sum == 15", "a"), ("scores.@avg == 5", "ab"), ("scores.@min == 5", "b"),
    ("ANY flags == YES", "a"), ("ANY ratios < 0", "a"), ("ANY ratios == 0.1", "a"),
    ("ANY steps == 's'", "b"), ("tags == nil", "d"), ("tags != nil", "abc"),
    ("ANY tags == 'urgent' AND name == 'a'", "a"), ("ANY tags == 'urgent' OR name == 'd'", "ad"),
    ("ANY project.issues.tags == 'urgent'", "ab"), ("ALL project.issues.tags == 'x'", "cd"),
    ("ANY tags == name", ""),
  ]

  private static func expectAnswers(_ context: ManagedObjectContext, _ when: String) throws {
    for (format, wanted) in questions {
      try expectEqual(
        try context.names("Issue", format).sorted().joined(), wanted, "\(when): \(format)")
    }
    let second = Date(timeIntervalSinceReferenceDate: 0.5)
    try expectEqual(try context.names("Issue", "ANY days == %@", second), ["a"], "\(when): a date")
    try expectEqual(try context.names("Issue", "%@ IN marks", mark), ["a"], "\(when): a UUID")
    try expectEqual(
      try context.names("Project", "ANY issues.tags == 'urgent'"), ["p"], "\(when): projects")
  }

  static let collections: [ConformanceCase] = [
    ConformanceCase(
      .properties, "elements", "conditions ask for the elements of arrays and sets (B64)"
    ) { stage in
      let stack = try open(stage)
      try expectAnswers(stack.context, "after saving")
      try stack.readAnew()
      try expectAnswers(stack.context, "from the store")
    },
    ConformanceCase(
      .properties, "elements-unsaved", "unsaved collections are asked like saved ones (B64, B34)"
    ) { stage in
      let stack = try open(stage)
      let b = try stack.context.named("Issue", "b")
      try b.set("tags", ["urgent", "new"])
      try stack.context.make("Issue", ["name": "e", "tags": ["new"]])
      try expectEqual(try stack.context.names("Issue", "ANY tags == 'new'"), ["b", "e"])
      try expectEqual(try stack.context.names("Issue", "'urgent' IN tags"), ["a", "b"])
      try expectEqual(try stack.context.names("Issue", "tags CONTAINS 'later'"), [])
      try stack.context.save()
      try expectEqual(
        try stack.makeContext().names("Issue", "ANY tags == 'new'"), ["b", "e"], "after the save")
      stack.context.reset()
      let request = try stack.context.request("Issue", "ANY tags == 'new'", [])
      request.fetchLimit = 1
      request.fetchOffset = 1
      try expectEqual(try stack.context.fetch(request).count, 1, "a page")
      try expectEqual(
        try stack.context.count(for: stack.context.request("Issue", "tags.@count > 1", [])), 2)
    },
    ConformanceCase(
      .properties, "elements-objects", "a condition on elements is evaluated on an object (B64)"
    ) { stage in
      let stack = try open(stage)
      let issues = try ["a", "b", "c", "d"].map { try stack.context.named("Issue", $0) }
      for format in ["ANY tags == 'urgent'", "'urgent' IN tags", "tags CONTAINS 'urgent'"] {
        let condition = try FetchPredicate(format)
        try expectEqual(
          try issues.filter { try condition.evaluate(with: $0) }.map { try $0.text("name") ?? "" },
          ["a"], format)
      }
    },
    ConformanceCase(
      .properties, "elements-batches", "batch requests are limited by elements (B64)"
    ) { stage in
      let stack = try open(stage)
      let update = BatchUpdateRequest(entityName: "Issue")
      update.predicate = try FetchPredicate("ANY tags == 'urgent'")
      update.propertiesToUpdate = ["name": "x"]
      _ = try stack.context.execute(update)
      let delete = BatchDeleteRequest(
        fetchRequest: try stack.context.request("Issue", "tags.@count == 0", []))
      _ = try stack.context.execute(delete)
      try expectEqual(try stack.makeContext().names("Issue", nil).sorted(), ["b", "x"])
    },
    ConformanceCase(
      .properties, "elements-refusals", "wrong conditions on elements are typed errors (B64)"
    ) { stage in
      let stack = try open(stage)
      for (code, format) in [
        (.invalidValue, "ANY tags == 5"), (.invalidValue, "ANY scores == 'x'"),
        (.invalidValue, "scores.@sum == 'x'"), (.invalidValue, "tags.@sum == 1"),
        (.invalidRequest, "tags > 'x'"), (.invalidValue, "ANY plain == 'x'"),
        (.invalidRequest, "plain.@count == 1"), (.unknownKey, "ANY tags.name == 'x'"),
      ] as [(PersistenceError.Code, String)] {
        try expectError(code, format) { _ = try stack.context.names("Issue", format) }
      }
      try expectEqual(try stack.context.names("Issue", "ANY tags == 'urgent'"), ["a"], "after")
    },
    ConformanceCase(
      .properties, "elements-damaged",
      "a value that is no collection is an error, not an answer (B64, B352)"
    ) { stage in
      let stack = try open(stage)
      let issue = try stack.context.make("Issue", ["name": "z"])
      try issue.set(
        "tags", Value.transformable(TransformableValue(object: nil, encoded: Data("{}".utf8))))
      try stack.context.save()
      try expectError(.transformation, "an object of JSON") {
        _ = try stack.makeContext().names("Issue", "ANY tags == 'urgent'")
      }
      try expectEqual(
        try stack.makeContext().names("Issue", "name == 'a' AND ANY tags == 'urgent'"), ["a"],
        "a request that does not look at it")
    },
    ConformanceCase(
      .properties, "elements-declared", "only collections of comparable values have elements (B6)"
    ) { stage in
      func model(_ change: (AttributeDescription) -> Void) -> ManagedObjectModel {
        let tags = AttributeDescription.of("tags", .transformable)
        tags.transformableCodec = .of([String].self)
        tags.elementType = .string
        change(tags)
        var sketch = ModelSketch()
        sketch.add("Issue", [tags])
        return sketch.make()
      }
      try expectError(.invalidModel, "a string") { _ = try stage.open(model { $0.type = .string }) }
      try expectError(.invalidModel, "a transformer") {
        _ = try stage.open(model { $0.valueTransformerName = "Tags" })
      }
      try expectError(.invalidModel, "transformable elements") {
        _ = try stage.open(model { $0.elementType = .transformable })
      }
    },
  ]
}

// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

// Relationships whose pairs come from several places of the old version.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  private static let names = ["Bird", "Cat"]

  /// A superentity with two subentities, and their destinations.
  private static func animals(
    _ relate: @escaping @Sendable (inout ModelSketch) -> Void
  ) -> EvolutionPair.Edit {
    {
      $0.add("Animal", [.string("name")], isAbstract: true)
      for name in names { $0.add(name, [], parent: "Animal") }
      $0.add("Tag", [.string("name")])
      relate(&$0)
    }
  }

  private static func pulledUp(
    from old: @escaping @Sendable (inout ModelSketch, _ entity: String) -> Void,
    to new: @escaping @Sendable (inout ModelSketch) -> Void,
    link:
      @escaping @Sendable (_ bird: ManagedObject, _ cat: ManagedObject, [ManagedObject]) throws
      -> Void,
    expect:
      @escaping @Sendable (_ bird: ManagedObject, _ cat: ManagedObject, [ManagedObject]) throws
      -> Void
  ) -> EvolutionPair {
    EvolutionPair(
      old: animals { sketch in for name in names { old(&sketch, name) } }, new: animals(new),
      fill: { context in
        let bird = try context.make("Bird", ["name": "b"])
        let cat = try context.make("Cat", ["name": "c"])
        let tags = try (0..<4).map { try context.make("Tag", ["name": "t\($0)"]) }
        try context.obtainPermanentIDs(for: [bird, cat] + tags)
        try link(bird, cat, tags)
      },
      expectation: { context in
        try expect(
          context.named("Bird", "b"), context.named("Cat", "c"), context.all("Tag"))
      })
  }

  static let merging: [ConformanceCase] = [
    .evolution(
      "pull-up-links", "links of several subentities come together when pulled up (B256, M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tags", .many), to: "Tag") },
        to: { $0.relate(End("Animal", "tags", .many), to: "Tag") },
        link: { bird, cat, tags in
          try bird.add(tags[0], tags[1], to: "tags")
          try cat.add(tags[1], tags[2], to: "tags")
        },
        expect: { bird, cat, _ in
          try expectEqual(try bird.names("tags"), ["t0", "t1"])
          try expectEqual(try cat.names("tags"), ["t1", "t2"])
        })),
    .evolution(
      "pull-up-inverses", "links with inverses come together when pulled up (B256, M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tags", .many), End("Tag", "of\($1)", .many)) },
        to: { $0.relate(End("Animal", "tags", .many), End("Tag", "animals", .many)) },
        link: { bird, cat, tags in
          try bird.add(tags[0], tags[1], to: "tags")
          try cat.add(tags[1], tags[2], to: "tags")
        },
        expect: { bird, cat, tags in
          try expectEqual(try bird.names("tags"), ["t0", "t1"])
          try expectEqual(try cat.names("tags"), ["t1", "t2"])
          try expectEqual(try tags[1].names("animals"), ["b", "c"])
        })),
    .evolution(
      "pull-up-ordered", "ordered links keep their order when pulled up (B256, M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tags", .ordered), to: "Tag") },
        to: { $0.relate(End("Animal", "tags", .ordered), to: "Tag") },
        link: { bird, cat, tags in
          try bird.set("tags", [tags[2], tags[0], tags[1]])
          try cat.set("tags", [tags[3], tags[2]])
        },
        expect: { bird, cat, _ in
          try expectEqual(try bird.names("tags"), ["t2", "t0", "t1"])
          try expectEqual(try cat.names("tags"), ["t3", "t2"])
        })),
    .evolution(
      "pull-up-to-many", "several relationships to one come together as one to many (M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tag", .one), to: "Tag") },
        to: {
          $0.relate(End("Animal", "tags", .many), to: "Tag")
          $0["Animal"].declaredProperties.first { $0.name == "tags" }?.renamingIdentifier = "tag"
        },
        link: { bird, cat, tags in
          try bird.set("tag", tags[0])
          try cat.set("tag", tags[1])
        },
        expect: { bird, cat, _ in
          try expectEqual(try bird.names("tags"), ["t0"])
          try expectEqual(try cat.names("tags"), ["t1"])
        })),
    .evolution(
      "pull-up-one", "an inverse to one that is new has what led there from all (M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tag", .one), to: "Tag") },
        to: { $0.relate(End("Animal", "tag", .one), End("Tag", "animal", .one)) },
        link: { bird, cat, tags in
          try bird.set("tag", tags[0])
          try cat.set("tag", tags[1])
        },
        expect: { bird, cat, tags in
          try expectEqual(try tags[0].one("animal")?.text("name"), "b")
          try expectEqual(try tags[1].one("animal")?.text("name"), "c")
          try expectEqual(try bird.one("tag")?.text("name"), "t0")
        })),
    .refusedEvolution(
      "pull-up-claims", "a new inverse to one is refused where several lead to a record (M11, M12)",
      .migration, naming: ["animal"],
      pulledUp(
        from: { $0.relate(End($1, "tag", .one), to: "Tag") },
        to: { $0.relate(End("Animal", "tag", .one), End("Tag", "animal", .one)) },
        link: { bird, cat, tags in
          try bird.set("tag", tags[0])
          try cat.set("tag", tags[0])
        },
        expect: { _, _, _ in })),
    .evolution(
      "pull-up-positions", "overlapping orders become one when pulled up (M11, M12)",
      pulledUp(
        from: { $0.relate(End($1, "tag", .one), End("Tag", "of\($1)", .ordered)) },
        to: { $0.relate(End("Animal", "tag", .one), End("Tag", "animals", .ordered)) },
        link: { bird, cat, tags in
          try bird.set("tag", tags[0])
          try cat.set("tag", tags[0])
        },
        expect: { _, _, tags in
          try expectEqual(Set(try tags[0].names("animals")), ["b", "c"])
        })),
    .evolution(
      "inverse-of-two",
      "of two relationships to one that become inverse both sides lead back (M11)",
      mutual { tags, people in
        try people[0].set("tag", tags[0])
        try tags[1].set("person", people[1])
        try people[2].set("tag", tags[2])
        try tags[2].set("person", people[2])
      } expect: { context in
        for index in 0..<3 {
          let (person, tag) = (
            try context.named("Person", "p\(index)"), try context.named("Tag", "t\(index)")
          )
          try expectEqual(try person.one("tag")?.text("name"), "t\(index)", "of p\(index)")
          try expectEqual(try tag.one("person")?.text("name"), "p\(index)", "of t\(index)")
        }
      }),
    .refusedEvolution(
      "inverse-contradicts", "two that become inverse are refused where records contradict (M11)",
      .migration,
      mutual { tags, people in
        try people[0].set("tag", tags[0])
        try tags[0].set("person", people[1])
      } expect: { _ in
      }),
    .evolution(
      "inverse-of-links", "links of two relationships that become inverse are all kept (M11)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0.add("Tag", [.string("name")])
          $0.relate(End("Person", "tags", .many), to: "Tag")
          $0.relate(End("Tag", "people", .many), to: "Person")
        },
        new: {
          $0.add("Person", [.string("name")])
          $0.add("Tag", [.string("name")])
          $0.relate(End("Person", "tags", .many), End("Tag", "people", .many))
        },
        fill: { context in
          let people = try (0..<3).map { try context.make("Person", ["name": "p\($0)"]) }
          let tags = try (0..<3).map { try context.make("Tag", ["name": "t\($0)"]) }
          try people[0].add(tags[0], tags[1], to: "tags")
          try tags[0].add(people[0], people[2], to: "people")
        },
        expectation: { context in
          try expectEqual(try context.named("Person", "p0").names("tags"), ["t0", "t1"])
          try expectEqual(try context.named("Person", "p2").names("tags"), ["t0"])
          try expectEqual(try context.named("Tag", "t0").names("people"), ["p0", "p2"])
          try expectEqual(try context.named("Tag", "t1").names("people"), ["p0"])
        })),
  ]

  private static func mutual(
    _ link: @escaping @Sendable ([ManagedObject], [ManagedObject]) throws -> Void,
    expect: @escaping EvolutionPair.Step
  ) -> EvolutionPair {
    EvolutionPair(
      old: {
        $0.add("Person", [.string("name")])
        $0.add("Tag", [.string("name")])
        $0.relate(End("Person", "tag", .one), to: "Tag")
        $0.relate(End("Tag", "person", .one), to: "Person")
      },
      new: {
        $0.add("Person", [.string("name")])
        $0.add("Tag", [.string("name")])
        $0.relate(End("Person", "tag", .one), End("Tag", "person", .one))
      },
      fill: { context in
        let tags = try (0..<3).map { try context.make("Tag", ["name": "t\($0)"]) }
        let people = try (0..<3).map { try context.make("Person", ["name": "p\($0)"]) }
        try link(tags, people)
      },
      expectation: expect)
  }
}

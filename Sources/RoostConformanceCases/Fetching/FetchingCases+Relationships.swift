// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  static let relationships: [ConformanceCase] = relationshipRows.map(\.conformanceCase) + objects

  private static let relationshipRows: [ConditionRow] = [
    ConditionRow(
      "path.to-one", "a path goes through a to-one relationship (B120)", "Person",
      "department.name == 'Research'", ["Ada", "Bob"]),
    ConditionRow(
      "path.two-steps", "a path has as many steps as it needs (B120)", "Person",
      "manager.department.name == 'Research'", ["Bob", "Cleo"]),
    ConditionRow(
      "path.missing-step", "a path that ends early is nil (B142)", "Person",
      "manager.name != 'Ada'", ["Ada", "Dan", "Eve"]),
    ConditionRow(
      "path.to-one-nil", "a to-one relationship without a destination is nil (B142)", "Person",
      "manager == nil", ["Ada", "Eve"]),
    ConditionRow(
      "path.to-one-not-nil", "a to-one relationship with a destination is not nil (B142)", "Person",
      "department != nil", ["Ada", "Bob", "Cleo", "Dan"]),
    ConditionRow(
      "path.attribute-behind-nil", "an attribute behind nothing is nil (B142)", "Person",
      "department.budget == nil", ["Eve"]),
    ConditionRow(
      "path.paths-compared", "two paths are compared (B120)", "Person",
      "department.name == manager.department.name", ["Bob", "Dan", "Eve"]),
    ConditionRow(
      "any.to-many", "ANY needs one member (B120)", "Department", "ANY people.age == 25",
      ["Research"]),
    ConditionRow(
      "any.without-word", "SOME is ANY (B120)", "Department", "SOME people.age == 40", ["Sales"]),
    ConditionRow(
      "all.to-many", "ALL is true of nobody (B120)", "Department", "ALL people.age > 20",
      ["Research", "Void"]),
    ConditionRow(
      "none.to-many", "NONE is NOT ANY (B120)", "Department", "NONE people.age > 35", ["Void"]),
    ConditionRow(
      "any.many-to-many", "ANY looks through links (B120)", "Person",
      "ANY projects.name == 'Engine'", ["Ada", "Bob"]),
    ConditionRow(
      "any.many-to-many-backwards", "links are read from both sides (B77)", "Project",
      "ANY members.age == 36", ["Engine", "Notes"]),
    ConditionRow(
      "any.nil-attribute", "a member whose attribute is nil is a member (B142)", "Department",
      "ANY people.age == nil", ["Sales"]),
    ConditionRow(
      "any.path-behind-to-many", "a path goes on behind a to-many step (B141)", "Department",
      "ANY people.manager.name == 'Ada'", ["Research", "Sales"]),
    ConditionRow(
      "any.in", "ANY and IN look for one of several (B120)", "Department",
      "ANY people.name IN {'Bob', 'Eve'}", ["Research"]),
    ConditionRow(
      "any.begins", "ANY goes with string operators (B120)", "Department",
      "ANY people.name BEGINSWITH 'D'", ["Sales"]),
    ConditionRow(
      "count.zero", "@count of nobody is 0 (B144)", "Department", "people.@count == 0", ["Void"]),
    ConditionRow(
      "count.two", "@count counts members (B144)", "Department", "people.@count == 2",
      ["Research", "Sales"]),
    ConditionRow(
      "count.links", "@count counts links (B144)", "Person", "projects.@count > 1", ["Ada"]),
    ConditionRow(
      "count.reports", "@count works where source and destination are one entity (B76, B144)",
      "Person", "reports.@count == 2", ["Ada"]),
    ConditionRow(
      "aggregate.sum", "@sum adds up what is not nil (B120)", "Department", "people.@sum.age == 61",
      ["Research"]),
    ConditionRow(
      "aggregate.max", "@max is the largest (B120)", "Department", "people.@max.age == 40",
      ["Sales"]),
    ConditionRow(
      "aggregate.min", "@min leaves out nil (B120)", "Department", "people.@min.age == 40",
      ["Sales"]),
    ConditionRow(
      "aggregate.avg", "@avg leaves out nil (B120)", "Department", "people.@avg.age == 30.5",
      ["Research"]),
    ConditionRow(
      "aggregate.max-of-nobody", "@max of nobody is nil (B142)", "Department",
      "people.@max.age == nil", ["Void"]),
    ConditionRow(
      "subquery.count", "SUBQUERY counts the members that satisfy a condition (B120)", "Department",
      "SUBQUERY(people, $p, $p.age > 30 AND $p.salary > 90).@count == 1", ["Research"]),
    ConditionRow(
      "subquery.outer", "SUBQUERY may look at the object outside (B120)", "Department",
      "SUBQUERY(people, $p, $p.department.name == name).@count == 2", ["Research", "Sales"]),
    ConditionRow(
      "subquery.nested", "SUBQUERY may stand in a SUBQUERY (B141)", "Department",
      "SUBQUERY(people, $p, SUBQUERY($p.projects, $q, $q.priority == 1).@count > 0).@count == 2",
      ["Research"]),
    ConditionRow(
      "subquery.zero", "SUBQUERY counts nobody as 0 (B120)", "Person",
      "SUBQUERY(reports, $r, $r.age == nil).@count == 0", ["Bob", "Cleo", "Dan", "Eve"]),
  ]

  private static let objects: [ConformanceCase] = [
    company("object.to-one", "a relationship is compared with an object or its ID (B143)") {
      let research = try $0.named("Department", "Research")
      try expectEqual(try $0.names("Person", "department == %@", research), ["Ada", "Bob"])
      try expectEqual(
        try $0.names("Person", "department == %@", research.objectID), ["Ada", "Bob"])
      try expectEqual(
        try $0.names("Person", "department != %@", research), ["Cleo", "Dan", "Eve"])
    },
    company("object.in", "a relationship is looked up in a list of objects (B143)") {
      let both = try $0.all("Department", "people.@count > 0")
      try expectEqual(
        try $0.names("Person", "department IN %@", both), ["Ada", "Bob", "Cleo", "Dan"])
      try expectEqual(try $0.names("Person", "NOT (department IN %@)", both), ["Eve"])
    },
    company("object.self", "SELF is the object itself (B143)") {
      let ada = try $0.named("Person", "Ada")
      let bob = try $0.named("Person", "Bob")
      try expectEqual(try $0.names("Person", "SELF == %@", ada), ["Ada"])
      try expectEqual(try $0.names("Person", "SELF != %@", ada), ["Bob", "Cleo", "Dan", "Eve"])
      try expectEqual(try $0.names("Person", "SELF IN %@", [ada, bob]), ["Ada", "Bob"])
      try expectEqual(
        try $0.names("Person", "SELF IN %@", Set([ada.objectID, bob.objectID])), ["Ada", "Bob"])
    },
    company("object.any", "ANY compares members with an object (B143)") {
      let ada = try $0.named("Person", "Ada")
      try expectEqual(try $0.names("Department", "ANY people == %@", ada), ["Research"])
      try expectEqual(try $0.names("Project", "ANY members == %@", ada), ["Engine", "Notes"])
    },
    company("object.contains", "a to-many relationship CONTAINS an object (B143)") {
      let ada = try $0.named("Person", "Ada")
      try expectEqual(try $0.names("Department", "people CONTAINS %@", ada), ["Research"])
    },
    company("object.path", "a path that ends with a relationship is its destination (B143)") {
      let ada = try $0.named("Person", "Ada")
      try expectEqual(try $0.names("Person", "manager.manager == %@", ada), ["Dan"])
    },
    company("object.unsaved", "an unsaved object of another context matches nothing (B29)") {
      let other = ManagedObjectContext(
        .privateQueue, coordinator: try require($0.persistentStoreCoordinator))
      let stranger = try other.make("Department", ["name": "New"])
      try expectEqual(try $0.names("Person", "department == %@", stranger.objectID), [])
    },
    company("object.other-context", "an object of another context names the same record (B143)") {
      let other = ManagedObjectContext(
        .privateQueue, coordinator: try require($0.persistentStoreCoordinator))
      let research = try other.named("Department", "Research")
      try expectEqual(try $0.names("Person", "department == %@", research), ["Ada", "Bob"])
    },
  ]

  /// A case on the company after a reopening.
  static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.fetching, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack.context)
    }
  }
}

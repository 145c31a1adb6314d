// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
package import RoostObjects

/// People, departments, desks and projects: a relationship of every unordered cardinality.
package enum CompanyModel {
  package static func make() -> ManagedObjectModel {
    sketch().make()
  }

  package static func sketch() -> ModelSketch {
    var sketch = ModelSketch()
    sketch.add("Department", [.string("name"), .of("budget", .decimal)])
    sketch.add(
      "Person",
      [
        .string("name"), .of("age", .integer32), .of("salary", .double), .of("born", .date),
        .of("isActive", .boolean), .of("note", .string), .of("badge", .uuid),
      ])
    sketch.add("Project", [.string("name"), .integer("priority")])
    sketch.add("Desk", [.string("name")])
    sketch.relate(
      .init("Person", "department", .one), .init("Department", "people", .many))
    sketch.relate(.init("Person", "manager", .one), .init("Person", "reports", .many))
    sketch.relate(.init("Person", "projects", .many), .init("Project", "members", .many))
    sketch.relate(.init("Person", "desk", .one), .init("Desk", "owner", .one))
    sketch.relateToItself(.init("Person", "friends", .many))
    sketch.relateToItself(.init("Person", "partner", .one))
    return sketch
  }

  /// Inserts five people in two departments with three projects, the data of the fetching cases.
  ///
  /// | name | age | salary | department | manager | projects |
  /// |---|---|---|---|---|---|
  /// | Ada | 36 | 100 | Research | - | Engine, Notes |
  /// | Bob | 25 | 50 | Research | Ada | Engine |
  /// | Cleo | nil | nil | Sales | Ada | - |
  /// | Dan | 40 | 75.5 | Sales | Cleo | Notes |
  /// | Eve | 25 | nil | - | - | - |
  package static func fill(_ context: ManagedObjectContext) throws {
    let research = try context.make("Department", ["name": "Research", "budget": Decimal(1000)])
    let sales = try context.make("Department", ["name": "Sales", "budget": Decimal(500)])
    try context.make("Department", ["name": "Void"])
    let engine = try context.make("Project", ["name": "Engine", "priority": 1])
    let notes = try context.make("Project", ["name": "Notes", "priority": 2])
    try context.make("Project", ["name": "Idle", "priority": 3])
    let ada = try context.make(
      "Person", ["name": "Ada", "age": 36, "salary": 100.0, "isActive": true])
    let bob = try context.make(
      "Person", ["name": "Bob", "age": 25, "salary": 50.0, "isActive": false])
    let cleo = try context.make("Person", ["name": "Cleo", "isActive": true])
    let dan = try context.make("Person", ["name": "Dan", "age": 40, "salary": 75.5])
    try context.make("Person", ["name": "Eve", "age": 25])
    for person in [ada, bob] { try person.set("department", research) }
    for person in [cleo, dan] { try person.set("department", sales) }
    for person in [bob, cleo] { try person.set("manager", ada) }
    try dan.set("manager", cleo)
    try ada.set("projects", Set([engine, notes]))
    try bob.set("projects", Set([engine]))
    try dan.set("projects", Set([notes]))
    try context.save()
  }
}

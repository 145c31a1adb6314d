// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Destinations of a child's relationships are kept, even if its parent had deleted them.
extension HierarchyCases {
  static let revivals: [ConformanceCase] = [
    family("destination", "a child's destination that the parent deletes lives on (B208)") {
      stack, parent, child in
      let eve = try child.named("Person", "Eve")
      let research = try child.named("Department", "Research")
      _ = try (eve.text("name"), research.text("name"))
      parent.delete(try parent.named("Department", "Research"))
      parent.processPendingChanges()
      try eve.set("department", research)
      try child.save()
      try parent.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      let person = try fresh.named("Person", "Eve")
      try expectEqual(try person.one("department")?.text("name"), "Research")
      try expectEqual(try fresh.names("Department"), ["Research", "Sales", "Void"])
      try expectEqual(
        try fresh.named("Department", "Research").names("people"), ["Ada", "Bob", "Eve"])
    },
    family("relationships", "an object that lives on has its relationships again (B208)") {
      stack, parent, child in
      let ada = try child.named("Person", "Ada")
      _ = try ada.text("name")
      parent.delete(try parent.named("Person", "Ada"))
      parent.processPendingChanges()
      try ada.set("age", 52)
      try child.save()
      try parent.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      let found = try fresh.named("Person", "Ada")
      try expectEqual(try found.number("age"), 52)
      try expectEqual(try found.one("department")?.text("name"), "Research")
      try expectEqual(try found.names("projects"), ["Engine", "Notes"])
      try expectEqual(try found.names("reports"), ["Bob", "Cleo"])
    },
  ]
}

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
    }
  ]
}

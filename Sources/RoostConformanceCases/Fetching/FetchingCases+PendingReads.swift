// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Requests whose result depends on objects that have to be read first.
extension FetchingCases {
  private static func unread(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, FaultSwitch) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.fetching, "pending.\(name)", title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try stack.context.named("Person", "Ada").set("age", 3)
      try body(stack, faults)
      faults.clear()
    }
  }

  static let pendingReads: [ConformanceCase] = [
    unread("unread", "a fetch that cannot read what it judges throws (B121, B171)") {
      stack, faults in
      faults.fail(.rows)
      try expectError(.persistentStoreOperation, "the fetch") {
        _ = try stack.context.names("Person", "department.name == 'Research'")
      }
      try expectEqual(
        try stack.context.names("Person", "department.name == 'Research'"), ["Ada", "Bob"])
      try stack.context.save()
    },
    unread("unread-many", "a count that cannot read what it judges throws (B121, B171)") {
      stack, faults in
      let request = try stack.context.request("Person", "ANY projects.name == 'Notes'", [])
      faults.fail(.destinations)
      try expectError(.persistentStoreOperation, "the count") {
        _ = try stack.context.count(for: request)
      }
      try expectEqual(try stack.context.count(for: request), 2, "the count when it can")
      try stack.context.save()
    },
    unread("explicit", "what a fetch reads to judge objects is no implicit trip (B121)") {
      stack, _ in
      stack.context.allowsImplicitRoundTrips = false
      try expectEqual(
        try stack.context.names("Person", "department.name == 'Research'"), ["Ada", "Bob"])
      try expect(!stack.context.allowsImplicitRoundTrips, "the program's choice stands")
      try stack.context.save()
    },
    unread("boundless", "the largest limit is no limit, also with unsaved changes (B124)") {
      stack, _ in
      let request = try stack.context.request("Person", nil, [])
      request.fetchLimit = .max
      request.fetchOffset = 1
      try expectEqual(try stack.context.fetch(request).count, 4, "the people after the first")
    },
  ]
}

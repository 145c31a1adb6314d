// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// New objects of a child that are meant for one of several stores.
extension SeveralStoresCases {
  static let assignments: [ConformanceCase] = [
    mixed("assign.child", "an assignment to a store goes up with a child's save (B230)") {
      stack, first, second in
      let child = ManagedObjectContext(.privateQueue, parent: stack.context)
      let grandchild = ManagedObjectContext(.privateQueue, parent: child)
      for (name, store) in [("a", second), ("b", first), ("c", second)] {
        let country = try grandchild.make("Country", ["name": name])
        try grandchild.assign(country, to: store)
      }
      try grandchild.save()
      try child.save()
      try stack.context.save()
      let stores = try ["a", "b", "c"].map {
        try stack.context.named("Country", $0).objectID.persistentStore?.identity.identifier
      }
      try expectEqual(
        stores, [second, first, second].map { $0.identity.identifier }, "where they are")
    }
  ]
}

// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension SeveralStoresCases {
  static let pages: [ConformanceCase] = [
    two("page.ties", "pages over two stores lose nothing, though keys are equal (B124, B238)") {
      stack, reference, notes in
      for index in 0..<10 {
        let tag = try stack.context.make("Tag", ["name": "\(index)", "size": index / 4])
        try stack.context.assign(tag, to: index.isMultiple(of: 2) ? reference : notes)
      }
      try stack.context.save()
      try stack.readAnew()
      try expectPages(of: "Tag", in: stack.context)
    },
    mixed("page.mixed", "pages over stores of two kinds lose nothing (B124, B238)") {
      stack, first, second in
      for index in 0..<10 {
        let tag = try stack.context.make("Tag", ["name": "\(index)"])
        if index % 3 > 0 { try tag.set("size", index % 3) }
        try stack.context.assign(tag, to: index.isMultiple(of: 2) ? first : second)
      }
      try stack.context.save()
      try stack.readAnew()
      try expectPages(of: "Tag", in: stack.context)
    },
  ]

  private static func expectPages(of entity: String, in context: ManagedObjectContext) throws {
    let orders: [[SortOrdering]] = [
      [], [SortOrdering("size")], [SortOrdering("size", ascending: false)],
      [SortOrdering("SELF", ascending: false)],
    ]
    for order in orders {
      let request = FetchRequest<ManagedObject>(entityName: entity)
      request.sortDescriptors = order
      let wanted = try context.fetch(request).map(\.objectID)
      for size in 1...3 {
        let found = try FetchingCases.paged(request, in: context, size: size).map(\.objectID)
        try expectEqual(found, wanted, "the pages of \(size) by \(order.map(\.key))")
      }
    }
  }
}

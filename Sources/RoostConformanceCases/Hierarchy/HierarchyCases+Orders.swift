// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// The order of a child's relationships after the parent takes it over.
extension HierarchyCases {
  private static func shelf() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Shelf", [.string("name")])
    sketch.add("Book", [.string("name")])
    sketch.relate(.init("Shelf", "books", .ordered), .init("Book", "shelf", .one))
    sketch.relate(.init("Shelf", "favourites", .ordered), .init("Book", "fans", .ordered))
    return sketch.make()
  }

  /// A case with a shelf and three books; the store has them or not.
  private static func shelved(
    _ name: String, _ title: String, isSaved: Bool,
    _ change:
      @escaping @Sendable (ManagedObject, [ManagedObject]) throws -> (key: String, order: [String])
  ) -> ConformanceCase {
    ConformanceCase(.hierarchy, name, title) { stage in
      let stack = try stage.open(shelf())
      try stack.context.make("Shelf", ["name": "shelf"])
      for name in ["a", "b", "c"] { try stack.context.make("Book", ["name": name]) }
      if isSaved {
        try stack.context.save()
        try stack.readAnew()
      }
      let child = ManagedObjectContext(.privateQueue, parent: stack.context)
      let books = try ["a", "b", "c"].map { try child.named("Book", $0) }
      // The parent's list of changes is in this order, and not in that of the relationship.
      for book in books { try book.set("name", try book.text("name")) }
      let (key, order) = try change(try child.named("Shelf", "shelf"), books)
      try child.save()
      func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.named("Shelf", "shelf").many(key).map { try $0.text("name") ?? "" }
      }
      try expectEqual(try names(child), order, "in the child")
      try expectEqual(try names(stack.context), order, "in the parent")
      try stack.context.save()
      try expectEqual(try names(stack.makeContext()), order, "in the store")
    }
  }

  static let orders: [ConformanceCase] = [false, true].flatMap { isSaved in
    let suffix = isSaved ? "-saved" : ""
    return [
      shelved(
        "order.inverse-to-one\(suffix)",
        "members that a child relates by their to-one side keep the order of that (B79, B200)",
        isSaved: isSaved
      ) { shelf, books in
        for book in [books[2], books[0], books[1]] { try book.set("shelf", shelf) }
        return ("books", ["c", "a", "b"])
      },
      shelved(
        "order.inverse-to-many\(suffix)",
        "members that a child relates by their to-many side keep the order of that (B79, B200)",
        isSaved: isSaved
      ) { shelf, books in
        for book in [books[1], books[2], books[0]] { try book.set("fans", [shelf] as Any) }
        return ("favourites", ["b", "c", "a"])
      },
      shelved(
        "order.after-read\(suffix)",
        "members that a child relates after it has read the others keep their order (B79, B200)",
        isSaved: isSaved
      ) { shelf, books in
        try expectEqual(try shelf.many("books").count, 0, "the books before")
        for book in books.reversed() { try book.set("shelf", shelf) }
        return ("books", ["c", "b", "a"])
      },
    ]
  }
}

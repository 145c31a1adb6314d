// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite("Fetches by identity")
struct KeyedFetchTests {
  @Test("records that are asked for by their IDs come in the order of the request")
  func order() throws {
    let stack = try Stack()
    let ids = try stack.seed(5)
    let request = FetchRequest<Employee>(entityName: "Employee")
    request.predicate = try FetchPredicate("SELF IN %@", [ids[1], ids[3], ids[4]])
    request.sortDescriptors = [SortOrdering("age", ascending: false)]
    #expect(try stack.context.fetch(request).map(\.age) == [4, 3, 1])
    request.fetchLimit = 2
    #expect(try stack.context.fetch(request).map(\.age) == [4, 3])
  }

  @Test("a destination of another store is nobody's here, although a record here has its number")
  func otherStore() throws {
    let (here, there) = (try Stack(), try Stack())
    _ = (try here.seed(3), try there.seed(3))
    let department = FetchRequest<Department>(entityName: "Department")
    let (own, foreign) = (
      try #require(here.context.fetch(department).first),
      try #require(there.context.fetch(department).first)
    )
    let request = FetchRequest<Employee>(entityName: "Employee")
    request.predicate = try FetchPredicate("department == %@", own.objectID)
    #expect(try here.context.count(for: request) == 3)
    request.predicate = try FetchPredicate("department == %@", foreign.objectID)
    #expect(try here.context.count(for: request) == 0)
  }
}

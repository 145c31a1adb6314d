// SPDX-License-Identifier: Apache-2.0

import Roost

/// W12: one person by an indexed attribute, with a new request and another value each time, as in most requests of a
/// program. It has no baseline; its counters show the cost of making a request.
struct FetchOne: Workload {
  let id = "W12"
  let title = "requests for one person by an indexed attribute"
  let expectedMilliseconds = 20.0

  func count(_ extent: Extent) -> Int? { extent.queries }

  func operations(_ extent: Extent) -> Int { extent.queries }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let data = stage.data
    return try stage.measure {
      var sum = Checksum()
      for index in 0..<data.extent.queries {
        let age = Int32(data.ages(ofQuery: index).0)
        let request = FetchRequest<Person>(entityName: "Person").where { $0.age == age }.limit(1)
        for person in try context.fetch(request) { sum.add(person) }
      }
      return sum
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RawPostgreSQL {
  func readAll() throws -> Checksum {
    let result = try execute(.all)
    var sum = Checksum()
    for row in 0..<result.count { Self.add(result, row, to: &sum) }
    return sum
  }

  func keepAll() throws -> PlainPeople {
    let result = try execute(.all)
    var people = PlainPeople(capacity: Int(result.count))
    for row in 0..<result.count { people.keep(PlainPerson(result, row)) }
    return people
  }

  /// Reads a thousand rows at a time from a cursor.
  func walkAll() throws -> Checksum {
    var sum = Checksum()
    try run("BEGIN")
    try run("DECLARE walk NO SCROLL CURSOR FOR \(RawQuery.all.sql)")
    var count: Int32
    repeat {
      let result = try ask("FETCH 1000 FROM walk")
      count = result.count
      for row in 0..<count { Self.add(result, row, to: &sum) }
    } while count > 0
    try run("COMMIT")
    return sum
  }

  func readKey() throws { _ = try execute(.departmentKey) }

  /// Uses one message: a statement that runs once need not be prepared.
  func readFirst() throws -> Checksum {
    var parameters = RawParameters()
    parameters.add(1)
    let result = try ask(RawQuery.one.sql, parameters)
    var sum = Checksum()
    for row in 0..<result.count { Self.add(result, row, to: &sum) }
    return sum
  }

  func lookUp(_ ids: [Int]) throws -> Checksum {
    var sum = Checksum()
    for id in ids {
      var parameters = RawParameters()
      parameters.add(id)
      let result = try execute(.one, parameters)
      for row in 0..<result.count { Self.add(result, row, to: &sum) }
    }
    return sum
  }

  func query(_ data: SampleData) throws -> Checksum {
    var sum = Checksum()
    for index in 0..<data.extent.queries {
      let (low, high) = data.ages(ofQuery: index)
      var parameters = RawParameters()
      parameters.add(Int32(low))
      parameters.add(Int32(high))
      let result = try execute(.top, parameters)
      for row in 0..<result.count {
        Self.add(result, row, to: &sum)
        sum.add(result.double(row, 4), place: Int(row))
      }
    }
    return sum
  }

  func followPrefetched() throws -> Checksum {
    let departments = try execute(.departments)
    var names: [Int: String] = [:]
    for row in 0..<departments.count {
      names[departments.integer(row, 0)] = departments.string(row, 1)
    }
    let result = try execute(.all)
    var sum = Checksum()
    for row in 0..<result.count { sum.add(names[result.integer(row, 9)] ?? "") }
    return sum
  }

  func follow() throws -> Checksum {
    let result = try execute(.all)
    var names: [Int: String] = [:]
    var sum = Checksum()
    for row in 0..<result.count {
      let id = result.integer(row, 9)
      if names[id] == nil {
        var parameters = RawParameters()
        parameters.add(id)
        let found = try execute(.departmentName, parameters)
        names[id] = found.count > 0 ? found.string(0, 0) : ""
      }
      sum.add(names[id] ?? "")
    }
    return sum
  }

  func sumByDepartment() throws -> Checksum {
    let departments = try execute(.departmentIDs)
    var sum = Checksum()
    for row in 0..<departments.count {
      var parameters = RawParameters()
      parameters.add(departments.integer(row, 0))
      let found = try execute(.sumOfDepartment, parameters)
      sum.add(found.integer(0, 0))
      sum.add(found.integer(0, 1))
    }
    return sum
  }

  func sumAtOnce() throws -> Checksum? {
    let result = try execute(.sums)
    var sum = Checksum()
    for row in 0..<result.count {
      sum.add(result.integer(row, 0))
      sum.add(result.integer(row, 1))
    }
    return sum
  }

  func average() throws -> Checksum {
    let result = try execute(.averages)
    var sum = Checksum()
    for row in 0..<result.count { sum.add(average: result.double(row, 1)) }
    return sum
  }

  @inline(__always)
  private static func add(_ result: RawResult, _ row: Int32, to sum: inout Checksum) {
    sum.add(result.bytes(row, 1))
    sum.add(result.bytes(row, 2))
    sum.add(result.integer32(row, 3))
    sum.add(result.double(row, 4))
    sum.add(result.double(row, 5))
    sum.add(result.truth(row, 6) ? 1 : 0)
    sum.add(result.uuid(row, 7))
    sum.add(result.bytes(row, 8))
  }
}

extension PlainPerson {
  fileprivate convenience init(_ result: RawResult, _ row: Int32) {
    self.init(
      id: Int64(result.integer(row, 0)), name: result.string(row, 1),
      email: result.string(row, 2), age: Int32(result.integer32(row, 3)),
      score: result.double(row, 4), created: result.double(row, 5), active: result.truth(row, 6),
      uuid: UUID(uuid: result.uuid(row, 7)), bio: result.string(row, 8),
      department: Int64(result.integer(row, 9)))
  }
}

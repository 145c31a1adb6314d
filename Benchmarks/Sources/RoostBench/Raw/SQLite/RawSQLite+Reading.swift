// SPDX-License-Identifier: Apache-2.0

extension RawSQLite {
  func readAll() throws -> Checksum {
    let statement = try prepare("SELECT \(Self.columns) FROM person")
    var sum = Checksum()
    while try statement.step() { Self.add(statement, to: &sum) }
    return sum
  }

  func keepAll() throws -> PlainPeople {
    // The highest key is found quickly, and is an upper bound of the number of rows.
    let last = try prepare("SELECT max(id) FROM person")
    var people = PlainPeople(capacity: try last.step() ? last.integer(0) : 0)
    last.reset()
    let statement = try prepare("SELECT \(Self.columns) FROM person")
    while try statement.step() { people.keep(PlainPerson(statement)) }
    return people
  }

  func readKey() throws { _ = try prepare("SELECT id FROM department LIMIT 1").step() }

  func lookUp(_ ids: [Int]) throws -> Checksum {
    let statement = try prepare("SELECT \(Self.columns) FROM person WHERE id = ?")
    var sum = Checksum()
    for id in ids {
      statement.bind(id, 1)
      while try statement.step() { Self.add(statement, to: &sum) }
      statement.reset()
    }
    return sum
  }

  func query(_ data: SampleData) throws -> Checksum {
    let statement = try prepare(
      """
      SELECT \(Self.columns) FROM person WHERE age BETWEEN ? AND ? AND active
      ORDER BY score DESC LIMIT 100
      """)
    var sum = Checksum()
    for index in 0..<data.extent.queries {
      let (low, high) = data.ages(ofQuery: index)
      statement.bind(low, 1)
      statement.bind(high, 2)
      var place = 0
      while try statement.step() {
        Self.add(statement, to: &sum)
        sum.add(statement.double(4), place: place)
        place += 1
      }
      statement.reset()
    }
    return sum
  }

  func followPrefetched() throws -> Checksum {
    let departments = try prepare("SELECT id, name FROM department")
    var names: [Int: String] = [:]
    while try departments.step() { names[departments.integer(0)] = departments.string(1) }
    let statement = try prepare("SELECT \(Self.columns) FROM person")
    var sum = Checksum()
    while try statement.step() { sum.add(names[statement.integer(9)] ?? "") }
    return sum
  }

  func follow() throws -> Checksum {
    let department = try prepare("SELECT name FROM department WHERE id = ?")
    var names: [Int: String] = [:]
    let statement = try prepare("SELECT \(Self.columns) FROM person")
    var sum = Checksum()
    while try statement.step() {
      let id = statement.integer(9)
      if let name = names[id] {
        sum.add(name)
        continue
      }
      department.bind(id, 1)
      let name = try department.step() ? department.string(0) : ""
      department.reset()
      names[id] = name
      sum.add(name)
    }
    return sum
  }

  func sumByDepartment() throws -> Checksum {
    let departments = try prepare("SELECT id FROM department")
    let statement = try prepare("SELECT count(*), sum(age) FROM person WHERE department = ?")
    var sum = Checksum()
    while try departments.step() {
      statement.bind(departments.integer(0), 1)
      if try statement.step() {
        sum.add(statement.integer(0))
        sum.add(statement.integer(1))
      }
      statement.reset()
    }
    return sum
  }

  func sumAtOnce() throws -> Checksum? {
    let statement = try prepare("SELECT count(*), sum(age) FROM person GROUP BY department")
    var sum = Checksum()
    while try statement.step() {
      sum.add(statement.integer(0))
      sum.add(statement.integer(1))
    }
    return sum
  }

  func average() throws -> Checksum {
    let statement = try prepare("SELECT department, avg(score) FROM person GROUP BY department")
    var sum = Checksum()
    while try statement.step() { sum.add(average: statement.double(1)) }
    return sum
  }

  @inline(__always)
  private static func add(_ row: RawStatement, to sum: inout Checksum) {
    sum.add(row.bytes(1))
    sum.add(row.bytes(2))
    sum.add(row.integer(3))
    sum.add(row.double(4))
    sum.add(row.double(5))
    sum.add(row.integer(6))
    sum.add(row.uuid(7))
    sum.add(row.bytes(8))
  }
}

extension PlainPerson {
  fileprivate convenience init(_ row: RawStatement) {
    self.init(
      id: Int64(row.integer(0)), name: row.string(1), email: row.string(2),
      age: Int32(row.integer(3)), score: row.double(4), created: row.double(5),
      active: row.integer(6) != 0, uuid: .init(uuid: row.uuid(7)), bio: row.string(8),
      department: Int64(row.integer(9)))
  }
}

// SPDX-License-Identifier: Apache-2.0

extension RawSQLite {
  private static let insertion = "INSERT INTO person (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?)"

  func insert(_ persons: [Sample], firstID: Int, departments: [String]) throws {
    try transaction {
      let department = try prepare("INSERT INTO department (id, name) VALUES (?, ?)")
      for (index, name) in departments.enumerated() {
        department.bind(index + 1, 1)
        department.bind(name, 2)
        try department.run()
      }
      let statement = try prepare(Self.insertion)
      for (index, person) in persons.enumerated() {
        try Self.insert(person, id: firstID + index, statement)
      }
    }
  }

  func change(_ data: SampleData) throws {
    let read = try prepare("SELECT \(Self.columns) FROM person ORDER BY id LIMIT ?")
    read.bind(data.extent.changes, 1)
    var ids: [Int] = []
    while try read.step() { ids.append(read.integer(0)) }
    read.reset()
    try transaction {
      let statement = try prepare("UPDATE person SET score = ? WHERE id = ?")
      for (index, id) in ids.enumerated() {
        statement.bind(Sample.score(index, generation: 1), 1)
        statement.bind(id, 2)
        try statement.run()
      }
    }
  }

  func delete(_ data: SampleData) throws {
    let read = try prepare("SELECT id FROM person ORDER BY id LIMIT ?")
    read.bind(data.extent.changes, 1)
    var ids: [Int] = []
    while try read.step() { ids.append(read.integer(0)) }
    read.reset()
    try transaction {
      let statement = try prepare("DELETE FROM person WHERE id = ?")
      for id in ids {
        statement.bind(id, 1)
        try statement.run()
      }
    }
  }

  func saveOneByOne(_ data: SampleData) throws {
    let statement = try prepare(Self.insertion)
    for index in 0..<data.extent.saves {
      try transaction {
        try Self.insert(data.latecomer(index), id: data.extent.objects + index + 1, statement)
      }
    }
  }

  @inline(__always)
  private static func insert(_ person: Sample, id: Int, _ statement: RawStatement) throws {
    statement.bind(id, 1)
    statement.bind(person.name, 2)
    statement.bind(person.email, 3)
    statement.bind(Int(person.age), 4)
    statement.bind(person.score, 5)
    statement.bind(person.created, 6)
    statement.bind(person.active ? 1 : 0, 7)
    statement.bind(person.uuid, 8)
    statement.bind(person.bio, 9)
    statement.bind(person.department + 1, 10)
    try statement.run()
  }
}

// SPDX-License-Identifier: Apache-2.0

extension RawSQLite {
  private static let insertion = "INSERT INTO person (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?)"

  func insert(_ persons: [Sample], firstID: Int, departments: [String]) throws {
    try transaction {
      let department = try prepare("INSERT INTO department (id, name) VALUES (?, ?)")
      for (index, name) in departments.enumerated() {
        var name = name
        try name.withUTF8 { name in
          department.bind(index + 1, 1)
          department.bind(name, 2)
          try department.run()
        }
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

  func updateBatch() throws -> Bool {
    try prepare("UPDATE person SET score = 0.5 WHERE +age >= 45").run()
    return true
  }

  func deleteDepartments(_ count: Int) throws -> Int? {
    let first = "(SELECT id FROM department ORDER BY id LIMIT ?)"
    try transaction {
      for text in [
        "UPDATE person SET department = NULL WHERE department IN \(first)",
        "DELETE FROM department WHERE id IN \(first)",
      ] {
        let statement = try prepare(text)
        statement.bind(count, 1)
        try statement.run()
      }
    }
    let homeless = try prepare("SELECT count(*) FROM person WHERE department IS NULL")
    return try homeless.step() ? homeless.integer(0) : 0
  }

  func saveOneByOne(_ persons: [Sample], firstID: Int) throws {
    let statement = try prepare(Self.insertion)
    for (index, person) in persons.enumerated() {
      try transaction { try Self.insert(person, id: firstID + index, statement) }
    }
  }

  /// Inserts a person; its texts are bound without copying, and stay in place while the statement runs.
  @inline(__always)
  private static func insert(_ person: Sample, id: Int, _ statement: RawStatement) throws {
    var (name, email, bio) = (person.name, person.email, person.bio)
    try name.withUTF8 { name in
      try email.withUTF8 { email in
        try bio.withUTF8 { bio in
          try withUnsafeBytes(of: person.uuid.uuid) { uuid in
            statement.bind(id, 1)
            statement.bind(name, 2)
            statement.bind(email, 3)
            statement.bind(Int(person.age), 4)
            statement.bind(person.score, 5)
            statement.bind(person.created, 6)
            statement.bind(person.active ? 1 : 0, 7)
            statement.bind(uuid, 8)
            statement.bind(bio, 9)
            statement.bind(person.department + 1, 10)
            try statement.run()
          }
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

extension RawPostgreSQL {
  func insert(_ persons: [Sample], firstID: Int, departments: [String]) throws {
    try run("BEGIN")
    if !departments.isEmpty {
      var copy = try RawCopy(connection, into: "department (id, name)")
      for (index, name) in departments.enumerated() {
        try copy.beginRow(columns: 2)
        copy.add(index + 1)
        copy.add(name)
      }
      try copy.finish()
    }
    var copy = try RawCopy(connection, into: "person (\(Self.columns))")
    for (index, person) in persons.enumerated() {
      try copy.beginRow(columns: 10)
      copy.add(firstID + index)
      copy.add(person.name)
      copy.add(person.email)
      copy.add(person.age)
      copy.add(person.score)
      copy.add(person.created)
      copy.add(person.active)
      copy.add(person.uuid)
      copy.add(person.bio)
      copy.add(person.department + 1)
    }
    try copy.finish()
    try run("COMMIT")
  }

  func change(_ data: SampleData) throws {
    let ids = try firstIDs(data.extent.changes)
    var parameters = RawParameters()
    parameters.add(array: ids, type: RawParameters.int8)
    parameters.add(
      array: ids.indices.map { Sample.score($0, generation: 1).bitPattern },
      type: RawParameters.float8)
    _ = try execute(.change, parameters)
  }

  func delete(_ data: SampleData) throws {
    var parameters = RawParameters()
    parameters.add(array: try firstIDs(data.extent.changes), type: RawParameters.int8)
    _ = try execute(.delete, parameters)
  }

  func updateBatch() throws -> Bool {
    try run("UPDATE person SET score = 0.5 WHERE age >= 45")
    return true
  }

  func deleteDepartments(_ count: Int) throws -> Int? {
    let first = "(SELECT id FROM department ORDER BY id LIMIT \(count))"
    try run("BEGIN")
    try run("UPDATE person SET department = NULL WHERE department IN \(first)")
    try run("DELETE FROM department WHERE id IN \(first)")
    try run("COMMIT")
    return try ask("SELECT count(*) FROM person WHERE department IS NULL").integer(0, 0)
  }

  /// Returns the IDs of the persons to change or delete, read with all their properties, as Roost does.
  private func firstIDs(_ count: Int) throws -> [UInt64] {
    var parameters = RawParameters()
    parameters.add(count)
    let result = try execute(.first, parameters)
    return (0..<result.count).map { UInt64(result.integer($0, 0)) }
  }

  func saveOneByOne(_ persons: [Sample], firstID: Int) throws {
    for (index, person) in persons.enumerated() {
      var parameters = RawParameters()
      parameters.add(firstID + index)
      parameters.add(person.name)
      parameters.add(person.email)
      parameters.add(person.age)
      parameters.add(person.score)
      parameters.add(person.created)
      parameters.add(person.active)
      parameters.add(person.uuid)
      parameters.add(person.bio)
      parameters.add(person.department + 1)
      _ = try execute(.insert, parameters)
    }
  }
}

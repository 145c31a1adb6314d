// SPDX-License-Identifier: Apache-2.0

/// What a careful program does on an engine without a framework: statements prepared once, one transaction where one
/// will do, nothing read that is not needed. Persons have the IDs 1, 2, 3, ... in the order of the data, departments
/// too.
///
/// Every request is durable in the way that the run asks for. A request that an engine has no better way for than
/// another one may be the same.
protocol RawDatabase: AnyObject {
  /// Makes the database empty, with its tables and indexes.
  func clear() throws
  /// Inserts departments and persons in one transaction.
  ///
  /// - Parameters:
  ///   - persons: The persons; the first has the ID `firstID`.
  ///   - departments: The names of all departments; empty when they are there.
  func insert(_ persons: [Sample], firstID: Int, departments: [String]) throws
  /// Reads all properties of all persons, and keeps none of them (W2).
  func readAll() throws -> Checksum
  /// The same with as little memory as the engine allows: a thousand at a time where it would send all (M3).
  func walkAll() throws -> Checksum
  /// Reads all persons as objects that are found by ID.
  func keepAll() throws -> PlainPeople
  /// Reads the key of a department: after it, opening is over.
  func readKey() throws
  /// Reads the first person, the only thing that is asked for (W11).
  func readFirst() throws -> Checksum
  /// Reads persons one by one (W3).
  func lookUp(_ ids: [Int]) throws -> Checksum
  /// Asks for active persons of an age, the 100 with the highest scores first (W4).
  func query(_ data: SampleData) throws -> Checksum
  /// Gives the first persons new scores (W5).
  func change(_ data: SampleData) throws
  /// Reads the persons and adds up the names of their departments, which were read before (W6).
  func followPrefetched() throws -> Checksum
  /// The same, with each department read when the first of its persons is met (W6b).
  func follow() throws -> Checksum
  /// Counts the persons of each department and adds up their ages, a request a department (W7).
  func sumByDepartment() throws -> Checksum
  /// The same in one request; nil where the engine has nothing of the kind.
  func sumAtOnce() throws -> Checksum?
  /// Deletes the first persons (W8).
  func delete(_ data: SampleData) throws
  /// Averages scores by department (W9).
  func average() throws -> Checksum
  /// Inserts persons, each in a transaction of its own (W10); the first has the ID `firstID`.
  func saveOneByOne(_ persons: [Sample], firstID: Int) throws
  /// Gives half of the persons, by their age, the same score in one statement (W13); false where the engine has nothing
  /// of the kind.
  func updateBatch() throws -> Bool
  /// Deletes the first departments and takes them from their persons, a statement each (W14).
  ///
  /// - Returns: How many persons have none after that; nil where the engine has nothing of the kind.
  func deleteDepartments(_ count: Int) throws -> Int?
  /// Closes what is open.
  func close()
}

extension RawDatabase {
  func sumAtOnce() throws -> Checksum? { nil }
  func updateBatch() throws -> Bool { false }
  func deleteDepartments(_ count: Int) throws -> Int? { nil }
  func walkAll() throws -> Checksum { try readAll() }
  func readFirst() throws -> Checksum { try lookUp([1]) }

  /// Fills the empty database part by part, so that the data need not be in memory.
  func fill(_ data: SampleData) throws {
    try clear()
    for start in stride(from: 0, to: data.extent.objects, by: 100_000) {
      let range = start..<min(start + 100_000, data.extent.objects)
      try insert(
        data.persons(range), firstID: start + 1,
        departments: start == 0 ? data.departmentNames : [])
    }
  }
}

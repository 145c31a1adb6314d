// SPDX-License-Identifier: Apache-2.0

/// The baseline: a careful program that calls an engine without a framework. Statements are prepared once, one
/// transaction is used where one will do, and nothing is read that is not needed. Persons have the IDs 1, 2, 3, ...
/// in the order of the data, departments too.
///
/// Every write has the durability of the run. Two requests may have the same implementation where the engine offers
/// no better one.
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
  /// The same with as little memory as the engine allows: a thousand rows at a time where it would send all (M3).
  func walkAll() throws -> Checksum
  /// Reads all persons as objects, found by ID.
  func keepAll() throws -> PlainPeople
  /// Reads the key of a department, so that opening is complete.
  func readKey() throws
  /// Reads the first person, the only request after opening (W11).
  func readFirst() throws -> Checksum
  /// Reads persons one by one (W3).
  func lookUp(_ ids: [Int]) throws -> Checksum
  /// Fetches active persons of an age range, the 100 with the highest scores first (W4).
  func query(_ data: SampleData) throws -> Checksum
  /// Gives the first persons new scores (W5).
  func change(_ data: SampleData) throws
  /// Reads the persons and adds up the names of their departments, which are read beforehand (W6).
  func followPrefetched() throws -> Checksum
  /// The same, but reads each department at the first of its persons (W6b).
  func follow() throws -> Checksum
  /// Counts the persons of each department and adds up their ages, one request per department (W7).
  func sumByDepartment() throws -> Checksum
  /// The same in one request; nil where the engine has no such request.
  func sumAtOnce() throws -> Checksum?
  /// Deletes the first persons (W8).
  func delete(_ data: SampleData) throws
  /// Averages scores by department (W9).
  func average() throws -> Checksum
  /// Inserts persons, each in a separate transaction (W10); the first has the ID `firstID`.
  func saveOneByOne(_ persons: [Sample], firstID: Int) throws
  /// Gives half of the persons, by their age, the same score in one statement (W13); false where the engine has no
  /// such statement.
  func updateBatch() throws -> Bool
  /// Deletes the first departments and sets their persons' references to null, in two statements (W14).
  ///
  /// - Returns: The number of persons without a department after that; nil where the engine has no such statements.
  func deleteDepartments(_ count: Int) throws -> Int?
  /// Closes the database.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

/// The rows that a statement of SQL has given, in their order.
///
/// ```swift
/// let rows = try container.sql("SELECT name, age FROM \(Person.self) ORDER BY age")
/// for row in rows { print(try row.value("name", as: String.self)) }
/// ```
public struct SQLRows: RandomAccessCollection, Sendable {
  /// The names of the columns, as the statement gives them.
  public let columns: [String]
  /// The number of rows.
  public let count: Int
  let values: [Value]
  private let schema: StoreSchema

  /// Makes rows, as a store does.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns.
  ///   - values: The values, row after row: as many as there are columns in each.
  ///   - count: The number of rows.
  ///   - schema: What the store was prepared with, by which keys are IDs.
  public init(columns: [String], values: [Value], count: Int, schema: StoreSchema) {
    precondition(values.count == columns.count * count, "Each row has a value for each column.")
    self.columns = columns
    self.values = values
    self.count = count
    self.schema = schema
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The row at a position, from 0.
  public subscript(position: Int) -> SQLRow {
    let start = position * columns.count
    return SQLRow(
      columns: columns, values: values[start..<start + columns.count], schema: schema)
  }
}

/// One row of what a statement of SQL has given.
///
/// ```swift
/// let born = try row.value("born", as: Date?.self)
/// if case .integer(let age) = row["age"] { print(age) }
/// ```
public struct SQLRow: Sendable {
  /// The names of the columns.
  public let columns: [String]
  /// The values, in the order of the columns, as the database holds them: a file of SQLite has dates as numbers, and
  /// UUIDs and decimals as bytes.
  public let values: ArraySlice<Value>
  fileprivate let schema: StoreSchema

  /// The value of a column as the database holds it; nil when there is no such column.
  ///
  /// - Parameter column: The name of the column; of several with that name, the first.
  public subscript(column: String) -> Value? {
    columns.firstIndex(of: column).map { values[values.startIndex + $0] }
  }

  /// Returns the value of a column as a Swift type, read as a property of that type would be.
  ///
  /// ```swift
  /// let total = try row.value("total", as: Decimal.self)
  /// ```
  /// - Parameters:
  ///   - column: The name of the column; of several with that name, the first.
  ///   - type: The type; an optional one where the value can be NULL.
  /// - Throws: ``PersistenceError`` with code `unknownKey` when there is no such column, `invalidValue` when the value
  ///   is NULL or of another type.
  /// - Complexity: In proportion to the number of columns.
  public func value<T: AttributeValue>(_ column: String, as type: T.Type) throws -> T {
    guard let stored = self[column] else {
      throw PersistenceError(
        .unknownKey,
        "The statement has no column \(column); it has \(columns.joined(separator: ", ")).",
        key: column)
    }
    if stored.isNull, !T.isOptionalValue {
      throw PersistenceError(
        .invalidValue, "The value of the column \(column) is NULL: read it as an optional type.",
        key: column)
    }
    guard let value = T(SQLColumnValue.value(stored, of: T.attributeType)) else {
      throw PersistenceError(
        .invalidValue, "The value of the column \(column) cannot be read as \(T.attributeType).",
        key: column)
    }
    return value
  }

  /// Returns the ID of the record whose key a column holds; nil for NULL.
  ///
  /// ```swift
  /// let rows = try container.sql("SELECT _key FROM \(Person.self) WHERE \(\Person.age) > \(18)")
  /// let people = try rows.compactMap { try $0.objectID("_key") }.map { context.object(with: $0) }
  /// ```
  /// - Parameter column: The name of the column: `_key`, or that of a to-one relationship.
  /// - Throws: ``PersistenceError`` with code `unknownKey` when there is no such column, `invalidValue` when its value
  ///   is no key of an entity that the store holds.
  public func objectID(_ column: String) throws -> ObjectID? {
    guard let key = try value(column, as: Int64?.self) else { return nil }
    guard let id = schema.objectID(forKey: key) else {
      throw PersistenceError(
        .invalidValue, "The value of the column \(column) is no key of a record.", key: column)
    }
    return id
  }
}

/// Turns what a column holds into the value of an attribute.
enum SQLColumnValue {
  /// The value as one of a type; unchanged where it is none, which the type then refuses.
  static func value(_ stored: Value, of type: AttributeType) -> Value {
    switch (type, stored) {
    case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .integer(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.uuid, .data(let data)) where data.count == 16:
      .uuid(data.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) })
    case (.decimal, .data(let data)):
      data.withUnsafeBytes { DecimalCode.decode($0) }.map(Value.decimal) ?? stored
    case (.uri, .string(let text)): URL(string: text).map(Value.uri) ?? stored
    // A truth value is a number in SQLite, and the sum of whole numbers a decimal in PostgreSQL.
    default: stored.coerced(to: type) ?? stored
    }
  }
}

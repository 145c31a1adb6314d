// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Turns the columns of a dictionary fetch into values.
struct TupleReader {
  private let kinds: [SlotKind]
  private let schema: StoreSchema

  init(_ kinds: [SlotKind], _ schema: StoreSchema) {
    self.kinds = kinds
    self.schema = schema
  }

  /// Returns all values of a result, row by row.
  func values(_ statement: SQLiteStatement) throws -> [Value] {
    var values: [Value] = []
    while try statement.step() {
      for (column, kind) in kinds.enumerated() {
        values.append(try value(statement, Int32(column), kind))
      }
    }
    return values
  }

  /// Returns the value of one column of a statement's current row.
  func value(
    _ statement: SQLiteStatement, _ column: Int32, _ kind: SlotKind
  ) throws -> Value {
    guard !statement.isNull(column) else { return .null }
    switch kind {
    case .integer, .position: return .integer(statement.integer(column))
    case .boolean: return .boolean(statement.integer(column) != 0)
    case .double:
      // A calculation can result in negative zero, which is stored as zero (value contract).
      let number = statement.double(column)
      return .double(number == 0 ? 0 : number)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: statement.double(column)))
    case .string: return .string(try checked(statement.string(column)))
    case .uri: return .uri(try checked(statement.string(column).flatMap(URL.init(string:))))
    case .data: return .data(Data(statement.blobBytes(column)))
    case .transformable:
      return .transformable(
        TransformableValue(object: nil, encoded: Data(statement.blobBytes(column))))
    case .decimal: return .decimal(try checked(DecimalCode.decode(statement.blobBytes(column))))
    case .uuid:
      let bytes = statement.blobBytes(column)
      return .uuid(try checked(bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) : nil))
    case .reference:
      return schema.objectID(forKey: statement.integer(column)).map(Value.objectID) ?? .null
    }
  }

  private func checked<Result>(_ value: Result?) throws -> Result {
    guard let value else {
      throw PersistenceError(.corruptStore, "A stored value cannot be read as its type.")
    }
    return value
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery
public import RoostStore

/// Generates the definitions and queries of a schema in the SQL of a database for which Roost has no store.
///
/// ```swift
/// let translation = SQLTranslation(schema, dialect: dialect)
/// for definition in translation.definitions { try database.run(definition) }
/// let statement = try translation.statement(for: request)
/// let rows = try database.rows(of: statement.text, statement.bindings)
/// ```
public struct SQLTranslation: Sendable {
  private let schema: SQLSchema
  /// The identifiers of tables, columns and indexes, by their paths. They are kept with the store, so that later
  /// renames and additions in the model change none of them.
  public let identifiers: [String: String]

  /// Maps a schema to tables: one for each hierarchy of entities, and one for each relationship that is to many on
  /// both sides.
  ///
  /// - Parameters:
  ///   - store: The schema with which the store is prepared.
  ///   - dialect: The database's SQL dialect.
  ///   - identifiers: The identifiers that the store has already.
  public init(_ store: StoreSchema, dialect: SQLDialect, identifiers: [String: String] = [:]) {
    var names = SQLNames(identifiers, lengthLimit: dialect.identifierLimit)
    schema = SQLSchema(store, dialect: dialect, names: &names)
    self.identifiers = names.identifiers
  }

  /// The statements that create all tables and their indexes in an empty database.
  public var definitions: [String] {
    schema.tables.flatMap { table in
      [schema.definition(table)] + table.indexes.map { schema.definition($0, on: table) }
    }
      + schema.linkTables.flatMap { [schema.definition($0), schema.reverseDefinition($0)] }
  }

  /// Generates one statement for a request. Everything that SQL can express runs in the database.
  ///
  /// - Parameter request: The request, as a store receives it.
  /// - Throws: `unknownEntity` when the store does not hold the entity, `limitExceeded` when a condition is nested too
  ///   deeply or has too many values.
  public func statement(for request: ResolvedFetch) throws -> Statement {
    let query = try FetchGenerator.query(for: request, in: schema)
    let result: Statement.Result =
      switch query.shape {
      case .rows(let columns): .rows(columns: columns.map(\.name))
      case .keys: .keys
      case .count: .count
      case .tuples(let kinds): .values(kinds)
      case .groups: preconditionFailure("Only dialects of this package leave groups to a driver.")
      }
    return Statement(
      text: query.text, bindings: query.bindings, result: result, remainder: query.remainder,
      inMemory: query.inMemory)
  }

  /// Returns the columns of an entity's records: the identifier for each stored slot; nil when the store does not hold
  /// the entity.
  public func columns(of entity: EntityDescription) -> [(slot: RowSlot, name: String)]? {
    guard let place = schema.entity(entity) else { return nil }
    return place.storedSlots.compactMap { slot in
      place.column(slot).map { (slot, $0.name) }
    }
  }

  /// Returns the statement that reads one record: the version, then the stored slots in order; nil when the store does
  /// not hold the entity. Parameter: the key.
  public func selection(of entity: EntityDescription) -> String? {
    schema.entity(entity).map { schema.selectByKey($0) }
  }

  /// Returns the statement that inserts a record; nil when the store does not hold the entity. Parameters: the key,
  /// the version, then the stored slots in order.
  public func insertion(of entity: EntityDescription) -> String? {
    schema.entity(entity).map { schema.insert($0) }
  }

  /// Returns the statement that updates a record if it is still in a version; nil when the store does not hold the
  /// entity. Parameters: the key, that version, the new version, then the slots in order.
  ///
  /// - Parameters:
  ///   - entity: The entity of the record.
  ///   - slots: The changed slots; all of them are stored.
  public func update(of entity: EntityDescription, slots: [RowSlot]) -> String? {
    schema.entity(entity).map { schema.update($0, slots: slots) }
  }

  /// Returns the statement that deletes a record if it is still in a version; nil when the store does not hold the
  /// entity. Parameters: the key, the version.
  public func deletion(of entity: EntityDescription) -> String? {
    schema.entity(entity).map { schema.delete($0.table) }
  }

  /// A request as one statement, and the remainder that it leaves to memory.
  ///
  /// ```swift
  /// if let remainder = statement.remainder { answer = .rows(rows, remainder) }
  /// ```
  public struct Statement: Sendable {
    /// The statement.
    public let text: String
    /// The values of its parameters, from number 1.
    public let bindings: [SQLValue]
    /// The shape of its result.
    public let result: Result
    /// The work that the coordinator still has to do with the rows; nil when the result is the answer.
    public let remainder: FetchRemainder?
    /// The parts of the request that are left to memory, in words.
    public let inMemory: [String]

    /// The shape of a statement's result.
    ///
    /// ```swift
    /// if case .rows(let columns) = statement.result { print(columns) }
    /// ```
    public enum Result: Sendable {
      /// Records: the key, the version, then these columns.
      case rows(columns: [String])
      /// Keys of records.
      case keys
      /// One number.
      case count
      /// Values of these kinds, one for each column of the request.
      case values([SlotKind])
    }
  }
}

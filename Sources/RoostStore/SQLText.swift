// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A SQL statement, written as a string literal: an interpolated value becomes a parameter, or the name of a table or
/// a column, and never text of the statement.
///
/// ```swift
/// let query: SQLText = """
///   SELECT \(column: "city", of: "Person") AS city, count(*) AS people
///   FROM \(table: "Person") WHERE \(column: "age", of: "Person") > \(18) GROUP BY 1
///   """
/// ```
/// The names of tables and columns are the store's own: an entity may share the table of its parent, and a name may
/// have been shortened or numbered. With `import Roost`, a class and a key path can name them, too.
public struct SQLText: Sendable, ExpressibleByStringInterpolation {
  /// A piece of a statement.
  ///
  /// ```swift
  /// if case .value(let value) = query.parts[1] { print(value) }
  /// ```
  public enum Part: Sendable {
    /// Text of the statement.
    case text(String)
    /// The value of a parameter.
    case value(Value)
    /// The records of an entity, including those of its subentities.
    case table(entityName: String)
    /// The column of a property: an attribute, an element of a composite by its dotted name, or a to-one relationship,
    /// whose column holds the key of the destination.
    case column(name: String, entityName: String)
    /// A value that cannot be part of a statement, and the error that says why.
    case refused(PersistenceError)
  }

  /// The pieces, in order.
  public private(set) var parts: [Part]

  /// Creates a statement from a literal without interpolations.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) {
    parts = [.text(value)]
  }

  /// Creates a statement from a literal with interpolations.
  ///
  /// - Parameter stringInterpolation: The pieces.
  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }

  /// Creates a statement from a string of SQL, such as one read from a file of the program. Never pass user input
  /// here.
  ///
  /// - Parameter text: The text, which must have no parameters.
  public init(verbatim text: String) {
    parts = [.text(text)]
  }

  /// The pieces of a literal while it is assembled.
  ///
  /// ```swift
  /// let ages = [18, 36]
  /// let query: SQLText = "SELECT count(*) FROM \(table: "Person") WHERE age IN \(list: ages)"
  /// ```
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var parts: [Part] = []

    /// Begins a literal.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(interpolationCount * 2 + 1)
    }

    /// Appends text of the statement.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// Appends a piece.
    ///
    /// - Parameter part: The piece.
    public mutating func appendPart(_ part: Part) {
      parts.append(part)
    }

    /// Appends a parameter.
    ///
    /// - Parameter value: Its value.
    public mutating func appendInterpolation(_ value: some AttributeValue) {
      parts.append(.value(value.attributeValue))
    }

    /// Appends a parameter; nil is NULL.
    ///
    /// - Parameter value: Its value.
    public mutating func appendInterpolation<Wrapped: AttributeValue>(_ value: Wrapped?) {
      parts.append(.value(value?.attributeValue ?? .null))
    }

    /// Appends a parameter.
    ///
    /// - Parameter value: Its value, which must be a single one.
    public mutating func appendInterpolation(_ value: Value) {
      parts.append(.value(value))
    }

    /// Appends the key of a record as a parameter: the value in the column `_key` of its table, and in the foreign
    /// key columns of relationships to it.
    ///
    /// - Parameter id: The ID of a saved object of the same store.
    public mutating func appendInterpolation(_ id: ObjectID) {
      parts.append(.value(.objectID(id)))
    }

    /// Appends a list of parameters in parentheses, as after `IN`; without values it is `(NULL)`, which nothing
    /// equals.
    ///
    /// - Parameter values: Their values.
    public mutating func appendInterpolation(list values: some Sequence<some AttributeValue>) {
      var separator = "("
      for value in values {
        parts.append(.text(separator))
        parts.append(.value(value.attributeValue))
        separator = ", "
      }
      parts.append(.text(separator == "(" ? "(NULL)" : ")"))
    }

    /// Appends the records of an entity, including those of its subentities: a table, or a subquery in parentheses if
    /// other entities share the table.
    ///
    /// - Parameter entityName: The name of the entity.
    public mutating func appendInterpolation(table entityName: String) {
      parts.append(.table(entityName: entityName))
    }

    /// Appends the column name of a property.
    ///
    /// - Parameters:
    ///   - name: The name of an attribute or a to-one relationship, or the dotted name of a composite's element.
    ///   - entityName: The name of the entity.
    public mutating func appendInterpolation(column name: String, of entityName: String) {
      parts.append(.column(name: name, entityName: entityName))
    }

    /// Appends another statement, or a part of one, with its parameters.
    ///
    /// - Parameter other: The statement.
    public mutating func appendInterpolation(_ other: SQLText) {
      parts += other.parts
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A statement of SQL, written as a string literal: what is interpolated becomes a parameter, or the name of a table or
/// a column, and never text of the statement.
///
/// ```swift
/// let query: SQLText = """
///   SELECT \(column: "city", of: "Person") AS city, count(*) AS people
///   FROM \(table: "Person") WHERE \(column: "age", of: "Person") > \(18) GROUP BY 1
///   """
/// ```
/// The names of tables and columns are the store's own: an entity may share the table of its parent, and a name may
/// have been shortened or numbered. With `import Roost`, a class and a key path stand for them, too.
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
    /// The records of an entity, its subentities' among them.
    case table(entityName: String)
    /// The column of a property: an attribute, an element of a composite by its dotted name, or a to-one relationship,
    /// whose column holds the key of the destination.
    case column(name: String, entityName: String)
    /// What cannot be a part of a statement, and why.
    case refused(PersistenceError)
  }

  /// The pieces, in order.
  public private(set) var parts: [Part]

  /// Makes a statement of a literal without interpolations.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) {
    parts = [.text(value)]
  }

  /// Makes a statement of a literal with interpolations.
  ///
  /// - Parameter stringInterpolation: The pieces.
  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }

  /// Makes a statement of a string that is a statement already, as one that was read from a file of the program. A
  /// string that a user has typed does not belong here.
  ///
  /// - Parameter text: The text; it holds no parameters.
  public init(verbatim text: String) {
    parts = [.text(text)]
  }

  /// The pieces of a literal while it is put together.
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

    /// Appends a parameter; nil is NULL.
    ///
    /// - Parameter value: Its value.
    public mutating func appendInterpolation(_ value: some AttributeValue) {
      parts.append(.value(value.attributeValue))
    }

    /// Appends a parameter.
    ///
    /// - Parameter value: Its value, which must be a single one.
    public mutating func appendInterpolation(_ value: Value) {
      parts.append(.value(value))
    }

    /// Appends the key of a record as a parameter: what the column `_key` of its table holds, and the columns of
    /// relationships to it.
    ///
    /// - Parameter id: The ID of a saved object of the same store.
    public mutating func appendInterpolation(_ id: ObjectID) {
      parts.append(.value(.objectID(id)))
    }

    /// Appends parameters in parentheses, as after `IN`; without a value it is `(NULL)`, in which nothing is.
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

    /// Appends the records of an entity, its subentities' among them: a table, or a query in parentheses where other
    /// entities share the table.
    ///
    /// - Parameter entityName: The name of the entity.
    public mutating func appendInterpolation(table entityName: String) {
      parts.append(.table(entityName: entityName))
    }

    /// Appends the name of a property's column.
    ///
    /// - Parameters:
    ///   - name: The name of an attribute, of an element of a composite with dots, or of a to-one relationship.
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

// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension PersistenceError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The error without stored values and without the engine's error, suitable for a log: the failure, its remedy, and
  /// the errors that it combines.
  public var description: String {
    var text = head
    if let store { text += " (store \(store))" }
    text += remedyLine
    let further = furtherErrors
    for error in further.prefix(Self.shownErrorCount) { text += "\n- \(error.line)" }
    let rest = further.count - Self.shownErrorCount
    if rest > 0 { text += "\n- and \(rest) more" }
    return text
  }

  /// The same as ``description``, so that no way of printing shows a value by accident.
  public var debugDescription: String { description }

  /// All details, including refused values and the engine's error; for developers only.
  public var detailedDescription: String {
    var text = head
    if let value { text += " value: \(value)" }
    if let predicateFormat { text += " predicate: \(predicateFormat)" }
    if !objectIDs.isEmpty { text += " objects: \(objectIDs)" }
    if let store { text += " store: \(store)" }
    if let underlying { text += " underlying: \(underlying)" }
    text += remedyLine
    for error in furtherErrors {
      text += "\n- \(error.line)" + (error.value.map { " value: \($0)" } ?? "")
    }
    return text
  }

  /// The maximum number of underlying errors in a description.
  private static let shownErrorCount = 20

  /// The underlying errors with further information: an error that only wraps a single equal one is shown once.
  private var furtherErrors: [PersistenceError] {
    underlyingErrors.filter { $0.line != head }
  }

  /// The entity and property, such as `Person.name`.
  private var place: String? {
    switch (entityName, key) {
    case (let entity?, let key?): "\(entity).\(key)"
    case (let entity?, nil): entity
    case (nil, let key?): key
    case (nil, nil): nil
    }
  }

  /// The code, the message, and the entity and property.
  private var head: String { "\(code): \(message)" + (place.map { " [\($0)]" } ?? "") }

  /// The remedy on its own line; empty where the message contains it.
  private var remedyLine: String {
    let remedy = remedy
    return remedy.isEmpty || message.contains(remedy) ? "" : "\n\(remedy)"
  }

  /// The error in one line, without its own underlying errors.
  private var line: String {
    let count = underlyingErrors.isEmpty ? "" : " (\(underlyingErrors.count) underlying)"
    return head + count
  }
}

extension PersistenceError: CustomReflectable {
  /// The error for a debugger, without stored values.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}

extension PersistenceError: LocalizedError {
  /// The message, with the affected entity and property.
  public var errorDescription: String? {
    place.map { "\(message) [\($0)]" } ?? message
  }

  /// The ``remedy``.
  public var recoverySuggestion: String? { remedy.isEmpty ? nil : remedy }
}

extension PersistenceError.Code: CustomStringConvertible {
  /// The code's name, or its number when it has none.
  public var description: String { Self.names[self] ?? "error \(rawValue)" }
}

// SPDX-License-Identifier: Apache-2.0

/// An error of the framework, with everything that is needed to handle it.
///
/// Handle errors by their ``code``: it alone decides whether two errors are equal, and the set of codes is open. The
/// description omits stored values; ``detailedDescription`` includes them.
///
/// ```swift
/// do { try context.save() } catch let error as PersistenceError where error.code == .validationMultipleErrors {
///   for failure in error.underlyingErrors { print(failure) }
/// }
/// ```
public struct PersistenceError: Error, Sendable {
  /// The contents behind one reference, so that a thrown error is one word in size.
  private var box: Box

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, entityName: String? = nil, key: String? = nil,
    value: Value? = nil, predicateFormat: String? = nil, objectIDs: [ObjectID] = [],
    store: String? = nil, underlyingErrors: [PersistenceError] = [],
    underlying: (any Error)? = nil
  ) {
    box = Box(
      Contents(
        code: code, message: message, entityName: entityName, key: key, value: value,
        predicateFormat: predicateFormat, objectIDs: objectIDs, store: store,
        underlyingErrors: underlyingErrors, underlying: underlying))
  }

  private struct Contents {
    var code: Code
    var message: String
    var entityName: String?
    var key: String?
    var value: Value?
    var predicateFormat: String?
    var objectIDs: [ObjectID]
    var store: String?
    /// The affected stores after the first.
    var otherStores: [String] = []
    var underlyingErrors: [PersistenceError]
    var underlying: (any Error)?
    /// A remedy that is more specific than that of the code.
    var exactRemedy: String?
    var isUnreachable = false
  }

  private final class Box: @unchecked Sendable {
    // Sendable: written only by an error that is the only one to refer to it.
    var contents: Contents

    init(_ contents: Contents) {
      self.contents = contents
    }
  }

  private mutating func change(_ body: (inout Contents) -> Void) {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.contents) }
    body(&box.contents)
  }
}

extension PersistenceError {
  /// The kind of the error.
  public var code: Code {
    get { box.contents.code }
    set { change { $0.code = newValue } }
  }

  /// A sentence for the developer, without stored values.
  public var message: String {
    get { box.contents.message }
    set { change { $0.message = newValue } }
  }

  /// The name of the affected entity.
  public var entityName: String? {
    get { box.contents.entityName }
    set { change { $0.entityName = newValue } }
  }

  /// The name of the affected property.
  public var key: String? {
    get { box.contents.key }
    set { change { $0.key = newValue } }
  }

  /// The refused value; never part of ``description``.
  public var value: Value? {
    get { box.contents.value }
    set { change { $0.value = newValue } }
  }

  /// The format of the predicate that refused the value.
  public var predicateFormat: String? {
    get { box.contents.predicateFormat }
    set { change { $0.predicateFormat = newValue } }
  }

  /// The IDs of the affected objects.
  public var objectIDs: [ObjectID] {
    get { box.contents.objectIDs }
    set { change { $0.objectIDs = newValue } }
  }

  /// The identifier, name or URL of the affected store; of the first one when several are affected.
  public var store: String? {
    get { box.contents.store }
    set { change { $0.store = newValue } }
  }

  /// The identifiers, names or URLs of all affected stores, ``store`` first.
  ///
  /// When a history token has expired (`persistentHistoryTokenExpired`) these are the stores whose histories no longer
  /// go back to it: what was read from the others is still current.
  ///
  /// ```swift
  /// for store in error.affectedStores { reload(store) }
  /// ```
  public var affectedStores: [String] {
    get { (store.map { [$0] } ?? []) + box.contents.otherStores }
    set {
      change {
        $0.store = newValue.first
        $0.otherStores = Array(newValue.dropFirst())
      }
    }
  }

  /// The errors that this one combines.
  public var underlyingErrors: [PersistenceError] {
    get { box.contents.underlyingErrors }
    set { change { $0.underlyingErrors = newValue } }
  }

  /// The engine's own error, with its code and text.
  public var underlying: (any Error)? {
    get { box.contents.underlying }
    set { change { $0.underlying = newValue } }
  }

  /// Whether the store is temporarily unreachable, for example after a lost connection: read-only requests are
  /// retried.
  package var isUnreachable: Bool {
    get { box.contents.isUnreachable }
    set { change { $0.isUnreachable = newValue } }
  }
}

extension PersistenceError {
  /// A sentence on how to resolve the error: from the place that throws it, otherwise from the ``code``; empty for a
  /// code that is not Roost's own.
  ///
  /// ```swift
  /// do { try context.save() } catch let error as PersistenceError { print(error.remedy) }
  /// ```
  public var remedy: String {
    get { box.contents.exactRemedy ?? Code.remedies[code] ?? "" }
    set { change { $0.exactRemedy = newValue } }
  }

  /// Returns the error with a more specific remedy than that of its code.
  package func remedied(by sentence: String) -> PersistenceError {
    var error = self
    error.remedy = sentence
    return error
  }
}

extension PersistenceError {
  /// The kind of an error: an open set, with Core Data's number where there is one.
  ///
  /// ```swift
  /// do {
  ///   try context.save()
  /// } catch let error as PersistenceError where error.code == .managedObjectMerge {
  ///   try context.refreshAllObjects()
  /// }
  /// ```
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Makes a code from its number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }
  }
}

extension PersistenceError: Equatable {
  /// Whether two errors have the same code.
  public static func == (left: PersistenceError, right: PersistenceError) -> Bool {
    left.code == right.code
  }
}

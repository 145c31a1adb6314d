// SPDX-License-Identifier: Apache-2.0

/// What went wrong, with everything that is needed to act on it.
///
/// Look at ``code``: it alone decides whether two errors are equal, and the set of codes is open. The description
/// leaves out stored values; ask ``detailedDescription`` for them.
///
/// ```swift
/// do { try context.save() } catch let error as PersistenceError where error.code == .validationMultipleErrors {
///   for failure in error.underlyingErrors { print(failure) }
/// }
/// ```
public struct PersistenceError: Error, Sendable {
  /// What is said, behind one reference: wherever an error may come back, there is room for a word and no more.
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
    var underlyingErrors: [PersistenceError]
    var underlying: (any Error)?
    /// What to do, where more is known than the code says.
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
  /// What kind of error it is.
  public var code: Code {
    get { box.contents.code }
    set { change { $0.code = newValue } }
  }

  /// A sentence for the developer, without stored values.
  public var message: String {
    get { box.contents.message }
    set { change { $0.message = newValue } }
  }

  /// The name of the entity concerned.
  public var entityName: String? {
    get { box.contents.entityName }
    set { change { $0.entityName = newValue } }
  }

  /// The name of the property concerned.
  public var key: String? {
    get { box.contents.key }
    set { change { $0.key = newValue } }
  }

  /// The value that was refused; never part of ``description``.
  public var value: Value? {
    get { box.contents.value }
    set { change { $0.value = newValue } }
  }

  /// The format of the predicate that refused the value.
  public var predicateFormat: String? {
    get { box.contents.predicateFormat }
    set { change { $0.predicateFormat = newValue } }
  }

  /// The objects concerned.
  public var objectIDs: [ObjectID] {
    get { box.contents.objectIDs }
    set { change { $0.objectIDs = newValue } }
  }

  /// The identifier, name or URL of the store concerned.
  public var store: String? {
    get { box.contents.store }
    set { change { $0.store = newValue } }
  }

  /// The errors that this one sums up.
  public var underlyingErrors: [PersistenceError] {
    get { box.contents.underlyingErrors }
    set { change { $0.underlyingErrors = newValue } }
  }

  /// What the engine itself said, as its own code and text.
  public var underlying: (any Error)? {
    get { box.contents.underlying }
    set { change { $0.underlying = newValue } }
  }

  /// Whether the store was not reached, and may be later, as where a connection was lost: what only reads tries again.
  package var isUnreachable: Bool {
    get { box.contents.isUnreachable }
    set { change { $0.isUnreachable = newValue } }
  }
}

extension PersistenceError {
  /// What to do about it, in a sentence: what the place that throws the error knows, else what the ``code`` says; empty
  /// for a code that is not Roost's own.
  ///
  /// ```swift
  /// do { try context.save() } catch let error as PersistenceError { print(error.remedy) }
  /// ```
  public var remedy: String {
    get { box.contents.exactRemedy ?? Code.remedies[code] ?? "" }
    set { change { $0.exactRemedy = newValue } }
  }

  /// Returns the error with a more exact remedy than that of its code.
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
  /// Whether two errors are of one kind; only the code counts.
  public static func == (left: PersistenceError, right: PersistenceError) -> Bool {
    left.code == right.code
  }
}

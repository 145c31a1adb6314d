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
  /// What kind of error it is.
  public var code: Code
  /// A sentence for the developer, without stored values.
  public var message: String
  /// The name of the entity concerned.
  public var entityName: String?
  /// The name of the property concerned.
  public var key: String?
  /// The value that was refused; never part of ``description``.
  public var value: Value?
  /// The format of the predicate that refused the value.
  public var predicateFormat: String?
  /// The objects concerned.
  public var objectIDs: [ObjectID]
  /// The identifier, name or URL of the store concerned.
  public var store: String?
  /// The errors that this one sums up.
  public var underlyingErrors: [PersistenceError]
  /// What the engine itself said, as its own code and text.
  public var underlying: (any Error)?
  /// What to do, where more is known than the code says.
  private var exactRemedy: String?
  /// Whether the store was not reached, and may be later, as where a connection was lost: what only reads tries again.
  package var isUnreachable = false

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, entityName: String? = nil, key: String? = nil,
    value: Value? = nil, predicateFormat: String? = nil, objectIDs: [ObjectID] = [],
    store: String? = nil, underlyingErrors: [PersistenceError] = [],
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.entityName = entityName
    self.key = key
    self.value = value
    self.predicateFormat = predicateFormat
    self.objectIDs = objectIDs
    self.store = store
    self.underlyingErrors = underlyingErrors
    self.underlying = underlying
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
    get { exactRemedy ?? Code.remedies[code] ?? "" }
    set { exactRemedy = newValue }
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

// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The result of a store operation, as reported to a ``StoreInstrument``.
///
/// ```swift
/// func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
///   print(operation.kind, result.duration, result.rows, result.outcome)
/// }
/// ```
public struct StoreOperationResult: Sendable {
  /// How long it took, by `ContinuousClock`.
  public var duration: Duration
  /// How it ended.
  public var outcome: Outcome
  /// The number of returned rows, keys, destinations or tuples, or of written records; for a count, its result.
  public var rows: Int
  /// The size in bytes of the values that were returned or written: eight for a key, a number and a date, sixteen for a
  /// UUID, and the encoded length of texts, data and transformable values. Overheads of the store are not included.
  public var bytes = 0
  /// The executed statements or scans, without values; at most ``StoreOperationResult/statementLimit``. Empty unless
  /// an instrument hears statements. A store that writes several saves in one transaction reports all of their
  /// statements with the first save.
  public var statements: [String]
  /// The number of executed statements or scans, including those that ``statements`` leaves out.
  public var statementCount: Int
  private var makePlan: (@Sendable () -> QueryPlan)?

  /// The maximum number of kept statements per operation.
  public static let statementLimit = 16

  /// Makes a result, for tests of an instrument.
  ///
  /// - Parameters:
  ///   - duration: How long it took.
  ///   - outcome: How it ended.
  ///   - rows: The number of returned or written rows.
  ///   - bytes: The size of their values.
  ///   - statements: The executed statements, without values.
  ///   - plan: The query plan of a fetch.
  public init(
    duration: Duration, outcome: Outcome = .success, rows: Int = 0, bytes: Int = 0,
    statements: [String] = [], plan: QueryPlan? = nil
  ) {
    self.bytes = bytes
    self.duration = duration
    self.outcome = outcome
    self.rows = rows
    self.statements = Array(statements.prefix(Self.statementLimit))
    statementCount = statements.count
    if let plan { makePlan = { plan } }
  }

  /// Sets the plan of a fetch; its text is made only when it is read.
  package mutating func setPlan(of result: StoreFetchResult) {
    makePlan = { result.plan }
  }

  /// The query plan of a fetch, where the store reports one. It was recorded with the fetch, and requires no further
  /// request.
  public var plan: QueryPlan? { makePlan?() }

  /// The statements as one text, or the steps of the plan where the store reported none; nil without either.
  public var statement: String? {
    let texts = statements.isEmpty ? plan?.steps ?? [] : statements
    guard !texts.isEmpty else { return nil }
    let left = statementCount - statements.count
    return texts.joined(separator: "; ") + (left > 0 ? "; and \(left) more" : "")
  }

  /// How an operation ended.
  ///
  /// ```swift
  /// if case .failure(let error) = result.outcome { report(error) }
  /// ```
  public enum Outcome: Sendable, CustomStringConvertible {
    /// It succeeded.
    case success
    /// A commit wrote nothing, because of this number of conflicts: records changed concurrently, or unique
    /// constraints violated.
    case conflict(Int)
    /// It was cancelled.
    case cancelled
    /// It failed.
    case failure(PersistenceError)

    /// Makes the outcome of an operation that threw an error.
    package init(_ error: any Error) {
      let error =
        error as? PersistenceError
        ?? PersistenceError(
          .persistentStoreOperation, "The store reported an error.", underlying: error)
      let isCancelled = error.code == .userCancelled || error.code == .migrationCancelled
      self = isCancelled ? .cancelled : .failure(error)
    }

    /// The label in metrics: `success`, `conflict`, `cancelled`, or the name of the error's code.
    public var description: String {
      switch self {
      case .success: "success"
      case .conflict: "conflict"
      case .cancelled: "cancelled"
      case .failure(let error): error.code.description
      }
    }

    /// Whether it is ``success``.
    public var isSuccess: Bool {
      if case .success = self { return true }
      return false
    }
  }
}

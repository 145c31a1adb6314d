// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// How an operation of a store ended, as a ``StoreInstrument`` is told.
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
  /// How many rows, keys, destinations or tuples came back, or records were written; the number that was counted.
  public var rows: Int
  /// The statements or scans that ran, without values; at most ``StoreOperationResult/statementLimit`` of them. Empty
  /// unless an instrument hears statements. A store that writes several saves in one transaction tells all of their
  /// statements with the save that it began with.
  public var statements: [String]
  /// How many statements or scans ran, those that ``statements`` leaves out included.
  public var statementCount: Int
  private var makePlan: (@Sendable () -> QueryPlan)?

  /// How many statements of an operation are kept.
  public static let statementLimit = 16

  /// Makes a result, as a test of an instrument does.
  ///
  /// - Parameters:
  ///   - duration: How long it took.
  ///   - outcome: How it ended.
  ///   - rows: How many rows came back or were written.
  ///   - statements: The statements that ran, without values.
  ///   - plan: What the store did, for a fetch.
  public init(
    duration: Duration, outcome: Outcome = .success, rows: Int = 0, statements: [String] = [],
    plan: QueryPlan? = nil
  ) {
    self.duration = duration
    self.outcome = outcome
    self.rows = rows
    self.statements = Array(statements.prefix(Self.statementLimit))
    statementCount = statements.count
    if let plan { makePlan = { plan } }
  }

  /// Takes the plan of a fetch, which is put into words when it is read.
  package mutating func setPlan(of result: StoreFetchResult) {
    makePlan = { result.plan }
  }

  /// What the store did, as far as it tells: that of a fetch. It was made with the fetch, and asks no store.
  public var plan: QueryPlan? { makePlan?() }

  /// The statements in one text, or what the plan says where the store told none; nil when nothing is known.
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
    /// It did what was asked.
    case success
    /// A commit wrote nothing, because so many records were changed by others or break a uniqueness constraint.
    case conflict(Int)
    /// It was cancelled.
    case cancelled
    /// It failed.
    case failure(PersistenceError)

    /// The outcome of an operation that threw an error.
    package init(_ error: any Error) {
      let error =
        error as? PersistenceError
        ?? PersistenceError(
          .persistentStoreOperation, "The store reported an error.", underlying: error)
      let isCancelled = error.code == .userCancelled || error.code == .migrationCancelled
      self = isCancelled ? .cancelled : .failure(error)
    }

    /// The word that metrics use: `success`, `conflict`, `cancelled`, or the name of the error's code.
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

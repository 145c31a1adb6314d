// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Keeps the operations that took longer than a threshold, with their statements and plans, and passes them to a
/// sink.
///
/// It keeps the newest ``capacity`` entries, with truncated texts, and passes on at most ``linesPerMinute``: a store
/// that is slow all day fills neither the memory nor a log. Omitted entries are counted.
///
/// ```swift
/// let slow = SlowQueryLog(threshold: .milliseconds(100)) { entry in print(entry) }
/// container.instrument(with: slow)
/// // later
/// for entry in slow.entries { print(entry.duration, entry.statement ?? entry.operation.detail) }
/// ```
public final class SlowQueryLog: StoreInstrument {
  /// The duration from which on an operation is slow.
  public let threshold: Duration
  /// The maximum number of kept entries.
  public let capacity: Int
  /// The maximum number of entries that are passed on per minute.
  public let linesPerMinute: Int

  private struct State {
    var entries: [Entry] = []
    /// The index of the next entry in the full ring buffer.
    var next = 0
    var slowCount = 0
    var minute: ContinuousClock.Instant?
    var linesOfMinute = 0
    var withheld = 0
  }

  private let state = Mutex(State())
  private let sink: (@Sendable (Entry) -> Void)?
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Makes a log.
  ///
  /// - Parameters:
  ///   - threshold: The duration from which on an operation is slow.
  ///   - capacity: The maximum number of kept entries.
  ///   - linesPerMinute: The maximum number of entries that are passed on per minute.
  ///   - sink: Receives entries, on the threads of the requests; it must not use the coordinator. nil to only keep
  ///     the entries.
  public convenience init(
    threshold: Duration = .milliseconds(100), capacity: Int = 100, linesPerMinute: Int = 60,
    sink: (@Sendable (Entry) -> Void)? = nil
  ) {
    self.init(
      threshold: threshold, capacity: capacity, linesPerMinute: linesPerMinute, sink: sink,
      now: { .now })
  }

  /// Makes a log with its own clock.
  package init(
    threshold: Duration, capacity: Int, linesPerMinute: Int, sink: (@Sendable (Entry) -> Void)?,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.threshold = threshold
    self.capacity = max(1, capacity)
    self.linesPerMinute = max(0, linesPerMinute)
    self.sink = sink
    self.now = now
  }

  /// `true`, because entries contain the statements.
  public var hearsStatements: Bool { true }

  /// The entries, the oldest first.
  public var entries: [Entry] {
    state.withLock { state in
      Array(state.entries[state.next...] + state.entries[..<state.next])
    }
  }

  /// The number of slow operations, including those that are not kept any more.
  public var slowCount: Int { state.withLock { $0.slowCount } }

  /// Removes all entries.
  public func removeAll() {
    state.withLock { state in
      state.entries = []
      state.next = 0
    }
  }

  /// Adds an entry if the operation was slow.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - result: How it ended.
  public func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
    guard result.duration >= threshold else { return }
    var entry = Entry(operation, result)
    let isHandedOn = state.withLock { state in
      state.slowCount += 1
      let isHandedOn = sink != nil && mayHandOn(&state)
      if isHandedOn {
        entry.withheld = state.withheld
        state.withheld = 0
      } else if sink != nil {
        state.withheld += 1
      }
      keep(entry, in: &state)
      return isHandedOn
    }
    if isHandedOn { sink?(entry) }
  }

  private func keep(_ entry: Entry, in state: inout State) {
    guard state.entries.count == capacity else { return state.entries.append(entry) }
    state.entries[state.next] = entry
    state.next = (state.next + 1) % capacity
  }

  private func mayHandOn(_ state: inout State) -> Bool {
    let now = now()
    if let minute = state.minute, minute.duration(to: now) < .seconds(60) {
      guard state.linesOfMinute < linesPerMinute else { return false }
    } else {
      state.minute = now
      state.linesOfMinute = 0
      guard linesPerMinute > 0 else { return false }
    }
    state.linesOfMinute += 1
    return true
  }
}

extension SlowQueryLog {
  /// A slow operation.
  ///
  /// ```swift
  /// print(entry)  // hr.sqlite: fetch of Person took 214 ms (1,200 rows): rows of Person, with a condition ...
  /// ```
  public struct Entry: Sendable, CustomStringConvertible {
    /// When it ended.
    public let date: Date
    /// The operation.
    public let operation: StoreOperation
    /// How long it took.
    public let duration: Duration
    /// How it ended.
    public let outcome: StoreOperationResult.Outcome
    /// How many rows it returned or wrote.
    public let rows: Int
    /// The size of the values in these rows in bytes; see ``StoreOperationResult/bytes``.
    public let bytes: Int
    /// The executed statements or scans, without values; nil where the store reports none.
    public let statement: String?
    /// The query plan, one line per step; nil where the store reports none.
    public let plan: String?
    /// The number of slow operations before this one that were not passed on, because of
    /// ``SlowQueryLog/linesPerMinute``.
    public internal(set) var withheld = 0

    /// The maximum length of a statement or a plan in characters.
    public static let textLimit = 4_000

    init(_ operation: StoreOperation, _ result: StoreOperationResult) {
      date = Date()
      self.operation = operation
      duration = result.duration
      outcome = result.outcome
      rows = result.rows
      bytes = result.bytes
      statement = result.statement.map(Self.shortened)
      plan = result.plan.map { Self.shortened($0.description) }
    }

    private static func shortened(_ text: String) -> String {
      text.count > textLimit ? text.prefix(textLimit) + "…" : text
    }

    private var milliseconds: Double {
      let parts = duration.components
      let tenths = Double(parts.seconds) * 10_000 + Double(parts.attoseconds) / 1e14
      return tenths.rounded() / 10
    }

    /// The entry as a log prints it: the operation, its context and call site, then the statement and the plan,
    /// indented by two spaces.
    public var description: String {
      var line = operation.storeName.isEmpty ? "" : "\(operation.storeName): "
      line += operation.kind.description
      if let name = operation.entityName { line += " of \(name)" }
      line += " took \(milliseconds) ms"
      line += outcome.isSuccess ? " (\(rows) rows)" : " (\(outcome))"
      if !operation.detail.isEmpty { line += ", " + operation.detail }
      if operation.isImplicit { line += ", for a fault or a relationship" }
      if let name = operation.contextName { line += ", context “\(name)”" }
      if let author = operation.author { line += ", author “\(author)”" }
      if let callSite = operation.callSite { line += ", at \(callSite)" }
      if withheld > 0 { line += "; \(withheld) more were slow before and are not listed" }
      if let statement { line += "\n  \(statement)" }
      if let plan { line += "\n  " + plan.split(separator: "\n").joined(separator: "\n  ") }
      return line
    }
  }
}

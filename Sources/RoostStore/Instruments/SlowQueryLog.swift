// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Keeps the operations that took longer than a threshold, with their statements and plans, and hands them on.
///
/// It keeps the newest ``capacity`` of them, with texts that are cut off, and hands no more than ``linesPerMinute`` on:
/// a store that is slow all day fills neither the memory nor a log. What was left out is counted.
///
/// ```swift
/// let slow = SlowQueryLog(threshold: .milliseconds(100)) { entry in print(entry) }
/// container.instrument(with: slow)
/// // later
/// for entry in slow.entries { print(entry.duration, entry.statement ?? entry.operation.detail) }
/// ```
public final class SlowQueryLog: StoreInstrument {
  /// From which duration on an operation is slow.
  public let threshold: Duration
  /// How many entries are kept.
  public let capacity: Int
  /// How many entries are handed on in a minute.
  public let linesPerMinute: Int

  private struct State {
    var entries: [Entry] = []
    /// Where the next entry goes once all places are taken.
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
  ///   - threshold: From which duration on an operation is slow.
  ///   - capacity: How many entries are kept.
  ///   - linesPerMinute: How many entries are handed on in a minute.
  ///   - sink: Receives entries, on the threads of the requests; it must not use the coordinator. nil to only keep
  ///     them.
  public convenience init(
    threshold: Duration = .milliseconds(100), capacity: Int = 100, linesPerMinute: Int = 60,
    sink: (@Sendable (Entry) -> Void)? = nil
  ) {
    self.init(
      threshold: threshold, capacity: capacity, linesPerMinute: linesPerMinute, sink: sink,
      now: { .now })
  }

  /// Makes a log with a clock of its own.
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

  /// `true`: entries have the statements.
  public var hearsStatements: Bool { true }

  /// The entries, the oldest first.
  public var entries: [Entry] {
    state.withLock { state in
      Array(state.entries[state.next...] + state.entries[..<state.next])
    }
  }

  /// How many operations were slow, those included that are not kept any more.
  public var slowCount: Int { state.withLock { $0.slowCount } }

  /// Forgets the entries.
  public func removeAll() {
    state.withLock { state in
      state.entries = []
      state.next = 0
    }
  }

  /// Looks whether an operation was slow.
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
    /// The statements or scans that ran, without values; nil where the store tells none.
    public let statement: String?
    /// What the store did, a line a step; nil where the store does not tell.
    public let plan: String?
    /// How many slow operations were not handed on before this one, because there were too many.
    public internal(set) var withheld = 0

    /// How many characters of a statement or a plan are kept.
    public static let textLimit = 4_000

    init(_ operation: StoreOperation, _ result: StoreOperationResult) {
      date = Date()
      self.operation = operation
      duration = result.duration
      outcome = result.outcome
      rows = result.rows
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

    /// The entry as a log prints it: what was asked by whom, then the statement and the plan, with two spaces before
    /// each line.
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
      if withheld > 0 { line += "; \(withheld) more were slow before and are not listed" }
      if let statement { line += "\n  \(statement)" }
      if let plan { line += "\n  " + plan.split(separator: "\n").joined(separator: "\n  ") }
      return line
    }
  }
}

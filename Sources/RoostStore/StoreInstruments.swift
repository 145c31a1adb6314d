// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The instruments of a coordinator, which observe the operations of all its stores. They can be added and removed at
/// any time, from any thread.
///
/// Without instruments, an operation costs one atomic load.
///
/// ```swift
/// let metrics = StoreMetrics()
/// coordinator.instruments.add(metrics)
/// // later
/// coordinator.instruments.remove(metrics)
/// ```
public final class StoreInstruments: Sendable {
  private struct State {
    var instruments: [any StoreInstrument] = []
    var log: LogInstrument?
  }

  private let state = Mutex(State())
  private let isUsed = Atomic<Bool>(false)
  private let isHearingStatements = Atomic<Bool>(false)

  /// Makes a list without instruments.
  public init() {}

  /// Adds an instrument, which observes the operations that begin from now on. Adding it twice has no effect.
  ///
  /// - Parameter instrument: The instrument, which is kept until it is removed.
  public func add(_ instrument: any StoreInstrument) {
    change { state in
      guard !state.instruments.contains(where: { $0 === instrument }) else { return }
      state.instruments.append(instrument)
    }
  }

  /// Removes an instrument. It is still notified of the end of operations that it saw begin.
  ///
  /// - Parameter instrument: The instrument; removing a missing one has no effect.
  public func remove(_ instrument: any StoreInstrument) {
    change { state in state.instruments.removeAll { $0 === instrument } }
  }

  /// Whether there is no instrument.
  public var isEmpty: Bool { !isOn }

  /// Passes the statements and remarks to a closure, replacing an earlier one; nil for none.
  package func setLog(_ sink: StoreLog.Sink?) {
    let log = sink.map(LogInstrument.init)
    change { state in
      if let old = state.log { state.instruments.removeAll { $0 === old } }
      state.log = log
      if let log { state.instruments.append(log) }
    }
  }

  /// Whether the lines are passed to a closure.
  package var hasLog: Bool { state.withLock { $0.log != nil } }

  /// Whether there is an instrument: the only check of an operation without instruments.
  @inline(__always) package var isOn: Bool { isUsed.load(ordering: .relaxed) }

  /// Whether any instrument receives the text of statements.
  package var hearsStatements: Bool { isHearingStatements.load(ordering: .relaxed) }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      isUsed.store(!state.instruments.isEmpty, ordering: .relaxed)
      isHearingStatements.store(
        state.instruments.contains { $0.hearsStatements }, ordering: .relaxed)
    }
  }

  private var all: [any StoreInstrument] { state.withLock { $0.instruments } }

  /// Receives a line of a store's log, for the running operation and for the instruments.
  func hear(_ line: StoreLogLine) {
    if line.kind == .statement { RunningOperation.current?.note(line.text) }
    for instrument in all where instrument.hearsStatements { instrument.storeNoted(line) }
  }

  /// Runs an operation, and notifies the instruments of its beginning and its end.
  ///
  /// - Parameters:
  ///   - operation: The operation; it becomes a part of the enclosing one.
  ///   - log: The log of its store, for the parts of its plan that are not statements.
  ///   - report: Completes the result from the returned value.
  ///   - body: The body of the operation.
  package func tell<Answer>(
    _ operation: StoreOperation, log: StoreLog? = nil,
    report: (Answer, inout StoreOperationResult) -> Void, _ body: () throws -> Answer
  ) rethrows -> Answer {
    let run = begin(operation)
    do {
      let answer = try RunningOperation.$current.withValue(run) { try body() }
      run.end(.success) { result in
        report(answer, &result)
        log?.remark(on: result)
      }
      return answer
    } catch {
      run.end(StoreOperationResult.Outcome(error))
      throw error
    }
  }

  /// Begins an operation, which ``RunningOperation/end(_:_:)`` ends.
  package func begin(_ operation: StoreOperation) -> RunningOperation {
    var operation = operation
    operation.parent = operation.parent ?? RunningOperation.current?.operation.id
    return RunningOperation(operation, hearers: all)
  }
}

extension StoreLog {
  /// Logs the parts of a plan that were not logged as statements: indexes and in-memory steps, and all steps of a
  /// store that logs no statements.
  fileprivate func remark(on result: StoreOperationResult) {
    guard isOn, let plan = result.plan else { return }
    let rest = QueryPlan(
      steps: result.statementCount == 0 ? plan.steps : [], indexes: plan.indexes,
      inMemory: plan.inMemory)
    let text = rest.description
    if !text.isEmpty { remark(text) }
  }
}

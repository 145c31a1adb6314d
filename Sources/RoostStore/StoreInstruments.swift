// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The instruments of a coordinator, which are told of the operations of all its stores. They can be added and removed
/// at any time, from any thread.
///
/// While there is none, an operation costs one look at that, and nothing else.
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

  /// Adds an instrument: it is told of the operations that begin from now on. One that is there already stays as it is.
  ///
  /// - Parameter instrument: The instrument, which is kept until it is removed.
  public func add(_ instrument: any StoreInstrument) {
    change { state in
      guard !state.instruments.contains(where: { $0 === instrument }) else { return }
      state.instruments.append(instrument)
    }
  }

  /// Removes an instrument. It is still told how the operations end that it was told the beginning of.
  ///
  /// - Parameter instrument: The instrument; one that is not there does no harm.
  public func remove(_ instrument: any StoreInstrument) {
    change { state in state.instruments.removeAll { $0 === instrument } }
  }

  /// Whether nobody listens.
  public var isEmpty: Bool { !isOn }

  /// Shows the statements and remarks to a closure, instead of the one before; nil for none.
  package func setLog(_ sink: StoreLog.Sink?) {
    let log = sink.map(LogInstrument.init)
    change { state in
      if let old = state.log { state.instruments.removeAll { $0 === old } }
      state.log = log
      if let log { state.instruments.append(log) }
    }
  }

  /// Whether the lines are shown to a closure.
  package var hasLog: Bool { state.withLock { $0.log != nil } }

  /// Whether anybody listens: all that an operation looks at while nobody does.
  @inline(__always) package var isOn: Bool { isUsed.load(ordering: .relaxed) }

  /// Whether anybody wants the text of statements.
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

  /// Takes a line of a store's log: for the operation that is under way, and for who hears it at once.
  func hear(_ line: StoreLogLine) {
    if line.kind == .statement { RunningOperation.current?.note(line.text) }
    for instrument in all where instrument.hearsStatements { instrument.storeNoted(line) }
  }

  /// Runs an operation, and tells the instruments of its beginning and its end.
  ///
  /// - Parameters:
  ///   - operation: The operation; it becomes a part of the one that runs around it.
  ///   - log: The log of its store, for what its plan has to add to the statements.
  ///   - report: Completes the result with what the answer says.
  ///   - body: What is done.
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

  /// Begins an operation that is ended by ``RunningOperation/end(_:_:)``.
  package func begin(_ operation: StoreOperation) -> RunningOperation {
    var operation = operation
    operation.parent = operation.parent ?? RunningOperation.current?.operation.id
    return RunningOperation(operation, hearers: all)
  }
}

extension StoreLog {
  /// Shows what a plan has to add to the statements that were shown while they ran: indexes, and what is left for
  /// memory; the steps, too, of a store that tells no statements.
  fileprivate func remark(on result: StoreOperationResult) {
    guard isOn, let plan = result.plan else { return }
    let rest = QueryPlan(
      steps: result.statementCount == 0 ? plan.steps : [], indexes: plan.indexes,
      inMemory: plan.inMemory)
    let text = rest.description
    if !text.isEmpty { remark(text) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Turns the progress reports of a migration into operations: a step ends when the next one begins.
final class MigrationSteps: Sendable {
  private struct State {
    var step = 0
    var running: RunningOperation?
    var completed: Int64 = 0
  }

  private let log: StoreLog
  private let instruments: StoreInstruments
  private let storeType: String
  private let state = Mutex(State())

  init(log: StoreLog, instruments: StoreInstruments, description: PersistentStoreDescription) {
    self.log = log
    self.instruments = instruments
    storeType = description.type.rawValue
  }

  /// Receives a progress report.
  func receive(_ report: MigrationProgress) {
    let isNext = state.withLock { $0.step != report.step }
    if isNext {
      end(.success)
      let running = instruments.begin(
        StoreOperation(
          .migrationStep, storeName: log.storeName, storeType: storeType, detail: report.title))
      state.withLock { state in
        state.step = report.step
        state.running = running
      }
    }
    state.withLock { $0.completed = report.completed }
  }

  /// Ends the step that is under way.
  func end(_ outcome: StoreOperationResult.Outcome) {
    let (running, completed) = state.withLock { state in
      defer {
        state.running = nil
        state.completed = 0
      }
      return (state.running, state.completed)
    }
    running?.end(outcome) { $0.rows = Int(clamping: completed) }
  }
}

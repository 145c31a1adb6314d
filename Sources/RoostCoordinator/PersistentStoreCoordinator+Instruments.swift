// SPDX-License-Identifier: Apache-2.0

public import RoostStore

extension PersistentStoreCoordinator {
  /// Shows the statements and plans of all stores, of those that are added later too: an instrument that takes the
  /// place of the one that was set here before.
  ///
  /// A statement is shown when it runs. What its plan adds, as indexes and what is left for memory, is shown after it
  /// as a remark.
  ///
  /// ```swift
  /// coordinator.setLog { line in print(line) }  // [hr.sqlite] SELECT ...
  /// ```
  ///
  /// - Parameter sink: Receives the lines, on the threads of the requests; it must not use the coordinator. nil ends
  ///   it.
  public func setLog(_ sink: StoreLog.Sink?) {
    instruments.setLog(sink)
  }
}

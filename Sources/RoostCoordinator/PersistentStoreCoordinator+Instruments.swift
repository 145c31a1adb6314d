// SPDX-License-Identifier: Apache-2.0

public import RoostStore

extension PersistentStoreCoordinator {
  /// Logs the statements and plans of all stores, including those added later. The log is an instrument, which
  /// replaces the one set here before.
  ///
  /// A statement is logged when it runs. Details from its plan, such as indexes and work left for memory, are logged
  /// after it as a remark.
  ///
  /// ```swift
  /// coordinator.setLog { line in print(line) }  // [hr.sqlite] SELECT ...
  /// ```
  ///
  /// - Parameter sink: Receives the lines, on the threads of the requests; it must not use the coordinator. nil turns
  ///   the log off.
  public func setLog(_ sink: StoreLog.Sink?) {
    instruments.setLog(sink)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// An observer of store operations, to which logs, metrics and traces are attached.
///
/// An instrument is added to a coordinator's ``StoreInstruments``. It is called on the threads of the requests,
/// concurrently and while a store waits: it must return quickly and must not use the coordinator or a context. Each
/// operation that begins also ends, even when it fails; nested operations begin and end in between.
///
/// ```swift
/// final class Printer: StoreInstrument {
///   func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
///     print(operation.storeName, operation.kind, result.rows, result.duration, result.outcome)
///   }
/// }
/// coordinator.instruments.add(Printer())
/// ```
public protocol StoreInstrument: AnyObject, Sendable {
  /// Whether it receives the text of statements, in ``StoreOperationResult/statements`` and ``storeNoted(_:)``;
  /// constant. `false` by default: then statements are only counted.
  var hearsStatements: Bool { get }

  /// Called when an operation begins. The default does nothing.
  ///
  /// - Parameter operation: The operation.
  func operationBegan(_ operation: StoreOperation)

  /// Called when an operation has ended. The default does nothing.
  ///
  /// - Parameters:
  ///   - operation: The operation, as it was when it began.
  ///   - result: How it ended.
  func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult)

  /// Called for each statement and remark while an operation runs. The default does nothing.
  ///
  /// - Parameter line: The statement or remark, without stored values.
  func storeNoted(_ line: StoreLogLine)
}

extension StoreInstrument {
  /// `false`.
  public var hearsStatements: Bool { false }

  /// Does nothing.
  public func operationBegan(_ operation: StoreOperation) {}

  /// Does nothing.
  public func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {}

  /// Does nothing.
  public func storeNoted(_ line: StoreLogLine) {}
}

/// An instrument that passes log lines to a closure, for `setLog`.
final class LogInstrument: StoreInstrument {
  private let sink: StoreLog.Sink

  init(_ sink: @escaping StoreLog.Sink) {
    self.sink = sink
  }

  var hearsStatements: Bool { true }

  func storeNoted(_ line: StoreLogLine) { sink(line) }
}

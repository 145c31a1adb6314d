// SPDX-License-Identifier: Apache-2.0

/// Is told when operations of stores begin and end: the one place where logs, metrics and traces are attached.
///
/// An instrument is added to a coordinator's ``StoreInstruments``. It is called on the threads of the requests, many at
/// a time, and while a store waits: it must be quick and must not use the coordinator or a context. Each operation that
/// begins ends, also when it fails; its parts begin and end between.
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
  /// Whether it wants the text of statements, in ``StoreOperationResult/statements`` and ``storeNoted(_:)``; it does
  /// not change. `false` unless it is implemented: then statements are only counted.
  var hearsStatements: Bool { get }

  /// Tells that an operation begins. Does nothing unless it is implemented.
  ///
  /// - Parameter operation: The operation.
  func operationBegan(_ operation: StoreOperation)

  /// Tells that an operation ended. Does nothing unless it is implemented.
  ///
  /// - Parameters:
  ///   - operation: The operation, as it was when it began.
  ///   - result: How it ended.
  func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult)

  /// Tells what a store does while it does it: each statement, and remarks. Does nothing unless it is implemented.
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

/// Hands the lines of stores to a closure: what `setLog` attaches.
final class LogInstrument: StoreInstrument {
  private let sink: StoreLog.Sink

  init(_ sink: @escaping StoreLog.Sink) {
    self.sink = sink
  }

  var hearsStatements: Bool { true }

  func storeNoted(_ line: StoreLogLine) { sink(line) }
}

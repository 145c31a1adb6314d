// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The log of a store's statements and scans: always counted, and passed to a listener while there is one.
///
/// The coordinator gives each store a log when it is opened, in ``PersistentStoreDescription/log``. A statement's
/// text is made only for a listener; without one, a statement costs one atomic addition.
///
/// ```swift
/// description.log?.statement(sql)            // in a backend
/// coordinator.setLog { line in print(line) } // in a program
/// ```
public final class StoreLog: Sendable {
  /// Receives log lines, on the thread of the request; it must not use the coordinator.
  public typealias Sink = @Sendable (StoreLogLine) -> Void

  /// The store name in the lines.
  package let storeName: String
  private let isListening = Atomic<Bool>(false)
  private let statementCount = Atomic<Int>(0)
  private let sink = Mutex<Sink?>(nil)
  /// The instruments of the coordinator, which receive all lines; nil for a log without a coordinator.
  package let instruments: StoreInstruments?

  /// Makes a log without a listener.
  ///
  /// - Parameter storeName: The store name in the lines.
  public init(storeName: String = "") {
    self.storeName = storeName
    instruments = nil
  }

  /// Makes a log whose lines are passed to instruments.
  package init(storeName: String, instruments: StoreInstruments?) {
    self.storeName = storeName
    self.instruments = instruments
  }

  /// Whether there is a listener, so that a backend can skip costly preparations of a line.
  public var isOn: Bool {
    isListening.load(ordering: .relaxed) || instruments?.hearsStatements ?? false
  }

  /// Whether a listener reads all lines, rather than only the statements.
  package var isRead: Bool {
    isListening.load(ordering: .relaxed) || instruments?.hasLog ?? false
  }

  /// The number of statements and scans since the log was made.
  public var statements: Int { statementCount.load(ordering: .relaxed) }

  /// Begins or ends listening.
  ///
  /// - Parameter sink: Receives the lines; nil ends listening.
  public func listen(_ sink: Sink?) {
    self.sink.withLock { $0 = sink }
    isListening.store(sink != nil, ordering: .relaxed)
  }

  /// Counts one statement or scan, and passes it to a listener.
  ///
  /// - Parameter text: The statement without its bound values, which are user data.
  public func statement(_ text: @autoclosure () -> String) {
    statementCount.wrappingAdd(1, ordering: .relaxed)
    guard isOn else { return }
    emit(StoreLogLine(store: storeName, kind: .statement, text: text()))
  }

  /// Passes a remark, such as the plan of a request, to a listener.
  ///
  /// - Parameter text: The remark, without stored values.
  public func remark(_ text: @autoclosure () -> String) {
    guard isOn else { return }
    emit(StoreLogLine(store: storeName, kind: .remark, text: text()))
  }

  private func emit(_ line: StoreLogLine) {
    let listener = sink.withLock { $0 }
    listener?(line)
    instruments?.hear(line)
  }
}

/// One line of a ``StoreLog``.
///
/// ```swift
/// coordinator.setLog { line in print(line.store, line.text) }
/// ```
public struct StoreLogLine: Sendable, CustomStringConvertible {
  /// The store's name: the last part of its URL, or its UUID.
  public var store: String
  /// The kind of line.
  public var kind: Kind
  /// The text, without stored values.
  public var text: String

  /// Makes a line.
  public init(store: String, kind: Kind, text: String) {
    self.store = store
    self.kind = kind
    self.text = text
  }

  /// The kind of a log line.
  ///
  /// ```swift
  /// let statements = lines.filter { $0.kind == .statement }
  /// ```
  public enum Kind: Sendable, Hashable {
    /// A statement or scan that runs in the store.
    case statement
    /// Anything else, such as the plan of a request.
    case remark
  }

  /// The line as a log prints it: `[hr.sqlite] SELECT ...`.
  public var description: String { "[\(store)] \(text)" }
}

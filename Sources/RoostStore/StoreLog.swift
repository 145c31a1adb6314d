// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where a store tells what it does: statements and scans are always counted, and shown while there is a listener.
///
/// The coordinator gives each store a log when it is opened, in ``PersistentStoreDescription/log``. A statement's text
/// is only made when it is wanted, so a log that nobody reads costs one atomic addition.
///
/// ```swift
/// description.log?.statement(sql)            // in a backend
/// coordinator.setLog { line in print(line) } // in a program
/// ```
public final class StoreLog: Sendable {
  /// Receives what stores do. Called on the thread of the request; it must not use the coordinator.
  public typealias Sink = @Sendable (StoreLogLine) -> Void

  /// What the lines name as their store.
  package let storeName: String
  private let isListening = Atomic<Bool>(false)
  private let statementCount = Atomic<Int>(0)
  private let sink = Mutex<Sink?>(nil)
  /// Those of the coordinator, which hear all lines; nil for a log of no coordinator.
  package let instruments: StoreInstruments?

  /// Makes a log that nobody listens to.
  ///
  /// - Parameter storeName: What the lines name as their store.
  public init(storeName: String = "") {
    self.storeName = storeName
    instruments = nil
  }

  /// Makes a log whose lines instruments hear.
  package init(storeName: String, instruments: StoreInstruments?) {
    self.storeName = storeName
    self.instruments = instruments
  }

  /// Whether there is a listener, so that a backend can leave out costly preparations of a line.
  public var isOn: Bool {
    isListening.load(ordering: .relaxed) || instruments?.hearsStatements ?? false
  }

  /// Whether a listener reads the lines, and does not only look for statements in them.
  package var isRead: Bool {
    isListening.load(ordering: .relaxed) || instruments?.hasLog ?? false
  }

  /// The number of statements and scans since the log was made.
  public var statements: Int { statementCount.load(ordering: .relaxed) }

  /// Begins or ends listening.
  ///
  /// - Parameter sink: What receives the lines; nil for nobody.
  public func listen(_ sink: Sink?) {
    self.sink.withLock { $0 = sink }
    isListening.store(sink != nil, ordering: .relaxed)
  }

  /// Counts one statement or scan, and shows it to a listener.
  ///
  /// - Parameter text: The statement without the values that are bound to it: they are the users' data.
  public func statement(_ text: @autoclosure () -> String) {
    statementCount.wrappingAdd(1, ordering: .relaxed)
    guard isOn else { return }
    emit(StoreLogLine(store: storeName, kind: .statement, text: text()))
  }

  /// Shows a remark, as the plan of a request, to a listener.
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
  /// What the line is about.
  public var kind: Kind
  /// The text, without stored values.
  public var text: String

  /// Makes a line.
  public init(store: String, kind: Kind, text: String) {
    self.store = store
    self.kind = kind
    self.text = text
  }

  /// What a line is about.
  ///
  /// ```swift
  /// let statements = lines.filter { $0.kind == .statement }
  /// ```
  public enum Kind: Sendable, Hashable {
    /// A statement or scan that runs in the store.
    case statement
    /// Anything else, as the plan of a request.
    case remark
  }

  /// The line as a log prints it: `[hr.sqlite] SELECT ...`.
  public var description: String { "[\(store)] \(text)" }
}

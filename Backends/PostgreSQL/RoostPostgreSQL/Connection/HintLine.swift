// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostStore
import Synchronization

/// How one open store tells other programs that it has written, and hears it from them: by NOTIFY and LISTEN.
///
/// NOTIFY never goes out within a save's transaction: its commit takes a lock of the whole database, so saves would
/// wait for each other. It goes out after the commit, and one stands for all commits of a moment. It names nothing but
/// the history, because every role of the database sees it.
///
/// LISTEN has a connection of its own, outside of the pool, which is there only while hints are wanted. A
/// connection that is lost is made again, and then it is looked whatever was said meanwhile.
final class HintLine: @unchecked Sendable {
  // Sendable: what changes is used on the queue alone, but for what is behind `state`.

  private let pool: ConnectionPool
  /// Whether writes are told although no history is kept.
  private let isAnnounced: Bool
  private let queue = DispatchQueue(label: "roost.postgresql-hints", qos: .utility)
  private let pace: HintPace
  private let namespace: PostgreSQLNamespace
  private let receivers = StoreHintReceivers()
  private let state = Mutex(State())
  /// The connection that listens, and what waits for its socket.
  private var listener: Listener?
  /// How often in a row no connection could be made.
  private var failures = 0
  /// Whether the server has refused to let anybody listen, as a replica does.
  private var isRefused = false

  private struct State {
    /// Whether a NOTIFY is planned, and whether it can name a history.
    var isPlanned = false
    var hasHistory = false
    var isClosed = false
  }

  private struct Listener: @unchecked Sendable {
    // Sendable: used on the queue alone.
    let connection: PostgreSQLConnection
    let source: any DispatchSourceRead
  }

  init(_ pool: ConnectionPool, _ description: PersistentStoreDescription) {
    self.pool = pool
    isAnnounced = (try? description.isOn(StoreOption.remoteChangeNotification)) == true
    let settings = pool.settings
    namespace = settings.namespace
    pace = HintPace.shared(
      "\(settings.host) \(settings.hostAddress) \(settings.port ?? 0) \(settings.database) "
        + settings.schema)
  }

  deinit {
    listener?.source.cancel()
  }

  /// Whether the server lets nobody listen, for tests.
  var isWithoutListeners: Bool { queue.sync { isRefused } }

  /// Ends everything: what is planned is said first.
  func close() {
    let isPlanned = state.withLock { state in
      defer { (state.isClosed, state.isPlanned) = (true, false) }
      return state.isPlanned && !state.isClosed
    }
    if isPlanned { notifyByPool() }
    queue.async { self.stopListening() }
  }
}

// MARK: - Telling

extension HintLine {
  /// Notes that the store was written: others are told soon, and elsewhere, where they may want to know at once. In a
  /// store without a history whose writes are not announced it would be a transaction more for nobody.
  func noteCommit(keepsHistory: Bool) {
    guard keepsHistory || isAnnounced else { return }
    let isNew = state.withLock { state in
      guard !state.isPlanned, !state.isClosed else { return false }
      (state.isPlanned, state.hasHistory) = (true, keepsHistory)
      return true
    }
    if isNew { queue.asyncAfter(deadline: pace.nextTime()) { self.notify() } }
  }

  private func notify() {
    let isWanted = state.withLock { state in
      defer { state.isPlanned = false }
      return state.isPlanned
    }
    guard isWanted else { return }
    guard let listener else { return notifyByPool() }
    do {
      // What the own connection says is not heard by the own receivers.
      try listener.connection.run(notification)
      takeNotifications()
    } catch {
      reconnect()
    }
  }

  /// Who cannot be told now finds it by looking.
  private func notifyByPool() {
    _ = try? pool.withConnection(deadline: Deadline(after: min(pool.timeout, 1))) {
      try $0.run(notification)
    }
  }

  private var notification: PostgreSQLCommand {
    let epoch =
      state.withLock { $0.hasHistory }
      ? "(SELECT CAST(epoch AS text) FROM \(namespace.historyStateTable))" : "''"
    return .once("SELECT pg_catalog.pg_notify('\(namespace.hintChannel)', \(epoch))")
  }
}

// MARK: - Hearing

extension HintLine: StoreChangeHints {
  func subscribe(
    _ receive: @escaping @Sendable (StoreChangeHint) -> Void
  ) -> StoreHintSubscription {
    let subscription = receivers.subscribe(receive)
    queue.async { self.listen() }
    return StoreHintSubscription { [self] in
      subscription.cancel()
      queue.async { if self.receivers.count == 0 { self.stopListening() } }
    }
  }

  private func listen() {
    guard listener == nil, !isRefused, receivers.count > 0, !state.withLock({ $0.isClosed }) else {
      return
    }
    do {
      let (connection, _) = try PostgreSQLConnection.open(
        pool.settings, timeout: pool.timeout, deadline: Deadline(after: min(pool.timeout, 10)),
        isReadOnly: true, comparesSessions: false
      ) { _ in [] }
      try connection.run(.once("LISTEN \(namespace.hintChannel)"))
      // libpq closes its socket when it is lost; the system must not be asked for one that is closed, or is another.
      let socket = fcntl(PQsocket(connection.handle), F_DUPFD_CLOEXEC, 0)
      guard socket >= 0 else { throw connection.lossError() }
      let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      source.setEventHandler { [weak self] in self?.takeNotifications() }
      source.setCancelHandler { Foundation.close(socket) }
      let made = Listener(connection: connection, source: source)
      source.activate()
      listener = made
      // What was said while nobody listened is not known.
      if failures > 0 { receivers.send(.written) }
      failures = 0
    } catch let error as PostgreSQLError where error.refusesWriting {
      // A replica lets nobody listen.
      isRefused = true
    } catch {
      failures += 1
      let delay = min(0.25 * Double(1 << min(failures - 1, 7)), 30) * .random(in: 0.75...1.25)
      queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.listen() }
    }
  }

  /// Takes in what the server says.
  private func takeNotifications() {
    guard let listener else { return }
    let handle = listener.connection.handle
    // The end of a connection comes with its last words, and no event of its own.
    repeat {
      guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
        return reconnect()
      }
    } while SocketWait.isReadable(PQsocket(handle))
    var isToldByOthers = false
    while let notification = PQnotifies(handle) {
      if notification.pointee.be_pid != listener.connection.backend { isToldByOthers = true }
      PQfreemem(notification)
    }
    if isToldByOthers { receivers.send(.written) }
  }

  private func reconnect() {
    stopListening()
    failures = max(failures, 1)
    queue.asyncAfter(deadline: .now() + .random(in: 0.1...0.3)) { [weak self] in self?.listen() }
  }

  private func stopListening() {
    listener?.source.cancel()
    listener = nil
  }
}

extension PostgreSQLNamespace {
  /// What its programs tell each other on: a name that can be a schema's of any length and letters.
  var hintChannel: String {
    let hash = schema.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return "roost_" + String(hash, radix: 16)
  }
}

/// How often a process tells of one store's writes, however many times it has the store open.
final class HintPace: Sendable {
  /// How much time lies between two of them, in milliseconds.
  static let pause = 10

  private static let all = Mutex<[String: HintPace]>([:])

  private let next = Mutex(DispatchTime(uptimeNanoseconds: 0))

  /// That of a store.
  static func shared(_ place: String) -> HintPace {
    all.withLock { all in
      let pace = all[place] ?? HintPace()
      all[place] = pace
      return pace
    }
  }

  /// When the next one may go out; that time is taken then.
  func nextTime() -> DispatchTime {
    next.withLock { next in
      let time = max(.now(), next)
      next = time + .milliseconds(Self.pause)
      return time
    }
  }
}

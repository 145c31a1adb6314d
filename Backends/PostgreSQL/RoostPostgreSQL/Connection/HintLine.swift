// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostStore
import Synchronization

/// Sends and receives notifications of writes to one open store, by NOTIFY and LISTEN.
///
/// NOTIFY never runs within a save's transaction: its commit takes a lock of the whole database, so saves would wait
/// for each other. It runs after the commit, and one notification stands for all commits of a short interval. Its
/// payload names nothing but the history, because every role of the database can read it.
///
/// LISTEN has a connection of its own, outside of the pool, which exists only while there are subscribers. A lost
/// connection is opened again, and the subscribers then receive a hint, because notifications may have been missed. A
/// replica refuses LISTEN; it is asked again from time to time, because it may have been promoted.
final class HintLine: @unchecked Sendable {
  // Sendable: mutable state is used on the queue alone, except for the values behind `state`.

  private let pool: ConnectionPool
  /// Whether writes are announced although no history is kept.
  private let isAnnounced: Bool
  private let queue = DispatchQueue(label: "roost.postgresql-hints", qos: .utility)
  private let pace: HintPace
  private let namespace: PostgreSQLNamespace
  private let receivers = StoreHintReceivers()
  private let state = Mutex(State())
  /// The connection that listens, and the dispatch source of its socket.
  private var listener: Listener?
  /// The time of the next attempt after one that failed.
  private var nextTry: DispatchTime?
  /// The number of consecutive failures to connect.
  private var failures = 0
  /// Whether the server has refused LISTEN, as a replica does until it is promoted.
  private var isRefused = false
  /// The time after which a server that has refused LISTEN is asked again, in seconds.
  private let secondsAfterRefusal: Double

  private struct State {
    /// Whether a NOTIFY is scheduled, and whether it can name a history.
    var isPlanned = false
    var hasHistory = false
    var isClosed = false
  }

  private struct Listener: @unchecked Sendable {
    // Sendable: used on the queue alone.
    let connection: PostgreSQLConnection
    let source: any DispatchSourceRead
  }

  init(
    _ pool: ConnectionPool, _ description: PersistentStoreDescription,
    secondsAfterRefusal: Double = 15
  ) {
    self.pool = pool
    self.secondsAfterRefusal = secondsAfterRefusal
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

  /// Whether the server has refused LISTEN when it was last asked, for tests.
  var isWithoutListeners: Bool { queue.sync { isRefused } }

  /// The minimum time between two notifications of the store by this process; tests set another one.
  var millisecondsBetweenNotifications: Int {
    get { pace.pause }
    set { pace.pause = newValue }
  }

  /// Stops sending and receiving; a scheduled notification is sent first.
  func close() {
    let isPlanned = state.withLock { state in
      defer { (state.isClosed, state.isPlanned) = (true, false) }
      return state.isPlanned && !state.isClosed
    }
    if isPlanned { notifyByPool() }
    queue.async { self.stopListening() }
  }
}

// MARK: - Sending

extension HintLine {
  /// Schedules a notification of a write on the line's queue, so that the caller does not wait for it. A store without
  /// a history whose writes are not announced sends none: it would be a transaction without a receiver.
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
      // The receivers of this store ignore the notifications of this connection.
      try listener.connection.run(notification)
      takeNotifications()
    } catch {
      reconnect()
    }
  }

  /// Sends the notification on a connection of the pool. A failure is ignored: the other processes find the write when
  /// they next look.
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

// MARK: - Receiving

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
    guard listener == nil, receivers.count > 0, !state.withLock({ $0.isClosed }) else { return }
    do {
      let (connection, _) = try PostgreSQLConnection.open(
        pool.settings, timeout: pool.timeout, deadline: Deadline(after: min(pool.timeout, 10)),
        isReadOnly: true, comparesSessions: false
      ) { _ in [] }
      try connection.run(.once("LISTEN \(namespace.hintChannel)"))
      // libpq closes its socket when the connection is lost; the dispatch source must not watch a closed or reused
      // descriptor.
      let socket = fcntl(PQsocket(connection.handle), F_DUPFD_CLOEXEC, 0)
      guard socket >= 0 else { throw connection.lossError() }
      let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      source.setEventHandler { [weak self] in self?.takeNotifications() }
      source.setCancelHandler { Foundation.close(socket) }
      let made = Listener(connection: connection, source: source)
      source.activate()
      listener = made
      // Notifications that were sent while this did not listen are lost, so the receivers are told to look.
      if failures > 0 || isRefused { receivers.send(.written) }
      failures = 0
      isRefused = false
    } catch let error as PostgreSQLError where error.refusesWriting {
      // A replica refuses LISTEN. It may be promoted, and is asked again.
      isRefused = true
      listenLater(secondsAfterRefusal)
    } catch {
      failures += 1
      let delay = min(0.25 * Double(1 << min(failures - 1, 7)), 30) * .random(in: 0.75...1.25)
      listenLater(delay)
    }
  }

  /// Tries to listen after a number of seconds.
  private func listenLater(_ delay: Double) {
    let time = DispatchTime.now() + delay
    nextTry = time
    queue.asyncAfter(deadline: time) { [weak self] in
      // Another attempt may have failed meanwhile, after which a later one follows.
      guard let self, nextTry == time else { return }
      listen()
    }
  }

  /// Reads the notifications that the server has sent.
  private func takeNotifications() {
    guard let listener else { return }
    let handle = listener.connection.handle
    // The end of a connection arrives with its last data, and has no event of its own.
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
    listenLater(.random(in: 0.1...0.3))
  }

  private func stopListening() {
    listener?.source.cancel()
    listener = nil
  }
}

extension PostgreSQLNamespace {
  /// The channel of the store's notifications: a hash, since a schema's name may be of any length and characters.
  var hintChannel: String {
    let hash = schema.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return "roost_" + String(hash, radix: 16)
  }
}

/// Limits how often a process announces writes of one store, however many times it has the store open.
final class HintPace: Sendable {
  /// The usual minimum time between two notifications, in milliseconds.
  static let pause = 10

  /// The minimum time between two notifications of the store, in milliseconds.
  var pause: Int {
    get { milliseconds.load(ordering: .relaxed) }
    set { milliseconds.store(newValue, ordering: .relaxed) }
  }

  private let milliseconds = Atomic<Int>(HintPace.pause)

  private static let all = Mutex<[String: HintPace]>([:])

  private let next = Mutex(DispatchTime(uptimeNanoseconds: 0))

  /// Returns the pace of a store.
  static func shared(_ place: String) -> HintPace {
    all.withLock { all in
      let pace = all[place] ?? HintPace()
      all[place] = pace
      return pace
    }
  }

  /// Returns the time at which the next notification may be sent, and reserves it.
  func nextTime() -> DispatchTime {
    next.withLock { next in
      let time = max(.now(), next)
      next = time + .milliseconds(pause)
      return time
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The ability of a store to take part in an atomic save over several stores (two-phase commit).
///
/// One of the stores is the decider: it commits its own part together with a record of the decision, and that commit
/// is the commit of the save. The other stores prepare their parts before it, durably but invisibly, and finish them
/// afterwards. A coordinator that finds an unfinished part asks the decider.
///
/// A decider decides only for registered coordinators. A recovering coordinator that asks for a decision and finds
/// none removes the registration: the save can never be decided after that, however slow its coordinator is, so it
/// counts as aborted without a permanent record (presumed abort). The coordinator registers again, and saves under
/// another number.
///
/// The required tables are created on first use: a store that takes part in no such save keeps its format.
///
/// ```swift
/// guard case .prepared = try file.preparation?.prepare(part, for: ticket) else { return }
/// let decision = try server.preparation?.decide(rest, for: ticket, forgetting: [])
/// guard case .committed = decision else { return }
/// let receipt = try file.preparation?.finish(ticket.id, committing: true)
/// ```
public protocol StorePreparation: Sendable {
  /// Prepares a change set, so that it can be committed whatever happens: it is validated like a commit, and stored
  /// durably but invisibly. Until it is finished, any conflicting write of this or another process throws
  /// `saveInDoubt`.
  ///
  /// - Parameters:
  ///   - changes: The store's part of the save.
  ///   - save: The save.
  /// - Returns: Whether it is prepared, or the conflicts because of which it is not.
  /// - Throws: `saveInDoubt` when it overlaps with another prepared part, `limitExceeded` for more than
  ///   ``PreparedChanges/largestCount`` bytes, or the errors of `commit`; nothing is prepared then. After
  ///   `commitOutcomeUnknown` it may be prepared.
  /// - Complexity: One transaction.
  func prepare(_ changes: StoreChangeSet, for save: SaveTicket) throws -> PreparationOutcome

  /// Finishes a prepared part: commits or discards it. Idempotent, and durable when it returns, also where another
  /// process has finished the part: the decision on the save may be forgotten then.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - committing: Whether the part is committed or discarded.
  /// - Returns: The receipt of the commit; nil when it is discarded, or when nothing is prepared for the save.
  /// - Throws: `corruptStore` when the prepared part is damaged or its records were changed since, and the errors of
  ///   `commit`. The part stays prepared then.
  /// - Complexity: One transaction.
  func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt?

  /// Commits the decider's own part and the decision on the save in one transaction.
  ///
  /// - Parameters:
  ///   - changes: The decider's part.
  ///   - save: The save. Without participants no decision is recorded.
  ///   - acknowledged: Decisions of earlier saves that participants have acknowledged meanwhile.
  /// - Returns: The outcome. Only ``DecisionOutcome/committed(_:)`` means that anything was written.
  /// - Throws: The errors of `commit`, including `commitOutcomeUnknown`.
  /// - Complexity: One transaction.
  func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome

  /// Whether prepared parts survive the process. Those of an in-memory store do not, and decisions do not wait for
  /// them.
  var keepsParts: Bool { get }

  /// Returns whether the store can prepare a part now; a store that cannot may still decide. A server may be
  /// configured without prepared transactions.
  ///
  /// - Throws: The errors of a read.
  /// - Complexity: One round trip for the first call.
  func canPrepare() throws -> Bool

  /// Throws an error that explains why the store cannot prepare a part, unless it can.
  ///
  /// - Throws: `persistentStoreSave` with the required configuration when ``canPrepare()`` is false.
  /// - Complexity: As ``canPrepare()``.
  func requirePreparing() throws

  /// Returns the identifier of the store's transaction domain: stores of the same domain can be written by one
  /// transaction, without a preparation. Nil for a store that shares no transactions.
  ///
  /// - Throws: The errors of a read.
  /// - Complexity: One round trip.
  func transactionDomain() throws -> String?

  /// Decides like ``decide(_:for:forgetting:)``, and writes the parts of other stores of the same
  /// ``transactionDomain()`` in the same transaction.
  ///
  /// - Parameters:
  ///   - changes: The decider's part.
  ///   - companions: The parts of the other stores.
  ///   - save: The save; the other stores are not among its participants.
  ///   - acknowledged: Decisions of earlier saves that participants have acknowledged meanwhile.
  /// - Returns: How it ended.
  /// - Throws: `invalidRequest` for a store of another domain, and the errors of `commit`.
  /// - Complexity: One transaction.
  func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome

  /// Returns the decision on a save.
  ///
  /// Aborting and deciding a save exclude each other: a store with concurrent transactions removes the registration
  /// first and looks for the decision then, and ``decide(_:for:forgetting:)`` keeps the registration locked until it
  /// has committed.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - participant: The identifier of the store that holds a part of it.
  ///   - aborting: Whether an undecided save is aborted now: its coordinator's registration is removed, and the store
  ///     remembers for a time that the save was aborted. Otherwise such a save is ``Decision/none``. The registration
  ///     is also removed where the result is ``Decision/forgotten``: then only a human may decide.
  /// - Throws: The errors of a read, and with `aborting` those of `commit`.
  /// - Complexity: One transaction.
  func decision(on save: SaveTicket, for participant: String, aborting: Bool) throws -> Decision

  /// Returns the prepared, unfinished parts, the oldest first.
  ///
  /// - Throws: `corruptStore` when they are damaged, or the errors of a read.
  /// - Complexity: One round trip.
  func pending() throws -> [PreparedPart]

  /// Returns the prepared, unfinished parts for a reader, without those that other processes are still preparing.
  ///
  /// - Throws: `corruptStore` when they are damaged, or the errors of a read.
  /// - Complexity: One round trip.
  func visibleParts() throws -> [PreparedPart]

  /// Registers a coordinator, so that it can decide in this store. The call may remove old registrations of other
  /// coordinators: a coordinator that loses its registration registers again.
  ///
  /// - Parameter coordinator: A new identifier, never used before.
  /// - Throws: The errors of `commit`.
  /// - Complexity: One transaction.
  func register(_ coordinator: UUID) throws

  /// Removes a coordinator's registration; a missing one is not an error.
  ///
  /// - Throws: The errors of `commit`.
  /// - Complexity: One transaction.
  func unregister(_ coordinator: UUID) throws

  /// Records that participants have finished, and forgets the decisions that are no longer needed. A participant that
  /// still has a part of an earlier save does not acknowledge later ones, because it could not be distinguished from
  /// a store restored from a backup.
  ///
  /// - Throws: The errors of `commit`.
  /// - Complexity: One transaction, unless the list is empty.
  func forget(_ acknowledged: [SaveAcknowledgement]) throws

  /// Returns the remembered decisions, each with the participants that have not acknowledged it.
  ///
  /// - Throws: `corruptStore` when they are damaged, or the errors of a read.
  /// - Complexity: One round trip.
  func decisions() throws -> [RememberedDecision]
}

/// The outcome of a preparation.
///
/// ```swift
/// if case .conflicted(let conflicts) = try preparation.prepare(part, for: ticket) { resolve(conflicts) }
/// ```
public enum PreparationOutcome: Sendable {
  /// The part is prepared, and will be written if and only if the save is committed. The rows of the receipt are
  /// provisional; the receipt of ``StorePreparation/finish(_:committing:)`` is final.
  case prepared(CommitReceipt)
  /// Nothing is prepared.
  case conflicted([StoreConflict])
}

/// The outcome of the decider's commit.
///
/// ```swift
/// if case .refused = outcome { registerAnew() }
/// ```
public enum DecisionOutcome: Sendable {
  /// The decider's part is written, and so the save is committed.
  case committed(CommitReceipt)
  /// Nothing is written because of these conflicts.
  case conflicted([StoreConflict])
  /// Nothing is written: another coordinator has aborted the save and removed this coordinator's registration.
  case refused
}

/// The decision on a save, as the decider knows it.
///
/// ```swift
/// switch try decider.decision(on: part.ticket, for: store.identifier, aborting: true) {
/// case .committed: try store.finish(part.ticket.id, committing: true)
/// case .aborted: try store.finish(part.ticket.id, committing: false)
/// case .none, .forgotten: report(part)
/// }
/// ```
public enum Decision: Sendable, Hashable {
  /// The save is committed.
  case committed
  /// The save is aborted, and never will be committed.
  case aborted
  /// The save is undecided, and may still be committed.
  case none
  /// The outcome is unknown: the participant has acknowledged a later save, so this one was decided before. The
  /// participant may have been restored from a backup.
  case forgotten
}

/// A prepared, unfinished part of a save.
///
/// ```swift
/// for part in try preparation.pending() { print(part.ticket.decider.name, part.keys.count) }
/// ```
public struct PreparedPart: Sendable, Hashable {
  /// The save.
  public let ticket: SaveTicket
  /// The records that the part writes, locks or links.
  public let keys: [Int64]

  /// Makes a part.
  ///
  /// - Parameters:
  ///   - ticket: The save.
  ///   - keys: The records that the part writes, locks or links.
  public init(ticket: SaveTicket, keys: [Int64]) {
    self.ticket = ticket
    self.keys = keys
  }
}

/// The acknowledgement that a participant has finished its part of a save.
///
/// ```swift
/// try decider.forget([SaveAcknowledgement(save: ticket.id, participant: file.identifier)])
/// ```
public struct SaveAcknowledgement: Sendable, Hashable {
  /// The save.
  public let save: SaveID
  /// The identifier of the participant.
  public let participant: String

  /// Makes an acknowledgement.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - participant: The identifier of the participant.
  public init(save: SaveID, participant: String) {
    self.save = save
    self.participant = participant
  }
}

/// A decision to commit that a decider remembers.
///
/// ```swift
/// let waiting = try decider.decisions().flatMap(\.unacknowledged)
/// ```
public struct RememberedDecision: Sendable, Hashable {
  /// The save.
  public let ticket: SaveTicket
  /// The identifiers of the participants that have not acknowledged it.
  public var unacknowledged: [String]

  /// Makes a decision.
  ///
  /// - Parameters:
  ///   - ticket: The save.
  ///   - unacknowledged: The identifiers of the participants that have not acknowledged it.
  public init(ticket: SaveTicket, unacknowledged: [String]) {
    self.ticket = ticket
    self.unacknowledged = unacknowledged
  }
}

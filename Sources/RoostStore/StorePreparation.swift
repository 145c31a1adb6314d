// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The ability of a store to take part in a save over several stores that is written in all of them or in none.
///
/// One of the stores is the decider: it commits its own part together with a record of the decision, and that commit
/// is the commit of the save. The others prepare their parts before, which makes them durable and shows nothing of
/// them, and finish them after. A coordinator that finds a part which nobody finishes asks the decider.
///
/// A save is not decided for a coordinator that is not registered with the decider. Who asks for a decision and finds
/// none takes the registration away: the save can never be decided after that, however slow its coordinator is, and so
/// it has ended without having to be remembered. The coordinator registers anew, and saves under another number.
///
/// What a store does not need is made when it is first needed: one that takes part in no such save keeps its format.
///
/// ```swift
/// guard case .prepared = try file.preparation?.prepare(part, for: ticket) else { return }
/// let decision = try server.preparation?.decide(rest, for: ticket, forgetting: [])
/// guard case .committed = decision else { return }
/// let receipt = try file.preparation?.finish(ticket.id, committing: true)
/// ```
public protocol StorePreparation: Sendable {
  /// Makes sure that a change set can be committed whatever happens: it is judged like a commit, it is kept durably,
  /// and nothing of it shows. Until it is finished, no other write that stands in its way is let through, by this
  /// process or others: such a write throws `saveInDoubt`.
  ///
  /// - Parameters:
  ///   - changes: The part of the save.
  ///   - save: The save.
  /// - Returns: That it is prepared, or the conflicts because of which it is not.
  /// - Throws: `saveInDoubt` when it overlaps with another prepared part, `limitExceeded` for more than
  ///   ``PreparedChanges/largestCount`` bytes, or what `commit` throws; nothing is prepared then. With
  ///   `commitOutcomeUnknown` it may be prepared.
  /// - Complexity: One transaction.
  func prepare(_ changes: StoreChangeSet, for save: SaveTicket) throws -> PreparationOutcome

  /// Ends what was prepared: shows it or forgets it. Doing it again does no harm.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - committing: Whether it is committed.
  /// - Returns: The receipt of the commit; nil when it is not committed, or when nothing is prepared for the save.
  /// - Throws: `corruptStore` when what was prepared is damaged or was overtaken; what `commit` throws. The part stays
  ///   prepared then.
  /// - Complexity: One transaction.
  func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt?

  /// Commits the decider's own part and the decision on the save in one transaction.
  ///
  /// - Parameters:
  ///   - changes: The decider's part.
  ///   - save: The save. Without participants there is nobody who could ask, and nothing is remembered.
  ///   - acknowledged: Decisions of earlier saves of which participants have taken note meanwhile.
  /// - Returns: How it ended. Only after ``DecisionOutcome/committed(_:)`` is anything written.
  /// - Throws: What `commit` throws, `commitOutcomeUnknown` among it.
  /// - Complexity: One transaction.
  func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome

  /// Whether what is prepared is there after the process has ended. What lives in memory goes with its process, and a
  /// decision does not wait for it.
  var keepsParts: Bool { get }

  /// Returns whether the store can prepare a part now; one that cannot may still decide. A server may be set up to keep
  /// no prepared transactions.
  ///
  /// - Throws: What a read throws.
  /// - Complexity: One round trip the first time.
  func canPrepare() throws -> Bool

  /// Lets a save go on in which the store would have to prepare its part, or says why it cannot.
  ///
  /// - Throws: `persistentStoreSave` with what has to be changed when ``canPrepare()`` is false.
  /// - Complexity: As ``canPrepare()``.
  func requirePreparing() throws

  /// Returns what names the transactions that can write to the store: stores with the same one can be written by one
  /// transaction, and need not prepare anything for each other. Nil where a transaction is the store's own.
  ///
  /// - Throws: What a read throws.
  /// - Complexity: One round trip.
  func transactionDomain() throws -> String?

  /// Does what ``decide(_:for:forgetting:)`` does, and writes the parts of other stores of the same
  /// ``transactionDomain()`` in the same transaction.
  ///
  /// - Parameters:
  ///   - changes: The decider's part.
  ///   - companions: The parts of the others.
  ///   - save: The save; the others are none of its participants.
  ///   - acknowledged: Decisions of earlier saves of which participants have taken note meanwhile.
  /// - Returns: How it ended.
  /// - Throws: `invalidRequest` for a store of another domain; what `commit` throws.
  /// - Complexity: One transaction.
  func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome

  /// Returns how a save ended.
  ///
  /// Ending a save and deciding about it exclude each other: a store whose transactions run side by side takes the
  /// registration away first and looks for the decision then, and ``decide(_:for:forgetting:)`` keeps the registration
  /// locked until it has committed.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - participant: The identifier of the store that holds a part of it.
  ///   - aborting: Whether a save that is not decided is ended now: its coordinator's registration is taken away, and
  ///     the store remembers for a time that it has ended. Without it, such a save is ``Decision/none``. It is taken
  ///     away also where the answer is ``Decision/forgotten``: a person decides then, and nobody else may.
  /// - Throws: What a read throws, and with `aborting` what `commit` throws.
  /// - Complexity: One transaction.
  func decision(on save: SaveTicket, for participant: String, aborting: Bool) throws -> Decision

  /// Returns the parts that are prepared and not finished, the oldest first.
  ///
  /// - Throws: `corruptStore` when they are damaged, or what a read throws.
  /// - Complexity: One round trip.
  func pending() throws -> [PreparedPart]

  /// Returns the parts that are prepared and not finished, for a reader: what others are about to prepare is let alone.
  ///
  /// - Throws: `corruptStore` when they are damaged, or what a read throws.
  /// - Complexity: One round trip.
  func visibleParts() throws -> [PreparedPart]

  /// Registers a coordinator, so that it can decide here. Registrations that were made long ago, by whomever, may be
  /// taken away by it: a coordinator that loses its own registers anew.
  ///
  /// - Parameter coordinator: A number that was never used for it before.
  /// - Throws: What `commit` throws.
  /// - Complexity: One transaction.
  func register(_ coordinator: UUID) throws

  /// Takes a coordinator's registration away; one that is not there is no error.
  ///
  /// - Throws: What `commit` throws.
  /// - Complexity: One transaction.
  func unregister(_ coordinator: UUID) throws

  /// Takes down that participants have finished, and forgets the decisions that nobody will ask for any more. A
  /// participant that still has a part of an earlier save does not acknowledge later ones: it could not be told from
  /// one that was put back from a copy.
  ///
  /// - Throws: What `commit` throws.
  /// - Complexity: One transaction, unless the list is empty.
  func forget(_ acknowledged: [SaveAcknowledgement]) throws

  /// Returns the decisions that are remembered, each with the participants that have not taken note of it.
  ///
  /// - Throws: `corruptStore` when they are damaged, or what a read throws.
  /// - Complexity: One round trip.
  func decisions() throws -> [RememberedDecision]
}

/// How a preparation ended.
///
/// ```swift
/// if case .conflicted(let conflicts) = try preparation.prepare(part, for: ticket) { resolve(conflicts) }
/// ```
public enum PreparationOutcome: Sendable {
  /// The part is kept, and will be written exactly if the save is. Of the receipt, the rows count until the part is
  /// finished, whose receipt has the last word.
  case prepared(CommitReceipt)
  /// Nothing is kept.
  case conflicted([StoreConflict])
}

/// How the decider's commit ended.
///
/// ```swift
/// if case .refused = outcome { registerAnew() }
/// ```
public enum DecisionOutcome: Sendable {
  /// The decider's part is written, and so the save is committed.
  case committed(CommitReceipt)
  /// Nothing is written because of these conflicts.
  case conflicted([StoreConflict])
  /// Nothing is written: another coordinator has ended the save, and taken the coordinator's registration away.
  case refused
}

/// What a decider knows of a save.
///
/// ```swift
/// switch try decider.decision(on: part.ticket, for: store.identifier, aborting: true) {
/// case .committed: try store.finish(part.ticket.id, committing: true)
/// case .aborted: try store.finish(part.ticket.id, committing: false)
/// case .none, .forgotten: report(part)
/// }
/// ```
public enum Decision: Sendable, Hashable {
  /// It is committed.
  case committed
  /// It is not committed, and never will be.
  case aborted
  /// It is not committed, and may still be.
  case none
  /// The participant has taken note of the decision on a later save: this one was decided before, and the participant
  /// may have been put back from a copy. Nobody knows how it ended.
  case forgotten
}

/// A part that is prepared and not finished.
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

/// That a participant has finished its part of a save.
///
/// ```swift
/// try decider.forget([SaveAcknowledgement(save: ticket.id, participant: file.identifier)])
/// ```
public struct SaveAcknowledgement: Sendable, Hashable {
  /// The save.
  public let save: SaveID
  /// The identifier of the participant.
  public let participant: String

  /// Says that a participant has finished.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - participant: The identifier of the participant.
  public init(save: SaveID, participant: String) {
    self.save = save
    self.participant = participant
  }
}

/// A save that a decider remembers to be committed.
///
/// ```swift
/// let waiting = try decider.decisions().flatMap(\.unacknowledged)
/// ```
public struct RememberedDecision: Sendable, Hashable {
  /// The save.
  public let ticket: SaveTicket
  /// The identifiers of the participants that have not taken note of it.
  public var unacknowledged: [String]

  /// Makes a decision.
  ///
  /// - Parameters:
  ///   - ticket: The save.
  ///   - unacknowledged: The participants that have not taken note of it.
  public init(ticket: SaveTicket, unacknowledged: [String]) {
    self.ticket = ticket
    self.unacknowledged = unacknowledged
  }
}

// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Everything that one save writes to one store: immutable values and keys, no objects.
///
/// A record is in one of the lists only. A store applies them as if simultaneously: unique values may be swapped, or
/// freed by a deletion and reused by an insertion.
///
/// ```swift
/// let changes = StoreChangeSet(inserted: [row], origin: .init(author: "import"))
/// guard case .committed = try store.commit(changes) else { return }
/// ```
public struct StoreChangeSet: Sendable {
  /// Records to be inserted; their rows have permanent keys and version 1.
  public var inserted: [Row]
  /// Records to be changed.
  public var updated: [RowUpdate]
  /// Records to be removed.
  public var deleted: [RowVersion]
  /// Records that must not have changed, and whose version is incremented all the same.
  public var locked: [RowVersion]
  /// Links of to-many relationships without a to-one side, to be added, moved or removed.
  public var links: [LinkChange]
  /// Rarely used fields behind one reference, which keeps the struct small: change sets are copied often.
  private var rest: Rest?
  /// Whether the change set carries metadata.
  package private(set) var hasMetadata = false

  /// Makes a change set.
  ///
  /// - Parameters:
  ///   - inserted: New records.
  ///   - updated: Changed records.
  ///   - deleted: Removed records.
  ///   - locked: Records that must not have changed.
  ///   - links: Changed links.
  ///   - metadata: The metadata to store in the same transaction.
  ///   - origin: The author and the context of the save.
  public init(
    inserted: [Row] = [], updated: [RowUpdate] = [], deleted: [RowVersion] = [],
    locked: [RowVersion] = [], links: [LinkChange] = [], metadata: StoreMetadata? = nil,
    origin: Origin = Origin()
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.locked = locked
    self.links = links
    if metadata != nil { self.metadata = metadata }
    if origin != Origin() { self.origin = origin }
  }

  private final class Rest: @unchecked Sendable {
    // Sendable: written only by a change set that is the only one to refer to it.
    @exclusivity(unchecked) var metadata: StoreMetadata?
    @exclusivity(unchecked) var earlierMetadata: StoreMetadata?
    @exclusivity(unchecked) var foreignNumbers: [Int64] = []
    @exclusivity(unchecked) var origin = Origin()
    @exclusivity(unchecked) var notes: HistoryNotes?

    init() {}

    init(_ other: Rest) {
      (metadata, earlierMetadata) = (other.metadata, other.earlierMetadata)
      (foreignNumbers, origin, notes) = (other.foreignNumbers, other.origin, other.notes)
    }
  }

  /// Whether nothing is to be written.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty && links.isEmpty
      && !hasMetadata
  }

  /// The author and the context of the save.
  ///
  /// ```swift
  /// let origin = StoreChangeSet.Origin(author: "import", contextName: "night")
  /// ```
  public struct Origin: Sendable, Hashable {
    /// The author that the context names.
    public var author: String?
    /// The name of the context.
    public var contextName: String?

    /// Makes an origin.
    ///
    /// - Parameters:
    ///   - author: The author.
    ///   - contextName: The name of the context.
    public init(author: String? = nil, contextName: String? = nil) {
      self.author = author
      self.contextName = contextName
    }
  }
}

extension StoreChangeSet {
  /// The metadata to store in the same transaction; nil when it did not change.
  public var metadata: StoreMetadata? {
    get { rest?.metadata }
    set {
      guard newValue != nil || hasMetadata else { return }
      hasMetadata = newValue != nil
      changeRest { $0.metadata = newValue }
    }
  }

  /// The metadata from which ``metadata`` were made: the save changes only the difference. Nil: those that the writing
  /// store knows.
  package var earlierMetadata: StoreMetadata? {
    get { rest?.earlierMetadata }
    set { if newValue != nil || rest != nil { changeRest { $0.earlierMetadata = newValue } } }
  }

  /// The numbers of records of other stores to which the change set may refer anew, in order. A store that has removed
  /// one of them since refuses the change set.
  package var foreignNumbers: [Int64] {
    get { rest?.foreignNumbers ?? [] }
    set { if !newValue.isEmpty || rest != nil { changeRest { $0.foreignNumbers = newValue } } }
  }

  /// The author and the context of the save, for the history.
  public var origin: Origin {
    get { rest?.origin ?? Origin() }
    set { if newValue != Origin() || rest != nil { changeRest { $0.origin = newValue } } }
  }

  /// Further data for the history transaction; nil for none, for example where the store keeps no history.
  public var notes: HistoryNotes? {
    get { rest?.notes }
    set { if newValue != nil || rest != nil { changeRest { $0.notes = newValue } } }
  }

  private mutating func changeRest(_ body: (Rest) -> Void) {
    if rest == nil {
      rest = Rest()
    } else if !isKnownUniquelyReferenced(&rest), let shared = rest {
      rest = Rest(shared)
    }
    if let rest { body(rest) }
  }
}

/// A change of one record.
///
/// ```swift
/// let update = RowUpdate(row: row, baseVersion: row.version - 1, changedSlots: [slot.index])
/// ```
public struct RowUpdate: Sendable {
  /// The new row; its version is one more than `baseVersion`.
  public var row: Row
  /// The version that the record must still have.
  public var baseVersion: Int64
  /// The slots whose values changed, as indices into the layout, ascending. Empty when only the version is
  /// incremented.
  public var changedSlots: [Int]

  /// Makes an update.
  ///
  /// - Parameters:
  ///   - row: The new row, with its new version.
  ///   - baseVersion: The version that the record must still have.
  ///   - changedSlots: The slots whose values changed, ascending.
  public init(row: Row, baseVersion: Int64, changedSlots: [Int]) {
    self.row = row
    self.baseVersion = baseVersion
    self.changedSlots = changedSlots
  }
}

/// A record in a certain version.
///
/// ```swift
/// let changes = StoreChangeSet(deleted: [RowVersion(key: row.key, version: row.version)])
/// ```
public struct RowVersion: Sendable, Hashable {
  /// The record.
  public var key: Int64
  /// The version that it must still have.
  public var version: Int64

  /// Names a version of a record.
  ///
  /// - Parameters:
  ///   - key: The record.
  ///   - version: The version.
  public init(key: Int64, version: Int64) {
    self.key = key
    self.version = version
  }
}

/// A change of one link. Links are a set: removing a missing link and adding an existing one are not errors.
///
/// Where the table is its own inverse, a change applies to both directions. When a record is deleted, the store
/// removes its links; they need not be listed.
///
/// ```swift
/// for change in changes.links where change.kind == .unlink {
///   remove(change.source, change.destination, from: change.table.name)
/// }
/// ```
public struct LinkChange: Sendable {
  /// The table of the link.
  public var table: LinkTable
  /// The record on the owner's side.
  public var source: Int64
  /// The record on the other side.
  public var destination: Int64
  /// The kind of change.
  public var kind: Kind

  /// Makes a change.
  ///
  /// - Parameters:
  ///   - table: The table of the link.
  ///   - source: The record on the owner's side.
  ///   - destination: The record on the other side.
  ///   - kind: The kind of change.
  public init(table: LinkTable, source: Int64, destination: Int64, kind: Kind) {
    self.table = table
    self.source = source
    self.destination = destination
    self.kind = kind
  }

  /// The kind of change of a link.
  ///
  /// ```swift
  /// if case .link(let position?, _) = change.kind { place(change.destination, at: position) }
  /// ```
  public enum Kind: Sendable, Hashable {
    /// The link must exist afterwards. A position orders it among its source's destinations (or among its
    /// destination's sources) where that side is ordered; nil keeps the stored position.
    case link(position: Int64?, inversePosition: Int64?)
    /// The link must not exist afterwards.
    case unlink
  }
}

/// The outcome of a commit.
///
/// ```swift
/// switch try store.commit(changes) {
/// case .committed(let receipt): accept(receipt.recomputed)
/// case .conflicted(let conflicts): resolve(conflicts)
/// }
/// ```
public enum CommitOutcome: Sendable {
  /// Everything is written and durable.
  case committed(CommitReceipt)
  /// Nothing is written.
  case conflicted([StoreConflict])
}

/// The receipt of a successful commit.
///
/// ```swift
/// return .committed(CommitReceipt(recomputed: derived.recomputed))
/// ```
public struct CommitReceipt: Sendable {
  /// Rows whose stored values differ from those in the change set, such as those with derived attributes.
  public var recomputed: [Row]
  /// The position in the store's history right after the commit; nil where the store does not know it without another
  /// request, or keeps no history.
  public var position: StorePosition?

  /// Makes a receipt.
  ///
  /// - Parameters:
  ///   - recomputed: Rows whose stored values differ from those in the change set.
  ///   - position: The position in the store's history right after the commit, where it is known.
  public init(recomputed: [Row] = [], position: StorePosition? = nil) {
    self.recomputed = recomputed
    self.position = position
  }
}

/// A conflict because of which a commit wrote nothing.
///
/// ```swift
/// guard let current = records[row.key], current.version == expected else {
///   return .conflicted([.version(key: row.key, expected: expected, current: records[row.key])])
/// }
/// ```
public enum StoreConflict: Sendable {
  /// Optimistic locking failed: a record is not in the expected version. The current row is nil when the record was
  /// deleted.
  case version(key: Int64, expected: Int64, current: Row?)
  /// A unique constraint is violated: another record has the same values.
  case uniqueness(constraint: [String], entityName: String, key: Int64, existing: Row?)
}

// SPDX-License-Identifier: Apache-2.0

/// The position of a reader in the history of one store.
///
/// A store with one writer at a time numbers its transactions, and a position is the number of the last one that was
/// read. A server with many writers has no such number, because transactions become visible in another order than
/// they are numbered in: there, a position is a snapshot (as PostgreSQL's `pg_snapshot`), which records for each
/// transaction whether it was visible.
///
/// ```swift
/// let position = try store.history?.position()
/// // ... later
/// let news = try store.history?.transactions(after: position, limit: nil)
/// ```
public struct StorePosition: Sendable, Hashable {
  /// The identity of the history: positions of two histories cannot be compared.
  public let epoch: Int64
  /// The position within that history.
  public let place: Place

  /// A position within one history.
  ///
  /// ```swift
  /// if case .number(let number, _) = position.place { print("read up to", number) }
  /// ```
  public enum Place: Sendable, Hashable {
    /// After the transaction with this number. The digest covers all transactions up to it, which detects another
    /// transaction with the same number.
    case number(Int64, digest: UInt64)
    /// A snapshot: transactions below `floor` are visible, and those below `ceiling` that were not in progress.
    case snapshot(floor: UInt64, ceiling: UInt64, inProgress: [UInt64])
  }

  /// Makes a position.
  ///
  /// - Parameters:
  ///   - epoch: The identity of the history.
  ///   - place: The position within the history. The list of a snapshot is in ascending order.
  public init(epoch: Int64, place: Place) {
    self.epoch = epoch
    self.place = place
  }

  /// Whether all transactions before another position are before this one, too; false for another history.
  ///
  /// - Parameter other: The other position.
  public func covers(_ other: StorePosition) -> Bool {
    guard epoch == other.epoch else { return false }
    switch (place, other.place) {
    case (.number(let mine, _), .number(let theirs, _)): return mine >= theirs
    case (.snapshot(_, let ceiling, let inProgress), .snapshot(_, let otherCeiling, let others)):
      // A transaction that is invisible here must be invisible in the other snapshot, too.
      let isShort = ceiling < otherCeiling
      guard !isShort || otherCeiling - ceiling <= UInt64(others.count) else { return false }
      return (!isShort || Set(ceiling..<otherCeiling).isSubset(of: others))
        && inProgress.allSatisfy { $0 >= otherCeiling || others.contains($0) }
    default: return false
    }
  }

  /// The union of this position and another one; this position when the other belongs to another history.
  ///
  /// - Parameter other: The other position.
  public func merging(_ other: StorePosition) -> StorePosition {
    if covers(other) { return self }
    if other.covers(self) { return other }
    guard epoch == other.epoch, case .snapshot(let floor, let ceiling, let mine) = place,
      case .snapshot(let otherFloor, let otherCeiling, let theirs) = other.place
    else { return self }
    let (low, lowList, high, highList) =
      ceiling < otherCeiling
      ? (ceiling, mine, otherCeiling, theirs) : (otherCeiling, theirs, ceiling, mine)
    // Invisible in both: the in-progress list of the later one, without the transactions visible in the earlier one.
    let hidden = highList.filter { $0 >= low || lowList.contains($0) }
    return StorePosition(
      epoch: epoch,
      place: .snapshot(
        floor: hidden.first ?? max(floor, otherFloor, high), ceiling: high, inProgress: hidden))
  }

  /// The position before the first transaction that the history ever had. Once transactions have been removed, a
  /// request from this position is refused as too old.
  package var beginning: StorePosition {
    switch place {
    case .number: StorePosition(epoch: epoch, place: .number(0, digest: 0))
    // 3 is the first normal transaction ID of a PostgreSQL server.
    case .snapshot:
      StorePosition(epoch: epoch, place: .snapshot(floor: 3, ceiling: 3, inProgress: []))
    }
  }

  /// Whether a transaction is visible in a snapshot.
  package func shows(_ transaction: UInt64) -> Bool {
    guard case .snapshot(let floor, let ceiling, let inProgress) = place else { return false }
    return transaction < floor || transaction < ceiling && !inProgress.contains(transaction)
  }
}

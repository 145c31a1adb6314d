// SPDX-License-Identifier: Apache-2.0

/// How far a reader has come in the history of one store.
///
/// A store with one writer at a time numbers its transactions, and a position is the number of the last one that was
/// read. A server with many writers has no such number, because transactions become visible in another order than they
/// are numbered in: there, a position is a snapshot, which says of each transaction whether it was visible.
///
/// ```swift
/// let position = try store.history?.position()
/// // ... later
/// let news = try store.history?.transactions(after: position, limit: nil)
/// ```
public struct StorePosition: Sendable, Hashable {
  /// Which history: numbers of another one mean nothing in it.
  public let epoch: Int64
  /// How far.
  public let place: Place

  /// How far, in one history.
  ///
  /// ```swift
  /// if case .number(let number, _) = position.place { print("read up to", number) }
  /// ```
  public enum Place: Sendable, Hashable {
    /// After the transaction with a number; the digest is made of all transactions up to it, so that another
    /// transaction of the same number is noticed.
    case number(Int64, digest: UInt64)
    /// What a snapshot shows: transactions below `floor`, and those below `ceiling` that were not in progress.
    case snapshot(floor: UInt64, ceiling: UInt64, inProgress: [UInt64])
  }

  /// Makes a position.
  ///
  /// - Parameters:
  ///   - epoch: Which history.
  ///   - place: How far. The list of a snapshot is in ascending order.
  public init(epoch: Int64, place: Place) {
    self.epoch = epoch
    self.place = place
  }

  /// Whether everything that another position has behind it is behind this one too; false for another history.
  ///
  /// - Parameter other: The other position.
  public func covers(_ other: StorePosition) -> Bool {
    guard epoch == other.epoch else { return false }
    switch (place, other.place) {
    case (.number(let mine, _), .number(let theirs, _)): return mine >= theirs
    case (.snapshot(_, let ceiling, let inProgress), .snapshot(_, let otherCeiling, let others)):
      // What this one does not show, the other one must not show either.
      let isShort = ceiling < otherCeiling
      guard !isShort || otherCeiling - ceiling <= UInt64(others.count) else { return false }
      return (!isShort || Set(ceiling..<otherCeiling).isSubset(of: others))
        && inProgress.allSatisfy { $0 >= otherCeiling || others.contains($0) }
    default: return false
    }
  }

  /// The position that has behind it what this one or another one has; this one when the other is of another history.
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
    // Not shown by either: the list of the later one, but for what the earlier one shows.
    let hidden = highList.filter { $0 >= low || lowList.contains($0) }
    return StorePosition(
      epoch: epoch,
      place: .snapshot(
        floor: hidden.first ?? max(floor, otherFloor, high), ceiling: high, inProgress: hidden))
  }

  /// The position before the first transaction that the history ever had. Once transactions were removed, it is refused
  /// as one that came too late.
  package var beginning: StorePosition {
    switch place {
    case .number: StorePosition(epoch: epoch, place: .number(0, digest: 0))
    // 3 is the first number that a server gives.
    case .snapshot:
      StorePosition(epoch: epoch, place: .snapshot(floor: 3, ceiling: 3, inProgress: []))
    }
  }

  /// Whether a snapshot shows a transaction.
  package func shows(_ transaction: UInt64) -> Bool {
    guard case .snapshot(let floor, let ceiling, let inProgress) = place else { return false }
    return transaction < floor || transaction < ceiling && !inProgress.contains(transaction)
  }
}

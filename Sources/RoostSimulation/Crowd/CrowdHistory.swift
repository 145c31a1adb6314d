// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import Synchronization

/// A piece as read: each save gives all pieces that it changes one unique mark.
struct CrowdPiece: Hashable, Sendable {
  var serial: Int64
  var mark: Int64
  /// The number of changes.
  var number: Int64
  var box: String?
}

/// A thread-safe record of the reads and saves of a crowd's writers.
///
/// A save records the mark that it read and the mark that it wrote. So the saves of a piece form a chain from its
/// first mark to the stored one: a fork is a lost update, and a link outside the chain is an acknowledged save that
/// is lost.
final class CrowdHistory: Sendable {
  private struct State {
    /// For each piece, the result of a save by the mark that the save read.
    var changes: [Int64: [Int64: CrowdPiece]] = [:]
    var births: [Int64: CrowdPiece] = [:]
    var deaths: [Int64: Int64] = [:]
    /// The results of single fetches.
    var views: [[CrowdPiece]] = []
    /// The holders of seats; each seat is unique.
    var holders: [Int: Int] = [:]
    var saves = 0
    var refusals = 0
    var failure: String?
  }

  private let state = Mutex(State())

  // MARK: - Writing down

  func noteBirth(_ piece: CrowdPiece) {
    state.withLock { state in
      state.births[piece.serial] = piece
      state.saves += 1
    }
  }

  /// Records a save that changed pieces, with their previous marks.
  func noteChanges(_ pieces: [(before: Int64, after: CrowdPiece)]) {
    state.withLock { state in
      state.saves += 1
      for (before, after) in pieces {
        let other = state.changes[after.serial, default: [:]].updateValue(after, forKey: before)
        guard let other else { continue }
        state.failure =
          state.failure ?? "of piece \(after.serial), mark \(before), both \(other.mark) and "
          + "\(after.mark) were made: an update is lost"
      }
    }
  }

  func noteDeath(of serial: Int64, mark: Int64) {
    state.withLock { state in
      state.saves += 1
      guard let other = state.deaths.updateValue(mark, forKey: serial) else { return }
      state.failure =
        state.failure ?? "piece \(serial) was deleted with mark \(other), and with \(mark) again"
    }
  }

  func noteView(_ pieces: [CrowdPiece]) {
    state.withLock { $0.views.append(pieces) }
  }

  func noteRefusal() {
    state.withLock { $0.refusals += 1 }
  }

  /// Records that a writer has taken a seat.
  func noteSeat(_ seat: Int, of writer: Int) {
    state.withLock { state in
      state.saves += 1
      guard let other = state.holders.updateValue(writer, forKey: seat) else { return }
      state.failure = state.failure ?? "writers \(other) and \(writer) both have seat \(seat)"
    }
  }

  /// Records that a writer is about to leave its seat.
  func noteLeaving(_ seat: Int) {
    state.withLock { $0.holders[seat] = nil }
  }

  // MARK: - Checking

  /// The number of saves, and of refused saves.
  var counts: (saves: Int, refusals: Int) { state.withLock { ($0.saves, $0.refusals) } }

  /// Compares the record with the final content of the store.
  ///
  /// - Parameters:
  ///   - final: The stored pieces.
  ///   - seats: The stored seats.
  func check(final: [CrowdPiece], seats: [Int]) throws {
    let state = state.withLock { $0 }
    try expect(state.failure == nil, "every save is told its own end, but \(state.failure ?? "")")
    try expectEqual(seats.sorted(), state.holders.keys.sorted(), "the seats")
    var stored: [Int64: CrowdPiece] = [:]
    for piece in final { stored[piece.serial] = piece }
    try expectEqual(
      Set(stored.keys), Set(state.births.keys).subtracting(state.deaths.keys), "the pieces")
    var chains: [Int64: [CrowdPiece]] = [:]
    for birth in state.births.values {
      let chain = Self.chain(from: birth, state.changes[birth.serial] ?? [:])
      chains[birth.serial] = chain
      try expectEqual(
        chain.count - 1, state.changes[birth.serial]?.count ?? 0,
        "the saves of piece \(birth.serial) that follow each other")
      guard let last = chain.last else { continue }
      try expectEqual(
        state.deaths[birth.serial] ?? last.mark, last.mark,
        "the mark of piece \(birth.serial) when it was deleted")
      if let found = stored[birth.serial] { try expectEqual(found, last, "the stored piece") }
    }
    try check(state.views, chains)
  }

  private static func chain(
    from birth: CrowdPiece, _ changes: [Int64: CrowdPiece]
  ) -> [CrowdPiece] {
    var chain = [birth]
    var mark = birth.mark
    // No save has the mark of another one, so there is no circle.
    while let next = changes[mark], chain.count <= changes.count {
      chain.append(next)
      mark = next.mark
    }
    return chain
  }

  /// Checks that each view is a consistent snapshot: it has all changes of a save, or none.
  private func check(_ views: [[CrowdPiece]], _ chains: [Int64: [CrowdPiece]]) throws {
    var places: [Int64: [Int64: Int]] = [:]
    var saves: [Int64: [(serial: Int64, place: Int)]] = [:]
    for (serial, chain) in chains {
      for (place, piece) in chain.enumerated() {
        places[serial, default: [:]][piece.mark] = place
        saves[piece.mark, default: []].append((serial, place))
      }
    }
    saves = saves.filter { $0.value.count > 1 }
    for view in views {
      var seen: [Int64: Int] = [:]
      for piece in view {
        guard let place = places[piece.serial]?[piece.mark], let chain = chains[piece.serial]
        else {
          throw ExpectationFailure(
            message: "\(piece) was seen, and nobody has saved it", file: #fileID, line: #line)
        }
        try expectEqual(piece, chain[place], "a piece that was seen")
        seen[piece.serial] = place
      }
      for (mark, parts) in saves {
        let isThere = parts.compactMap { part in seen[part.serial].map { $0 >= part.place } }
        try expect(
          Set(isThere).count < 2, "save \(mark) is seen whole or not at all, in \(view)")
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Merges the transactions of several stores: by time, then in the order of the stores. Transactions of one save are
/// kept adjacent where the order of each store allows it.
struct HistoryMerge {
  private let answers: [[PersistentHistoryTransaction]]
  /// The number of transactions taken from each answer.
  private var heads: [Int]
  private var result: [PersistentHistoryTransaction] = []
  /// The positions of the transactions of each save over several stores in the answers.
  private var places: [UUID: [(answer: Int, index: Int)]] = [:]

  private init(_ answers: [[PersistentHistoryTransaction]]) {
    self.answers = answers
    heads = Array(repeating: 0, count: answers.count)
    for (number, answer) in answers.enumerated() {
      for (index, transaction) in answer.enumerated() {
        guard let save = transaction.commonSaveID else { continue }
        places[save, default: []].append((number, index))
      }
    }
  }

  /// Merges answers, each of which is in the order of its store.
  ///
  /// - Complexity: O(transactions × stores).
  static func merged(
    _ answers: [[PersistentHistoryTransaction]]
  ) -> [PersistentHistoryTransaction] {
    guard answers.count > 1 else { return answers.first ?? [] }
    var merge = HistoryMerge(answers)
    while let next = merge.earliest {
      if let save = merge.answers[next][merge.heads[next]].commonSaveID {
        merge.take(save, from: next)
      } else {
        merge.take(next)
      }
    }
    return merge.result
  }

  /// Returns the first transactions of a merged answer, a number of them, or more to keep consecutive transactions of
  /// one save together.
  static func portion(
    of merged: [PersistentHistoryTransaction], _ limit: Int
  ) -> ArraySlice<PersistentHistoryTransaction> {
    var end = min(limit, merged.count)
    while end > 0, end < merged.count, let save = merged[end - 1].commonSaveID,
      save == merged[end].commonSaveID
    {
      end += 1
    }
    return merged[..<end]
  }

  /// The index of the answer whose next transaction is the earliest.
  private var earliest: Int? {
    var next: Int?
    for index in answers.indices where heads[index] < answers[index].count {
      guard let known = next else {
        next = index
        continue
      }
      if answers[index][heads[index]].timestamp < answers[known][heads[known]].timestamp {
        next = index
      }
    }
    return next
  }

  private mutating func take(_ answer: Int) {
    result.append(answers[answer][heads[answer]])
    heads[answer] += 1
  }

  /// Takes the transactions of a save. Earlier transactions of the other stores are taken first, unless one of them
  /// belongs to another save over several stores.
  private mutating func take(_ save: UUID, from first: Int) {
    var together = [first]
    for (answer, index) in places[save] ?? [] where answer != first && index >= heads[answer] {
      let before = answers[answer][heads[answer]..<index]
      guard before.allSatisfy({ $0.commonSaveID == nil }), !together.contains(answer) else {
        continue
      }
      while heads[answer] < index { take(answer) }
      together.append(answer)
    }
    for answer in together { take(answer) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Brings the transactions of several stores into one order: by time, at the same time in the order of the stores, and
/// those of one save next to each other where no store's own order is against it.
struct HistoryMerge {
  private let answers: [[PersistentHistoryTransaction]]
  /// How many of each answer were taken.
  private var heads: [Int]
  private var result: [PersistentHistoryTransaction] = []
  /// Where the transactions of saves in several stores are in the answers.
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

  /// Merges answers, each of which is in its store's order.
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

  /// The answer whose next transaction is the earliest one.
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

  /// Takes the transactions of a save: what is before them in other stores comes first, unless that is of a save that
  /// stands in several stores itself.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostStore

/// How far an evolution in several transactions is. Each of them writes it.
package struct EvolutionJournal: Codable, Hashable, Sendable {
  /// The hash of what the evolution does (``BatchedEvolution/plan``).
  package let plan: String
  /// The checksum of the version to which it leads.
  package let destination: String
  /// A sum over the rows of each table that is read, as of the beginning: programs of the old version may write until
  /// the version changes, and what was filled before would be out of date then.
  package let sources: [String: String]
  /// The tables and columns that only the new version has, and that are still there.
  package var additions: [DeferredStep]
  /// The number of steps that are done.
  package var step = 0
  /// The key that the current step has reached.
  package var position: Int64 = 0
  /// Whether the additions are being removed again.
  package var isAbandoned = false

  /// Makes the journal of an evolution that begins.
  package init(_ evolution: BatchedEvolution, destination: String, sources: [String: String]) {
    plan = evolution.plan
    self.destination = destination
    self.sources = sources
    additions = evolution.additions
  }

  /// The largest text that is read.
  private static let largestText = 16 << 20

  /// Reads a journal.
  ///
  /// - Throws: `corruptStore` for a text that no store has written.
  package init(json: String) throws {
    guard json.utf8.count <= Self.largestText,
      let journal = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)),
      journal.step >= 0, journal.position >= 0,
      journal.additions.allSatisfy({ $0.kind == .table || $0.kind == .column })
    else {
      throw PersistenceError(
        .corruptStore, "The store's journal of a migration that was begun is damaged.")
    }
    self = journal
  }

  /// The text that is stored.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// Notes the end of a portion.
  package mutating func advance(to end: Int64?) {
    guard let end else {
      step += 1
      position = 0
      return
    }
    position = end
  }
}

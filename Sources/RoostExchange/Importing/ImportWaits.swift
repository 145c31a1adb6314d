// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The lines of an import that wait for destinations.
///
/// The lines of one record are applied in the order of the files (E9). So a line of a record whose earlier line is
/// postponed is postponed, too, and a destination that an earlier line waits for is not set any more when a later line
/// names the same relationship.
struct ImportWaits {
  /// The lines that wait, by number: as a whole, with the outcome `postponed`, or for some of their relationships.
  private(set) var lines: [Int: ImportBatch.Outcome] = [:]
  /// The keys of the records with a postponed line in the current pass, and the number of the first one.
  private var postponed: [RecordKeyValues: Int] = [:]
  /// The last line that waits to set a relationship of a record.
  private var openLinks: [ObjectID: [String: Int]] = [:]
  /// The relationships that later lines have set.
  private var superseded: [Int: Set<String>] = [:]

  /// Begins another pass over the lines that wait.
  mutating func beginPass() {
    postponed = [:]
  }

  /// Whether no attribute of a line is set yet.
  func isPostponed(_ line: Int) -> Bool { lines[line] == .postponed }

  /// Whether an earlier line of the same record is postponed.
  func follows(_ entry: ImportEntry) -> Bool {
    guard let key = entry.key, let first = postponed[key] else { return false }
    return first < entry.number
  }

  /// Postpones a line.
  mutating func postpone(_ entry: ImportEntry) {
    for key in entry.keys { postponed[key] = min(postponed[key] ?? entry.number, entry.number) }
  }

  /// Whether a later line has set the relationship that a line waits to set.
  func isSuperseded(_ relationship: RelationshipDescription, of line: Int) -> Bool {
    superseded[line]?.contains(relationship.name) == true
  }

  /// Notes that a line names a relationship of a record.
  ///
  /// - Parameter waits: Whether the line waits for a destination of it.
  mutating func note(
    _ relationship: RelationshipDescription, of object: ObjectID, in line: Int, waits: Bool
  ) {
    let name = relationship.name
    if let earlier = openLinks[object]?[name], earlier < line {
      superseded[earlier, default: []].insert(name)
      openLinks[object]?[name] = nil
    }
    if waits { openLinks[object, default: [:]][name] = line }
  }

  /// Notes that a line waits, with its outcome so far.
  mutating func add(_ line: Int, _ outcome: ImportBatch.Outcome) {
    lines[line] = outcome
  }

  /// Notes that a line is done.
  mutating func remove(_ line: Int) {
    lines[line] = nil
    superseded[line] = nil
  }
}

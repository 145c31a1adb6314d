// SPDX-License-Identifier: Apache-2.0

/// Suggestions for an unknown name.
///
/// ```swift
/// NearNames.of("Persn", among: ["Person", "Team"])  // ["Person"]
/// ```
public enum NearNames {
  /// Returns the names that differ from a word by few letters, and those where one begins with the other, nearest
  /// first; at most three.
  ///
  /// - Parameters:
  ///   - word: The unknown name.
  ///   - names: The existing names.
  public static func of(_ word: String, among names: [String]) -> [String] {
    let letters = Array(word.lowercased().prefix(100))
    guard letters.contains(where: { $0 != "-" }) else { return [] }
    let tolerance = max(1, letters.count / 3)
    let near = names.compactMap { name -> (distance: Int, name: String)? in
      let other = Array(name.lowercased().prefix(100))
      if other.starts(with: letters) || letters.starts(with: other) { return (1, name) }
      let distance = distance(letters, other)
      return distance <= tolerance ? (distance, name) : nil
    }
    return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// Returns the edit distance: the number of insertions, deletions, replacements and transpositions.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var next = [index + 1]
      for (place, other) in right.enumerated() {
        var best = min(row[place] + (letter == other ? 0 : 1), row[place + 1] + 1, next[place] + 1)
        if index > 0, place > 0, letter == right[place - 1], left[index - 1] == other {
          best = min(best, before[place - 1] + 1)
        }
        next.append(best)
      }
      (before, row) = (row, next)
    }
    return row[right.count]
  }
}

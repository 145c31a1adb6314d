// SPDX-License-Identifier: Apache-2.0

/// Assigns the names of views, or those of the columns of one view. They are the names of the model as long as these
/// fit, and differ from each other even when case is ignored.
struct SQLViewNames {
  private let limit: Int
  private var taken: Set<String>

  /// Creates an empty set of names.
  ///
  /// - Parameters:
  ///   - limit: The length of the longest name, in bytes.
  ///   - taken: Names that are not assigned.
  init(limit: Int, taken: some Sequence<String> = []) {
    self.limit = limit
    self.taken = Set(taken.map { $0.lowercased() })
  }

  /// Assigns a name.
  ///
  /// - Parameters:
  ///   - wanted: The name.
  ///   - isAdded: Whether the model does not have the name, which then gets an underscore in front if it is taken.
  mutating func assign(_ wanted: String, isAdded: Bool = false) -> String {
    var stem = cut(wanted, to: limit)
    if isAdded, taken.contains(stem.lowercased()) { stem = cut("_" + wanted, to: limit) }
    var candidate = stem
    var number = 1
    while !taken.insert(candidate.lowercased()).inserted {
      number += 1
      let suffix = "_\(number)"
      candidate = cut(stem, to: limit - suffix.utf8.count) + suffix
    }
    return candidate
  }

  /// Returns the beginning of a text that has at most a number of bytes.
  private func cut(_ text: String, to count: Int) -> String {
    guard text.utf8.count > count else { return text }
    var result = ""
    for character in text {
      guard result.utf8.count + character.utf8.count <= count else { break }
      result.append(character)
    }
    return result
  }
}

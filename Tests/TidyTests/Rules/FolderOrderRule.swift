// SPDX-License-Identifier: Apache-2.0

/// The folders of a target have an order, and a folder may use only its own types and those of folders below it: so a
/// part can be read and changed without the parts that depend on it.
struct FolderOrderRule {
  /// The folders of each target from the bottom up; the target's own folder is the empty name.
  let orders: [String: [String]]

  /// Returns the references to types of a folder above, by target, as "file: Type (folder)".
  func upward(in files: [SourceFile]) -> [String: [String]] {
    var result: [String: [String]] = [:]
    for (target, files) in Dictionary(grouping: files.filter { $0.target != nil }, by: \.target!) {
      result[target] = upward(in: target, files).sorted()
    }
    return result
  }

  /// Returns the folders that no order names.
  func unordered(in files: [SourceFile]) -> [String] {
    let folders = Set(
      files.compactMap { file in file.target.map { "\($0)/\(Self.folder(of: file))" } })
    let known = Set(orders.flatMap { target, order in order.map { "\(target)/\($0)" } })
    // A target with one folder needs no order.
    let counts = Dictionary(grouping: folders) { $0.prefix { $0 != "/" } }.mapValues(\.count)
    return folders.filter { !known.contains($0) && counts[$0.prefix { $0 != "/" }, default: 0] > 1 }
      .sorted()
  }

  private func upward(in target: String, _ files: [SourceFile]) -> [String] {
    guard let order = orders[target] else { return [] }
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    var homes: [Substring: String] = [:]
    for file in files {
      for line in file.codeLines {
        if let type = Self.declaredType(line) { homes[type] = Self.folder(of: file) }
      }
    }
    var found: [String] = []
    for file in files {
      guard let own = places[Self.folder(of: file)] else { continue }
      for line in file.codeLines {
        for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
          guard let home = homes[word], let place = places[home], place > own else { continue }
          found.append("\(file.name): \(word) (\(home))")
        }
      }
    }
    return found
  }

  /// The folder of a file within its target.
  static func folder(of file: SourceFile) -> String {
    let parts = file.path.split(separator: "/")
    let first = file.path.hasPrefix("Backends/") ? 3 : 2
    return parts.dropFirst(first).dropLast().joined(separator: "/")
  }

  private static let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "protocol"]

  /// The type that a line without indentation declares.
  private static func declaredType(_ line: Substring) -> Substring? {
    guard let first = line.first, first != " ", first != "}" else { return nil }
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(where: { Self.kinds.contains($0) }),
      place + 1 < words.count
    else { return nil }
    return words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Every source file begins with its licence, then a blank line.
struct LicenceRule: TidyRule {
  static let header = "// SPDX-License-Identifier: Apache-2.0"

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift || file.path.hasSuffix(".h") || file.path.hasSuffix(".c") else { return [] }
    var lines = file.lines[...]
    if lines.first?.hasPrefix("// swift-tools-version") == true { lines.removeFirst() }
    guard lines.first.map({ $0 == Self.header }) == true else {
      return [Finding(path: file.path, line: 1, message: "the licence line is missing")]
    }
    guard file.isSwift, let second = lines.dropFirst().first, !second.isEmpty else { return [] }
    return [Finding(path: file.path, line: 2, message: "a blank line follows the licence line")]
  }
}

/// Code fits on 100 columns; prose and string literals, which no formatter wraps, on 120.
struct LineWidthRule: TidyRule {
  static let limit = 100
  static let limitOfProse = 120

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    var found: [Finding] = []
    for (index, line) in file.lines.enumerated() where line.utf8.count > Self.limit {
      let text = line.trimmed
      // A row of a table cannot be wrapped.
      if text.hasPrefix("/// |") { continue }
      let isCode = !text.hasPrefix("//") && !text.has("\"") && !isInString(index, file)
      let limit = isCode ? Self.limit : Self.limitOfProse
      let width = line.unicodeScalars.count
      guard width > limit else { continue }
      found.append(
        Finding(path: file.path, line: index + 1, message: "\(width) columns, at most \(limit)"))
    }
    return found
  }

  /// Returns whether a line is part of a multi-line string literal.
  private func isInString(_ index: Int, _ file: SourceFile) -> Bool {
    file.codeLines[index].trimmed.isEmpty
  }
}

/// A file has at most 500 lines; one with more than 350 must be on the list of files that may only shrink.
struct FileLengthRule: TidyRule {
  static let limit = 500
  static let comfortable = 350

  /// The files with more than 350 lines, with their maximum lengths.
  let ratchet: [String: Int]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let count = file.lines.count
    if count > Self.limit {
      return [finding(file, "\(count) lines, at most \(Self.limit)")]
    }
    guard let allowed = ratchet[file.path] else {
      guard count > Self.comfortable else { return [] }
      return [finding(file, "\(count) lines: past \(Self.comfortable) it goes on the list")]
    }
    if count > allowed { return [finding(file, "grew from \(allowed) to \(count) lines")] }
    if count <= Self.comfortable { return [finding(file, "is short again: take it off the list")] }
    return []
  }

  private func finding(_ file: SourceFile, _ message: String) -> Finding {
    Finding(path: file.path, line: 1, message: message)
  }
}

/// Names must not contain words that say nothing, or only when something was written.
struct FileNameRule: TidyRule {
  private static let empty = ["Helper", "Helpers", "Utils", "Utilities", "Manager", "Misc"]
  private static let timely = ["New", "Old", "Legacy", "Deprecated"]
  /// Core Data's own names, and one modelled on them.
  private static let coreData: Set<String> = [
    "ChangeUndoManager", "MigrationManager", "NSMigrationManager", "StagedMigrationManager",
    "PersistentUndoManager",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let type = file.name.prefix { $0 != "." && $0 != "+" }
    if Self.empty.contains(where: { type.hasSuffix($0) }), !Self.coreData.contains(String(type)) {
      return [Finding(path: file.path, line: 1, message: "the name says nothing")]
    }
    if file.path.split(separator: "/").contains(where: { Self.timely.contains(String($0)) }) {
      return [Finding(path: file.path, line: 1, message: "a path says what, not when")]
    }
    return []
  }
}

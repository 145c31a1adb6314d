// SPDX-License-Identifier: Apache-2.0

/// Stores change names and lengths of files in one place, which makes the changes durable: a power loss may undo a
/// system call alone.
struct FileOperationRule: TidyRule {
  private static let calls: [StaticString] = [
    "unlink(", "rename(", "ftruncate(", "removeItem(", "moveItem(", "copyItem(", "replaceItem",
  ]

  /// Source files that only remove abandoned or temporary files.
  private static let exceptions: Set<String> = [
    "Backends/LMDB/RoostLMDB/Environment/LMDBCreation.swift",
    "Backends/LMDB/RoostLMDB/Environment/LMDBLocation.swift",
    "Backends/LMDB/RoostLMDB/Store/LMDBDriver+Files.swift",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.path.hasPrefix("Backends/"), !Self.exceptions.contains(file.path)
    else { return [] }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() {
      guard let call = Self.calls.first(where: { line.has($0) }) else { continue }
      found.append(
        Finding(
          path: file.path, line: index + 1,
          message: "\(call)…: DurableFiles does this, and makes it durable"))
    }
    return found
  }
}

// SPDX-License-Identifier: Apache-2.0

/// While a lock is held that guards values, nobody asks a disk, a server or a store: whoever wants the values would
/// wait for these.
///
/// It looks at the closures of `withLock`, where locks are held that everybody takes. Locks that keep the writers of a
/// file apart are taken by `lock()`, and are held over what they keep apart.
struct LockedInputOutputRule: TidyRule {
  private static let calls: [StaticString] = [
    "sqlite3_", "mdb_", "PQ", ".commit(", ".fetch(", ".requesting", "driver.", "StoreOpening(",
    "FileManager", "FileHandle", "SideFiles(", "fsync(", "flock(", "fstat(", "lstat(", ".close()",
    ".openReader(", ".run(", "connection.", ".changeMark(",
  ]

  private static let exceptions: Set<String> = [
    // The lock is that of one connection, which only the looks for other writers use, one after the other.
    "Backends/SQLite/RoostSQLite/Connection/ConnectionPool+Watching.swift",
    // LMDB sets a flag in memory.
    "Backends/LMDB/RoostLMDB/Environment/LMDBEnvironment.swift",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct, file.text.has("withLock"),
      !file.path.hasPrefix("Sources/RoostConformance"),
      !file.path.hasPrefix("Sources/RoostSimulation"), !Self.exceptions.contains(file.path)
    else { return [] }
    var found: [Finding] = []
    for index in file.codeLines.indices where file.codeLines[index].has(".withLock") {
      for (line, code) in held(from: index, in: file) {
        guard let call = Self.calls.first(where: { code.has($0) }) else { continue }
        found.append(
          Finding(
            path: file.path, line: line + 1, message: "\(call) is called while a lock is held"))
      }
    }
    return found
  }

  /// What is done while the lock is held that a line takes, line by line.
  private func held(from index: Int, in file: SourceFile) -> [(line: Int, code: Substring)] {
    var parts: [(line: Int, code: Substring)] = []
    var depth = 0
    for line in index..<file.codeLines.count {
      var code = file.codeLines[line]
      if line == index, let start = code.firstRange(of: ".withLock")?.upperBound {
        code = code[start...]
      }
      guard line == index || depth > 0 else { break }
      var end = code.endIndex
      for place in code.indices {
        if code[place] == "{" || code[place] == "(" { depth += 1 }
        guard code[place] == "}" || code[place] == ")" else { continue }
        depth -= 1
        if depth <= 0 {
          end = place
          break
        }
      }
      parts.append((line, code[..<end]))
    }
    return parts
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A lock that guards values must not be held during I/O or store requests: other threads that need the values would
/// wait for them.
///
/// The rule checks the closures of `withLock`, which is used for locks on values. Locks that serialize the writers of
/// a file use `lock()`, and are held during the writes.
struct LockedInputOutputRule: TidyRule {
  private static let calls: [StaticString] = [
    "sqlite3_", "mdb_", "PQ", ".commit(", ".fetch(", ".requesting", "driver.", "StoreOpening(",
    "FileManager", "FileHandle", "SideFiles(", "fsync(", "flock(", "fstat(", "lstat(", ".close()",
    ".openReader(", ".run(", "connection.", ".changeMark(",
  ]

  private static let exceptions: Set<String> = [
    // The lock is that of one connection, which only the sequential checks for other writers use.
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

  /// Returns the code that runs while the lock that a line takes is held, line by line.
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

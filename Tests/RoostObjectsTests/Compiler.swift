// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs the compiler on a small program against the modules of this build.
enum Compiler {
  struct Result {
    let succeeded: Bool
    let output: String
  }

  /// Whether programs are compiled: if a compiler and the modules are available, and always in continuous
  /// integration, which sets `ROOST_REQUIRE_COMPILER`.
  static var isUsed: Bool {
    modules != nil && executable != nil
      || ProcessInfo.processInfo.environment["ROOST_REQUIRE_COMPILER"]?.isEmpty == false
  }

  /// The folder of the modules, next to the test bundle.
  private static let modules: URL? = {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 {
      let candidate = folder.appending(path: "Modules")
      if FileManager.default.fileExists(atPath: candidate.appending(path: "Roost.swiftmodule").path)
      {
        return candidate
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }()

  /// The folder of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let executable: URL? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// The plugin that expands the macros, next to the modules.
  private static var plugin: String {
    let folder = modules?.deletingLastPathComponent().path ?? ""
    return "\(folder)/RoostMacros-tool#RoostMacros"
  }

  /// Writes the symbol graph of a module's public interface into a folder.
  static func extractSymbols(of module: String, into folder: URL) throws {
    let modules = try #require(modules, "The modules of this build are not beside the tests.")
    let executable = try #require(executable, "There is no swiftc on the PATH.")
    let target = try run(executable, ["-print-target-info"]).output
    let triple = try #require(
      target.firstMatch(of: /"triple": "([^"]+)"/)?.output.1, "The compiler names no target.")
    let result = try run(
      executable.resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "swift-symbolgraph-extract"),
      [
        "-module-name", module, "-I", modules.path, "-I", "Backends/SQLite/CSQLite", "-I",
        "Backends/LMDB/CLMDB", "-I", "Sources/CSwiftRuntime", "-I",
        "Backends/PostgreSQL/CPostgreSQL", "-target",
        String(triple), "-minimum-access-level", "public", "-skip-synthesized-members",
        "-output-dir", folder.path,
      ] + libraryFolders.flatMap { ["-Xcc", $0] })
    try #require(result.succeeded, "\(result.output)")
  }

  /// The include options for the C libraries, from pkg-config.
  private static let libraryFolders: [String] = {
    let found = try? run(
      URL(filePath: "/usr/bin/env"), ["pkg-config", "--cflags-only-I", "sqlite3", "lmdb", "libpq"])
    guard let found, found.succeeded else { return [] }
    return found.output.split(whereSeparator: \.isWhitespace).map(String.init)
  }()

  static func check(_ program: String, _ options: String...) throws -> Result {
    try check(program, options)
  }

  static func check(_ program: String, _ options: [String]) throws -> Result {
    let modules = try #require(modules, "The modules of this build are not beside the tests.")
    let executable = try #require(executable, "There is no swiftc on the PATH.")
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-isolation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "program.swift")
    try program.write(to: source, atomically: true, encoding: .utf8)
    return try run(
      executable,
      [
        "-emit-sil", "-swift-version", "6", "-parse-as-library", "-I", modules.path,
        "-I", "Sources/CSwiftRuntime", "-load-plugin-executable", plugin, "-module-cache-path",
        folder.appending(path: "cache").path, "-o",
        folder.appending(path: "program.sil").path, source.path,
      ] + options)
  }

  private static func run(_ executable: URL, _ arguments: [String]) throws -> Result {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = root
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      succeeded: process.terminationStatus == 0,
      output: String(decoding: output, as: UTF8.self))
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommandLine
import Testing

@testable import RoostCommandKit

/// Tests of what the command prints when it fails.
@Suite struct ErrorReportTests {
  @Test(
    "a failing command prints the remedy in a line of its own",
    arguments: [
      (["query", "STORE", "Persn"], "“roost inspect” lists the entities of a store."),
      (
        ["query", "STORE", "Person", "nmae == 'x'"],
        "“roost inspect” lists the properties of each entity."
      ),
      (
        ["count", "STORE", "Person", "name =="],
        "Mend the format at the position that the message names."
      ),
      (["inspect", "NONE"], "Name a store that is there, and see that it may be read."),
      (
        ["inspect", "TEXT"],
        "Name a store with its kind, as sqlite:PATH, lmdb:PATH or binary:PATH."
      ),
      (["inspect", "FOLDER"], "Name the file in it."),
      (["backup", "STORE", "FOLDER"], "Name the file in it."),
      (["copy", "STORE", "NODIR/x.lmdb"], "Make the folder first, or name another place."),
      (
        ["export", "STORE", "--csv", "--to", "FOLDER/csv"],
        "Leave them out by their names, or export JSON lines."
      ),
      (["import", "STORE", "NODIR"], "Name a file or a folder that is there."),
      (["seed", "STORE", "NODIR"], "Name a file or a folder that is there."),
      (
        ["check", "MODEL", "--against", "NODIR/HR.roostlock"],
        "“roost lock MODEL --file NODIR/HR.roostlock” writes it."
      ),
      (
        ["count", "STORE", "Team", "--model", "OTHER"],
        "Leave --model out, or bring the store to the model: roost migrate STORE --to MODEL."
      ),
    ])
  func remedies(words: [String], remedy: String) throws {
    let sample = try Sample()
    let places = try Places(sample)
    let result = sample.run(words.map(places.filled))
    #expect(result.code == 1, "\(result.errors)")
    let lines = result.errors.split(separator: "\n").map(String.init)
    #expect(lines.count >= 2, "\(result.errors)")
    #expect(lines.contains(places.filled(remedy)), "\(result.errors)")
  }

  @Test(
    "a failure names the path in words, whatever the command",
    arguments: [
      (["inspect", "DAMAGED"], "DAMAGED"), (["query", "DAMAGED", "Person"], "DAMAGED"),
      (["count", "DAMAGED", "Person"], "DAMAGED"), (["explain", "DAMAGED", "Person"], "DAMAGED"),
      (["browse", "DAMAGED"], "DAMAGED"), (["check", "NONE"], "NONE"),
      (["inspect", "FOLDER"], "FOLDER"), (["inspect", "lmdb:SQLITE"], "SQLITE"),
      (["copy", "DAMAGED", "FOLDER/copy.sqlite"], "DAMAGED"),
      (["copy", "STORE", "FOLDER"], "FOLDER"),
      (["copy", "STORE", "NODIR/x.sqlite"], "NODIR"), (["copy", "STORE", "STORE"], "SQLITE"),
      (["backup", "STORE", "FOLDER"], "FOLDER"), (["backup", "STORE", "NODIR/b"], "NODIR"),
      (["backup", "DAMAGED", "FOLDER/b.lmdb"], "DAMAGED"), (["backup", "STORE", "TEXT"], "TEXT"),
      (["restore", "DAMAGED", "lmdb:FOLDER/r"], "DAMAGED"),
      (["restore", "SQLITE", "NODIR/r"], "NODIR"),
      (["export", "DAMAGED", "--json", "--to", "-"], "DAMAGED"),
      (["export", "STORE", "--to", "NODIR/x.jsonl"], "NODIR"),
      (["export", "STORE", "Team", "--json", "--force", "--to", "FOLDER"], "FOLDER"),
      (["import", "STORE", "NODIR/x.csv"], "NODIR"), (["import", "DAMAGED", "TEXT"], "DAMAGED"),
      (["seed", "STORE", "NODIR"], "NODIR"), (["seed", "NONE", "TEXT"], "NONE"),
      (["diagram", "STORE", "--svg", "NODIR/x.svg"], "NODIR"),
      (["diagram", "MODEL", "--layout", "own", "--svg", "FOLDER"], "FOLDER"),
      (["diff", "NODIR/a.xcdatamodeld", "MODEL"], "NODIR"),
      (["diff", "DAMAGED", "MODEL"], "DAMAGED"),
      (["lock", "NODIR/a.xcdatamodeld", "--file", "FOLDER/a.roostlock"], "NODIR"),
      (["lock", "MODEL", "--file", "/proc/roost/a.roostlock"], "/proc/roost"),
      (["check", "MODEL", "--against", "NODIR/a.roostlock"], "NODIR"),
      (["migrate", "DAMAGED", "--to", "MODEL"], "DAMAGED"),
      (["migrate", "STORE", "--to", "NODIR/a.xcdatamodeld"], "NODIR"),
      (["mapping", "NODIR/a.xcdatamodeld", "MODEL"], "NODIR"),
      (["new-store", "PlainFile", "--folder", "/proc/roost"], "/proc/roost"),
      (["new-store", "PlainFile", "--folder", "TEXT"], "notes.txt"),
    ])
  func paths(words: [String], path: String) throws {
    let sample = try Sample()
    let places = try Places(sample)
    let result = sample.run(words.map(places.filled))
    #expect(result.code == 1, "\(result)")
    #expect(!(result.output + result.errors).contains("Error Domain="), "\(result.errors)")
    #expect(!(result.output + result.errors).contains("Code="), "\(result.errors)")
    #expect(result.errors.contains(places.filled(path)), "\(result.errors)")
  }

  @Test("an output that is full is told in words")
  func fullOutput() throws {
    let captured = CapturedConsole()
    let console = CommandConsole(
      output: { text in
        let file = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        try file.write(contentsOf: Data(text.utf8))
      }, errors: { captured.console.warn($0) })
    #expect(RoostProgram.run(["help"], console) == 1)
    #expect(captured.errors.contains("No space left on device."), "\(captured.errors)")
    #expect(!captured.errors.contains("Error Domain="), "\(captured.errors)")
  }

  @Test("a damaged record is told with its store and a remedy")
  func damagedRecord() throws {
    let failure = NamedFailure(
      title: "hr.lmdb", error: PersistenceError(.corruptStore, "The record 2 is damaged."))
    let report = try #require(ErrorReport(failure))
    #expect(
      report.text == """
        hr.lmdb: The record 2 is damaged.
        “roost check” lists what is damaged, and “roost restore” puts a backup in the place of a store.
        """)
  }

  @Test(
    "the remedy of the place that throws goes before the usual one, and no remedy is said twice")
  func ownRemedy() throws {
    let own = PersistenceError(.storeBusy, "It is busy.").withRemedy("Wait for the night.")
    #expect(ErrorReport(own)?.text == "It is busy.\nWait for the night.")
    let said = PersistenceError(.storeBusy, "It is busy. Wait.").withRemedy("Wait.")
    #expect(ErrorReport(said)?.text == "It is busy. Wait.")
    #expect(ErrorReport(CocoaError(.fileNoSuchFile)) == nil)
  }

  @Test("the version is the newest of the changelog")
  func version() throws {
    let sample = try Sample()
    let result = sample.roost("--version")
    #expect(result.code == 0)
    #expect(result.output == "roost \(RoostProgram.version)\n")
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let changes = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let heading = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
    #expect(heading.dropFirst(3).prefix { $0 != "," && $0 != " " } == RoostProgram.version)
  }
}

extension PersistenceError {
  fileprivate func withRemedy(_ sentence: String) -> PersistenceError {
    var error = self
    error.remedy = sentence
    return error
  }
}

/// Stores and files for words of a command line, which name them in capitals.
private struct Places {
  private let words: [(name: String, path: String)]

  init(_ sample: Sample) throws {
    let store = try sample.makeStore()
    let (text, damaged) = (sample.path("notes.txt"), sample.path("damaged.sqlite"))
    try Data("Not a store.".utf8).write(to: URL(filePath: text))
    var bytes = try Data(contentsOf: URL(filePath: String(store.dropFirst("sqlite:".count))))
    for index in stride(from: 100, to: bytes.count, by: 3) { bytes[index] ^= 0x5A }
    try bytes.write(to: URL(filePath: damaged))
    words = [
      ("STORE", store), ("SQLITE", String(store.dropFirst("sqlite:".count))),
      ("NONE", sample.path("none.sqlite")), ("TEXT", text), ("DAMAGED", damaged),
      ("NODIR", sample.path("none")), ("FOLDER", sample.path("folder")),
      ("OTHER", sample.versionPath("HR 2")), ("MODEL", sample.versionPath("HR")),
    ]
    try FileManager.default.createDirectory(
      atPath: sample.path("folder"), withIntermediateDirectories: true)
  }

  /// Returns a word with the paths for the names at its beginning, or after the kind of a store.
  func filled(_ word: String) -> String {
    for (name, path) in words {
      for start in [name, "lmdb:\(name)"] where word == start || word.hasPrefix(start + "/") {
        return (start == name ? "" : "lmdb:") + path + word.dropFirst(start.count)
      }
    }
    // The remedy of a missing lock file has its path.
    return word.replacing("NODIR", with: words.first { $0.name == "NODIR" }?.path ?? "")
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExchange
import Testing

/// Tests of output files that are replaced atomically.
@Suite struct OutputFileTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func mode(_ url: URL) throws -> Int? {
    let path = url.path(percentEncoded: false)
    let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return (found as? NSNumber)?.intValue
  }

  private func write(_ text: String, to url: URL) throws {
    let file = try OutputFile(url)
    try file.write { $0.append(contentsOf: text.utf8) }
    try OutputFile.finish([file])
  }

  @Test("a new file is its owner's, and one that is replaced keeps its permissions (E6)")
  func permissions() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a")
      try write("1", to: url)
      #expect(try mode(url) == 0o600)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: url.path(percentEncoded: false))
      try write("2", to: url)
      #expect(try mode(url) == 0o644)
      #expect(try String(contentsOf: url, encoding: .utf8) == "2")
    }
  }

  @Test("a link stays, and what is no file is refused (E6)")
  func links() throws {
    try withFolder { folder in
      let (url, link) = (folder.appending(path: "a"), folder.appending(path: "link"))
      try write("1", to: url)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
      try write("2", to: link)
      #expect(try String(contentsOf: url, encoding: .utf8) == "2")
      try FileManager.default.removeItem(at: url)
      for place in [link, folder, URL(filePath: "/dev/null")] {
        let error = #expect(throws: PersistenceError.self) { try OutputFile(place) }
        #expect(error?.code == .invalidRequest)
      }
    }
  }

  @Test("several files are at their places together or not at all (E6)")
  func together() throws {
    try withFolder { folder in
      let (a, b) = (folder.appending(path: "a"), folder.appending(path: "b"))
      try write("old", to: a)
      let files = try [OutputFile(a), OutputFile(b)]
      for file in files { try file.write { $0.append(contentsOf: "new".utf8) } }
      // A folder that appears meanwhile cannot be replaced.
      try FileManager.default.createDirectory(
        at: b.appending(path: "x"), withIntermediateDirectories: true)
      #expect(throws: PersistenceError.self) { try OutputFile.finish(files) }
      #expect(try String(contentsOf: a, encoding: .utf8) == "old")
    }
  }
}

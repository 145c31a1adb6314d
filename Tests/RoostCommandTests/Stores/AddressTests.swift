// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of store addresses and of the detection of stores.
@Suite struct AddressTests {
  @Test("the kind of a file is found by looking at it", arguments: SampleKind.files)
  func detection(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let path = sample.path("plain")
    try FileManager.default.copyItem(
      atPath: String(address.dropFirst(kind.rawValue.count + 1)), toPath: path)
    let result = sample.roost("count", path, "Team", "-m", sample.modelPath)
    #expect(result.output == "2\n", "\(result.errors)")
  }

  @Test("what is no store is told as what it is")
  func wrongFiles() throws {
    let sample = try Sample()
    let text = sample.path("notes.txt")
    try Data("Not a store.".utf8).write(to: URL(filePath: text))
    let empty = sample.path("empty")
    try Data().write(to: URL(filePath: empty))
    for (word, message) in [
      (sample.path("none.sqlite"), "There is no store at \(sample.path("none.sqlite"))."),
      ("lmdb:" + sample.path("none"), "There is no store at \(sample.path("none"))."),
      (text, "\(text) is neither a SQLite, an LMDB nor a binary store."),
      (empty, "\(empty) is neither"),
      ("sqlite:" + empty, "There is no store at \(empty)."),
      (sample.folder.path, "is a folder, and a store is a file."),
    ] {
      let result = sample.roost("inspect", word)
      #expect(result.code == 1, "\(word)")
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    #expect(sample.roost("inspect", "sqlite:" + text).code == 1)
    #expect(sample.roost("inspect", "lmdb:" + text).code == 1)
    #expect(sample.roost("inspect", "binary:" + text).code == 1)
    // Detection does not change the files.
    #expect(try Data(contentsOf: URL(filePath: text)) == Data("Not a store.".utf8))
    #expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)
  }

  @Test("kinds that there are not, and addresses without a path, are refused as usage")
  func usage() throws {
    let sample = try Sample()
    let other = sample.roost("inspect", "mysql:hr")
    #expect(other.code == 2)
    #expect(other.errors.contains("STORE is of no kind that there is: “mysql”"))
    #expect(sample.roost("inspect", "sqlite:").code == 2)
    #expect(sample.roost("inspect", "").code == 2)
    #expect(sample.roost("inspect", "./with:colon").errors.contains("There is no store"))
  }

  @Test("a URI that is none is refused, and its password is not repeated")
  func uri() throws {
    let sample = try Sample()
    let result = sample.roost("inspect", "postgresql://user:secret@ho st/db#x")
    #expect(result.code == 1)
    #expect(!result.errors.contains("secret"))
  }

  @Test("a model of another version is refused, with what differs")
  func otherVersion() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let second = sample.modelPath + "/HR 2.xcdatamodel"
    let result = sample.roost("count", address, "Team", "--model", second)
    #expect(result.code == 1)
    #expect(
      result.errors.contains("written with another version of the model: Manager, Person"),
      "\(result.errors)")
  }

  @Test("of a model with several versions the one is taken that the store was written with")
  func versions() throws {
    let sample = try Sample()
    let address = try sample.address(.sqlite)
    let container = try sample.container(address, version: "HR 2")
    try container.close()
    let result = sample.roost(
      "query", address, "Person", "-c", "score", "--model", sample.modelPath)
    #expect(result.output == "score\n-----\n", "\(result.errors)")
  }

  @Test("a model file that is missing or damaged is told with its name")
  func badModel() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    let none = sample.path("None.xcdatamodeld")
    #expect(
      sample.roost("count", address, "Team", "--model", none).errors
        .contains("There is no model at"))
    let broken = sample.path("Broken.xcdatamodel")
    try FileManager.default.createDirectory(atPath: broken, withIntermediateDirectories: true)
    try Data("<model><entity".utf8).write(to: URL(filePath: broken + "/contents"))
    let result = sample.roost("count", address, "Team", "--model", broken)
    #expect(result.code == 1)
    #expect(result.errors.contains("Broken.xcdatamodel/contents"))
  }

  @Test("a file that a newer Roost wrote is refused")
  func newer() throws {
    let sample = try Sample()
    let address = try sample.makeStore()
    try sample.execute("PRAGMA user_version = 99", on: address)
    let result = sample.roost("inspect", address)
    #expect(result.code == 1)
    let path = address.dropFirst("sqlite:".count)
    #expect(
      result.errors.hasPrefix("roost: \(path): The file was written by a newer Roost.\n"),
      "\(result.errors)")
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of commands on stores that keep their model, so that no model need be named.
@Suite struct StoredModelTests {
  @Test("every command finds the model in the store", arguments: SampleKind.here)
  func commands(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    guard try sample.keepsModel(store) else {
      let result = sample.roost("count", store, "Team")
      #expect(result.errors.contains("give the model with --model FILE"))
      return
    }
    for words in [
      ["query", store, "Person", "team.name == 'Engines'"], ["count", store, "Team"],
      ["explain", store, "Person", "age > 18"], ["check", store], ["diagram", store],
      ["copy", store, sample.path("copy.sqlite")],
    ] {
      let result = sample.run(words)
      #expect(result.errors.isEmpty, "\(words[0])")
      #expect(result.code == 0, "\(words[0])")
      #expect(!result.output.isEmpty)
    }
    #expect(sample.roost("inspect", store).output.contains("7 records of 4 entities"))
    #expect(
      sample.roost("diagram", store).output == sample.roost("diagram", sample.modelPath).output)
    #expect(sample.roost("count", "sqlite:" + sample.path("copy.sqlite"), "Person").output == "4\n")
  }

  @Test("a store without its model is described as far as that goes, and asks for it")
  func without() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    try sample.execute("DELETE FROM _roost_models", on: store)
    let result = sample.roost("inspect", store)
    #expect(result.code == 0)
    #expect(
      result.output.contains("  entities  Manager, Person, Skill, Team\n"), "\(result.output)")
    #expect(result.output.contains("With --model FILE its records are counted."))
    let count = sample.roost("count", store, "Team")
    #expect(count.code == 1)
    #expect(count.errors.contains("give the model with --model FILE"))
    #expect(sample.roost("count", store, "Team", "-m", sample.modelPath).output == "2\n")
  }

  @Test("a model that was tampered with is found, and not used")
  func tampered() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    try sample.execute(
      "UPDATE _roost_models SET text = replace(text, 'email', 'e-mail')", on: store)
    #expect(sample.roost("count", store, "Team").code == 1)
    let check = sample.roost("check", store)
    #expect(check.code == 1)
    #expect(check.output.contains("The text of the model cannot be used"), "\(check.output)")
  }
}

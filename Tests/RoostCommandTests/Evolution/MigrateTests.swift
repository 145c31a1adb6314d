// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// `roost diff`, `roost migrate` and `roost mapping`.
@Suite struct MigrateTests {
  @Test("a difference names each change, and says whether stores can follow")
  func diff() throws {
    let sample = try Sample()
    let (first, second) = (sample.versionPath("HR"), sample.versionPath("HR 2"))
    let added = sample.roost("diff", first, second)
    #expect(added.code == 0)
    #expect(added.output.hasPrefix("- add attribute Person.score"), "\(added.output)")
    #expect(added.output.hasSuffix("\nStores can follow by themselves.\n"))
    let removed = sample.roost("diff", second, first)
    #expect(removed.output.hasSuffix("\nStores can follow by themselves, and lose data.\n"))
    #expect(sample.roost("diff", first, first).output == "Nothing is different that stores know.\n")
    let changed = sample.roost("diff", first, sample.versionPath("HR 4"))
    #expect(changed.code == 1)
    #expect(changed.errors.contains("[Person.age]"), "\(changed.errors)")
    #expect(sample.roost("diff", first, sample.path("none.mom")).code == 1)
  }

  @Test("a difference is printed as JSON, also where stores cannot follow")
  func json() throws {
    let sample = try Sample()
    let first = sample.versionPath("HR")
    func node(_ other: String, code: Int32) throws -> [String: Any] {
      let result = sample.roost("diff", first, sample.versionPath(other), "--json")
      #expect(result.code == code)
      return try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }
    let added = try node("HR 2", code: 0)
    #expect(added["isInferable"] as? Bool == true)
    let changes = try #require(added["changes"] as? [[String: Any]])
    #expect(changes.map { $0["kind"] as? String } == ["attributeAdded"])
    #expect(changes.map { $0["key"] as? String } == ["score"])
    let changed = try node("HR 4", code: 1)
    #expect(changed["isInferable"] as? Bool == false)
    #expect((changed["reason"] as? String)?.isEmpty == false)
  }

  @Test(
    "a store is brought to another version, after a dry run that changes nothing",
    arguments: SampleKind.here)
  func migrate(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    guard try sample.keepsModel(store) else { return }
    let second = sample.versionPath("HR 2")
    let dry = sample.roost("migrate", store, "--to", second, "--dry-run")
    #expect(dry.errors.isEmpty)
    #expect(dry.output.contains("score"), "\(dry.output)")
    #expect(!dry.output.contains("is of version"))
    #expect(sample.roost("query", store, "Person", "-c", "score").code == 1)

    let done = sample.roost("migrate", store, "--to", second)
    #expect(done.errors.isEmpty)
    #expect(done.output.hasPrefix(dry.output))
    let checksum = try sample.model(version: "HR 2").versionChecksum
    #expect(done.output.hasSuffix(" is of version \(checksum) now.\n"), "\(done.output)")
    #expect(
      sample.roost(
        "query", store, "Person", "--csv", "-c", "name,score", "-n", "1", "--sort", "name"
      )
      .output == "name,score\nAda,7\n")
    #expect(sample.roost("check", store).code == 0)
    let first = sample.versionPath("HR")
    for options in [["--dry-run"], ["--allow-loss"]] {
      let back = sample.run(["migrate", store, "--to", first] + options)
      #expect(back.code == 1)
      #expect(back.errors.contains("The store is newer than this model"), "\(back.errors)")
    }
    let again = sample.roost("migrate", store, "--to", second)
    #expect(again.code == 0)
    #expect(again.output.hasSuffix(" is of this version already.\n"))
    let earlier = sample.roost(
      "migrate", store, "--to", first, "--allow-earlier", "--allow-loss")
    #expect(earlier.code == 0, "\(earlier.errors)")
    #expect(earlier.output.contains("is of version"))
  }

  @Test(
    "a store serves two versions from --expand to --contract, on PostgreSQL only (M40)",
    arguments: SampleKind.here)
  func versions(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    guard try sample.keepsModel(store) else { return }
    let second = sample.versionPath("HR 2")
    let both = sample.roost("migrate", store, "--to", second, "--expand", "--contract")
    #expect(both.code == 1)
    #expect(both.errors.contains("name one of them"), "\(both.errors)")
    let expanded = sample.roost("migrate", store, "--to", second, "--expand")
    guard kind == .postgresql else {
      #expect(expanded.code == 1)
      #expect(expanded.errors.contains("PostgreSQL"), "\(expanded.errors)")
      return
    }
    #expect(expanded.errors.isEmpty)
    #expect(expanded.output.contains("addColumn, readers and writers wait"), "\(expanded.output)")
    let checksum = try sample.model(version: "HR 2").versionChecksum
    #expect(expanded.output.hasSuffix(" serves version \(checksum) as well now.\n"))
    // The store is still one of the old version.
    #expect(sample.roost("count", store, "Person", "age != nil").output == "3\n")
    // It is withdrawn, and expanded again.
    let named = sample.roost("migrate", store, "--to", second, "--abandon")
    #expect(named.code == 1)
    #expect(named.errors.contains("leave --to out"), "\(named.errors)")
    let lossy = sample.roost("migrate", store, "--abandon")
    #expect(lossy.code == 1)
    #expect(lossy.errors.contains("--allow-loss allows it"), "\(lossy.errors)")
    let withdrawn = sample.roost("migrate", store, "--abandon", "--allow-loss")
    #expect(withdrawn.errors.isEmpty)
    #expect(withdrawn.code == 0)
    #expect(sample.roost("migrate", store, "--abandon").output.hasSuffix(" serves one version.\n"))
    #expect(sample.roost("migrate", store, "--to", second, "--expand").code == 0)
    let ended = sample.roost("migrate", store, "--to", second, "--contract")
    #expect(ended.errors.isEmpty)
    #expect(ended.output.hasSuffix(" is of version \(checksum) now.\n"), "\(ended.output)")
    #expect(sample.roost("query", store, "Person", "-c", "score").code == 0)
  }

  @Test(
    "the status of a store names its versions, and what is not done yet", arguments: SampleKind.here
  )
  func status(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    guard try sample.keepsModel(store) else { return }
    let (first, second) = try (
      sample.model(version: "HR").versionChecksum, sample.model(version: "HR 2").versionChecksum
    )
    let before = sample.roost("migrate", store, "--status")
    #expect(before.errors.isEmpty)
    #expect(before.output.contains("version  \(first)"), "\(before.output)")
    #expect(!before.output.contains("also serves"))
    let place = sample.versionPath("HR 2")
    #expect(sample.roost("migrate", store, "--status", "--to", place).code == 1)
    let throttled = sample.roost("migrate", store, "--to", place, "--throttle", "20%")
    #expect(throttled.code == 1)
    #expect(throttled.errors.contains("--expand"), "\(throttled.errors)")
    for share in ["0%", "120%", "much"] {
      #expect(
        sample.roost("migrate", store, "--to", place, "--expand", "--throttle", share).code == 2)
    }
    if kind == .postgresql {
      let expanded = sample.roost(
        "migrate", store, "--to", place, "--expand", "--throttle", "90%")
      #expect(expanded.errors.isEmpty)
      let both = sample.roost("migrate", store, "--status")
      #expect(both.output.contains("also serves  \(second)"), "\(both.output)")
      #expect(sample.roost("migrate", store, "--to", place, "--contract").code == 0)
    } else {
      #expect(sample.roost("migrate", store, "--to", place).code == 0)
    }
    let after = sample.roost("migrate", store, "--status")
    #expect(after.output.contains("version  \(second)"), "\(after.output)")
    #expect(after.output.contains("before   \(first)"), "\(after.output)")
    #expect(sample.roost("migrate", sample.path("none"), "--status").code == 1)
  }

  @Test("data is lost when that is allowed only", arguments: SampleKind.here)
  func loss(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    guard try sample.keepsModel(store) else { return }
    let third = sample.versionPath("HR 3")
    let refused = sample.roost("migrate", store, "--to", third)
    #expect(refused.code == 1)
    #expect(refused.output.contains("\nLOSES "), "\(refused.output)")
    #expect(refused.errors.contains("--allow-loss allows it; nothing was changed."))
    #expect(sample.roost("count", store, "Person", "age != nil").output == "3\n")
    let done = sample.roost("migrate", store, "--to", third, "--allow-loss")
    #expect(done.errors.isEmpty)
    #expect(done.code == 0)
    #expect(sample.roost("query", store, "Person", "-c", "age").code == 1)
    #expect(sample.roost("count", store, "Person").output == "4\n")
  }

  @Test("what cannot be inferred, and an earlier version, are refused, and the store stays")
  func refusals() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let changed = sample.roost("migrate", store, "--to", sample.versionPath("HR 4"))
    #expect(changed.code == 1)
    #expect(changed.errors.contains("[Person.age]"), "\(changed.errors)")
    #expect(sample.roost("migrate", store, "--to", sample.versionPath("HR 2")).code == 0)
    let back = sample.roost(
      "migrate", store, "--to", sample.versionPath("HR"), "--allow-loss")
    #expect(back.code == 1)
    #expect(back.errors.contains("newer than this model"), "\(back.errors)")
    #expect(sample.roost("count", store, "Person", "score == 7").output == "4\n")
    #expect(sample.roost("migrate", store).code == 2)
    #expect(sample.roost("migrate", sample.path("none"), "--to", sample.modelPath).code == 1)
  }

  @Test("a store without its model is migrated from one that is named")
  func withoutModel() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    try sample.execute("DELETE FROM _roost_models", on: store)
    let second = sample.versionPath("HR 2")
    #expect(sample.roost("migrate", store, "--to", second).code == 1)
    let done = sample.roost("migrate", store, "--to", second, "--model", sample.versionPath("HR"))
    #expect(done.errors.isEmpty)
    #expect(sample.roost("count", store, "Person", "score == 7").output == "4\n")
  }

  @Test("the code of a mapping has what follows, and a policy for what does not (M65)")
  func mapping() throws {
    let sample = try Sample()
    let result = sample.roost("mapping", sample.versionPath("HR"), sample.versionPath("HR 4"))
    #expect(result.errors.isEmpty)
    for line in [
      #"    let personMapping = EntityMapping(from: "Person", to: "Person")"#,
      #"    personMapping.entityMigrationPolicy = PersonPolicy.self"#,
      #"      PropertyMapping(name: "name", valueExpression: .source("name")),"#,
      #"      PropertyMapping(name: "team", valueExpression: .destinations(of: "team")),"#,
      #"      // age was integer32, and age is string."#,
      #"final class PersonPolicy: EntityMigrationPolicy {"#,
      #"    try objects["Team"]?.setValue("text", forKey: "name")"#,
      #"  description.migration = MappingModels([ModelMapping.model()])"#,
    ] {
      #expect(result.output.contains("\n\(line)\n"), "\(line) in \(result.output)")
    }
    #expect(!result.output.contains("TeamPolicy"))
  }
}

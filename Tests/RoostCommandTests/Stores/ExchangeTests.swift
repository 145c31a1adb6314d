// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of `roost export`, `roost import` and `roost seed`.
@Suite struct ExchangeTests {
  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private func persons(_ sample: Sample, _ store: String) -> String {
    sample.run([
      "query", store, "Person", "--csv", "--columns",
      "name,age,email,photo,joined,team.name,skills.@count", "--sort", "name", "-m",
      sample.modelPath,
    ]).output
  }

  @Test(
    "what is exported is imported into a store of any kind, once (E20)", arguments: SampleKind.here)
  func roundTrip(kind: SampleKind) throws {
    let sample = try Sample()
    let source = try sample.makeStore(kind)
    let file = sample.path("hr.jsonl")
    let result = sample.roost("export", source, "--to", file, "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    #expect(
      result.output == """
        entity   records
        Manager        1
        Person         3
        Skill          1
        Team           2
        7 records -> \(file)

        """)
    let copy = try sample.address(kind, "copy")
    try sample.container(copy).close()
    let first = sample.roost("import", copy, file, "-m", sample.modelPath)
    #expect(first.errors.isEmpty)
    #expect(first.output == "7 inserted, 0 updated, 0 unchanged\n")
    #expect(persons(sample, copy) == persons(sample, source))
    let second = sample.roost("import", copy, file, "-m", sample.modelPath, "--upsert", "--resume")
    #expect(second.output == "0 inserted, 0 updated, 7 unchanged\n")
    #expect(sample.roost("count", copy, "Team", "-m", sample.modelPath).output == "2\n")
  }

  @Test("CSV is written to a folder, a file or the standard output (E20)")
  func csv() throws {
    let sample = try Sample()
    let source = try sample.makeStore()
    let folder = sample.path("csv")
    let refused = sample.roost("export", source, "--csv", "--to", folder)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("Person.skills"))
    let words = ["export", source, "--csv", "--without", "Person.skills", "--to"]
    #expect(sample.run(words + [folder]).code == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        == ["Manager.csv", "Person.csv", "Skill.csv", "Team.csv"])
    let again = sample.run(words + [folder])
    #expect(again.code == 1)
    #expect(again.errors.contains("--force"))
    #expect(sample.run(words + [folder, "--force"]).code == 0)
    let people = try String(contentsOfFile: folder + "/Person.csv", encoding: .utf8)
    #expect(people.contains("\"Bob \"\"the, builder\"\"\""))

    let printed = sample.roost("export", source, "Team", "--json", "--to", "-")
    #expect(printed.output.split(separator: "\n").count == 2)
    #expect(printed.output.contains(#""name":"Compilers""#))
    let table = sample.roost("export", source, "Team", "--csv", "--delimiter", ";", "--to", "-")
    #expect(table.output.hasPrefix("@id;name\n"))

    let copy = try sample.address(.lmdb, "copy")
    try sample.container(copy).close()
    #expect(sample.roost("import", copy, folder).output == "7 inserted, 0 updated, 0 unchanged\n")
  }

  @Test("columns are mapped, lines are refused with their place, a dry run writes nothing (E20)")
  func importing() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let file = sample.path("contacts.csv")
    try Data("Name,Mail,ModelWarnings\nEve,eve@example.org,x\nAda L,ada@example.org,\n".utf8)
      .write(to: URL(filePath: file))
    let words = [
      "import", store, file, "--entity", "Person", "--map", "Name=name", "--map", "Mail=email",
      "--map", "ModelWarnings=",
    ]
    let trial = sample.run(words + ["--dry-run"])
    #expect(trial.output == "would be: 1 inserted, 1 updated, 0 unchanged\n")
    #expect(sample.roost("count", store, "Person", "name == 'Eve'").output == "0\n")
    let insert = sample.run(words + ["--insert"])
    #expect(insert.code == 1)
    #expect(insert.errors.contains("contacts.csv, line 3: "))
    #expect(
      sample.run(words + ["--key", "Person=email"]).output == "1 inserted, 1 updated, 0 unchanged\n"
    )
    #expect(sample.roost("count", store, "Person", "name == 'Ada L'").output == "1\n")
    let unmapped = sample.roost("import", store, file, "--entity", "Person")
    #expect(unmapped.code == 1)
    #expect(unmapped.errors.contains("“Person” has no property “Name”"))
    let skills = sample.path("Skill.jsonl")
    try Data(#"{"title":"C","people":[{"email":"nobody@example.org"}]}"#.utf8)
      .write(to: URL(filePath: skills))
    #expect(sample.roost("import", store, skills).errors.contains("Skill.jsonl, line 1: “people”"))
    #expect(
      sample.roost("import", store, skills, "--skip-missing", "--anew").output.contains(
        "1 destinations skipped"))
  }

  @Test("seeds are applied once for each version (E20)")
  func seeds() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let file = sample.path("Person.jsonl")
    try Data("{\"name\":\"Seed\",\"email\":\"seed@example.org\"}\n".utf8)
      .write(to: URL(filePath: file))
    #expect(sample.roost("seed", store, file).output == "1 inserted, 0 updated, 0 unchanged\n")
    let again = sample.roost("seed", store, file)
    #expect(again.output == "The store has version 1 of “seeds”, or a later one.\n")
    #expect(
      sample.roost("seed", store, file, "--seed-version", "2").output
        == "0 inserted, 0 updated, 1 unchanged\n")
    #expect(sample.roost("seed", store, file, "--name", "other").code == 0)
    try Data("{\"name\":\"Team\"}\n".utf8).write(to: URL(filePath: sample.path("Team.jsonl")))
    let refused = sample.roost("seed", store, sample.path("Team.jsonl"), "--name", "teams")
    #expect(refused.code == 1)
    #expect(refused.errors.contains("unique key"))
  }

  @Test("a folder of seeds that is missing or empty is told also when the version is taken (E20)")
  func missingSeeds() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let file = sample.path("Person.jsonl")
    try Data("{\"name\":\"Seed\",\"email\":\"seed@example.org\"}\n".utf8)
      .write(to: URL(filePath: file))
    #expect(sample.roost("seed", store, file).code == 0)
    let mistyped = sample.roost("seed", store, sample.path("Sedes"))
    #expect(mistyped.code == 1)
    #expect(mistyped.errors.contains("There is no file at \(sample.path("Sedes"))."))
    let empty = sample.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let nothing = sample.roost("seed", store, empty)
    #expect(nothing.code == 1)
    #expect(nothing.errors.contains("The folder \(empty) has no files to import."))
  }

  @Test("with a model, seeds make the store (E20)", arguments: SampleKind.here)
  func seedsOfNewStore(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.address(kind)
    let file = sample.path("Person.jsonl")
    try Data("{\"name\":\"Seed\",\"email\":\"seed@example.org\"}\n".utf8)
      .write(to: URL(filePath: file))
    let refused = sample.roost("seed", store, file)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("There is no store at"), "\(refused.errors)")
    let first = sample.roost("seed", store, file, "--model", sample.modelPath)
    #expect(first.errors.isEmpty)
    #expect(first.output == "1 inserted, 0 updated, 0 unchanged\n")
    let second = sample.roost("seed", store, file, "--model", sample.modelPath)
    #expect(second.output == "The store has version 1 of “seeds”, or a later one.\n")
    #expect(sample.roost("count", store, "Person", "-m", sample.modelPath).output == "1\n")
  }

  @Test("a store that was made for seeds that fail is removed (E20)", arguments: SampleKind.here)
  func failingSeeds(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.address(kind)
    let file = sample.path("Team.jsonl")
    try Data("{\"name\":\"Team\"}\n".utf8).write(to: URL(filePath: file))
    let failed = sample.roost("seed", store, file, "--model", sample.modelPath)
    #expect(failed.code == 1)
    #expect(failed.errors.contains("unique key"), "\(failed.errors)")
    #expect(sample.roost("inspect", store).errors.contains("There is no store at"))
  }

  @Test("words that make no sense end with 2, and near names are told (E20)")
  func words() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    for words in [
      ["export", store, "--json"], ["export", store, "--to", sample.path("hr")],
      ["export", store, "--json", "--csv", "--to", "x"],
      ["export", store, "--json", "--delimiter", ";", "--to", "x.csv"],
      ["export", store, "--delimiter", "ab", "--to", "x.csv"],
      ["export", store, "--json", "--to", "x", "--batch", "0"], ["import", store],
      ["import", store, "x.csv", "--map", "name"], ["import", store, "x.csv", "--key", "Person"],
      ["import", store, "x.csv", "--insert", "--upsert"],
      ["import", store, "x.csv", "--resume", "--anew"], ["seed", store],
      ["seed", store, "x", "--seed-version", "0"],
    ] {
      let result = sample.run(words)
      #expect(result.code == 2, "\(words) \(result)")
      #expect(!result.errors.isEmpty)
    }
    let entity = sample.roost("export", store, "Persn", "--json", "--to", "-")
    #expect(entity.code == 1)
    #expect(entity.errors.contains("Is Person meant?"))
    let missing = sample.roost("import", store, sample.path("nothing.csv"))
    #expect(missing.code == 1)
    #expect(missing.errors.contains("There is no file at"))
    for command in ["export", "import", "seed"] {
      #expect(sample.roost(command, "--help").code == 0)
    }
  }
}

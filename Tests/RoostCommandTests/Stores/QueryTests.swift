// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of `roost query`, `roost count` and `roost explain`.
@Suite struct QueryTests {
  @Test("the same records are printed of stores of every kind", arguments: SampleKind.here)
  func kinds(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let result = sample.roost(
      "query", store, "Person", "age > 18", "--sort", "-age,name", "--columns",
      "name,age,team.name,skills.@count", "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    #expect(result.code == 0)
    #expect(
      result.output == """
        name      age  team.name  skills.@count
        --------  ---  ---------  -------------
        Margaret   82                         1
        Ada        36  Engines                1

        """)
    let count = sample.roost("count", store, "Person", "age > 18", "-m", sample.modelPath)
    #expect(count.output == "2\n")
    #expect(sample.roost("count", store, "Manager", "-m", sample.modelPath).output == "1\n")
  }

  @Test("without columns the ID, the attributes and the to-one relationships are printed")
  func allColumns() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.roost(
      "query", store, "Person", "name == 'Ada'", "--json", "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    let row = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(
      Set(row.keys) == ["objectID", "age", "email", "joined", "name", "photo", "team"])
    #expect(row["name"] as? String == "Ada")
    #expect(row["age"] as? Int == 36)
    #expect(row["photo"] as? String == "AQID")
    #expect(row["joined"] as? String == "2001-01-01T00:00:00Z")
    #expect((row["objectID"] as? String)?.hasPrefix("Person/p") == true)
    #expect((row["team"] as? String)?.hasPrefix("Team/p") == true)
  }

  @Test("JSON has a line for each record, with null for what has no value")
  func json() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.roost(
      "query", store, "Person", "--json", "--columns", "name,age", "--sort=name", "-m",
      sample.modelPath)
    #expect(
      result.output == """
        {"name":"Ada","age":36}
        {"name":"Bob \\"the, builder\\"","age":17}
        {"name":"Margaret","age":82}
        {"name":"Zoë","age":null}

        """)
  }

  @Test("CSV puts what has commas and quotation marks into quotation marks")
  func csv() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.roost(
      "query", store, "Person", "--csv", "-c", "name, age", "--sort", "name", "-n", "2",
      "--offset", "1", "-m", sample.modelPath)
    #expect(result.output == "name,age\n\"Bob \"\"the, builder\"\"\",17\nMargaret,82\n")
  }

  @Test("a query that finds nothing prints the names of the columns")
  func nothing() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.roost(
      "query", store, "Team", "name == 'x'", "-c", "name", "-m", sample.modelPath)
    #expect(result.output == "name\n----\n")
  }

  @Test("the order holds over more records than are read at a time")
  func batches() throws {
    let sample = try Sample()
    let address = try sample.address(.sqlite)
    let container = try sample.container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      for number in 0..<1234 {
        try ManagedObject(entity: team, insertInto: context)
          .setValue("\(10_000 - number)", forKey: "name")
      }
      try context.save()
    }
    try container.close()
    let result = sample.roost(
      "query", address, "Team", "--csv", "-c", "name", "--sort", "name", "-m", sample.modelPath)
    let lines = result.output.split(separator: "\n").dropFirst().map(String.init)
    #expect(lines.count == 1234)
    #expect(lines == lines.sorted())
  }

  @Test(
    "a store that another context writes can be read meanwhile",
    arguments: SampleKind.here.filter { $0 != .binary })
  func beside(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let container = try sample.container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      try ManagedObject(entity: team, insertInto: context).setValue("Third", forKey: "name")
      try context.save()
    }
    let result = sample.roost("count", address, "Team", "-m", sample.modelPath)
    #expect(result.output == "3\n")
    try container.close()
  }

  @Test("the plan names the index that is used", arguments: SampleKind.here)
  func explain(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let result = sample.roost(
      "explain", store, "Person", "name == 'Ada'", "-m", sample.modelPath)
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("store: "), "\(result.output)\(result.errors)")
    let json = sample.roost(
      "explain", store, "Person", "name MATCHES 'A.*'", "--json", "-m", sample.modelPath)
    let node = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(Set(node.keys) == ["steps", "indexes", "inMemory"])
    #expect((node["steps"] as? [String])?.isEmpty == false)
  }

  @Test(
    "wrong names and conditions end with 1, and say what is near or where it is",
    arguments: [
      (["query", "Persn"], "The store has no entity “Persn”. Is Person meant?"),
      (
        ["count", "Zebra"],
        "The store has no entity “Zebra”. There are Manager, Person, Skill, Team."
      ),
      (["query", "Person", "nmae == 'x'"], "Is name meant?"),
      (["query", "Person", "name =="], "at offset 7:\nname ==\n       ^"),
      (["explain", "Person", "age > 'x' AND"], "at offset"),
      (["query", "Person", "--columns", "name,agee"], "Is age meant?"),
      (["query", "Person", "--columns", "team.nam"], "nam"),
      (["query", "Person", "--columns", "skills"], "many values"),
      (["query", "Person", "--sort", "-agee"], "Is age meant?"),
    ])
  func faults(words: [String], message: String) throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let result = sample.run(
      [words[0], store] + words.dropFirst() + ["-m", sample.modelPath])
    #expect(result.code == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("roost: "))
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("forms that exclude each other, and a limit of nothing, are refused")
  func usage() throws {
    let sample = try Sample()
    #expect(sample.roost("query", "a.sqlite", "Person", "--json", "--csv").code == 2)
    #expect(sample.roost("query", "a.sqlite", "Person", "--limit", "0").code == 2)
    #expect(sample.roost("query", "a.sqlite").code == 2)
    let store = try sample.makeStore()
    #expect(
      sample.roost("query", store, "Person", "-c", ",", "-m", sample.modelPath).code == 2)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// Tests of paging in `roost browse`.
@Suite struct BrowserPagingTests {
  private func makeTeams(_ sample: Sample, _ kind: SampleKind, count: Int) throws -> String {
    let address = try sample.address(kind)
    let container = try sample.container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let team = try #require(container.managedObjectModel.entitiesByName["Team"])
      for number in 0..<count {
        try ManagedObject(entity: team, insertInto: context)
          .setValue("\(number % 3)", forKey: "name")
      }
      try context.save()
    }
    try container.close()
    return address
  }

  @Test(
    "each record is on one page, also where very many are equal in what they are sorted by",
    arguments: SampleKind.here, [nil, "name", "-name"] as [String?])
  func ties(kind: SampleKind, sort: String?) throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, try makeTeams(sample, kind, count: 50))
    var ids: [String] = []
    var names: [String] = []
    var after: String?
    var pages = 0
    repeat {
      var query = ["entity": "Team", "columns": "name", "size": "7"]
      query["sort"] = sort
      query["after"] = after
      let page = try bench.ask("api/rows", query)
      let rows = try #require(page["rows"] as? [[String: Any]])
      #expect(rows.count <= 7)
      ids += rows.compactMap { $0["id"] as? String }
      names += BrowserBench.texts(page).compactMap { $0[0] }
      after = page["next"] as? String
      pages += 1
    } while after != nil && pages < 100
    #expect(pages == 8)
    #expect(ids.count == 50)
    #expect(Set(ids).count == 50)
    if let sort { #expect(names == names.sorted(by: sort == "name" ? { $0 < $1 } : { $0 > $1 })) }
  }

  @Test("the place where a page ended may be longer than any address", arguments: SampleKind.here)
  func longPlace(kind: SampleKind) throws {
    let sample = try Sample()
    let address = try sample.makeStore(kind)
    let bench = try BrowserBench(sample, address, isWritable: true)
    let long = String(repeating: "z", count: 400_000)
    for end in ["a", "b"] {
      _ = try bench.save(["operation": "insert", "entity": "Team", "values": ["name": long + end]])
    }
    var query = ["entity": "Team", "columns": "name", "sort": "name", "size": "3"]
    let page = try bench.post("api/rows", query)
    #expect((page["rows"] as? [Any])?.count == 3)
    query["after"] = try #require(page["next"] as? String)
    let next = try bench.post("api/rows", query)
    #expect((next["rows"] as? [Any])?.count == 1)
    #expect(next["next"] == nil)
    #expect(try bench.post("api/rows", ["entity": 1], status: 400)["error"] != nil)
  }

  @Test("the members of an ordered relationship come in its order, a page at a time")
  func ordered() throws {
    let sample = try Sample()
    let track = EntityDescription(name: "Track")
    let album = EntityDescription(name: "Album")
    let tracks = RelationshipDescription(name: "tracks", destination: track, maxCount: 0)
    tracks.isOrdered = true
    let owner = RelationshipDescription(name: "album", destination: album, maxCount: 1)
    tracks.inverseRelationship = owner
    owner.inverseRelationship = tracks
    track.declaredProperties = [AttributeDescription(name: "title", type: .string), owner]
    album.declaredProperties = [tracks]
    let address = try sample.address(.sqlite)
    let container = try PersistentContainer(
      name: "Music", model: ManagedObjectModel(entities: [track, album]),
      stores: [sample.description(address)])
    try container.loadPersistentStores()
    let titles = ["e", "a", "d", "b", "c"]
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let entities = container.managedObjectModel.entitiesByName
      let made = try titles.sorted().map { title in
        let object = ManagedObject(entity: try #require(entities["Track"]), insertInto: context)
        try object.setValue(title, forKey: "title")
        return (title, object)
      }
      let members = titles.compactMap { title in made.first { $0.0 == title }?.1 }
      try ManagedObject(entity: try #require(entities["Album"]), insertInto: context)
        .setValue(members, forKey: "tracks")
      try context.save()
    }
    try container.close()

    let bench = try BrowserBench(sample, address, keepsModel: true)
    let albums = try bench.ask("api/rows", ["entity": "Album"])
    let id = try #require((albums["rows"] as? [[String: Any]])?.first?["id"] as? String)
    func shown(_ changes: [String: String]) throws -> [[String]] {
      var query = ["entity": "Track", "of": id, "via": "tracks", "columns": "title", "size": "2"]
      query.merge(changes) { _, new in new }
      var pages: [[String]] = []
      repeat {
        let page = try bench.post("api/rows", query)
        pages.append(BrowserBench.texts(page).compactMap { $0[0] })
        query["after"] = page["next"] as? String
      } while query["after"] != nil && pages.count < 10
      return pages
    }
    #expect(try shown([:]) == [["e", "a"], ["d", "b"], ["c"]])
    #expect(try shown(["condition": "title != 'a'"]) == [["e", "d"], ["b", "c"]])
    #expect(try shown(["sort": "title"]) == [["a", "b"], ["c", "d"], ["e"]])
    let answer = try bench.ask(
      "api/rows", ["entity": "Track", "of": id, "via": "tracks", "after": "Track/p4000"],
      status: 400)
    #expect((answer["error"] as? String)?.contains("no place") == true)
  }

  @Test("bytes are no usual column, and a page leaves no row in the cache")
  func bytes() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, sample.makeStore())
    let page = try bench.ask("api/rows", ["entity": "Person"])
    #expect(
      (page["columns"] as? [String])?.sorted()
        == ["age", "email", "joined", "name", "objectID", "team"])
    let ids = try #require(page["rows"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    #expect(ids.count == 4)
    try bench.browser.sessions.use { session in
      for id in ids {
        let record = try session.record(id)
        #expect(session.coordinator.cachedRow(for: record) == nil)
      }
    }
    let chosen = try bench.ask(
      "api/rows", ["entity": "Person", "columns": "photo", "condition": "name == 'Ada'"])
    #expect(BrowserBench.texts(chosen) == [["010203"]])
  }

  @Test("a place of another order or entity is refused")
  func otherOrder() throws {
    let sample = try Sample()
    let bench = try BrowserBench(sample, try makeTeams(sample, .sqlite, count: 9))
    let page = try bench.ask("api/rows", ["entity": "Team", "sort": "name", "size": "2"])
    let after = try #require(page["next"] as? String)
    let answer = try bench.ask(
      "api/rows", ["entity": "Team", "sort": "-name", "size": "2", "after": after], status: 400)
    #expect((answer["error"] as? String)?.contains("another entity or order") == true)
    _ = try bench.ask("api/rows", ["entity": "Skill", "size": "2", "after": after], status: 400)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// The records of an entity that the page shows: those that match a condition, or the destinations of a record's
/// relationship.
struct BrowserRows {
  private let session: StoreSession
  private let query: BrowserQuery
  private var records: StoreQuery
  /// The members of an ordered relationship, in their order; nil where the page has another order, or none.
  private var members: [ObjectID]?
  /// The number of records whose values are read at a time: values may be large, and only their beginnings are kept.
  private static let portion = 25
  private static let usualSize = 50
  private static let largestSize = 500

  /// Decodes the query.
  ///
  /// - Throws: ``BrowserFault`` that names the invalid field.
  init(_ session: StoreSession, _ query: BrowserQuery) throws {
    self.session = session
    self.query = query
    let name = try query.required("entity")
    records = try Self.checked(.condition) {
      let records = try StoreQuery(session, entity: name, condition: query["condition"])
      try records.check()
      return records
    }
    if let owner = query["of"] {
      let link = try RecordLink(session, owner: owner, relationship: query.required("via"))
      records.restrict(to: try link.condition())
      if link.relationship.isOrdered, query["sort"] == nil { members = try link.members() }
    }
    if let order = query["sort"] {
      records.sort(by: order)
      let sorted = records
      try Self.checked(.sort) { try sorted.check() }
    }
  }

  /// Calls a function and attributes its errors to a field.
  private static func checked<Result>(
    _ field: BrowserFault.Field, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as PersistenceError {
      let isOfField = [.unknownKey, .invalidPredicate, .invalidRequest, .invalidValue].contains(
        error.code)
      throw BrowserFault(error, field: isOfField ? field : nil)
    }
  }

  /// Returns a page of records. It begins after the last record of the previous page, which is given by its sort
  /// values and its number (keyset pagination): each record is on exactly one page, even among equal ones.
  func page() throws -> OutputNode {
    let size = try query.number("size", in: 1...Self.largestSize) ?? Self.usualSize
    let columns = try Self.checked(.columns) {
      let columns =
        try query["columns"].map { try QueryColumns($0) } ?? QueryColumns(usual: records.entity)
      try records.check(columns)
      return columns
    }
    guard !columns.names.isEmpty else {
      throw BrowserFault(400, "No column is named.", field: .columns)
    }
    let (ids, next) = try members.map { try page(of: $0, size) } ?? sortedPage(size)
    return .object([
      "columns": .texts(columns.names), "rows": .list(try rows(ids, columns)),
      "next": next.map(OutputNode.text),
    ])
  }

  private func rows(_ ids: [ObjectID], _ columns: QueryColumns) throws -> [OutputNode] {
    var rows: [OutputNode] = []
    for start in stride(from: 0, to: ids.count, by: Self.portion) {
      let portion = Array(ids[start..<min(start + Self.portion, ids.count)])
      let values = try records.values(columns, of: portion)
      for id in portion {
        guard let cells = values[id] else { continue }
        rows.append(
          .object([
            "id": .text(ValueOutput.text(of: id)),
            "cells": .list(cells.map(CellOutput.row.node)),
          ]))
      }
    }
    return rows
  }

  private func sortedPage(_ size: Int) throws -> (ids: [ObjectID], next: String?) {
    var cursor: FetchCursor?
    if let text = query["after"] {
      cursor = try? JSONDecoder().decode(FetchCursor.self, from: Data(text.utf8))
      guard cursor != nil else { throw Self.noPlace }
    }
    let request = records.request
    // IDs only: whole rows, including large values, would stay in the row cache.
    request.includesPropertyValues = false
    let context = ManagedObjectContext(coordinator: session.coordinator)
    return try context.performAndWait {
      let page = try context.page(request, after: cursor, size: size)
      let next = try page.next.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
      return (page.objects.map(\.objectID), next)
    }
  }

  /// Returns a page of the members of an ordered relationship, after the last member of the previous page.
  private func page(
    of members: [ObjectID], _ size: Int
  ) throws -> (ids: [ObjectID], next: String?) {
    var rest = members[...]
    if let text = query["after"] {
      guard let last = members.firstIndex(where: { ValueOutput.text(of: $0) == text }) else {
        throw Self.noPlace
      }
      rest = members[(last + 1)...]
    }
    if query["condition"] != nil {
      let matching = Set(try records.ids())
      rest = rest.filter(matching.contains)[...]
    }
    let page = Array(rest.prefix(size))
    return (page, rest.count > size ? page.last.map { ValueOutput.text(of: $0) } : nil)
  }

  private static var noPlace: BrowserFault {
    BrowserFault(400, "“after” is no place where a page ended. Begin with the first page.")
  }

  /// Returns the number of matching records.
  func count() throws -> OutputNode {
    .object(["count": .integer(try records.count())])
  }

  /// Returns the store's plan for a page.
  func plan() throws -> OutputNode {
    var limited = records
    limited.limit(to: Self.usualSize, offset: nil)
    let plan = try limited.plan()
    return .object([
      "steps": .texts(plan.steps), "indexes": .texts(plan.indexes),
      "inMemory": .texts(plan.inMemory),
    ])
  }
}

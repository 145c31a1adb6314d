// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// The views that a migration has dropped to make them again for the new version of the model, in one transaction: a
/// column or a table that a view uses cannot be dropped.
struct SuspendedViews {
  private var places: [PostgreSQLViewPlace] = []
  private var grants: [String: [String]] = [:]

  /// Drops the views of a store. It must have no locks on its tables yet: a reader of a view has one on the view, and
  /// then asks for those of the tables.
  ///
  /// A view on which another one depends, or that belongs to another user, stays as it is, and keeps its columns.
  ///
  /// - Parameter wait: The lock time-out in milliseconds.
  init(_ store: PostgreSQLStore, _ connection: PostgreSQLConnection, waiting wait: Int) throws {
    let schemas = try ExistingViews.schemas(connection)
    guard !schemas.isEmpty else { return }
    let writer = PostgreSQLViewWriter(log: store.description.log, connection: connection)
    try writer.run("SET LOCAL lock_timeout = \(wait)")
    for schema in schemas {
      let place = PostgreSQLViewPlace(existing: schema, of: connection.namespace)
      places.append(place)
      for view in try ExistingViews(in: schema, connection).own {
        let name = place.name(view)
        grants[name] = try ExistingViews.grants(on: view, in: place, connection)
        do {
          try writer.attempt("DROP VIEW \(name)")
        } catch let error as PostgreSQLError where error.keepsSchema {
          continue
        }
      }
    }
  }

  /// Makes the views of a mapping. Views are no reason for a migration to fail: if one cannot be made, it is left out
  /// or stays as it is, and the log has a remark.
  func resume(
    _ mapping: SQLSchema, _ store: PostgreSQLStore, _ connection: PostgreSQLConnection
  ) throws {
    let writer = PostgreSQLViewWriter(log: store.description.log, connection: connection)
    for place in places {
      let foreign = try ExistingViews(in: place.schema, connection).foreign
      for view in mapping.views() {
        let name = place.name(view)
        guard !foreign.contains(view.name) else {
          store.description.log?.remark(
            "The view \(name) was not made for the new version: the schema has another one.")
          continue
        }
        try remarking("The view \(name) was not made for the new version", store) {
          try writer.attempt(place.definition(view, replacing: true), place.marking(view))
        }
        for grant in grants[name, default: []] {
          try remarking("A right to the view \(name) was not given again", store) {
            try writer.attempt(grant)
          }
        }
      }
    }
  }

  /// Runs a step without which the migration goes on, with a remark in the log.
  private func remarking(
    _ remark: String, _ store: PostgreSQLStore, _ step: () throws -> Void
  ) throws {
    do {
      try step()
    } catch let error as PostgreSQLError where error.kind == .refused && !error.isStopped {
      store.description.log?.remark("\(remark): \(error)")
    }
  }
}

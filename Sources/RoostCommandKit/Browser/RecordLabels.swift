// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Readable labels of records, in addition to their numbers: a name, a title or the first text.
struct RecordLabels {
  let session: StoreSession

  /// The labels of some records.
  ///
  /// - Complexity: One query for each entity.
  func labels(of ids: [ObjectID]) throws -> [ObjectID: String] {
    var labels: [ObjectID: String] = [:]
    for (entity, group) in Dictionary(grouping: ids, by: { $0.entity.name ?? "" }) {
      let query = try StoreQuery(session, entity: entity, condition: nil)
      guard let key = Self.key(of: query.entity) else { continue }
      let columns = QueryColumns(key: key)
      for (id, values) in try query.values(columns, of: group) {
        if case .string(let text)? = values.first, !text.isEmpty { labels[id] = text }
      }
    }
    return labels.mapValues { $0.count > 80 ? String($0.prefix(79)) + "…" : $0 }
  }

  static func key(of entity: EntityDescription) -> String? {
    let texts = BrowserModel.attributes(of: entity).filter { $0.type == .string }.map(\.name)
    return ["name", "title", "label"].first(where: texts.contains) ?? texts.first
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel
import RoostStore

/// `roost inspect`.
enum InspectCommand {
  static let command = Command(
    "inspect", "Shows what a store is and what it holds.",
    discussion: """
      Kind, UUID, size, version and metadata of the store; and of each entity the number of records, the
      properties, constraints and indexes. A store that keeps no model is described as far as that goes.
      """,
    parameters: [CommonParameters.store, CommonParameters.model, CommonParameters.json]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    let shown = try NamedFailure.naming(address.title) {
      try report(address, modelPath: parsed[CommonParameters.model])
    }
    console.print(parsed[CommonParameters.json] ? shown.node.document : shown.text)
  }

  private static func report(
    _ address: StoreAddress, modelPath: String?
  ) throws -> InspectionReport {
    if modelPath == nil {
      let found = try StoredModel(of: address.existing(), title: address.title)
      guard found.hasModel else {
        return InspectionReport(
          found, title: address.title,
          note: "The store is new: no program has opened it with a model.")
      }
      guard found.text != nil else {
        return InspectionReport(
          found, title: address.title,
          note: "The store keeps no model. With --model FILE its records are counted.")
      }
    }
    let session = try StoreSession(reading: address, modelPath: modelPath)
    defer { session.close() }
    return try InspectionReport(session)
  }
}

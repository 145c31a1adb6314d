// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostStore

/// A model as a command line names it: a file with a model, or a store that keeps one.
struct ModelSource {
  let word: String

  init(_ word: String) {
    self.word = word
  }

  static let help = "A model (\(ModelFile.help)), or a store that keeps one."

  /// The model, checked and frozen.
  ///
  /// - Throws: `invalidModel`, or the errors of opening the store.
  func model() throws -> ManagedObjectModel {
    let file = ModelFile(word.hasSuffix("/") ? String(word.dropLast()) : word)
    let model = try file.isNamedLikeModel ? file.model() : stored()
    return try Self.frozen(model)
  }

  /// The model, with its conditions and expressions read, and no longer to be changed.
  static func frozen(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
    try PersistentStoreCoordinator(managedObjectModel: model).managedObjectModel
  }

  private func stored() throws -> ManagedObjectModel {
    let address: StoreAddress
    do throws(UsageError) {
      address = try StoreAddress(word)
    } catch {
      throw UsageError("“\(word)” \(error).")
    }
    return try NamedFailure.naming(address.title) {
      try StoredModel(of: address.existing(), title: address.title).model(from: nil)
    }
  }

  /// A Swift expression that makes the model; a placeholder where only the program knows it.
  var swiftCode: String {
    let file = ModelFile(word.hasSuffix("/") ? String(word.dropLast()) : word)
    return file.isNamedLikeModel ? file.swiftCode : "<#the model of \(word)#>"
  }
}

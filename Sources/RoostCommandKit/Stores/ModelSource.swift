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

  private static let suffixes = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]

  /// Whether the word names a file with a model by its name.
  var isModelFile: Bool {
    let path = word.hasSuffix("/") ? String(word.dropLast()) : word
    let url = URL(filePath: path)
    return Self.suffixes.contains(url.pathExtension.lowercased())
      || url.lastPathComponent == "contents"
  }

  /// The model, checked and frozen.
  ///
  /// - Throws: `invalidModel`, or what opening the store throws.
  func model() throws -> ManagedObjectModel {
    let model = try isModelFile ? ModelFile(word).model() : stored()
    return try PersistentStoreCoordinator(managedObjectModel: model).managedObjectModel
  }

  private func stored() throws -> ManagedObjectModel {
    let address: StoreAddress
    do throws(UsageError) {
      address = try StoreAddress(word)
    } catch {
      throw UsageError("MODEL|STORE \(error).")
    }
    return try StoredModel(of: address.existing(), title: address.title).model(from: nil)
  }
}

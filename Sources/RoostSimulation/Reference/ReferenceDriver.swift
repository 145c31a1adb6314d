// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
public import RoostStore

extension PersistentStoreType {
  /// The store with which the conformance kit compares others: see ``ReferenceStore``.
  public static let reference = PersistentStoreType(
    rawValue: "Reference", driver: ReferenceDriver())
}

extension PersistentStoreDescription {
  /// Describes a reference store.
  ///
  /// - Parameters:
  ///   - name: The name under which the data are found again in this process; nil for private data.
  ///   - configuration: The configuration whose entities it holds; nil for all.
  public static func reference(
    named name: String? = nil, configuration: String? = nil
  ) -> PersistentStoreDescription {
    var components = URLComponents()
    components.scheme = "reference"
    components.path = name ?? ""
    return PersistentStoreDescription(
      type: .reference, url: name == nil ? nil : components.url, configuration: configuration)
  }
}

/// The driver of reference stores, for operations without a coordinator.
///
/// ```swift
/// let metadata = try ReferenceDriver().metadata(of: .reference(named: "mine"))
/// ```
public struct ReferenceDriver: MetadataChangingDriver {
  public var optionNames: Set<String>? {
    []
  }

  /// Makes a driver.
  public init() {}

  public func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    ReferenceStore(
      place: .place(at: description.url, type: description.type.rawValue), description: description)
  }

  public func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    ReferencePlace.existingPlace(at: description.url)?.content.metadata
  }

  public func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try existingPlace(description).change { $0.metadata = metadata }
  }

  package func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    try existingPlace(description).change { $0.metadata = try $0.metadata.changed(by: change) }
  }

  public func destroy(_ description: PersistentStoreDescription) throws {
    let isForced = try description.isOn(StoreOption.forceDestroy)
    guard isForced || ReferencePlace.existingPlace(at: description.url)?.isInUse != true else {
      throw PersistenceError(
        .storeBusy, "The store is in use.", store: description.url?.absoluteString)
    }
    ReferencePlace.put(nil, at: description.url)
  }

  public func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    let content = try existingPlace(source).content
    let copy = ReferencePlace(content.metadata)
    copy.change { $0 = content }
    ReferencePlace.put(copy, at: destination.url)
  }

  private func existingPlace(
    _ description: PersistentStoreDescription
  ) throws -> ReferencePlace {
    guard let place = ReferencePlace.existingPlace(at: description.url) else {
      throw PersistenceError(
        .persistentStoreOpen, "There is no store.", store: description.url?.absoluteString)
    }
    return place
  }
}

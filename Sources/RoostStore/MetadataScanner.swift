// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads metadata in the exact form that ``StoreMetadata/json()`` writes, in one pass and without a decoder.
///
/// Any other form is not an error here: escapes, other keys, values of the program, damage. The caller falls back to
/// the decoder for it.
struct MetadataScanner {
  private var json: CompactJSON

  /// Returns the metadata; nil unless the bytes have the usual form.
  static func metadata(in json: Data) -> StoreMetadata? {
    json.withUnsafeBytes { bytes in
      var scanner = MetadataScanner(json: CompactJSON(bytes))
      guard let metadata = scanner.metadata(), scanner.json.isOver else { return nil }
      return metadata
    }
  }

  /// Reads the keys, which are in alphabetical order.
  private mutating func metadata() -> StoreMetadata? {
    guard json.skip("{\"entityCodes\":"), let codes = dictionary({ $0.number() }) else {
      return nil
    }
    var shapes: [String: String]?
    if json.skip(",\"entityShapes\":") {
      guard let found = dictionary({ $0.string() }) else { return nil }
      shapes = found
    }
    guard json.skip(",\"entityVersionHashes\":"), let hashes = dictionary({ $0.data() }) else {
      return nil
    }
    var epoch: Int?
    if json.skip(",\"epoch\":") {
      guard let number = json.number() else { return nil }
      epoch = number
    }
    var formerNames: [String: Int]?
    if json.skip(",\"formerNames\":") {
      guard let found = dictionary({ $0.number() }) else { return nil }
      formerNames = found
    }
    var formerVersions: [String]?
    if json.skip(",\"formerVersions\":") {
      guard let found = strings() else { return nil }
      formerVersions = found
    }
    let beganWithStore = json.skip(",\"historyFromStart\":true")
    let keepsValues = json.skip(",\"historyLevel\":\"values\"")
    let tracksHistory = json.skip(",\"historyTracking\":true")
    guard json.skip(",\"identifier\":"), let identifier = json.string() else { return nil }
    let keepsModel = json.skip(",\"keepsModel\":true")
    guard json.skip(",\"storeType\":"), let storeType = json.string(),
      json.skip(",\"userValues\":{},\"versionChecksum\":"), let checksum = json.string(),
      json.skip(",\"versionIdentifiers\":"), let identifiers = strings(), json.skip("}")
    else { return nil }
    var metadata = StoreMetadata(storeType: storeType, identifier: identifier)
    metadata.entityCodes = codes
    metadata.entityShapes = shapes
    metadata.entityVersionHashes = hashes
    metadata.epoch = epoch
    metadata.formerNames = formerNames
    metadata.formerVersions = formerVersions
    metadata.historyFromStart = beganWithStore ? true : nil
    metadata.historyLevel = keepsValues ? "values" : nil
    metadata.historyTracking = tracksHistory ? true : nil
    metadata.keepsModel = keepsModel ? true : nil
    metadata.versionChecksum = checksum
    metadata.versionIdentifiers = identifiers
    return metadata
  }

  private mutating func dictionary<Element>(
    _ element: (inout CompactJSON) -> Element?
  ) -> [String: Element]? {
    var result: [String: Element] = [:]
    guard json.skip("{") else { return nil }
    if json.skip("}") { return result }
    repeat {
      guard let key = json.string(), json.skip(":"), let value = element(&json),
        result.updateValue(value, forKey: key) == nil
      else { return nil }
    } while json.skip(",")
    return json.skip("}") ? result : nil
  }

  private mutating func strings() -> [String]? {
    var result: [String] = []
    guard json.skip("[") else { return nil }
    if json.skip("]") { return result }
    repeat {
      guard let next = json.string() else { return nil }
      result.append(next)
    } while json.skip(",")
    return json.skip("]") ? result : nil
  }
}

// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The content of an Xcode mapping model file as plain values: expressions are texts in Core Data's format language,
/// in which `FUNCTION` may call the migration manager or a policy.
package struct MappingFile: Sendable {
  /// The mapping of one entity.
  package struct Entity: Sendable {
    package var name = ""
    package var type: UInt = 0
    package var source: String?
    package var destination: String?
    package var sourceHash: Data?
    package var destinationHash: Data?
    package var policy: String?
    package var sourceExpression: String?
    package var attributes: [Property] = []
    package var relationships: [Property] = []
    package var userInfo: [String: String] = [:]
  }

  /// The mapping of one property.
  package struct Property: Sendable {
    package var name: String
    package var expression: String?
    /// Whether Xcode generates the expression when it compiles the file.
    package var isAutomatic = false
    package var userInfo: [String: String] = [:]
  }

  /// The mappings in their order.
  package var entities: [Entity] = []

  /// Reads an `.xcmappingmodel`, the file `xcmapping.xml` in one, or its compiled form `.cdm`.
  ///
  /// - Throws: `invalidModel` with the location of the fault, `limitExceeded`.
  package init(contentsOf url: URL) throws(PersistenceError) {
    var file = url
    var label = url.lastPathComponent
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw PersistenceError(.invalidModel, "There is no mapping model at \(url.path).")
    }
    if isFolder.boolValue {
      file = url.appending(path: "xcmapping.xml", directoryHint: .notDirectory)
      label += "/xcmapping.xml"
    }
    let text = try ModelText(contentsOf: file, name: label)
    if text.bytes.starts(with: Array("bplist".utf8)) {
      entities = try CompiledMappingReader(text.bytes, name: label).read()
    } else {
      entities = try XcodeMappingReader(text).read()
    }
  }
}
